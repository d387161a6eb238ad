//! Rule 19: what stands on a card once all that was written in its interaction is gone.

use domain::{
    Interaction,
    interaction::{Ask, Request},
};

/// The interaction with who erased it, and when, in the place of what was asked; `None` while its words are there.
pub(super) fn in_its_place(interaction: &Interaction) -> Option<Interaction> {
    let erased = interaction.erased.as_ref()?;
    let prompt = format!(
        "All that was written here was erased by {}, {}.",
        erased.by_whom(),
        erased.at.format("%Y-%m-%d %H:%M UTC")
    );
    let ask = match &interaction.request.ask {
        told @ Ask::Notification { .. } => told.clone(),
        // An empty action or plan would read as if it had been decided about.
        _ => Ask::Question,
    };
    Some(Interaction {
        request: Request {
            ask,
            prompt,
            ..interaction.request.clone()
        },
        ..interaction.clone()
    })
}
