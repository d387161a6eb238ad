//! What decides without asking anybody: policies, grants, and answers that stand.

use std::collections::BTreeMap;

use domain::{
    Event, GrantEvent, GrantId, InteractionEvent, InteractionId, MemoryEvent, MemoryId, Payload,
    grant::{GrantEnd, Holder, Terms},
    interaction::Answer,
    memory,
};

use super::{
    Check, Ledger,
    policies::{by_policies, is_ruled, said_at, sets},
    told,
};
use crate::play::Says;

/// What stands, and until which event.
pub(super) struct Stands<T> {
    pub(super) terms: T,
    made: i64,
    pub(super) ended: Option<i64>,
    uses: Vec<(i64, InteractionId)>,
}

pub(super) fn judge(ledger: &mut Ledger<'_>) {
    let sets = sets(ledger);
    let mut grants: BTreeMap<GrantId, Stands<Terms>> = BTreeMap::new();
    let mut kept: BTreeMap<MemoryId, Stands<memory::Terms>> = BTreeMap::new();
    for event in &ledger.events {
        let seq = event.seq;
        let stands = |terms| Stands {
            terms,
            made: seq,
            ended: None,
            uses: Vec::new(),
        };
        match &event.payload {
            Payload::Grant(GrantEvent::Made(terms)) => {
                grants.insert(terms.id, stands((**terms).clone()));
            }
            Payload::Grant(GrantEvent::Revoked { id } | GrantEvent::Ended { id, .. }) => {
                let used_up = matches!(
                    &event.payload,
                    Payload::Grant(GrantEvent::Ended {
                        why: GrantEnd::UsedUp,
                        ..
                    })
                );
                if let Some(grant) = grants.get_mut(id).filter(|_| !used_up) {
                    grant.ended.get_or_insert(seq);
                }
            }
            Payload::Memory(MemoryEvent::Kept(terms)) => {
                let ended = None;
                kept.insert(
                    terms.id,
                    Stands {
                        terms: (**terms).clone(),
                        made: seq,
                        ended,
                        uses: Vec::new(),
                    },
                );
            }
            // What is erased ends what was made from it, without an event of its own.
            Payload::Interaction(InteractionEvent::Erased(_)) => {
                let is_of = |made_from| event.interaction_id == Some(made_from);
                for grant in grants.values_mut().filter(|it| is_of(it.terms.made_from)) {
                    grant.ended.get_or_insert(seq);
                }
                for memory in kept.values_mut().filter(|it| is_of(it.terms.made_from)) {
                    memory.ended.get_or_insert(seq);
                }
            }
            Payload::Memory(MemoryEvent::Revoked { id } | MemoryEvent::Ended { id, .. }) => {
                if let Some(memory) = kept.get_mut(id) {
                    memory.ended.get_or_insert(seq);
                }
            }
            _ => {}
        }
    }
    for id in ledger.ids() {
        let mut faults = Vec::new();
        by_policies(ledger, id, &sets, &mut faults);
        for (event, told) in ledger.story(id) {
            let InteractionEvent::Resolved { answer, .. } = told else {
                continue;
            };
            let Some(receipt) = &answer.receipt else {
                continue;
            };
            if let Some(granted) = &receipt.decision.grant {
                match grants.get_mut(&granted.id) {
                    Some(grant) => {
                        grant.uses.push((event.seq, id));
                        covers(ledger, id, event, grant, &mut faults);
                    }
                    None => faults.push((
                        Check::GrantHolds,
                        format!("nobody has made the grant {}", granted.id),
                    )),
                }
            }
            if let Some(remembered) = &receipt.decision.remembered {
                match kept.get(&remembered.id) {
                    Some(memory) => stood(ledger, event, answer, memory, &mut faults),
                    None => faults.push((
                        Check::AnswerStands,
                        format!("nobody lets the answer {} stand", remembered.id),
                    )),
                }
            }
        }
        runs_still(ledger, id, &sets, &grants, &mut faults);
        for (check, what) in faults {
            ledger.found(check, Some(id), what);
        }
    }
    let mut faults = Vec::new();
    for (id, grant) in &grants {
        if grant.uses.len() > grant.terms.most as usize {
            let what = format!(
                "the grant {id} was used {} times, and may be {}: {:?}",
                grant.uses.len(),
                grant.terms.most,
                grant.uses
            );
            faults.push((Check::GrantHolds, Some(grant.terms.made_from), what));
        }
    }
    told::judge(ledger, &grants, &kept, &mut faults);
    for (check, about, what) in faults {
        ledger.found(check, about, what);
    }
}

/// Rule 15, of one use.
fn covers(
    ledger: &Ledger<'_>,
    id: InteractionId,
    event: &Event,
    grant: &Stands<Terms>,
    faults: &mut Vec<(Check, String)>,
) {
    let terms = &grant.terms;
    let mut wrong = Vec::new();
    let of = |id| {
        ledger
            .request(id)
            .map(|(_, agent, request)| (agent.id, request.ask.digest()))
    };
    let (used, made) = (of(id), of(terms.made_from));
    if used.as_ref().map(|it| it.0) != Some(terms.agent.id) {
        wrong.push("it is another agent's".to_owned());
    }
    let has_words = !ledger.is_erased(id) && !ledger.is_erased(terms.made_from);
    if has_words && used.map(|it| it.1) != made.map(|it| it.1) {
        wrong.push("it is another action".to_owned());
    }
    if ledger.team(id) != terms.team.as_ref().map(|team| team.id) {
        wrong.push("it is of another team".to_owned());
    }
    if event.at >= terms.expires_at || event.seq < grant.made {
        wrong.push("it is out of its time".to_owned());
    }
    if let Some(ended) = grant.ended.filter(|ended| *ended < event.seq) {
        wrong.push(format!("it ended by event {ended}"));
    }
    if ledger
        .body_of(id)
        .is_some_and(|body| !body["approvals"].is_null())
    {
        wrong.push("people are counted for it".to_owned());
    }
    if let Holder::Person(person) = terms.holder {
        let rights = &ledger.rights;
        if !rights
            .at(person, event.seq)
            .is_some_and(|one| one.may_answer(ledger.team(id)))
        {
            wrong.push("its holder may not answer any more".to_owned());
        }
    }
    for what in wrong {
        faults.push((
            Check::GrantHolds,
            format!(
                "event {} is a use of the grant {}, and {what}",
                event.seq, terms.id
            ),
        ));
    }
}

/// Rule 20, of one use.
fn stood(
    ledger: &Ledger<'_>,
    event: &Event,
    answer: &Answer,
    memory: &Stands<memory::Terms>,
    faults: &mut Vec<(Check, String)>,
) {
    let terms = &memory.terms;
    let mut wrong = Vec::new();
    if event.at >= terms.expires_at || event.seq < memory.made {
        wrong.push("it is out of its time".to_owned());
    }
    if let Some(ended) = memory.ended.filter(|ended| *ended < event.seq) {
        wrong.push(format!("it ended by event {ended}"));
    }
    let first = ledger
        .story(terms.made_from)
        .into_iter()
        .find_map(|(_, told)| match told {
            InteractionEvent::Resolved { answer, .. } => Some(answer.content.clone()),
            _ => None,
        });
    let is_erased = ledger.is_erased(terms.made_from) || event.is_erased;
    if !is_erased && first.as_ref() != Some(&answer.content) {
        wrong.push(format!(
            "it was {first:?}, and is given as {:?}",
            answer.content
        ));
    }
    if answer.responder.id != terms.by.id {
        wrong.push("it is another person's".to_owned());
    }
    for what in wrong {
        faults.push((
            Check::AnswerStands,
            format!(
                "event {} gives the answer {} again, and {what}",
                event.seq, terms.id
            ),
        ));
    }
}

/// Rules 14 and 15, of what begins to run without a person having looked at it.
fn runs_still(
    ledger: &Ledger<'_>,
    id: InteractionId,
    sets: &[(i64, usize)],
    grants: &BTreeMap<GrantId, Stands<Terms>>,
    faults: &mut Vec<(Check, String)>,
) {
    let story = ledger.story(id);
    let receipt = story.iter().find_map(|(_, told)| match told {
        InteractionEvent::Resolved { answer, .. } => answer.receipt.as_ref(),
        _ => None,
    });
    let run = story
        .iter()
        .find(|(_, told)| matches!(told, InteractionEvent::Consumed(_)));
    let (Some(receipt), Some((run, _))) = (receipt, run) else {
        return;
    };
    let decision = &receipt.decision;
    let grant = decision
        .grant
        .as_ref()
        .and_then(|granted| grants.get(&granted.id));
    if let Some(ended) = grant
        .and_then(|grant| grant.ended)
        .filter(|ended| *ended < run.seq)
    {
        faults.push((
            Check::GrantHolds,
            format!(
                "it ran by event {}, and its grant ended by event {ended}",
                run.seq
            ),
        ));
    }
    let says = said_at(sets, run.seq);
    let is_strict = matches!(says, Says::Forbids | Says::Asks);
    if is_ruled(ledger, id) && is_strict && (decision.grant.is_some() || decision.policy.is_some())
    {
        faults.push((
            Check::StrictestWins,
            format!(
                "it ran by event {}, and policies said {says:?} of it",
                run.seq
            ),
        ));
    }
}
