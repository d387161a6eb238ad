//! Policies: what the set in force at an event says, and what came of it (rule 14).

use domain::{
    InteractionEvent, InteractionId, Payload, PolicyEvent,
    interaction::{Answer, Ask, Outcome},
};

use super::{Check, Ledger};
use crate::{
    model::Deed,
    play::{RULED, Says, says},
};

/// The set in force from each event on, by the names of its rules: each has the number with which it was sent.
pub(super) fn sets(ledger: &mut Ledger<'_>) -> Vec<(i64, usize)> {
    let mut sets = vec![(0, 0)];
    let mut faults = Vec::new();
    for event in &ledger.events {
        let Payload::Policy(PolicyEvent::Set(terms)) = &event.payload else {
            continue;
        };
        let number = terms
            .rules
            .first()
            .and_then(|name| name.rsplit(' ').next()?.parse::<usize>().ok());
        let sent = ledger.ops.iter().find_map(|op| match &op.deed {
            Deed::SetPolicies { set, number: sent }
                if Some(*sent) == number && op.begun.seq < event.seq =>
            {
                Some(*set)
            }
            _ => None,
        });
        match (terms.rules.is_empty(), sent) {
            (true, _) => sets.push((event.seq, 0)),
            (false, Some(set)) => sets.push((event.seq, set)),
            (false, None) => faults.push(format!("nobody has put {:?} in force", terms.rules)),
        }
    }
    for what in faults {
        ledger.found(Check::NothingInvented, None, what);
    }
    sets
}

/// What was in force when this event was committed.
pub(super) fn said_at(sets: &[(i64, usize)], seq: i64) -> Says {
    let place = sets.partition_point(|(from, _)| *from < seq);
    says(sets[place.saturating_sub(1)].1)
}

/// Rule 14, of what is asked and of what people approve.
pub(super) fn by_policies(
    ledger: &Ledger<'_>,
    id: InteractionId,
    sets: &[(i64, usize)],
    faults: &mut Vec<(Check, String)>,
) {
    let Some((asked, ..)) = ledger.request(id).filter(|_| !ledger.is_erased(id)) else {
        return;
    };
    let decided = ledger
        .story(id)
        .into_iter()
        .find_map(|(event, told)| match told {
            InteractionEvent::Resolved { answer, outcome } => Some((event.seq, answer, *outcome)),
            _ => None,
        });
    let by_policy = |answer: &Answer| {
        answer
            .receipt
            .as_ref()
            .is_some_and(|receipt| receipt.decision.policy.is_some())
    };
    let by_grant = |answer: &Answer| {
        answer
            .receipt
            .as_ref()
            .is_some_and(|receipt| receipt.decision.grant.is_some())
    };
    if !is_ruled(ledger, id) {
        if decided.is_some_and(|(_, answer, _)| by_policy(answer)) {
            faults.push((
                Check::StrictestWins,
                "a policy decided what none is about".to_owned(),
            ));
        }
        return;
    }
    let says = said_at(sets, asked.seq);
    let ruled_so =
        |outcome| decided.is_some_and(|(_, answer, found)| by_policy(answer) && found == outcome);
    let is_right = match says {
        Says::Forbids => ruled_so(Outcome::Denied),
        Says::Allows => ruled_so(Outcome::Approved),
        Says::Asks => !decided.is_some_and(|(_, answer, _)| by_policy(answer) || by_grant(answer)),
        Says::Nothing => !decided.is_some_and(|(_, answer, _)| by_policy(answer)),
    };
    if !is_right {
        let end = decided.map(|(seq, answer, outcome)| {
            (
                seq,
                outcome,
                answer.receipt.as_ref().map(|it| it.decision.policy.clone()),
            )
        });
        faults.push((
            Check::StrictestWins,
            format!(
                "the policies in force at event {} say {says:?} of it, and it ended so: {end:?}",
                asked.seq
            ),
        ));
    }
    if let Some((seq, _, Outcome::Approved)) = decided
        && said_at(sets, seq) == Says::Forbids
    {
        faults.push((
            Check::StrictestWins,
            format!("it was approved by event {seq}, and policies forbade it"),
        ));
    }
}

/// Whether it is about the one command that the policies are about.
pub(super) fn is_ruled(ledger: &Ledger<'_>, id: InteractionId) -> bool {
    ledger
        .request(id)
        .is_some_and(|(_, _, request)| match &request.ask {
            Ask::Approval { action, .. } => action.arguments.0["command"] == RULED,
            _ => false,
        })
}
