//! Events of duty: a rota, its exceptions, and the addresses of its calendar.

use serde::{Deserialize, Serialize};

use crate::{
    access::PersonRef,
    duty::{Absence, Override, Rota},
    team::TeamRef,
};

/// What decides who of a team is on duty was changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "payload")]
pub enum DutyEvent {
    /// A team has this rota from now on. Overrides and absences stay.
    #[serde(rename = "duty.rota_set")]
    RotaSet {
        /// The team.
        team: TeamRef,
        /// Its rota.
        rota: Rota,
    },
    /// It has none any more, no exceptions to it, and no address of a calendar.
    #[serde(rename = "duty.rota_cleared")]
    RotaCleared(TeamRef),
    /// Others than the rota says are on duty for a while.
    #[serde(rename = "duty.overridden")]
    Overridden {
        /// The team.
        team: TeamRef,
        /// Who, and when.
        overrides: Vec<Override>,
    },
    /// An override does not hold any more.
    #[serde(rename = "duty.override_removed")]
    OverrideRemoved {
        /// The team.
        team: TeamRef,
        /// As it was.
        removed: Override,
    },
    /// A person is out of office.
    #[serde(rename = "duty.away_set")]
    AwaySet {
        /// The team.
        team: TeamRef,
        /// Who, and when.
        absence: Absence,
    },
    /// They are not, after all.
    #[serde(rename = "duty.away_removed")]
    AwayRemoved {
        /// The team.
        team: TeamRef,
        /// As it was.
        removed: Absence,
    },
    /// A person has an address of the team's calendar from now on; their last one ends.
    #[serde(rename = "duty.calendar_opened")]
    CalendarOpened {
        /// The team.
        team: TeamRef,
        /// The person.
        person: PersonRef,
    },
    /// They have none any more.
    #[serde(rename = "duty.calendar_closed")]
    CalendarClosed {
        /// The team.
        team: TeamRef,
        /// The person.
        person: PersonRef,
    },
}

impl DutyEvent {
    /// The event type, as in SQL and JSON.
    pub fn event_type(&self) -> &'static str {
        match self {
            Self::RotaSet { .. } => "duty.rota_set",
            Self::RotaCleared(_) => "duty.rota_cleared",
            Self::Overridden { .. } => "duty.overridden",
            Self::OverrideRemoved { .. } => "duty.override_removed",
            Self::AwaySet { .. } => "duty.away_set",
            Self::AwayRemoved { .. } => "duty.away_removed",
            Self::CalendarOpened { .. } => "duty.calendar_opened",
            Self::CalendarClosed { .. } => "duty.calendar_closed",
        }
    }

    /// The team whose duty it is about.
    pub fn team(&self) -> &TeamRef {
        match self {
            Self::RotaCleared(team)
            | Self::RotaSet { team, .. }
            | Self::Overridden { team, .. }
            | Self::OverrideRemoved { team, .. }
            | Self::AwaySet { team, .. }
            | Self::AwayRemoved { team, .. }
            | Self::CalendarOpened { team, .. }
            | Self::CalendarClosed { team, .. } => team,
        }
    }
}
