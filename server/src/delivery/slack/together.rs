//! Equal questions are one message: what comes while an equal one waits joins its card, and those that come together are
//! posted as one. Each stays a question of its own, with its own answer.

use domain::{
    Interaction, interaction::Posted as Kept, obligation::CardChange, slack_pace::Urgency,
};
use slack::{
    blocks::{EQUALS, Surface, takes_equals},
    client::SlackClient,
    limits::POST,
    types::{Post, Posted},
};
use store::Claimed;
use tokio::time::Instant;

use super::{Cards, Told, Wire, arrived, card::log, join::Joined, look, nothing_to_show};
use crate::delivery::courier::Sent;

/// The version of what has not changed since it was asked.
const ASKED: i64 = 1;

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
        let mut shown: Vec<Interaction> = news.iter().map(|one| one.interaction.clone()).collect();
        shown.sort_by_key(|one| one.id);
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
        let sent = self.keep_all(client, surface, &posted, &shown, begun).await;
        outcomes.extend(all(&news, sent));
        outcomes
    }

    /// Keeps that a message shows all of these, and has it show them as they are by then.
    async fn keep_all(
        &self,
        client: &SlackClient,
        surface: Surface,
        at: &Posted,
        drawn: &[Interaction],
        begun: Instant,
    ) -> Option<Sent> {
        let permalink = self.permalink(client, at).await;
        for one in drawn {
            let kept = Kept {
                ts: at.ts.clone(),
                permalink: permalink.clone(),
            };
            // They are found when it is tried again.
            if let Err(error) = self.service.card_posted(one.id, kept).await {
                log(&error);
                return None;
            }
        }
        let now = self.read_all(at, &[]).await?;
        // Whoever has a change to show may have shown those alone that were kept by then. Nobody has one where all are as
        // they were asked, but for where they are shown.
        let is_as_asked = |one: &Interaction| {
            let was = drawn.iter().find(|was| was.id == one.id);
            one.version == ASKED + 1 && was.is_some_and(|was| was.version == ASKED)
        };
        if now.len() == drawn.len() && now.iter().all(is_as_asked) {
            for one in &now {
                self.remember(one.id, one.version);
            }
            return Some(arrived(begun.elapsed()));
        }
        let shown = self.show_all(client, surface, at, &[], Urgency::First, None);
        let shown = shown.await?;
        Some(shown.err().unwrap_or_else(|| arrived(begun.elapsed())))
    }
}
