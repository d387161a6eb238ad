//! People answer what a server asks its client's user.

use serde_json::{Value, json};

use super::message::UNFIT_PARAMS;
use crate::desk::{Desk, Elicited, Form, Question, Unanswered, Withdrawn, elicit, words};

/// The answer to `elicitation/create`: a result, or an error for a form that people cannot be asked.
pub(super) async fn answer(
    desk: &Desk,
    request: &Value,
    withdrawn: Withdrawn,
) -> Option<Result<Value, Value>> {
    let params = &request["params"];
    let form = match Form::read(&params["requestedSchema"]) {
        Ok(form) => form,
        Err(why) => return Some(Err(json!({ "code": UNFIT_PARAMS, "message": words(&why) }))),
    };
    let asked = params["message"].as_str().unwrap_or_default();
    let question = Question {
        form,
        title: "An MCP server asks for input",
        prompt: format!("The MCP server `{}` asks: {asked}", desk.quoted()),
        session: None,
        key: None,
    };
    match elicit(desk, &question, withdrawn).await {
        Ok(Elicited::Filled(content)) => {
            Some(Ok(json!({ "action": "accept", "content": content })))
        }
        Ok(Elicited::Declined | Elicited::TakenBack) => Some(Ok(json!({ "action": "decline" }))),
        Ok(Elicited::Expired) => Some(Ok(json!({ "action": "cancel" }))),
        Err(Unanswered::Withdrawn) => None,
        Err(Unanswered::Denied(why) | Unanswered::Failed(why)) => {
            desk.client.tell(&format!(
                "what the MCP server asks is not answered: {}",
                words(&why)
            ));
            // There is no answer, and no word of anybody's that there shall be none.
            Some(Ok(json!({ "action": "cancel" })))
        }
    }
}
