//! Versions of a plan are one line, and what was said of one is kept with its places.

use domain::{
    AgentRef, Audience, Changeset, Interaction, InteractionId,
    decide::interaction::{self as decide, Versions},
    interaction::{AnswerContent, AnswerDraft, Draft},
};
use serde_json::json;
use store::{CommitError, InteractionQuery, Store, verify_journal};

use crate::database::{Database, ana, operator, written};

store::on_both_databases!(
    versions_are_counted_from_the_first_and_know_the_newer_one,
    of_many_that_take_the_place_of_one_plan_one_is_asked,
    a_loser_takes_neither_its_key_nor_its_task_along,
    comments_come_back_as_they_were_given_and_are_found,
    of_comments_that_are_erased_no_word_is_left,
);

/// Stands in every text. A word of its own.
const MARK: &str = "xyzzyplan";

fn plan(revises: Option<InteractionId>, more: serde_json::Value) -> Draft {
    let mut body = json!({"kind": "plan_review", "prompt": "Go on?", "plan": "1. Test\n2. Deploy"});
    if let Some(revises) = revises {
        body["revises"] = json!(revises);
    }
    for (name, value) in more.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    serde_json::from_value(body).unwrap()
}

fn asking(
    database: &Database,
    agent: &AgentRef,
    revises: Option<InteractionId>,
    seconds: i64,
) -> Changeset {
    database.opened(agent, plan(revises, json!({})), None, seconds)
}

async fn asked(
    database: &Database,
    store: &dyn Store,
    agent: &AgentRef,
    revises: Option<InteractionId>,
) -> Interaction {
    let opening = asking(database, agent, revises, 0);
    let interaction = written(&opening);
    store.commit(opening).await.unwrap();
    interaction
}

async fn versions_are_counted_from_the_first_and_know_the_newer_one(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let first = asked(&database, &*store, &agent, None).await;
    let other = asked(&database, &*store, &agent, None).await;
    let second = asked(&database, &*store, &agent, Some(first.id)).await;
    let third = asked(&database, &*store, &agent, Some(second.id)).await;
    for (of, number, newer) in [
        (first.id, 1, Some(second.id)),
        (second.id, 2, Some(third.id)),
        (third.id, 3, None),
        (other.id, 1, None),
        (InteractionId(uuid::Uuid::from_u128(1)), 0, None),
    ] {
        let found = store.plan_versions(of).await.unwrap();
        assert_eq!(found, Versions { number, newer });
    }
    let read = store.interaction(third.id).await.unwrap().unwrap();
    assert_eq!(read, third);
    assert_eq!(read.request.ask.revises(), Some(second.id));
    assert_eq!(store.strays_after(None, 10).await.unwrap(), []);
    // Rows that were made to lead in a circle end all the same.
    database
        .place
        .execute(
            "UPDATE interactions SET revises = (SELECT id FROM interactions ORDER BY id DESC LIMIT 1)
             WHERE id = (SELECT id FROM interactions ORDER BY id LIMIT 1)",
        )
        .await
        .unwrap();
    let found = store.plan_versions(third.id).await.unwrap();
    assert_eq!(found.number, 3);
}

async fn of_many_that_take_the_place_of_one_plan_one_is_asked(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let first = asked(&database, &*store, &agent, None).await;
    let commits = (1..=16).map(|seconds| {
        let opening = asking(&database, &agent, Some(first.id), seconds);
        let id = written(&opening).id;
        let store = store.clone();
        tokio::spawn(async move { (id, store.commit(opening).await) })
    });
    let mut won = Vec::new();
    for commit in commits.collect::<Vec<_>>() {
        match commit.await.unwrap() {
            (id, Ok(_)) => won.push(id),
            (_, Err(CommitError::Conflict)) => {}
            (_, Err(error)) => panic!("{error}"),
        }
    }
    let newer = store.plan_versions(first.id).await.unwrap().newer;
    assert_eq!(won, newer.into_iter().collect::<Vec<_>>());
    let waiting = store.waiting(&Audience::All, 100).await.unwrap();
    assert_eq!(waiting.len(), 2, "nothing of the others is there");
    verify_journal(&*store).await.unwrap();
}

async fn a_loser_takes_neither_its_key_nor_its_task_along(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let first = asked(&database, &*store, &agent, None).await;
    asked(&database, &*store, &agent, Some(first.id)).await;
    for more in [json!({}), json!({"task": {"id": "T-1"}})] {
        let draft = plan(Some(first.id), more);
        let key = domain::IdempotencyKey::new("again", draft.fingerprint()).unwrap();
        let request = draft.check(|_| None).unwrap();
        let (key, now) = (Some(key), database.at(1));
        let late = decide::open(request, agent.clone(), None, key, None, None, now);
        let lost = store.commit(late).await;
        assert!(matches!(lost, Err(CommitError::Conflict)), "{lost:?}");
        assert_eq!(store.asked_under(agent.id, "again").await.unwrap(), None);
    }
    assert!(store.task(agent.id, "T-1").await.unwrap().is_none());
}

/// A plan that was answered with comments on its lines.
async fn commented(database: &Database, store: &dyn Store, agent: &AgentRef) -> Interaction {
    let asked = asked(database, store, agent, None).await;
    let draft: AnswerDraft = serde_json::from_value(json!({
        "decision": "adjust",
        "feedback": format!("{MARK} first"),
        "comments": [
            {"line": 2, "text": format!("{MARK}\r\n  not on a Friday \u{0}")},
            {"line": 1, "to_line": 2, "text": format!("{MARK} beforehand")},
        ],
    }))
    .unwrap();
    let answering = decide::answer(&asked, draft, &ana(), None, database.at(1)).unwrap();
    let answered = written(&answering);
    store.commit(answering).await.unwrap();
    answered
}

fn found(search: &str) -> InteractionQuery {
    InteractionQuery {
        audience: Audience::All,
        search: Some(search.into()),
        limit: 10,
        ..InteractionQuery::default()
    }
}

async fn comments_come_back_as_they_were_given_and_are_found(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let answered = commented(&database, &*store, &agent).await;
    let Some(AnswerContent::Plan { comments, .. }) = answered.answer() else {
        panic!("{answered:?}");
    };
    let places: Vec<_> = comments.iter().map(|it| (it.line, it.to_line)).collect();
    assert_eq!(places, [(1, Some(2)), (2, None)]);
    assert_eq!(
        comments[1].text,
        format!("{MARK}\r\n  not on a Friday \u{0}")
    );
    // As they are stored: here nobody is trusted.
    let rows = store.stored_after(None, 1).await.unwrap();
    assert_eq!(rows, std::slice::from_ref(&answered));
    let events = store
        .events_of(answered.id, 0, 100)
        .await
        .unwrap()
        .collect();
    assert_eq!(Interaction::replay(&events), Some(answered.clone()));
    for word in ["beforehand", "friday", MARK] {
        let briefs = store.briefs(&found(word)).await.unwrap();
        assert_eq!(briefs.len(), 1, "{word}");
    }
}

async fn of_comments_that_are_erased_no_word_is_left(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let answered = commented(&database, &*store, &agent).await;
    let newer = asked(&database, &*store, &agent, Some(answered.id)).await;
    let known = store.erasable(answered.id).await.unwrap().unwrap();
    let erasing = decide::erase(&known, &operator(), database.at(100)).unwrap();
    store.commit(erasing).await.unwrap();
    assert!(store.scrub().await.unwrap());
    let all = database.place.contents().await.unwrap();
    let is_left = all.windows(MARK.len()).any(|part| part == MARK.as_bytes());
    assert!(!is_left, "some of it is left");
    // That it was revised is no word of it.
    let versions = store.plan_versions(answered.id).await.unwrap();
    assert_eq!(versions.newer, Some(newer.id));
    assert_eq!(store.strays_after(None, 10).await.unwrap(), []);
    verify_journal(&*store).await.unwrap();
}
