//! Equal questions are one message: what comes while an equal one waits joins its card, and those that come together are
//! posted as one. Each stays a question of its own, with its own answer.

use std::time::Duration;

use chrono::TimeDelta;
use domain::{
    Interaction, InteractionId, interaction::Posted as Kept, obligation::CardChange,
    slack_pace::Urgency,
};
use slack::{
    blocks::{Card, EQUALS, Surface, card_of, takes_equals},
    client::SlackClient,
    limits::{POST, UPDATE},
    types::{Post, Posted},
};
use store::{Claimed, StoreError};
use tokio::{
    task::spawn_blocking,
    time::{Instant, timeout},
};

use super::{Cards, Told, Wire, arrived, card::log, look, not_yet, nothing_to_show};
use crate::delivery::courier::Sent;

/// A card that is older is too far up in its channel to say something new.
const RECENT: TimeDelta = TimeDelta::hours(1);
/// How many are looked at to find one that is equal.
const LOOKED_AT: u32 = 200;
/// More than one message shows.
const ON_IT: u32 = 100;
/// How often a card is shown again because it changed while it was shown.
const AGAIN: usize = 5;

/// How long a turn to change a card is waited for by what could be posted instead.
const PATIENCE: Duration = Duration::from_secs(2);

/// What became of joining a card.
enum Joined {
    /// It was tried, with this result.
    Done(Option<Sent>),
    /// They are on no card yet.
    Not,
}

/// Equal ones that are posted together, or one that is posted alone.
pub(super) fn clusters(told: Vec<Told>) -> Vec<Vec<Told>> {
    let mut clusters: Vec<Vec<Told>> = Vec::new();
    for one in told {
        let fits = |cluster: &&mut Vec<Told>| {
            let first = &cluster[0];
            let both_are_posted = [first, &one]
                .iter()
                .all(|told| told.change == CardChange::Post && !told.is_posted());
            both_are_posted
                && cluster.len() < EQUALS
                && first.interaction.is_equal_to(&one.interaction)
        };
        match clusters.iter_mut().find(fits) {
            Some(cluster) => cluster.push(one),
            None => clusters.push(vec![one]),
        }
    }
    clusters
}

impl Told {
    fn is_posted(&self) -> bool {
        let card = self.interaction.card.as_ref();
        card.is_some_and(|card| card.posted.is_some())
    }

    /// Whether it may be shown together with equal ones: it is posted for the first time.
    fn may_join(&self) -> bool {
        self.change == CardChange::Post
            && self.earlier == 0
            && !self.is_posted()
            && self.interaction.state.is_pending()
            && self.interaction.is_equal_to(&self.interaction)
    }
}

impl Cards {
    /// Shows what is equal on one card. `None` where each is shown by itself.
    pub(super) async fn show_equals(&self, told: &[Told]) -> Option<Vec<(Claimed, Option<Sent>)>> {
        let Wire::Bot { client, surface } = &*self.wire else {
            return None;
        };
        let first = told.first()?;
        let has_room = || takes_equals(&first.interaction, &self.public_url);
        if !told.iter().all(Told::may_join) || !has_room() {
            return None;
        }
        let all = |sent: Option<Sent>| {
            let told = told.iter();
            let outcomes = told.map(|one| (one.claimed.clone(), sent.clone()));
            Some(outcomes.collect())
        };
        match self.card_to_join(told).await {
            Ok(Some((at, permalink))) => {
                match self.join(client, *surface, told, &at, permalink).await {
                    Joined::Done(sent) => return all(sent),
                    // It is posted by itself: nobody waits for what only saves a message.
                    Joined::Not => {}
                }
            }
            Ok(None) => {}
            Err(error) => {
                log(&error.into());
                return all(None);
            }
        }
        match told.len() {
            1 => None,
            _ => Some(self.post_equals(client, *surface, told).await),
        }
    }

    /// The message of an equal one that waits, if it has room for these.
    async fn card_to_join(
        &self,
        told: &[Told],
    ) -> Result<Option<(Posted, Option<String>)>, StoreError> {
        let Some(first) = told.first() else {
            return Ok(None);
        };
        let (store, one) = (self.service.store(), &first.interaction);
        let since = self.service.now() - RECENT;
        let known = store.like_it_on_cards(one, since, LOOKED_AT).await?;
        let equal = known.into_iter().find(|other| other.is_equal_to(one));
        let Some(card) = equal.and_then(|other| other.card) else {
            return Ok(None);
        };
        let Some(posted) = card.posted else {
            return Ok(None);
        };
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
    async fn join(
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
        match self
            .show_all(client, surface, at, &new, Some(PATIENCE))
            .await
        {
            Some(Ok(())) => {}
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
        // Another node may have shown the card without them in between. What fails here is tried again.
        let again = self
            .show_all(client, surface, at, &[], Some(PATIENCE))
            .await;
        let shown = again.map(|shown| shown.err().unwrap_or_else(|| arrived(begun.elapsed())));
        Joined::Done(shown)
    }

    /// Has a message look as what it shows is now, with these as well, and again if that changes meanwhile.
    pub(super) async fn show_all(
        &self,
        client: &SlackClient,
        surface: Surface,
        at: &Posted,
        with: &[InteractionId],
        patience: Option<Duration>,
    ) -> Option<Result<(), Sent>> {
        let mut shown: Vec<(InteractionId, i64)> = Vec::new();
        for _ in 0..AGAIN {
            let turn = self.turn_to_update(Urgency::First);
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
            let all = match self.all_of(at, with).await {
                Ok(all) => all,
                Err(error) => {
                    log(&error.into());
                    return None;
                }
            };
            let card = self.drawn_all(&all, surface).await?;
            let begun = Instant::now();
            let updated = client
                .update_message(at, &card.text, &card.json_blocks())
                .await;
            if let Err(error) = updated {
                let sent = self.failed(&error, begun.elapsed()).await;
                // To say the same again does no harm, and nothing was posted.
                return Some(Err(Sent {
                    may_have_arrived: false,
                    ..sent
                }));
            }
            self.outage.ends(UPDATE.method);
            shown.clear();
            shown.extend(all.iter().map(|one| (one.id, one.version)));
            match self.all_of(at, with).await {
                Ok(now)
                    if now
                        .iter()
                        .map(|one| (one.id, one.version))
                        .eq(shown.iter().copied()) =>
                {
                    break;
                }
                Ok(_) => {}
                Err(error) => {
                    log(&error.into());
                    return None;
                }
            }
        }
        for (id, version) in shown {
            self.remember(id, version);
        }
        Some(Ok(()))
    }

    /// What a message shows, and these.
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

    async fn drawn_all(&self, all: &[Interaction], surface: Surface) -> Option<Card> {
        let (all, public_url) = (all.to_vec(), self.public_url.clone());
        let drawing = spawn_blocking(move || card_of(&all, surface, &public_url));
        let drawn = drawing.await;
        drawn
            .inspect_err(|error| tracing::error!(%error, "a card cannot be drawn"))
            .ok()?
    }

    /// Posts them as one message.
    async fn post_equals(
        &self,
        client: &SlackClient,
        surface: Surface,
        told: &[Told],
    ) -> Vec<(Claimed, Option<Sent>)> {
        let channel = told.first().and_then(|one| one.interaction.card.clone());
        let channel = channel.map(|card| card.channel).unwrap_or_default();
        let begun = Instant::now();
        let mut outcomes = Vec::with_capacity(told.len());
        let all = |told: &[Told], sent: Option<Sent>| -> Vec<(Claimed, Option<Sent>)> {
            let told = told.iter();
            told.map(|one| (one.claimed.clone(), sent.clone()))
                .collect()
        };
        if let Err(resting) = self.turn_to_post(&channel, Urgency::First).await {
            return all(told, Some(resting));
        }
        let mut news = Vec::with_capacity(told.len());
        for one in told {
            match self.as_it_is(one).await {
                Some(now) if now.is_needless() => {
                    outcomes.push((now.claimed, Some(nothing_to_show())));
                }
                Some(now) => news.push(now),
                None => outcomes.push((one.claimed.clone(), None)),
            }
        }
        let shown: Vec<Interaction> = news.iter().map(|one| one.interaction.clone()).collect();
        let Some(card) = self.drawn_all(&shown, surface).await else {
            outcomes.extend(all(&news, None));
            return outcomes;
        };
        let ids = news.iter().map(|one| &one.claimed.delivery.id);
        let metadata = look::metadata(ids);
        let blocks = card.json_blocks();
        let mut post = Post::to(&channel, &card.text, &blocks);
        post.metadata = Some(&metadata);
        if !self.may_call(&news).await {
            outcomes.extend(all(&news, None));
            return outcomes;
        }
        let posted = match client.post_message(&post).await {
            Ok(posted) => posted,
            Err(error) => {
                let failed = self.failed(&error, begun.elapsed()).await;
                outcomes.extend(all(&news, Some(failed)));
                return outcomes;
            }
        };
        self.outage.ends(POST.method);
        for one in news {
            let sent = self
                .posted(client, &one.interaction, &posted, true, begun)
                .await;
            outcomes.push((one.claimed, sent));
        }
        outcomes
    }

    /// Whether a message shows others, too.
    pub(super) async fn is_shared(&self, at: &Posted) -> Result<bool, StoreError> {
        let store = self.service.store();
        let all = store.interactions_of_card(&at.channel, &at.ts, 2).await?;
        Ok(all.len() > 1 && all.iter().all(Interaction::may_share_a_card))
    }
}
