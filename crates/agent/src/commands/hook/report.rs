//! The result of a call that was approved. Which approval it was, the server knows: it was asked with the call's id,
//! and used by a run whose name begins with it. A call that is not found was not approved here, and is not to be
//! reported.

use domain::{interaction::ReportOutcome, limits};
use serde::Deserialize;
use serde_json::json;
use url::form_urlencoded::byte_serialize;

use super::call::Call;
use crate::client::{Client, Interaction};

/// A call's approval is among the last ones of its session.
const PAGES: usize = 5;

#[derive(Deserialize)]
struct Page {
    items: Vec<Interaction>,
    next_cursor: Option<String>,
}

pub(super) async fn report(
    call: &Call,
    outcome: ReportOutcome,
    client: &Client,
) -> anyhow::Result<()> {
    let Some(id) = approval_of(call, client).await? else {
        return Ok(());
    };
    let text = call
        .error
        .as_deref()
        .filter(|_| outcome == ReportOutcome::Failed);
    let text: Option<String> = text.map(|text| text.chars().take(limits::REPORT_CHARS).collect());
    client
        .report(&id, &json!({ "outcome": outcome, "text": text }))
        .await?;
    Ok(())
}

async fn approval_of(call: &Call, client: &Client) -> anyhow::Result<Option<String>> {
    let Some(tool_use_id) = call.tool_use_id() else {
        return Ok(None);
    };
    let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
    let mut list = "interactions?kind=approval&limit=200".to_owned();
    if let Some(session) = call.session() {
        list += &format!("&session_id={}", encoded(session));
    }
    let mut path = list.clone();
    for _ in 0..PAGES {
        let page: Page = client.get(&path).await?;
        let is_it = |asked: &&Interaction| {
            let metadata = asked.metadata.as_ref();
            let consumed = asked.consumed.as_ref();
            metadata.is_some_and(|it| it["tool_use_id"] == tool_use_id)
                && consumed.is_some_and(|it| it["run"].as_str().is_some_and(|run| call.is_run(run)))
        };
        if let Some(found) = page.items.iter().find(is_it) {
            return Ok(Some(found.id.clone()));
        }
        match page.next_cursor {
            Some(cursor) => path = format!("{list}&cursor={}", encoded(&cursor)),
            None => break,
        }
    }
    Ok(None)
}
