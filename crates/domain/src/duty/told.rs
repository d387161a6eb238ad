//! Duty as its events tell of it. The rules make the next state of a team's duty with this too, so that a row differs
//! from its events only where somebody has changed it beside them.

use chrono::{DateTime, Utc};

use super::Duty;
use crate::{event::DutyEvent, limits::DUTY_KEPT};

impl Duty {
    /// What `duty` is after this event, which happened at `at`. Exceptions that were over long before go.
    pub fn after(duty: Option<Self>, event: &DutyEvent, at: DateTime<Utc>) -> Option<Self> {
        let mut next = match (event, duty) {
            (DutyEvent::RotaCleared(_), _) => return None,
            (DutyEvent::RotaSet { rota, .. }, None) => Self {
                rota: rota.clone(),
                overrides: Vec::new(),
                absences: Vec::new(),
            },
            (_, duty) => duty?,
        };
        match event {
            DutyEvent::RotaSet { rota, .. } => next.rota = rota.clone(),
            DutyEvent::Overridden { overrides, .. } => next.overrides.extend_from_slice(overrides),
            DutyEvent::OverrideRemoved { removed, .. } => {
                next.overrides.retain(|one| one.id != removed.id);
            }
            DutyEvent::AwaySet { absence, .. } => next.absences.push(absence.clone()),
            DutyEvent::AwayRemoved { removed, .. } => {
                next.absences.retain(|one| one.id != removed.id);
            }
            DutyEvent::CalendarOpened { .. } | DutyEvent::CalendarClosed { .. } => {
                return Some(next);
            }
            DutyEvent::RotaCleared(_) => return None,
        }
        Some(next.kept(at))
    }

    /// Without the exceptions that were over long before.
    pub fn kept(mut self, at: DateTime<Utc>) -> Self {
        let counts = |until: DateTime<Utc>| at.signed_duration_since(until) <= DUTY_KEPT;
        self.overrides.retain(|one| counts(one.until));
        self.absences.retain(|one| counts(one.until));
        self
    }
}
