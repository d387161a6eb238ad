//! People answer what a server asks its client's user. It is a question like any other: no receipt comes with the answer.

use anyhow::bail;
use domain::Ids;
use machine::clock::SystemIds;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{
    desk::{Desk, Unanswered, Withdrawn, words},
    form::{Filled, Form},
    message::UNFIT_PARAMS,
};

/// How often people are asked again whose answer does not fit.
const TRIES: u32 = 5;

/// The answer to `elicitation/create`: a result, or an error for a form that people cannot be asked.
pub(super) async fn answer(
    desk: &Desk,
    request: &Value,
    mut withdrawn: Withdrawn,
) -> Option<Result<Value, Value>> {
    let params = &request["params"];
    let form = match Form::read(&params["requestedSchema"]) {
        Ok(form) => form,
        Err(why) => return Some(Err(json!({ "code": UNFIT_PARAMS, "message": words(&why) }))),
    };
    let asked = params["message"].as_str().unwrap_or_default();
    let prompt = format!(
        "The MCP server `{}` asks: {asked}",
        desk.server.replace('`', "'")
    );
    match fill(desk, &form, &prompt, &mut withdrawn).await {
        Ok(result) => Some(Ok(result)),
        Err(Unanswered::Withdrawn) => None,
        Err(Unanswered::Failed(why)) => {
            desk.client.tell(&format!(
                "what the MCP server asks is not answered: {}",
                words(&why)
            ));
            // There is no answer, and no word of anybody's that there shall be none.
            Some(Ok(json!({ "action": "cancel" })))
        }
    }
}

async fn fill(
    desk: &Desk,
    form: &Form,
    prompt: &str,
    withdrawn: &mut Withdrawn,
) -> Result<Value, Unanswered> {
    let until = desk.until();
    let mut fault = None;
    for _ in 0..TRIES {
        let told = match &fault {
            None => prompt.to_owned(),
            Some(fault) => format!("{prompt}\n\nThe answer before does not fit: {fault}"),
        };
        let mut body = form.body(&told);
        body["mode"] = "sync".into();
        body["title"] = "An MCP server asks for input".into();
        body["timeout_seconds"] = seconds_until(until, desk.seconds).into();
        if let Some(session) = &desk.session {
            body["session_id"] = session.as_str().into();
        }
        let key = SystemIds.next().to_string();
        let closed = desk.closed(&body, &key, until, withdrawn, None).await?;
        let answer = match (&*closed.state, &closed.answer) {
            ("resolved", Some(answer)) => answer,
            ("cancelled", _) => return Ok(json!({ "action": "decline" })),
            _ => return Ok(json!({ "action": "cancel" })),
        };
        let filled = form.filled(answer);
        // It was answered, even if the server does not hear that it was collected.
        let collecting = desk.client.collect(&closed.id);
        let _ = tokio::time::timeout(super::desk::GRACE, collecting).await;
        match filled {
            Ok(Filled::With(content)) => {
                return Ok(json!({ "action": "accept", "content": content }));
            }
            Ok(Filled::Declined) => return Ok(json!({ "action": "decline" })),
            Err(why) => fault = Some(words(&why)),
        }
    }
    let last = fault.unwrap_or_default();
    let failed = || -> anyhow::Result<Value> { bail!("no answer fits: {last}") };
    Ok(failed()?)
}

/// What is left of the time that people have, at least a moment.
fn seconds_until(until: Instant, most: u32) -> u32 {
    let left = until.saturating_duration_since(Instant::now() + super::desk::GRACE);
    u32::try_from(left.as_secs().saturating_add(1)).map_or(most, |left| left.min(most))
}
