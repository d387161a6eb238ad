//! The journal: every change is an event, every event is chained to the one before it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    access::{PersonRef, SlackId, Token},
    changeset::Retry,
    delivery::{DisabledWhy, EndpointRef},
    ids::{AgentId, EventId, InteractionId, SessionId},
    interaction::{
        Answer, AnswerContent, Consumed, FormAnswers, Outcome, Posted, ReportOutcome, Request,
    },
    principal::{Actor, AgentRef},
    slack::Unseen,
    task::{Task, TaskStatus},
};

/// An event that is decided but not yet committed: it has no place in the journal yet.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEvent {
    /// Its id.
    pub id: EventId,
    /// When it happened.
    pub at: DateTime<Utc>,
    /// Who caused it.
    pub actor: Actor,
    /// Whose interaction or task it is about: that agent sees the event.
    pub agent_id: Option<AgentId>,
    /// The interaction it belongs to.
    pub interaction_id: Option<InteractionId>,
    /// The agent's task it belongs to.
    pub task_id: Option<String>,
    /// What happened.
    pub payload: Payload,
}

/// One row of the journal.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// Its place: 1 for the first, without gaps, in the order of commits.
    pub seq: i64,
    /// Its id.
    pub id: EventId,
    /// When it happened.
    pub at: DateTime<Utc>,
    /// Who caused it.
    pub actor: Actor,
    /// Whose interaction or task it is about: that agent sees the event.
    pub agent_id: Option<AgentId>,
    /// The interaction it belongs to.
    pub interaction_id: Option<InteractionId>,
    /// The agent's task it belongs to.
    pub task_id: Option<String>,
    /// What happened; `type` and `payload` in JSON.
    #[serde(flatten)]
    pub payload: Payload,
}

/// What happened. The names are API.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "payload")]
pub enum Payload {
    /// An agent asked.
    #[serde(rename = "interaction.requested")]
    Requested {
        /// Who asked.
        agent: AgentRef,
        /// What was asked.
        request: Box<Request>,
        /// The deadline.
        expires_at: Option<DateTime<Utc>>,
        /// The channel of Slack that it is shown in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        channel: Option<String>,
    },
    /// An agent told something.
    #[serde(rename = "notification.sent")]
    Notified {
        /// Who told.
        agent: AgentRef,
        /// What was told.
        request: Box<Request>,
        /// The channel of Slack that it is shown in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        channel: Option<String>,
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
    },
    /// Rule 1: somebody answered too late. Their text is kept here, and changes nothing.
    #[serde(rename = "interaction.answer_rejected")]
    AnswerRejected {
        /// How the interaction had ended by then.
        outcome: Outcome,
        /// What they would have answered.
        answer: AnswerContent,
    },
    /// The agent took note of how it ended.
    #[serde(rename = "interaction.collected")]
    Collected {},
    /// Rule 13: the agent began the run that the approval was given for.
    #[serde(rename = "interaction.consumed")]
    Consumed(Box<Consumed>),
    /// The agent said what came of it.
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
        /// What they said.
        text: String,
    },
    /// A responder changed what they had written in the thread of a card; the actor says who. What it was
    /// when it came counts.
    #[serde(rename = "interaction.reply_edited")]
    ReplyEdited {
        /// How it reads now.
        text: String,
    },
    /// A responder wrote in the thread of an open blocker's card, and it is no answer: they need not have
    /// seen what was asked. It changes nothing.
    #[serde(rename = "interaction.remarked")]
    Remarked {
        /// What they wrote.
        text: String,
        /// Why it is none.
        why: Unseen,
    },
    /// A task waits for a person.
    #[serde(rename = "task.waiting")]
    TaskWaiting(Box<Task>),
    /// A task goes on.
    #[serde(rename = "task.running")]
    TaskRunning(Box<Task>),
    /// A task cannot go on.
    #[serde(rename = "task.failed")]
    TaskFailed(Box<Task>),
    /// A task is finished.
    #[serde(rename = "task.done")]
    TaskDone(Box<Task>),
    /// An admin invited somebody.
    #[serde(rename = "person.invited")]
    PersonInvited(PersonRef),
    /// An admin made somebody a new link, by which whoever has it sets their password.
    #[serde(rename = "person.linked")]
    PersonLinked(PersonRef),
    /// An admin gave somebody another name or role.
    #[serde(rename = "person.changed")]
    PersonChanged(PersonRef),
    /// An admin keeps somebody out.
    #[serde(rename = "person.disabled")]
    PersonDisabled(PersonRef),
    /// An admin lets somebody in again.
    #[serde(rename = "person.enabled")]
    PersonEnabled(PersonRef),
    /// Somebody set their password.
    #[serde(rename = "person.password_set")]
    PersonPasswordSet(PersonRef),
    /// Somebody is this user of Slack from now on, and no other; the actor says who says so.
    #[serde(rename = "person.slack_linked")]
    PersonSlackLinked {
        /// Who.
        person: PersonRef,
        /// Their id there.
        slack_id: SlackId,
    },
    /// Somebody is nobody in Slack any more.
    #[serde(rename = "person.slack_unlinked")]
    PersonSlackUnlinked {
        /// Who.
        person: PersonRef,
        /// Their id there until now.
        slack_id: SlackId,
    },
    /// Somebody came in with a browser.
    #[serde(rename = "person.signed_in")]
    PersonSignedIn {
        /// Who.
        person: PersonRef,
        /// Names the browser from now on.
        session: SessionId,
    },
    /// A wrong password was given. The actor is a stranger, or the person whose browser it was given in.
    #[serde(rename = "person.sign_in_failed")]
    PersonSignInFailed {
        /// Whose name was given. Of a name that nobody has nothing is kept: it may be a password.
        person: Option<PersonRef>,
    },
    /// Somebody ended browsers of theirs.
    #[serde(rename = "person.signed_out")]
    PersonSignedOut {
        /// Who.
        person: PersonRef,
        /// Which.
        sessions: Vec<SessionId>,
    },
    /// An admin made a token.
    #[serde(rename = "token.created")]
    TokenCreated(Token),
    /// An admin ended a token.
    #[serde(rename = "token.revoked")]
    TokenRevoked(Token),
    /// Somebody made a webhook endpoint.
    #[serde(rename = "endpoint.created")]
    EndpointCreated(EndpointRef),
    /// An endpoint has another address.
    #[serde(rename = "endpoint.changed")]
    EndpointChanged(EndpointRef),
    /// An endpoint has another secret.
    #[serde(rename = "endpoint.secret_rotated")]
    EndpointSecretRotated(EndpointRef),
    /// Nothing is sent to an endpoint any more.
    #[serde(rename = "endpoint.disabled")]
    EndpointDisabled {
        /// Which.
        endpoint: EndpointRef,
        /// Why.
        why: DisabledWhy,
    },
    /// An endpoint is sent to again.
    #[serde(rename = "endpoint.enabled")]
    EndpointEnabled(EndpointRef),
    /// Somebody took an endpoint away.
    #[serde(rename = "endpoint.deleted")]
    EndpointDeleted(EndpointRef),
    /// Somebody wants to see whether an endpoint works.
    #[serde(rename = "endpoint.tested")]
    EndpointTested(EndpointRef),
    /// Somebody had deliveries tried again.
    #[serde(rename = "delivery.retried")]
    DeliveryRetried(Retry),
}

impl Payload {
    /// The event type, as in SQL and JSON.
    pub fn event_type(&self) -> &'static str {
        match self {
            Self::Requested { .. } => "interaction.requested",
            Self::Notified { .. } => "notification.sent",
            Self::Posted(_) => "interaction.posted",
            Self::Progressed { .. } => "interaction.progressed",
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
            Self::TaskWaiting(_) => "task.waiting",
            Self::TaskRunning(_) => "task.running",
            Self::TaskFailed(_) => "task.failed",
            Self::TaskDone(_) => "task.done",
            Self::PersonInvited(_) => "person.invited",
            Self::PersonLinked(_) => "person.linked",
            Self::PersonChanged(_) => "person.changed",
            Self::PersonDisabled(_) => "person.disabled",
            Self::PersonEnabled(_) => "person.enabled",
            Self::PersonPasswordSet(_) => "person.password_set",
            Self::PersonSlackLinked { .. } => "person.slack_linked",
            Self::PersonSlackUnlinked { .. } => "person.slack_unlinked",
            Self::PersonSignedIn { .. } => "person.signed_in",
            Self::PersonSignInFailed { .. } => "person.sign_in_failed",
            Self::PersonSignedOut { .. } => "person.signed_out",
            Self::TokenCreated(_) => "token.created",
            Self::TokenRevoked(_) => "token.revoked",
            Self::EndpointCreated(_) => "endpoint.created",
            Self::EndpointChanged(_) => "endpoint.changed",
            Self::EndpointSecretRotated(_) => "endpoint.secret_rotated",
            Self::EndpointDisabled { .. } => "endpoint.disabled",
            Self::EndpointEnabled(_) => "endpoint.enabled",
            Self::EndpointDeleted(_) => "endpoint.deleted",
            Self::EndpointTested(_) => "endpoint.tested",
            Self::DeliveryRetried(_) => "delivery.retried",
        }
    }

    /// Tells of a task's status.
    pub(crate) fn task(task: Task) -> Self {
        let variant = match task.status {
            TaskStatus::Waiting => Self::TaskWaiting,
            TaskStatus::Running => Self::TaskRunning,
            TaskStatus::Failed { .. } => Self::TaskFailed,
            TaskStatus::Done => Self::TaskDone,
        };
        variant(Box::new(task))
    }

    /// Whether somebody who was let in may have to leave.
    pub fn ends_access(&self) -> bool {
        matches!(
            self,
            Self::PersonChanged(_)
                | Self::PersonDisabled(_)
                | Self::PersonPasswordSet(_)
                | Self::PersonSignedOut { .. }
                | Self::TokenRevoked(_)
        )
    }

    /// Whether this event closes its interaction.
    pub fn closes(&self) -> bool {
        matches!(
            self,
            Self::Resolved { .. } | Self::Expired { .. } | Self::Cancelled { .. }
        )
    }
}
