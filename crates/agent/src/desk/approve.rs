//! Rule 2 in front of another program: it acts only with an approval of exactly this action, proven, and used for nothing
//! else.

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

use super::{Desk, Telling, Unanswered, Withdrawn, fit};
use crate::client::{
    Trust,
    decision::{self, Expected},
    verdict::verdict,
};

/// How long a report may take.
const REPORTING: Duration = Duration::from_secs(10);
/// How long it may take to say that an answer was taken.
const COLLECTING: Duration = Duration::from_secs(5);

/// An action that wants an approval.
pub(crate) struct Wanted {
    action: Action,
    digest: String,
    /// What people are asked.
    body: Value,
    /// What changed arguments have to fit; without it they cannot be changed.
    takes: Option<Value>,
    /// What makes it the same request after a restart.
    key: Option<String>,
}

/// An action that may be done.
pub(crate) struct Approved {
    /// By this interaction.
    pub(crate) id: String,
    /// With these arguments.
    pub(crate) arguments: Value,
}

impl Wanted {
    /// Of a tool with its arguments.
    ///
    /// # Errors
    /// When it is no action that people could be asked about.
    pub(crate) fn new(
        tool: String,
        arguments: Value,
        (title, prompt): (&str, &str),
    ) -> anyhow::Result<Self> {
        ensure!(arguments.is_object(), "its arguments are no JSON object");
        let action = Action {
            tool,
            arguments: AnyJson(arguments),
            operands: Vec::new(),
            attachments: Vec::new(),
        };
        let digest = action.digest();
        let digest = digest.context("its arguments are no plain JSON")?;
        let body = json!({
            "kind": "approval", "mode": "sync", "title": title, "prompt": prompt, "action": action,
        });
        Ok(Self {
            action,
            digest,
            body,
            takes: None,
            key: None,
        })
    }

    /// People may change what `amendable` says of its arguments, to what fits this schema.
    pub(crate) fn amendable(mut self, amendable: Value, takes: Value) -> Self {
        self.body["amendable"] = amendable;
        self.takes = Some(takes);
        self
    }

    /// It stands with a session, unless the desk has one.
    pub(crate) fn in_session(mut self, session: Option<&str>) -> Self {
        if let Some(session) = session {
            self.body["session_id"] = session.into();
        }
        self
    }

    /// It is the same request whenever it is asked under this key, which names nothing else.
    pub(crate) fn under(mut self, key: String) -> Self {
        self.key = Some(key);
        self
    }

    /// Tells one action from another.
    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }

    /// The request to people.
    pub(crate) fn body(&self, desk: &Desk) -> Value {
        let mut body = self.body.clone();
        desk.put_in(&mut body, desk.seconds);
        body
    }
}

/// Has people decide. Every fault is no yes.
pub(crate) async fn approve(
    desk: &Desk,
    wanted: &Wanted,
    mut withdrawn: Withdrawn,
    telling: Option<Telling<'_>>,
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
    let (asked_after, key) = match &wanted.key {
        None => (Some(SystemClock.now()), SystemIds.next().to_string()),
        // An earlier run may have asked it.
        Some(key) => (None, key.clone()),
    };
    let body = wanted.body(desk);
    let closed = desk
        .closed(&body, &key, until, &mut withdrawn, telling)
        .await?;
    if let Err(no) = verdict(&closed) {
        // It was answered, even if the server does not hear that it was collected.
        let _ = timeout(COLLECTING, desk.client.collect(&closed.id)).await;
        return Err(match closed.outcome.as_deref() {
            Some("denied") => Unanswered::Denied(no),
            _ => Unanswered::Failed(no),
        });
    }
    let takes = wanted.takes.as_ref().map(|_| &wanted.action);
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
        asked_after,
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
                let schema = wanted.takes.as_ref();
                let schema = schema.context("its arguments must not be changed")?;
                fit::check(schema, &action.arguments.0)
                    .context("it was approved with arguments that the tool does not take")?;
                action
            }
        };
        let run = format!("{} {key}", desk.runs_as);
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

/// Says what came of an action that was approved. It has run, even if nothing hears of it.
pub(crate) async fn report(desk: &Desk, id: &str, failure: Option<&str>) {
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
