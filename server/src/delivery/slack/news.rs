//! What is told and never changed: notifications that go together, and all that goes by an incoming webhook.

use domain::Interaction;
use slack::{
    blocks::{Card, Surface, digest},
    limits::POST,
    types::{Post, Posted},
};
use store::Claimed;
use tokio::time::Instant;

use super::{Cards, Told, Wire, arrived, look, nothing_to_show};
use crate::delivery::courier::Sent;

impl Cards {
    /// Through an incoming webhook, which can only post.
    pub(super) async fn mirror(&self, told: &Told) -> Option<Sent> {
        if let Err(resting) = self.turn_to_tell("").await {
            return Some(resting);
        }
        let told = &self.as_it_is(told).await?;
        if told.is_needless() {
            return Some(nothing_to_show());
        }
        let mut shown = self.drawn(&told.interaction, Surface::Mirror).await?;
        if told.earlier > 0 {
            shown.mark_as_repeat();
        }
        let begun = Instant::now();
        Some(match self.send("", &[told], &shown).await? {
            Ok(_) => arrived(begun.elapsed()),
            Err(failed) => failed,
        })
    }

    /// Several notifications in one message.
    pub(super) async fn post_digest(&self, told: Vec<Told>) -> Vec<(Claimed, Option<Sent>)> {
        let begun = Instant::now();
        let mut outcomes = Vec::with_capacity(told.len());
        let card = told.first().and_then(|one| one.interaction.card.clone());
        let channel = card.map(|card| card.channel).unwrap_or_default();
        if let Err(resting) = self.turn_to_tell(&channel).await {
            let told = told.into_iter();
            return told
                .map(|one| (one.claimed, Some(resting.clone())))
                .collect();
        }
        let mut news = Vec::with_capacity(told.len());
        for one in told {
            match self.as_it_is(&one).await {
                Some(now) if now.is_needless() => {
                    outcomes.push((now.claimed, Some(nothing_to_show())));
                }
                Some(now) => news.push(now),
                None => outcomes.push((one.claimed, None)),
            }
        }
        if news.is_empty() {
            return outcomes;
        }
        let notifications: Vec<&Interaction> = news.iter().map(|one| &one.interaction).collect();
        let shown = digest(&notifications, &self.public_url);
        let all: Vec<&Told> = news.iter().collect();
        let sent = self.send(&channel, &all, &shown).await;
        for one in news {
            let outcome = match (&sent, &*self.wire) {
                (None, _) => None,
                (Some(Err(failed)), _) => Some(failed.clone()),
                (Some(Ok(Some(posted))), Wire::Bot { client, .. }) => {
                    self.posted(client, &one.interaction, posted, true, begun)
                        .await
                }
                (Some(Ok(_)), _) => Some(arrived(begun.elapsed())),
            };
            outcomes.push((one.claimed, outcome));
        }
        outcomes
    }

    /// Posts what is told together; a webhook does not say where. `None` when another node may be at it.
    async fn send(
        &self,
        channel: &str,
        told: &[&Told],
        shown: &Card,
    ) -> Option<Result<Option<Posted>, Sent>> {
        let begun = Instant::now();
        let blocks = shown.json_blocks();
        if !self.may_call(told.iter().copied()).await {
            return None;
        }
        let sent = match &*self.wire {
            Wire::Webhook { client, url } => {
                let post = Post::to_webhook(&shown.text, &blocks);
                let posted = client.post_webhook(url.reveal(), &post);
                posted.await.map(|()| None)
            }
            Wire::Bot { client, .. } => {
                let ids = told.iter().map(|one| &one.claimed.delivery.id);
                let metadata = look::metadata(ids);
                let mut post = Post::to(channel, &shown.text, &blocks);
                post.metadata = Some(&metadata);
                client.post_message(&post).await.map(Some)
            }
        };
        Some(match sent {
            Ok(posted) => {
                self.outage.ends(POST.method);
                Ok(posted)
            }
            Err(error) => Err(self.failed(&error, begun.elapsed()).await),
        })
    }
}
