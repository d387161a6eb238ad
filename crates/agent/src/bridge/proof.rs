//! The proof that the bridge demands before it passes an *allow* of `approve_tool_use` on: the receipt that comes with
//! it, by a key that is trusted on this side, of exactly the action that was asked about, and the server's signature
//! that it was consumed by this very run.

use anyhow::{Context, ensure};
use chrono::{DateTime, Utc};
use domain::{
    Ids,
    interaction::{Action, Consumed, Kind},
    json::AnyJson,
    mcp::{APPROVE_TOOL_USE, CONSUMED, KEY, RECEIPT, RUN},
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::client::{
    Client, Trust,
    decision::{self, Expected},
};

/// Trusts no program at the server's address.
pub(super) struct Proof {
    client: Client,
}

/// One call that has to be proven.
pub(super) struct Call {
    /// As it is sent: with the name of the run, and the key that people are asked under.
    pub(super) message: Value,
    began: DateTime<Utc>,
    run: String,
    key: String,
}

impl Call {
    /// The call the client asks for; `None` for a message that cannot be a call.
    pub(super) fn new(mut message: Value, began: DateTime<Utc>, ids: &impl Ids) -> Option<Self> {
        let (run, key) = (ids.next().to_string(), ids.next().to_string());
        let params = message.get_mut("params")?.as_object_mut()?;
        let meta = params.entry("_meta").or_insert_with(|| json!({}));
        let meta = meta.as_object_mut()?;
        meta.insert(RUN.to_owned(), run.as_str().into());
        meta.insert(KEY.to_owned(), key.as_str().into());
        Some(Self {
            message,
            began,
            run: format!("mcp {run}"),
            key,
        })
    }
}

#[derive(Deserialize)]
struct Wanted {
    tool_name: String,
    input: AnyJson,
}

/// Whether the answer to this message has to be proven. Clients write names in their own way, so everything that one
/// could take for our tool is it, with a prefix of theirs or without.
pub(super) fn is_needed(message: &Value) -> bool {
    let name = message["params"]["name"].as_str().unwrap_or_default();
    let letter = |c: char| match c.is_ascii_alphanumeric() {
        true => c.to_ascii_lowercase(),
        false => '_',
    };
    let name: String = name.chars().map(letter).collect();
    message["method"] == "tools/call" && name.trim_matches('_').ends_with(APPROVE_TOOL_USE)
}

impl Proof {
    pub(super) fn new(client: Client) -> Self {
        Self { client }
    }

    /// The client that it asks with, which any call may tell the person who watches with.
    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// Before anybody is asked.
    pub(super) async fn meet(&self) -> anyhow::Result<()> {
        self.trust()?.meet(&self.client).await
    }

    /// Models that only ask questions need to trust no key.
    fn trust(&self) -> anyhow::Result<Trust> {
        Trust::of(self.client.base())
    }

    /// The result as it may be passed on, in words of our own: an *allow* of exactly the action asked about, with
    /// its proof, or a denial. Nothing else from the server is, since clients may take more for a permission.
    pub(super) async fn checked(&self, call: &Call, result: &Value, now: DateTime<Utc>) -> Value {
        match self.check(call, result, now).await {
            Ok(input) => said(&json!({ "behavior": "allow", "updatedInput": input })),
            Err(why) => denial(&format!("{why:#}")),
        }
    }

    /// The input that was approved, which is the one that was asked about.
    async fn check(
        &self,
        call: &Call,
        result: &Value,
        now: DateTime<Utc>,
    ) -> anyhow::Result<AnyJson> {
        let [content] = result["content"].as_array().map_or(&[][..], Vec::as_slice) else {
            anyhow::bail!("the server's answer is none to approve_tool_use");
        };
        let said = content["text"].as_str().unwrap_or_default();
        let said: Value = serde_json::from_str(said).context("the server's answer is none")?;
        if said["behavior"] == "deny" {
            let why = said["message"].as_str();
            anyhow::bail!("{}", why.unwrap_or("it was denied"));
        }
        ensure!(
            said["behavior"] == "allow",
            "the server's answer is no decision"
        );
        let wanted = Wanted::deserialize(&call.message["params"]["arguments"]);
        let wanted = wanted.context("what was asked about is no call of a tool")?;
        let digest = |input: AnyJson| {
            let action = Action {
                tool: wanted.tool_name.clone(),
                arguments: input,
                operands: Vec::new(),
                attachments: Vec::new(),
            };
            action.digest().context("its arguments are no plain JSON")
        };
        let asked = digest(wanted.input.clone())?;
        ensure!(
            digest(AnyJson(said["updatedInput"].clone()))? == asked,
            "something else was approved than was asked about"
        );
        let receipt = &result["_meta"][RECEIPT];
        ensure!(
            receipt.is_object(),
            "the server's approval has no receipt, so nothing proves it"
        );
        let receipt = decision::read(receipt)?;
        self.trust()?.believe(&receipt, &self.client).await?;
        let expected = Expected {
            interaction_id: None,
            kind: Kind::Approval,
            digest: asked,
            amended: None,
            approvers: 0,
            attachments: None,
            agent_id: None,
            key: Some(call.key.clone()),
            asked_after: Some(call.began),
            timeout: None,
        };
        decision::check(&receipt, &expected, now)?;
        // Without this this very approval could be shown once more.
        let consumed = Consumed::deserialize(&result["_meta"][CONSUMED]);
        let consumed = consumed.context("nothing proves that the approval was consumed")?;
        let id = receipt.decision.interaction_id;
        let trust = self.trust()?;
        trust
            .believe_run(id, &call.run, &consumed, &self.client)
            .await?;
        // An *allow* has no room for it, and whoever runs the agent was not asked.
        if receipt.decision.asked_nobody() {
            let by = receipt.decision.approved_in_words();
            self.client.tell(&format!("{by}: `{}`", wanted.tool_name));
        }
        Ok(wanted.input)
    }
}

/// A result that says no, in Claude Code's words.
pub(super) fn denial(why: &str) -> Value {
    said(&json!({ "behavior": "deny", "message": why }))
}

fn said(decision: &Value) -> Value {
    let text = decision.to_string();
    json!({ "content": [{ "type": "text", "text": text }], "isError": false })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str) -> Value {
        json!({"method": "tools/call", "params": {"name": name}})
    }

    #[test]
    fn whatever_a_client_may_take_for_our_tool_has_to_be_proven() {
        for name in [
            "approve_tool_use",
            "approve.tool.use",
            "approve-tool_use",
            "Approve tool\u{e9}use",
            " approve_tool_use",
            "approve_tool_use!",
            "mcp__approve_tool_use",
            "mcp__handraise__approve_tool_use",
        ] {
            assert!(is_needed(&call(name)), "{name}");
        }
        for name in ["ask_human", "approve_tool_uses", "approve", ""] {
            assert!(!is_needed(&call(name)), "{name}");
        }
        assert!(!is_needed(&json!({"method": "tools/list"})));
    }
}
