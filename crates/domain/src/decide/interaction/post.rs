//! The card is in Slack.

use crate::{
    changeset::Changeset,
    decide::next::advance,
    event::InteractionEvent,
    ids::Moment,
    interaction::{Card, Interaction, Posted},
    principal::Actor,
    refused::Refused,
};

/// The card was posted. The first message that is known to be it stays it.
///
/// # Errors
/// [`Refused::Unchanged`] when that is known, or the interaction has no card.
pub fn posted(
    interaction: &Interaction,
    posted: Posted,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let card = interaction.card.as_ref();
    let card = card.filter(|card| card.posted.is_none() && !interaction.state.is_void());
    let Some(Card { channel, .. }) = card else {
        return Err(Refused::Unchanged);
    };
    let next = Interaction {
        card: Some(Card {
            channel: channel.clone(),
            posted: Some(posted.clone()),
        }),
        ..interaction.clone()
    };
    Ok(advance(
        next,
        Actor::Delivery,
        InteractionEvent::Posted(posted),
        now,
    ))
}
