//! Reads of ladders.

use domain::{
    InteractionId, PersonId,
    access::PersonRef,
    ladder::{Ladder, Place},
};

/// How silence climbs in a team, or for everyone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LadderRecord {
    /// 0 when none was ever set.
    pub version: i64,
    /// What was set; `None` = the default.
    pub ladder: Option<Ladder>,
}

/// A blocker whose next rung may be due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Climbing {
    /// Which.
    pub id: InteractionId,
    /// Where it stands.
    pub place: Place,
}

/// A person who can come in and may answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answerer {
    /// Who.
    pub person: PersonRef,
    /// Whether they answer for the team that was asked about; everybody does where none was.
    pub is_of_team: bool,
}

/// A person from whom something is held back no longer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldDue {
    /// The person.
    pub person: PersonId,
    /// What was held back from them.
    pub held: Vec<domain::ladder::Held>,
}
