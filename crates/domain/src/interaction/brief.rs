//! An interaction as lists show it: of bounded size, however long request and answer are.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Addressee, Ask, Callback, Claim, Erased, Interaction, Kind, Level, Mode, Outcome, Priority,
    Request, alike,
};
use crate::{
    ids::{Fingerprint, InteractionId},
    limits,
    principal::AgentRef,
    team::TeamRef,
};

/// An interaction as lists show it. Texts that may be long stand here by their beginning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Brief {
    /// Its id.
    pub id: InteractionId,
    /// Of which version this is.
    pub version: i64,
    /// The agent that asked.
    pub agent: AgentRef,
    /// The team that was asked, as it is called now; `None` = everyone. Not part of what is stored: the store takes it
    /// from where it stands.
    #[serde(skip)]
    pub team: Option<TeamRef>,
    /// The kind of the ask.
    pub kind: Kind,
    /// Whether the agent has stopped.
    pub mode: Mode,
    /// How much it presses.
    pub priority: Priority,
    /// How serious a notification is.
    pub level: Option<Level>,
    /// The agent's own context.
    pub session_id: Option<String>,
    /// The agent's own id for the piece of work.
    pub task_id: Option<String>,
    /// A few words above the prompt.
    pub title: Option<String>,
    /// The beginning of the question.
    pub prompt: String,
    /// What is asked about, on one line: the tool of an approval with the first words of what it is to do, or the first
    /// line of a plan. Briefs from before this was kept have none.
    #[serde(default)]
    pub about: Option<String>,
    /// Equal for questions that are the same to a person; `None` for those that are answered for themselves, and in
    /// briefs from before this was kept.
    #[serde(default)]
    pub fingerprint: Option<Fingerprint>,
    /// How far a form is answered, while it waits; of an approval that takes several people, how many have approved.
    pub form: Option<FormProgress>,
    /// When it was asked.
    pub created_at: DateTime<Utc>,
    /// When it expires; `None` = never.
    pub expires_at: Option<DateTime<Utc>>,
    /// Who is on it, until when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claim>,
    /// Whom it is for, if an agent or a person said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Addressee>,
    /// How it ended; `None` while it waits.
    pub ending: Option<Ending>,
    /// When the agent took note of how it ended.
    pub collected_at: Option<DateTime<Utc>>,
    /// The result of calling the agent back.
    pub callback: Option<Callback>,
    /// How often more was said about it.
    pub follow_ups: usize,
    /// Whether its words are gone (rule 19).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erased: Option<Erased>,
}

/// How far a form is answered, or how many of several people have approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormProgress {
    /// So many questions are, or people have.
    pub answered: usize,
    /// Of so many.
    pub of: usize,
}

/// How an interaction ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ending {
    /// How.
    pub outcome: Outcome,
    /// The name of the closer; `None` for the deadline.
    pub by: Option<String>,
    /// When.
    pub at: DateTime<Utc>,
    /// The beginning of the answer, if there is one.
    pub answer: Option<String>,
}

impl Brief {
    /// Of a request that nothing has happened to yet.
    pub fn asked(
        id: InteractionId,
        agent: &AgentRef,
        request: &Request,
        created_at: DateTime<Utc>,
        expires_at: Option<DateTime<Utc>>,
    ) -> Self {
        Self {
            id,
            version: 1,
            agent: agent.clone(),
            team: None,
            kind: request.kind(),
            mode: request.mode,
            priority: request.priority,
            level: match request.ask {
                Ask::Notification { level } => Some(level),
                _ => None,
            },
            session_id: request.session_id.clone(),
            task_id: request.task.as_ref().map(|task| task.id.clone()),
            title: request.title.clone(),
            prompt: beginning(&request.prompt),
            about: about(&request.ask),
            fingerprint: alike::fingerprint(request),
            form: match &request.ask {
                Ask::Form { questions } => Some(FormProgress {
                    answered: 0,
                    of: questions.len(),
                }),
                Ask::Approval {
                    approvals: Some(quorum),
                    ..
                } if quorum.needed > 1 => Some(FormProgress {
                    answered: 0,
                    of: quorum.needed as usize,
                }),
                _ => None,
            },
            created_at,
            expires_at,
            claim: None,
            to: None,
            ending: None,
            collected_at: None,
            callback: None,
            follow_ups: 0,
            erased: None,
        }
    }
}

impl Brief {
    /// The same, asked of this team.
    pub fn of_team(self, team: &Option<TeamRef>) -> Self {
        Self {
            team: team.clone(),
            ..self
        }
    }

    /// Whether it says that a responder decided: a receipt has to prove that (rule 12).
    pub fn is_decided(&self) -> bool {
        let outcome = self.ending.as_ref().map(|ending| ending.outcome);
        matches!(
            outcome,
            Some(
                Outcome::Approved
                    | Outcome::Denied
                    | Outcome::Proceed
                    | Outcome::ProceedClean
                    | Outcome::ProceedDefault
                    | Outcome::Adjust
            )
        )
    }

    /// The name of its state, as in SQL and JSON.
    pub fn state(&self) -> &'static str {
        match self.ending.as_ref().map(|ending| ending.outcome) {
            None => "pending",
            Some(Outcome::Fallback | Outcome::Expired) => "expired",
            Some(Outcome::Cancelled) => "cancelled",
            Some(
                Outcome::Answered
                | Outcome::Approved
                | Outcome::Denied
                | Outcome::Proceed
                | Outcome::ProceedClean
                | Outcome::ProceedDefault
                | Outcome::Adjust
                | Outcome::Delivered
                | Outcome::Void,
            ) => "resolved",
        }
    }
}

impl From<&Interaction> for Brief {
    fn from(interaction: &Interaction) -> Self {
        let state = &interaction.state;
        let mut brief = Self::asked(
            interaction.id,
            &interaction.agent,
            &interaction.request,
            interaction.created_at,
            interaction.expires_at,
        );
        if let (Some(form), Some(answers)) = (&mut brief.form, interaction.progress()) {
            form.answered = answers.len();
        }
        if brief.kind == Kind::Approval {
            // Whoever closed it stands in its end.
            brief.form = brief.form.filter(|_| state.is_pending());
            if let Some(several) = &mut brief.form {
                several.answered = interaction.votes().len();
            }
        }
        if interaction.erased.is_some() {
            // Of nothing but blanks it would say that they are alike.
            brief.fingerprint = None;
        }
        Self {
            version: interaction.version,
            team: interaction.team.clone(),
            claim: interaction.claim.clone(),
            to: interaction.to.clone(),
            ending: state
                .outcome()
                .zip(state.closed_at())
                .map(|(outcome, at)| Ending {
                    outcome,
                    by: state.closed_by().map(str::to_owned),
                    at,
                    answer: interaction
                        .answer()
                        .map(|answer| beginning(&answer.brief())),
                }),
            collected_at: interaction.collected_at,
            callback: interaction.callback,
            follow_ups: interaction.follow_ups.len(),
            erased: interaction.erased.clone(),
            ..brief
        }
    }
}

fn about(ask: &Ask) -> Option<String> {
    let line = |text: &str| {
        // Lazily: behind the beginning there may be a long text.
        let words = text.split_whitespace().take(ABOUT_WORDS);
        let line: String = words.collect::<Vec<_>>().join(" ");
        beginning(&line)
    };
    match ask {
        Ask::Approval { action, .. } => {
            let doing = doing(&action.arguments.0);
            Some(line(&format!("{} {}", action.tool, beginning(&doing))))
        }
        Ask::PlanReview { plan, .. } => {
            let first = plan.lines().map(|line| line.trim_start_matches('#').trim());
            first.filter(|line| !line.is_empty()).map(line).next()
        }
        _ => None,
    }
}

/// As many words as anybody reads of a row.
const ABOUT_WORDS: usize = 40;

/// The arguments that say most, if there are any of them; else the first one.
const SAYING_MOST: [&str; 8] = [
    "command",
    "cmd",
    "argv",
    "query",
    "sql",
    "url",
    "file_path",
    "path",
];

/// The one argument by which a person knows the action from others of its tool. A hook wraps what its tool gets.
pub(crate) fn doing(arguments: &Value) -> Cow<'_, str> {
    let wrapped = arguments.get("cwd").and(arguments.get("input"));
    let arguments = wrapped.filter(|it| it.is_object()).unwrap_or(arguments);
    let Some(named) = arguments.as_object() else {
        return Cow::Borrowed("");
    };
    let known = SAYING_MOST.iter().find_map(|name| named.get(*name));
    match known.or_else(|| named.values().next()) {
        None => Cow::Borrowed(""),
        Some(Value::String(text)) => Cow::Borrowed(text),
        Some(Value::Array(words)) if words.iter().all(Value::is_string) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            Cow::Owned(words.join(" "))
        }
        Some(other) => Cow::Owned(other.to_string()),
    }
}

/// As much of a text as lists hold; an ellipsis says that there is more.
pub fn beginning(text: &str) -> String {
    match text.char_indices().nth(limits::BEGINNING_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_row_says_what_is_asked_about() {
        for (mut ask, expected) in [
            (
                json!({"kind": "approval", "action": {"tool": "Bash", "arguments": {"timeout": 5, "command": "git push\n  origin"}}}),
                Some("Bash git push origin"),
            ),
            (
                json!({"kind": "approval", "action": {"tool": "run", "arguments": {"argv": ["make", "deploy"]}}}),
                Some("run make deploy"),
            ),
            (
                json!({"kind": "approval", "action": {"tool": "Bash", "arguments": {"cwd": "/srv/shop", "input": {"command": "cargo test", "description": "all"}}}}),
                Some("Bash cargo test"),
            ),
            (
                json!({"kind": "approval", "action": {"tool": "say", "arguments": {"cwd": "/srv/shop", "input": "hello"}}}),
                Some("say /srv/shop"),
            ),
            (
                json!({"kind": "approval", "action": {"tool": "scale", "arguments": {"to": {"n": 3}}}}),
                Some("scale {\"n\":3}"),
            ),
            (
                json!({"kind": "approval", "action": {"tool": "deploy"}}),
                Some("deploy"),
            ),
            (
                json!({"kind": "plan_review", "plan": "\n## Release 2.4\n\n1. Stop"}),
                Some("Release 2.4"),
            ),
            (json!({"kind": "question"}), None),
        ] {
            ask["action_digest"] = json!("");
            let ask: Ask = serde_json::from_value(ask).unwrap();
            assert_eq!(about(&ask).as_deref(), expected);
        }
    }

    #[test]
    fn a_beginning_is_cut_at_a_character_and_says_so() {
        let long = "ü".repeat(limits::BEGINNING_CHARS + 1);
        let cut = beginning(&long);
        assert_eq!(cut.chars().count(), limits::BEGINNING_CHARS + 1);
        assert!(cut.ends_with("ü…"));
        let whole = "ü".repeat(limits::BEGINNING_CHARS);
        assert_eq!(beginning(&whole), whole);
    }
}
