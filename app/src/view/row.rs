//! One line of a list.

use chrono::{DateTime, Utc};
use domain::{
    Fingerprint, Interaction, InteractionId, PersonId,
    interaction::{
        AnswerContent, Brief, Callback, Ending, Erased, Kind, Level, Mode, Outcome, Priority,
    },
};
use serde::{Deserialize, Serialize};

use super::harmless;

/// Enough for two lines on the widest panel; the style sheet cuts where it must.
const PREVIEW_CHARS: usize = 160;

/// A blocker in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Which.
    pub id: InteractionId,
    /// The kind of answer it asks for.
    pub kind: Kind,
    /// Whether the agent has stopped.
    pub mode: Mode,
    /// Whether it presses.
    pub urgent: bool,
    /// Who asked.
    pub agent: String,
    /// The team that was asked; `None` = everyone.
    pub team: Option<String>,
    /// In which session.
    pub session_id: Option<String>,
    /// The agent's task.
    pub task_id: Option<String>,
    /// The title, or the beginning of the prompt, on one line.
    pub preview: String,
    /// What it is about, on one line: see [`Brief::about`].
    pub about: Option<String>,
    /// See [`Brief::fingerprint`].
    pub fingerprint: Option<Fingerprint>,
    /// How far a form is answered.
    pub progress: Option<Progress>,
    /// How serious a notification is.
    pub level: Option<Level>,
    /// Who is on it.
    #[serde(default)]
    pub claim: Option<String>,
    /// Whose the claim is; without one, whose has just run out, as this page heard.
    #[serde(default)]
    pub claimant: Option<PersonId>,
    /// The one person that it is for.
    #[serde(default)]
    pub to: Option<String>,
    /// Whether its agent is offline, as of when the desk was read.
    #[serde(default)]
    pub offline: bool,
    /// When it was asked.
    #[serde(with = "chrono::serde::ts_microseconds")]
    pub created_at: DateTime<Utc>,
    /// When it expires; `None` = never.
    #[serde(with = "chrono::serde::ts_microseconds_option")]
    pub expires_at: Option<DateTime<Utc>>,
}

/// How far a form is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// So many questions are.
    pub answered: usize,
    /// Of so many.
    pub of: usize,
}

impl From<&Brief> for Row {
    fn from(brief: &Brief) -> Self {
        Self {
            id: brief.id,
            kind: brief.kind,
            mode: brief.mode,
            urgent: brief.priority == Priority::Urgent,
            agent: brief.agent.name.clone(),
            team: brief.team.as_ref().map(|team| harmless(&team.name)),
            session_id: brief.session_id.clone(),
            task_id: brief.task_id.clone(),
            preview: match &brief.erased {
                Some(erased) => in_place_of_words(erased),
                None => preview(brief.title.as_deref().unwrap_or(&brief.prompt)),
            },
            about: brief.about.as_deref().map(match brief.kind {
                // A plan's heading is markdown; what will run is not.
                Kind::PlanReview => preview,
                _ => about,
            }),
            fingerprint: brief.fingerprint,
            progress: brief.form.map(|form| Progress {
                answered: form.answered,
                of: form.of,
            }),
            level: brief.level,
            claim: brief.claim.as_ref().map(|claim| harmless(&claim.by.name)),
            claimant: brief.claim.as_ref().map(|claim| PersonId(claim.by.id)),
            to: brief
                .to
                .as_ref()
                .and_then(|to| Some(harmless(to.person()?.1))),
            offline: false,
            created_at: brief.created_at,
            expires_at: brief.expires_at,
        }
    }
}

impl From<&Interaction> for Row {
    fn from(interaction: &Interaction) -> Self {
        Self::from(&Brief::from(interaction))
    }
}

/// What lists show of an interaction whose words are gone.
pub(crate) fn in_place_of_words(erased: &Erased) -> String {
    harmless(&format!("Erased by {}", erased.by_whom()))
}

/// How a blocker was closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closure {
    /// How it ended.
    pub outcome: Outcome,
    /// Who closed it; `None` for the deadline.
    pub by: Option<String>,
    /// When.
    #[serde(with = "chrono::serde::ts_microseconds")]
    pub at: DateTime<Utc>,
    /// The beginning of the answer, on one line, if there is one.
    pub answer: Option<String>,
}

impl Closure {
    /// A closure whose answer is shortened for a list.
    pub fn new(
        outcome: Outcome,
        by: Option<&str>,
        at: DateTime<Utc>,
        answer: Option<&AnswerContent>,
    ) -> Self {
        Self {
            outcome,
            by: by.map(str::to_owned),
            at,
            answer: answer
                .map(|answer| preview(&answer.brief()))
                .filter(|text| !text.is_empty()),
        }
    }
}

impl From<&Ending> for Closure {
    fn from(ending: &Ending) -> Self {
        let answer = ending.answer.as_deref().map(preview);
        Self {
            outcome: ending.outcome,
            by: ending.by.clone(),
            at: ending.at,
            answer: answer.filter(|text| !text.is_empty()),
        }
    }
}

/// The outcome of calling an agent back, in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CalledBack {
    /// Its address took the news.
    Delivered,
    /// It did not, however often it was tried.
    Offline,
}

impl From<Callback> for CalledBack {
    fn from(callback: Callback) -> Self {
        match callback {
            Callback::Delivered { .. } => Self::Delivered,
            Callback::Offline { .. } => Self::Offline,
        }
    }
}

/// A closed blocker in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClosedRow {
    /// The blocker.
    pub row: Row,
    /// Its end.
    pub closure: Closure,
    /// When the agent picked it up.
    #[serde(with = "chrono::serde::ts_microseconds_option")]
    pub collected_at: Option<DateTime<Utc>>,
    /// The outcome of calling the agent back.
    pub callback: Option<CalledBack>,
    /// How often more was said about it.
    pub follow_ups: usize,
}

impl ClosedRow {
    /// The row of a closed interaction, `None` while it is pending.
    pub fn new(brief: &Brief) -> Option<Self> {
        Some(Self {
            row: Row::from(brief),
            closure: Closure::from(brief.ending.as_ref()?),
            collected_at: brief.collected_at,
            callback: brief.callback.map(CalledBack::from),
            follow_ups: brief.follow_ups,
        })
    }
}

/// Any interaction in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryRow {
    /// The blocker, or the notification.
    pub row: Row,
    /// Its end; `None` while it waits.
    pub closure: Option<Closure>,
    /// When the agent picked it up.
    #[serde(with = "chrono::serde::ts_microseconds_option")]
    pub collected_at: Option<DateTime<Utc>>,
    /// The outcome of calling the agent back.
    pub callback: Option<CalledBack>,
}

impl From<&Brief> for HistoryRow {
    fn from(brief: &Brief) -> Self {
        Self {
            row: Row::from(brief),
            closure: brief.ending.as_ref().map(Closure::from),
            collected_at: brief.collected_at,
            callback: brief.callback.map(CalledBack::from),
        }
    }
}

/// As it stands: in a command each sign counts.
fn about(text: &str) -> String {
    match text.char_indices().nth(PREVIEW_CHARS) {
        Some((end, _)) => harmless(&format!("{}…", &text[..end])),
        None => harmless(text),
    }
}

/// The beginning of a text on one line, without the commonest marks of markdown.
fn preview(text: &str) -> String {
    let mut line = String::new();
    let mut chars = 0;
    // Lazily: behind the beginning there may be a long text.
    for word in text.lines().flat_map(plain) {
        if chars > 0 {
            line.push(' ');
            chars += 1;
        }
        for c in word.chars() {
            if chars >= PREVIEW_CHARS {
                line.push('…');
                return harmless(&line);
            }
            line.push(c);
            chars += 1;
        }
    }
    harmless(&line)
}

/// The words of a line. Only marks that certainly mean nothing by themselves go.
fn plain(line: &str) -> impl Iterator<Item = String> {
    const BLOCKS: [&str; 10] = [
        "#", "##", "###", "####", "#####", "######", "-", "*", "+", ">",
    ];
    let mut words = line.split_whitespace().peekable();
    if words.peek().is_some_and(|first| BLOCKS.contains(first)) {
        words.next();
    }
    words
        .map(|word| without_bold(word).replace('`', ""))
        .filter(|word| !word.is_empty())
}

/// Takes `**` from the ends of a word, also where punctuation stands outside of it. Inside a word it
/// may be a power.
fn without_bold(word: &str) -> String {
    let inner = word.trim_start_matches(['(', '"', '\'']);
    let (before, rest) = word.split_at(word.len() - inner.len());
    let rest = rest.strip_prefix("**").unwrap_or(rest);
    let inner = rest.trim_end_matches(['.', ',', ';', ':', '?', '!', ')', '"', '\'']);
    let (inner, after) = rest.split_at(inner.len());
    let inner = inner.strip_suffix("**").unwrap_or(inner);
    format!("{before}{inner}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_is_one_short_line() {
        assert_eq!(preview("  two\r\n\tlines  "), "two lines");
        assert_eq!(preview(""), "");
        let long = preview(&"ü".repeat(20_000));
        assert_eq!(long.chars().count(), 161);
        assert!(long.ends_with('…'));
    }

    #[test]
    fn a_preview_reads_without_markdown() {
        let text = "## Ports\n- **use `80`**, (**or**)\n- 2**3 - 1\n```sh\nls *\n```";
        assert_eq!(preview(text), "Ports use 80, (or) 2**3 - 1 sh ls *");
    }
}
