//! Tokens, people and their links.

use chrono::TimeDelta;
use domain::{AgentId, Ids, PersonId, Principal, Role, TokenId};
use futures::future::join_all;
use store::{Holder, NewToken, Person, SecretHash, TokenKind};

use crate::database::{Database, epoch, rand_hash};

store::on_both_databases!(
    an_agent_keeps_its_id_when_it_gets_another_token,
    a_responder_token_speaks_for_a_script,
    a_revoked_token_is_nobody_s_and_stays_in_the_list,
    an_unknown_hash_is_nobody,
    a_sign_in_link_works_once,
    links_and_sessions_end,
    a_new_link_ends_the_old_one,
    the_first_admin_is_the_oldest,
);

async fn an_agent_keeps_its_id_when_it_gets_another_token(database: Database) {
    let store = database.store().await;
    let first = database.agent(&*store, "backend").await;
    let second = database.agent(&*store, "backend").await;
    assert_eq!(first, second);
    assert_ne!(first.id, database.agent(&*store, "devops").await.id);
}

async fn a_responder_token_speaks_for_a_script(database: Database) {
    let store = database.store().await;
    let token = NewToken {
        id: TokenId(database.ids.next()),
        kind: TokenKind::Responder,
        name: "night desk".into(),
        hash: SecretHash(rand_hash()),
        created_at: epoch(),
    };
    store
        .create_token(&token, AgentId(database.ids.next()))
        .await
        .unwrap();
    assert_eq!(
        store.token_holder(&token.hash).await.unwrap(),
        Some(Holder {
            token: token.id,
            principal: Principal::Script {
                id: token.id,
                name: token.name
            }
        })
    );
}

async fn a_revoked_token_is_nobody_s_and_stays_in_the_list(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    database.agent(&*store, "backend").await;
    let [first, second] = &store.tokens().await.unwrap()[..] else {
        panic!("not two tokens");
    };
    assert_eq!((first.last_used_at, first.revoked_at), (None, None));
    let at = epoch() + TimeDelta::seconds(9);
    store
        .used(&[(first.id, at), (second.id, at)])
        .await
        .unwrap();
    assert!(store.revoke_token(first.id, at).await.unwrap());
    assert!(!store.revoke_token(first.id, at).await.unwrap());
    let after = store.tokens().await.unwrap();
    assert_eq!(after[0].revoked_at, Some(at));
    assert_eq!(
        (after[1].last_used_at, after[1].revoked_at),
        (Some(at), None)
    );
    // Its other token still works; the agent is the same.
    assert_eq!(store.agents().await.unwrap()[0].agent, agent);
    let hash = SecretHash(rand_hash());
    let third = NewToken {
        id: TokenId(database.ids.next()),
        kind: TokenKind::Agent,
        name: "backend".into(),
        hash,
        created_at: epoch(),
    };
    let unused = AgentId(database.ids.next());
    store.create_token(&third, unused).await.unwrap();
    assert!(store.token_holder(&hash).await.unwrap().is_some());
    store.revoke_token(third.id, at).await.unwrap();
    assert_eq!(store.token_holder(&hash).await.unwrap(), None);
}

async fn an_unknown_hash_is_nobody(database: Database) {
    let store = database.store().await;
    let hash = SecretHash(rand_hash());
    assert_eq!(store.token_holder(&hash).await.unwrap(), None);
    assert_eq!(store.browser_session(&hash, epoch()).await.unwrap(), None);
    assert_eq!(store.sign_in_link(&hash, epoch()).await.unwrap(), None);
}

fn person(database: &Database, name: &str, role: Role) -> Person {
    Person {
        id: PersonId(database.ids.next()),
        name: name.into(),
        role,
    }
}

async fn a_sign_in_link_works_once(database: Database) {
    let store = database.store().await;
    let ana = person(&database, "Ana", Role::Responder);
    store.create_person(&ana, epoch()).await.unwrap();
    let link = SecretHash(rand_hash());
    let later = epoch() + TimeDelta::hours(1);
    store
        .create_sign_in_link(&link, ana.id, later, epoch())
        .await
        .unwrap();
    // Looking does not use it up.
    for _ in 0..2 {
        let seen = store.sign_in_link(&link, epoch()).await.unwrap();
        assert_eq!(seen, Some(ana.clone()));
    }
    let attempts = (0..8).map(|_| {
        let store = store.clone();
        tokio::spawn(async move {
            let session = SecretHash(rand_hash());
            let person = store
                .redeem_sign_in_link(&link, &session, later, epoch())
                .await
                .unwrap();
            person.map(|person| (person, session))
        })
    });
    let entered: Vec<_> = join_all(attempts)
        .await
        .into_iter()
        .filter_map(Result::unwrap)
        .collect();
    assert_eq!(entered.len(), 1);
    let (found, session) = &entered[0];
    assert_eq!(*found, ana);
    let known = async || store.browser_session(session, epoch()).await.unwrap();
    assert_eq!(known().await, Some(ana));
    for _ in 0..2 {
        store.end_browser_session(session).await.unwrap();
        assert_eq!(known().await, None);
    }
}

async fn links_and_sessions_end(database: Database) {
    let store = database.store().await;
    let ana = person(&database, "Ana", Role::Viewer);
    store.create_person(&ana, epoch()).await.unwrap();
    let (link, session) = (SecretHash(rand_hash()), SecretHash(rand_hash()));
    let later = epoch() + TimeDelta::hours(1);
    store
        .create_sign_in_link(&link, ana.id, later, epoch())
        .await
        .unwrap();
    assert_eq!(store.sign_in_link(&link, later).await.unwrap(), None);
    let late = store
        .redeem_sign_in_link(&link, &session, later, later)
        .await
        .unwrap();
    assert_eq!(late, None);
    store
        .redeem_sign_in_link(&link, &session, later, epoch())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(store.browser_session(&session, later).await.unwrap(), None);
}

async fn the_first_admin_is_the_oldest(database: Database) {
    let store = database.store().await;
    assert_eq!(store.first_admin().await.unwrap(), None);
    let viewer = person(&database, "Vic", Role::Viewer);
    let first = person(&database, "Ana", Role::Admin);
    let second = person(&database, "Ben", Role::Admin);
    for (n, one) in [&viewer, &first, &second].into_iter().enumerate() {
        let now = epoch() + TimeDelta::seconds(i64::try_from(n).unwrap());
        store.create_person(one, now).await.unwrap();
    }
    assert_eq!(store.first_admin().await.unwrap(), Some(first));
}

async fn a_new_link_ends_the_old_one(database: Database) {
    let store = database.store().await;
    let (ana, ben) = (
        person(&database, "Ana", Role::Admin),
        person(&database, "Ben", Role::Viewer),
    );
    let later = epoch() + TimeDelta::hours(1);
    let [first, second, other] = [(); 3].map(|()| SecretHash(rand_hash()));
    for one in [&ana, &ben] {
        store.create_person(one, epoch()).await.unwrap();
    }
    for (link, person) in [(&other, ben.id), (&first, ana.id), (&second, ana.id)] {
        store
            .create_sign_in_link(link, person, later, epoch())
            .await
            .unwrap();
    }
    let whose = async |link| store.sign_in_link(link, epoch()).await.unwrap();
    assert_eq!(whose(&first).await, None);
    assert_eq!(whose(&second).await, Some(ana));
    assert_eq!(whose(&other).await, Some(ben));
}
