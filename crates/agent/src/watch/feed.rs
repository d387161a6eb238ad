//! Keeps the list as the server has it: everything that waits, and then each change that an event tells of.
//! The client tries on through restarts and lost connections; the number of the last event makes up for the
//! missed ones.

use std::{collections::BTreeSet, sync::Arc};

use serde::Deserialize;

use super::{Messages, item::Item, state::Message};
use crate::client::Client;

#[derive(Deserialize)]
pub(super) struct EventPage<T> {
    pub(super) items: Vec<T>,
    pub(super) last_seq: i64,
}

#[derive(Deserialize)]
struct Event {
    interaction_id: Option<String>,
}

#[derive(Deserialize)]
struct ItemPage {
    items: Vec<Item>,
    next_cursor: Option<String>,
}

/// The number of the last event.
pub(super) async fn end(client: &Client) -> anyhow::Result<i64> {
    let path = format!("events?after={}&limit=1", i64::MAX);
    let page: EventPage<Event> = client.get(&path).await?;
    Ok(page.last_seq)
}

/// Until the server refuses.
pub(super) async fn follow(client: Arc<Client>, messages: Messages) -> anyhow::Result<()> {
    // Before the list is read: an event in between is read again, and nothing is missed.
    let mut after = end(&client).await?;
    let waiting = waiting(&client).await?;
    let _ = messages.send(Message::All(waiting));
    loop {
        let path = format!("events?after={after}&limit=200");
        let page: EventPage<Event> = client.get_held(&path).await?;
        let changed = page.items.into_iter();
        let changed: BTreeSet<_> = changed.filter_map(|event| event.interaction_id).collect();
        for id in changed {
            let item: Item = client.get(&format!("interactions/{id}")).await?;
            let _ = messages.send(Message::Changed(Box::new(item)));
        }
        after = page.last_seq;
    }
}

async fn waiting(client: &Client) -> anyhow::Result<Vec<Item>> {
    let mut all = Vec::new();
    let mut path = "interactions?state=pending&limit=200".to_owned();
    loop {
        let page: ItemPage = client.get(&path).await?;
        all.extend(page.items);
        let Some(cursor) = page.next_cursor else {
            return Ok(all);
        };
        path = format!("interactions?state=pending&limit=200&cursor={cursor}");
    }
}
