//! Looking whether something is in Slack already, by the id of its delivery, which stands in the message's metadata.

use std::time::Duration;

use chrono::TimeDelta;
use domain::DeliveryId;
use serde_json::json;
use slack::{
    client::{CallError, SlackClient},
    types::{Message, Metadata, Posted},
};
use store::Claimed;
use tokio::time::sleep;

/// Names what we post.
const EVENT_TYPE: &str = "handraise_delivery";
/// A channel shows a message some time after it took it, so it is looked at more than once: so long after the look
/// before.
const LOOKS: [Duration; 3] = [
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

/// The message that tells of this delivery, if it is there.
pub(super) async fn find(
    client: &SlackClient,
    channel: &str,
    claimed: &Claimed,
) -> Result<Option<Posted>, CallError> {
    let since = (claimed.delivery.created_at - APART).timestamp();
    let since = format!("{since}.000000");
    let key = claimed.delivery.id.to_string();
    for pause in LOOKS {
        sleep(pause).await;
        let mut page = None;
        for _ in 0..PAGES {
            let found = client
                .history(channel, Some(&since), page.as_deref())
                .await?;
            if let Some(message) = found.messages.into_iter().find(|one| tells_of(one, &key)) {
                return Ok(Some(Posted {
                    channel: channel.to_owned(),
                    ts: message.ts,
                }));
            }
            page = found.next;
            if page.is_none() {
                break;
            }
        }
    }
    Ok(None)
}

fn tells_of(message: &Message, key: &str) -> bool {
    let metadata = message.metadata.as_ref();
    let metadata = metadata.filter(|metadata| metadata.event_type == EVENT_TYPE);
    let keys = metadata.and_then(|metadata| metadata.event_payload["idempotency_key"].as_str());
    keys.is_some_and(|keys| keys.split(',').any(|one| one == key))
}
