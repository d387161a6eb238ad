//! Rule 12 where rows are read, and what comes after an approval.

use std::sync::Arc;

use domain::{
    AgentRef, Audience, Interaction, State, Verify,
    decide::interaction as decide,
    interaction::{AnswerDraft, Draft, Outcome, ReportDraft, ReportOutcome, Unproven},
    sign::{PublicKey, Sign, Signature},
};
use serde_json::json;
use store::{CommitError, Store};

use crate::database::{Database, Stamp, ana, written};

store::on_both_databases!(
    a_decision_is_read_as_far_as_the_trusted_keys_prove_it,
    a_run_and_a_report_come_back,
    what_happens_once_does_not_happen_again_though_its_row_has_forgotten_it,
    rows_are_walked_as_they_are_stored,
    rows_that_are_found_by_something_else_than_they_say_are_strays,
);

/// Believes what [`Stamp`] signs.
struct Believer;

impl Verify for Believer {
    fn holds(&self, key: &PublicKey, message: &[u8], signature: &Signature) -> bool {
        *key == Stamp.public_key() && *signature == Stamp.sign(message)
    }
}

async fn approved(database: &Database, store: &dyn Store, agent: &AgentRef) -> Interaction {
    let draft: Draft = serde_json::from_value(json!({
        "kind": "approval", "prompt": "Deploy?",
        "action": {
            "tool": "shell", "arguments": {"command": "./deploy.sh"},
            "operands": [{"name": "deploy.sh", "sha256": "0a".repeat(32), "size": 7}],
        },
    }))
    .unwrap();
    let asked = database.asked(store, agent, draft).await;
    let yes = AnswerDraft {
        approved: Some(true),
        ..AnswerDraft::default()
    };
    let answer = decide::answer(&asked, yes, &ana(), None, database.at(10)).unwrap();
    let approved = written(&answer);
    store.commit(answer).await.unwrap();
    approved
}

async fn a_decision_is_read_as_far_as_the_trusted_keys_prove_it(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let asked = approved(&database, &*store, &agent).await;
    let read = async || store.interaction(asked.id).await.unwrap().unwrap();
    // Whoever is not told whom to trust sees no decision, and cries no wolf.
    assert_eq!(read().await.state.outcome(), Some(Outcome::Void));
    assert_eq!(store.void(), []);
    store.trust(Arc::new(Believer));
    assert_eq!(read().await, asked);
    database
        .place
        .execute("UPDATE interactions SET request = replace(request, 'deploy', 'delete')")
        .await
        .unwrap();
    let State::Void { why, .. } = read().await.state else {
        panic!("another action was approved than the one that is stored");
    };
    assert_eq!(why, Unproven::OtherContent);
    assert_eq!(store.void(), [(asked.id, why)]);
    let listed = store.recently_closed(&Audience::All, 10).await.unwrap();
    let outcomes = listed.iter().filter_map(|one| one.ending.as_ref());
    let outcomes: Vec<_> = outcomes.map(|ending| ending.outcome).collect();
    assert_eq!(outcomes, [Outcome::Void]);
    database
        .place
        .execute("UPDATE interactions SET request = replace(request, 'delete', 'deploy')")
        .await
        .unwrap();
    assert_eq!(read().await, asked);
    assert_eq!(store.void(), []);
}

async fn a_run_and_a_report_come_back(database: Database) {
    let store = database.store().await;
    store.trust(Arc::new(Believer));
    let agent = database.agent(&*store, "backend").await;
    let mut now = approved(&database, &*store, &agent).await;
    let consume = decide::consume(&now, &agent, "run 1".into(), database.at(11)).unwrap();
    now = written(&consume);
    store.commit(consume).await.unwrap();
    assert_eq!(store.interaction(now.id).await.unwrap(), Some(now.clone()));
    let said = ReportDraft {
        outcome: ReportOutcome::Failed,
        text: Some("exit code 1\n\"no\" \u{0}".into()),
    };
    let report = decide::report(&now, &agent, said, database.at(12)).unwrap();
    now = written(&report);
    store.commit(report).await.unwrap();
    assert_eq!(store.interaction(now.id).await.unwrap(), Some(now.clone()));
    let events = store.events_of(now.id, 0, 100).await.unwrap().collect();
    assert_eq!(Interaction::replay(&events), Some(now));
}

async fn rows_are_walked_as_they_are_stored(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let mut asked = Vec::new();
    for _ in 0..3 {
        asked.push(approved(&database, &*store, &agent).await);
    }
    // Nobody is trusted here, and still they are what was stored.
    assert_eq!(store.stored_after(None, 2).await.unwrap(), asked[..2]);
    let rest = store.stored_after(Some(asked[1].id), 2).await.unwrap();
    assert_eq!(rest, asked[2..]);
    assert_eq!(store.stored_after(Some(asked[2].id), 2).await.unwrap(), []);
}

async fn what_happens_once_does_not_happen_again_though_its_row_has_forgotten_it(
    database: Database,
) {
    let store = database.store().await;
    store.trust(Arc::new(Believer));
    let agent = database.agent(&*store, "backend").await;
    let approved = approved(&database, &*store, &agent).await;
    let consume = |run: &str| {
        let run = run.to_owned();
        decide::consume(&approved, &agent, run, database.at(11)).unwrap()
    };
    store.commit(consume("run 1")).await.unwrap();
    let forget = async |what: &str| {
        let sql = format!("UPDATE interactions SET {what}");
        database.place.execute(&sql).await.unwrap();
    };
    forget("consumed = NULL, collected_at = NULL, version = 2").await;
    let again = store.commit(consume("run 2")).await;
    assert!(matches!(again, Err(CommitError::Conflict)), "{again:?}");
    let draft = serde_json::from_value(json!({"kind": "question", "prompt": "Which port?"}));
    let asked = database.asked(&*store, &agent, draft.unwrap()).await;
    store.commit(database.answer(&asked, "5432")).await.unwrap();
    forget("state = 'pending', outcome = NULL, closed_at = NULL, detail = '{\"state\":\"pending\"}', version = 1").await;
    let again = store.commit(database.answer(&asked, "6666")).await;
    assert!(matches!(again, Err(CommitError::Conflict)), "{again:?}");
    let back = decide::cancel(&asked, &ana(), None, None, database.at(12)).unwrap();
    let back = store.commit(back).await;
    assert!(matches!(back, Err(CommitError::Conflict)), "{back:?}");
}

async fn rows_that_are_found_by_something_else_than_they_say_are_strays(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let ended = database.asked(&*store, &agent, Draft::default()).await;
    let waiting = database.asked(&*store, &agent, Draft::default()).await;
    store.commit(database.answer(&ended, "x")).await.unwrap();
    let strays = async |after| store.strays_after(after, 10).await.unwrap();
    for (column, other, same) in [
        ("kind", "'choice'", "'question'"),
        ("mode", "'async'", "'sync'"),
        ("urgent", "NOT urgent", "NOT urgent"),
        ("session_id", "'another'", "NULL"),
        ("task_id", "'another'", "NULL"),
        ("state", "'pending'", "'resolved'"),
        ("outcome", "'cancelled'", "'answered'"),
        ("closed_at", "closed_at + 1", "closed_at - 1"),
        (
            "revises",
            "(SELECT id FROM interactions ORDER BY id DESC LIMIT 1)",
            "NULL",
        ),
    ] {
        let set = async |value| {
            let sql = format!(
                "UPDATE interactions SET {column} = {value}
                 WHERE id = (SELECT id FROM interactions ORDER BY id LIMIT 1)"
            );
            database.place.execute(&sql).await.unwrap();
        };
        assert_eq!(strays(None).await, [], "before {column}");
        set(other).await;
        assert_eq!(strays(None).await, [ended.id], "{column}");
        assert_eq!(strays(Some(ended.id)).await, [], "{column}");
        set(same).await;
    }
    assert_eq!(strays(Some(waiting.id)).await, []);
}
