//! What was asked, taken back, and erased; and whether rows and tasks are as the journal tells.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use domain::{
    Actor, AgentId, Interaction, InteractionEvent, InteractionId, Payload, PersonId,
    interaction::Mode, task::TaskStatus,
};

use super::{Check, Ledger};
use crate::model::{By, Deed};

pub(super) async fn judge(ledger: &mut Ledger<'_>) -> Result<()> {
    asked_is_kept(ledger);
    for id in ledger.ids() {
        is_as_told(ledger, id);
        was_asked(ledger, id);
        was_taken_back(ledger, id);
        is_gone(ledger, id);
    }
    asked_once(ledger);
    tasks_follow(ledger).await
}

/// Whoever was told that it is asked finds it.
fn asked_is_kept(ledger: &mut Ledger<'_>) {
    let mut missing = Vec::new();
    for op in ledger.ops.iter().filter(|op| op.is_done()) {
        let (Deed::Ask { agent, prompt, .. }, Some(id)) = (&op.deed, op.id) else {
            continue;
        };
        let found = ledger.request(id).is_some_and(|(_, by, request)| {
            let is_own = ledger.agent(by.id) == Some(*agent);
            is_own && (request.prompt == *prompt || ledger.is_erased(id))
        });
        if !found || !ledger.rows.contains_key(&id) {
            missing.push((id, format!("it is not there: {op}")));
        }
    }
    for (id, what) in missing {
        ledger.found(Check::ToldIsKept, Some(id), what);
    }
    let rows: Vec<InteractionId> = ledger.rows.keys().copied().collect();
    for id in rows {
        if ledger.request(id).is_none() {
            let what = "there is a row of it, and no event".to_owned();
            ledger.found(Check::RowAsTold, Some(id), what);
        }
    }
}

/// A row is what its events make of it.
fn is_as_told(ledger: &mut Ledger<'_>, id: InteractionId) {
    let events = ledger.events_of(id);
    let Some(told) = Interaction::replay(&events) else {
        return;
    };
    let Some(row) = ledger.rows.get(&id) else {
        let what = "its events are there, and it is not".to_owned();
        ledger.found(Check::RowAsTold, Some(id), what);
        return;
    };
    let mut differs = Vec::new();
    if row.state != told.state {
        differs.push(format!("state {:?}, not {:?}", row.state, told.state));
    }
    if row.consumed != told.consumed {
        differs.push(format!("run {:?}, not {:?}", row.consumed, told.consumed));
    }
    if row.collected_at.is_some() != told.collected_at.is_some() {
        differs.push(format!(
            "collected {:?}, not {:?}",
            row.collected_at, told.collected_at
        ));
    }
    if row.claim != told.claim && row.state.is_pending() {
        differs.push(format!("claim {:?}, not {:?}", row.claim, told.claim));
    }
    if row.expires_at != told.expires_at || row.request != told.request {
        differs.push("another request or deadline".to_owned());
    }
    if row.follow_ups.len() != told.follow_ups.len() {
        differs.push("other follow-ups".to_owned());
    }
    if !differs.is_empty() {
        let what = format!("its row has {}", differs.join("; "));
        ledger.found(Check::RowAsTold, Some(id), what);
    }
}

/// Some agent has sent exactly that.
fn was_asked(ledger: &mut Ledger<'_>, id: InteractionId) {
    let Some((event, agent, request)) = ledger.request(id) else {
        return;
    };
    let place = ledger.agent(agent.id);
    let sent = ledger.ops.iter().any(|op| match &op.deed {
        Deed::Ask { agent, prompt, .. } => {
            Some(*agent) == place && *prompt == request.prompt && op.begun.seq < event.seq
        }
        _ => false,
    });
    if !sent && !ledger.is_erased(id) {
        let what = format!("nobody has asked: {}", request.prompt);
        ledger.found(Check::NothingInvented, Some(id), what);
    }
}

/// What an agent was told under one key, and what it had asked there.
#[derive(Default)]
struct UnderKey {
    ids: BTreeSet<InteractionId>,
    bodies: BTreeSet<String>,
}

/// Rule 8, of all prompts that only one request has.
fn asked_once(ledger: &mut Ledger<'_>) {
    let mut by_prompt: BTreeMap<(AgentId, String), Vec<InteractionId>> = BTreeMap::new();
    for id in ledger.ids() {
        if let Some((_, agent, request)) = ledger.request(id)
            && request.prompt.starts_with("q-")
        {
            let name = (agent.id, request.prompt.clone());
            by_prompt.entry(name).or_default().push(id);
        }
    }
    // What is erased gives its key back.
    let mut by_key: BTreeMap<(usize, &str), UnderKey> = BTreeMap::new();
    for op in ledger.ops.iter().filter(|op| op.is_done()) {
        if let (
            Deed::Ask {
                agent, key, body, ..
            },
            Some(id),
        ) = (&op.deed, op.id)
            && !ledger.is_erased(id)
        {
            let told = by_key.entry((*agent, key)).or_default();
            told.ids.insert(id);
            told.bodies.insert(body.to_string());
        }
    }
    let several: Vec<_> = by_key
        .into_iter()
        .filter(|(_, told)| told.ids.len() > 1 || told.bodies.len() > 1)
        .map(|((agent, key), UnderKey { ids, bodies })| {
            let what = format!("agent {agent} was told {ids:?} under {key}, of {bodies:?}");
            (ids.first().copied(), what)
        })
        .collect();
    for (id, what) in several {
        ledger.found(Check::AskedOnce, id, what);
    }
    for ((_, prompt), ids) in by_prompt {
        if ids.len() > 1 {
            let what = format!("{prompt} was asked {} times: {ids:?}", ids.len());
            ledger.found(Check::AskedOnce, ids.first().copied(), what);
        }
    }
}

/// Rule 7.
fn was_taken_back(ledger: &mut Ledger<'_>, id: InteractionId) {
    let mut faults = Vec::new();
    let owner = ledger.request(id).map(|(_, agent, _)| agent.id);
    let session = ledger
        .request(id)
        .and_then(|(_, _, request)| request.session_id.clone());
    for (event, told) in ledger.story(id) {
        if !matches!(told, InteractionEvent::Cancelled { .. }) {
            continue;
        }
        let by = match &event.actor {
            Actor::Agent(agent) if Some(agent.id) == owner => ledger.agent(agent.id).map(By::Agent),
            Actor::Agent(_) => None,
            Actor::Responder(by) => Some(By::Person(PersonId(by.id))),
            // It went with its task.
            Actor::Deadline => continue,
            _ => None,
        };
        let Some(by) = by else {
            faults.push((
                Check::TakenBackByWhoMay,
                format!("{:?} took it back", event.actor),
            ));
            continue;
        };
        let team = ledger.team(id);
        let wants = |deed: &Deed| match (deed, by) {
            (
                Deed::TakeBack {
                    id: other,
                    by: other_by,
                },
                _,
            ) => *other == id && *other_by == by,
            (
                Deed::EndSession {
                    agent,
                    session: ended,
                },
                By::Agent(by),
            ) => *agent == by && (ledger.is_erased(id) || session.as_ref() == Some(ended)),
            _ => false,
        };
        let mut ops = ledger.ops.iter();
        let op = ops.find(|op| wants(&op.deed) && op.begun.seq < event.seq);
        let may = match (by, op) {
            (_, None) => false,
            (By::Agent(_), Some(_)) => true,
            (By::Person(person), Some(op)) => {
                let rights = &ledger.rights;
                rights.ever(person, op.begun.seq, event.seq, |one| one.may_answer(team))
            }
        };
        if !may {
            faults.push((
                Check::TakenBackByWhoMay,
                format!("{by:?} took it back by event {}", event.seq),
            ));
        }
    }
    for (check, what) in faults {
        ledger.found(check, Some(id), what);
    }
}

/// Rule 19.
fn is_gone(ledger: &mut Ledger<'_>, id: InteractionId) {
    if !ledger.is_erased(id) {
        return;
    }
    let asked = ledger
        .ops_about(id)
        .into_iter()
        .find_map(|op| match &op.deed {
            Deed::Ask { prompt, .. } if prompt.starts_with("q-") => Some(prompt.clone()),
            _ => None,
        });
    let Some(prompt) = asked else {
        return;
    };
    let mut records = ledger.records.iter();
    let left = records
        .find(|record| record.interaction_id == Some(id) && record.payload.contains(&prompt));
    let in_row = ledger
        .rows
        .get(&id)
        .is_some_and(|row| row.request.prompt.contains(&prompt));
    let what = match (left, in_row) {
        (Some(record), _) => format!("event {} still has its words", record.seq),
        (None, true) => "its row still has its words".to_owned(),
        (None, false) => return,
    };
    ledger.found(Check::ErasedIsGone, Some(id), what);
}

/// Rule 6.
async fn tasks_follow(ledger: &mut Ledger<'_>) -> Result<()> {
    let mut tasks: BTreeSet<(AgentId, String)> = BTreeSet::new();
    for event in &ledger.events {
        if let (Payload::Task(_), Some(agent), Some(task)) =
            (&event.payload, event.agent_id, &event.task_id)
        {
            tasks.insert((agent, task.clone()));
        }
    }
    for (agent, name) in tasks {
        let Some(task) = ledger.store.task(agent, &name).await? else {
            let what = format!("the task {name} is not there");
            ledger.found(Check::TaskFollows, None, what);
            continue;
        };
        let waits = ledger.rows.values().find(|row| {
            let of_task = row
                .request
                .task
                .as_ref()
                .is_some_and(|task| task.id == name);
            of_task
                && row.agent.id == agent
                && row.request.mode == Mode::Sync
                && row.state.is_pending()
        });
        let is_waiting = task.status == TaskStatus::Waiting;
        if is_waiting != waits.is_some() {
            let about = waits.map(|row| row.id);
            let what = format!(
                "the task {name} is {}, and what waits in it is {about:?}",
                task.status.name()
            );
            ledger.found(Check::TaskFollows, about, what);
        }
    }
    Ok(())
}
