//! Deliveries and their tries, and the webhooks they go to.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    DeliveryId, DestinationId, InteractionId, TeamId,
    delivery::{DeliveryState, DestinationKind, DisabledWhy, Format, Topic},
};
use serde::{Deserialize, Serialize};

use super::{EndingToken, LinkNotice, TeamName};
use crate::wire;

/// A delivery whose time comes within this is worth looking at again soon.
const SOON: TimeDelta = TimeDelta::seconds(10);

/// So long what admins should know is taken for true.
const NOTICES_LAST: TimeDelta = TimeDelta::seconds(30);

/// The filters of the deliveries. Empty fields narrow nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeliveryQuery {
    /// How they stand.
    pub state: Option<DeliveryState>,
    /// Where they go.
    pub destination: Option<DestinationId>,
    /// Only those that come after this one in the list.
    pub before: Option<DeliveryId>,
}

/// One page of the deliveries, those of the newest events first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryPage {
    /// The rows.
    pub rows: Vec<DeliveryRow>,
    /// Where the next page begins.
    pub next: Option<DeliveryId>,
    /// Where deliveries can go, and where those of this page went.
    pub destinations: Vec<Destination>,
    /// The server's time when this was read.
    pub as_of: DateTime<Utc>,
}

/// Where a delivery goes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Destination {
    /// Its id.
    pub id: DestinationId,
    /// The name people give it.
    pub name: String,
}

/// A delivery in a list.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DeliveryRow {
    /// Its id, the `webhook-id` of every try.
    pub id: DeliveryId,
    /// Where it goes.
    pub destination: Destination,
    /// Its kind.
    pub kind: DestinationKind,
    /// The type of the event it tells of.
    pub event_type: String,
    /// The interaction the event is about.
    pub interaction: Option<InteractionId>,
    /// How it stands.
    pub state: DeliveryState,
    /// How often it was tried, since it was made or a person had it tried again.
    pub tries: u32,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it is tried next; `None` when it will not be.
    pub next_at: Option<DateTime<Utc>>,
    /// When it was delivered or given up.
    pub ended_at: Option<DateTime<Utc>>,
    /// The last try's error.
    pub error: Option<String>,
}

impl DeliveryRow {
    /// Whether it waits for something that has to happen first, rather than for its first try: Slack and
    /// what reaches people count no try that could not be made.
    pub fn is_put_off(&self) -> bool {
        !matches!(
            self.kind,
            DestinationKind::Webhook | DestinationKind::Callback
        ) && self.state == DeliveryState::Due
            && self.tries == 0
            && self.error.is_some()
    }

    /// Whether it is being sent, or about to be: what is shown of it may soon be wrong.
    pub fn is_moving(&self, now: DateTime<Utc>) -> bool {
        match self.state {
            DeliveryState::Sending => true,
            DeliveryState::Due => self.next_at.is_some_and(|at| at <= now + SOON),
            DeliveryState::Delivered | DeliveryState::Dead | DeliveryState::Unknown => false,
        }
    }
}

/// One delivery with everything that was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryStory {
    /// The delivery.
    pub row: DeliveryRow,
    /// The webhook it goes to, if it is one that was not deleted.
    pub webhook: Option<DestinationId>,
    /// Whether it may be tried again.
    pub again: Again,
    /// Every try, last to first.
    pub tries: Vec<Try>,
    /// The server's time when this was read.
    pub as_of: DateTime<Utc>,
}

/// Whether the person who looks may have a delivery tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Again {
    /// They may.
    Possible,
    /// It has arrived, or is on its way.
    Needless,
    /// Its webhook is disabled.
    Disabled,
    /// Its webhook was deleted.
    Deleted,
}

/// One try.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Try {
    /// Counts from 1.
    pub number: i64,
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// How it ended; `None` while it goes on, and for good when the server died: then that is unknown.
    pub end: Option<TryEnd>,
}

/// How a try ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TryEnd {
    /// How long it took, in milliseconds.
    pub latency: i64,
    /// The HTTP status, if there was an answer.
    pub status: Option<u16>,
    /// Its error; `None` when it arrived.
    pub error: Option<String>,
    /// The beginning of the answer, with marks for what hides in it.
    pub answer: String,
}

/// How far back to look for what is to be tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Since {
    /// An hour.
    Hour,
    /// 24 hours.
    Day,
    /// 7 days.
    Week,
}

impl Since {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Hour, Self::Day, Self::Week];

    /// The name, as forms send it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
        }
    }

    /// How long that is.
    pub fn span(self) -> TimeDelta {
        match self {
            Self::Hour => TimeDelta::hours(1),
            Self::Day => TimeDelta::hours(24),
            Self::Week => TimeDelta::days(7),
        }
    }
}

/// The webhooks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookList {
    /// Oldest first.
    pub rows: Vec<WebhookRow>,
    /// The teams one can hear of, by name.
    pub teams: Vec<TeamName>,
    /// The server's time when this was read.
    pub as_of: DateTime<Utc>,
}

/// A webhook, without its secret and without the path of its address, which may be one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WebhookRow {
    /// Its id.
    pub id: DestinationId,
    /// The name people give it.
    pub name: String,
    /// Where it is.
    pub host: String,
    /// The topics it hears of; empty = all.
    pub topics: Vec<Topic>,
    /// Whether it hears only of what an agent waits for.
    pub sync_only: bool,
    /// The teams it hears of, beside what belongs to none.
    pub teams: Vec<TeamName>,
    /// How it hears it.
    pub format: Format,
    /// How it does.
    pub standing: WebhookStanding,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When the newest delivery that has arrived did.
    pub delivered_at: Option<DateTime<Utc>>,
    /// Until when the secret before the present one signs as well.
    pub previous_until: Option<DateTime<Utc>>,
    /// Whether the setting `webhook_url` makes it.
    pub configured: bool,
}

/// How a webhook does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WebhookStanding {
    /// It gets what it wants to hear.
    Enabled,
    /// It gets it, but nothing has arrived since then.
    Failing(DateTime<Utc>),
    /// It gets nothing.
    Disabled(DisabledWhy, DateTime<Utc>),
}

/// A webhook as a person wishes for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebhookWish {
    /// Its name; its host when `None`.
    pub name: Option<String>,
    /// Where it is.
    pub address: String,
    /// The topics it is to hear of; empty = all.
    pub topics: Vec<Topic>,
    /// Whether it is to hear only of what an agent waits for.
    pub sync_only: bool,
    /// The teams it is to hear of, beside what belongs to none.
    pub teams: Vec<TeamId>,
    /// How it is to hear it.
    pub format: Format,
}

/// News that admins should get without having asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notices {
    /// The lines as JSON, if there are any: what reads them is a part of the program that a page without notices does
    /// not load.
    lines: Option<String>,
    /// Whether there may ever be any for the one who looks.
    pub for_admin: bool,
    /// The server's time when this was read.
    #[serde(with = "chrono::serde::ts_microseconds")]
    pub as_of: DateTime<Utc>,
}

impl Notices {
    /// Packs the lines.
    pub fn of(lines: &NoticeLines, for_admin: bool, as_of: DateTime<Utc>) -> Self {
        let lines = (!lines.is_empty()).then(|| serde_json::to_string(lines).ok());
        Self {
            lines: lines.flatten(),
            for_admin,
            as_of,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.lines.is_none()
    }

    /// Unpacks the lines.
    pub fn lines(&self) -> Option<NoticeLines> {
        wire::read(self.lines.as_deref()?).ok()
    }

    /// Whether they are worth reading again: that a channel is stuck, no event tells of.
    pub fn are_old(&self, now: DateTime<Utc>) -> bool {
        self.for_admin && now >= self.as_of + NOTICES_LAST
    }
}

/// The lines of [`Notices`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticeLines {
    /// Webhooks that were disabled by themselves. Only admins are told of any.
    pub given_up: Vec<WebhookRow>,
    /// Channels of Slack that nothing can be posted to while something waits for it.
    pub stuck: Vec<StuckChannel>,
    /// Decisions that are stored and not proven by their receipts.
    pub void: Vec<VoidDecision>,
    /// Tokens that end soon, or have just ended.
    pub ending: Vec<EndingToken>,
    /// Links by which an account could have been taken over; everybody is told of their own.
    pub links: Vec<LinkNotice>,
}

impl NoticeLines {
    fn is_empty(&self) -> bool {
        self.void.is_empty()
            && self.given_up.is_empty()
            && self.stuck.is_empty()
            && self.ending.is_empty()
            && self.links.is_empty()
    }
}

/// A decision whose row says something else than its receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VoidDecision {
    /// Of which interaction.
    pub id: InteractionId,
    /// The reason.
    pub why: String,
}

/// A channel of Slack that nothing can be posted to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StuckChannel {
    /// The channel, and what it is called.
    pub destination: Destination,
    /// Since when.
    pub since: DateTime<Utc>,
    /// Slack's error, and its remedy.
    pub error: String,
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeDelta};

    use super::{NoticeLines, Notices};

    #[test]
    fn only_admins_look_for_news_that_no_event_tells_of() {
        let as_of = DateTime::UNIX_EPOCH;
        let none = NoticeLines {
            given_up: Vec::new(),
            stuck: Vec::new(),
            void: Vec::new(),
            ending: Vec::new(),
            links: Vec::new(),
        };
        let notices = |for_admin| Notices::of(&none, for_admin, as_of);
        assert!(notices(true).is_empty());
        let after = |seconds| as_of + TimeDelta::seconds(seconds);
        assert!(!notices(true).are_old(after(29)));
        assert!(notices(true).are_old(after(30)));
        assert!(!notices(false).are_old(after(3_600)));
    }
}
