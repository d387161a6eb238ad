//! An agent's request: the draft that comes in, and the request that passed every check.

use chrono::TimeDelta;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{
    TaskRef,
    action::Action,
    answer::{AnswerContent, AnswerDraft, Checked},
    ask::{Ask, AskDraft, Level},
    choice::ChoiceOption,
    form::{FormAnswers, FormQuestion},
    kind::Kind,
    mode::{Mode, Priority},
    quorum::{Counted, Quorum, QuorumDraft},
    receipt::is_decision,
    ruled::{Ruled, Then},
};
use crate::{
    attachment::{self, Attachment, Uploaded},
    fault::{Fault, Faults},
    ids::PersonId,
    json::{AnyJson, Object, Whole},
    limits,
    trace::TraceParent,
};

/// A request that passed every check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The kind of answer asked for, with all that belongs to it.
    #[serde(flatten)]
    pub ask: Ask,
    /// Whether the agent has stopped.
    pub mode: Mode,
    /// A few words above the prompt.
    pub title: Option<String>,
    /// The question, in markdown. Written by a program: treat it as hostile.
    pub prompt: String,
    /// The agent's own context.
    pub session_id: Option<String>,
    /// The piece of work.
    pub task: Option<TaskRef>,
    /// How much it presses.
    pub priority: Priority,
    /// The answer to go on with after the deadline (rule 5).
    pub fallback: Option<AnswerContent>,
    /// Anything the agent wants back.
    pub metadata: Option<AnyJson>,
    /// Time from asking to the deadline in seconds; `None` = never.
    pub timeout_seconds: Option<i64>,
    /// Where the agent wants to be called back. Such an address may be a secret by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub callback_url: Option<String>,
    /// Whether it is taken back when the session ends in which it was asked.
    #[serde(default, skip_serializing_if = "is_false")]
    pub withdraw_on_disconnect: bool,
    /// The files that were sent with it, unless it is an approval: those are part of its action. See [`Request::attached`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// What the policies said of it when it was asked (rule 14); nothing when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruled: Option<Box<Ruled>>,
    /// Whose agent asked, where they do not count (rule 16): whoever owned it then, whatever is said of it later.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub owners: Vec<PersonId>,
    /// The place in the agent's trace at which it asks. Beside what is asked: the same request from elsewhere in a trace is
    /// the same (rule 8).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceParent>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands it a reference"
)]
fn is_false(it: &bool) -> bool {
    !*it
}

/// A request as it comes in: readable, not yet checked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Draft {
    /// Required; one of [`Kind::ALL`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// `sync` when absent. A notification is always `async`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// See [`Request::title`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// See [`Request::session_id`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// See [`Request::task`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<Object<TaskRef>>,
    /// `normal` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// Absent = the default of the kind; `null` = never. Not for a notification.
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<Option<i64>>,
    /// For a question or a choice of one: a string. For a choice of several: an array. For a form: an
    /// object with every answer. The other kinds have none (rule 2).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<AnyJson>,
    /// An object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<AnyJson>,
    /// For a choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<ChoiceOption>>,
    /// For a choice: `false` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multiple: Option<bool>,
    /// For an approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<Object<Action>>,
    /// For an approval: `true` if its arguments may be changed before it is approved, or which of them, with `paths` and
    /// `schema`. Only an agent that goes on with changed arguments says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amendable: Option<AnyJson>,
    /// For an approval: how many people have to approve it, and who counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approvals: Option<Object<QuorumDraft>>,
    /// For a plan review, in markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// For a plan review: the id of the earlier plan that it takes the place of. Whether it may is not seen here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revises: Option<String>,
    /// For a form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub questions: Option<Vec<Object<FormQuestion>>>,
    /// For a notification: `info` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// See [`Request::callback_url`]. The caller that can reach it checks whether it may be
    /// reached. Not for a notification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callback_url: Option<String>,
    /// The name of the team to ask; absent = the agent's home. Whether the agent may is not seen here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// Whom of that team it is for: `duty`, `team`, or `person:` and a name. Whether the agent may ask for them is not seen
    /// here. Not for a notification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// See [`Request::withdraw_on_disconnect`]; only with a `session_id`. Not for a notification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withdraw_on_disconnect: Option<bool>,
    /// The ids of files that were sent before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attachments: Option<Vec<String>>,
    /// What is there under each of these ids, as far as the agent may name it. Never sent: whoever can look it up puts it
    /// here.
    #[serde(skip)]
    pub found: Vec<Option<Uploaded>>,
}

/// Tells `null` from absent: called only when the field is there.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<i64>>, D::Error> {
    let seconds: Option<Whole> = Option::deserialize(deserializer)?;
    Ok(Some(seconds.map(|Whole(seconds)| seconds)))
}

impl Draft {
    /// Tells this request from others: SHA-256 over the JSON as it was sent, the same however the body was
    /// spaced and its keys were ordered, and before defaults, which an operator may change. Files count by what they are: one
    /// that is sent once more has another id.
    pub fn fingerprint(&self) -> [u8; 32] {
        let mut sorted = self.clone();
        let arguments = sorted.action.as_mut();
        let arguments = arguments.map(|Object(action)| &mut action.arguments);
        for AnyJson(value) in [
            sorted.fallback.as_mut(),
            sorted.metadata.as_mut(),
            sorted.amendable.as_mut(),
            arguments,
        ]
        .into_iter()
        .flatten()
        {
            value.sort_all_objects();
        }
        for (id, found) in sorted.attachments.iter_mut().flatten().zip(&self.found) {
            let what = found.as_ref().map(|found| &found.attachment);
            if let Some(what) = what.and_then(|what| serde_json::to_string(what).ok()) {
                *id = what;
            }
        }
        // Strings, numbers and string keys always have a JSON form.
        let json = serde_json::to_vec(&sorted).unwrap_or_default();
        Sha256::digest(json).into()
    }

    /// Checks the draft. `default_timeout` is the configured deadline of the kind; `None` = never.
    ///
    /// # Errors
    /// Every field that is wrong, with its path.
    pub fn check(
        self,
        default_timeout: impl FnOnce(Kind) -> Option<TimeDelta>,
    ) -> Result<Request, Vec<Fault>> {
        let mut faults = Faults::default();
        let kind = kind(&mut faults, self.kind);
        let prompt = faults.present("prompt", self.prompt);
        if let Some(prompt) = &prompt {
            faults.text("prompt", prompt);
        }
        let title = faults.line("title", self.title, limits::TITLE_CHARS);
        let session_id = faults.line("session_id", self.session_id, limits::SESSION_ID_CHARS);
        let task = self
            .task
            .map(|Object(task)| task.check(|field| format!("task.{field}"), &mut faults));
        let metadata = self.metadata;
        if let Some(AnyJson(value)) = &metadata {
            check_metadata(&mut faults, value);
        }
        let timing = Timing {
            mode: self.mode,
            timeout_seconds: self.timeout_seconds,
        };
        let attached = attachment::check(
            self.attachments.as_deref(),
            &self.found,
            kind.is_some_and(is_decision),
            &mut faults,
        );
        let draft = AskDraft {
            options: self.options,
            multiple: self.multiple,
            action: self.action.map(|Object(action)| action),
            amendable: self.amendable,
            approvals: self.approvals.map(|Object(draft)| draft),
            plan: self.plan,
            revises: self.revises,
            questions: self
                .questions
                .map(|questions| questions.into_iter().map(|Object(it)| it).collect()),
            level: self.level,
        };
        let (attachments, of_action) = match kind {
            Some(Kind::Approval) => (Vec::new(), attached),
            _ => (attached, Vec::new()),
        };
        let ask = kind.and_then(|kind| draft.check(kind, of_action, &mut faults));
        let fallback = match (&ask, self.fallback) {
            (Some(ask), Some(AnyJson(value))) => fallback(&mut faults, ask, value),
            _ => None,
        };
        // Both are `Some` unless a fault says why not.
        let (Some(ask), Some(prompt)) = (ask, prompt) else {
            timing.check_seconds(&mut faults);
            return Err(faults.into_result(()).err().unwrap_or_default());
        };
        let (mode, timeout_seconds) = timing.check(ask.kind(), default_timeout, &mut faults);
        if ask.kind() == Kind::Notification && self.callback_url.is_some() {
            faults.add("callback_url", "nobody answers a notification");
        }
        if ask.kind() == Kind::Notification && self.to.is_some() {
            faults.add("to", "a notification takes no answer");
        }
        let withdraws = self.withdraw_on_disconnect.unwrap_or_default();
        if withdraws && ask.kind() == Kind::Notification {
            faults.add("withdraw_on_disconnect", "nobody answers a notification");
        } else if withdraws && session_id.is_none() {
            faults.add(
                "withdraw_on_disconnect",
                "needs a session_id: it is taken back when that session ends",
            );
        }
        faults.into_result(Request {
            ask,
            mode,
            title,
            prompt,
            session_id,
            task,
            priority: self.priority.unwrap_or_default(),
            fallback,
            metadata,
            timeout_seconds,
            callback_url: self.callback_url,
            withdraw_on_disconnect: withdraws,
            attachments,
            ruled: None,
            owners: Vec::new(),
            trace: None,
        })
    }
}

impl Request {
    /// The kind of answer asked for.
    pub fn kind(&self) -> Kind {
        self.ask.kind()
    }

    /// The files that were sent with it.
    pub fn attached(&self) -> &[Attachment] {
        match &self.ask {
            Ask::Approval { action, .. } => &action.attachments,
            Ask::Question
            | Ask::Choice(_)
            | Ask::Acknowledgement
            | Ask::PlanReview { .. }
            | Ask::Form { .. }
            | Ask::Notification { .. } => &self.attachments,
        }
    }

    /// Whether a policy says that its action is destructive.
    pub fn is_destructive(&self) -> bool {
        self.ruled.as_ref().is_some_and(|ruled| ruled.destructive)
    }

    /// Whether the owners of the agent do not count (rule 16).
    pub fn takes_four_eyes(&self) -> bool {
        self.approvals().is_some_and(|quorum| quorum.four_eyes)
    }

    /// Whether only members of the team count that is asked.
    pub fn counts_members(&self) -> bool {
        self.approvals()
            .is_some_and(|quorum| quorum.of == Counted::Team)
    }

    fn approvals(&self) -> Option<&Quorum> {
        match &self.ask {
            Ask::Approval { approvals, .. } => approvals.as_ref(),
            _ => None,
        }
    }

    /// Whether a policy decides it as it is asked.
    pub fn is_decided_at_once(&self) -> bool {
        let ruled = self.ruled.as_ref();
        ruled.is_some_and(|ruled| ruled.then.and_then(Then::at_once).is_some())
    }

    /// Whether it is what an agent asked for here, whatever policies have made of it: they say how many people approve it,
    /// and that nothing of it is changed before.
    pub fn is_asked_as(&self, asked: &Self) -> bool {
        let is_same = match (&self.ask, &asked.ask) {
            (Ask::Approval { action, .. }, Ask::Approval { action: other, .. })
                if self.ruled.is_some() =>
            {
                action == other
            }
            (one, other) => one == other,
        };
        self.prompt == asked.prompt && self.attachments == asked.attachments && is_same
    }

    /// How much memory it takes, roughly: as JSON of so many bytes, and for its values.
    pub fn weight(&self, json_bytes: usize) -> i64 {
        let metadata = self.metadata.as_ref().map_or(0, AnyJson::values);
        let action = match &self.ask {
            Ask::Approval {
                action, amendable, ..
            } => {
                let schema = amendable.as_ref().and_then(|it| it.schema.as_ref());
                action.arguments.values() + schema.map_or(0, AnyJson::values)
            }
            _ => 0,
        };
        let weight = json_bytes + (metadata + action) * limits::VALUE_WEIGHT;
        i64::try_from(weight).unwrap_or(i64::MAX)
    }
}

/// How long the agent waits, if it does.
#[derive(Clone, Copy)]
struct Timing {
    mode: Option<Mode>,
    timeout_seconds: Option<Option<i64>>,
}

impl Timing {
    fn check(
        self,
        kind: Kind,
        default_timeout: impl FnOnce(Kind) -> Option<TimeDelta>,
        faults: &mut Faults,
    ) -> (Mode, Option<i64>) {
        self.check_seconds(faults);
        if kind != Kind::Notification {
            let timeout_seconds = self
                .timeout_seconds
                .unwrap_or_else(|| default_timeout(kind).map(|timeout| timeout.num_seconds()));
            return (self.mode.unwrap_or_default(), timeout_seconds);
        }
        if self.mode == Some(Mode::Sync) {
            faults.add(
                "mode",
                "nobody waits for a notification: it is always async",
            );
        }
        if matches!(self.timeout_seconds, Some(Some(_))) {
            faults.add("timeout_seconds", "a notification has no deadline");
        }
        (Mode::Async, None)
    }

    fn check_seconds(self, faults: &mut Faults) {
        if let Some(Some(seconds)) = self.timeout_seconds
            && !(1..=limits::TIMEOUT_SECONDS).contains(&seconds)
        {
            faults.add(
                "timeout_seconds",
                format!(
                    "must be from 1 to {} (400 days), or null for never",
                    limits::TIMEOUT_SECONDS
                ),
            );
        }
    }
}

fn kind(faults: &mut Faults, name: Option<String>) -> Option<Kind> {
    let name = faults.present("kind", name)?;
    let kind = Kind::from_name(&name);
    if kind.is_none() {
        let known = Kind::ALL.map(Kind::name).join(", ");
        faults.add("kind", format!("unknown kind, expected one of: {known}"));
    }
    kind
}

fn check_metadata(faults: &mut Faults, value: &Value) {
    if !value.is_object() {
        faults.add("metadata", "must be an object");
    }
    let bytes = value.to_string().len();
    if bytes > limits::METADATA_BYTES {
        faults.add(
            "metadata",
            format!(
                "has {bytes} bytes, at most {} are allowed",
                limits::METADATA_BYTES
            ),
        );
    }
}

fn fallback(faults: &mut Faults, ask: &Ask, value: Value) -> Option<AnswerContent> {
    let mut draft = AnswerDraft::default();
    let read = match ask {
        Ask::Question => text(value).map(|text| draft.text = Some(text)),
        Ask::Choice(choice) if choice.multiple => {
            serde_json::from_value(value).map(|selected| draft.selected = selected)
        }
        Ask::Choice(_) => text(value).map(|text| draft.selected = Some(vec![text])),
        Ask::Form { .. } => serde_json::from_value(value).map(|answers| draft.answers = answers),
        Ask::Acknowledgement
        | Ask::Approval { .. }
        | Ask::PlanReview { .. }
        | Ask::Notification { .. } => {
            let kind = ask.kind().name();
            faults.add("fallback", format!("the kind {kind} has no fallback"));
            return None;
        }
    };
    if let Err(error) = read {
        faults.add("fallback", error.to_string());
        return None;
    }
    match draft.check(ask, &FormAnswers::new()) {
        Ok(Checked::Whole(content)) => Some(content),
        Ok(Checked::Part(_)) => {
            faults.add("fallback", "must answer every question");
            None
        }
        Err(found) => {
            for fault in found {
                faults.add("fallback", fault.message);
            }
            None
        }
    }
}

fn text(value: Value) -> Result<String, serde_json::Error> {
    serde_json::from_value(value)
}
