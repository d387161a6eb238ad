//! People answer what another program asks. It is a question like any other: no receipt comes with the answer.

use anyhow::bail;
use domain::Ids;
use machine::clock::SystemIds;
use serde_json::{Map, Value};
use tokio::time::{Instant, timeout};

use super::{
    Desk, GRACE, Unanswered, Withdrawn,
    form::{Filled, Form},
    words,
};

/// How often people are asked again whose answer does not fit.
const TRIES: u32 = 5;

/// What people are asked.
pub(crate) struct Question {
    pub(crate) form: Form,
    pub(crate) title: &'static str,
    pub(crate) prompt: String,
    /// What it stands with, unless the desk has a session.
    pub(crate) session: Option<String>,
    /// What makes it the same question after a restart.
    pub(crate) key: Option<String>,
}

/// How a question has ended.
pub(crate) enum Elicited {
    /// With this content of its form.
    Filled(Map<String, Value>),
    Declined,
    /// A person, or the agent by another way, has taken it back.
    TakenBack,
    /// Nobody has answered in time.
    Expired,
}

/// Has people answer, again where the answer does not fit.
pub(crate) async fn elicit(
    desk: &Desk,
    question: &Question,
    mut withdrawn: Withdrawn,
) -> Result<Elicited, Unanswered> {
    let until = desk.until();
    let mut fault = None;
    for attempt in 0..TRIES {
        let told = match &fault {
            None => question.prompt.clone(),
            Some(fault) => {
                let prompt = &question.prompt;
                format!("{prompt}\n\nThe answer before does not fit: {fault}")
            }
        };
        let mut body = question.form.body(&told);
        body["mode"] = "sync".into();
        body["title"] = question.title.into();
        if let Some(session) = &question.session {
            body["session_id"] = session.as_str().into();
        }
        let (key, seconds) = match &question.key {
            None => (
                SystemIds.next().to_string(),
                seconds_until(until, desk.seconds),
            ),
            // Word for word what an earlier run has asked.
            Some(key) => (format!("{key}:{attempt}"), desk.seconds),
        };
        desk.put_in(&mut body, seconds);
        let closed = desk
            .closed(&body, &key, until, &mut withdrawn, None)
            .await?;
        let answer = match (&*closed.state, &closed.answer) {
            ("resolved", Some(answer)) => answer,
            ("cancelled", _) => return Ok(Elicited::TakenBack),
            _ => return Ok(Elicited::Expired),
        };
        let filled = question.form.filled(answer);
        // It was answered, even if the server does not hear that it was collected.
        let _ = timeout(GRACE, desk.client.collect(&closed.id)).await;
        match filled {
            Ok(Filled::With(content)) => return Ok(Elicited::Filled(content)),
            Ok(Filled::Declined) => return Ok(Elicited::Declined),
            Err(why) => fault = Some(words(&why)),
        }
    }
    let last = fault.unwrap_or_default();
    let failed = || -> anyhow::Result<Elicited> { bail!("no answer fits: {last}") };
    Ok(failed()?)
}

/// What is left of the time that people have, at least a moment.
fn seconds_until(until: Instant, most: u32) -> u32 {
    let left = until.saturating_duration_since(Instant::now() + GRACE);
    u32::try_from(left.as_secs().saturating_add(1)).map_or(most, |left| left.min(most))
}
