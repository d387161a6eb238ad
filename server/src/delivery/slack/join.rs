//! Joining the card of an equal one, and having a message look as all that it shows.

use std::time::Duration;

use chrono::TimeDelta;
use domain::{
    Interaction, InteractionId,
    interaction::{Mode, Posted as Kept, Priority},
    slack::time_of,
    slack_pace::Urgency,
};
use slack::{
    blocks::{Card, EQUALS, Surface, card_of},
    client::SlackClient,
    limits::UPDATE,
    types::Posted,
};
use store::StoreError;
use tokio::{
    task::spawn_blocking,
    time::{Instant, timeout},
};

use super::{Cards, Told, arrived, card::log, not_yet, postponed};
use crate::delivery::courier::Sent;

/// A message that is older is too far up in its channel to say something new: a change notifies nobody.
const RECENT: TimeDelta = TimeDelta::hours(1);
/// The same for what somebody stands still for.
const JUST_NOW: TimeDelta = TimeDelta::minutes(10);
/// How many are looked at to find one that is equal.
const LOOKED_AT: u32 = 20;
/// More than one message shows.
const ON_IT: u32 = 100;
/// How often a card is shown again because it changed while it was shown.
const AGAIN: usize = 5;
/// How soon it is shown again after that.
const STEADY: TimeDelta = TimeDelta::seconds(1);
/// How long a turn to change a card is waited for by what could be posted instead.
const PATIENCE: Duration = Duration::from_secs(2);

/// What became of joining a card.
pub(super) enum Joined {
    /// It was tried, with this result.
    Done(Option<Sent>),
    /// They are on no card yet.
    Not,
}

/// How old a message may be that this one joins.
fn recent(one: &Interaction) -> TimeDelta {
    let presses = one.request.mode == Mode::Sync || one.request.priority == Priority::Urgent;
    if presses { JUST_NOW } else { RECENT }
}

impl Cards {
    /// The message of an equal one that waits, if it has room for these.
    pub(super) async fn card_to_join(
        &self,
        told: &[Told],
    ) -> Result<Option<(Posted, Option<String>)>, StoreError> {
        let Some(first) = told.first() else {
            return Ok(None);
        };
        let (store, one) = (self.service.store(), &first.interaction);
        let since = self.service.now() - recent(one);
        let known = store.like_it_on_cards(one, since, LOOKED_AT).await?;
        let equal = known.into_iter().find(|other| other.is_equal_to(one));
        let Some(card) = equal.and_then(|other| other.card) else {
            return Ok(None);
        };
        let Some(posted) = card.posted else {
            return Ok(None);
        };
        // However recent the last one is that has joined it.
        if time_of(&posted.ts).is_none_or(|at| at < since) {
            return Ok(None);
        }
        let on_it = store.interactions_of_card(&card.channel, &posted.ts, ON_IT);
        let on_it = on_it.await?;
        let fits = on_it.len() + told.len() <= EQUALS && on_it.iter().all(|it| it.is_equal_to(one));
        let at = Posted {
            channel: card.channel,
            ts: posted.ts,
        };
        Ok(fits.then_some((at, posted.permalink)))
    }

    /// Shows them on a card that is there, and keeps that they are on it.
    pub(super) async fn join(
        &self,
        client: &SlackClient,
        surface: Surface,
        told: &[Told],
        at: &Posted,
        permalink: Option<String>,
    ) -> Joined {
        let begun = Instant::now();
        // First it is shown: where the message is gone, or Slack takes no changes now, they are not on it.
        let new: Vec<InteractionId> = told.iter().map(|one| one.interaction.id).collect();
        let (urgency, patience) = (Urgency::Next, Some(PATIENCE));
        let shown = self.show_all(client, surface, at, &new, urgency, patience);
        match shown.await {
            Some(Ok(_)) => {}
            Some(Err(_)) => return Joined::Not,
            None => return Joined::Done(None),
        }
        for one in told {
            let kept = Kept {
                ts: at.ts.clone(),
                permalink: permalink.clone(),
            };
            if let Err(error) = self.service.card_posted(one.interaction.id, kept).await {
                log(&error);
                return Joined::Done(None);
            }
        }
        // Who changed the card before they were kept has shown it without them, and no version tells of that. What fails
        // here is tried again.
        let again = self.show_all(client, surface, at, &[], Urgency::First, patience);
        let again = again.await;
        Joined::Done(again.map(|shown| shown.err().unwrap_or_else(|| arrived(begun.elapsed()))))
    }

    /// Has a message look as what it shows is now, with these as well, and again if that changes meanwhile. Returns how long
    /// Slack took for it.
    pub(super) async fn show_all(
        &self,
        client: &SlackClient,
        surface: Surface,
        at: &Posted,
        with: &[InteractionId],
        urgency: Urgency,
        patience: Option<Duration>,
    ) -> Option<Result<Duration, Sent>> {
        for _ in 0..AGAIN {
            let turn = self.turn_to_update(urgency);
            let turn = match patience {
                None => turn.await,
                Some(patience) => match timeout(patience, turn).await {
                    Ok(turn) => turn,
                    Err(_) => return Some(Err(not_yet())),
                },
            };
            if let Err(resting) = turn {
                return Some(Err(resting));
            }
            // After the turn: others may have joined it while it was waited for.
            let drawn = self.read_all(at, with).await?;
            let card = self.drawn_all(&drawn, surface).await?;
            let begun = Instant::now();
            let updated = client
                .update_message(at, &card.text, &card.json_blocks())
                .await;
            let took = begun.elapsed();
            if let Err(error) = updated {
                let sent = self.failed(&error, took).await;
                // To say the same again does no harm, and nothing was posted.
                return Some(Err(Sent {
                    may_have_arrived: false,
                    to: None,
                    ..sent
                }));
            }
            self.outage.ends(UPDATE.method);
            // Slack may have taken a later state before this one.
            let now = self.read_all(at, with).await?;
            if versions(&now).eq(versions(&drawn)) {
                for (id, version) in versions(&drawn) {
                    self.remember(id, version);
                }
                return Some(Ok(took));
            }
        }
        Some(Err(postponed("it changed while it was shown", STEADY)))
    }

    /// What a message shows, and these. `None` when that cannot be read.
    pub(super) async fn read_all(
        &self,
        at: &Posted,
        with: &[InteractionId],
    ) -> Option<Vec<Interaction>> {
        let all = self.all_of(at, with).await;
        all.inspect_err(|error| tracing::error!(%error, "what a message shows cannot be read"))
            .ok()
    }

    async fn all_of(
        &self,
        at: &Posted,
        with: &[InteractionId],
    ) -> Result<Vec<Interaction>, StoreError> {
        let store = self.service.store();
        let mut all = store
            .interactions_of_card(&at.channel, &at.ts, ON_IT)
            .await?;
        for id in with {
            if !all.iter().any(|one| one.id == *id) {
                all.extend(store.interaction(*id).await?);
            }
        }
        all.sort_by_key(|one| one.id);
        Ok(all)
    }

    pub(super) async fn drawn_all(&self, all: &[Interaction], surface: Surface) -> Option<Card> {
        let (all, public_url) = (all.to_vec(), self.public_url.clone());
        let drawing = spawn_blocking(move || card_of(&all, surface, &public_url));
        let drawn = drawing.await;
        drawn
            .inspect_err(|error| tracing::error!(%error, "a card cannot be drawn"))
            .ok()?
    }

    /// Whether a message shows others, too.
    pub(super) async fn is_shared(&self, at: &Posted) -> Result<bool, StoreError> {
        let store = self.service.store();
        let all = store.interactions_of_card(&at.channel, &at.ts, 2).await?;
        Ok(all.len() > 1 && all.iter().all(Interaction::may_share_a_card))
    }
}

/// Those on a message, as they were read.
fn versions(all: &[Interaction]) -> impl Iterator<Item = (InteractionId, i64)> {
    all.iter().map(|one| (one.id, one.version))
}
