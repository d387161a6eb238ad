//! What was asked of the servers and what they said, with the times at which it was sent and heard.

use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value};

/// By which way something was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Way {
    Api,
    Dashboard,
    Mcp,
    Slack,
}

impl Way {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Api => "API",
            Self::Dashboard => "dashboard",
            Self::Mcp => "MCP",
            Self::Slack => "Slack",
        }
    }
}

/// How an interaction ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Ending {
    pub(crate) outcome: String,
    pub(crate) by: Option<String>,
    /// What was answered, as [`said`] writes it; empty where there is no answer of a responder.
    pub(crate) said: String,
}

/// What is done to one interaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    Create,
    Read,
    /// MCP's `wait_for_answer`: a read that collects what has ended.
    Wait,
    Answer(Ending),
    Cancel {
        by: String,
    },
    Collect,
    Consume {
        run: String,
    },
    Claim {
        by: String,
    },
    Release {
        by: String,
    },
    /// The deadline passes. No client does this.
    Expire,
}

/// What was heard of it.
#[derive(Clone, Debug)]
pub(crate) enum Told {
    /// Nothing that counts: it may be done, or may not.
    Unknown(String),
    Refused(Refusal),
    /// It is done, without a word more.
    Done,
    Seen(Box<Seen>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) code: String,
    /// How it ended and by whom, where that was told.
    pub(crate) ended: Option<(String, Option<String>)>,
    pub(crate) consumed_by: Option<String>,
}

/// An interaction as a server showed it. A field that this answer does not have is `None`.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) id: String,
    pub(crate) state: String,
    pub(crate) outcome: Option<String>,
    pub(crate) by: Option<Option<String>>,
    pub(crate) said: String,
    pub(crate) approved: bool,
    pub(crate) collected: Option<bool>,
    pub(crate) consumed: Option<Option<String>>,
    pub(crate) claimed: Option<Option<String>>,
    pub(crate) whole: Value,
}

/// One call.
#[derive(Clone, Debug)]
pub(crate) struct Op {
    pub(crate) who: String,
    pub(crate) way: Way,
    pub(crate) node: usize,
    /// Since the campaign began.
    pub(crate) sent: Duration,
    /// `None` while nothing that counts was heard.
    pub(crate) heard: Option<Duration>,
    pub(crate) act: Act,
    pub(crate) told: Told,
}

/// The words of an answer, whatever else stands beside them, always in the same order.
pub(crate) fn said(answer: &Value) -> String {
    let mut words = Map::new();
    for name in ["text", "selected", "answers", "decision", "feedback"] {
        if let Some(value) = answer.get(name).filter(|value| !value.is_null()) {
            words.insert(name.to_owned(), value.clone());
        }
    }
    Value::Object(words).to_string()
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

impl Seen {
    pub(crate) fn read(whole: Value) -> Option<Self> {
        let has_answer = whole["answer"].is_object() && whole["fallback_used"] != true;
        let optional = |name: &str, path: &str| {
            whole.get(name)?;
            Some(whole.pointer(path).and_then(text))
        };
        Some(Self {
            id: text(&whole["id"])?,
            state: text(&whole["state"])?,
            outcome: text(&whole["outcome"]),
            by: optional("closed_by", "/closed_by"),
            said: if has_answer {
                said(&whole["answer"])
            } else {
                String::new()
            },
            approved: whole["approved"] == true,
            collected: whole.get("collected_at").map(|at| !at.is_null()),
            consumed: optional("consumed", "/consumed/run"),
            claimed: optional("claim", "/claim/by/name"),
            whole,
        })
    }
}

impl Refusal {
    pub(crate) fn read(status: u16, body: &Value) -> Self {
        Self {
            status,
            code: text(&body["code"]).unwrap_or_default(),
            ended: text(&body["outcome"]).map(|outcome| (outcome, text(&body["closed_by"]))),
            consumed_by: text(&body["consumed_by"]),
        }
    }
}

impl Op {
    /// Whether it can have changed anything, or something was heard that has to be true.
    pub(crate) fn counts(&self) -> bool {
        match (&self.act, &self.told) {
            (Act::Read, Told::Unknown(_)) => false,
            // It was turned away before it was looked at.
            (_, Told::Refused(refusal)) => !matches!(refusal.status, 429 | 503),
            _ => true,
        }
    }

    /// Whether it changes nothing, whenever it comes.
    pub(crate) fn only_looks(&self) -> bool {
        matches!(self.act, Act::Read) || matches!(self.told, Told::Refused(_))
    }
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Create => f.write_str("create"),
            Self::Read => f.write_str("read"),
            Self::Wait => f.write_str("wait"),
            Self::Answer(ending) => write!(f, "answer {} {}", ending.outcome, ending.said),
            Self::Cancel { .. } => f.write_str("cancel"),
            Self::Collect => f.write_str("collect"),
            Self::Consume { run } => write!(f, "consume by {run}"),
            Self::Claim { .. } => f.write_str("claim"),
            Self::Release { .. } => f.write_str("release"),
            Self::Expire => f.write_str("expire"),
        }
    }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(why) => write!(f, "unknown ({why})"),
            Self::Done => f.write_str("done"),
            Self::Refused(refusal) => {
                write!(f, "refused {} {}", refusal.status, refusal.code)?;
                if let Some((outcome, by)) = &refusal.ended {
                    write!(f, ": {outcome} by {}", by.as_deref().unwrap_or("nobody"))?;
                }
                match &refusal.consumed_by {
                    Some(run) => write!(f, ": used by {run}"),
                    None => Ok(()),
                }
            }
            Self::Seen(seen) => {
                f.write_str(&seen.state)?;
                if let Some(outcome) = &seen.outcome {
                    let by = seen.by.as_ref().and_then(Option::as_deref);
                    write!(f, ": {outcome} by {} {}", by.unwrap_or("nobody"), seen.said)?;
                }
                if let Some(Some(run)) = &seen.consumed {
                    write!(f, ", used by {run}")?;
                }
                if let Some(Some(name)) = &seen.claimed {
                    write!(f, ", claimed by {name}")?;
                }
                match seen.collected {
                    Some(true) => f.write_str(", collected"),
                    _ => Ok(()),
                }
            }
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = match self.heard {
            Some(heard) => format!("{:.3}", heard.as_secs_f64()),
            None => "…".to_owned(),
        };
        write!(
            f,
            "{:.3} to {end} s, {} by {} at node {}: {} → {}",
            self.sent.as_secs_f64(),
            self.who,
            self.way.name(),
            self.node,
            self.act,
            self.told
        )
    }
}
