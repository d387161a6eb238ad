//! Who is on duty in a person's own teams, for the header of their pages.

use app::{
    error::UiError,
    view::{DutyLine, DutyNow, DutyText, harmless},
};
use domain::Principal;
use service::TeamDuty;

use super::backend::{ForPerson, told};

/// A line for each of their teams that has a rota.
pub(super) async fn of(person: &ForPerson) -> Result<DutyText, UiError> {
    let principal = person.principal()?;
    let service = &person.state.service;
    let own = service.own_duty(&principal).await.map_err(told)?;
    let lines = own.iter().filter_map(|duty| line(duty, &principal));
    let now = DutyNow {
        as_of: service.now().timestamp_millis(),
        lines: lines.collect(),
    };
    Ok(DutyText::new(&now))
}

/// Until another one follows, if that is known.
fn line(duty: &TeamDuty, reader: &Principal) -> Option<DutyLine> {
    let shift = duty.shifts.first()?;
    let name = |person| harmless(&duty.name(person));
    let follows = duty.shifts.iter().find(|next| next.person != shift.person);
    Some(DutyLine {
        team: harmless(&duty.team.name),
        person: shift.person.map(name),
        is_you: shift.person.is_some_and(|person| reader.is_person(person)),
        until: follows
            .map_or(shift.until, |next| next.from)
            .timestamp_millis(),
        next: follows.and_then(|next| next.person).map(name),
    })
}
