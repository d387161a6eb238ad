//! Rule 2 in front of a tool: a call reaches the server only with an approval of exactly its arguments, proven, and used
//! for nothing else.

use anyhow::{Context, ensure};
use chrono::TimeDelta;
use domain::{
    Ids,
    interaction::{Action, Kind, ReportOutcome},
    json::AnyJson,
    limits,
};
use machine::clock::{Clock, SystemClock, SystemIds};
use serde_json::{Value, json};
use tokio::time::{Duration, timeout};

use super::{
    desk::{Desk, Progress, Unanswered, Withdrawn},
    fit,
};
use crate::client::{
    Trust,
    decision::{self, Expected},
    verdict::verdict,
};

/// How long a report may take.
const REPORTING: Duration = Duration::from_secs(10);
/// How long it may take to say that an answer was taken.
const COLLECTING: Duration = Duration::from_secs(5);

/// A call that wants an approval.
pub(super) struct Wanted {
    action: Action,
    digest: String,
    /// What changed arguments have to fit; without it they cannot be changed.
    schema: Option<Value>,
}

/// A call that may be made.
pub(super) struct Approved {
    /// By this interaction.
    pub(super) id: String,
    /// With these arguments.
    pub(super) arguments: Value,
}

impl Wanted {
    /// Of a client's message.
    ///
    /// # Errors
    /// When it is no call that people could be asked about.
    pub(super) fn of(message: &Value, desk: &Desk, schema: Option<&Value>) -> anyhow::Result<Self> {
        let params = &message["params"];
        let tool = params["name"].as_str().context("it names no tool")?;
        let arguments = match params.get("arguments") {
            None => json!({}),
            Some(arguments) => arguments.clone(),
        };
        ensure!(arguments.is_object(), "its arguments are no JSON object");
        let action = Action {
            tool: format!("{}/{tool}", desk.server),
            arguments: AnyJson(arguments),
            operands: Vec::new(),
            attachments: Vec::new(),
        };
        let digest = action.digest();
        Ok(Self {
            digest: digest.context("its arguments are no plain JSON")?,
            action,
            schema: schema.filter(|_| desk.amendable).cloned(),
        })
    }

    /// Tells one call from another.
    pub(super) fn digest(&self) -> &str {
        &self.digest
    }

    fn body(&self, desk: &Desk) -> Value {
        let mut body = json!({
            "kind": "approval", "mode": "sync", "title": "An MCP client asks before it calls a tool",
            "prompt": format!("May `{}` be called?", self.action.tool.replace('`', "'")),
            "action": self.action, "timeout_seconds": desk.seconds,
        });
        if let Some(session) = &desk.session {
            body["session_id"] = session.as_str().into();
        }
        if self.schema.is_some() {
            body["amendable"] = true.into();
        }
        body
    }
}

/// Has people decide. Every fault is a no.
pub(super) async fn approve(
    desk: &Desk,
    wanted: &Wanted,
    mut withdrawn: Withdrawn,
    mut progress: Progress,
) -> Result<Approved, Unanswered> {
    let until = desk.until();
    let meeting = async {
        let trust = Trust::of(desk.client.base())?;
        trust.meet(&desk.client).await?;
        anyhow::Ok(trust)
    };
    let met = tokio::select! {
        biased;
        _ = &mut withdrawn => return Err(Unanswered::Withdrawn),
        met = tokio::time::timeout_at(until, meeting) => met,
    };
    let trust = met.context("the Handraise server cannot be reached")??;
    let (began, key) = (SystemClock.now(), SystemIds.next().to_string());
    let body = wanted.body(desk);
    let closed = desk
        .closed(&body, &key, until, &mut withdrawn, Some(&mut progress))
        .await?;
    if let Err(no) = verdict(&closed) {
        // It was answered, even if the server does not hear that it was collected.
        let _ = timeout(COLLECTING, desk.client.collect(&closed.id)).await;
        return Err(no.into());
    }
    let takes = wanted.schema.as_ref().map(|_| &wanted.action);
    let amended = decision::amended(&closed, takes)?;
    let expected = Expected {
        interaction_id: Some(closed.id.clone()),
        kind: Kind::Approval,
        digest: wanted.digest.clone(),
        amended: amended.as_ref().map(|(_, digest)| digest.clone()),
        approvers: 0,
        attachments: None,
        agent_id: closed.agent_id(),
        key: Some(key.clone()),
        asked_after: Some(began),
        timeout: Some(TimeDelta::seconds(desk.seconds.into())),
    };
    let proving = async {
        let granted = desk
            .client
            .granted(&closed.id, &trust, &expected, &SystemClock);
        let receipt = granted.await?;
        decision::agrees(&receipt, &closed)?;
        let action = match amended {
            None => wanted.action.clone(),
            Some((action, _)) => {
                // Before the approval is used: the agent may ask anew.
                let schema = wanted.schema.as_ref();
                let schema = schema.context("its arguments must not be changed")?;
                fit::check(schema, &action.arguments.0)
                    .context("it was approved with arguments that the tool does not take")?;
                action
            }
        };
        let run = format!("mcp proxy {key}");
        desk.client.consume(&closed.id, &run, &trust).await?;
        if receipt.decision.asked_nobody() {
            let by = receipt.decision.approved_in_words();
            desk.client.tell(&format!("{by}: `{}`", action.tool));
        }
        anyhow::Ok(action.arguments.0)
    };
    // To its end: what is withdrawn meanwhile is used up, and that has to be said.
    let proven = timeout(PROVING, proving).await;
    let arguments = proven.context("the approval could not be proven in time")??;
    Ok(Approved {
        id: closed.id,
        arguments,
    })
}

/// How long a receipt and its use may take.
const PROVING: Duration = Duration::from_secs(60);

/// Says what came of a call that was approved. It has run, even if nothing hears of it.
pub(super) async fn report(desk: &Desk, id: &str, said: &Value) {
    let failure = failure(said);
    let outcome = match failure {
        Some(_) => ReportOutcome::Failed,
        None => ReportOutcome::Done,
    };
    let text = failure.map(|text| text.chars().take(limits::REPORT_CHARS).collect::<String>());
    let body = json!({ "outcome": outcome, "text": text });
    let why = match timeout(REPORTING, desk.client.report(id, &body)).await {
        Ok(Ok(_)) => return,
        Ok(Err(error)) => format!("{error:#}"),
        Err(_) => "there was no answer in time".to_owned(),
    };
    let line = format!("what came of {id} is not reported: {why}");
    desk.client.tell(&line);
}

/// Why a call has failed, if it has.
fn failure(said: &Value) -> Option<&str> {
    if let Some(error) = said.get("error") {
        return Some(error["message"].as_str().unwrap_or("it is an error"));
    }
    let failed = said["result"]["isError"] == true;
    let text = said["result"]["content"][0]["text"].as_str();
    failed.then(|| text.unwrap_or("the tool says that it has failed"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Client;

    fn desk(amendable: bool) -> Desk {
        Desk {
            client: Client::new("http://127.0.0.1:1", None, |_| ()).unwrap(),
            seconds: 60,
            session: Some("s".to_owned()),
            server: "files".to_owned(),
            amendable,
        }
    }

    #[test]
    fn the_action_is_the_server_s_tool_with_its_arguments() {
        let call = json!({"params": {"name": "write", "arguments": {"path": "/x"}}});
        let schema = json!({"type": "object"});
        for (amendable, schema, expected) in [
            (true, Some(&schema), json!(true)),
            (true, None, Value::Null),
            (false, Some(&schema), Value::Null),
        ] {
            let desk = desk(amendable);
            let body = Wanted::of(&call, &desk, schema).unwrap().body(&desk);
            assert_eq!(body["action"]["tool"], "files/write");
            assert_eq!(body["action"]["arguments"], json!({"path": "/x"}));
            assert_eq!(body["timeout_seconds"], 60);
            assert_eq!(body["session_id"], "s");
            assert_eq!(body["amendable"], expected);
        }
    }

    #[test]
    fn no_arguments_are_empty_ones_and_others_than_an_object_are_none() {
        let of = |params: Value| Wanted::of(&json!({"params": params}), &desk(false), None);
        let none = of(json!({"name": "x"})).unwrap();
        let empty = of(json!({"name": "x", "arguments": {}})).unwrap();
        assert_eq!(none.digest(), empty.digest());
        for params in [
            json!({}),
            json!({"name": 4}),
            json!({"name": "x", "arguments": []}),
            json!({"name": "x", "arguments": null}),
        ] {
            assert!(of(params.clone()).is_err(), "{params}");
        }
    }

    #[test]
    fn a_tool_that_says_so_has_failed() {
        for (said, expected) in [
            (json!({"result": {"content": []}}), None),
            (
                json!({"result": {"isError": true, "content": [{"text": "full"}]}}),
                Some("full"),
            ),
            (json!({"error": {"message": "gone"}}), Some("gone")),
        ] {
            assert_eq!(failure(&said), expected, "{said}");
        }
    }
}
