//! Before anything is called: its turn, and a word in the database that it is about to go out.

use domain::slack_pace::Urgency;
use service::Rests;
use slack::limits::{IN_CHANNEL, POST, UPDATE, WEBHOOK};

use super::{Cards, Told, Wire, card::log, postponed};
use crate::delivery::courier::Sent;

impl Cards {
    /// Waits until a message may be posted in a channel; the result of the delivery when it may not now.
    pub(super) async fn turn_to_post(&self, channel: &str, urgency: Urgency) -> Result<(), Sent> {
        let place = format!("{} {channel}", POST.method);
        let in_channel = self.service.slack_turn(&place, IN_CHANNEL, urgency);
        in_channel.await.map_err(resting)?;
        let turn = self.service.slack_turn(POST.method, POST.limit, urgency);
        turn.await.map_err(resting)
    }

    /// The same for what is good to know, and for what goes by an incoming webhook.
    pub(super) async fn turn_to_tell(&self, channel: &str) -> Result<(), Sent> {
        match &*self.wire {
            Wire::Bot { .. } => self.turn_to_post(channel, Urgency::Last).await,
            Wire::Webhook { .. } => {
                let turn = self.service.slack_turn(WEBHOOK, IN_CHANNEL, Urgency::First);
                turn.await.map_err(resting)
            }
        }
    }

    /// The same for changing one.
    pub(super) async fn turn_to_update(&self, urgency: Urgency) -> Result<(), Sent> {
        let turn = self
            .service
            .slack_turn(UPDATE.method, UPDATE.limit, urgency);
        turn.await.map_err(resting)
    }

    /// Writes down that these are about to go out. Not, when another node may be at them.
    pub(super) async fn may_call<'a>(&self, told: impl IntoIterator<Item = &'a Told>) -> bool {
        let held = told.into_iter().map(|one| {
            let claimed = &one.claimed;
            (claimed.delivery.id, claimed.lease)
        });
        let held: Vec<_> = held.collect();
        match self.service.store().call(&held).await {
            Ok(may) => may,
            Err(error) => {
                log(&error.into());
                false
            }
        }
    }
}

pub(super) fn resting(Rests(wait): Rests) -> Sent {
    postponed("Slack has asked for a pause", wait)
}
