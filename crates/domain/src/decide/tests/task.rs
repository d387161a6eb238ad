//! Rules 5 and 6: a task's status follows its blockers.

use proptest::prelude::*;
use serde_json::json;

use crate::{
    Actor, Changeset, Interaction, Payload, Role, TaskEvent, Write,
    decide::{interaction, task as decide},
    interaction::{Kind, Mode, Outcome},
    task::{EXPIRED, Task, TaskDraft, TaskStatus, Work},
    testing::{Counter, agent, answer_to, at, given, opened, person, task_of, with, written},
};

fn asked(kind: Kind, mode: &str, work: Option<&Work>, ids: &Counter) -> Changeset {
    let mut body = with(kind, json!({"task": {"id": "T-1", "step": "choosing"}}));
    if kind != Kind::Notification {
        body["mode"] = mode.into();
        body["timeout_seconds"] = if mode == "sync" {
            json!(60)
        } else {
            json!(null)
        };
    }
    opened(body, work, ids)
}

fn work(task: &Task, pending: &[&Interaction]) -> Work {
    Work {
        task: task.clone(),
        pending: pending.iter().copied().cloned().collect(),
    }
}

/// The task's status as the changeset leaves it, and the types of its events.
fn left(changeset: &Changeset) -> (&'static str, Vec<&'static str>) {
    let types = changeset
        .events
        .iter()
        .map(|event| event.payload.event_type());
    (task_of(changeset).unwrap().status.name(), types.collect())
}

fn answered(one: &Interaction, work: &Work, ids: &Counter) -> Changeset {
    let draft = given(answer_to(one.request.kind()));
    interaction::answer(one, draft, &person(Role::Responder), Some(work), at(ids, 1)).unwrap()
}

fn put(status: &str, work: Option<&Work>, ids: &Counter) -> Changeset {
    let draft = TaskDraft {
        status: Some(status.into()),
        ..TaskDraft::default()
    };
    decide::put("T-1", draft, agent(), work, at(ids, 2)).unwrap()
}

#[test]
fn a_sync_blocker_stops_its_task_and_its_end_lets_it_go_on() {
    let ids = Counter::default();
    let first = asked(Kind::Question, "sync", None, &ids);
    assert_eq!(
        left(&first),
        ("waiting", vec!["interaction.requested", "task.waiting"])
    );
    let (one, task) = (written(&first), task_of(&first).unwrap());
    assert_eq!(task.step.as_deref(), Some("choosing"));

    let second = asked(Kind::Choice, "sync", Some(&work(task, &[&one])), &ids);
    assert_eq!(left(&second), ("waiting", vec!["interaction.requested"]));
    let (two, task) = (written(&second), task_of(&second).unwrap());
    assert_eq!(task.version, 2);

    let closing = answered(&one, &work(task, &[&one, &two]), &ids);
    assert_eq!(left(&closing), ("waiting", vec!["interaction.resolved"]));
    let task = task_of(&closing).unwrap();
    let closing = answered(&two, &work(task, &[&two]), &ids);
    assert_eq!(
        left(&closing),
        ("running", vec!["interaction.resolved", "task.running"])
    );
}

#[test]
fn async_blockers_and_notifications_stop_nothing() {
    let ids = Counter::default();
    for kind in [Kind::Question, Kind::Notification] {
        let opened = asked(kind, "async", None, &ids);
        assert_eq!(left(&opened).0, "running");
        let task = task_of(&opened).unwrap();
        let again = asked(kind, "async", Some(&work(task, &[])), &ids);
        assert_eq!(again.events.len(), 1);
    }
    let opened = asked(Kind::Question, "async", None, &ids);
    let (one, task) = (written(&opened), task_of(&opened).unwrap());
    let closing = answered(&one, &work(task, &[&one]), &ids);
    assert_eq!(task_of(&closing), None);
}

#[test]
fn a_sync_blocker_that_expires_without_an_answer_fails_its_task_and_takes_the_others_with_it() {
    let ids = Counter::default();
    let first = asked(Kind::Approval, "sync", None, &ids);
    let (one, task) = (written(&first), task_of(&first).unwrap());
    let other = written(&asked(
        Kind::Question,
        "async",
        Some(&work(task, &[&one])),
        &ids,
    ));

    let expired =
        interaction::expire(&one, Some(&work(task, &[&one, &other])), at(&ids, 60)).unwrap();
    assert_eq!(
        left(&expired),
        (
            "failed",
            vec![
                "interaction.expired",
                "task.failed",
                "interaction.cancelled"
            ]
        )
    );
    assert_eq!(task_of(&expired).unwrap().status.reason(), Some(EXPIRED));
    let Some(Write::Advance(taken_back)) = expired.writes.last() else {
        panic!("{expired:?}");
    };
    assert_eq!(taken_back.id, other.id);
    assert_eq!(taken_back.state.outcome(), Some(Outcome::Cancelled));
    assert_eq!(taken_back.version, 2);
}

#[test]
fn a_fallback_lets_the_task_go_on() {
    let ids = Counter::default();
    let body = with(
        Kind::Question,
        json!({"task": {"id": "T-1"}, "timeout_seconds": 60, "fallback": ""}),
    );
    let opened = opened(body, None, &ids);
    let (one, task) = (written(&opened), task_of(&opened).unwrap());
    let expired = interaction::expire(&one, Some(&work(task, &[&one])), at(&ids, 60)).unwrap();
    assert_eq!(left(&expired).0, "running");
}

#[test]
fn ending_a_task_takes_back_what_waits_in_it() {
    for (status, event) in [("done", "task.done"), ("failed", "task.failed")] {
        let ids = Counter::default();
        let first = asked(Kind::Question, "sync", None, &ids);
        let (one, task) = (written(&first), task_of(&first).unwrap());
        let ended = put(status, Some(&work(task, &[&one])), &ids);
        assert_eq!(left(&ended), (status, vec![event, "interaction.cancelled"]));
        assert_eq!(ended.writes.len(), 2);
        // What is over stays over when the rest of it closes.
        let over = task_of(&ended).unwrap();
        let closing = answered(&one, &work(over, &[&one]), &ids);
        assert_eq!(left(&closing).0, status);
        // And begins again when the agent says so, or asks again.
        assert_eq!(
            left(&put("running", Some(&work(over, &[])), &ids)).0,
            "running"
        );
        let again = asked(Kind::Question, "sync", Some(&work(over, &[])), &ids);
        assert_eq!(left(&again).0, "waiting");
    }
}

#[test]
fn running_with_a_pending_sync_blocker_is_waiting() {
    let ids = Counter::default();
    let first = asked(Kind::Question, "sync", None, &ids);
    let (one, task) = (written(&first), task_of(&first).unwrap());
    let updated = put("running", Some(&work(task, &[&one])), &ids);
    assert_eq!(left(&updated).0, "waiting");
}

#[test]
fn what_is_absent_stays_and_every_fault_has_its_path() {
    let ids = Counter::default();
    let named = TaskDraft {
        title: Some("Add caching".into()),
        ..TaskDraft::default()
    };
    let first = decide::put("T-1", named, agent(), None, at(&ids, 0)).unwrap();
    let task = task_of(&first).unwrap();
    assert_eq!(task.status, TaskStatus::Running);
    let stepped = TaskDraft {
        step: Some("measuring".into()),
        ..TaskDraft::default()
    };
    let second = decide::put("T-1", stepped, agent(), Some(&work(task, &[])), at(&ids, 1));
    let second = second.unwrap();
    let task = task_of(&second).unwrap();
    assert_eq!(task.title.as_deref(), Some("Add caching"));
    assert_eq!(task.step.as_deref(), Some("measuring"));
    assert!(matches!(
        second.events[0].payload,
        Payload::Task(TaskEvent::Running(_))
    ));

    let wrong = TaskDraft {
        title: Some(" ".into()),
        status: Some("waiting".into()),
        reason: Some("x".into()),
        ..TaskDraft::default()
    };
    let faults = decide::put("T 1\n", wrong, agent(), None, at(&ids, 2)).unwrap_err();
    let paths: Vec<_> = faults.iter().map(|fault| fault.path.as_str()).collect();
    assert_eq!(paths, ["reason", "status", "id", "title"]);
}

#[test]
fn what_is_overdue_itself_expires_when_its_task_ends() {
    for (fallback, outcome) in [
        (json!("8080"), Outcome::Fallback),
        (json!(null), Outcome::Expired),
    ] {
        let ids = Counter::default();
        let first = asked(Kind::Question, "sync", None, &ids);
        let (one, task) = (written(&first), task_of(&first).unwrap());
        let mut body = with(
            Kind::Question,
            json!({"task": {"id": "T-1"}, "timeout_seconds": 60}),
        );
        body["fallback"] = fallback;
        let other = written(&opened(body, Some(&work(task, &[&one])), &ids));
        let both = work(task, &[&one, &other]);
        let failed = interaction::expire(&one, Some(&both), at(&ids, 61)).unwrap();
        let ended = decide::put(
            "T-1",
            TaskDraft {
                status: Some("done".into()),
                ..TaskDraft::default()
            },
            agent(),
            Some(&work(task, &[&other])),
            at(&ids, 61),
        );
        for changeset in [failed, ended.unwrap()] {
            let Some(Write::Advance(gone)) = changeset.writes.last() else {
                panic!("{changeset:?}");
            };
            assert_eq!((gone.id, gone.state.outcome()), (other.id, Some(outcome)));
            let last = changeset.events.last().unwrap();
            assert_eq!(last.payload.event_type(), "interaction.expired");
            assert_eq!(last.actor, Actor::Deadline);
        }
    }
}

/// What a store would hold of one task.
#[derive(Default)]
struct Held {
    task: Option<Task>,
    blockers: Vec<Interaction>,
}

impl Held {
    fn work(&self) -> Option<Work> {
        let pending = self.blockers.iter().filter(|one| one.state.is_pending());
        Some(Work {
            task: self.task.clone()?,
            pending: pending.cloned().collect(),
        })
    }

    fn commit(&mut self, changeset: Changeset) {
        for write in changeset.writes {
            match write {
                Write::Open(one) => self.blockers.push(one),
                Write::Advance(next) => {
                    let one = self.blockers.iter_mut().find(|one| one.id == next.id);
                    let one = one.unwrap();
                    assert_eq!(one.version + 1, next.version);
                    *one = next;
                }
                Write::Task(next) => {
                    let version = self.task.as_ref().map_or(0, |task| task.version);
                    assert_eq!(version + 1, next.version);
                    self.task = Some(next);
                }
                other @ (Write::Erase(_)
                | Write::Access(_)
                | Write::Endpoint(_)
                | Write::Reach(_)
                | Write::Tell { .. }
                | Write::Counted(_)
                | Write::Arrived { .. }
                | Write::Ladder(_)
                | Write::Grant(_)
                | Write::Attach(_)
                | Write::Memory(_)
                | Write::Policy(_)
                | Write::Retry { .. }
                | Write::Heard { .. }) => {
                    panic!("{other:?}")
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn a_task_waits_exactly_while_a_sync_blocker_does_and_nothing_waits_in_one_that_is_over(
        steps in prop::collection::vec((0u8..7, any::<prop::sample::Index>()), 1..40),
    ) {
        let ids = Counter::default();
        let mut held = Held::default();
        for (seconds, (step, which)) in (0..).step_by(9).zip(steps) {
            let work = held.work();
            let now = at(&ids, seconds);
            let pending = work.as_ref().map_or(&[][..], |work| &work.pending);
            let one = (!pending.is_empty()).then(|| which.get(pending));
            let changeset = match (step, one) {
                (0 | 1, _) => {
                    let mode = if step == 0 { "sync" } else { "async" };
                    let body = with(
                        Kind::Question,
                        json!({"task": {"id": "T-1"}, "mode": mode, "timeout_seconds": 60}),
                    );
                    let task = work.as_ref().map(|work| &work.task);
                    Ok(interaction::open(crate::testing::request(body), agent(), None, None, task, None, now))
                }
                (2, Some(one)) => {
                    let draft = given(answer_to(Kind::Question));
                    let ana = person(Role::Responder);
                    interaction::answer(one, draft, &ana, work.as_ref(), now)
                }
                (3, Some(one)) => {
                    interaction::cancel(one, &person(Role::Admin), None, work.as_ref(), now)
                }
                (4, Some(one)) => interaction::expire(one, work.as_ref(), now),
                (5 | 6, _) => {
                    let status = Some(if step == 5 { "running" } else { "done" }.to_owned());
                    let draft = TaskDraft { status, ..TaskDraft::default() };
                    Ok(decide::put("T-1", draft, agent(), work.as_ref(), now).unwrap())
                }
                _ => continue,
            };
            if let Ok(changeset) = changeset {
                held.commit(changeset);
            }
            let Some(work) = held.work() else { continue };
            let stopped = work.pending.iter().any(|one| one.request.mode == Mode::Sync);
            prop_assert_eq!(work.task.status == TaskStatus::Waiting, stopped);
            prop_assert!(!work.task.status.is_over() || work.pending.is_empty());
        }
    }
}
