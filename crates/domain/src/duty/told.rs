//! Duty as its events tell of it. The rules make the next state of a team's duty with this too, so that a row differs
//! from its events only where somebody has changed it beside them.

use chrono::{DateTime, Utc};

use super::Duty;
use crate::{event::DutyEvent, limits::DUTY_KEPT};

impl Duty {
    /// What `duty` is after this event, which happened at `at`. Exceptions that were over long before go.
    pub fn after(duty: Option<Self>, event: &DutyEvent, at: DateTime<Utc>) -> Option<Self> {
        let mut next = duty;
        match event {
            DutyEvent::RotaSet { rota, .. } => {
                let before = next.map(|duty| (duty.overrides, duty.absences));
                let (overrides, absences) = before.unwrap_or_default();
                next = Some(Self {
                    rota: rota.clone(),
                    overrides,
                    absences,
                });
            }
            DutyEvent::RotaCleared(_) => return None,
            DutyEvent::Overridden { overrides, .. } => {
                next.as_mut()?.overrides.extend_from_slice(overrides);
            }
            DutyEvent::OverrideRemoved { removed, .. } => {
                let overrides = &mut next.as_mut()?.overrides;
                overrides.retain(|one| one.id != removed.id);
            }
            DutyEvent::AwaySet { absence, .. } => next.as_mut()?.absences.push(absence.clone()),
            DutyEvent::AwayRemoved { removed, .. } => {
                let absences = &mut next.as_mut()?.absences;
                absences.retain(|one| one.id != removed.id);
            }
            DutyEvent::CalendarOpened { .. } | DutyEvent::CalendarClosed { .. } => return next,
        }
        next.map(|duty| duty.kept(at))
    }

    /// Without the exceptions that were over long before.
    pub fn kept(mut self, at: DateTime<Utc>) -> Self {
        let counts = |until: DateTime<Utc>| at.signed_duration_since(until) <= DUTY_KEPT;
        self.overrides.retain(|one| counts(one.until));
        self.absences.retain(|one| counts(one.until));
        self
    }
}
