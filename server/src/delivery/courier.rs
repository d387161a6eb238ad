//! How the destinations of one kind are told. The worker knows of no other difference between them.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{
    DestinationId,
    access::PersonRef,
    delivery::{DestinationKind, Health, TryResult},
};
use store::Claimed;

/// Tells destinations of one kind.
#[async_trait]
pub trait Courier: Send + Sync {
    /// For how long deliveries are claimed: longer than [`send`](Self::send) may take, with time left to write down what
    /// came of it. If the worker dies, they are due again after that.
    fn lease(&self) -> TimeDelta;

    /// How many more deliveries this destination takes, which does so well, while so many are `under_way` to it.
    fn most(&self, destination: DestinationId, health: Health, under_way: u32) -> u32;

    /// To how many destinations of this kind something may be on its way at once: where all of them are behind one server,
    /// it is spared, and one that hangs keeps no other kind from being sent.
    fn at_once(&self) -> usize {
        usize::MAX
    }

    /// Sends what was claimed for one destination. `None` beside one that could not be sent for a reason of ours: its
    /// lease ends, and it is due again.
    async fn send(&self, claimed: Vec<Claimed>) -> Vec<(Claimed, Option<Sent>)>;
}

/// The result of a delivery.
#[derive(Clone, Debug)]
pub struct Sent {
    /// In short.
    pub reply: TryResult,
    /// The beginning of the answer.
    pub body: String,
    /// How long it took.
    pub took: Duration,
    /// Whether it may have arrived all the same, where that matters.
    pub may_have_arrived: bool,
    /// The person that it went to, if it was a message to one.
    pub to: Option<Box<PersonRef>>,
}

impl Sent {
    /// The result where nothing was sent.
    pub(super) fn nothing(reply: TryResult) -> Self {
        Self {
            reply,
            body: String::new(),
            took: Duration::ZERO,
            may_have_arrived: false,
            to: None,
        }
    }
}

/// The courier of each kind.
#[derive(Clone)]
pub struct Couriers {
    /// To webhook endpoints.
    pub webhooks: Arc<dyn Courier>,
    /// To agents.
    pub callbacks: Arc<dyn Courier>,
    /// To channels.
    pub slack: Arc<dyn Courier>,
    /// To browsers.
    pub push: Arc<dyn Courier>,
    /// To mailboxes.
    pub mail: Arc<dyn Courier>,
    /// To topics.
    pub ntfy: Arc<dyn Courier>,
    /// To people in Slack.
    pub direct: Arc<dyn Courier>,
}

impl Couriers {
    /// The one of this kind.
    pub(super) fn of(&self, kind: DestinationKind) -> &Arc<dyn Courier> {
        match kind {
            DestinationKind::Webhook => &self.webhooks,
            DestinationKind::Callback => &self.callbacks,
            DestinationKind::Slack => &self.slack,
            DestinationKind::Push => &self.push,
            DestinationKind::Mail => &self.mail,
            DestinationKind::Ntfy => &self.ntfy,
            DestinationKind::Direct => &self.direct,
        }
    }
}
