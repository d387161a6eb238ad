//! The rules of tasks: changes by the agent, and by the blockers (rules 5 and 6).

use super::next::taken_back;
use crate::{
    changeset::{Changeset, Write},
    event::{NewEvent, TaskEvent},
    fault::{Fault, Faults},
    ids::{EventId, InteractionId, Moment},
    interaction::{Interaction, Kind, Mode, State, TaskRef},
    limits,
    principal::{Actor, AgentRef},
    task::{EXPIRED, Task, TaskDraft, TaskStatus, Work},
};

/// The agent registers a task, or says how it goes. Ending or failing it cancels its pending blockers
/// (rule 6); `running` on one that was over opens it again.
///
/// # Errors
/// Every field that is wrong, with its path.
pub fn put(
    id: &str,
    draft: TaskDraft,
    agent: AgentRef,
    work: Option<&Work>,
    now: Moment<'_>,
) -> Result<Changeset, Vec<Fault>> {
    let mut faults = Faults::default();
    let status = status(&mut faults, draft.status, draft.reason);
    let named = TaskRef {
        id: id.to_owned(),
        title: draft.title,
        description: draft.description,
        step: draft.step,
    };
    let named = named.check(str::to_owned, &mut faults);
    let (named, status) = faults.into_result((named, status))?;

    let known = work.map(|work| &work.task);
    let stopped = work.is_some_and(|work| work.is_stopped_without(None));
    let status = match (status, known) {
        (Some(TaskStatus::Running), _) | (None, None) if stopped => TaskStatus::Waiting,
        (Some(status), _) => status,
        (None, Some(known)) => known.status.clone(),
        (None, None) => TaskStatus::Running,
    };
    let actor = Actor::Agent(agent.clone());
    let task = next(known, named, agent, status, now);
    let mut changeset = Changeset {
        events: vec![event(&task, actor.clone(), None, now)],
        writes: vec![Write::Task(task.clone())],
        key: None,
        quota: None,
    };
    if task.status.is_over() {
        let reason = format!("The task is {}", task.status.name());
        take_back(&mut changeset, work, None, &actor, &reason, now);
    }
    Ok(changeset)
}

/// A blocker was opened in a task: the task is registered, its words are brought up to date, and while
/// the blocker is sync it waits. A notification only tells.
pub(crate) fn opened(
    changeset: &mut Changeset,
    interaction: &Interaction,
    known: Option<&Task>,
    now: Moment<'_>,
) {
    let Some(named) = interaction.request.task.clone() else {
        return;
    };
    // What is answered as it is asked stops nobody.
    let mode = match interaction.state.is_pending() {
        true => interaction.request.mode,
        false => Mode::Async,
    };
    let status = match (interaction.request.kind(), mode, known) {
        (Kind::Notification, _, Some(known)) => known.status.clone(),
        (Kind::Notification, _, None) => TaskStatus::Running,
        (_, Mode::Sync, _) => TaskStatus::Waiting,
        (_, Mode::Async, Some(known)) if !known.status.is_over() => known.status.clone(),
        (_, Mode::Async, _) => TaskStatus::Running,
    };
    let actor = Actor::Agent(interaction.agent.clone());
    let task = next(known, named, interaction.agent.clone(), status, now);
    if known.is_none_or(|known| known.status != task.status) {
        let event = event(&task, actor, Some(interaction.id), now);
        changeset.events.push(event);
    }
    changeset.writes.push(Write::Task(task));
}

/// A sync blocker was closed: its task goes on when nothing else stops it, or fails when the deadline
/// left the agent without an answer (rule 5). Written even when the status stays, so that of two
/// blockers closed at once the second sees the first.
pub(crate) fn closed(
    changeset: &mut Changeset,
    interaction: &Interaction,
    actor: &Actor,
    work: Option<&Work>,
    now: Moment<'_>,
) {
    let Some(work) = work else { return };
    if interaction.request.mode != Mode::Sync {
        return;
    }
    let left_without_answer = matches!(interaction.state, State::Expired { fallback: None, .. });
    let status = match &work.task.status {
        over if over.is_over() => over.clone(),
        _ if left_without_answer => TaskStatus::Failed {
            reason: Some(EXPIRED.to_owned()),
        },
        _ if work.is_stopped_without(Some(interaction)) => TaskStatus::Waiting,
        _ => TaskStatus::Running,
    };
    let task = Task {
        version: work.task.version + 1,
        status,
        updated_at: now.at,
        ..work.task.clone()
    };
    let changed = task.status != work.task.status;
    let failed = changed && task.status.is_over();
    if changed {
        let event = event(&task, actor.clone(), Some(interaction.id), now);
        changeset.events.push(event);
    }
    changeset.writes.push(Write::Task(task));
    if failed {
        let reason = "The task has failed: another of its questions expired";
        take_back(changeset, Some(work), Some(interaction), actor, reason, now);
    }
}

/// Takes back the blockers that wait in a task, but for `spared`.
fn take_back(
    changeset: &mut Changeset,
    work: Option<&Work>,
    spared: Option<&Interaction>,
    actor: &Actor,
    reason: &str,
    now: Moment<'_>,
) {
    let pending = work.map_or(&[][..], |work| &work.pending);
    for blocker in pending {
        if spared.is_some_and(|spared| spared.id == blocker.id) {
            continue;
        }
        let (write, event) = taken_back(blocker, actor, reason, now);
        changeset.writes.push(write);
        changeset.events.push(event);
    }
}

fn status(faults: &mut Faults, name: Option<String>, reason: Option<String>) -> Option<TaskStatus> {
    let reason = faults.line("reason", reason, limits::LINE_CHARS);
    if reason.is_some() && name.as_deref() != Some("failed") {
        faults.add("reason", "belongs to the status failed");
    }
    match name?.as_str() {
        "running" => Some(TaskStatus::Running),
        "done" => Some(TaskStatus::Done),
        "failed" => Some(TaskStatus::Failed { reason }),
        "waiting" => {
            faults.add(
                "status",
                "cannot be set to waiting: that follows from the task's blockers",
            );
            None
        }
        _ => {
            faults.add("status", "must be one of running, failed, done");
            None
        }
    }
}

fn next(
    known: Option<&Task>,
    named: TaskRef,
    agent: AgentRef,
    status: TaskStatus,
    now: Moment<'_>,
) -> Task {
    let TaskRef {
        id,
        title,
        description,
        step,
    } = named;
    let or_known = |new: Option<String>, old: fn(&Task) -> &Option<String>| {
        new.or_else(|| known.and_then(|known| old(known).clone()))
    };
    Task {
        id,
        agent,
        version: known.map_or(1, |known| known.version + 1),
        title: or_known(title, |known| &known.title),
        description: or_known(description, |known| &known.description),
        step: or_known(step, |known| &known.step),
        status,
        created_at: known.map_or(now.at, |known| known.created_at),
        updated_at: now.at,
    }
}

fn event(
    task: &Task,
    actor: Actor,
    interaction_id: Option<InteractionId>,
    now: Moment<'_>,
) -> NewEvent {
    NewEvent {
        id: EventId(now.ids.next()),
        salt: now.ids.salt(),
        at: now.at,
        actor,
        agent_id: Some(task.agent.id),
        interaction_id,
        task_id: Some(task.id.clone()),
        payload: TaskEvent::from(task.clone()).into(),
    }
}
