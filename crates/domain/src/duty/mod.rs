//! Duty: who of a team is asked first right now.
//!
//! A [`Rota`] names people in order, and when one hands over to the next. An [`Override`] puts another person in their
//! place for a while; an [`Absence`] says who stands in for a person who is away. What follows from them needs the
//! tables of time zones, which the page does without: it is compiled with the feature `zones` alone.

#[cfg(feature = "zones")]
mod check;
mod hour;
#[cfg(feature = "zones")]
mod local;
#[cfg(feature = "zones")]
mod shifts;
#[cfg(feature = "zones")]
#[cfg(test)]
mod tests;
mod told;
#[cfg(feature = "zones")]
mod turns;
#[cfg(feature = "zones")]
mod who;
mod zone;

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    access::Person,
    ids::{AbsenceId, OverrideId, PersonId},
    principal::Role,
    team::Part,
};

#[cfg(feature = "zones")]
pub use check::{AbsenceDraft, Given, OverrideDraft, RotaDraft, first_gap};
pub use hour::Hour;
#[cfg(feature = "zones")]
pub use shifts::{on_duty, shifts};
pub use zone::Zone;

/// People in order, and when each hands over to the next. The first one's turn begins on the day `starts`, and all
/// others follow from it: of a weekly rota it is also the day of the week on which it hands over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rota {
    /// In order; a person may come more than once.
    pub people: Vec<PersonId>,
    /// How long a turn is.
    pub every: Every,
    /// When it hands over, by the clocks of `zone`.
    pub at: Hour,
    /// Where those clocks stand.
    pub zone: Zone,
    /// The day on which the first person's first turn begins.
    pub starts: NaiveDate,
}

/// How long a turn is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Every {
    /// From day to day.
    Day,
    /// From week to week.
    Week,
}

impl Every {
    /// The name, as in JSON and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
        }
    }

    /// That of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Day, Self::Week]
            .into_iter()
            .find(|every| every.name() == name)
    }

    /// How many days a turn has.
    pub fn days(self) -> i64 {
        match self {
            Self::Day => 1,
            Self::Week => 7,
        }
    }
}

/// Another person than the rota says, for a while.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Override {
    /// Its id.
    pub id: OverrideId,
    /// The person on duty instead.
    pub person: PersonId,
    /// From then on.
    pub from: DateTime<Utc>,
    /// Until then.
    pub until: DateTime<Utc>,
}

/// A person is out of office.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Absence {
    /// Its id.
    pub id: AbsenceId,
    /// The person who is away.
    pub person: PersonId,
    /// From then on.
    pub from: DateTime<Utc>,
    /// Until then.
    pub until: DateTime<Utc>,
    /// The person who stands in; without one, the next of the rota does.
    pub delegate: Option<PersonId>,
}

/// All that decides who is on duty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Duty {
    /// The rule.
    pub rota: Rota,
    /// Its exceptions. Where two overlap, the later one in this list holds.
    pub overrides: Vec<Override>,
    /// Who is away. Where two of a person overlap, the later one in this list holds.
    pub absences: Vec<Absence>,
}

/// One person's time on duty. It ends at the latest where the rota hands over, whoever follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shift {
    /// The person; `None` when nobody of the rota can be.
    pub person: Option<PersonId>,
    /// Since when.
    pub from: DateTime<Utc>,
    /// Until when.
    pub until: DateTime<Utc>,
    /// What put them there.
    pub why: Why,
}

/// What puts a person on duty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It is their turn.
    Turn,
    /// An override names them.
    Override,
    /// They stand in for this person, who cannot be.
    For(PersonId),
}

/// Whether a member of a team can be put on duty: they answer what it is asked. Whoever is disabled still can, and is
/// passed over meanwhile.
pub fn can_be_on_duty(person: &Person, part: Part) -> bool {
    part == Part::Answers && person.role != Role::Viewer
}

impl Override {
    /// Whether it holds at this moment.
    pub fn covers(&self, at: DateTime<Utc>) -> bool {
        self.from <= at && at < self.until
    }
}

impl Absence {
    /// Whether they are away at this moment.
    pub fn covers(&self, at: DateTime<Utc>) -> bool {
        self.from <= at && at < self.until
    }
}
