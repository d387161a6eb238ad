//! Whom agents belong to.

use chrono::TimeDelta;
use domain::{
    Access, Audience, Changeset, Day, Person, PersonId, Role, SecretHash, Token, TokenKind, Write,
    access::{Lifetime, NewLink, Owner},
    decide::access::{self as decide, NewToken},
};
use store::{CommitError, Store, TokenRecord, verify_journal};

use crate::database::{Database, epoch, operator, rand_hash};

store::on_both_databases!(
    a_token_is_somebody_s_from_the_start,
    a_token_is_given_to_another_and_to_nobody,
    an_owner_who_is_disabled_meanwhile_gets_nothing,
    what_was_revoked_keeps_its_owner,
    an_agent_belongs_to_whom_its_tokens_belong,
);

async fn invited(database: &Database, store: &dyn Store, name: &str) -> Person {
    let link = NewLink {
        hash: SecretHash(rand_hash()),
        expires_at: epoch() + TimeDelta::hours(1),
    };
    let invited = decide::invite(name, Role::Viewer, link, &operator(), database.at(0)).unwrap();
    let Write::Access(Access::Person(person)) = invited.writes[0].clone() else {
        panic!("{invited:?}");
    };
    store.commit(invited).await.unwrap();
    person
}

async fn disabled(database: &Database, store: &dyn Store, person: &Person) {
    let disabled = decide::disable(person, true, &[], &operator(), database.at(2)).unwrap();
    store.commit(disabled).await.unwrap();
}

async fn new_token(
    database: &Database,
    store: &dyn Store,
    name: &str,
    owner: &Person,
) -> Changeset {
    let agent = store.agent_named(name).await.unwrap();
    let new = NewToken {
        kind: TokenKind::Agent,
        name,
        agent,
        lifetime: Lifetime::Never,
        teams: &[],
        owner: Some(owner),
    };
    let (hash, by) = (SecretHash(rand_hash()), operator());
    decide::create_token(&new, hash, &by, database.at(1)).unwrap()
}

fn given(database: &Database, token: &Token, owner: Option<&Person>) -> Changeset {
    decide::change_owner(token, owner, &operator(), database.at(3)).unwrap()
}

async fn only(store: &dyn Store) -> TokenRecord {
    let mut tokens = store.tokens().await.unwrap();
    assert_eq!(tokens.len(), 1);
    tokens.remove(0)
}

fn shown(person: &Person, is_disabled: bool) -> Owner {
    Owner {
        id: person.id,
        name: person.name.clone(),
        is_disabled,
    }
}

fn owner_id(record: &TokenRecord) -> Option<PersonId> {
    record.token.owner
}

async fn a_token_is_somebody_s_from_the_start(database: Database) {
    let store = database.store().await;
    let ana = invited(&database, &*store, "Ana").await;
    let made = new_token(&database, &*store, "backend", &ana).await;
    store.commit(made).await.unwrap();
    let record = only(&*store).await;
    assert_eq!(owner_id(&record), Some(ana.id));
    assert_eq!(record.owner, Some(shown(&ana, false)));
    // Another name, and no way in, show at once.
    let renamed = decide::change(&ana, "Ana B", ana.role, &operator(), database.at(2)).unwrap();
    store.commit(renamed).await.unwrap();
    let ana = store.person(ana.id).await.unwrap().unwrap();
    disabled(&database, &*store, &ana).await;
    assert_eq!(only(&*store).await.owner, Some(shown(&ana, true)));
    verify_journal(&*store).await.unwrap();
}

async fn a_token_is_given_to_another_and_to_nobody(database: Database) {
    let store = database.store().await;
    let ben = invited(&database, &*store, "Ben").await;
    database.token(&*store, TokenKind::Agent, "backend").await;
    assert_eq!(only(&*store).await.owner, None);
    for (after, expected) in [(Some(&ben), Some(ben.id)), (None, None)] {
        let before = only(&*store).await.token;
        store
            .commit(given(&database, &before, after))
            .await
            .unwrap();
        assert_eq!(owner_id(&only(&*store).await), expected);
    }
    verify_journal(&*store).await.unwrap();
}

async fn an_owner_who_is_disabled_meanwhile_gets_nothing(database: Database) {
    let store = database.store().await;
    let ben = invited(&database, &*store, "Ben").await;
    database.token(&*store, TokenKind::Agent, "backend").await;
    let before = only(&*store).await;
    let late = [
        new_token(&database, &*store, "backend", &ben).await,
        new_token(&database, &*store, "new", &ben).await,
        given(&database, &before.token, Some(&ben)),
    ];
    disabled(&database, &*store, &ben).await;
    for late in late {
        let refused = store.commit(late).await;
        assert!(matches!(refused, Err(CommitError::Conflict)));
    }
    assert_eq!(only(&*store).await, before);
    // Nor was an agent made on the way.
    assert_eq!(store.agents(&Audience::All, Day(0)).await.unwrap().len(), 1);
    verify_journal(&*store).await.unwrap();
}

async fn what_was_revoked_keeps_its_owner(database: Database) {
    let store = database.store().await;
    let ana = invited(&database, &*store, "Ana").await;
    let ben = invited(&database, &*store, "Ben").await;
    let made = new_token(&database, &*store, "backend", &ana).await;
    store.commit(made).await.unwrap();
    let token = only(&*store).await.token;
    let late = given(&database, &token, Some(&ben));
    let revoked = decide::revoke_token(&token, &operator(), database.at(2)).unwrap();
    store.commit(revoked).await.unwrap();
    let refused = store.commit(late).await;
    assert!(matches!(refused, Err(CommitError::Conflict)));
    assert_eq!(owner_id(&only(&*store).await), Some(ana.id));
}

async fn an_agent_belongs_to_whom_its_tokens_belong(database: Database) {
    let store = database.store().await;
    let ana = invited(&database, &*store, "Ana").await;
    let ben = invited(&database, &*store, "Ben").await;
    for (name, owner) in [
        ("backend", &ben),
        ("backend", &ana),
        ("backend", &ana),
        ("ci", &ben),
    ] {
        let made = new_token(&database, &*store, name, owner).await;
        store.commit(made).await.unwrap();
    }
    database.token(&*store, TokenKind::Agent, "ops").await;
    disabled(&database, &*store, &ben).await;
    let owners = async || {
        let agents = store.agents(&Audience::All, Day(0)).await.unwrap();
        let owners = agents.into_iter().map(|one| (one.agent.name, one.owners));
        owners.collect::<Vec<_>>()
    };
    let backend = store.agent_named("backend").await.unwrap().unwrap();
    let mut both = [ana.id, ben.id];
    both.sort_unstable();
    let owners_at = async |agent, seconds: i64| {
        let since = epoch() + TimeDelta::seconds(seconds);
        store.owners_of(agent, since).await.unwrap()
    };
    assert_eq!(owners_at(backend, 3).await, both);
    let ops = store.agent_named("ops").await.unwrap().unwrap();
    assert_eq!(owners_at(ops, 3).await, []);
    let (ana, ben) = (shown(&ana, false), shown(&ben, true));
    let all = vec![
        ("backend".to_owned(), vec![ana, ben.clone()]),
        ("ci".to_owned(), vec![ben.clone()]),
        ("ops".to_owned(), Vec::new()),
    ];
    assert_eq!(owners().await, all);
    // What was revoked says nothing of whose the agent is.
    for record in store.tokens().await.unwrap() {
        if record.token.owner != Some(ben.id) {
            let revoked = decide::revoke_token(&record.token, &operator(), database.at(4));
            store.commit(revoked.unwrap()).await.unwrap();
        }
    }
    assert_eq!(owners_at(backend, 5).await, [ben.id]);
    // But whose it was when something was asked before that.
    assert_eq!(owners_at(backend, 4).await, both);
    // A token of nobody's may be anybody's.
    database.token(&*store, TokenKind::Agent, "backend").await;
    assert_eq!(owners_at(backend, 5).await, []);
    assert_eq!(owners().await[0], ("backend".to_owned(), vec![ben]));
}
