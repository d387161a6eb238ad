//! Tasks and agents: kept together with what waits in them, whatever happens at once.

use chrono::TimeDelta;
use domain::{
    AgentRef, Audience, Changeset, Day, Task, Write,
    decide::{interaction as decide, task},
    interaction::Draft,
    interaction::TaskRef,
    json::Object,
    task::{TaskDraft, TaskStatus, Work},
};
use futures::future::join_all;
use store::{CommitError, Store, TaskPlace, TaskQuery, verify_journal};

use crate::database::{Database, epoch, written};

store::on_both_databases!(
    a_task_comes_with_what_waits_in_it,
    a_conflict_of_one_part_leaves_nothing_of_the_whole,
    of_two_blockers_closed_at_once_the_second_sees_the_first,
    tasks_are_narrowed_and_paged_from_the_last_changed,
    agents_are_listed_with_when_they_called_and_what_is_open,
);

fn in_task(id: &str) -> Draft {
    Draft {
        kind: Some("question".into()),
        prompt: Some("Which port?".into()),
        timeout_seconds: Some(Some(60)),
        task: Some(Object(TaskRef {
            id: id.into(),
            title: None,
            description: None,
            step: None,
        })),
        ..Draft::default()
    }
}

/// Asks in a task as it is now.
async fn asked(
    database: &Database,
    store: &dyn Store,
    agent: &AgentRef,
    id: &str,
) -> domain::Interaction {
    let task = store.task(agent.id, id).await.unwrap();
    let changeset = database.opened(agent, in_task(id), task.as_ref(), 0);
    let one = written(&changeset);
    store.commit(changeset).await.unwrap();
    one
}

fn task_of(changeset: &Changeset) -> Task {
    let found = changeset.writes.iter().find_map(|write| match write {
        Write::Task(task) => Some(task.clone()),
        Write::Open(_)
        | Write::Advance(_)
        | Write::Erase(_)
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
        | Write::Heard { .. } => None,
    });
    found.unwrap()
}

async fn a_task_comes_with_what_waits_in_it(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let other = database.agent(&*store, "devops").await;
    assert_eq!(store.work(agent.id, "T 1/ü").await.unwrap(), None);
    let one = asked(&database, &*store, &agent, "T 1/ü").await;
    asked(&database, &*store, &other, "T 1/ü").await;
    asked(&database, &*store, &agent, "T-2").await;
    let two = asked(&database, &*store, &agent, "T 1/ü").await;
    let work = store.work(agent.id, "T 1/ü").await.unwrap().unwrap();
    assert_eq!(work.task.status, TaskStatus::Waiting);
    assert_eq!(work.task.version, 2);
    assert_eq!(work.pending, [one.clone(), two]);

    let expired = decide::expire(&one, Some(&work), database.at(60)).unwrap();
    let failed = task_of(&expired);
    store.commit(expired).await.unwrap();
    let work = store.work(agent.id, "T 1/ü").await.unwrap().unwrap();
    assert_eq!(
        work,
        Work {
            task: failed,
            pending: vec![]
        }
    );
    let seen = store
        .events_after(0, &Audience::Agent(other.id), 10)
        .await
        .unwrap()
        .collect();
    assert_eq!(seen.len(), 2);
    verify_journal(&*store).await.unwrap();
}

async fn a_conflict_of_one_part_leaves_nothing_of_the_whole(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let one = asked(&database, &*store, &agent, "T-1").await;
    let stale = store.work(agent.id, "T-1").await.unwrap().unwrap();
    asked(&database, &*store, &agent, "T-1").await;
    let events = store.last_seq().await.unwrap();

    // The interaction is as it was, the task is not.
    let answer = database.answer_in(&one, "x", Some(&stale));
    // In one batch with somebody who is not in the way.
    let neighbour = database.question(&agent, Draft::default(), 0);
    let (refused, kept) = tokio::join!(store.commit(answer), store.commit(neighbour));
    assert!(matches!(refused, Err(CommitError::Conflict)));
    kept.unwrap();
    assert_eq!(store.interaction(one.id).await.unwrap(), Some(one));
    assert_eq!(store.last_seq().await.unwrap(), events + 1);
    let again = database.opened(&agent, in_task("T-1"), Some(&stale.task), 0);
    let id = written(&again).id;
    assert!(matches!(
        store.commit(again).await,
        Err(CommitError::Conflict)
    ));
    assert_eq!(store.interaction(id).await.unwrap(), None);
    verify_journal(&*store).await.unwrap();
}

async fn of_two_blockers_closed_at_once_the_second_sees_the_first(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let blockers = [
        asked(&database, &*store, &agent, "T-1").await,
        asked(&database, &*store, &agent, "T-1").await,
    ];
    let work = store.work(agent.id, "T-1").await.unwrap();
    let attempts = blockers.clone().map(|one| {
        let changeset = database.answer_in(&one, "x", work.as_ref());
        let store = store.clone();
        tokio::spawn(async move { store.commit(changeset).await.is_ok() })
    });
    let outcomes = join_all(attempts).await;
    let won: Vec<bool> = outcomes.into_iter().map(Result::unwrap).collect();
    assert_eq!(won.iter().filter(|won| **won).count(), 1);
    let left = &blockers[usize::from(won[0])];
    let work = store.work(agent.id, "T-1").await.unwrap();
    store
        .commit(database.answer_in(left, "x", work.as_ref()))
        .await
        .unwrap();
    let task = store.task(agent.id, "T-1").await.unwrap().unwrap();
    assert_eq!(task.status, TaskStatus::Running);
}

async fn put(
    database: &Database,
    store: &dyn Store,
    agent: &AgentRef,
    id: &str,
    status: &str,
    seconds: i64,
) -> Task {
    let draft = TaskDraft {
        status: Some(status.into()),
        ..TaskDraft::default()
    };
    let work = store.work(agent.id, id).await.unwrap();
    let now = database.at(seconds);
    let changeset = task::put(id, draft, agent.clone(), work.as_ref(), now).unwrap();
    let put = task_of(&changeset);
    store.commit(changeset).await.unwrap();
    put
}

async fn tasks_are_narrowed_and_paged_from_the_last_changed(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let other = database.agent(&*store, "devops").await;
    put(&database, &*store, &agent, "a", "running", 1).await;
    let b = put(&database, &*store, &agent, "b", "done", 2).await;
    let c = put(&database, &*store, &other, "c", "done", 2).await;
    let a = put(&database, &*store, &agent, "a", "failed", 3).await;
    let list = async |query: TaskQuery| {
        let query = TaskQuery { limit: 2, ..query };
        store.tasks(&query).await.unwrap().collect()
    };
    let first = list(TaskQuery::default()).await;
    assert_eq!(first[0], a);
    let last = &first[1];
    let place = TaskPlace {
        updated_at: last.updated_at,
        agent: last.agent.id,
        id: last.id.clone(),
    };
    let second = list(TaskQuery {
        after: Some(place),
        ..TaskQuery::default()
    })
    .await;
    let mut tied = [last.clone(), second[0].clone()];
    tied.sort_by(|x, y| x.id.cmp(&y.id));
    assert_eq!(tied, [b.clone(), c]);
    assert_eq!(second.len(), 1);
    let done = TaskQuery {
        agent: Some(agent.id),
        status: Some("done".into()),
        ..TaskQuery::default()
    };
    assert_eq!(list(done).await, [b]);
}

async fn agents_are_listed_with_when_they_called_and_what_is_open(database: Database) {
    let store = database.store().await;
    let zoe = database.agent(&*store, "zoe").await;
    let backend = database.agent(&*store, "backend").await;
    let at = epoch() + TimeDelta::seconds(5);
    let token = store.tokens().await.unwrap()[1].token.id;
    store.tokens_used(&[(token, at)]).await.unwrap();
    asked(&database, &*store, &zoe, "T-1").await;
    put(&database, &*store, &zoe, "T-2", "running", 1).await;
    put(&database, &*store, &zoe, "T-3", "done", 1).await;
    let listed = store.agents(&Audience::All, Day(0)).await.unwrap();
    let listed: Vec<_> = listed
        .iter()
        .map(|one| (&*one.agent.name, one.last_seen_at, one.open_tasks))
        .collect();
    assert_eq!(listed, [("backend", None, 0), ("zoe", Some(at), 2)]);
    assert_eq!(
        store.agent_named("backend").await.unwrap(),
        Some(backend.id)
    );
    assert_eq!(store.agent_named("nobody").await.unwrap(), None);
}
