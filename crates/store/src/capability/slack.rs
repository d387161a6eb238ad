//! The inbox of Slack, its cards, and its pace.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{InteractionId, MessageId, slack::OnCard, slack_pace::Pace};

use crate::{KeptMessage, NewMessage, Result};

/// People's messages in Slack, from before they are acknowledged until they were heard, and for a while
/// longer: a message that comes again is recognised.
#[async_trait]
pub trait Inbox: Send + Sync {
    /// Keeps those that are not there yet, and returns how many these were. It is there already if the event
    /// is, or a message of this name in this channel with the same changes, or of the same gesture.
    async fn keep_messages(&self, messages: &[NewMessage]) -> Result<u64>;

    /// Messages that were not heard and wait no longer at `now`, oldest first.
    async fn messages_to_hear(&self, now: DateTime<Utc>, limit: u32) -> Result<Vec<KeptMessage>>;

    /// Lets a message wait until `next_at`, if it was not heard.
    async fn postpone_message(&self, id: MessageId, next_at: DateTime<Utc>) -> Result<()>;

    /// Makes a message that nothing comes of count as heard, and says why. Returns whether it had not been
    /// before. The result of others is a [`Write::Heard`](domain::Write::Heard) of their changeset.
    async fn set_message_aside(&self, id: MessageId, at: DateTime<Utc>, note: &str)
    -> Result<bool>;

    /// Whether a message was heard; one that is not there any more was.
    async fn is_message_heard(&self, id: MessageId) -> Result<bool>;

    /// How many wait to be heard.
    async fn waiting_messages(&self) -> Result<i64>;

    /// Forgets those that were heard before this moment, and returns how many these were.
    async fn forget_messages(&self, before: DateTime<Utc>) -> Result<u64>;
}

/// The question that the card of each form in Slack shows, one at a time.
#[async_trait]
pub trait Cards: Send + Sync {
    /// The question that stands on the card of this form; `None` while it is unknown.
    async fn question_on_card(&self, id: InteractionId) -> Result<Option<OnCard>>;

    /// Keeps which question stands on a card, and since when at the latest. One that stands there already does
    /// so since it was known first; another one never does from before it.
    async fn put_question_on_card(&self, id: InteractionId, on_card: &OnCard) -> Result<()>;

    /// Keeps that this message shows an interaction, too, whose card is another one.
    async fn put_twin(&self, id: InteractionId, channel: &str, ts: &str) -> Result<()>;

    /// The interaction that this message shows, too.
    async fn interaction_of_twin(&self, channel: &str, ts: &str) -> Result<Option<InteractionId>>;
}

/// How often Slack's methods are called: all nodes take turns.
#[async_trait]
pub trait Paces: Send + Sync {
    /// The pace of a method, and the version of it.
    async fn pace(&self, method: &str) -> Result<(Pace, i64)>;

    /// Keeps the pace of a method, if it is still the version that was read. Returns whether it was.
    async fn put_pace(&self, method: &str, pace: &Pace, read: i64) -> Result<bool>;
}
