//! The effect of an event on a card in Slack: it is shown on one message of one channel.

use crate::{
    delivery::SlackChannel,
    event::{Event, InteractionEvent, Payload},
    interaction::Interaction,
};

/// The effect of an event on the card of its interaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardChange {
    /// It is posted.
    Post,
    /// It looks different, and takes no answer any more.
    Close,
    /// It looks different.
    Update,
}

impl CardChange {
    /// The effect of this event on the card.
    pub fn of(payload: &Payload) -> Option<Self> {
        let Payload::Interaction(event) = payload else {
            return None;
        };
        match event {
            InteractionEvent::Requested { .. } | InteractionEvent::Notified { .. } => {
                Some(Self::Post)
            }
            InteractionEvent::Resolved { .. }
            | InteractionEvent::Expired { .. }
            | InteractionEvent::Cancelled { .. } => Some(Self::Close),
            InteractionEvent::Moved { .. }
            | InteractionEvent::Claimed { .. }
            | InteractionEvent::Released { .. }
            | InteractionEvent::HandedOver { .. }
            | InteractionEvent::Progressed { .. }
            | InteractionEvent::Collected {}
            | InteractionEvent::Consumed(_)
            | InteractionEvent::Reported { .. }
            | InteractionEvent::CalledBack {}
            | InteractionEvent::AgentOffline {}
            | InteractionEvent::FollowedUp { .. }
            | InteractionEvent::Erased(_) => Some(Self::Update),
            InteractionEvent::Posted(_)
            | InteractionEvent::AnswerRejected { .. }
            | InteractionEvent::ReplyEdited { .. }
            | InteractionEvent::Remarked { .. }
            | InteractionEvent::Climbed { .. }
            | InteractionEvent::SummedUp { .. }
            | InteractionEvent::Seen { .. }
            | InteractionEvent::Reached { .. } => None,
        }
    }
}

/// The channel that has to show this event, if one does.
pub(super) fn owed(event: &Event, interaction: &Interaction) -> Option<SlackChannel> {
    let change = CardChange::of(&event.payload)?;
    let channel = SlackChannel(interaction.card.as_ref()?.channel.clone());
    let is_shown = change != CardChange::Update || !channel.is_of_webhook();
    is_shown.then_some(channel)
}
