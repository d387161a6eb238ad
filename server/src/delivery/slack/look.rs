//! Looking whether something is in Slack already, by the id of its delivery, which stands in the message's metadata.

use std::{collections::HashMap, time::Duration};

use chrono::TimeDelta;
use domain::{Delivery, DeliveryId, slack_pace::Urgency};
use serde_json::json;
use service::Rests;
use slack::{
    client::{CallError, SlackClient},
    limits::HISTORY,
    types::{Message, Metadata, Posted},
};
use tokio::time::sleep;

use super::Cards;

/// Names what we post.
const EVENT_TYPE: &str = "handraise_delivery";
/// A channel shows a message some time after it took it, so it is looked at more than once: so long after the look
/// before.
pub(super) const LOOKS: [Duration; 3] = [
    Duration::ZERO,
    Duration::from_secs(1),
    Duration::from_secs(3),
];
/// How far the clocks may be apart.
const APART: TimeDelta = TimeDelta::minutes(10);
/// How much of a channel is looked at.
const PAGES: usize = 10;

/// The mark a message is recognised by. Everybody in the workspace can read it, so it says nothing else.
pub(super) fn metadata<'a>(deliveries: impl IntoIterator<Item = &'a DeliveryId>) -> Metadata {
    let ids: Vec<String> = deliveries.into_iter().map(DeliveryId::to_string).collect();
    Metadata {
        event_type: EVENT_TYPE.to_owned(),
        event_payload: json!({ "idempotency_key": ids.join(",") }),
    }
}

/// Why it is not known what is there.
pub(super) enum Unknown {
    /// Slack did not say.
    Failed(CallError),
    /// It is not to be asked now.
    Rests(TimeDelta),
}

/// The messages that tell of deliveries, by the deliveries' names, the newest first.
pub(super) type Found = HashMap<String, Vec<Posted>>;

impl Cards {
    /// The messages that tell of these deliveries to one channel, as far as they are there. Looks until there is one of each, or
    /// as often as it may take a message to be seen.
    pub(super) async fn find(
        &self,
        client: &SlackClient,
        channel: &str,
        deliveries: &[&Delivery],
    ) -> Result<Found, Unknown> {
        let mut found = Found::new();
        for pause in LOOKS {
            sleep(pause).await;
            found = self.look(client, channel, deliveries).await?;
            if found.len() == deliveries.len() {
                break;
            }
        }
        Ok(found)
    }

    /// The same, as it is now.
    pub(super) async fn look(
        &self,
        client: &SlackClient,
        channel: &str,
        deliveries: &[&Delivery],
    ) -> Result<Found, Unknown> {
        let mut found = Found::new();
        let Some(first) = deliveries.iter().map(|one| one.created_at).min() else {
            return Ok(found);
        };
        let since = format!("{}.000000", (first - APART).timestamp());
        let mut page = None;
        for _ in 0..PAGES {
            let turn = self
                .service
                .slack_turn(HISTORY.method, HISTORY.limit, Urgency::First);
            turn.await.map_err(|Rests(wait)| Unknown::Rests(wait))?;
            let read = client.history(channel, Some(&since), page.as_deref());
            let read = read.await.map_err(Unknown::Failed)?;
            for message in read.messages {
                for key in keys(&message) {
                    let is_wanted = deliveries.iter().any(|one| one.id.to_string() == key);
                    if is_wanted {
                        found.entry(key.to_owned()).or_default().push(Posted {
                            channel: channel.to_owned(),
                            ts: message.ts.clone(),
                        });
                    }
                }
            }
            page = read.next;
            if page.is_none() {
                break;
            }
        }
        Ok(found)
    }
}

/// The deliveries that a message tells of.
pub(super) fn keys(message: &Message) -> impl Iterator<Item = &str> {
    let metadata = message.metadata.as_ref();
    let metadata = metadata.filter(|metadata| metadata.event_type == EVENT_TYPE);
    let keys = metadata.and_then(|metadata| metadata.event_payload["idempotency_key"].as_str());
    keys.into_iter().flat_map(|keys| keys.split(','))
}
