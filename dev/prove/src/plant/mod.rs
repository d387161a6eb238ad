//! Faults that are planted, each of which the checker has to find and to name: a server, or a way to a receiver, that lies.

pub(crate) mod liar;

use clap::ValueEnum;

use crate::check::{Promise, Violation};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Plant {
    /// An ask is acknowledged and dropped
    LostAsk,
    /// An answer is acknowledged and dropped
    LostAnswer,
    /// A cancellation is acknowledged and dropped
    LostCancel,
    /// A collection is acknowledged and dropped
    LostCollect,
    /// A consumption is acknowledged and dropped
    LostConsumption,
    /// Reads come from what was there before
    StaleRead,
    /// An ask is sent on twice
    DoubledAsk,
    /// Keys of idempotency are not sent on
    BrokenKey,
    /// What is asked is changed on its way to the server
    ChangedAsk,
    /// What was asked is shown as something else
    ChangedQuestion,
    /// An answer is changed on its way to the server
    ChangedAnswer,
    /// An answer is shown as another one
    ChangedAnswerOnRead,
    /// An answer is given to another question
    AnswerToAnother,
    /// What waits is shown as approved
    ForgedApproval,
    /// A receipt is changed
    ForgedReceipt,
    /// A receipt is held back
    MissingReceipt,
    /// Whoever is too late is told that they won
    TwoWinners,
    /// Whoever is too late is told another name
    WrongWinner,
    /// A second run is told that it may begin
    UsedTwice,
    /// A second person is told that they are on it
    TwoClaims,
    /// What waits is shown as expired
    EarlyExpiry,
    /// A page of events has one twice
    DoubledEvent,
    /// A page of events lacks one
    LostEvent,
    /// A page of events has two in another order
    ReorderedEvents,
    /// An event is shown as another one
    ChangedEvent,
    /// A webhook is acknowledged and dropped
    SwallowedWebhook,
    /// A callback is acknowledged and dropped
    SwallowedCallback,
    /// A webhook is changed on its way, against its signature
    ChangedWebhook,
    /// A callback tells another winner, well signed
    ForgedCallback,
    /// A webhook comes again under another id
    WebhookUnderAnotherId,
    /// A webhook tells of an interaction that never was
    InventedWebhook,
    /// A webhook tells of an end that has not come
    WebhookBeforeItHappens,
}

impl Plant {
    /// Whether it is between clients and servers.
    pub(crate) fn is_of_the_api(self) -> bool {
        !matches!(
            self,
            Self::SwallowedWebhook
                | Self::SwallowedCallback
                | Self::ChangedWebhook
                | Self::ForgedCallback
                | Self::WebhookUnderAnotherId
                | Self::InventedWebhook
                | Self::WebhookBeforeItHappens
        )
    }

    /// Under which of these names it has to be found.
    fn names(self) -> &'static [Promise] {
        match self {
            Self::LostAsk => &[Promise::AskLost],
            // Where another rival takes its place it is another answer.
            Self::LostAnswer | Self::AnswerToAnother => &[Promise::AnswerLost, Promise::TwoWinners],
            Self::LostCancel => &[Promise::CancellationLost],
            Self::LostCollect => &[Promise::CollectionLost],
            Self::LostConsumption => &[Promise::ConsumptionLost],
            Self::StaleRead => &[Promise::NotLinearizable],
            Self::DoubledAsk => &[Promise::AskDoubled],
            Self::BrokenKey => &[Promise::KeyBroken, Promise::AskDoubled],
            Self::ChangedAsk | Self::ChangedQuestion => &[Promise::AskChanged],
            Self::ChangedAnswer | Self::ChangedAnswerOnRead => &[Promise::AnswerChanged],
            Self::ForgedApproval | Self::MissingReceipt => &[Promise::ApprovedWithoutProof],
            Self::ForgedReceipt => &[Promise::ReceiptVoid],
            Self::TwoWinners => &[Promise::TwoWinners],
            Self::WrongWinner => &[Promise::WinnerMistold],
            Self::UsedTwice => &[Promise::UsedTwice],
            Self::TwoClaims => &[Promise::TwoClaims],
            Self::EarlyExpiry => &[Promise::ExpiredEarly],
            Self::DoubledEvent => &[Promise::EventDoubled],
            Self::LostEvent => &[Promise::EventLost],
            Self::ReorderedEvents => &[Promise::EventsReordered],
            Self::ChangedEvent => &[Promise::EventChanged],
            Self::SwallowedWebhook | Self::SwallowedCallback => &[Promise::DeliveryLost],
            Self::ChangedWebhook => &[Promise::DeliveryForged],
            Self::ForgedCallback => &[Promise::DeliveryChanged],
            Self::WebhookUnderAnotherId => &[Promise::DeliveryUnderTwoIds],
            Self::InventedWebhook | Self::WebhookBeforeItHappens => &[Promise::DeliveryInvented],
        }
    }

    /// The violation by which it was found.
    pub(crate) fn found_in(self, violations: &[Violation]) -> Option<&Violation> {
        violations
            .iter()
            .find(|one| self.names().contains(&one.promise))
    }

    pub(crate) fn name(self) -> String {
        let value = self.to_possible_value();
        value
            .map(|value| value.get_name().to_owned())
            .unwrap_or_default()
    }
}
