//! Whoever was told that something stands, or is no more, or that somebody is out, finds it so.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{
    GrantEvent, GrantId, InteractionId, MemoryId, Payload, PersonId, PolicyEvent, grant::Terms,
    memory,
};

use super::{Check, Ledger, standing::Stands};
use crate::model::Deed;

pub(super) type Found = Vec<(Check, Option<InteractionId>, String)>;

/// Whoever was told that it is in force, or is no more, or that somebody is out, finds it so.
pub(super) fn judge(
    ledger: &Ledger<'_>,
    grants: &BTreeMap<GrantId, Stands<Terms>>,
    kept: &BTreeMap<MemoryId, Stands<memory::Terms>>,
    found: &mut Found,
) {
    let used_up = |id: GrantId, until: i64| {
        ledger.events.iter().any(|event| {
            let ends = matches!(&event.payload, Payload::Grant(GrantEvent::Ended { id: ended, .. }) if *ended == id);
            ends && event.seq <= until
        })
    };
    for op in ledger.ops.iter().filter(|op| op.is_done()) {
        let Some(ended) = op.ended else {
            continue;
        };
        let by_then = |seq: Option<i64>| seq.is_some_and(|seq| seq <= ended.seq);
        let standing = |person: PersonId| ledger.rights.at(person, ended.seq + 1);
        let is_kept = match &op.deed {
            Deed::Grant { .. } => op.grant.is_none_or(|id| grants.contains_key(&id)),
            Deed::RevokeGrant { grant } => {
                by_then(grants.get(grant).and_then(|grant| grant.ended))
                    || used_up(*grant, ended.seq)
                    || has_expired(
                        ledger,
                        grants.get(grant).map(|it| it.terms.expires_at),
                        ended.millis,
                    )
            }
            Deed::KeepAnswer { .. } => op.memory.is_none_or(|id| kept.contains_key(&id)),
            Deed::RevokeAnswer { memory } => {
                by_then(kept.get(memory).and_then(|memory| memory.ended))
                    || has_expired(
                        ledger,
                        kept.get(memory).map(|it| it.terms.expires_at),
                        ended.millis,
                    )
            }
            Deed::Disable { person, disabled } => {
                standing(*person).is_some_and(|one| one.is_out() == *disabled)
            }
            Deed::SetRole { person, answers } => {
                standing(*person).is_some_and(|one| one.answers() == *answers)
            }
            Deed::SetMember {
                person,
                team,
                is_member,
            } => standing(*person).is_some_and(|one| one.is_member(*team) == *is_member),
            Deed::SetPolicies { number, set } => {
                let in_force = ledger
                    .events
                    .iter()
                    .rev()
                    .find_map(|event| match &event.payload {
                        Payload::Policy(PolicyEvent::Set(terms)) if event.seq <= ended.seq => {
                            Some(&terms.rules)
                        }
                        _ => None,
                    });
                match in_force {
                    None => *set == 0,
                    Some(rules) => {
                        rules.is_empty() == (*set == 0)
                            && rules
                                .iter()
                                .all(|name| name.ends_with(&format!(" {number}")))
                    }
                }
            }
            _ => true,
        };
        if !is_kept {
            found.push((
                Check::ToldIsKept,
                op.about(),
                format!("the journal does not have it: {op}"),
            ));
        }
    }
}

fn has_expired(ledger: &Ledger<'_>, at: Option<DateTime<Utc>>, millis: i64) -> bool {
    at.is_some_and(|at| at <= ledger.world.schedule.time.at(millis))
}
