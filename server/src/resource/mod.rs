//! What the API returns. Nulls are kept, so clients need no guessing.

mod event;
pub(crate) mod event_parts;
mod ladder_then;
pub(crate) mod names;
pub(crate) mod parts;
pub(crate) mod shapes;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{
    AgentRef, Interaction, InteractionId, PersonId, Responder, TraceParent,
    attachment::Attachment,
    interaction::{
        Action, Addressee, AgentPresence, Amended, AnswerContent, Approver, Ask, Callback,
        CancelCode, ChoiceOption, Claim, Consumed, FollowUp, FormAnswer, FormAnswers, FormQuestion,
        Kind, Level, Mode, Outcome, PlanDecision, Priority, Quorum, Remembered, Report, Ruled,
        State, TargetMode, TaskRef, Whom,
    },
    json::AnyJson,
};
pub(crate) use event::EventBody;
use serde::Serialize;
use utoipa::ToSchema;

/// What state an interaction may be in.
pub(crate) const STATES: [&str; 4] = ["pending", "resolved", "expired", "cancelled"];

/// An interaction. What does not belong to its kind is `null`.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = Interaction)]
pub struct InteractionBody {
    #[schema(value_type = Uuid)]
    id: InteractionId,
    /// 1 when asked, one more with every change.
    version: i64,
    #[schema(value_type = names::Kind)]
    kind: Kind,
    #[schema(value_type = names::Mode)]
    mode: Mode,
    #[schema(value_type = names::State)]
    state: &'static str,
    #[schema(value_type = Option<names::Outcome>)]
    outcome: Option<Outcome>,
    /// For an approval: `true` only if a receipt proves that somebody approved it in time.
    approved: Option<bool>,
    title: Option<String>,
    /// In markdown.
    prompt: String,
    /// For a choice.
    #[schema(value_type = Option<Vec<parts::ChoiceOption>>)]
    options: Option<Vec<ChoiceOption>>,
    /// For a choice.
    multiple: Option<bool>,
    /// For a form.
    #[schema(value_type = Option<Vec<parts::FormQuestion>>)]
    questions: Option<Vec<FormQuestion>>,
    /// For an approval.
    #[schema(value_type = Option<parts::Action>)]
    action: Option<Action>,
    /// For an approval: `sha256:` and the hex of SHA-256 over the RFC 8785 form of `action`.
    action_digest: Option<String>,
    /// For an approval: what of its arguments may be changed before it is approved, as the agent said; `null` = nothing.
    #[schema(value_type = Option<parts::Amendable>)]
    amendable: Option<AnyJson>,
    /// For an approval: how many people have to approve it, and who counts; `null` = whoever may answer, one.
    #[schema(value_type = Option<parts::Quorum>)]
    approvals: Option<Quorum>,
    /// For an approval: what the policies said of it when it was asked; `null` = nothing.
    #[schema(value_type = Option<parts::Ruled>)]
    ruled: Option<Box<Ruled>>,
    /// For an approval: the arguments to go on with instead of those of `action`, and the digest of the action with them.
    /// `null` = it is approved as asked, or not at all. Never there unless the agent asked with `amendable`.
    #[schema(value_type = Option<parts::Amended>)]
    amended: Option<Amended>,
    /// For a plan review, in markdown.
    plan: Option<String>,
    /// For a plan review: the id of the earlier plan that it takes the place of.
    #[schema(value_type = Option<Uuid>)]
    revises: Option<InteractionId>,
    /// For a notification.
    #[schema(value_type = Option<names::Level>)]
    level: Option<Level>,
    #[schema(value_type = parts::Agent)]
    agent: AgentRef,
    /// The name of the team that was asked; `null` = everyone.
    team: Option<String>,
    /// Whom it is for, if an agent or a person said so. Others who may answer it still may.
    #[schema(value_type = Option<parts::Addressee>)]
    to: Option<AddresseeBody>,
    /// Who is on it, and until when.
    #[schema(value_type = Option<parts::Claim>)]
    claim: Option<Claim>,
    session_id: Option<String>,
    #[schema(value_type = Option<parts::NamedTask>)]
    task: Option<TaskRef>,
    #[schema(value_type = names::Priority)]
    priority: Priority,
    created_at: DateTime<Utc>,
    /// The deadline; `null` = never.
    expires_at: Option<DateTime<Utc>>,
    closed_at: Option<DateTime<Utc>>,
    /// The name of who answered it or took it back; `null` if the deadline did.
    closed_by: Option<String>,
    /// Why it was taken back, in the words of who did.
    cancel_reason: Option<String>,
    /// Why, for programs, where nobody simply took it back: somebody dismissed it while its agent was offline, or the
    /// session ended in which it was asked.
    #[schema(value_type = Option<names::CancelCode>)]
    cancel_code: Option<CancelCode>,
    /// Whether it is taken back when its session ends.
    withdraw_on_disconnect: bool,
    /// When the agent was last there for it: told of a single interaction that is pending, to others than its agent.
    agent_seen_at: Option<DateTime<Utc>>,
    /// Whether that is so long ago that nobody seems to wait for the answer; told as `agent_seen_at`.
    agent_offline: Option<bool>,
    /// When the agent confirmed that it has the answer.
    collected_at: Option<DateTime<Utc>>,
    /// For an approval: the run that consumed it. There is no second one.
    #[schema(value_type = Option<parts::Consumed>)]
    consumed: Option<Consumed>,
    /// What the agent says came of it.
    #[schema(value_type = Option<parts::Report>)]
    report: Option<Report>,
    /// What came of calling the agent back: `{"state": "delivered" | "offline", "at"}`.
    #[schema(value_type = Option<parts::Callback>)]
    callback: Option<Callback>,
    #[schema(value_type = Option<parts::Fallback>)]
    fallback: Option<FallbackBody>,
    /// Whether the answer is the fallback.
    fallback_used: bool,
    /// The files that were sent with it, in their order.
    #[schema(value_type = Vec<parts::Attachment>)]
    attachments: Vec<Attachment>,
    /// Of what is still pending: what is answered of a form, or who has approved of those that it takes several of.
    #[schema(value_type = Option<parts::Progress>)]
    progress: Option<ProgressBody>,
    answer: Option<AnswerBody>,
    #[schema(value_type = Vec<parts::FollowUp>)]
    follow_ups: Vec<FollowUp>,
    /// Ready to be put into the agent's context, once there is an answer.
    resume_prompt: Option<String>,
    /// Where a person answers it.
    dashboard_url: String,
    /// Where it is in Slack, for people who are there.
    slack_permalink: Option<String>,
    /// As the agent sent it.
    #[schema(value_type = Option<parts::AnyObject>, inline)]
    metadata: Option<AnyJson>,
    /// The place in the agent's trace at which it asked (W3C Trace Context), if it named one.
    #[schema(value_type = Option<names::TraceParent>)]
    traceparent: Option<TraceParent>,
    /// Once all that was written in it is erased: who did it, and when. Then there is no answer, and an approval is not
    /// approved, whatever the outcome was.
    #[schema(value_type = Option<parts::Erased>)]
    erased: Option<ErasedBody>,
}

/// Who erased what was written.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct ErasedBody {
    at: DateTime<Utc>,
    /// `null` when a setting did.
    by: Option<String>,
}

/// Whom it is for.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct AddresseeBody {
    #[serde(rename = "type")]
    kind: &'static str,
    /// Of a person.
    id: Option<PersonId>,
    /// Of a person.
    name: Option<String>,
    since: DateTime<Utc>,
    /// The name of who handed it over to them; `null` when the agent asked for them.
    by: Option<String>,
    why: Option<String>,
}

impl From<Addressee> for AddresseeBody {
    fn from(addressee: Addressee) -> Self {
        let (kind, id, name) = match addressee.whom {
            Whom::Person { id, name } => ("person", Some(id), Some(name)),
            Whom::Duty => ("duty", None, None),
            Whom::Team => ("team", None, None),
        };
        let (by, why) = match addressee.handed {
            Some(handed) => (Some(handed.by.name), handed.why),
            None => (None, None),
        };
        Self {
            kind,
            id,
            name,
            since: addressee.since,
            by,
            why,
        }
    }
}

/// What belongs to the kind; `null` for the others.
#[derive(Default)]
struct AskedBody {
    options: Option<Vec<ChoiceOption>>,
    multiple: Option<bool>,
    questions: Option<Vec<FormQuestion>>,
    action: Option<Action>,
    action_digest: Option<String>,
    amendable: Option<AnyJson>,
    approvals: Option<Quorum>,
    plan: Option<String>,
    revises: Option<InteractionId>,
    level: Option<Level>,
}

/// How far what is pending has come.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
enum ProgressBody {
    Form(FormAnswers),
    Approvals {
        needed: u32,
        approved: Vec<Approver>,
    },
}

/// How far it has come, if it is of those that are answered in several steps.
fn progress(interaction: &Interaction) -> Option<ProgressBody> {
    let answers = interaction.progress()?;
    if let Some(quorum) = interaction.quorum() {
        return Some(ProgressBody::Approvals {
            needed: quorum.needed,
            approved: interaction.votes().iter().map(Approver::from).collect(),
        });
    }
    let is_form = interaction.request.kind() == Kind::Form;
    is_form.then(|| ProgressBody::Form(answers.clone()))
}

/// The fallback as the agent sent it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
enum FallbackBody {
    One(String),
    Several(Vec<String>),
    Form(BTreeMap<String, FormAnswer>),
}

/// The answer the agent goes on with. What does not belong to the kind is `null`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
#[schema(as = Answer)]
struct AnswerBody {
    /// To a question; a comment on an approval.
    text: Option<String>,
    /// To a choice: values of its options.
    selected: Option<Vec<String>>,
    /// To a form.
    #[schema(value_type = Option<parts::FormAnswers>)]
    answers: Option<FormAnswers>,
    #[schema(value_type = Option<names::PlanDecision>)]
    decision: Option<PlanDecision>,
    /// To a plan review: all that was said of it, the comments with their places at the end.
    feedback: Option<String>,
    /// To a plan review: the comments once more, by their places, in the order of the plan.
    #[schema(value_type = Option<Vec<parts::PlanComment>>)]
    comments: Option<Vec<CommentBody>>,
    /// To a plan review: whether the agent drops its context.
    clear_context: Option<bool>,
    #[schema(value_type = Option<names::TargetMode>)]
    target_mode: Option<TargetMode>,
    /// `null` when it is the fallback.
    #[schema(value_type = Option<parts::Responder>)]
    responder: Option<Responder>,
    /// The files that were sent with it, in their order.
    #[schema(value_type = Vec<parts::Attachment>)]
    attachments: Vec<Attachment>,
    /// Of an approval that takes several people: all who approved, the last one `responder`.
    #[schema(value_type = Option<Vec<parts::Approver>>)]
    approvers: Option<Vec<Approver>>,
    /// Where nobody was asked, since `responder` had answered the same question before and let the answer stand: when. `null`
    /// for an answer to this very question.
    #[schema(value_type = Option<parts::Remembered>)]
    remembered: Option<Remembered>,
    answered_at: DateTime<Utc>,
}

/// Words on some lines of a plan.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct CommentBody {
    line: usize,
    to_line: usize,
    /// The beginning of these lines.
    quote: String,
    text: String,
}

impl InteractionBody {
    /// The interaction as clients see it.
    pub fn new(interaction: Interaction, public_url: &str) -> Self {
        let resume_prompt = interaction.resume_prompt();
        let approved = interaction.approved();
        let progress = progress(&interaction);
        let amended = interaction.amended().cloned();
        let approvers = interaction
            .receipt()
            .map(|receipt| receipt.decision.approvers.clone())
            .filter(|approvers| !approvers.is_empty());
        let remembered = interaction.remembered().copied();
        let state = &interaction.state;
        let closed_at = state.closed_at();
        let answer = interaction
            .answer()
            .zip(closed_at)
            .map(|(content, answered_at)| AnswerBody {
                responder: match state {
                    State::Resolved { answer } => Some(answer.responder.clone()),
                    _ => None,
                },
                answered_at,
                attachments: match state {
                    State::Resolved { answer } => answer.attachments.clone(),
                    _ => Vec::new(),
                },
                approvers,
                remembered,
                feedback: content.feedback(&interaction.request.ask),
                comments: comments(content, &interaction.request.ask),
                ..AnswerBody::from(content.clone())
            });
        let closed_by = state.closed_by().map(str::to_owned);
        let (cancel_reason, cancel_code) = match state {
            State::Cancelled { reason, code, .. } => (reason.clone(), *code),
            _ => (None, None),
        };
        let posted = interaction.card.and_then(|card| card.posted);
        let permalink = posted.and_then(|posted| posted.permalink);
        let request = interaction.request;
        let attachments = request.attached().to_vec();
        let several = matches!(&request.ask, Ask::Choice(choice) if choice.multiple);
        let kind = request.ask.kind();
        let erased = interaction.erased.map(|erased| ErasedBody {
            at: erased.at,
            by: erased.by.name().map(str::to_owned),
        });
        let mut asked = AskedBody::from(request.ask);
        if erased.is_some() {
            // Blanks would read as if it had been asked so.
            asked = AskedBody {
                action_digest: asked.action_digest,
                approvals: asked.approvals,
                multiple: asked.multiple,
                revises: asked.revises,
                level: asked.level,
                ..AskedBody::default()
            };
        }
        Self {
            id: interaction.id,
            version: interaction.version,
            kind,
            mode: request.mode,
            state: interaction.state.name(),
            outcome: interaction.state.outcome(),
            approved,
            title: request.title,
            prompt: request.prompt,
            options: asked.options,
            multiple: asked.multiple,
            questions: asked.questions,
            action: asked.action,
            action_digest: asked.action_digest,
            amendable: asked.amendable,
            approvals: asked.approvals,
            ruled: request.ruled,
            amended,
            plan: asked.plan,
            revises: asked.revises,
            level: asked.level,
            agent: interaction.agent,
            team: interaction.team.map(|team| team.name),
            to: interaction.to.map(AddresseeBody::from),
            claim: interaction.claim,
            session_id: request.session_id,
            task: request.task,
            priority: request.priority,
            created_at: interaction.created_at,
            expires_at: interaction.expires_at,
            closed_at,
            closed_by,
            cancel_reason,
            cancel_code,
            withdraw_on_disconnect: request.withdraw_on_disconnect,
            agent_seen_at: None,
            agent_offline: None,
            collected_at: interaction.collected_at,
            consumed: interaction.consumed,
            report: interaction.report,
            callback: interaction.callback,
            fallback: request
                .fallback
                .filter(|_| erased.is_none())
                .and_then(|content| fallback(content, several)),
            fallback_used: interaction.state.outcome() == Some(Outcome::Fallback),
            attachments,
            progress,
            answer,
            follow_ups: match &erased {
                None => interaction.follow_ups,
                Some(_) => Vec::new(),
            },
            resume_prompt,
            dashboard_url: dashboard_url(public_url, interaction.id),
            slack_permalink: permalink,
            metadata: request.metadata,
            traceparent: request.trace,
            erased,
        }
    }

    /// With what is known of its agent.
    pub fn with_presence(self, presence: Option<AgentPresence>) -> Self {
        Self {
            agent_seen_at: presence.map(|it| it.seen_at),
            agent_offline: presence.map(|it| it.offline),
            ..self
        }
    }
}

/// Where a person answers it.
pub(crate) fn dashboard_url(public_url: &str, id: InteractionId) -> String {
    format!("{public_url}/blockers/{id}")
}

impl From<Ask> for AskedBody {
    fn from(ask: Ask) -> Self {
        let none = Self::default();
        match ask {
            Ask::Question | Ask::Acknowledgement => none,
            Ask::Choice(choice) => Self {
                options: Some(choice.options),
                multiple: Some(choice.multiple),
                ..none
            },
            Ask::Approval {
                action,
                action_digest,
                amendable,
                approvals,
            } => Self {
                action: Some(action),
                action_digest: Some(action_digest),
                amendable: amendable.map(|it| AnyJson(it.as_sent())),
                approvals,
                ..none
            },
            Ask::PlanReview { plan, revises } => Self {
                plan: Some(plan),
                revises,
                ..none
            },
            Ask::Form { questions } => Self {
                questions: Some(questions),
                ..none
            },
            Ask::Notification { level } => Self {
                level: Some(level),
                ..none
            },
        }
    }
}

impl From<AnswerContent> for AnswerBody {
    fn from(content: AnswerContent) -> Self {
        let none = Self::default();
        match content {
            AnswerContent::Text { text } => Self {
                text: Some(text),
                ..none
            },
            AnswerContent::Selected { selected } => Self {
                selected: Some(selected),
                ..none
            },
            AnswerContent::Acknowledged => none,
            AnswerContent::Approval { text, .. } => Self { text, ..none },
            // What was said of it takes the plan to tell.
            AnswerContent::Plan { decision, .. } => Self {
                decision: Some(decision),
                clear_context: Some(decision.clear_context()),
                target_mode: decision.target_mode(),
                ..none
            },
            AnswerContent::Form { answers } => Self {
                answers: Some(answers),
                ..none
            },
        }
    }
}

/// The comments on a plan, with the lines that they are about.
fn comments(content: &AnswerContent, ask: &Ask) -> Option<Vec<CommentBody>> {
    let (AnswerContent::Plan { comments, .. }, Ask::PlanReview { plan, .. }) = (content, ask)
    else {
        return None;
    };
    let comments = comments.iter().map(|comment| CommentBody {
        line: *comment.lines().start(),
        to_line: *comment.lines().end(),
        quote: comment.quote(plan),
        text: comment.text.clone(),
    });
    Some(comments.collect())
}

/// Only questions, choices and forms have one.
fn fallback(content: AnswerContent, several: bool) -> Option<FallbackBody> {
    match content {
        AnswerContent::Text { text } => Some(FallbackBody::One(text)),
        AnswerContent::Selected { mut selected } if !several => {
            selected.pop().map(FallbackBody::One)
        }
        AnswerContent::Selected { selected } => Some(FallbackBody::Several(selected)),
        AnswerContent::Form { answers } => Some(FallbackBody::Form(answers)),
        AnswerContent::Acknowledged
        | AnswerContent::Approval { .. }
        | AnswerContent::Plan { .. } => None,
    }
}
