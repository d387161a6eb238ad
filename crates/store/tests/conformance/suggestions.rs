//! Grants that people are offered: which approvals are equal, and that each offer is made once.

use domain::{
    AgentRef, Interaction, InteractionId, Person, PersonId, Principal, Role, SecretHash, TeamId,
    access::NewLink,
    decide::{
        access,
        interaction::{self as decide, AskedOf, Erasable},
    },
    interaction::{AnswerDraft, Draft, Request},
    sign::{PublicKey, Signature, Verify},
};
use store::{Offered, Store};

use crate::database::{Database, ana, epoch, operator, rand_hash, written};

store::on_both_databases!(
    equal_approvals_are_those_of_the_agent_that_are_closed,
    an_offer_is_made_once_until_somebody_denies,
    an_offer_goes_with_the_words_that_it_is_about,
);

struct Trusting;

impl Verify for Trusting {
    fn holds(&self, _: &PublicKey, _: &[u8], _: &Signature) -> bool {
        true
    }
}

async fn trusting(database: &Database) -> std::sync::Arc<dyn Store> {
    let store = database.store().await;
    store.trust(std::sync::Arc::new(Trusting));
    store
}

async fn person(database: &Database, store: &dyn Store, name: &str, role: Role) -> Person {
    let link = NewLink {
        hash: SecretHash(rand_hash()),
        expires_at: epoch(),
    };
    let made = access::invite(name, role, link, &operator(), database.at(0)).unwrap();
    store.commit(made).await.unwrap();
    let account = store.account(&Person::name_key(name)).await.unwrap();
    account.unwrap().person
}

fn request(command: &str) -> Request {
    let draft: Draft = serde_json::from_value(serde_json::json!({
        "kind": "approval", "prompt": "May it run?",
        "action": {"tool": "Bash", "arguments": {"command": command}},
    }))
    .unwrap();
    draft.check(|_| None).unwrap()
}

async fn asked(
    database: &Database,
    store: &dyn Store,
    agent: &AgentRef,
    command: &str,
) -> Interaction {
    let asking = decide::open_for(
        request(command),
        agent.clone(),
        AskedOf::default(),
        None,
        None,
        None,
        database.at(1),
    );
    let asked = written(&asking);
    store.commit(asking).await.unwrap();
    asked
}

async fn decided(
    database: &Database,
    store: &dyn Store,
    agent: &AgentRef,
    command: &str,
    approved: bool,
    seconds: i64,
) -> Interaction {
    let asked = asked(database, store, agent, command).await;
    let answer = AnswerDraft {
        approved: Some(approved),
        ..AnswerDraft::default()
    };
    let answering = decide::answer(&asked, answer, &ana(), None, database.at(seconds)).unwrap();
    let decided = written(&answering);
    store.commit(answering).await.unwrap();
    decided
}

fn offered(person: PersonId, after: &Interaction, seconds: i64, database: &Database) -> Offered {
    Offered {
        person,
        agent: after.agent.id,
        team: None,
        alike: after.request.alike().unwrap(),
        after: after.id,
        at: database.at(seconds).at,
    }
}

async fn equal_approvals_are_those_of_the_agent_that_are_closed(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let other = database.agent(&*store, "frontend").await;
    let first = decided(&database, &*store, &agent, "cargo test a1", true, 2).await;
    let second = decided(&database, &*store, &agent, "cargo test a2", true, 3).await;
    asked(&database, &*store, &agent, "cargo test a3").await;
    decided(&database, &*store, &agent, "cargo build", true, 4).await;
    decided(&database, &*store, &other, "cargo test a1", true, 5).await;
    let alike = first.request.alike().unwrap();
    let read = |team: Option<TeamId>, limit| {
        let store = store.clone();
        async move {
            let found = store.equal_approvals(agent.id, team, alike, limit).await;
            let found = found.unwrap();
            found
                .iter()
                .map(|one| one.id)
                .collect::<Vec<InteractionId>>()
        }
    };
    assert_eq!(read(None, 10).await, [second.id, first.id]);
    assert_eq!(read(None, 1).await, [second.id]);
    let nobodys = TeamId(uuid::Uuid::from_u128(5));
    assert!(read(Some(nobodys), 10).await.is_empty());
    let whole = store
        .equal_approvals(agent.id, None, alike, 10)
        .await
        .unwrap();
    assert_eq!(whole[1].approved(), Some(true));
    // A denial is the last that counts, and what was only taken back is none.
    let denied = decided(&database, &*store, &agent, "cargo test a5", false, 6).await;
    let taken_back = asked(&database, &*store, &agent, "cargo test a6").await;
    let taking = decide::cancel(&taken_back, &ana(), None, None, database.at(7)).unwrap();
    store.commit(taking).await.unwrap();
    assert_eq!(read(None, 10).await, [denied.id]);
    let third = decided(&database, &*store, &agent, "cargo test a7", true, 8).await;
    assert_eq!(read(None, 10).await, [third.id, denied.id]);
    // Large ones are not read for an offer.
    let long = "x".repeat(200_000);
    for n in 0..6 {
        let command = format!("cargo doc {long}{n}");
        decided(&database, &*store, &agent, &command, true, 9).await;
    }
    let large = request(&format!("cargo doc {long}9")).alike().unwrap();
    let found = store.equal_approvals(agent.id, None, large, 10).await;
    assert_eq!(found.unwrap(), []);
    let found = store.equal_approvals(agent.id, None, large, 2).await;
    assert_eq!(found.unwrap().len(), 2);
}

async fn an_offer_is_made_once_until_somebody_denies(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let ana = person(&database, &*store, "Ana", Role::Responder).await;
    let ben = person(&database, &*store, "Ben", Role::Responder).await;
    let fifth = decided(&database, &*store, &agent, "cargo test", true, 2).await;
    let sixth = decided(&database, &*store, &agent, "cargo test", true, 3).await;
    let offer = |person: &Person, after: &Interaction, seconds| {
        let (store, offered) = (store.clone(), offered(person.id, after, seconds, &database));
        async move { store.offer_once(&offered).await.unwrap() }
    };
    assert!(offer(&ana, &fifth, 4).await);
    // The same page once more.
    assert!(offer(&ana, &fifth, 5).await);
    assert!(!offer(&ana, &sixth, 6).await);
    // Each person is offered their own.
    assert!(offer(&ben, &sixth, 6).await);
    let decline = |person: &Person, after: &Interaction| {
        let (store, person, after) = (store.clone(), person.id, after.id);
        let at = database.at(7).at;
        async move { store.decline_offer(person, after, at).await.unwrap() }
    };
    assert!(!decline(&ana, &sixth).await);
    assert!(decline(&ana, &fifth).await);
    assert!(!decline(&ana, &fifth).await);
    assert!(!offer(&ana, &fifth, 8).await);
    // A denial of something else changes nothing.
    decided(&database, &*store, &agent, "cargo build", false, 9).await;
    assert!(!offer(&ana, &sixth, 10).await);
    decided(&database, &*store, &agent, "cargo test", false, 11).await;
    let after_it = decided(&database, &*store, &agent, "cargo test", true, 12).await;
    assert!(offer(&ana, &after_it, 13).await);
    assert!(!offer(&ana, &sixth, 14).await);
}

async fn an_offer_goes_with_the_words_that_it_is_about(database: Database) {
    let store = trusting(&database).await;
    let agent = database.agent(&*store, "backend").await;
    let ana = person(&database, &*store, "Ana", Role::Responder).await;
    let fifth = decided(&database, &*store, &agent, "cargo test", true, 2).await;
    let offer = offered(ana.id, &fifth, 4, &database);
    assert!(store.offer_once(&offer).await.unwrap());
    let erasable: Erasable = store.erasable(fifth.id).await.unwrap().unwrap();
    let admin = Principal::Person {
        id: ana.id,
        name: "Root".into(),
        role: Role::Admin,
        proven_at: database.at(5).at,
        teams: domain::Parts::default(),
    };
    let erasing = decide::erase(&erasable, &admin, database.at(5)).unwrap();
    store.commit(erasing).await.unwrap();
    assert!(
        !store
            .decline_offer(ana.id, fifth.id, offer.at)
            .await
            .unwrap()
    );
    let found = store.equal_approvals(agent.id, None, offer.alike, 10).await;
    assert_eq!(found.unwrap(), []);
    // Nor is it noted by a page that looked before.
    assert!(!store.offer_once(&offer).await.unwrap());
    assert!(
        !store
            .decline_offer(ana.id, fifth.id, offer.at)
            .await
            .unwrap()
    );
}
