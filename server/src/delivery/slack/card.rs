//! One card: posted, found, or changed.

use std::time::Duration;

use chrono::TimeDelta;
use domain::{
    DeliveryId, Interaction,
    delivery::{DeliveryState, TryResult},
    obligation::CardChange,
};
use service::ServiceError;
use slack::{
    blocks::{Card, Surface, card, digest},
    client::{CallError, SlackClient},
    types::{Post, Posted},
};
use store::Claimed;
use tokio::time::Instant;

use super::{Cards, Told, Wire, arrived, look, postponed};
use crate::delivery::courier::Sent;

/// An update waits at least so long for the card it is about.
const SOON: TimeDelta = TimeDelta::seconds(1);

/// The methods that cards are made and changed with.
const POST: &str = "chat.postMessage";
const UPDATE: &str = "chat.update";

impl Cards {
    /// The result of a delivery while Slack wants a method to be left alone.
    fn pausing(&self, method: &str) -> Option<Sent> {
        let pause = self.pace.pause(method, self.service.now())?;
        Some(postponed("Slack has asked for a pause", pause))
    }

    /// Has the card look as the interaction is now.
    pub(super) async fn show(&self, told: &Told) -> Option<Sent> {
        match (&*self.wire, told.change) {
            (Wire::Webhook { .. }, _) => Some(self.mirror(told).await),
            (Wire::Bot { client, surface }, CardChange::Post) => {
                self.post(client, *surface, told).await
            }
            (Wire::Bot { client, surface }, CardChange::Close | CardChange::Update) => {
                self.update(client, *surface, told).await
            }
        }
    }

    async fn post(&self, client: &SlackClient, surface: Surface, told: &Told) -> Option<Sent> {
        let interaction = &told.interaction;
        let known = interaction.card.as_ref()?;
        if known.posted.is_some() {
            return Some(arrived(Duration::ZERO));
        }
        if let Some(pausing) = self.pausing(POST) {
            return Some(pausing);
        }
        let begun = Instant::now();
        let may_be_there = self.may_be_there(&told.claimed).await;
        if may_be_there {
            match look::find(client, &known.channel, &told.claimed).await {
                Ok(Some(found)) => {
                    tracing::info!(delivery.id = %told.claimed.delivery.id, "a card was in Slack already");
                    return self.posted(client, interaction, &found, false, begun).await;
                }
                Ok(None) => {}
                Err(error) => return Some(self.failed(&error, begun.elapsed())),
            }
        }
        let mut shown = card(interaction, surface, &self.public_url);
        if may_be_there {
            shown.mark_as_repeat();
        }
        let metadata = look::metadata([&told.claimed.delivery.id]);
        self.pace.turn(&known.channel).await;
        let blocks = shown.json_blocks();
        let mut post = Post::to(&known.channel, &shown.text, &blocks);
        post.metadata = Some(&metadata);
        match client.post_message(&post).await {
            Ok(posted) => self.posted(client, interaction, &posted, true, begun).await,
            Err(error) => Some(self.failed(&error, begun.elapsed())),
        }
    }

    /// Keeps where the card is. `is_current` = it shows the interaction as it was read.
    async fn posted(
        &self,
        client: &SlackClient,
        interaction: &Interaction,
        posted: &Posted,
        is_current: bool,
        begun: Instant,
    ) -> Option<Sent> {
        // Without it people have no link to the card, and all else works.
        let permalink = client.get_permalink(posted).await.ok();
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
        // A card posted a moment ago, in the same round, is not in what was read before.
        let now = self.service.store().interaction(told.interaction.id).await;
        let interaction = match now {
            Ok(now) => now?,
            Err(error) => {
                log(&error.into());
                return None;
            }
        };
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
        if let Some(pausing) = self.pausing(UPDATE) {
            return Some(pausing);
        }
        let at = Posted {
            channel: known.channel.clone(),
            ts: posted.ts.clone(),
        };
        let shown = card(&interaction, surface, &self.public_url);
        self.pace.turn(&known.channel).await;
        let begun = Instant::now();
        match client
            .update_message(&at, &shown.text, &shown.json_blocks())
            .await
        {
            Ok(since) => {
                if let Err(error) = self.service.card_shows(&interaction, since).await {
                    log(&error);
                    return None;
                }
                self.remember(interaction.id, interaction.version);
                Some(arrived(begun.elapsed()))
            }
            // To say the same again does no harm.
            Err(error) => Some(self.failed(&error, begun.elapsed())),
        }
    }

    /// There is nothing to change yet, or never will be.
    async fn waits_for_its_card(
        &self,
        interaction: &Interaction,
        claimed: &Claimed,
    ) -> Result<Sent, ServiceError> {
        let store = self.service.store();
        let events = store.events_of(interaction.id, 0, 1).await?;
        let first = events.into_iter().next().map(|event| event.id);
        let first = first.map(|event| DeliveryId::of(event, claimed.delivery.destination));
        let posting = match first {
            Some(id) => store.delivery(id).await?,
            None => None,
        };
        Ok(match posting {
            Some(posting)
                if matches!(posting.state, DeliveryState::Due | DeliveryState::Sending) =>
            {
                let wait = (posting.next_at - self.service.now()).max(SOON);
                postponed("its card is not posted yet", wait)
            }
            _ => Sent::nothing(TryResult::Withdrawn("its card was never posted".to_owned())),
        })
    }

    /// Through an incoming webhook, which can only post.
    async fn mirror(&self, told: &Told) -> Sent {
        let mut shown = card(&told.interaction, Surface::Mirror, &self.public_url);
        if told.change == CardChange::Post && self.may_be_there(&told.claimed).await {
            shown.mark_as_repeat();
        }
        let begun = Instant::now();
        match self
            .send(&told.interaction, &shown, &[&told.claimed.delivery.id])
            .await
        {
            Ok(_) => arrived(begun.elapsed()),
            Err(error) => self.failed(&error, begun.elapsed()),
        }
    }

    /// Several notifications in one message.
    pub(super) async fn post_digest(&self, told: Vec<Told>) -> Vec<(Claimed, Option<Sent>)> {
        if let Some(pausing) = self.pausing(POST) {
            let told = told.into_iter();
            return told
                .map(|one| (one.claimed, Some(pausing.clone())))
                .collect();
        }
        let notifications: Vec<&Interaction> = told.iter().map(|one| &one.interaction).collect();
        let shown = digest(&notifications, &self.public_url);
        let ids: Vec<&DeliveryId> = told.iter().map(|one| &one.claimed.delivery.id).collect();
        let begun = Instant::now();
        let sent = match self.send(notifications[0], &shown, &ids).await {
            Ok(posted) => Ok(posted),
            Err(error) => Err(self.failed(&error, begun.elapsed())),
        };
        let mut outcomes = Vec::with_capacity(told.len());
        for one in told {
            let outcome = match (&sent, &*self.wire) {
                (Err(failed), _) => Some(failed.clone()),
                (Ok(Some(posted)), Wire::Bot { client, .. }) => {
                    self.posted(client, &one.interaction, posted, true, begun)
                        .await
                }
                (Ok(_), _) => Some(arrived(begun.elapsed())),
            };
            outcomes.push((one.claimed, outcome));
        }
        outcomes
    }

    /// Posts; a webhook does not say where.
    async fn send(
        &self,
        first: &Interaction,
        shown: &Card,
        deliveries: &[&DeliveryId],
    ) -> Result<Option<Posted>, CallError> {
        let channel = first.card.as_ref().map_or("", |card| &card.channel);
        self.pace.turn(channel).await;
        let blocks = shown.json_blocks();
        match &*self.wire {
            Wire::Webhook { client, url } => {
                let post = Post::to_webhook(&shown.text, &blocks);
                client
                    .post_webhook(url.reveal(), &post)
                    .await
                    .map(|()| None)
            }
            Wire::Bot { client, .. } => {
                let metadata = look::metadata(deliveries.iter().copied());
                let mut post = Post::to(channel, &shown.text, &blocks);
                post.metadata = Some(&metadata);
                client.post_message(&post).await.map(Some)
            }
        }
    }
}

fn log(error: &ServiceError) {
    tracing::error!(%error, "what is in Slack cannot be kept; it is tried again");
}
