//! Nothing that is stored makes a read large, and nobody stores without end.

use domain::{
    Audience, Changeset, Day, Event,
    decide::task,
    interaction::{Brief, Draft},
    limits,
    task::TaskDraft,
};
use store::{CommitError, InteractionQuery, Store, TaskQuery};

use crate::database::{Database, written};

store::on_both_databases!(
    pages_end_where_they_are_full_and_nothing_is_lost,
    parts_of_the_journal_end_where_they_are_full,
    tasks_end_where_they_are_full,
    rows_from_before_get_what_lists_show,
    what_agents_have_stored_is_counted_by_the_day,
    a_quota_that_is_used_up_is_a_conflict,
    what_waits_in_a_task_is_weighed,
);

/// As much text as a prompt may have, in bytes.
fn long(n: usize) -> String {
    let mut text = n.to_string();
    text.extend(std::iter::repeat_n('𝔘', limits::TEXT_CHARS - text.len()));
    text
}

fn prompting(prompt: String) -> Draft {
    Draft {
        prompt: Some(prompt),
        ..Draft::default()
    }
}

/// More than two pages of questions, longest and shortest in turn.
async fn filled(database: &Database, store: &dyn Store) -> Vec<domain::InteractionId> {
    let agent = database.agent(store, "backend").await;
    let mut ids = Vec::new();
    for n in 0..60 {
        let prompt = if n % 2 == 0 {
            long(n)
        } else {
            "short".to_owned()
        };
        let asked = database.asked(store, &agent, prompting(prompt)).await;
        ids.insert(0, asked.id);
    }
    ids
}

async fn pages_end_where_they_are_full_and_nothing_is_lost(database: Database) {
    let store = database.store().await;
    let ids = filled(&database, &*store).await;
    for limit in [200, 7] {
        let mut query = InteractionQuery {
            limit,
            ..InteractionQuery::default()
        };
        let (mut found, mut pages) = (Vec::new(), 0);
        loop {
            let (items, next) = store.interactions(&query).await.unwrap().into_parts();
            let items: Vec<_> = items.collect();
            assert!((1..=limit as usize).contains(&items.len()));
            // The last one may reach over the end.
            let whole = &items[..items.len() - 1];
            let bytes: usize = whole.iter().map(|one| one.request.prompt.len()).sum();
            assert!(bytes <= limits::PAGE_BYTES, "{bytes}");
            found.extend(items.iter().map(|one| one.id));
            pages += 1;
            if next.is_none() {
                break;
            }
            query.before = next;
        }
        assert_eq!(found, ids);
        assert!(pages >= 3, "{pages} pages");
    }
    // What lists show is short, and all of it comes.
    let all = InteractionQuery {
        limit: 200,
        ..InteractionQuery::default()
    };
    let briefs = store.briefs(&all).await.unwrap();
    assert_eq!(briefs.len(), ids.len());
    let longest = briefs.iter().map(|one| one.prompt.chars().count()).max();
    assert_eq!(longest, Some(limits::BEGINNING_CHARS + 1));
}

async fn parts_of_the_journal_end_where_they_are_full(database: Database) {
    let store = database.store().await;
    filled(&database, &*store).await;
    let last = store.last_seq().await.unwrap();
    let (mut seqs, mut after, mut pages) = (Vec::new(), 0, 0);
    loop {
        let page = store
            .events_after(after, &Audience::All, 1_000)
            .await
            .unwrap();
        let more = page.more;
        after = page.up_to;
        let events: Vec<Event> = page.collect();
        assert_eq!(events.last().map(|event| event.seq), Some(after));
        seqs.extend(events.iter().map(|event| event.seq));
        pages += 1;
        if !more {
            break;
        }
    }
    assert_eq!(seqs, (1..=last).collect::<Vec<_>>());
    assert!(pages >= 3, "{pages} pages");
    let nothing = store.events_after(after, &Audience::All, 10).await.unwrap();
    assert_eq!((nothing.up_to, nothing.more), (last, false));
    assert!(nothing.collect().is_empty());
    let one = store.event(last).await.unwrap();
    assert_eq!(one.map(|event| event.seq), Some(last));
    assert_eq!(store.event(last + 1).await.unwrap(), None);

    let (mut seqs, mut after) = (Vec::new(), 0);
    loop {
        let records = store.records_after(after, 1_000).await.unwrap();
        assert!(records.len() < 60);
        let Some(last) = records.last() else { break };
        after = last.seq;
        seqs.extend(records.iter().map(|record| record.seq));
    }
    assert_eq!(seqs, (1..=last).collect::<Vec<_>>());
    store::verify_journal(&*store).await.unwrap();
}

async fn tasks_end_where_they_are_full(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    for n in 0..150 {
        let draft = TaskDraft {
            description: Some("𝔘".repeat(limits::DESCRIPTION_CHARS)),
            ..TaskDraft::default()
        };
        // Some were changed at the same moment.
        let now = database.at(n / 3);
        let put = task::put(&format!("T-{n}"), draft, agent.clone(), None, now).unwrap();
        store.commit(put).await.unwrap();
    }
    let mut query = TaskQuery {
        limit: 200,
        ..TaskQuery::default()
    };
    let (mut found, mut pages) = (Vec::new(), 0);
    loop {
        let (items, next) = store.tasks(&query).await.unwrap().into_parts();
        found.extend(items.map(|task| (task.updated_at, task.id)));
        pages += 1;
        if next.is_none() {
            break;
        }
        query.after = next;
    }
    assert_eq!(pages, 3);
    assert_eq!(found.len(), 150);
    assert!(found.is_sorted_by(|one, next| one.0 >= next.0));
    found.sort_by(|one, next| one.1.cmp(&next.1));
    found.dedup();
    assert_eq!(found.len(), 150);
}

async fn rows_from_before_get_what_lists_show(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let hostile = prompting("\0\u{202e} \\u0000 'x'".to_owned());
    let mut briefs = Vec::new();
    for n in 0..120 {
        let draft = if n == 7 {
            hostile.clone()
        } else {
            Draft::default()
        };
        let asked = database.asked(&*store, &agent, draft).await;
        briefs.insert(0, Brief::from(&asked));
    }
    let closed = database.asked(&*store, &agent, Draft::default()).await;
    let answer = database.answer(&closed, "80");
    briefs.insert(0, Brief::from(&written(&answer)));
    store.commit(answer).await.unwrap();
    let unreadable = database.asked(&*store, &agent, Draft::default()).await;
    drop(store);
    // As the version before left it.
    for sql in [
        "UPDATE interactions SET request = '{}' WHERE id = (SELECT id FROM interactions ORDER BY id DESC LIMIT 1)",
        "UPDATE interactions SET brief = NULL",
    ] {
        database.place.execute(sql).await.unwrap();
    }
    let store = database.store().await;
    let all = InteractionQuery {
        limit: 200,
        ..InteractionQuery::default()
    };
    assert_eq!(store.briefs(&all).await.unwrap(), briefs);
    assert_eq!(
        store.recently_closed(&Audience::All, 5).await.unwrap(),
        briefs[..1]
    );
    assert!(store.interaction(unreadable.id).await.is_err());
}

async fn what_agents_have_stored_is_counted_by_the_day(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let other = database.agent(&*store, "devops").await;
    let today = Day::of(database.at(0).at);
    let stored = async |day: Day| {
        let asking = store.asking(agent.id, day, 0).await.unwrap();
        let stored = store.stored_by(agent.id, day).await.unwrap();
        assert_eq!(asking.stored, stored);
        stored
    };
    assert_eq!(stored(today).await, 0);
    let asked = database
        .asked(&*store, &agent, prompting("x".repeat(10_000)))
        .await;
    let one = stored(today).await;
    assert!((20_000..50_000).contains(&one), "{one}");
    // What people say is not the agent's.
    store.commit(database.answer(&asked, "80")).await.unwrap();
    assert_eq!(stored(today).await, one);
    let tomorrow = 24 * 60 * 60;
    let later = database.question(&agent, Draft::default(), tomorrow);
    store.commit(later).await.unwrap();
    assert_eq!(stored(today).await, one);
    assert!((1_000..one).contains(&stored(Day(today.0 + 1)).await));
    let listed = store.agents(&Audience::All, today).await.unwrap();
    let listed: Vec<_> = listed
        .iter()
        .map(|one| (one.agent.id, one.stored))
        .collect();
    assert_eq!(listed, [(agent.id, one), (other.id, 0)]);
}

async fn a_quota_that_is_used_up_is_a_conflict(database: Database) {
    let store = database.store().await;
    // Another node.
    let second = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let limited = |limit: u64| Changeset {
        quota: Some(limit),
        ..database.question(&agent, prompting("x".repeat(1_000)), 0)
    };
    let asks = (0..20).map(|n| {
        let store = if n % 2 == 0 { &store } else { &second };
        store.commit(limited(20_000))
    });
    let outcomes = futures::future::join_all(asks).await;
    let day = Day::of(database.at(0).at);
    let stored = store.stored_by(agent.id, day).await.unwrap();
    let kept = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    let each = stored / kept as u64;
    // The last one may pass it.
    assert!((20_000..20_000 + each).contains(&stored), "{stored}");
    assert!((1..20).contains(&kept));
    for outcome in outcomes {
        assert!(matches!(outcome, Ok(_) | Err(CommitError::Conflict)));
    }
    let all = InteractionQuery {
        limit: 50,
        ..InteractionQuery::default()
    };
    assert_eq!(store.briefs(&all).await.unwrap().len(), kept);
    // Nothing of what is refused is kept, nor counted.
    let refused = store.commit(limited(stored)).await;
    assert!(matches!(refused, Err(CommitError::Conflict)));
    assert_eq!(store.stored_by(agent.id, day).await.unwrap(), stored);
    store.commit(limited(stored + 1)).await.unwrap();
}

async fn what_waits_in_a_task_is_weighed(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let asked = |arguments: &str| {
        let draft = serde_json::json!({
            "kind": "approval", "prompt": "p", "task": {"id": "T"},
            "action": {"tool": "t", "arguments": {"list": serde_json::from_str::<serde_json::Value>(arguments).unwrap()}},
        });
        serde_json::from_value::<Draft>(draft).unwrap()
    };
    let weight = async || store.pending_weight(agent.id, "T").await.unwrap();
    assert_eq!(weight().await, 0);
    let few = database.opened(&agent, asked("[]"), None, 0);
    let interaction = written(&few);
    store.commit(few).await.unwrap();
    let one = weight().await;
    assert!((500..3_000).contains(&one), "{one}");
    let known = store.task(agent.id, "T").await.unwrap();
    let many = format!("[{}]", vec!["0"; 1_000].join(","));
    let many = database.opened(&agent, asked(&many), known.as_ref(), 0);
    store.commit(many).await.unwrap();
    let both = weight().await;
    assert!(both > one + 1_000 * limits::VALUE_WEIGHT as i64, "{both}");
    let known = store.work(agent.id, "T").await.unwrap();
    assert_eq!(known.unwrap().pending.len(), 2);
    let waiting = store
        .waiting_in(&Audience::All, agent.id, "T", 1)
        .await
        .unwrap();
    assert_eq!(waiting, [Brief::from(&interaction)]);
}
