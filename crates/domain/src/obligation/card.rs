//! The effect of an event on a card in Slack: it is shown on one message of one channel.

use crate::{
    changeset::Write,
    delivery::{Lane, SlackChannel},
    event::{Event, InteractionEvent, Payload},
    interaction::{Interaction, Kind},
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
    /// The person on duty is mentioned in its thread.
    Mention,
    /// Its files are uploaded into its thread, or deleted there once it is erased.
    Files,
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
            | InteractionEvent::Approved { .. }
            | InteractionEvent::Collected {}
            | InteractionEvent::Consumed(_)
            | InteractionEvent::Reported { .. }
            | InteractionEvent::CalledBack {}
            | InteractionEvent::AgentOffline {}
            | InteractionEvent::FollowedUp { .. }
            | InteractionEvent::Erased(_) => Some(Self::Update),
            InteractionEvent::Climbed { told, .. } => {
                let mut channels = told.iter().filter_map(|one| one.mentioned_in.as_ref());
                channels.next().map(|_| Self::Mention)
            }
            InteractionEvent::Posted(_)
            | InteractionEvent::AnswerRejected { .. }
            | InteractionEvent::ReplyEdited { .. }
            | InteractionEvent::Remarked { .. }
            | InteractionEvent::SummedUp { .. }
            | InteractionEvent::Seen { .. }
            | InteractionEvent::Reached { .. } => None,
        }
    }
}

impl CardChange {
    /// The lane of this channel in which it is told. An incoming webhook only posts, so there an end must not come before
    /// what it ends.
    pub fn lane(self, interaction: &Interaction, channel: &SlackChannel) -> Lane {
        match self {
            _ if channel.is_of_webhook() => Lane::Asks,
            Self::Post if interaction.request.kind() == Kind::Notification => Lane::News,
            Self::Post => Lane::Asks,
            // It waits for its card, and no other card waits for it.
            Self::Close | Self::Update | Self::Mention => Lane::Changes,
            // They are large, and may need a scope that an older app does not have: no card waits for them.
            Self::Files => Lane::Files,
        }
    }
}

/// The channel in which this event has files uploaded, or deleted once it is erased. An incoming webhook takes none.
pub(super) fn files(
    event: &Event,
    interaction: &Interaction,
    writes: &[Write],
) -> Option<(SlackChannel, Lane)> {
    let Payload::Interaction(payload) = &event.payload else {
        return None;
    };
    let has_files = match payload {
        InteractionEvent::Requested { .. } | InteractionEvent::Notified { .. } => {
            !interaction.request.attached().is_empty()
        }
        InteractionEvent::Erased(_) => writes.iter().any(|write| {
            matches!(write, Write::Erase(erasing)
                if erasing.interaction.id == interaction.id && erasing.had_files)
        }),
        _ => false,
    };
    let channel = SlackChannel(interaction.card.as_ref()?.channel.clone());
    (has_files && !channel.is_of_webhook()).then_some((channel, Lane::Files))
}

/// The channel in which this event has a person mentioned. The rung that did so changes nothing of the interaction.
pub(super) fn mentioned(event: &Event) -> Option<(SlackChannel, Lane)> {
    let Payload::Interaction(InteractionEvent::Climbed { told, .. }) = &event.payload else {
        return None;
    };
    let channel = told.iter().find_map(|one| one.mentioned_in.clone())?;
    Some((SlackChannel(channel), Lane::Changes))
}

/// The channel that has to show this event, if one does, and where in it.
pub(super) fn owed(event: &Event, interaction: &Interaction) -> Option<(SlackChannel, Lane)> {
    let change = CardChange::of(&event.payload)?;
    let channel = SlackChannel(interaction.card.as_ref()?.channel.clone());
    let is_shown = change != CardChange::Update || !channel.is_of_webhook();
    let lane = change.lane(interaction, &channel);
    is_shown.then_some((channel, lane))
}
