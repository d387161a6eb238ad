//! Where what people do in Slack meets what is known here: whose a thread is, who somebody is, what they are told.

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{InteractionId, Principal};
use serde_json::Value;
use service::Service;
use slack::{blocks::Note, client::SlackClient, types::Post};

use super::{
    actions::{Actions, Recognise},
    inbox::Clicks,
    recognise::{Recogniser, Unrecognised},
    threads::Threads,
};

/// For so long after it was closed, what is said in a thread is looked for after a gap.
const LATELY: TimeDelta = TimeDelta::hours(1);

/// Knows people and threads.
pub struct Desk {
    service: Service,
    client: SlackClient,
    recogniser: Recogniser,
}

impl Desk {
    /// As this client sees Slack.
    pub fn new(service: Service, client: SlackClient, recogniser: Recogniser) -> Self {
        Self {
            service,
            client,
            recogniser,
        }
    }

    async fn known(&self, team: Option<&str>, user: &str) -> Result<Principal, Unrecognised> {
        let now = self.service.now();
        self.recogniser.recognise(team, user, now).await
    }
}

#[async_trait]
impl Recognise for Desk {
    async fn recognise(&self, team_id: Option<&str>, user_id: &str) -> Result<Principal, Note> {
        let known = self.known(team_id, user_id).await;
        known.map_err(|why| why.note())
    }
}

#[async_trait]
impl Threads for Desk {
    async fn interaction(
        &self,
        channel: &str,
        thread_ts: &str,
    ) -> anyhow::Result<Option<InteractionId>> {
        let store = self.service.store();
        Ok(store.interaction_of_card(channel, thread_ts).await?)
    }

    async fn responder(
        &self,
        team: Option<&str>,
        user: &str,
    ) -> anyhow::Result<Result<Principal, Note>> {
        match self.known(team, user).await {
            // What they wrote stays, and is heard when that is over.
            Err(why @ (Unrecognised::NotSaid | Unrecognised::Failed)) => Err(why.into()),
            known => Ok(known.map_err(|why| why.note())),
        }
    }

    async fn tell(&self, channel: &str, thread_ts: &str, user: &str, note: &Note) {
        let card = note.to_card();
        let blocks = card.json_blocks();
        let mut post = Post::to(channel, &card.text, &blocks);
        post.thread_ts = Some(thread_ts);
        if let Err(error) = self.client.post_ephemeral(user, &post).await {
            tracing::warn!(%error, "cannot tell somebody in Slack what became of their message");
        }
    }

    async fn open_cards(&self) -> anyhow::Result<Vec<(String, String)>> {
        let since = self.service.now() - LATELY;
        let threads = self.service.store().threads(since).await?;
        let threads = threads.into_iter();
        Ok(threads.map(|one| (one.channel, one.ts)).collect())
    }
}

#[async_trait]
impl Clicks for Actions {
    async fn handle(&self, payload: &Value) -> anyhow::Result<Option<Value>> {
        Actions::handle(self, payload).await
    }
}
