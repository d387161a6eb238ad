//! Where everything goes that comes from Slack, whichever way: messages are kept before they are acknowledged,
//! clicks are done.

use anyhow::Context;
use async_trait::async_trait;
use serde_json::Value;
use service::Service;
use slack::{
    events::{self, Incoming},
    socket_mode::{Envelope, Inbox},
};
use tokio::sync::Notify;

use super::actions::Actions;

/// Where Socket Mode and signed requests meet.
pub struct SlackInbox {
    service: Service,
    actions: Actions,
    news: Notify,
}

impl SlackInbox {
    /// Keeps messages by this service, and has clicks done by these actions.
    pub fn new(service: Service, actions: Actions) -> Self {
        Self {
            service,
            actions,
            news: Notify::new(),
        }
    }

    /// Completes when messages were kept since it did so last.
    pub async fn news(&self) {
        self.news.notified().await;
    }

    /// Keeps what an event tells.
    ///
    /// # Errors
    /// When the database fails; Slack is to repeat the event.
    pub async fn take_event(&self, payload: &Value) -> anyhow::Result<()> {
        match events::read(payload) {
            Incoming::Message { event_id, message } => {
                self.keep(vec![(event_id, *message)]).await?;
            }
            Incoming::HomeOpened { user } => self.actions.homes().opened(&user),
            Incoming::Uninstalled => {
                tracing::error!("the app was uninstalled from Slack; nothing can be asked there");
            }
            Incoming::TokensRevoked => {
                tracing::error!("Slack has revoked the bot's token; nothing can be asked there");
            }
            Incoming::RateLimited => tracing::warn!(
                "Slack leaves events out because there are too many; replies may be missing until the next start"
            ),
            Incoming::Nothing => {}
        }
        Ok(())
    }

    /// Keeps messages, each with its event's name if it has one. Returns how many were new.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn keep(
        &self,
        messages: Vec<(Option<String>, domain::slack::Message)>,
    ) -> anyhow::Result<u64> {
        let new = self.service.keep_messages(messages).await?;
        if new > 0 {
            self.news.notify_one();
        }
        Ok(new)
    }

    /// Answers a command that a user typed, after it is acknowledged.
    pub fn take_command(&self, payload: &Value) {
        self.actions.command(payload);
    }

    /// Does what a user pressed or sent, and returns what the acknowledgement carries; `None` is an empty one.
    /// Slack wants it within three seconds, and repeats nothing.
    ///
    /// # Errors
    /// When it cannot be done now: nothing is acknowledged, and Slack says so to the user who pressed.
    pub async fn take_click(&self, payload: &Value) -> anyhow::Result<Option<Value>> {
        self.actions.handle(payload).await
    }
}

#[async_trait]
impl Inbox for SlackInbox {
    async fn keep(&self, envelope: Envelope) -> anyhow::Result<Option<Value>> {
        let payload = || {
            let read = serde_json::from_str::<Value>(envelope.payload.get());
            read.context("an envelope that cannot be read")
        };
        match &*envelope.kind {
            "events_api" => {
                self.take_event(&payload()?).await?;
                Ok(None)
            }
            "slash_commands" => {
                self.take_command(&payload()?);
                Ok(None)
            }
            "interactive" => self.take_click(&payload()?).await,
            other => {
                tracing::debug!(slack.envelope = other, "nothing here uses these");
                Ok(None)
            }
        }
    }
}
