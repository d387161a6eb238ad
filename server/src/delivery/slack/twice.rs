//! Cards that may be there already, or twice. Slack shows a message some time after it took it: then the card was posted
//! again, and there are two. The first, once it is seen, loses its buttons and says where the other is.

use std::{collections::HashSet, time::Duration};

use chrono::TimeDelta;
use domain::{
    Delivery, delivery::TryResult, interaction::Posted as Kept, slack::time_of, slack_pace::Urgency,
};
use slack::{blocks::Note, client::SlackClient, types::Posted};
use store::{Claimed, StoreError};

use super::{Cards, Told, Wire, arrived, card::log, look::Unknown, postponed};
use crate::delivery::courier::Sent;

/// How soon the first of two cards is looked for, and then each time after as long again.
const LOOKED_FOR: TimeDelta = TimeDelta::seconds(10);
/// For so long.
const PATIENCE: TimeDelta = TimeDelta::minutes(5);

const AGAIN: &str = "it was posted again; the first one is looked for";

/// The result of posting what may be there already: it arrived, and there is something left to do.
pub(super) fn posted_again(sent: &Sent) -> Sent {
    Sent {
        reply: TryResult::Postponed {
            why: AGAIN.to_owned(),
            wait: LOOKED_FOR,
        },
        may_have_arrived: true,
        to: None,
        ..sent.clone()
    }
}

impl Cards {
    /// Looks for those that may be there, for all of them at once, and shows what is not.
    pub(super) async fn show_unsure(&self, unsure: Vec<Told>) -> Vec<(Claimed, Option<Sent>)> {
        let Wire::Bot { client, .. } = &*self.wire else {
            return Vec::new();
        };
        let mut outcomes = Vec::with_capacity(unsure.len());
        let is_posted = |one: &Told| {
            let card = one.interaction.card.as_ref();
            card.is_some_and(|card| card.posted.is_some())
        };
        let (twice, once): (Vec<_>, Vec<_>) = unsure.into_iter().partition(is_posted);
        for (told, at_length) in [(once, true), (twice, false)] {
            let channel = told.first().and_then(|one| one.interaction.card.clone());
            let Some(channel) = channel.map(|card| card.channel) else {
                continue;
            };
            let deliveries: Vec<&Delivery> = told.iter().map(|one| &one.claimed.delivery).collect();
            let found = match at_length {
                true => self.find(client, &channel, &deliveries).await,
                false => self.look(client, &channel, &deliveries).await,
            };
            let found = match found {
                Ok(found) => found,
                Err(unknown) => {
                    let sent = match unknown {
                        Unknown::Rests(wait) => postponed("Slack has asked for a pause", wait),
                        Unknown::Failed(error) => self.failed(&error, Duration::ZERO).await,
                    };
                    outcomes.extend(
                        told.into_iter()
                            .map(|one| (one.claimed, Some(sent.clone()))),
                    );
                    continue;
                }
            };
            for one in told {
                let there = found.get(&one.claimed.delivery.id.to_string());
                let there = there.map_or(&[][..], Vec::as_slice);
                let outcome = self.show(&one, there).await;
                outcomes.push((one.claimed, outcome));
            }
        }
        outcomes
    }

    /// Takes the buttons off those messages that show a card, too, and looks for them for a while.
    pub(super) async fn retire_twins(
        &self,
        client: &SlackClient,
        told: &Told,
        kept: &Kept,
        there: &[Posted],
    ) -> Option<Sent> {
        let shown = Note::on_twin(kept.permalink.clone()).to_card();
        let blocks = shown.json_blocks();
        let store = self.service.store();
        let mut retired = HashSet::new();
        for twin in there.iter().filter(|one| one.ts != kept.ts) {
            let is_free = async {
                let known = store.interaction_of_twin(&twin.channel, &twin.ts).await?;
                // One that told several notifications may be the card of another.
                let other = store.interaction_of_card(&twin.channel, &twin.ts).await?;
                Ok::<_, StoreError>(known.is_none() && other.is_none())
            };
            let is_free = match is_free.await {
                Ok(is_free) => is_free,
                Err(error) => {
                    log(&error.into());
                    return None;
                }
            };
            if is_free {
                if let Err(resting) = self.turn_to_update(Urgency::First).await {
                    return Some(resting);
                }
                let updated = client.update_message(twin, &shown.text, &blocks).await;
                if let Err(error) = updated {
                    return Some(self.failed(&error, Duration::ZERO).await);
                }
                let id = told.interaction.id;
                if let Err(error) = store.put_twin(id, &twin.channel, &twin.ts).await {
                    log(&error.into());
                    return None;
                }
            }
            retired.insert(&twin.ts);
        }
        // As many as may have been posted, but for the one that is kept.
        let posted_at = time_of(&kept.ts).unwrap_or(told.claimed.delivery.created_at);
        let age = self.service.now() - posted_at;
        if retired.len() + 1 >= told.earlier || age >= PATIENCE {
            return Some(arrived(Duration::ZERO));
        }
        let sent = postponed(AGAIN, age.max(LOOKED_FOR));
        Some(sent)
    }
}
