//! Policies (rule 14): what is decided under them is committed while they are in force, and at no other time.

use std::sync::Arc;

use domain::{
    AgentRef, Changeset, Day, PolicyId, Verify, Write,
    decide::{
        interaction::{self as decide, AskedOf},
        policy::{self as rules, Before},
    },
    interaction::{Ask, Draft, Outcome, Request},
    policy::{
        InForce, Policies, PolicySet, PolicyWrite, Question, Source, Surroundings, TeamThere, rule,
    },
    sign::{PublicKey, Signature},
};
use store::{CommitError, Store, verify_journal};

use crate::database::{Database, epoch, operator, written};

store::on_both_databases!(
    policies_come_back_as_they_were_and_the_journal_says_which_hold,
    nothing_is_decided_under_policies_that_others_took_the_place_of,
    of_many_at_once_one_takes_the_place,
    a_file_and_what_was_set_here_are_apart,
    a_row_that_was_changed_is_not_proven,
    a_row_that_is_gone_is_still_what_holds,
    what_a_policy_decides_is_proven_and_no_news,
    an_event_that_cannot_be_read_is_of_policies_that_nobody_knows,
);

struct Trusting;

impl Verify for Trusting {
    fn holds(&self, _: &PublicKey, _: &[u8], _: &Signature) -> bool {
        true
    }
}

async fn trusting(database: &Database) -> Arc<dyn Store> {
    let store = database.store().await;
    store.trust(Arc::new(Trusting));
    store
}

fn policies(words: &str) -> Policies {
    serde_json::from_value(serde_json::json!({"rules": [
        {
            "name": "no force", "then": "forbid", "reason": "History stays.",
            "when": {"tools": ["Bash"], "arguments": [{"has": {"words": ["git", words]}}]},
            "match": [{"tool": "Bash", "arguments": {"command": format!("git {words}")}}],
            "not_match": [{"tool": "Bash", "arguments": {"command": "git status"}}],
        },
        {
            "name": "tests", "then": "allow",
            "matcher": {"like": {"tool": "Bash", "like": {}, "varies": [
                {"at": ["command"], "by": {"words": {"begin": ["cargo", "test"]}}},
            ]}},
            "match": [{"tool": "Bash", "arguments": {"command": "cargo test"}}],
            "not_match": [{"tool": "Bash", "arguments": {"command": "cargo run"}}],
        },
    ]}))
    .unwrap()
}

fn around() -> Surroundings {
    Surroundings {
        people: 1,
        teams: Vec::<TeamThere>::new(),
    }
}

fn setting(database: &Database, before: Option<&PolicySet>, words: &str) -> Changeset {
    let before = those(before);
    rules::set(
        before,
        policies(words),
        &around(),
        &operator(),
        database.at(1),
    )
    .unwrap()
}

fn those(set: Option<&PolicySet>) -> Before<'_> {
    Before {
        id: set.map(|set| set.terms.id),
        set,
    }
}

fn set_of(changeset: &Changeset) -> PolicySet {
    match &changeset.writes[..] {
        [Write::Policy(PolicyWrite::Set { set, .. })] => (**set).clone(),
        other => panic!("{other:?}"),
    }
}

async fn put(
    database: &Database,
    store: &dyn Store,
    before: Option<&PolicySet>,
    words: &str,
) -> PolicySet {
    let changeset = setting(database, before, words);
    let set = set_of(&changeset);
    store.commit(changeset).await.unwrap();
    set
}

fn request(command: &str) -> Request {
    let draft: Draft = serde_json::from_value(serde_json::json!({
        "kind": "approval", "prompt": "May it run?",
        "action": {"tool": "Bash", "arguments": {"command": command}},
    }))
    .unwrap();
    draft.check(|_| None).unwrap()
}

/// What these decide of a command, under those that were in force when it was looked at.
fn decided(
    database: &Database,
    agent: &AgentRef,
    set: &PolicySet,
    command: &str,
    under: Option<PolicyId>,
) -> Changeset {
    let request = request(command);
    let Ask::Approval { action, .. } = &request.ask else {
        panic!("no approval");
    };
    let question = Question {
        agent: &agent.name,
        team: None,
        action,
    };
    let ruling = rule(&[InForce::Known(set)], &question).unwrap();
    let mut changeset = decide::open_ruled(
        request,
        agent.clone(),
        AskedOf::default(),
        None,
        None,
        &ruling,
        database.at(2),
    )
    .unwrap();
    changeset
        .writes
        .push(Write::Policy(PolicyWrite::Under(under)));
    changeset
}

async fn is_refused(store: &dyn Store, changeset: Changeset) {
    let opened = changeset.interaction().map(|one| one.id);
    let committed = store.commit(changeset).await;
    assert!(
        matches!(committed, Err(CommitError::Conflict)),
        "{committed:?}"
    );
    if let Some(opened) = opened {
        assert!(store.interaction(opened).await.unwrap().is_none());
    }
    verify_journal(store).await.unwrap();
}

async fn policies_come_back_as_they_were_and_the_journal_says_which_hold(database: Database) {
    let store = trusting(&database).await;
    assert_eq!(store.last_policies(Source::Here).await.unwrap(), None);
    let first = put(&database, &*store, None, "push").await;
    let second = put(&database, &*store, Some(&first), "rebase").await;
    for set in [&first, &second] {
        let stored = store.policy_set(set.terms.id).await.unwrap().unwrap();
        assert_eq!(&stored, set);
        assert!(store.proves_policies(&stored));
    }
    let last = store.last_policies(Source::Here).await.unwrap();
    assert_eq!(last, Some(second.terms.id));
    let history = store.policy_history(Source::Here, 10).await.unwrap();
    assert_eq!(history, [second.terms.clone(), first.terms.clone()]);
    assert_eq!(
        store.policy_history(Source::Here, 1).await.unwrap(),
        [second.terms]
    );
    let (first_id, second_id) = (first.terms.id, history[0].id);
    assert_eq!(history[0].replaces, Some(first_id));
    assert_eq!(
        store.policies_after(first_id).await.unwrap(),
        Some(second_id)
    );
    assert_eq!(store.policies_after(second_id).await.unwrap(), None);
    let none = PolicyId(uuid::Uuid::from_u128(1));
    assert_eq!(store.policy_set(none).await.unwrap(), None);
    verify_journal(&*store).await.unwrap();
}

async fn nothing_is_decided_under_policies_that_others_took_the_place_of(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let first = put(&database, &*store, None, "push").await;
    let under = Some(first.terms.id);
    let allowed = decided(&database, &agent, &first, "cargo test", under);
    store.commit(allowed).await.unwrap();
    // Decided before, committed after.
    let late = decided(&database, &agent, &first, "cargo test", under);
    let second = put(&database, &*store, Some(&first), "rebase").await;
    is_refused(&*store, late).await;
    // Also where it was looked at before there were any.
    is_refused(
        &*store,
        decided(&database, &agent, &first, "cargo test", None),
    )
    .await;
    let now = decided(
        &database,
        &agent,
        &second,
        "git rebase",
        Some(second.terms.id),
    );
    store.commit(now).await.unwrap();
    // And in the same batch.
    let third = setting(&database, Some(&second), "pull");
    let beside = decided(
        &database,
        &agent,
        &second,
        "cargo test",
        Some(second.terms.id),
    );
    let (third, beside) = tokio::join!(store.commit(third), store.commit(beside));
    third.unwrap();
    assert!(
        matches!(beside, Ok(_) | Err(CommitError::Conflict)),
        "{beside:?}"
    );
    verify_journal(&*store).await.unwrap();
}

async fn of_many_at_once_one_takes_the_place(database: Database) {
    let store = trusting(&database).await;
    let first = put(&database, &*store, None, "push").await;
    let all = (0..8).map(|n| {
        let changeset = setting(&database, Some(&first), &format!("verb{n}"));
        let store = store.clone();
        tokio::spawn(async move { store.commit(changeset).await })
    });
    let all: Vec<_> = all.collect();
    let mut taken = 0;
    for one in all {
        match one.await.unwrap() {
            Ok(_) => taken += 1,
            Err(error) => assert!(matches!(error, CommitError::Conflict), "{error:?}"),
        }
    }
    assert_eq!(taken, 1);
    assert_eq!(
        store.policy_history(Source::Here, 10).await.unwrap().len(),
        2
    );
    verify_journal(&*store).await.unwrap();
}

async fn a_file_and_what_was_set_here_are_apart(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let loading = rules::load(
        Before::default(),
        policies("push"),
        &operator(),
        database.at(1),
    )
    .unwrap();
    let file = set_of(&loading);
    store.commit(loading).await.unwrap();
    assert_eq!(
        store.last_policies(Source::File).await.unwrap(),
        Some(file.terms.id)
    );
    assert_eq!(store.last_policies(Source::Here).await.unwrap(), None);
    // Another server that reads its own file takes nothing away from what is decided here.
    let allowed = decided(&database, &agent, &file, "cargo test", None);
    let other = rules::load(
        those(Some(&file)),
        policies("pull"),
        &operator(),
        database.at(1),
    )
    .unwrap();
    store.commit(other).await.unwrap();
    store.commit(allowed).await.unwrap();
    // Who has read an older one loads it again.
    let again = rules::load(
        Before::default(),
        policies("push"),
        &operator(),
        database.at(1),
    )
    .unwrap();
    is_refused(&*store, again).await;
}

async fn a_row_that_was_changed_is_not_proven(database: Database) {
    let store = database.store().await;
    let set = put(&database, &*store, None, "push").await;
    // A store that trusts no key proves nothing.
    assert!(!store.proves_policies(&set));
    let store = trusting(&database).await;
    assert!(store.proves_policies(&set));
    let emptied = "UPDATE policies SET document = '{\"rules\":[]}'";
    database.place.execute(emptied).await.unwrap();
    let stored = store.policy_set(set.terms.id).await.unwrap().unwrap();
    assert!(!store.proves_policies(&stored));
    let unreadable = "UPDATE policies SET terms = '{}'";
    database.place.execute(unreadable).await.unwrap();
    assert!(store.policy_set(set.terms.id).await.is_err());
}

async fn a_row_that_is_gone_is_still_what_holds(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let first = put(&database, &*store, None, "push").await;
    let second = put(&database, &*store, Some(&first), "rebase").await;
    database
        .place
        .execute("DELETE FROM policies")
        .await
        .unwrap();
    let last = store.last_policies(Source::Here).await.unwrap();
    assert_eq!(last, Some(second.terms.id));
    assert_eq!(store.policy_set(second.terms.id).await.unwrap(), None);
    is_refused(
        &*store,
        decided(
            &database,
            &agent,
            &first,
            "cargo test",
            Some(first.terms.id),
        ),
    )
    .await;
}

async fn what_a_policy_decides_is_proven_and_no_news(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let set = put(&database, &*store, None, "push").await;
    let under = Some(set.terms.id);
    let before = store.last_seq().await.unwrap();
    for (command, outcome) in [
        ("git push", Outcome::Denied),
        ("cargo test", Outcome::Approved),
    ] {
        let changeset = decided(&database, &agent, &set, command, under);
        let opened = written(&changeset);
        store.commit(changeset).await.unwrap();
        let stored = store.interaction(opened.id).await.unwrap().unwrap();
        assert_eq!(stored, opened);
        assert_eq!(stored.state.outcome(), Some(outcome));
        assert!(stored.by_policy().is_some());
        let told = store::history_of(&*store, opened.id, i64::MAX)
            .await
            .unwrap();
        assert_eq!(domain::Interaction::replay(&told), Some(stored));
    }
    let asking = store.asking(agent.id, Day(0), 100).await.unwrap();
    assert_eq!(asking.pending, 0);
    assert!(store.void().is_empty());
    let page = store.news(before, 100).await.unwrap();
    assert_eq!((page.news.len(), page.up_to), (0, before + 4));
    let uses = store.count_policy_uses(epoch()).await.unwrap();
    let counted: Vec<_> = uses
        .iter()
        .map(|it| (it.policies, &*it.rule, it.count))
        .collect();
    let of = set.terms.id;
    assert_eq!(counted, [(of, "no force", 1), (of, "tests", 1)]);
    let later = epoch() + chrono::TimeDelta::days(1);
    assert!(store.count_policy_uses(later).await.unwrap().is_empty());
}

async fn an_event_that_cannot_be_read_is_of_policies_that_nobody_knows(database: Database) {
    let store = trusting(&database).await;
    let set = put(&database, &*store, None, "push").await;
    crate::journal::disarm(&database).await;
    let broken = "UPDATE events SET payload = '{}' WHERE type = 'policies.set'";
    database.place.execute(broken).await.unwrap();
    let last = store.last_policies(Source::Here).await.unwrap().unwrap();
    assert_ne!(last, set.terms.id);
    assert_eq!(store.policy_set(last).await.unwrap(), None);
    let history = store.policy_history(Source::Here, 10).await.unwrap();
    assert_eq!(history, []);
}
