//! Without a terminal: a line for each event, for programs and logs.

use std::io::Write;

use serde::Deserialize;
use serde_json::Value;

use super::feed::{self, EventPage};
use crate::client::Client;

#[derive(Deserialize)]
struct Event {
    at: String,
    #[serde(rename = "type")]
    name: String,
    interaction_id: Option<String>,
    task_id: Option<String>,
}

/// Prints the events from now on, until standard output is closed. With `json` each event as the API has it.
///
/// # Errors
/// When the server refuses.
pub(crate) async fn print(client: &Client, json: bool, say: fn(&str)) -> anyhow::Result<()> {
    let mut after = feed::end(client).await?;
    say(&format!("prints what happens after event {after}"));
    loop {
        let path = format!("events?after={after}&limit=200");
        let page: EventPage<Value> = client.get_held(&path).await?;
        for event in page.items {
            let line = match json {
                true => event.to_string(),
                false => words(client, serde_json::from_value(event)?).await?,
            };
            let mut out = std::io::stdout();
            if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
                // The reader of the output has closed it.
                return Ok(());
            }
        }
        after = page.last_seq;
    }
}

async fn words(client: &Client, event: Event) -> anyhow::Result<String> {
    let mut words = format!("{} {}", event.at, event.name);
    if let Some(id) = &event.interaction_id {
        let about: super::Item = client.get(&format!("interactions/{id}")).await?;
        words += &format!(
            " {id} {} {} {}: {}",
            about.mode.to_uppercase(),
            about.kind,
            about.agent.name,
            about.prompt
        );
    } else if let Some(task) = &event.task_id {
        words += &format!(" {task}");
    }
    Ok(visible::line(&words))
}
