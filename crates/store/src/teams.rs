//! Records of teams.

use std::collections::BTreeMap;

use domain::{AgentRef, Part, Person, PersonId, Team};

/// A team with all that belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TeamRecord {
    /// The team.
    pub team: Team,
    /// Its members by name, with the part of each; also those who are disabled.
    pub members: Vec<(Person, Part)>,
    /// The provider of sign-ins, by its issuer, of those whom one has made members.
    pub given_by: BTreeMap<PersonId, String>,
    /// The agents whose home it is, by name.
    pub homes: Vec<AgentRef>,
    /// The agents that may ask it besides, by name.
    pub askers: Vec<AgentRef>,
}

/// What keeps a team from being deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TeamUse {
    /// How many interactions wait for it.
    pub pending: u32,
    /// How many agents have their home there.
    pub agents: u32,
}

/// The teams that an agent may ask.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asker {
    /// The one it asks by itself; `None` = everyone.
    pub home: Option<Team>,
    /// Those it may name besides.
    pub open: Vec<Team>,
}
