//! Records of teams.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{AgentRef, Part, Person, PersonId, Team, duty::Duty};

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
    /// Who of it is on duty, if it has a rota.
    pub duty: Option<Duty>,
    /// Whoever has an address of its calendar.
    pub calendars: Vec<PersonId>,
}

/// Who of a team is on duty, with all that decides it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DutyRecord {
    /// The team.
    pub team: Team,
    /// The version of its duty; 0 when it never had a rota.
    pub version: i64,
    /// Its duty, if it has a rota.
    pub duty: Option<Duty>,
    /// When that was changed last.
    pub changed_at: Option<DateTime<Utc>>,
    /// Its members by name, with the part of each; also those who are disabled.
    pub members: Vec<(Person, Part)>,
    /// Whoever has an address of its calendar.
    pub calendars: Vec<PersonId>,
}

/// What keeps a team from being deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TeamUse {
    /// How many interactions wait for it.
    pub pending: u32,
    /// How many agents have their home there.
    pub agents: u32,
}

/// Against what a request of an agent is held before it is opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asking {
    /// The teams that it may ask.
    pub teams: Asker,
    /// How many bytes it has had stored on the day.
    pub stored: u64,
    /// How many of its blockers are pending, counted up to a limit.
    pub pending: u32,
}

/// The teams that an agent may ask.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asker {
    /// The one it asks by itself; `None` = everyone.
    pub home: Option<Team>,
    /// Those it may name besides.
    pub open: Vec<Team>,
}
