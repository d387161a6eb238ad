//! The server's word on an approval, before its receipt is looked at: enough for a no, and never for a yes.

use anyhow::{bail, ensure};

use super::Interaction;

/// What was said with a yes.
///
/// # Errors
/// When it is none: who said no, and why.
pub(crate) fn verdict(closed: &Interaction) -> anyhow::Result<String> {
    let answer = closed.answer.as_ref();
    let who = answer.and_then(|answer| answer.responder.as_ref());
    let by_rule = who.is_some_and(|who| who["via"] == "policy");
    let who = who.and_then(|who| who["name"].as_str());
    let who = match who.unwrap_or("Somebody") {
        rule if by_rule => format!("The policy `{rule}`"),
        who => who.to_owned(),
    };
    let comment = answer.and_then(|answer| answer.text.as_deref());
    let comment = comment.filter(|text| !text.is_empty());
    let comment = comment.map_or_else(String::new, |text| format!(": {text}"));
    match closed.outcome.as_deref() {
        Some("approved") => {
            ensure!(closed.approved == Some(true), "the approval is not one");
            Ok(comment)
        }
        Some("denied") => bail!("{who} denied it{comment}"),
        Some("expired") => bail!("nobody approved it in time, so it must not run"),
        Some("cancelled") => bail!("the request was taken back, so it must not run"),
        _ => bail!("there is no clear answer, so it must not run"),
    }
}
