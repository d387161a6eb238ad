//! What became of a question: answered here or elsewhere, expired, taken back. And the text that its reader had typed.

use app::view::{BlockerStatus, Ending};
use chrono::{DateTime, Utc};
use domain::{
    interaction::{Kind, Outcome},
    time,
};

use super::question::{Question, clipped};
use crate::plain_page::html::Text;

/// Of a longer answer the beginning stands here.
const ANSWER_CHARS: usize = 1_000;

impl Question {
    /// How it ended, as HTML; nothing while it waits.
    pub(super) fn ended(&self, now: DateTime<Utc>) -> String {
        let BlockerStatus::Closed(ending) = &self.status else {
            return String::new();
        };
        let said = self.said(ending, now);
        let answer = self.answer(ending);
        let texts = [answer, ending.reason.clone()].into_iter().flatten();
        let texts: String = texts
            .map(|text| {
                let text = clipped(&text, ANSWER_CHARS);
                format!("<p class=\"text\" dir=\"auto\">{}</p>", Text(&text))
            })
            .collect();
        let agent = Text(&self.row.agent);
        let collected = match (ending.collected_at, ending.outcome) {
            (_, Outcome::Delivered) => String::new(),
            (Some(_), _) => format!("<p class=\"hint\"><bdi>{agent}</bdi> knows it.</p>"),
            (None, _) => format!("<p class=\"hint\"><bdi>{agent}</bdi> does not know it yet.</p>"),
        };
        format!("<p class=\"said\" role=\"status\">{said}</p>{texts}{collected}")
    }

    fn said(&self, ending: &Ending, now: DateTime<Utc>) -> String {
        let ago = format!(
            "<time datetime=\"{}\" title=\"{}\">{} ago</time>",
            ending.at.to_rfc3339(),
            time::exact(ending.at),
            time::words(now - ending.at),
        );
        let who = match &ending.by {
            _ if ending.by_you => "You",
            Some(by) => by,
            None => "Somebody",
        };
        let who = format!("<bdi>{}</bdi>", Text(who));
        let agent = format!("<bdi>{}</bdi>", Text(&self.row.agent));
        let kind = self.row.kind;
        // Where nobody was asked, it says by what.
        if let Some(rule) = &ending.ruled {
            let rule = format!("The policy “<bdi>{}</bdi>”", Text(rule));
            return match ending.outcome {
                Outcome::Approved => format!("{rule} approved it {ago}."),
                _ => format!("{rule} denied it {ago}."),
            };
        }
        match ending.outcome {
            Outcome::Answered if kind == Kind::Acknowledgement => {
                format!("{who} acknowledged it {ago}.")
            }
            Outcome::Answered => match &ending.remembered {
                Some(day) => format!(
                    "The answer that {who} gave to the same question ({}) answered it {ago}.",
                    Text(day)
                ),
                None => format!("{who} answered {ago}."),
            },
            Outcome::Approved => match &ending.granted {
                Some(day) if ending.by_you => {
                    format!("Your grant of {} approved it {ago}.", Text(day))
                }
                Some(day) => format!("{who}’s grant of {} approved it {ago}.", Text(day)),
                None => format!("{who} approved it {ago}."),
            },
            Outcome::Denied => format!("{who} denied it {ago}."),
            Outcome::Proceed
            | Outcome::ProceedClean
            | Outcome::ProceedDefault
            | Outcome::Adjust => {
                format!("{who} decided {ago}:")
            }
            Outcome::Delivered => format!("{agent} told this {ago}. Nobody has to answer."),
            Outcome::Fallback => {
                format!("The deadline passed {ago}. {agent} goes on with its fallback:")
            }
            Outcome::Expired if kind == Kind::Approval => {
                format!("Expired {ago}. Nobody approved it in time, so the action must not run.")
            }
            Outcome::Expired => {
                format!("Expired {ago}. Nobody answered in time, so {agent} has no answer.")
            }
            Outcome::Cancelled if ending.by.is_none() && !ending.by_you => {
                format!("It was taken back {ago}.")
            }
            Outcome::Cancelled => format!("{who} took it back {ago}."),
            Outcome::Void => format!(
                "Void. What is stored of this decision is not what was signed {ago}, so nothing was approved. Tell \
                 whoever runs the server."
            ),
        }
    }

    /// The answer, unless the sentence has said it.
    fn answer(&self, ending: &Ending) -> Option<String> {
        let answer = ending.answer.as_deref()?;
        let comment = |word| answer.strip_prefix(word)?.strip_prefix(": ");
        let shown = match ending.outcome {
            Outcome::Approved => comment("Approved")?,
            Outcome::Denied => comment("Denied")?,
            // Those of a form stand below its questions.
            Outcome::Answered if matches!(self.row.kind, Kind::Acknowledgement | Kind::Form) => {
                return None;
            }
            Outcome::Void => return None,
            _ if answer.is_empty() => "(an empty answer)",
            _ => answer,
        };
        Some(shown.to_owned())
    }

    /// The way to approve the next ones like it ahead, for whoever may.
    pub(super) fn way_ahead(&self) -> Option<String> {
        let BlockerStatus::Closed(ending) = &self.status else {
            return None;
        };
        let place = format!("/settings/grants/new?from={}", self.row.id);
        (ending.goes_on && self.may_answer)
            .then(|| format!("<a href=\"{place}\">And the next ones like this…</a>"))
    }

    /// In half a sentence, for the page that comes after it: `You approved it`.
    pub(super) fn done(&self) -> Option<&'static str> {
        let BlockerStatus::Closed(ending) = &self.status else {
            return None;
        };
        // What a standing decision of theirs has approved was not pressed here.
        if !ending.by_you || ending.granted.is_some() {
            return None;
        }
        Some(match ending.outcome {
            Outcome::Approved => "You approved it",
            Outcome::Denied => "You denied it",
            Outcome::Answered if self.row.kind == Kind::Acknowledgement => "You acknowledged it",
            Outcome::Answered => "You answered",
            Outcome::Proceed | Outcome::ProceedClean | Outcome::ProceedDefault => {
                "You let it proceed"
            }
            Outcome::Adjust => "You asked for changes",
            _ => return None,
        })
    }
}

/// A text that did not become an answer, whole.
pub(super) fn unsent(text: &str) -> String {
    format!(
        "<section class=\"unsent\"><p class=\"said\">Your text was not sent:</p>\
         <p class=\"text\" dir=\"auto\">{}</p></section>",
        Text(text)
    )
}
