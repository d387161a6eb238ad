//! The words of cards: those of the dashboard. Everything from outside is short and on one line here.

use chrono::{DateTime, Utc};
use domain::{
    Interaction, State, Via,
    interaction::{
        Answer, AnswerContent, Ask, Callback, Counted, Kind, Level, Mode, Outcome, PlanDecision,
        Priority, ReportOutcome, Request, Whom, differences,
    },
};

use super::text::{cut, on_one_line, one_line, prose};

/// The longest name of an agent, a person or a session that is shown.
pub(super) const NAME: usize = 80;
/// The longest line about something else.
const LINE: usize = 150;
/// The longest report that is shown.
const REPORT: usize = 300;

/// The heading for this kind of card.
pub(super) fn heading(kind: Kind) -> &'static str {
    match kind {
        Kind::Question => "Agent Question",
        Kind::Choice => "Agent Needs Decision",
        Kind::Acknowledgement => "Agent Status - Confirm",
        Kind::Approval => "Agent Needs Approval",
        Kind::PlanReview => "Agent Plan for Review",
        Kind::Form => "Agent Form",
        Kind::Notification => "Agent Update",
    }
}

/// This kind, in a list.
pub(super) fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Question => "Question",
        Kind::Choice => "Choice",
        Kind::Acknowledgement => "Acknowledgement",
        Kind::Approval => "Approval",
        Kind::PlanReview => "Plan",
        Kind::Form => "Form",
        Kind::Notification => "Notification",
    }
}

/// How it ended; `None` while it waits, and for one that never did.
pub(super) fn outcome(state: &State) -> Option<&'static str> {
    ended(state.outcome()?)
}

/// The same, by the outcome; `None` for what was only told.
pub(super) fn ended(outcome: Outcome) -> Option<&'static str> {
    Some(match outcome {
        Outcome::Delivered => return None,
        Outcome::Answered => "Answered",
        Outcome::Approved => "Approved",
        Outcome::Denied => "Denied",
        Outcome::Proceed => "Proceed",
        Outcome::ProceedClean => "Proceed, clean",
        Outcome::ProceedDefault => "Proceed, ask first",
        Outcome::Adjust => "Adjust",
        Outcome::Fallback => "Fallback used",
        Outcome::Expired => "Expired",
        Outcome::Cancelled => "Taken back",
        Outcome::Void => "Void",
    })
}

pub(super) fn agent(interaction: &Interaction) -> String {
    one_line(&interaction.agent.name, NAME)
}

/// Of a plan that takes the place of an earlier one. Nothing here compares them: a decision covers the plan, which stands
/// here whole.
pub(super) const REVISES: &str =
    "A new version of an earlier plan: what is different is on the dashboard";

/// Stands above the action of an approval.
pub(super) const WILL_RUN: &str = "What will run";

/// Stands above what the policies say of an action.
pub(super) const POLICIES: &str = "What the policies say of it";

/// Stands between the action and the prompt: the agent's words about an action need not be true.
pub(super) fn says(interaction: &Interaction) -> String {
    format!("What {} says about it", agent(interaction))
}

/// `From: backend (p11-guardrails)`.
pub(super) fn from(interaction: &Interaction) -> String {
    let agent = agent(interaction);
    match &interaction.request.session_id {
        Some(session) => format!("From: {agent} ({})", one_line(session, NAME)),
        None => format!("From: {agent}"),
    }
}

pub(super) fn task(request: &Request) -> Option<String> {
    let task = request.task.as_ref()?;
    let mut line = format!("Task: {}", one_line(&task.id, NAME));
    if let Some(title) = &task.title {
        line.push_str(&format!(" · {}", one_line(title, LINE)));
    }
    if let Some(step) = &task.step {
        line.push_str(&format!(" · Step: {}", one_line(step, LINE)));
    }
    Some(line)
}

/// How much it presses, and whether the agent waits.
pub(super) fn pressing(request: &Request) -> String {
    let how = match (&request.ask, request.mode) {
        (Ask::Notification { level }, _) => match level {
            Level::Info => "Info",
            Level::Success => "Success",
            Level::Warning => "Warning",
            Level::Error => "Error",
        },
        (_, Mode::Sync) => "SYNC: the agent has stopped until it is answered",
        (_, Mode::Async) => "ASYNC: the agent goes on meanwhile",
    };
    match request.priority {
        Priority::Urgent => format!("Urgent · {how}"),
        Priority::Normal => how.to_owned(),
    }
}

/// Who is on it, without until when.
pub(super) fn on_it(interaction: &Interaction) -> Option<String> {
    let claim = interaction.claim.as_ref()?;
    Some(format!("{} is on it", one_line(&claim.by.name, NAME)))
}

/// How many people have to approve it, and who has.
pub(super) fn approvals(interaction: &Interaction) -> Option<String> {
    let quorum = interaction.quorum()?;
    let names = interaction.votes().iter();
    let names: Vec<_> = names
        .map(|vote| one_line(&vote.responder.name, NAME))
        .collect();
    let needed = match (quorum.needed, quorum.of) {
        (1, Counted::Anyone) => String::new(),
        (1, Counted::Team) => "A member of the team has to approve it.".to_owned(),
        (needed, Counted::Anyone) => format!("{needed} people have to approve it."),
        (needed, Counted::Team) => format!("{needed} members of the team have to approve it."),
    };
    let owner = match quorum.four_eyes {
        true => "The owner of the agent does not count.",
        false => "",
    };
    let more = (quorum.needed as usize).saturating_sub(names.len());
    let by = match names.is_empty() {
        true => String::new(),
        false => format!("Approved by {}; it takes {more} more.", names.join(", ")),
    };
    let parts = [needed.as_str(), owner, &by];
    let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// Whom it is for, and who handed it over to them why.
pub(super) fn meant_for(interaction: &Interaction) -> Option<String> {
    let to = interaction.to.as_ref()?;
    let whom = match &to.whom {
        Whom::Person { name, .. } => one_line(name, NAME),
        Whom::Duty => "the person on duty".to_owned(),
        Whom::Team => "all of the team".to_owned(),
    };
    Some(match &to.handed {
        None => format!("For {whom}"),
        Some(handed) => {
            let by = one_line(&handed.by.name, NAME);
            let why = handed.why.as_deref().map(|why| one_line(why, LINE));
            let why = why.map_or_else(String::new, |why| format!(": {why}"));
            format!("For {whom}, handed over by {by}{why}")
        }
    })
}

/// The beginning of its title, where that decides nothing.
pub(super) fn title(request: &Request) -> Option<String> {
    let title = request.title.as_deref()?;
    Some(one_line(title, LINE))
}

/// The consequence of a missed deadline (rules 2 and 5).
pub(super) fn consequence(interaction: &Interaction) -> String {
    let request = &interaction.request;
    let mut then = match &request.fallback {
        Some(answer) => {
            let answer = on_one_line(&told(answer, &request.ask));
            format!("the fallback is used: {}", cut(&answer, LINE))
        }
        None if request.kind() == Kind::Approval => {
            "it expires, and the action must not run.".to_owned()
        }
        None => format!("it expires, and {} gets no answer.", agent(interaction)),
    };
    if let Some(task) = failing_task(request) {
        then.push_str(&format!(" Task {task} fails."));
    }
    then
}

/// The task that fails when no answer comes.
fn failing_task(request: &Request) -> Option<String> {
    let fails = request.mode == Mode::Sync && request.fallback.is_none();
    let task = request.task.as_ref().filter(|_| fails)?;
    Some(one_line(&task.id, NAME))
}

/// Nothing happens by itself.
pub(super) const NO_DEADLINE: &str = "No deadline: it waits until somebody answers.";

/// Another way to answer a request for a text.
pub(super) const REPLY: &str = "A reply in this thread answers it, too. The first one counts.";

/// Above the names of files, where no file of them can be.
pub(super) const FILES: &str = "Attachments, which are on the dashboard";

/// The same where Slack may take them. Whether it has is not on the card: it is drawn when only the names are known.
pub(super) const FILES_IN_THREAD: &str =
    "Attachments, which are on the dashboard, and in this thread once Slack has them";

/// Opens all of it.
pub(super) const READ_ALL: &str = "Read all";

/// Stands on a card that does not show all that an answer covers.
pub(super) const CUT: &str = "This is not all of it, so it cannot be accepted here. Press Read all: there it stands whole, and can be answered.";

/// The same, where Slack has no room for all of it.
pub(super) const TOO_LONG: &str = "This is not all of it, and it is too long for Slack. Read it on the dashboard: only there can it be accepted.";

/// A closed interaction in words.
pub(super) struct Ending {
    /// The outcome, and who decided it.
    pub(super) said: String,
    /// When.
    pub(super) at: DateTime<Utc>,
    /// The answer the agent goes on with, or why it was taken back, whole; nothing hides in it.
    pub(super) text: Option<String>,
    /// The other consequences.
    pub(super) more: Option<String>,
    /// Whether the agent knows, and since when.
    pub(super) pickup: (String, Option<DateTime<Utc>>),
}

/// `None` while it waits, and for one that never did.
pub(super) fn ending(interaction: &Interaction) -> Option<Ending> {
    let request = &interaction.request;
    let agent = agent(interaction);
    let (said, text) = match &interaction.state {
        State::Pending { .. } | State::Delivered { .. } => return None,
        State::Resolved { answer } => (answered(request, answer), given(request, answer)),
        State::Expired {
            fallback: Some(fallback),
            ..
        } => (
            format!("The deadline passed. {agent} goes on with its fallback:"),
            Some(told(fallback, &request.ask)),
        ),
        State::Expired { fallback: None, .. } if request.kind() == Kind::Approval => (
            "Expired. Nobody approved it in time, so the action must not run.".to_owned(),
            None,
        ),
        State::Expired { fallback: None, .. } => (
            format!("Expired. Nobody answered in time, so {agent} has no answer."),
            None,
        ),
        State::Cancelled { by, reason, .. } => {
            let said = match by.name() {
                Some(name) => format!("{} took it back.", one_line(name, NAME)),
                None => "It was taken back.".to_owned(),
            };
            (said, reason.as_deref().map(prose))
        }
        State::Void { .. } => (
            "Void. What is stored of this decision is not what was signed, so nothing was approved."
                .to_owned(),
            None,
        ),
    };
    // Nothing follows where the words are gone.
    let (said, text) = match interaction.erased {
        None => (said, text),
        Some(_) => (format!("{}.", said.trim_end_matches([':', '.'])), None),
    };
    let expired = interaction.state.outcome() == Some(Outcome::Expired);
    let failed = failing_task(request).filter(|_| expired);
    Some(Ending {
        said,
        at: interaction.state.closed_at()?,
        text,
        more: failed
            .map(|task| format!("Task {task} failed: review it and restart the agent."))
            .or_else(|| reported(interaction)),
        pickup: pickup(interaction),
    })
}

/// The agent's report of the result.
fn reported(interaction: &Interaction) -> Option<String> {
    let report = interaction.report.as_ref()?;
    let word = match report.outcome {
        ReportOutcome::Done => "Done",
        ReportOutcome::Failed => "Failed",
    };
    let text = report.text.as_ref().filter(|text| !text.is_empty());
    Some(match text {
        Some(text) => format!("{word}: {}", one_line(text, REPORT)),
        None => format!("{word}."),
    })
}

fn answered(request: &Request, answer: &Answer) -> String {
    let approvers = answer
        .receipt
        .as_ref()
        .map(|receipt| &receipt.decision.approvers[..]);
    let who = match approvers {
        Some(all @ [_, _, ..]) => {
            let names = all.iter().map(|one| one_line(&one.responder.name, NAME));
            names.collect::<Vec<_>>().join(", ")
        }
        _ => one_line(&answer.responder.name, NAME),
    };
    let (did, place) = (did(request, answer), place(answer.responder.via));
    let end = if says_all(request.kind()) { '.' } else { ':' };
    format!("{who} {did} {place}{end}")
}

/// The verb for this answer.
pub(super) fn did(request: &Request, answer: &Answer) -> &'static str {
    match (answer.content.outcome(), request.kind()) {
        (Outcome::Approved, _) => "approved it",
        (Outcome::Denied, _) => "denied it",
        (_, Kind::Acknowledgement) => "acknowledged it",
        (_, Kind::PlanReview) => "decided",
        _ => "answered",
    }
}

/// Whether nothing but a comment can follow this answer.
fn says_all(kind: Kind) -> bool {
    matches!(kind, Kind::Approval | Kind::Acknowledgement)
}

/// Where it was answered.
pub(super) fn place(via: Via) -> &'static str {
    match via {
        Via::Dashboard => "on the dashboard",
        Via::Api => "by the API",
        Via::Slack => "in Slack",
        Via::Policy => "by a policy",
    }
}

/// The answer, unless the sentence before has said it.
fn given(request: &Request, answer: &Answer) -> Option<String> {
    match request.kind() {
        Kind::Acknowledgement => None,
        Kind::Approval => {
            let lines = changed(request, answer);
            let comment = Some(answer.content.brief()).filter(|comment| !comment.is_empty());
            let parts: Vec<_> = lines.into_iter().chain(comment).collect();
            (!parts.is_empty()).then(|| prose(&parts.join("\n")))
        }
        _ => Some(told(&answer.content, &request.ask)),
    }
}

/// What was changed before it was approved.
fn changed(request: &Request, answer: &Answer) -> Option<String> {
    let (
        AnswerContent::Approval {
            amended: Some(amended),
            ..
        },
        Ask::Approval { action, .. },
    ) = (&answer.content, &request.ask)
    else {
        return None;
    };
    let lines = differences(&action.arguments.0, &amended.arguments.0);
    Some(format!(
        "Changed before it was approved:\n{}",
        lines.join("\n")
    ))
}

/// An answer to read, with nothing in it that hides.
fn told(answer: &AnswerContent, ask: &Ask) -> String {
    visible::picked(answer, ask).unwrap_or_else(|| prose(&answer.to_text(ask)))
}

fn pickup(interaction: &Interaction) -> (String, Option<DateTime<Utc>>) {
    let agent = agent(interaction);
    let no_answer = interaction.answer().is_none();
    match (interaction.collected_at, interaction.callback) {
        (Some(at), _) if no_answer => (format!("{agent} took note of it"), Some(at)),
        (Some(at), _) => (format!("{agent} picked it up"), Some(at)),
        (None, Some(Callback::Delivered { at })) => (format!("Delivered to {agent}"), Some(at)),
        (None, Some(Callback::Offline { at })) => {
            let offline = "could not be called back. It can still come and ask.";
            let offline = format!("The asking agent is offline: {agent} {offline}");
            (offline, Some(at))
        }
        (None, None) if no_answer => (format!("{agent} has not taken note of it yet."), None),
        (None, None) => (format!("{agent} has not picked it up yet."), None),
    }
}

/// The text on the button of a decision about a plan.
pub(super) fn decision(decision: PlanDecision) -> &'static str {
    match decision {
        PlanDecision::Proceed => "Proceed",
        PlanDecision::ProceedClean => "Proceed with a clear context",
        PlanDecision::ProceedDefault => "Proceed, and ask before edits",
        PlanDecision::Adjust => "Adjust",
    }
}

/// The rights that each of these buttons gives the agent.
pub(super) fn decisions() -> String {
    PlanDecision::ALL
        .map(|it| format!("{}: {}", decision(it), it.meaning()))
        .join("\n")
}

/// How many followed after the answer.
pub(super) fn follow_ups(interaction: &Interaction) -> Option<String> {
    match interaction.follow_ups.len() {
        0 => None,
        1 => Some("1 follow-up".to_owned()),
        n => Some(format!("{n} follow-ups")),
    }
}
