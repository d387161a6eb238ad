//! What a rule decided, ready for the store to commit in one transaction.

use crate::{event::NewEvent, interaction::Interaction};

/// A change and the events that tell of it. Never a change without an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Changeset {
    /// What happens to the interaction; `None` when only the journal grows (a rejected answer).
    pub write: Option<Write>,
    /// At least one.
    pub events: Vec<NewEvent>,
}

/// The new state of one interaction.
#[derive(Clone, Debug, PartialEq)]
pub enum Write {
    /// It did not exist before; its version is 1.
    Open(Interaction),
    /// It replaces the version just below its own. If that is no longer what is stored, the whole
    /// changeset is refused as a conflict and nothing of it is kept.
    Advance(Interaction),
}

impl Write {
    /// The interaction as it will be.
    pub fn interaction(&self) -> &Interaction {
        match self {
            Self::Open(interaction) | Self::Advance(interaction) => interaction,
        }
    }
}
