//! Claims, rungs, and whose questions people are shown.

use domain::{Actor, InteractionEvent, InteractionId, PersonId, interaction::Claim};

use super::{Check, Ledger, rights::Standing};
use crate::model::Deed;

type Faults = Vec<(Check, String)>;

pub(super) fn judge(ledger: &mut Ledger<'_>) {
    for id in ledger.ids() {
        let mut faults = Vec::new();
        climbs(ledger, id, &mut faults);
        for (check, what) in faults {
            ledger.found(check, Some(id), what);
        }
    }
    own_team(ledger);
}

/// Rule 17: one is on it at a time, and silence climbs only while nobody is.
fn climbs(ledger: &Ledger<'_>, id: InteractionId, faults: &mut Faults) {
    let mut claim: Option<Claim> = None;
    let (mut last_rung, mut again, mut is_closed) = (None, false, false);
    let story = ledger.story(id);
    let deadline = story.first().and_then(|(_, told)| match told {
        InteractionEvent::Requested { expires_at, .. } => *expires_at,
        _ => None,
    });
    for (event, told) in story {
        let on_it = claim.as_ref().filter(|claim| claim.holds(event.at));
        match told {
            InteractionEvent::Claimed { until, taken_from } => {
                let Actor::Responder(by) = &event.actor else {
                    faults.push((
                        Check::OneClaim,
                        format!("{:?} is on it by event {}", event.actor, event.seq),
                    ));
                    continue;
                };
                let other = on_it
                    .map(|claim| &claim.by)
                    .filter(|other| other.id != by.id);
                if let Some(other) = other {
                    let rights = ledger.rights.at(PersonId(by.id), event.seq);
                    let is_admin = rights.is_some_and(Standing::is_admin);
                    if taken_from.as_ref() != Some(other) || !is_admin {
                        faults.push((
                            Check::OneClaim,
                            format!(
                                "{} is on it by event {}, while {} was",
                                by.name, event.seq, other.name
                            ),
                        ));
                    }
                }
                if deadline.is_some_and(|deadline| *until > deadline) {
                    faults.push((
                        Check::OneClaim,
                        format!("the claim of event {} outlives the deadline", event.seq),
                    ));
                }
                claim = Some(Claim {
                    by: by.clone(),
                    until: *until,
                });
            }
            InteractionEvent::Released { .. } => (claim, again) = (None, true),
            InteractionEvent::HandedOver { .. } | InteractionEvent::Moved { .. } => {
                (claim, last_rung) = (None, None);
            }
            InteractionEvent::Approved { .. } => {
                again = true;
                if let Actor::Responder(by) = &event.actor {
                    claim = claim.take().filter(|claim| !claim.is_of(by));
                }
            }
            InteractionEvent::Climbed { rung, .. } => {
                if is_closed {
                    faults.push((
                        Check::RungOnce,
                        format!(
                            "rung {rung} was told by event {} after it was closed",
                            event.seq
                        ),
                    ));
                }
                if on_it.is_some() {
                    faults.push((
                        Check::RungOnce,
                        format!(
                            "rung {rung} was told by event {} while somebody was on it",
                            event.seq
                        ),
                    ));
                }
                let is_next = match last_rung {
                    None => true,
                    Some(last) => *rung > last || (*rung == last && again),
                };
                if !is_next {
                    faults.push((
                        Check::RungOnce,
                        format!(
                            "rung {rung} was told by event {}, after rung {last_rung:?}",
                            event.seq
                        ),
                    ));
                }
                (last_rung, again) = (Some(*rung), false);
            }
            told if told.closes() => is_closed = true,
            _ => {}
        }
    }
}

/// Rule 18, of the lists that people were shown.
fn own_team(ledger: &mut Ledger<'_>) {
    let mut found = Vec::new();
    for (op, shown) in &ledger.shown {
        let op = &ledger.ops[*op];
        let (Deed::List { person }, Some(ended)) = (&op.deed, op.ended) else {
            continue;
        };
        for (id, team) in shown {
            let may = |team| {
                let rights = &ledger.rights;
                rights.ever(*person, op.begun.seq, ended.seq + 1, |one| one.sees(team))
            };
            let really = ledger.team(*id);
            if !may(really) || !may(*team) {
                let name = ledger.world.cast.name(*person);
                found.push((
                    *id,
                    format!("{name} is shown it, and it is another team's: {op}"),
                ));
            }
        }
    }
    for (id, what) in found {
        ledger.found(Check::OwnTeam, Some(id), what);
    }
}
