//! Lists: in the promised order, narrowed as asked.

use chrono::TimeDelta;
use domain::{
    AgentRef, Audience, Day, InteractionId,
    decide::interaction as decide,
    interaction::{Brief, Draft, Kind, Mode, Priority},
};
use store::{Due, InteractionQuery, Store};

use crate::database::{Database, ana, epoch, written};

store::on_both_databases!(
    waiting_is_sync_then_urgent_then_oldest,
    only_due_rows_are_due,
    closed_rows_come_last_closed_first,
    lists_are_narrowed_and_paged_from_the_newest,
    words_are_found_in_questions_answers_and_follow_ups,
    pending_blockers_and_the_last_day_are_counted,
    an_agent_sees_only_its_own_events,
    what_does_not_exist_is_none,
    an_unreadable_row_does_not_hide_the_others,
);

fn draft(mode: Mode, priority: Priority) -> Draft {
    Draft {
        mode: Some(mode),
        priority: Some(priority),
        ..Draft::default()
    }
}

fn ids(briefs: &[Brief]) -> Vec<InteractionId> {
    briefs.iter().map(|one| one.id).collect()
}

/// Whole, and as lists show them: the same.
async fn listed(store: &dyn Store, query: &InteractionQuery) -> Vec<InteractionId> {
    let whole = store.interactions(query).await.unwrap().collect();
    let briefs: Vec<_> = whole.iter().map(Brief::from).collect();
    assert_eq!(store.briefs(query).await.unwrap(), briefs);
    ids(&briefs)
}

fn due_ids(due: &[Due]) -> Vec<InteractionId> {
    due.iter().map(|one| one.id).collect()
}

async fn waiting_is_sync_then_urgent_then_oldest(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let mut asked = Vec::new();
    for (mode, priority) in [
        (Mode::Async, Priority::Normal),
        (Mode::Async, Priority::Urgent),
        (Mode::Sync, Priority::Normal),
        (Mode::Sync, Priority::Normal),
        (Mode::Sync, Priority::Urgent),
    ] {
        let one = database.asked(&*store, &agent, draft(mode, priority)).await;
        asked.push(one.id);
    }
    let closed = database.asked(&*store, &agent, Draft::default()).await;
    store.commit(database.answer(&closed, "x")).await.unwrap();

    let counts = store.waiting_counts(&Audience::All).await.unwrap();
    assert_eq!((counts.sync, counts.not_sync), (3, 2));
    let waiting = ids(&store.waiting(&Audience::All, 10).await.unwrap());
    assert_eq!(waiting, [4, 2, 3, 1, 0].map(|n: usize| asked[n]));
    assert_eq!(store.waiting(&Audience::All, 2).await.unwrap().len(), 2);
}

async fn only_due_rows_are_due(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let mut asked = Vec::new();
    for timeout in [Some(60), Some(30), Some(61), None] {
        let draft = Draft {
            timeout_seconds: Some(timeout),
            ..Draft::default()
        };
        asked.push(database.asked(&*store, &agent, draft).await);
    }
    let due = store
        .due(epoch() + TimeDelta::seconds(60), 0, 10)
        .await
        .unwrap();
    assert_eq!(due_ids(&due), [asked[1].id, asked[0].id]);
    let rest = store.due(epoch() + TimeDelta::seconds(60), 1, 10).await;
    assert_eq!(due_ids(&rest.unwrap()), [asked[0].id]);
    store.commit(database.answer(&asked[1], "x")).await.unwrap();
    let due = store
        .due(epoch() + TimeDelta::seconds(60), 0, 10)
        .await
        .unwrap();
    assert_eq!(due_ids(&due), [asked[0].id]);
}

async fn closed_rows_come_last_closed_first(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let first = database.asked(&*store, &agent, Draft::default()).await;
    let second = database.asked(&*store, &agent, Draft::default()).await;
    store.commit(database.answer(&second, "x")).await.unwrap();
    let cancel = decide::cancel(&first, &ana(), None, None, database.at(20));
    store.commit(cancel.unwrap()).await.unwrap();
    let closed = ids(&store.recently_closed(&Audience::All, 10).await.unwrap());
    assert_eq!(closed, [first.id, second.id]);
}

async fn lists_are_narrowed_and_paged_from_the_newest(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let other = database.agent(&*store, "devops").await;
    let mut asked = Vec::new();
    for n in 0..6 {
        let by = if n == 5 { &other } else { &agent };
        let draft = Draft {
            session_id: Some(format!("s{}", n % 2)),
            ..Draft::default()
        };
        asked.push(database.asked(&*store, by, draft).await);
    }
    store.commit(database.answer(&asked[0], "x")).await.unwrap();
    let list = async |query: InteractionQuery| listed(&*store, &query).await;
    let own = InteractionQuery {
        agent: Some(agent.id),
        limit: 3,
        ..InteractionQuery::default()
    };
    assert_eq!(
        list(own.clone()).await,
        [4, 3, 2].map(|n: usize| asked[n].id)
    );
    let next = InteractionQuery {
        before: Some(asked[2].id),
        ..own.clone()
    };
    assert_eq!(list(next).await, [1, 0].map(|n: usize| asked[n].id));
    let narrow = InteractionQuery {
        session_id: Some("s0".into()),
        state: Some("pending".into()),
        ..own
    };
    assert_eq!(list(narrow).await, [4, 2].map(|n: usize| asked[n].id));
}

async fn words_are_found_in_questions_answers_and_follow_ups(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let asked = |prompt: &str| Draft {
        prompt: Some(prompt.into()),
        ..Draft::default()
    };
    let ports = database
        .asked(&*store, &agent, asked("Which *port* for api.example.com?"))
        .await;
    let cache = database
        .asked(&*store, &agent, asked("Größe des Caches, in MB"))
        .await;
    let answer = database.answer(&cache, "drop-table; it's 512");
    let closed = written(&answer);
    store.commit(answer).await.unwrap();
    let more = decide::follow_up(
        &closed,
        "measured with redis".into(),
        &ana(),
        database.at(12),
    )
    .unwrap();
    store.commit(more).await.unwrap();

    for (search, expected) in [
        ("port", vec![ports.id]),
        ("POR", vec![ports.id]),
        ("example api", vec![ports.id]),
        ("größe", vec![cache.id]),
        ("512 table", vec![cache.id]),
        ("redis", vec![cache.id]),
        ("ana", vec![cache.id]),
        ("backend", vec![cache.id, ports.id]),
        ("port redis", vec![]),
        ("ort", vec![]),
        ("\" OR * NEAR ' & | ! :*", vec![]),
        ("?!", vec![]),
    ] {
        let query = InteractionQuery {
            search: Some(search.into()),
            limit: 10,
            ..InteractionQuery::default()
        };
        assert_eq!(listed(&*store, &query).await, expected, "{search}");
    }
    let narrow = InteractionQuery {
        search: Some("backend".into()),
        state: Some("pending".into()),
        kind: Some(Kind::Question),
        mode: Some(Mode::Sync),
        before: Some(cache.id),
        limit: 10,
        ..InteractionQuery::default()
    };
    assert_eq!(listed(&*store, &narrow).await, [ports.id]);
    let other = InteractionQuery {
        kind: Some(Kind::Form),
        ..narrow
    };
    assert!(listed(&*store, &other).await.is_empty());
}

async fn pending_blockers_and_the_last_day_are_counted(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let other = database.agent(&*store, "devops").await;
    let mut asked = Vec::new();
    for _ in 0..4 {
        asked.push(database.asked(&*store, &agent, Draft::default()).await);
    }
    let told = Draft {
        kind: Some("notification".into()),
        ..Draft::default()
    };
    database.asked(&*store, &agent, told).await;
    store.commit(database.answer(&asked[0], "x")).await.unwrap();
    let cancel = decide::cancel(&asked[1], &ana(), None, None, database.at(20)).unwrap();
    store.commit(cancel).await.unwrap();
    let pending = async |agent: &AgentRef, up_to| {
        let asking = store.asking(agent.id, Day(0), up_to).await.unwrap();
        asking.pending
    };
    assert_eq!(pending(&agent, 100).await, 2);
    assert_eq!(pending(&agent, 1).await, 1);
    assert_eq!(pending(&agent, 0).await, 0);
    assert_eq!(pending(&other, 100).await, 0);

    // The ids of these tests are older than any time.
    let counts = store.counts(&Audience::All, epoch()).await.unwrap();
    assert_eq!((counts.asked, counts.answered, counts.cancelled), (0, 1, 1));
    assert_eq!(counts.expired, 0);
    let since = store
        .counts(&Audience::All, epoch() + TimeDelta::seconds(15))
        .await
        .unwrap();
    assert_eq!((since.answered, since.cancelled), (0, 1));
    let ever = store
        .counts(&Audience::All, chrono::DateTime::UNIX_EPOCH)
        .await
        .unwrap();
    assert_eq!(ever.asked, 4);
}

async fn an_agent_sees_only_its_own_events(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let other = database.agent(&*store, "devops").await;
    for by in [&agent, &other, &agent] {
        database.asked(&*store, by, Draft::default()).await;
    }
    let seqs = async |after, audience: Audience, limit| -> Vec<i64> {
        let events = store
            .events_after(after, &audience, limit)
            .await
            .unwrap()
            .collect();
        events.iter().map(|event| event.seq).collect()
    };
    // The first two are the agents' tokens, which are nobody's.
    assert_eq!(seqs(0, Audience::All, 10).await, [1, 2, 3, 4, 5]);
    assert_eq!(seqs(0, Audience::Agent(agent.id), 10).await, [3, 5]);
    assert_eq!(seqs(3, Audience::Agent(agent.id), 10).await, [5]);
    assert_eq!(seqs(2, Audience::All, 2).await, [3, 4]);
}

async fn what_does_not_exist_is_none(database: Database) {
    let store = database.store().await;
    let nobody = InteractionId(uuid::Uuid::from_u128(404));
    assert_eq!(store.interaction(nobody).await.unwrap(), None);
    assert!(
        store
            .events_of(nobody, 0, 1_000)
            .await
            .unwrap()
            .collect()
            .is_empty()
    );
    assert_eq!(store.last_seq().await.unwrap(), 0);
    assert!(store.waiting(&Audience::All, 10).await.unwrap().is_empty());
}

async fn an_unreadable_row_does_not_hide_the_others(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let draft = || Draft {
        timeout_seconds: Some(Some(1)),
        ..Draft::default()
    };
    let damaged = database.asked(&*store, &agent, draft()).await;
    let whole = database.asked(&*store, &agent, draft()).await;
    database
        .place
        .execute("UPDATE interactions SET request = '{}', brief = '{}' WHERE id = (SELECT id FROM interactions ORDER BY id LIMIT 1)")
        .await
        .unwrap();
    assert!(store.interaction(damaged.id).await.is_err());
    assert_eq!(
        ids(&store.waiting(&Audience::All, 10).await.unwrap()),
        [whole.id]
    );
    let due = store.due(epoch() + TimeDelta::seconds(5), 0, 10).await;
    assert!(due_ids(&due.unwrap()).contains(&whole.id));
    let all = InteractionQuery {
        limit: 10,
        ..InteractionQuery::default()
    };
    assert_eq!(listed(&*store, &all).await, [whole.id]);
}
