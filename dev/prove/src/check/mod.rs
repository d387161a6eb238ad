//! What was promised, held against what was heard.

pub(crate) mod audit;
pub(crate) mod history;
pub(crate) mod hooks;
pub(crate) mod linear;
pub(crate) mod model;
pub(crate) mod readers;
pub(crate) mod receipts;
pub(crate) mod story;

use serde::Serialize;

/// The promise that is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Promise {
    /// What an agent was told is asked is there.
    AskLost,
    /// One ask makes one interaction.
    AskDoubled,
    /// What is asked stays as it was asked.
    AskChanged,
    /// Nothing is there that was not asked.
    AskInvented,
    /// An acknowledged answer stays.
    AnswerLost,
    /// Answers arrive as they were given.
    AnswerChanged,
    /// One of several rivals wins.
    TwoWinners,
    /// Those who were too late are told who was faster, and all the same.
    WinnerMistold,
    /// What was said too late stands in the journal.
    LateAnswerLost,
    /// There is an order of the calls that explains what was heard.
    NotLinearizable,
    /// An approval is good for one run.
    UsedTwice,
    /// An acknowledged consumption stays.
    ConsumptionLost,
    /// What an agent confirmed to have stays confirmed.
    CollectionLost,
    /// What was taken back stays so.
    CancellationLost,
    /// One person at a time is on it.
    TwoClaims,
    /// Nothing expires before its deadline.
    ExpiredEarly,
    /// `approved` is true only where a receipt proves it.
    ApprovedWithoutProof,
    /// Receipts and notes of consumption are signed by the server's key, over what was decided.
    ReceiptVoid,
    /// The same request under the same key is the same interaction.
    KeyBroken,
    /// Readers of events miss none.
    EventLost,
    /// Readers of events get each once.
    EventDoubled,
    /// Readers of events get them in order.
    EventsReordered,
    /// Events stay as they were.
    EventChanged,
    /// A page sees each question and its end.
    PageMissed,
    /// A question has one card in Slack.
    CardDoubled,
    /// What happened is told to every webhook and callback.
    DeliveryLost,
    /// One thing is told under one id.
    DeliveryUnderTwoIds,
    /// What did not happen is not told.
    DeliveryInvented,
    /// What is told is what happened.
    DeliveryChanged,
    /// What is told is signed.
    DeliveryForged,
    /// The journal verifies.
    JournalBroken,
    /// A server answers as its API is described.
    StrangeReply,
    /// A server that was killed comes back.
    NotBack,
}

/// A promise that was broken, with all that is known of it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Violation {
    pub(crate) promise: Promise,
    /// The interaction, where it is one.
    pub(crate) interaction: Option<String>,
    pub(crate) what: String,
    /// The calls of the interaction, as they were sent.
    pub(crate) history: Vec<String>,
}

impl Promise {
    pub(crate) fn broken(self, interaction: Option<&str>, what: impl Into<String>) -> Violation {
        Violation {
            promise: self,
            interaction: interaction.map(str::to_owned),
            what: what.into(),
            history: Vec::new(),
        }
    }

    pub(crate) fn name(self) -> String {
        let name = serde_json::to_value(self).unwrap_or_default();
        name.as_str().unwrap_or_default().to_owned()
    }
}
