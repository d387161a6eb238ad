//! The shifts that follow from a rota, its overrides and who is away.

use chrono::{DateTime, Utc};

use super::{Duty, Shift, turns::Turn};
use crate::{ids::PersonId, limits::DUTY_SHOWN};

/// The shift at this moment; `None` before the rota begins. `here` says who can come in.
pub fn on_duty(duty: &Duty, here: &dyn Fn(PersonId) -> bool, at: DateTime<Utc>) -> Option<Shift> {
    let turn = duty.rota.turn_at(at)?;
    let mut shifts = shifts_of(duty, here, turn).into_iter();
    shifts.find(|shift| shift.from <= at && at < shift.until)
}

/// The shifts from `from` to `to` in order, whole also at both ends, without a gap between them: what nobody covers is a
/// shift of nobody. None before the rota begins, and none later than [`DUTY_SHOWN`] after `from`.
pub fn shifts(
    duty: &Duty,
    here: &dyn Fn(PersonId) -> bool,
    from: DateTime<Utc>,
    to: DateTime<Utc>,
) -> Vec<Shift> {
    let to = from
        .checked_add_signed(DUTY_SHOWN)
        .map_or(to, |last| to.min(last));
    let first = duty.rota.turn_at(from).or_else(|| duty.rota.first_turn());
    let turns = first
        .into_iter()
        .flat_map(|first| duty.rota.turns_from(first));
    let turns = turns.take_while(|turn| turn.from < to);
    let shifts = turns.flat_map(|turn| shifts_of(duty, here, turn));
    let shown = shifts.filter(|shift| shift.until > from && shift.from < to);
    shown.collect()
}

/// The shifts within one turn.
fn shifts_of(duty: &Duty, here: &dyn Fn(PersonId) -> bool, turn: Turn) -> Vec<Shift> {
    let overridden = duty.overrides.iter().flat_map(|one| [one.from, one.until]);
    let away = duty.absences.iter().flat_map(|one| [one.from, one.until]);
    let within = overridden.chain(away);
    let within = within.filter(|at| turn.from < *at && *at < turn.until);
    let mut edges: Vec<_> = within.chain([turn.from, turn.until]).collect();
    edges.sort_unstable();
    edges.dedup();
    let mut shifts: Vec<Shift> = Vec::new();
    for edge in edges.windows(2) {
        let (person, why) = duty.who(here, turn.number, edge[0]);
        match shifts.last_mut() {
            Some(last) if (last.person, last.why) == (person, why) => last.until = edge[1],
            _ => shifts.push(Shift {
                person,
                from: edge[0],
                until: edge[1],
                why,
            }),
        }
    }
    shifts
}
