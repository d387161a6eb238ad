//! Events as the API tells of them. They are types of their own: what is stored is hashed with the journal and stays as
//! it is, whatever clients come to call it.

use chrono::{DateTime, Utc};
use domain::{
    Actor, AgentId, AgentRef, DeliveryEvent, DutyEvent, EndpointEvent, Event, EventId, GrantEvent,
    GrantId, Identity, InteractionEvent, InteractionId, JournalEvent, LadderEvent, MemoryEvent,
    MemoryId, Named, Part, Payload, PersonEvent, PolicyId, ReachEvent, Responder, Retry, SessionId,
    SlackId, Task, TaskEvent, TeamEvent, TeamId, TeamRef, Token, TokenEvent,
    access::{PersonRef, factor::FactorRef},
    delivery::{DisabledWhy, EndpointRef, ReachEnd, ReachKind, ReachRef},
    duty::{Absence, Override, Rota},
    event::SeenOn,
    interaction::{
        Answer, AnswerContent, Approver, CancelCode, Consumed, FormAnswers, Granted, Outcome,
        Posted, Remembered, ReportOutcome, Request, Unclaimed, Whom,
    },
    slack::Unseen,
    team::Profile,
};
use serde::Serialize;

use super::ladder_then::{LadderThen, QuietThen};

/// An event of the journal. Its schema is [`Event`](super::event_parts::Event).
#[derive(Serialize)]
pub(crate) struct EventBody<'a> {
    seq: i64,
    id: EventId,
    at: DateTime<Utc>,
    actor: &'a Actor,
    /// Whose interaction or task it is about.
    agent_id: Option<AgentId>,
    interaction_id: Option<InteractionId>,
    task_id: Option<&'a str>,
    #[serde(rename = "type")]
    event_type: &'static str,
    /// Whether its words are gone: what stands in their place nobody wrote.
    erased: bool,
    payload: PayloadBody<'a>,
}

/// What happened.
#[derive(Serialize)]
#[serde(untagged)]
enum PayloadBody<'a> {
    /// `interaction.requested`, `notification.sent`.
    Asked {
        agent: &'a AgentRef,
        request: &'a Request,
        /// The deadline; absent for a notification.
        #[serde(skip_serializing_if = "Option::is_none")]
        expires_at: Option<Option<DateTime<Utc>>>,
        /// The channel of Slack that it is shown in.
        #[serde(skip_serializing_if = "Option::is_none")]
        channel: Option<&'a str>,
        /// The team that it belongs to; absent = everyone.
        #[serde(skip_serializing_if = "Option::is_none")]
        team: Option<&'a TeamRef>,
        /// Whom of it the agent asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        to: Option<&'a Whom>,
        /// The standing approval that answers it at once.
        #[serde(skip_serializing_if = "Option::is_none")]
        granted: Option<&'a Granted>,
        /// The earlier answer that answers it at once.
        #[serde(skip_serializing_if = "Option::is_none")]
        remembered: Option<&'a Remembered>,
    },
    /// `interaction.claimed`: the actor is on it.
    Claimed {
        until: DateTime<Utc>,
        /// Whose claim an admin took over.
        #[serde(skip_serializing_if = "Option::is_none")]
        taken_from: Option<&'a Responder>,
    },
    /// `interaction.released`: `by` was on it.
    Released { by: &'a Responder, why: Unclaimed },
    /// `interaction.handed_over`.
    HandedOver {
        to: &'a Whom,
        /// Where it is another one than before.
        #[serde(skip_serializing_if = "Option::is_none")]
        team: Option<&'a TeamRef>,
        why: Option<&'a str>,
    },
    /// `interaction.moved`: to another team.
    Moved { team: &'a TeamRef },
    /// `interaction.posted`: its card is in Slack.
    Posted(&'a Posted),
    /// `interaction.progressed`: all that is answered of a form by now.
    Progressed { answers: &'a FormAnswers },
    /// `interaction.approval_given`: those who have approved by now; it takes more.
    Approved { approved: Vec<Approver> },
    /// `interaction.resolved`.
    Resolved {
        outcome: Outcome,
        answer: &'a Answer,
    },
    /// `interaction.expired`.
    Expired {
        outcome: Outcome,
        /// Whether the agent goes on with its fallback.
        fallback_used: bool,
        /// The fallback, when it is used.
        answer: Option<&'a AnswerContent>,
    },
    /// `interaction.cancelled`.
    Cancelled {
        reason: Option<&'a str>,
        /// Where nobody simply took it back.
        #[serde(skip_serializing_if = "Option::is_none")]
        code: Option<CancelCode>,
    },
    /// `interaction.answer_rejected`: somebody answered too late.
    AnswerRejected {
        /// How it had ended by then.
        outcome: Outcome,
        answer: &'a AnswerContent,
    },
    /// `interaction.consumed`.
    Consumed(&'a Consumed),
    /// `interaction.reported`.
    Reported {
        outcome: ReportOutcome,
        text: Option<&'a str>,
    },
    /// `interaction.remarked`: written in a card's thread, and no answer.
    Remarked { text: &'a str, why: Unseen },
    /// `interaction.erased`: the events whose words went.
    Erased { events: &'a [Named] },
    /// `interaction.reached`: a person was, whom agents do not learn of.
    Reached { by: ReachKind, rung: u32 },
    /// `interaction.climbed`: how many people were told, whom agents do not learn of.
    Climbed {
        rung: u32,
        told: usize,
        later: usize,
        unreached: usize,
    },
    /// `interaction.summed_up`: a person was told, together with other questions.
    SummedUp { rung: u32, others: u32 },
    /// `interaction.seen`: where.
    Seen { on: SeenOn },
    /// `interaction.follow_up`, `interaction.reply_edited`.
    Said { text: &'a str },
    /// `task.*`: as it is then.
    Task(&'a Task),
    /// `person.slack_linked`, `person.slack_unlinked`.
    SlackLink {
        person: &'a PersonRef,
        slack_id: &'a SlackId,
    },
    /// `person.identity_linked`, `person.identity_unlinked`.
    IdentityLink {
        person: &'a PersonRef,
        identity: &'a Identity,
    },
    /// `person.signed_in`.
    SignedIn {
        person: &'a PersonRef,
        session: SessionId,
        /// The provider that said who it is, if one did.
        #[serde(skip_serializing_if = "Option::is_none")]
        issuer: Option<&'a str>,
    },
    /// `person.signed_out`.
    SignedOut {
        person: &'a PersonRef,
        sessions: &'a [SessionId],
    },
    /// `person.sign_in_failed`: whose name was given, if somebody has it.
    SignInFailed { person: Option<&'a PersonRef> },
    /// `person.factor_*`: which; none when a recovery code was used.
    Factor {
        person: &'a PersonRef,
        factor: Option<&'a FactorRef>,
    },
    /// Everything else of a person.
    Person(&'a PersonRef),
    /// `token.*`.
    Token(&'a Token),
    /// `team.created`, `team.changed`.
    Team { id: TeamId, profile: &'a Profile },
    /// `team.deleted`, `duty.rota_cleared`.
    OfTeam(&'a TeamRef),
    /// `team.member_set`, `team.member_removed`; `duty.calendar_opened`, `duty.calendar_closed`.
    Member {
        team: &'a TeamRef,
        person: &'a PersonRef,
        /// What they may do, if they are a member.
        #[serde(skip_serializing_if = "Option::is_none")]
        part: Option<Part>,
    },
    /// `duty.rota_set`.
    Rota { team: &'a TeamRef, rota: &'a Rota },
    /// `duty.overridden`: others than the rota says.
    Overridden {
        team: &'a TeamRef,
        overrides: &'a [Override],
    },
    /// `duty.override_removed`.
    OverrideRemoved {
        team: &'a TeamRef,
        removed: &'a Override,
    },
    /// `duty.away_set`.
    Away {
        team: &'a TeamRef,
        absence: &'a Absence,
    },
    /// `duty.away_removed`.
    AwayRemoved {
        team: &'a TeamRef,
        removed: &'a Absence,
    },
    /// `team.home_set`, `team.opened`, `team.closed`: which agents ask it.
    TeamAgent {
        agent: &'a AgentRef,
        /// `null` = everyone.
        team: Option<&'a TeamRef>,
    },
    /// `endpoint.disabled`.
    EndpointDisabled {
        endpoint: &'a EndpointRef,
        why: DisabledWhy,
    },
    /// `ladder.set`.
    Ladder {
        /// `null` = everyone.
        team: Option<&'a TeamRef>,
        ladder: LadderThen,
    },
    /// `ladder.cleared`.
    LadderCleared {
        /// `null` = everyone.
        team: Option<&'a TeamRef>,
    },
    /// `ladder.quiet_hours_set`.
    QuietHours {
        person: &'a PersonRef,
        /// `null` = none any more.
        quiet: Option<QuietThen>,
    },
    /// `grant.made`.
    GrantMade {
        id: GrantId,
        made_from: InteractionId,
        by: &'a Responder,
        for_session: bool,
        expires_at: DateTime<Utc>,
        uses_max: u32,
    },
    /// `grant.revoked`.
    GrantRevoked { id: GrantId },
    /// `grant.ended`.
    GrantEnded { id: GrantId, why: &'static str },
    /// `memory.kept`.
    MemoryKept {
        id: MemoryId,
        made_from: InteractionId,
        by: &'a Responder,
        any_agent: bool,
        answered_at: DateTime<Utc>,
        expires_at: DateTime<Utc>,
    },
    /// `memory.revoked`.
    MemoryRevoked { id: MemoryId },
    /// `memory.ended`.
    MemoryEnded { id: MemoryId, why: &'static str },
    /// `policies.set`, `policies.loaded`.
    Policies {
        id: PolicyId,
        digest: &'a str,
        rules: &'a [String],
    },
    /// `journal.restored`.
    Restored {
        after: i64,
        signed: i64,
        number: i64,
    },
    /// `reach.ended`.
    ReachEnded { reach: &'a ReachRef, why: ReachEnd },
    /// `reach.changed`.
    ReachChanged { reach: &'a ReachRef, digest: bool },
    /// Everything else of a way to reach a person.
    Reach(&'a ReachRef),
    /// Everything else of an endpoint.
    Endpoint(&'a EndpointRef),
    /// `delivery.retried`: one, or those of a time.
    Retried(&'a Retry),
    /// `interaction.collected`, `interaction.called_back`, `interaction.agent_offline`: the type says it all.
    Nothing {},
}

impl<'a> EventBody<'a> {
    /// The event as clients see it.
    pub(crate) fn new(event: &'a Event) -> Self {
        Self {
            seq: event.seq,
            id: event.id,
            at: event.at,
            actor: &event.actor,
            agent_id: event.agent_id,
            interaction_id: event.interaction_id,
            task_id: event.task_id.as_deref(),
            event_type: event.payload.event_type(),
            erased: event.is_erased,
            payload: PayloadBody::from(&event.payload),
        }
    }
}

impl<'a> From<&'a Payload> for PayloadBody<'a> {
    fn from(payload: &'a Payload) -> Self {
        match payload {
            Payload::Interaction(event) => event.into(),
            Payload::Task(
                TaskEvent::Waiting(task)
                | TaskEvent::Running(task)
                | TaskEvent::Failed(task)
                | TaskEvent::Done(task),
            ) => Self::Task(task),
            Payload::Person(event) => event.into(),
            Payload::Token(
                TokenEvent::Created(token)
                | TokenEvent::Revoked(token)
                | TokenEvent::OwnerChanged(token),
            ) => Self::Token(token),
            Payload::Team(event) => event.into(),
            Payload::Duty(event) => event.into(),
            Payload::Endpoint(event) => event.into(),
            Payload::Grant(GrantEvent::Made(terms)) => Self::GrantMade {
                id: terms.id,
                made_from: terms.made_from,
                by: &terms.by,
                for_session: terms.for_session,
                expires_at: terms.expires_at,
                uses_max: terms.most,
            },
            Payload::Grant(GrantEvent::Revoked { id }) => Self::GrantRevoked { id: *id },
            Payload::Grant(GrantEvent::Ended { id, why }) => Self::GrantEnded {
                id: *id,
                why: why.name(),
            },
            Payload::Memory(MemoryEvent::Kept(terms)) => Self::MemoryKept {
                id: terms.id,
                made_from: terms.made_from,
                by: &terms.by,
                any_agent: terms.agent.is_none(),
                answered_at: terms.answered_at,
                expires_at: terms.expires_at,
            },
            Payload::Memory(MemoryEvent::Revoked { id }) => Self::MemoryRevoked { id: *id },
            Payload::Memory(MemoryEvent::Ended { id, why }) => Self::MemoryEnded {
                id: *id,
                why: why.name(),
            },
            Payload::Policy(event) => {
                let terms = event.terms();
                Self::Policies {
                    id: terms.id,
                    digest: &terms.digest,
                    rules: &terms.rules,
                }
            }
            Payload::Journal(JournalEvent::Restored(restored)) => Self::Restored {
                after: restored.after,
                signed: restored.signed,
                number: restored.number,
            },
            Payload::Ladder(LadderEvent::Set { team, ladder }) => Self::Ladder {
                team: team.as_ref(),
                ladder: ladder.into(),
            },
            Payload::Ladder(LadderEvent::Cleared { team }) => Self::LadderCleared {
                team: team.as_ref(),
            },
            Payload::Ladder(LadderEvent::QuietHoursSet { person, quiet }) => Self::QuietHours {
                person,
                quiet: quiet.as_ref().map(QuietThen::from),
            },
            Payload::Reach(ReachEvent::Ended { reach, why }) => {
                Self::ReachEnded { reach, why: *why }
            }
            Payload::Reach(ReachEvent::Changed { reach, digest }) => Self::ReachChanged {
                reach,
                digest: *digest,
            },
            Payload::Reach(
                ReachEvent::Added(reach) | ReachEvent::Proven(reach) | ReachEvent::Tested(reach),
            ) => Self::Reach(reach),
            Payload::Delivery(DeliveryEvent::Retried(which)) => Self::Retried(which),
        }
    }
}

impl<'a> From<&'a InteractionEvent> for PayloadBody<'a> {
    fn from(event: &'a InteractionEvent) -> Self {
        match event {
            InteractionEvent::Requested {
                agent,
                request,
                expires_at,
                channel,
                asked_under: _,
                team,
                to,
                granted,
                remembered,
            } => Self::Asked {
                agent,
                request,
                expires_at: Some(*expires_at),
                channel: channel.as_deref(),
                team: team.as_ref(),
                to: to.as_ref(),
                granted: granted.as_ref(),
                remembered: remembered.as_ref(),
            },
            InteractionEvent::Claimed { until, taken_from } => Self::Claimed {
                until: *until,
                taken_from: taken_from.as_ref(),
            },
            InteractionEvent::Released { by, why } => Self::Released { by, why: *why },
            InteractionEvent::HandedOver { whom, team, why } => Self::HandedOver {
                to: whom,
                team: team.as_ref(),
                why: why.as_deref(),
            },
            InteractionEvent::Moved { team } => Self::Moved { team },
            InteractionEvent::Notified {
                agent,
                request,
                channel,
                team,
            } => Self::Asked {
                agent,
                request,
                expires_at: None,
                channel: channel.as_deref(),
                team: team.as_ref(),
                to: None,
                granted: None,
                remembered: None,
            },
            InteractionEvent::Posted(posted) => Self::Posted(posted),
            InteractionEvent::Progressed { answers } => Self::Progressed { answers },
            InteractionEvent::Approved { votes } => Self::Approved {
                approved: votes.iter().map(Approver::from).collect(),
            },
            InteractionEvent::Resolved { outcome, answer } => Self::Resolved {
                outcome: *outcome,
                answer,
            },
            InteractionEvent::Expired {
                outcome,
                fallback_used,
                answer,
            } => Self::Expired {
                outcome: *outcome,
                fallback_used: *fallback_used,
                answer: answer.as_ref(),
            },
            InteractionEvent::Cancelled { reason, code } => Self::Cancelled {
                reason: reason.as_deref(),
                code: *code,
            },
            InteractionEvent::AnswerRejected { outcome, answer } => Self::AnswerRejected {
                outcome: *outcome,
                answer,
            },
            InteractionEvent::Consumed(consumed) => Self::Consumed(consumed),
            InteractionEvent::Reported { outcome, text } => Self::Reported {
                outcome: *outcome,
                text: text.as_deref(),
            },
            InteractionEvent::FollowedUp { text } | InteractionEvent::ReplyEdited { text } => {
                Self::Said { text }
            }
            InteractionEvent::Remarked { text, why } => Self::Remarked { text, why: *why },
            InteractionEvent::Climbed {
                rung, told, others, ..
            } => {
                let others = usize::try_from(*others).unwrap_or(usize::MAX);
                let now = told.iter().filter(|one| one.is_told()).count();
                let later = told.iter().filter(|one| one.held.is_some()).count();
                // Those who are told come first, so what is not named is of the last group that is.
                let unreached = told.len() - now - later;
                Self::Climbed {
                    rung: *rung,
                    told: now + if later + unreached == 0 { others } else { 0 },
                    later: later
                        + if later > 0 && unreached == 0 {
                            others
                        } else {
                            0
                        },
                    unreached: unreached + if unreached > 0 { others } else { 0 },
                }
            }
            InteractionEvent::SummedUp { rung, others, .. } => Self::SummedUp {
                rung: *rung,
                others: *others,
            },
            InteractionEvent::Seen { on } => Self::Seen { on: *on },
            InteractionEvent::Reached { by, rung, .. } => Self::Reached {
                by: *by,
                rung: *rung,
            },
            InteractionEvent::Erased(erasure) => Self::Erased {
                events: &erasure.events,
            },
            InteractionEvent::Collected {}
            | InteractionEvent::CalledBack {}
            | InteractionEvent::AgentOffline {} => Self::Nothing {},
        }
    }
}

impl<'a> From<&'a PersonEvent> for PayloadBody<'a> {
    fn from(event: &'a PersonEvent) -> Self {
        match event {
            PersonEvent::Invited(person)
            | PersonEvent::Linked(person)
            | PersonEvent::Changed(person)
            | PersonEvent::Disabled(person)
            | PersonEvent::Enabled(person)
            | PersonEvent::PasswordSet(person)
            | PersonEvent::RecoveryCodesMade(person)
            | PersonEvent::FactorsReset(person) => Self::Person(person),
            PersonEvent::FactorAdded { person, factor }
            | PersonEvent::FactorRemoved { person, factor } => Self::Factor {
                person,
                factor: Some(factor),
            },
            PersonEvent::FactorUsed { person, factor } => Self::Factor {
                person,
                factor: factor.as_ref(),
            },
            PersonEvent::SlackLinked { person, slack_id }
            | PersonEvent::SlackUnlinked { person, slack_id } => {
                Self::SlackLink { person, slack_id }
            }
            PersonEvent::IdentityLinked { person, identity }
            | PersonEvent::IdentityUnlinked { person, identity } => {
                Self::IdentityLink { person, identity }
            }
            PersonEvent::SignedIn {
                person,
                session,
                issuer,
            } => Self::SignedIn {
                person,
                session: *session,
                issuer: issuer.as_deref(),
            },
            PersonEvent::SignInFailed { person } => Self::SignInFailed {
                person: person.as_ref(),
            },
            PersonEvent::SignedOut { person, sessions } => Self::SignedOut { person, sessions },
        }
    }
}

impl<'a> From<&'a TeamEvent> for PayloadBody<'a> {
    fn from(event: &'a TeamEvent) -> Self {
        match event {
            TeamEvent::Created { id, profile } | TeamEvent::Changed { id, profile } => {
                Self::Team { id: *id, profile }
            }
            TeamEvent::Deleted(team) => Self::OfTeam(team),
            TeamEvent::MemberSet { team, person, part } => Self::Member {
                team,
                person,
                part: Some(*part),
            },
            TeamEvent::MemberRemoved { team, person } => Self::Member {
                team,
                person,
                part: None,
            },
            TeamEvent::HomeSet { agent, team } => Self::TeamAgent {
                agent,
                team: team.as_ref(),
            },
            TeamEvent::Opened { team, agent } | TeamEvent::Closed { team, agent } => {
                Self::TeamAgent {
                    agent,
                    team: Some(team),
                }
            }
        }
    }
}

impl<'a> From<&'a DutyEvent> for PayloadBody<'a> {
    fn from(event: &'a DutyEvent) -> Self {
        match event {
            DutyEvent::RotaSet { team, rota } => Self::Rota { team, rota },
            DutyEvent::RotaCleared(team) => Self::OfTeam(team),
            DutyEvent::Overridden { team, overrides } => Self::Overridden { team, overrides },
            DutyEvent::OverrideRemoved { team, removed } => Self::OverrideRemoved { team, removed },
            DutyEvent::AwaySet { team, absence } => Self::Away { team, absence },
            DutyEvent::AwayRemoved { team, removed } => Self::AwayRemoved { team, removed },
            DutyEvent::CalendarOpened { team, person }
            | DutyEvent::CalendarClosed { team, person } => Self::Member {
                team,
                person,
                part: None,
            },
        }
    }
}

impl<'a> From<&'a EndpointEvent> for PayloadBody<'a> {
    fn from(event: &'a EndpointEvent) -> Self {
        match event {
            EndpointEvent::Created(endpoint)
            | EndpointEvent::Changed(endpoint)
            | EndpointEvent::SecretRotated(endpoint)
            | EndpointEvent::Enabled(endpoint)
            | EndpointEvent::Deleted(endpoint)
            | EndpointEvent::Tested(endpoint) => Self::Endpoint(endpoint),
            EndpointEvent::Disabled { endpoint, why } => Self::EndpointDisabled {
                endpoint,
                why: *why,
            },
        }
    }
}
