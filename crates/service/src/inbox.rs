//! Messages that people write in Slack are kept.

use chrono::TimeDelta;
use domain::{MessageId, slack::Message};
use store::NewMessage;

use super::{Service, ServiceError};

/// As long as a heard message is recognised when it comes again: longer than threads are read back.
const REMEMBERED: TimeDelta = TimeDelta::days(30);

impl Service {
    /// Keeps messages that are not there yet, each with the name of its event if it came with one. Returns how
    /// many these were.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn keep_messages(
        &self,
        messages: Vec<(Option<String>, Message)>,
    ) -> Result<u64, ServiceError> {
        let received_at = self.clock.now();
        let messages = messages.into_iter().map(|(event_id, message)| NewMessage {
            id: MessageId(self.ids.next()),
            event_id,
            message,
            received_at,
        });
        let messages: Vec<_> = messages.collect();
        let kept = self.store.keep_messages(&messages).await?;
        self.metrics.kept(kept);
        Ok(kept)
    }

    /// How many messages wait to be heard.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn waiting_messages(&self) -> Result<i64, ServiceError> {
        Ok(self.store.waiting_messages().await?)
    }

    /// Forgets messages that Slack will not send again.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn forget_messages(&self) -> Result<(), ServiceError> {
        let before = self.clock.now() - REMEMBERED;
        self.store.forget_messages(before).await?;
        Ok(())
    }
}
