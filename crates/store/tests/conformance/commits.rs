//! Committing: durable, once, in order, and never at a neighbour's cost.

use domain::{
    AgentId, AgentRef, Changeset, Day, InteractionEvent, Payload,
    decide::interaction as decide,
    interaction::{Draft, Outcome},
};
use futures::future::join_all;
use serde_json::json;
use store::{CommitError, verify_journal};
use uuid::Uuid;

use crate::database::{Database, ana, said, written};

store::on_both_databases!(
    an_opened_interaction_comes_back_as_it_was,
    every_kind_comes_back_as_it_was,
    what_is_said_afterwards_comes_back,
    of_64_writers_at_once_exactly_one_wins,
    events_are_numbered_without_gaps_and_the_chain_holds,
    one_changeset_the_database_refuses_fails_alone,
    a_rejected_answer_only_grows_the_journal,
    two_nodes_share_one_journal,
    what_was_acknowledged_is_there_after_reopening,
    the_journal_cannot_be_changed,
    a_changed_journal_is_named_by_its_first_bad_event,
    growth_is_hinted_after_a_commit,
    an_idempotency_key_is_taken_once_by_each_agent,
    questions_that_come_one_by_one_are_numbered_after_what_others_wrote,
    of_questions_of_one_batch_those_that_fit_are_numbered_without_gaps,
);

async fn an_opened_interaction_comes_back_as_it_was(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let draft: Draft = serde_json::from_value(json!({
        "kind": "question", "mode": "async", "title": "Ports",
        "prompt": "Which **port**?\r\n\tline two 🦀 \u{0} nul, 'quote', \"double\"",
        "session_id": "p11", "priority": "urgent", "timeout_seconds": 90, "fallback": "",
        "task": {"id": "T-1", "title": "Serve", "step": "bind"}, "metadata": {"pr": 12, "f": 1.5},
    }))
    .unwrap();
    let asked = database.asked(&*store, &agent, draft).await;
    let found = store.interaction(asked.id).await.unwrap().unwrap();
    assert_eq!(found, asked);

    let answer = database.answer(&asked, "a\r\nb\u{0}\n\n🦀 ");
    let resolved = written(&answer);
    store.commit(answer).await.unwrap();
    assert_eq!(store.interaction(asked.id).await.unwrap(), Some(resolved));
}

async fn every_kind_comes_back_as_it_was(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    for body in [
        json!({"kind": "choice", "options": ["a", {"value": "b", "label": "B"}], "multiple": true}),
        json!({"kind": "acknowledgement"}),
        json!({"kind": "approval", "action": {"tool": "shell", "arguments": {"n": 1.5, "a": [null]}}}),
        json!({"kind": "plan_review", "plan": "1. Test"}),
        json!({"kind": "form", "questions": [{"id": "q", "prompt": "?"}]}),
        json!({"kind": "notification", "level": "warning"}),
    ] {
        let draft: Draft = serde_json::from_value(body).unwrap();
        let asked = database.asked(&*store, &agent, draft).await;
        let found = store.interaction(asked.id).await.unwrap().unwrap();
        assert_eq!(found, asked);
    }
}

async fn what_is_said_afterwards_comes_back(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let asked = database.asked(&*store, &agent, Draft::default()).await;
    let answer = database.answer(&asked, "x");
    let mut now = written(&answer);
    store.commit(answer).await.unwrap();
    let collect = decide::collect(&now, &agent, database.at(11)).unwrap();
    now = written(&collect);
    store.commit(collect).await.unwrap();
    for text in ["and\nmore", "nul \u{0}"] {
        let more = decide::follow_up(&now, text.into(), &ana(), database.at(12)).unwrap();
        now = written(&more);
        store.commit(more).await.unwrap();
    }
    assert_eq!(now.follow_ups.len(), 2);
    assert_eq!(store.interaction(asked.id).await.unwrap(), Some(now));
}

async fn of_64_writers_at_once_exactly_one_wins(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let asked = database.asked(&*store, &agent, Draft::default()).await;
    let attempts = (0..64).map(|n| {
        let changeset = database.answer(&asked, &n.to_string());
        let store = store.clone();
        tokio::spawn(async move { store.commit(changeset).await })
    });
    let outcomes = join_all(attempts).await;
    let mut won = 0;
    for outcome in outcomes {
        match outcome.unwrap() {
            Ok(_) => won += 1,
            Err(CommitError::Conflict) => {}
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(won, 1);
    let found = store.interaction(asked.id).await.unwrap().unwrap();
    assert_eq!(found.version, 2);
    // The losers left nothing behind.
    assert_eq!(
        store
            .events_of(asked.id, 0, 1_000)
            .await
            .unwrap()
            .collect()
            .len(),
        2
    );
    verify_journal(&*store).await.unwrap();
}

async fn events_are_numbered_without_gaps_and_the_chain_holds(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let commits = (0..300).map(|_| {
        let changeset = database.question(&agent, Draft::default(), 0);
        let store = store.clone();
        tokio::spawn(async move { store.commit(changeset).await.unwrap()[0].seq })
    });
    let mut numbers: Vec<i64> = join_all(commits)
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    numbers.sort_unstable();
    // The first is the agent's token.
    assert_eq!(numbers, (2..=301).collect::<Vec<_>>());
    assert_eq!(store.last_seq().await.unwrap(), 301);
    assert_eq!(verify_journal(&*store).await.unwrap().seq, 301);
}

async fn one_changeset_the_database_refuses_fails_alone(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let stranger = AgentRef {
        id: AgentId(Uuid::from_u128(666)),
        name: "never stored".into(),
    };
    let commits = (0..40).map(|n| {
        let by = if n == 20 { &stranger } else { &agent };
        let changeset = database.question(by, Draft::default(), 0);
        let store = store.clone();
        tokio::spawn(async move { store.commit(changeset).await.is_ok() })
    });
    let outcomes = join_all(commits).await;
    let kept = outcomes
        .into_iter()
        .filter(|outcome| matches!(outcome, Ok(true)))
        .count();
    assert_eq!(kept, 39);
    assert_eq!(verify_journal(&*store).await.unwrap().seq, 1 + 39);
}

async fn a_rejected_answer_only_grows_the_journal(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let asked = database.asked(&*store, &agent, Draft::default()).await;
    let answer = database.answer(&asked, "first");
    let resolved = written(&answer);
    store.commit(answer).await.unwrap();
    let late = decide::reject_answer(
        &resolved,
        said("second"),
        Outcome::Answered,
        &ana(),
        database.at(11),
    )
    .unwrap();
    store.commit(late).await.unwrap();
    assert_eq!(store.interaction(asked.id).await.unwrap(), Some(resolved));
    let events = store.events_of(asked.id, 0, 1_000).await.unwrap().collect();
    assert!(matches!(
        events[2].payload,
        Payload::Interaction(InteractionEvent::AnswerRejected { .. })
    ));
}

async fn two_nodes_share_one_journal(database: Database) {
    let nodes = [database.store().await, database.store().await];
    let agent = database.agent(&*nodes[0], "backend").await;
    let commits = (0..100).map(|n| {
        let changeset = database.question(&agent, Draft::default(), 0);
        let node = nodes[n % 2].clone();
        tokio::spawn(async move { node.commit(changeset).await })
    });
    for outcome in join_all(commits).await {
        outcome.unwrap().unwrap();
    }
    assert_eq!(verify_journal(&*nodes[1]).await.unwrap().seq, 1 + 100);
}

async fn what_was_acknowledged_is_there_after_reopening(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let asked = database.asked(&*store, &agent, Draft::default()).await;
    drop(store);
    let store = database.store().await;
    assert_eq!(store.interaction(asked.id).await.unwrap(), Some(asked));
    // The chain goes on where it ended.
    database.asked(&*store, &agent, Draft::default()).await;
    assert_eq!(verify_journal(&*store).await.unwrap().seq, 1 + 2);
}

async fn the_journal_cannot_be_changed(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    database.asked(&*store, &agent, Draft::default()).await;
    for sql in ["UPDATE events SET payload = '{}'", "DELETE FROM events"] {
        let refused = database.place.execute(sql).await.unwrap_err();
        assert!(refused.to_string().contains("append-only"), "{refused}");
    }
}

async fn a_changed_journal_is_named_by_its_first_bad_event(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    for _ in 0..3 {
        database.asked(&*store, &agent, Draft::default()).await;
    }
    for sql in [
        "DROP TRIGGER events_no_update",
        "DROP TRIGGER events_no_change ON events",
    ] {
        // One of the two is this database's.
        let _ = database.place.execute(sql).await;
    }
    database
        .place
        .execute("UPDATE events SET at = at + 1 WHERE seq = 2")
        .await
        .unwrap();
    let broken = verify_journal(&*store).await.unwrap_err();
    assert_eq!(
        broken.to_string(),
        "the journal is broken at event 2: its content was changed"
    );
}

async fn growth_is_hinted_after_a_commit(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let mut growth = store.growth();
    growth.mark_unchanged();
    database.asked(&*store, &agent, Draft::default()).await;
    growth.changed().await.unwrap();
}

async fn an_idempotency_key_is_taken_once_by_each_agent(database: Database) {
    let store = database.store().await;
    let (agent, other) = (
        database.agent(&*store, "backend").await,
        database.agent(&*store, "devops").await,
    );
    let keyed = |agent: &AgentRef| database.question_under(agent, "k-1");
    assert_eq!(store.asked_under(agent.id, "k-1").await.unwrap(), None);
    let attempts = (0..16).map(|_| {
        let (changeset, store) = (keyed(&agent), store.clone());
        tokio::spawn(async move {
            let asked = written(&changeset);
            store.commit(changeset).await.map(|_| asked)
        })
    });
    let won: Vec<_> = join_all(attempts)
        .await
        .into_iter()
        .filter_map(|outcome| outcome.unwrap().ok())
        .collect();
    let [asked] = &won[..] else {
        panic!("{} won", won.len());
    };
    assert_eq!(
        store.asked_under(agent.id, "k-1").await.unwrap(),
        Some((asked.id, [7; 32]))
    );
    store.commit(keyed(&other)).await.unwrap();
    assert_eq!(verify_journal(&*store).await.unwrap().seq, 2 + 2);
}

async fn questions_that_come_one_by_one_are_numbered_after_what_others_wrote(database: Database) {
    let (store, elsewhere) = (database.store().await, database.store().await);
    let agent = database.agent(&*store, "backend").await;
    let day = Day::of(database.at(0).at);
    let mut stored = 0;
    for round in 0..4 {
        let key = format!("k-{round}");
        let first = database.question_under(&agent, &key);
        let again = first.clone();
        let (asked, quota) = (written(&first), Some(stored + 1));
        let first = Changeset { quota, ..first };
        store.commit(first).await.unwrap();
        assert_eq!(store.interaction(asked.id).await.unwrap(), Some(asked));
        // One that is refused is followed by one that fits.
        let refused = store.commit(again).await;
        assert!(matches!(refused, Err(CommitError::Conflict)));
        let has = store.stored_by(agent.id, day).await.unwrap();
        let spent = Changeset {
            quota: Some(has),
            ..database.question(&agent, Draft::default(), 0)
        };
        let refused = store.commit(spent).await;
        assert!(matches!(refused, Err(CommitError::Conflict)));
        assert_eq!(store.stored_by(agent.id, day).await.unwrap(), has);
        database.asked(&*store, &agent, Draft::default()).await;
        database.asked(&*elsewhere, &agent, Draft::default()).await;
        stored = store.stored_by(agent.id, day).await.unwrap();
    }
    // The first is the agent's token.
    assert_eq!(verify_journal(&*store).await.unwrap().seq, 1 + 4 * 3);
}

async fn of_questions_of_one_batch_those_that_fit_are_numbered_without_gaps(database: Database) {
    const KEYS: usize = 5;
    const ASKED: usize = 60;
    let store = database.store().await;
    let (agent, spent) = (
        database.agent(&*store, "backend").await,
        database.agent(&*store, "spent").await,
    );
    // The first is written alone; while it is, the others come together.
    let commits = (0..ASKED).map(|n| {
        let changeset = match n % 3 {
            // It has room for one more, whatever that takes.
            0 => Changeset {
                quota: Some(1),
                ..database.question(&spent, Draft::default(), 0)
            },
            1 => database.question_under(&agent, &format!("k-{}", n / 3 % KEYS)),
            _ => database.question(&agent, Draft::default(), 0),
        };
        let (asked, store) = (written(&changeset), store.clone());
        tokio::spawn(async move { (n % 3, asked, store.commit(changeset).await) })
    });
    let mut fitted = [0; 3];
    let mut numbers = Vec::new();
    for outcome in join_all(commits).await {
        let (why, asked, outcome) = outcome.unwrap();
        let found = store.interaction(asked.id).await.unwrap();
        match outcome {
            Ok(events) => {
                fitted[why] += 1;
                numbers.extend(events.into_iter().map(|event| event.seq));
                assert_eq!(found, Some(asked));
            }
            // Where the key is taken, the question is there that has it, and the id.
            Err(CommitError::Conflict) => assert_eq!(found.is_some(), why == 1),
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(fitted, [1, KEYS, ASKED / 3]);
    numbers.sort_unstable();
    // The first two are the agents' tokens.
    let last = 2 + i64::try_from(1 + KEYS + ASKED / 3).unwrap();
    assert_eq!(numbers, (3..=last).collect::<Vec<_>>());
    assert_eq!(verify_journal(&*store).await.unwrap().seq, last);
    let day = Day::of(database.at(0).at);
    let stored = store.stored_by(spent.id, day).await.unwrap();
    let once = database.question(&spent, Draft::default(), 0);
    store.commit(once).await.unwrap();
    // What was refused was not counted.
    assert_eq!(store.stored_by(spent.id, day).await.unwrap(), 2 * stored);
}
