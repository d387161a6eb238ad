//! Decisions: proven by their receipts, by different people where it takes several, and used by one run.

use std::collections::BTreeSet;

use domain::{
    Event, InteractionEvent, InteractionId, PersonId,
    interaction::{Action, Answer, AnswerContent, Ask, Kind, Outcome, Request},
};

use super::{Check, Ledger};
use crate::model::Deed;

type Faults = Vec<(Check, String)>;

pub(super) fn judge(ledger: &mut Ledger<'_>) {
    for id in ledger.ids() {
        let mut faults = Vec::new();
        proven(ledger, id, &mut faults);
        counted(ledger, id, &mut faults);
        used_once(ledger, id, &mut faults);
        for (check, what) in faults {
            ledger.found(check, Some(id), what);
        }
    }
}

fn decision<'a>(
    ledger: &'a Ledger<'_>,
    id: InteractionId,
) -> Option<(&'a Event, &'a Answer, Outcome)> {
    ledger
        .story(id)
        .into_iter()
        .find_map(|(event, told)| match told {
            InteractionEvent::Resolved { answer, outcome } => Some((event, answer, *outcome)),
            _ => None,
        })
}

/// Rules 2 and 12, by what anybody can verify.
fn proven(ledger: &Ledger<'_>, id: InteractionId, faults: &mut Faults) {
    if ledger.rows.get(&id).is_some_and(|row| row.state.is_void()) {
        faults.push((
            Check::ProvenByReceipt,
            "its row is void: no receipt proves it".to_owned(),
        ));
    }
    let (Some((asked, agent, request)), Some((event, answer, outcome))) =
        (ledger.request(id), decision(ledger, id))
    else {
        return;
    };
    let is_decision = matches!(request.kind(), Kind::Approval | Kind::PlanReview);
    let Some(receipt) = &answer.receipt else {
        if is_decision {
            faults.push((
                Check::ProvenByReceipt,
                format!("event {} is a decision without a receipt", event.seq),
            ));
        }
        return;
    };
    if let Err(why) = ledger.world.keys.verify(receipt) {
        faults.push((
            Check::ProvenByReceipt,
            format!("the receipt of event {}: {why}", event.seq),
        ));
    }
    let said = &receipt.decision;
    let wrong = [
        (said.interaction_id != id, "another interaction"),
        (said.agent != *agent, "another agent"),
        (said.kind != request.kind(), "another kind"),
        (said.outcome != outcome, "another outcome"),
        (said.outcome != answer.content.outcome(), "another answer"),
        (said.responder != answer.responder, "another responder"),
        (said.asked_at != asked.at, "another time of asking"),
        (
            said.answered_at != answer.answered_at,
            "another time of answering",
        ),
        (
            !ledger.is_erased(id) && said.action_digest != action_digest(request, &answer.content),
            "another action",
        ),
    ];
    for (is_wrong, what) in wrong {
        if is_wrong {
            faults.push((
                Check::ProvenByReceipt,
                format!("the receipt of event {} is of {what}: {said:?}", event.seq),
            ));
        }
    }
}

/// Of what runs: made here from the arguments, not read from beside them.
fn action_digest(request: &Request, content: &AnswerContent) -> Option<String> {
    let Ask::Approval { action, .. } = &request.ask else {
        return None;
    };
    match content {
        AnswerContent::Approval {
            amended: Some(amended),
            ..
        } => {
            let changed = Action {
                arguments: amended.arguments.clone(),
                ..action.clone()
            };
            changed.digest().ok()
        }
        _ => action.digest().ok(),
    }
}

/// Rule 16.
fn counted(ledger: &Ledger<'_>, id: InteractionId, faults: &mut Faults) {
    let Some(body) = ledger.body_of(id) else {
        return;
    };
    let needed = body["approvals"]["needed"].as_u64().unwrap_or(1) as usize;
    let four_eyes = body["approvals"]["four_eyes"] == true;
    let Some((event, answer, Outcome::Approved)) = decision(ledger, id) else {
        return;
    };
    let Some(receipt) = answer.receipt.as_ref().filter(|_| needed > 1) else {
        return;
    };
    let approvers = &receipt.decision.approvers;
    let people: BTreeSet<_> = approvers.iter().map(|one| one.responder.id).collect();
    if people.len() < needed {
        faults.push((
            Check::DifferentPeople,
            format!(
                "{} different people approved by event {}, and it takes {needed}",
                people.len(),
                event.seq
            ),
        ));
    }
    let owner = ledger
        .request(id)
        .and_then(|(_, agent, _)| ledger.agent(agent.id));
    let owner = owner.map(|agent| ledger.world.cast.owner(agent).0);
    let team = ledger.team(id);
    for one in approvers {
        if four_eyes && Some(one.responder.id) == owner {
            faults.push((
                Check::DifferentPeople,
                format!("{} owns the agent", one.responder.name),
            ));
        }
        // Looked at in the commit: no time for a race.
        let person = PersonId(one.responder.id);
        let standing = ledger.rights.at(person, event.seq);
        if !standing.is_some_and(|standing| standing.may_answer(team)) {
            faults.push((
                Check::DifferentPeople,
                format!(
                    "{} could not answer when event {} was committed",
                    one.responder.name, event.seq
                ),
            ));
        }
    }
    for vote in &answer.votes {
        if !vote.holds(id, &ledger.witness) {
            faults.push((
                Check::ProvenByReceipt,
                format!("the approval of {} is not signed", vote.responder.name),
            ));
        }
    }
}

/// Rule 13.
fn used_once(ledger: &Ledger<'_>, id: InteractionId, faults: &mut Faults) {
    let story = ledger.story(id);
    let runs: Vec<_> = story
        .iter()
        .filter_map(|(event, told)| match told {
            InteractionEvent::Consumed(begun) => Some((*event, begun)),
            _ => None,
        })
        .collect();
    let mut told: BTreeSet<&str> = BTreeSet::new();
    let ops = ledger.ops_about(id);
    for op in ops.iter().filter(|op| op.is_done()) {
        if let Deed::Consume { run, .. } = &op.deed {
            told.insert(run);
        }
    }
    if runs.len() > 1 || told.len() > 1 {
        faults.push((
            Check::UsedOnce,
            format!(
                "{} runs are in the journal, and these were let begin: {told:?}",
                runs.len()
            ),
        ));
    }
    // The name of a run is a word of the agent.
    let is_erased = ledger.is_erased(id);
    for (event, begun) in runs {
        if !is_erased && !begun.holds(id, &ledger.witness) {
            faults.push((
                Check::UsedOnce,
                format!("nobody has signed the run of event {}", event.seq),
            ));
        }
        let sent = ops.iter().any(|op| {
            let is_run = matches!(&op.deed, Deed::Consume { run, .. } if *run == begun.run);
            is_run && op.begun.seq < event.seq
        });
        let approved = decision(ledger, id).is_some_and(|(decided, _, outcome)| {
            outcome == Outcome::Approved && decided.seq < event.seq
        });
        if !sent && !is_erased {
            faults.push((
                Check::NothingInvented,
                format!("nobody has begun the run {}", begun.run),
            ));
        }
        if !approved {
            faults.push((
                Check::UsedOnce,
                format!("event {} is a run of what is not approved", event.seq),
            ));
        }
    }
}
