//! Messages that people write in Slack, as far as a rule has to know of it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    ids::MessageId,
    interaction::{Interaction, Shown, progress_digest},
};

/// A message in a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The channel's id.
    pub channel: String,
    /// The message's name in the channel.
    pub ts: String,
    /// The message whose thread it belongs to.
    pub thread_ts: String,
    /// Its author.
    pub user: String,
    /// The workspace they belong to, if Slack says so.
    pub team: Option<String>,
    /// The id given by the program they wrote it with. A gesture may become two messages with one such
    /// name.
    pub client_msg_id: Option<String>,
    /// As Slack sends it: with `&`, `<` and `>` as entities, and markup between `<` and `>`.
    pub text: String,
    /// When this became its text, in Slack's way of naming times; `None` for a message as it was first
    /// heard of.
    pub edited: Option<String>,
}

impl Message {
    /// Whether it only says how an earlier message, of the same name, was changed.
    pub fn is_edit(&self) -> bool {
        self.edited.is_some()
    }

    /// When it was written, by Slack's clock; `None` also where that is before its thread began.
    pub fn written_at(&self) -> Option<DateTime<Utc>> {
        let thread = time_of(&self.thread_ts)?;
        time_of(&self.ts).filter(|at| *at >= thread)
    }
}

/// The time that the name of a message is: seconds, and millionths of one. `None` for any other name.
pub fn time_of(ts: &str) -> Option<DateTime<Utc>> {
    let (seconds, fraction) = ts.split_once('.')?;
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(seconds) || !is_number(fraction) || fraction.len() != 6 {
        return None;
    }
    let micros: u32 = fraction.parse().ok()?;
    DateTime::from_timestamp(seconds.parse().ok()?, micros * 1_000)
}

/// A message in the thread of a card, as its author typed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The message.
    pub message: MessageId,
    /// Its text, without Slack's entities and markup.
    pub text: String,
    /// When it was written, by Slack's clock; `None` where that is not known.
    pub written_at: Option<DateTime<Utc>>,
    /// Whether this is the new version of an earlier message.
    pub is_edit: bool,
}

/// The card the author of a reply had before them, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// How much of the question asked now the card shows.
    pub shown: Shown,
    /// The question of a form that stands on its card; `None` where that is not known.
    pub on_card: Option<OnCard>,
}

/// A question of a form on its card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnCard {
    /// Which: see [`OnCard::name`].
    pub question: String,
    /// By Slack's clock it stood there from then on, or from before.
    pub since: DateTime<Utc>,
}

impl OnCard {
    /// The question that a form asks now: by its id, and where an answer to it sends the others along by their digest
    /// too, since with other ones beside it the same words decide something else.
    pub fn name(interaction: &Interaction) -> Option<String> {
        let (_, question) = interaction.next_question()?;
        Some(match interaction.sent_along() {
            // An id is one line, so none looks like this.
            Some(answers) => format!("{}\n{}", question.id, progress_digest(answers)),
            None => question.id.clone(),
        })
    }
}

/// Why a reply is no answer: its author need not have seen the question asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unseen {
    /// The card does not show all of it.
    Cut,
    /// It, or an answer that goes along with this one, came on the card after the reply was written, as far as is known.
    AskedLater,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_as_old_as_its_thread_at_most() {
        let message = |ts: &str| Message {
            channel: "C1".into(),
            ts: ts.into(),
            thread_ts: "1700000001.000200".into(),
            user: "U1".into(),
            team: None,
            client_msg_id: None,
            text: "80".into(),
            edited: None,
        };
        assert!(message("1700000001.000201").written_at().is_some());
        assert_eq!(message("1700000001.000199").written_at(), None);
        assert_eq!(message("abc").written_at(), None);
    }

    #[test]
    fn the_name_of_a_message_is_its_time() {
        let at = time_of("1700000001.000200").unwrap();
        assert_eq!(at.timestamp_micros(), 1_700_000_001_000_200);
        for none in [
            "",
            ".",
            "1",
            "1.2",
            "+1.000001",
            "1.00000a",
            "-1.000001",
            "1.0000001",
        ] {
            assert_eq!(time_of(none), None, "{none}");
        }
    }
}
