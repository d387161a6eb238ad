//! One card: posted, found, or changed.

use std::{sync::Arc, time::Duration};

use chrono::TimeDelta;
use domain::{
    DeliveryId, Interaction,
    delivery::{DeliveryState, Lane, SlackChannel, TryResult},
    interaction::Kind,
    obligation::CardChange,
    slack_pace::Urgency,
};
use service::ServiceError;
use slack::{
    blocks::{Card, Surface, card},
    client::SlackClient,
    limits::{LINK, POST, UPDATE},
    types::{Post, Posted},
};
use store::Claimed;
use tokio::{task::spawn_blocking, time::Instant};

use super::{Cards, Told, Wire, arrived, is_there, look, nothing_to_show, postponed, twice};
use crate::delivery::courier::Sent;

/// An update waits at least and at most so long for the card it is about, before it looks again.
const SOON: TimeDelta = TimeDelta::seconds(1);
const LATER: TimeDelta = TimeDelta::seconds(30);

impl Cards {
    /// Has the card look as the interaction is now. `there` are the messages that show it already, if that had to be
    /// found out.
    pub(super) async fn show(&self, told: &Told, there: &[Posted]) -> Option<Sent> {
        match (&*self.wire, told.change) {
            // Posts there have no thread.
            (Wire::Webhook { .. }, CardChange::Mention | CardChange::Files) => {
                Some(nothing_to_show())
            }
            (Wire::Webhook { .. }, _) => Some(self.mirror(told).await?),
            (Wire::Bot { client, .. }, CardChange::Mention) => self.mention(client, told).await,
            (Wire::Bot { client, .. }, CardChange::Files) => self.files(client, told).await,
            (Wire::Bot { client, surface }, CardChange::Post) => {
                self.post(client, *surface, told, there).await
            }
            (Wire::Bot { client, surface }, CardChange::Close | CardChange::Update) => {
                self.update(client, *surface, told).await
            }
        }
    }

    /// With the interaction as it is now: it waited for its turn.
    pub(super) async fn as_it_is(&self, told: &Told) -> Option<Told> {
        match self.service.store().interaction(told.interaction.id).await {
            Ok(interaction) => Some(Told {
                interaction: interaction?,
                ..told.clone()
            }),
            Err(error) => {
                log(&error.into());
                None
            }
        }
    }

    /// The card of an interaction. Another thread draws it: that of a long one takes time, in which its lease has to be
    /// held.
    pub(super) async fn drawn(&self, interaction: &Interaction, surface: Surface) -> Option<Card> {
        let (interaction, public_url) = (interaction.clone(), Arc::clone(&self.public_url));
        let drawing = spawn_blocking(move || card(&interaction, surface, &public_url));
        drawing
            .await
            .inspect_err(|error| tracing::error!(%error, "a card cannot be drawn"))
            .ok()
    }

    async fn post(
        &self,
        client: &SlackClient,
        surface: Surface,
        told: &Told,
        there: &[Posted],
    ) -> Option<Sent> {
        let known = told.interaction.card.as_ref()?;
        if let Some(posted) = &known.posted {
            // It may have joined the card of equal ones, or was found on it, which has to show it.
            if told.earlier == 0 || told.interaction.may_share_a_card() {
                let sent = self.update(client, surface, told).await?;
                if told.earlier == 0 || !is_there(&sent) {
                    return Some(sent);
                }
            }
            return self.retire_twins(client, told, posted, there).await;
        }
        let begun = Instant::now();
        if let Some(found) = there.first() {
            tracing::info!(delivery.id = %told.claimed.delivery.id, "a card was in Slack already");
            let sent = self
                .posted(client, &told.interaction, found, false, begun)
                .await?;
            // What changed of the others on it has drawn it without this one.
            let sent = match self.is_shared(found).await {
                Ok(true) => self.update(client, surface, told).await?,
                Ok(false) => sent,
                Err(error) => {
                    log(&error.into());
                    return None;
                }
            };
            return Some(match there.len() > 1 && is_there(&sent) {
                true => twice::posted_again(&sent),
                false => sent,
            });
        }
        let urgency = match told.interaction.request.kind() {
            Kind::Notification => Urgency::Last,
            _ => Urgency::First,
        };
        if let Err(resting) = self.turn_to_post(&known.channel, urgency).await {
            return Some(resting);
        }
        let told = &self.as_it_is(told).await?;
        if told.is_needless() {
            return Some(nothing_to_show());
        }
        let mut shown = self.drawn(&told.interaction, surface).await?;
        if told.earlier > 0 {
            shown.mark_as_repeat();
        }
        let metadata = look::metadata([&told.claimed.delivery.id]);
        let blocks = shown.json_blocks();
        let mut post = Post::to(&known.channel, &shown.text, &blocks);
        post.metadata = Some(&metadata);
        if !self.may_call([told]).await {
            return None;
        }
        match client.post_message(&post).await {
            Ok(posted) => {
                self.outage.ends(POST.method);
                let sent = self
                    .posted(client, &told.interaction, &posted, true, begun)
                    .await;
                match told.earlier {
                    0 => sent,
                    _ => sent.map(|sent| twice::posted_again(&sent)),
                }
            }
            Err(error) => Some(self.failed(&error, begun.elapsed()).await),
        }
    }

    pub(super) async fn permalink(&self, client: &SlackClient, posted: &Posted) -> Option<String> {
        if self.service.slack_rests(LINK).await {
            return None;
        }
        match client.get_permalink(posted).await {
            Ok(permalink) => Some(permalink),
            Err(error) => {
                if let Some(wait) = error.pause() {
                    self.service.slack_refused(error.method, wait).await;
                }
                None
            }
        }
    }

    /// Keeps where the card is. `is_current` = it shows the interaction as it was read.
    pub(super) async fn posted(
        &self,
        client: &SlackClient,
        interaction: &Interaction,
        posted: &Posted,
        is_current: bool,
        begun: Instant,
    ) -> Option<Sent> {
        // Without it people have no link to the card, and all else works.
        let permalink = self.permalink(client, posted).await;
        // Before anybody can reply to it. A found card may show an earlier question, and is about to be changed.
        if is_current {
            let since = domain::slack::time_of(&posted.ts);
            if let Err(error) = self.service.card_shows(interaction, since).await {
                log(&error);
                return None;
            }
        }
        let kept = domain::interaction::Posted {
            ts: posted.ts.clone(),
            permalink,
        };
        match self.service.card_posted(interaction.id, kept).await {
            Ok(Some(now)) if is_current && now.version == interaction.version + 1 => {
                self.remember(now.id, now.version);
            }
            Ok(_) => {}
            // It is found when it is tried again.
            Err(error) => {
                log(&error);
                return None;
            }
        }
        Some(arrived(begun.elapsed()))
    }

    async fn update(&self, client: &SlackClient, surface: Surface, told: &Told) -> Option<Sent> {
        // A card posted a moment ago is not in what was read before.
        let Told { interaction, .. } = self.as_it_is(told).await?;
        let known = interaction.card.as_ref()?;
        let Some(posted) = &known.posted else {
            return match self.waits_for_its_card(&interaction, &told.claimed).await {
                Ok(sent) => Some(sent),
                Err(error) => {
                    log(&error);
                    None
                }
            };
        };
        if self.shows(&interaction) {
            return Some(arrived(Duration::ZERO));
        }
        let at = Posted {
            channel: known.channel.clone(),
            ts: posted.ts.clone(),
        };
        // Buttons that must not be pressed any more, or the next question.
        let urgency = match told.change {
            CardChange::Close => Urgency::First,
            _ if interaction.erased.is_some() => Urgency::Last,
            _ if interaction.state.is_pending() => Urgency::First,
            _ => Urgency::Next,
        };
        // Others may join it at any time, so it is not enough to know who is on it now.
        if interaction.may_share_a_card() {
            let shown = self.show_all(client, surface, &at, &[], urgency, None);
            return Some(match shown.await? {
                Ok(took) => arrived(took),
                Err(sent) => sent,
            });
        }
        if let Err(resting) = self.turn_to_update(urgency).await {
            return Some(resting);
        }
        let Told { interaction, .. } = self.as_it_is(told).await?;
        if self.shows(&interaction) {
            return Some(arrived(Duration::ZERO));
        }
        let shown = self.drawn(&interaction, surface).await?;
        let begun = Instant::now();
        match client
            .update_message(&at, &shown.text, &shown.json_blocks())
            .await
        {
            Ok(since) => {
                self.outage.ends(UPDATE.method);
                if let Err(error) = self.service.card_shows(&interaction, since).await {
                    log(&error);
                    return None;
                }
                self.remember(interaction.id, interaction.version);
                Some(arrived(begun.elapsed()))
            }
            // To say the same again does no harm.
            Err(error) => Some(self.failed(&error, begun.elapsed()).await),
        }
    }

    /// There is nothing to change yet, or never will be.
    pub(super) async fn waits_for_its_card(
        &self,
        interaction: &Interaction,
        claimed: &Claimed,
    ) -> Result<Sent, ServiceError> {
        let store = self.service.store();
        let events = store.events_of(interaction.id, 0, 1).await?;
        let first = events.into_iter().next().map(|event| event.id);
        let card = interaction.card.as_ref();
        let channel = card.map(|card| SlackChannel(card.channel.clone()));
        let mut posting = None;
        if let (Some(first), Some(channel)) = (first, channel) {
            // Versions before this one posted everything in the first lane.
            for lane in [CardChange::Post.lane(interaction, &channel), Lane::Asks] {
                if posting.is_none() {
                    let id = DeliveryId::of(first, channel.lane(lane));
                    posting = store.delivery(id).await?;
                }
            }
        }
        Ok(match posting {
            Some(posting)
                if matches!(posting.state, DeliveryState::Due | DeliveryState::Sending) =>
            {
                // It is posted as it is by then, so what has waited for long is likely to be on it.
                let waited = self.service.now() - claimed.delivery.created_at;
                postponed(
                    "its card is not posted yet",
                    (waited / 2).clamp(SOON, LATER),
                )
            }
            _ => {
                // It may have been posted after the interaction was read.
                let now = store.interaction(interaction.id).await?;
                let card = now.and_then(|now| now.card);
                match card.is_some_and(|card| card.posted.is_some()) {
                    true => postponed("its card was posted just now", SOON),
                    false => {
                        Sent::nothing(TryResult::Withdrawn("its card was never posted".to_owned()))
                    }
                }
            }
        })
    }
}

pub(super) fn log(error: &ServiceError) {
    tracing::error!(%error, "what is in Slack cannot be kept; it is tried again");
}
