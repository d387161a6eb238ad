//! The inbox of Slack, its cards, its pace, and the homes of the app.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{InteractionId, MessageId, slack::OnCard, slack_pace::Pace};

use crate::{KeptMessage, NewMessage, NodeId, Result};

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

/// What was uploaded to Slack, by Slack's own ids.
#[async_trait]
pub trait SlackFiles: Send + Sync {
    /// Notes that these are about to be in the thread of this interaction's card.
    async fn expect_slack_files(&self, interaction: InteractionId, ids: &[String]) -> Result<()>;

    /// What may be in that thread, in the order of the ids.
    async fn slack_files(&self, interaction: InteractionId) -> Result<Vec<String>>;

    /// Slack has these no more.
    async fn forget_slack_files(&self, ids: &[String]) -> Result<()>;
}

/// How often Slack's methods are called: all nodes take turns.
#[async_trait]
pub trait Paces: Send + Sync {
    /// The pace of a method, and the version of it.
    async fn pace(&self, method: &str) -> Result<(Pace, i64)>;

    /// Keeps the pace of a method, if it is still the version that was read. Returns whether it was.
    async fn put_pace(&self, method: &str, pace: &Pace, read: i64) -> Result<bool>;
}

/// A home of the app whose end is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverdueHome {
    /// Whose it is, as Slack names them.
    pub user: String,
    /// The node that has it.
    pub node: NodeId,
    /// Until when it was to show something.
    pub until: DateTime<Utc>,
    /// Since when its end is due.
    pub next_at: DateTime<Utc>,
}

/// Which homes of the app show something. Slack keeps what was published, so each is known from before it shows
/// something until after it is blank again.
#[async_trait]
pub trait SlackHomes: Send + Sync {
    /// Keeps that a node shows a user's home until then, and returns which node had it before.
    async fn take_home(
        &self,
        user: &str,
        node: NodeId,
        until: DateTime<Utc>,
    ) -> Result<Option<NodeId>>;

    /// The node that has a user's home.
    async fn node_of_home(&self, user: &str) -> Result<Option<NodeId>>;

    /// Homes whose end is due, those that have waited longest first.
    async fn overdue_homes(&self, now: DateTime<Utc>, limit: u32) -> Result<Vec<OverdueHome>>;

    /// Gives a home whose end is due to a node, and has its end due again then. Returns whether it was still as it was read.
    async fn take_overdue_home(
        &self,
        home: &OverdueHome,
        node: NodeId,
        next_at: DateTime<Utc>,
    ) -> Result<bool>;

    /// Forgets a home that is blank, if the node still has it. Returns whether it had.
    async fn forget_home(&self, user: &str, node: NodeId) -> Result<bool>;
}
