//! The events of an interaction.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{
    access::PersonRef,
    delivery::ReachKind,
    digest::{Hash, read_hash, write_hash},
    idempotency::AskedUnder,
    interaction::{
        Answer, AnswerContent, CancelCode, Consumed, FormAnswers, Granted, Outcome, Posted,
        Remembered, ReportOutcome, Request, Unclaimed, Vote, Whom,
    },
    ladder::{Circle, Told},
    principal::{AgentRef, Responder},
    slack::Unseen,
    team::TeamRef,
};

/// An agent asked or told, a responder answered, or the agent was told. The names are hashed with
/// the journal and never change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "payload")]
pub enum InteractionEvent {
    /// An agent asked.
    #[serde(rename = "interaction.requested")]
    Requested {
        /// The agent that asked.
        agent: AgentRef,
        /// The request.
        request: Box<Request>,
        /// The deadline.
        expires_at: Option<DateTime<Utc>>,
        /// The channel of Slack that it is shown in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        channel: Option<String>,
        /// The idempotency key. Events from before this was kept have none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked_under: Option<AskedUnder>,
        /// The team that was asked; `None` = everyone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        team: Option<TeamRef>,
        /// Whom it is for, where the agent asked for somebody.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<Whom>,
        /// The standing approval that answers it at once: no person is told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        granted: Option<Granted>,
        /// The answer of a person to the same question, which answers it at once: no person is told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        remembered: Option<Remembered>,
    },
    /// An agent told something.
    #[serde(rename = "notification.sent")]
    Notified {
        /// The agent that told.
        agent: AgentRef,
        /// The notification.
        request: Box<Request>,
        /// The channel of Slack that it is shown in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        channel: Option<String>,
        /// The team that was told; `None` = everyone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        team: Option<TeamRef>,
    },
    /// An admin gave it to another team, which sees and answers it from now on.
    #[serde(rename = "interaction.moved")]
    Moved {
        /// The team.
        team: TeamRef,
    },
    /// A responder is on it; the actor says who.
    #[serde(rename = "interaction.claimed")]
    Claimed {
        /// Until then.
        until: DateTime<Utc>,
        /// Who was on it until now, where an admin took it over. Absent otherwise, and in events that are older than this field.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        taken_from: Option<Responder>,
    },
    /// The claim ends, and it is open.
    #[serde(rename = "interaction.released")]
    Released {
        /// Who was.
        by: Responder,
        /// Why no more.
        why: Unclaimed,
    },
    /// A responder handed it over; the actor says who. A claim ends with it.
    #[serde(rename = "interaction.handed_over")]
    HandedOver {
        /// Who gets it.
        whom: Whom,
        /// The team, where that is another one than before: it sees and answers it from now on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        team: Option<TeamRef>,
        /// Why, in their words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    /// Its card is in Slack.
    #[serde(rename = "interaction.posted")]
    Posted(Posted),
    /// A responder answered some questions of a form; the actor says who.
    #[serde(rename = "interaction.progressed")]
    Progressed {
        /// All that is answered by now.
        answers: FormAnswers,
    },
    /// One of several people has approved; the actor says who. It takes more.
    #[serde(rename = "interaction.approval_given")]
    Approved {
        /// The approvals that count by now, each of another person.
        votes: Vec<Vote>,
    },
    /// A responder answered; the actor says who.
    #[serde(rename = "interaction.resolved")]
    Resolved {
        /// How it ended.
        outcome: Outcome,
        /// The answer.
        answer: Answer,
    },
    /// The deadline passed.
    #[serde(rename = "interaction.expired")]
    Expired {
        /// `fallback` or `expired`.
        outcome: Outcome,
        /// Whether the agent goes on with its fallback.
        fallback_used: bool,
        /// The fallback, when it was used.
        answer: Option<AnswerContent>,
    },
    /// The agent or a person took it back.
    #[serde(rename = "interaction.cancelled")]
    Cancelled {
        /// Why, in the canceller's words.
        reason: Option<String>,
        /// Why, for programs, where nobody simply took it back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<CancelCode>,
    },
    /// Rule 1: a responder answered too late. The text is kept here, and changes nothing.
    #[serde(rename = "interaction.answer_rejected")]
    AnswerRejected {
        /// How the interaction had ended by then.
        outcome: Outcome,
        /// The late answer.
        answer: AnswerContent,
    },
    /// The agent took note of how it ended.
    #[serde(rename = "interaction.collected")]
    Collected {},
    /// Rule 13: the agent began the run that the approval was given for.
    #[serde(rename = "interaction.consumed")]
    Consumed(Box<Consumed>),
    /// The agent reported the result.
    #[serde(rename = "interaction.reported")]
    Reported {
        /// Done or failed.
        outcome: ReportOutcome,
        /// In the agent's words.
        text: Option<String>,
    },
    /// The agent's address took the news of how it ended.
    #[serde(rename = "interaction.called_back")]
    CalledBack {},
    /// The agent could not be called back, however often it was tried.
    #[serde(rename = "interaction.agent_offline")]
    AgentOffline {},
    /// A responder said more about a closed blocker. Its answer stays.
    #[serde(rename = "interaction.follow_up")]
    FollowedUp {
        /// The text, as written.
        text: String,
    },
    /// A responder changed their message in the thread of a card; the actor says who. The first
    /// version counts.
    #[serde(rename = "interaction.reply_edited")]
    ReplyEdited {
        /// How it reads now.
        text: String,
    },
    /// A responder wrote in the thread of an open blocker's card, and it is no answer: they need not have
    /// seen the question asked. It changes nothing.
    #[serde(rename = "interaction.remarked")]
    Remarked {
        /// The text, as written.
        text: String,
        /// Why it is none.
        why: Unseen,
    },
    /// A message about it arrived at a person's reach.
    #[serde(rename = "interaction.reached")]
    Reached {
        /// The person.
        person: PersonRef,
        /// By what.
        by: ReachKind,
        /// The rung that it was of.
        rung: u32,
    },
    /// Rule 17: a rung of its ladder was told.
    #[serde(rename = "interaction.climbed")]
    Climbed {
        /// Which rung, each counted as often as it comes; 0 is the first.
        rung: u32,
        /// Who it is for.
        whom: Circle,
        /// All of them, or the first of very many.
        told: Vec<Told>,
        /// How many more these are.
        #[serde(default, skip_serializing_if = "is_none")]
        others: u32,
    },
    /// What was held back from a person is told to them, with others.
    #[serde(rename = "interaction.summed_up")]
    SummedUp {
        /// The person.
        person: PersonRef,
        /// By what, each once.
        by: Vec<ReachKind>,
        /// The rung that would have told them.
        rung: u32,
        /// Together with how many others.
        others: u32,
    },
    /// A person has opened it, for the first time; the actor says who.
    #[serde(rename = "interaction.seen")]
    Seen {
        /// Where.
        on: SeenOn,
    },
    /// Rule 19: all that people and agents wrote in it is gone; the actor says who erased it, and is the clock where a
    /// setting did.
    #[serde(rename = "interaction.erased")]
    Erased(Box<Erasure>),
}

/// Where a person has opened it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeenOn {
    /// On the desk.
    Page,
    /// On the page of one question.
    Question,
    /// In Slack.
    Slack,
}

impl SeenOn {
    /// The name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Question => "question",
            Self::Slack => "slack",
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands it a reference"
)]
fn is_none(others: &u32) -> bool {
    *others == 0
}

/// The events whose words an erasure took. It is hashed in the chain, so no other event can be passed off as one whose
/// words were erased.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Erasure {
    /// In their order.
    pub events: Vec<Named>,
}

/// An event by its place and its hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// Its place.
    pub seq: i64,
    /// Its hash, which stays.
    #[serde(serialize_with = "write_hash", deserialize_with = "read_hash")]
    pub hash: Hash,
    /// The hash of what is left of it, where its own hash cannot show that: it covers the words themselves, as those
    /// of the first formats do.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_left",
        deserialize_with = "read_left"
    )]
    pub left: Option<Hash>,
}

fn write_left<S: Serializer>(left: &Option<Hash>, to: S) -> Result<S::Ok, S::Error> {
    match left {
        Some(left) => write_hash(left, to),
        None => to.serialize_none(),
    }
}

fn read_left<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Hash>, D::Error> {
    read_hash(from).map(Some)
}

impl InteractionEvent {
    /// The event type, as in SQL and JSON.
    pub fn event_type(&self) -> &'static str {
        match self {
            Self::Requested { .. } => "interaction.requested",
            Self::Notified { .. } => "notification.sent",
            Self::Moved { .. } => "interaction.moved",
            Self::Claimed { .. } => "interaction.claimed",
            Self::Released { .. } => "interaction.released",
            Self::HandedOver { .. } => "interaction.handed_over",
            Self::Posted(_) => "interaction.posted",
            Self::Progressed { .. } => "interaction.progressed",
            Self::Approved { .. } => "interaction.approval_given",
            Self::Resolved { .. } => "interaction.resolved",
            Self::Expired { .. } => "interaction.expired",
            Self::Cancelled { .. } => "interaction.cancelled",
            Self::AnswerRejected { .. } => "interaction.answer_rejected",
            Self::Collected {} => "interaction.collected",
            Self::Consumed(_) => "interaction.consumed",
            Self::Reported { .. } => "interaction.reported",
            Self::CalledBack {} => "interaction.called_back",
            Self::AgentOffline {} => "interaction.agent_offline",
            Self::FollowedUp { .. } => "interaction.follow_up",
            Self::ReplyEdited { .. } => "interaction.reply_edited",
            Self::Remarked { .. } => "interaction.remarked",
            Self::Reached { .. } => "interaction.reached",
            Self::Climbed { .. } => "interaction.climbed",
            Self::SummedUp { .. } => "interaction.summed_up",
            Self::Seen { .. } => "interaction.seen",
            Self::Erased(_) => "interaction.erased",
        }
    }

    /// The types of event of which an interaction has one at most, if this is such a one: it ends once (rule 1), and
    /// is consumed once (rule 13).
    pub fn once(&self) -> Option<&'static [&'static str]> {
        match self {
            event if event.closes() => Some(&[
                "interaction.resolved",
                "interaction.expired",
                "interaction.cancelled",
            ]),
            Self::Consumed(_) => Some(&["interaction.consumed"]),
            Self::Erased(_) => Some(&["interaction.erased"]),
            _ => None,
        }
    }

    /// Whether it closes its interaction.
    pub fn closes(&self) -> bool {
        matches!(
            self,
            Self::Resolved { .. } | Self::Expired { .. } | Self::Cancelled { .. }
        )
    }
}
