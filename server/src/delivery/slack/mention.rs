//! Whoever is on duty is mentioned in the thread of the card, once, and nobody else ever is (rule 17).

use std::{
    sync::{Arc, PoisonError},
    time::Duration,
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    Interaction, InteractionEvent, Payload, PersonId, SlackId, delivery::ReachKind,
    ladder::Told as ToldOf, slack_pace::Urgency,
};
use slack::{
    blocks::mention,
    client::SlackClient,
    limits::{POST, REPLIES},
    types::{Post, Posted},
};
use store::StoreError;
use tokio::time::{Instant, sleep};

use super::{
    Cards, REMEMBERED, Told, arrived,
    card::log,
    look::{self, keys},
    nothing_to_show,
    turn::resting,
};
use crate::delivery::courier::Sent;

/// How many later events are looked at.
const LATER: u32 = 100;
/// For so long a mention below a message is one for all that stand on it.
const FOR_ALL: TimeDelta = TimeDelta::hours(1);
/// More than one message shows.
const ON_IT: u32 = 100;
/// How much of a thread is looked at.
const PAGES: usize = 10;

/// Whom to mention, and where.
struct Whom {
    person: PersonId,
    user: SlackId,
    interaction: Arc<Interaction>,
}

impl Cards {
    /// Mentions the person, unless nobody has to look any more.
    pub(super) async fn mention(&self, client: &SlackClient, told: &Told) -> Option<Sent> {
        let whom = match self.whom(told).await {
            Ok(Some(whom)) => whom,
            Ok(None) => return Some(nothing_to_show()),
            Err(error) => {
                log(&error);
                return None;
            }
        };
        let card = whom.interaction.card.as_ref()?;
        let Some(posted) = &card.posted else {
            let waits = self.waits_for_its_card(&whom.interaction, &told.claimed);
            return match waits.await {
                Ok(sent) => Some(sent),
                Err(error) => {
                    log(&error);
                    None
                }
            };
        };
        let at = Posted {
            channel: card.channel.clone(),
            ts: posted.ts.clone(),
        };
        if told.earlier > 0 {
            match self.is_mentioned(client, told, &at).await {
                Ok(true) => return Some(arrived(Duration::ZERO)),
                Ok(false) => {}
                Err(sent) => return Some(sent),
            }
        }
        match self.is_told_with_another(&whom, &at).await {
            Ok(true) => return Some(nothing_to_show()),
            Ok(false) => {}
            Err(error) => {
                log(&error.into());
                return None;
            }
        }
        // The questions themselves come first.
        if let Err(resting) = self.turn_to_post(&at.channel, Urgency::Next).await {
            return Some(resting);
        }
        let whom = match self.whom(told).await {
            Ok(Some(whom)) => whom,
            Ok(None) => return Some(nothing_to_show()),
            Err(error) => {
                log(&error);
                return None;
            }
        };
        let shown = mention(&whom.user);
        let metadata = look::metadata([&told.claimed.delivery.id]);
        let blocks = shown.json_blocks();
        let mut post = Post::to(&at.channel, &shown.text, &blocks);
        post.thread_ts = Some(&at.ts);
        post.metadata = Some(&metadata);
        if !self.may_call([told]).await {
            return None;
        }
        let begun = Instant::now();
        match client.post_message(&post).await {
            Ok(_) => {
                self.outage.ends(POST.method);
                self.remember_mention(&whom, &at);
                Some(arrived(begun.elapsed()))
            }
            Err(error) => Some(self.failed(&error, begun.elapsed()).await),
        }
    }

    /// The person whom the rung has mentioned, as things are now. `None` once that is no more to be done: it is answered,
    /// claimed or handed over, or they are not on duty any more, may not answer it, are to be left alone, or are nobody in
    /// Slack.
    async fn whom(&self, told: &Told) -> Result<Option<Whom>, service::ServiceError> {
        let store = self.service.store();
        let seq = told.claimed.delivery.event_seq;
        let Some(event) = store.event(seq).await? else {
            return Ok(None);
        };
        let Payload::Interaction(InteractionEvent::Climbed { told: of, .. }) = event.payload else {
            return Ok(None);
        };
        let is_it = |one: &ToldOf| one.mentioned_in.is_some();
        let Some(person) = of.into_iter().find(is_it).map(|one| one.person) else {
            return Ok(None);
        };
        // The ladder began anew, for others.
        let id = told.interaction.id;
        let mut later = store.events_of(id, seq, LATER).await?.into_iter();
        let is_with_others = later.any(|event| {
            matches!(
                event.payload,
                Payload::Interaction(
                    InteractionEvent::Moved { .. } | InteractionEvent::HandedOver { .. }
                )
            )
        });
        if is_with_others {
            return Ok(None);
        }
        let now = self.service.mentionable(id, person.id).await?;
        Ok(now.map(|(interaction, user)| Whom {
            person: person.id,
            user,
            interaction,
        }))
    }

    /// Whether the same person was mentioned on the same message lately, for another that stands there.
    async fn is_told_with_another(&self, whom: &Whom, at: &Posted) -> Result<bool, StoreError> {
        if !whom.interaction.may_share_a_card() {
            return Ok(false);
        }
        let since = self.service.now() - FOR_ALL;
        // Those of this round are not written down yet.
        if self.last_mention(whom, at).is_some_and(|last| last > since) {
            return Ok(true);
        }
        let store = self.service.store();
        let on_it = store.interactions_of_card(&at.channel, &at.ts, ON_IT);
        for one in on_it.await? {
            if one.id == whom.interaction.id {
                continue;
            }
            let events = store.events_of(one.id, 0, LATER).await?;
            let is_told = events.into_iter().any(|event| {
                let Payload::Interaction(InteractionEvent::Reached { person, by, rung }) =
                    event.payload
                else {
                    return false;
                };
                event.at > since && rung == 0 && by == ReachKind::Slack && person.id == whom.person
            });
            if is_told {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn last_mention(&self, whom: &Whom, at: &Posted) -> Option<DateTime<Utc>> {
        let said = self
            .mentioned
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        said.get(&(at.ts.clone(), whom.person)).copied()
    }

    fn remember_mention(&self, whom: &Whom, at: &Posted) {
        let mut said = self
            .mentioned
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if said.len() >= REMEMBERED {
            said.clear();
        }
        said.insert((at.ts.clone(), whom.person), self.service.now());
    }

    /// Whether an earlier try has arrived: then it is in the thread, which shows it some time after Slack took it.
    async fn is_mentioned(
        &self,
        client: &SlackClient,
        told: &Told,
        at: &Posted,
    ) -> Result<bool, Sent> {
        for pause in look::LOOKS {
            sleep(pause).await;
            if self.is_in_thread(client, told, at).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The same, as it is now.
    async fn is_in_thread(
        &self,
        client: &SlackClient,
        told: &Told,
        at: &Posted,
    ) -> Result<bool, Sent> {
        let id = told.claimed.delivery.id.to_string();
        let mut page = None;
        for _ in 0..PAGES {
            let turn = self
                .service
                .slack_turn(REPLIES.method, REPLIES.limit, Urgency::Next);
            turn.await.map_err(resting)?;
            let read = client.replies(&at.channel, &at.ts, None, page.as_deref());
            let read = match read.await {
                Ok(read) => read,
                Err(error) => return Err(self.failed(&error, Duration::ZERO).await),
            };
            if read
                .messages
                .iter()
                .any(|one| keys(one).any(|key| key == id))
            {
                return Ok(true);
            }
            page = read.next;
            if page.is_none() {
                break;
            }
        }
        Ok(false)
    }
}
