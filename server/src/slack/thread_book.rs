//! The threads of cards and those who write in them: whose a thread is, who a user is, and how
//! they are told something.

use std::sync::Arc;

use chrono::TimeDelta;
use domain::{InteractionId, Principal, slack_pace::Urgency};
use service::{Rests, Service};
use slack::{blocks::Note, client::SlackClient, limits::NOTE, types::Post};

use super::{recognise::Recogniser, unrecognised::Unrecognised};

/// For so long after it was closed, what is said in a thread is looked for after a gap.
const LATELY: TimeDelta = TimeDelta::hours(1);

/// Knows people and threads. Cheap to clone.
#[derive(Clone)]
pub struct ThreadBook {
    service: Service,
    client: SlackClient,
    recogniser: Arc<Recogniser>,
}

impl ThreadBook {
    /// As this client sees Slack.
    pub fn new(service: Service, client: SlackClient, recogniser: Arc<Recogniser>) -> Self {
        Self {
            service,
            client,
            recogniser,
        }
    }

    /// The interaction whose card this is.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn interaction(
        &self,
        channel: &str,
        thread_ts: &str,
    ) -> anyhow::Result<Option<InteractionId>> {
        let store = self.service.store();
        Ok(store.interaction_of_card(channel, thread_ts).await?)
    }

    /// Who a user is, or why they may not answer, in words for them.
    ///
    /// # Errors
    /// When that cannot be found out now.
    pub async fn responder(
        &self,
        team: Option<&str>,
        user: &str,
    ) -> anyhow::Result<Result<Principal, Note>> {
        let now = self.service.now();
        match self.recogniser.recognise(team, user, now).await {
            // Their words stay, and are heard when that is over.
            Err(why @ (Unrecognised::NotSaid | Unrecognised::Failed)) => Err(why.into()),
            known => Ok(known.map_err(|why| why.note())),
        }
    }

    /// Tells a user something that only they see. It may not arrive.
    pub async fn tell(&self, channel: &str, thread_ts: &str, user: &str, note: &Note) {
        let card = note.to_card();
        let blocks = card.json_blocks();
        let mut post = Post::to(channel, &card.text, &blocks);
        post.thread_ts = Some(thread_ts);
        let turn = self
            .service
            .slack_turn(NOTE.method, NOTE.limit, Urgency::First);
        if let Err(Rests(_)) = turn.await {
            tracing::warn!(
                "somebody in Slack is not told what became of their message: Slack has asked for a pause"
            );
            return;
        }
        if let Err(error) = self.client.post_ephemeral(user, &post).await {
            tracing::warn!(%error, "cannot tell somebody in Slack what became of their message");
            if let Some(wait) = error.pause() {
                self.service.slack_refused(error.method, wait).await;
            }
        }
    }

    /// Where one who writes below this card has to write, if it is there twice and another is used.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn below_twin(&self, channel: &str, thread_ts: &str) -> anyhow::Result<Option<Note>> {
        let store = self.service.store();
        let Some(id) = store.interaction_of_twin(channel, thread_ts).await? else {
            return Ok(None);
        };
        let card = store.interaction(id).await?.and_then(|it| it.card);
        let other = card.and_then(|card| card.posted?.permalink);
        Ok(Some(Note::below_twin(other)))
    }

    /// Cards in whose threads a reply may have been missed: those of pending questions and forms, and of what was
    /// closed not long ago, the newest first. Each is a channel and a name in it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn open_cards(&self) -> anyhow::Result<Vec<(String, String)>> {
        let since = self.service.now() - LATELY;
        let threads = self.service.store().threads(since).await?;
        let threads = threads.into_iter();
        let mut cards: Vec<_> = threads.map(|one| (one.channel, one.ts)).collect();
        // The names are times.
        cards.sort_by(|(_, a), (_, b)| b.cmp(a));
        Ok(cards)
    }
}
