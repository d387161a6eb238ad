//! Who gets in: people, links, passwords, sessions and tokens.

use chrono::TimeDelta;
use domain::{
    Access, Changeset, Ids, PasswordHash, Payload, Person, PersonId, Principal, Role, SecretHash,
    SessionId, SlackId, TokenKind, Write,
    access::{NewLink, NewSession, PasswordBy, decide},
    limits::SESSION_IDLE,
};
use futures::future::join_all;
use store::{CommitError, Holder, Store, verify_journal};

use crate::database::{Database, epoch, operator, rand_hash};

store::on_both_databases!(
    an_agent_keeps_its_id_when_it_gets_another_token,
    a_responder_token_speaks_for_a_script,
    two_who_name_a_new_agent_at_once_share_it,
    a_revoked_token_is_nobody_s_and_stays_in_the_list,
    an_unknown_hash_is_nobody,
    a_link_works_once,
    links_end,
    a_new_link_ends_the_old_one,
    a_name_belongs_to_one_person,
    a_change_of_what_has_changed_is_a_conflict,
    who_is_disabled_loses_links_and_sessions,
    a_password_ends_the_other_sessions,
    sessions_end,
    sessions_are_listed_and_ended,
    a_user_of_slack_belongs_to_one_person,
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
    let hash = database
        .token(&*store, TokenKind::Responder, "night desk")
        .await;
    let token = store.tokens().await.unwrap().remove(0).token;
    assert_eq!((token.kind, token.agent_id), (TokenKind::Responder, None));
    assert_eq!(
        store.token_holder(&hash).await.unwrap(),
        Some(Holder {
            token: token.id,
            principal: Principal::Script {
                id: token.id,
                name: "night desk".into()
            }
        })
    );
    let events = store.events_after(0, None, 10).await.unwrap();
    assert_eq!(events[0].payload, Payload::TokenCreated(token));
}

async fn two_who_name_a_new_agent_at_once_share_it(database: Database) {
    let store = database.store().await;
    let new = |hash| {
        let kind = TokenKind::Agent;
        decide::create_token(kind, "backend", None, hash, &operator(), database.at(0)).unwrap()
    };
    let [first, second] = [(); 2].map(|()| SecretHash(rand_hash()));
    store.commit(new(first)).await.unwrap();
    let late = store.commit(new(second)).await;
    assert!(matches!(late, Err(CommitError::Conflict)));
    assert_eq!(store.token_holder(&second).await.unwrap(), None);
    assert_eq!(store.agents().await.unwrap().len(), 1);
    assert_eq!(verify_journal(&*store).await.unwrap().seq, 1);
}

async fn a_revoked_token_is_nobody_s_and_stays_in_the_list(database: Database) {
    let store = database.store().await;
    let hash = database.token(&*store, TokenKind::Agent, "backend").await;
    let other = database.token(&*store, TokenKind::Agent, "backend").await;
    let agent = store.agents().await.unwrap().remove(0).agent;
    let [first, second] = &store.tokens().await.unwrap()[..] else {
        panic!("not two tokens");
    };
    assert_eq!((first.last_used_at, first.revoked_at), (None, None));
    let at = epoch() + TimeDelta::seconds(9);
    let uses = [(first.token.id, at), (second.token.id, at)];
    store.tokens_used(&uses).await.unwrap();
    let revoked = || decide::revoke_token(&first.token, &operator(), database.at(9)).unwrap();
    store.commit(revoked()).await.unwrap();
    let again = store.commit(revoked()).await;
    assert!(matches!(again, Err(CommitError::Conflict)));
    let after = store.tokens().await.unwrap();
    assert_eq!(after[0].revoked_at, Some(at));
    assert_eq!(
        (after[1].last_used_at, after[1].revoked_at),
        (Some(at), None)
    );
    assert_eq!(store.token_holder(&hash).await.unwrap(), None);
    // Its other token still works; the agent is the same.
    assert!(store.token_holder(&other).await.unwrap().is_some());
    assert_eq!(store.agents().await.unwrap()[0].agent, agent);
}

async fn an_unknown_hash_is_nobody(database: Database) {
    let store = database.store().await;
    let hash = SecretHash(rand_hash());
    assert_eq!(store.token_holder(&hash).await.unwrap(), None);
    assert_eq!(store.session(&hash, epoch()).await.unwrap(), None);
    assert_eq!(store.sign_in_link(&hash, epoch()).await.unwrap(), None);
    assert_eq!(store.account("nobody").await.unwrap(), None);
    let nobody = PersonId(database.ids.next());
    assert_eq!(store.person(nobody).await.unwrap(), None);
    store
        .start_session(nobody, &session(&database))
        .await
        .unwrap();
    assert!(store.sessions(nobody, epoch()).await.unwrap().is_empty());
}

fn new_link() -> NewLink {
    NewLink {
        hash: SecretHash(rand_hash()),
        expires_at: epoch() + TimeDelta::hours(1),
    }
}

fn session(database: &Database) -> NewSession {
    NewSession {
        id: SessionId(database.ids.next()),
        hash: SecretHash(rand_hash()),
        created_at: epoch(),
        expires_at: epoch() + TimeDelta::days(30),
        browser: "curl".into(),
        address: "192.0.2.1".into(),
    }
}

/// Invites somebody; returns them and their link.
async fn invited(database: &Database, store: &dyn Store, name: &str) -> (Person, SecretHash) {
    let link = new_link();
    let hash = link.hash;
    let invited = decide::invite(name, Role::Responder, link, &operator(), database.at(0)).unwrap();
    let Write::Access(Access::Person(person)) = invited.writes[0].clone() else {
        panic!("{invited:?}");
    };
    store.commit(invited).await.unwrap();
    (person, hash)
}

fn accepted(
    database: &Database,
    person: &Person,
    link: SecretHash,
    session: &NewSession,
) -> Changeset {
    let by = PasswordBy::Link {
        link,
        session: session.clone(),
    };
    decide::set_password(person, PasswordHash("one".into()), by, database.at(0))
}

async fn a_link_works_once(database: Database) {
    let store = database.store().await;
    let (ana, link) = invited(&database, &*store, "Ana").await;
    // Looking does not use it up.
    for _ in 0..2 {
        let seen = store.sign_in_link(&link, epoch()).await.unwrap();
        assert_eq!(seen.as_ref(), Some(&ana));
    }
    let account = store.account("ana").await.unwrap().unwrap();
    assert_eq!((account.person, account.password), (ana.clone(), None));
    let attempts = (0..8).map(|_| {
        let session = session(&database);
        let (accepted, store) = (accepted(&database, &ana, link, &session), store.clone());
        tokio::spawn(async move { store.commit(accepted).await.ok().map(|_| session) })
    });
    let entered: Vec<_> = join_all(attempts)
        .await
        .into_iter()
        .filter_map(Result::unwrap)
        .collect();
    let [session] = &entered[..] else {
        panic!("{} came in", entered.len());
    };
    let found = store.session(&session.hash, epoch()).await.unwrap();
    assert_eq!(found, Some((session.id, ana.clone())));
    assert_eq!(store.sessions(ana.id, epoch()).await.unwrap().len(), 1);
    let account = store.account("ana").await.unwrap().unwrap();
    assert_eq!(account.password, Some(PasswordHash("one".into())));
    let people = store.people(epoch()).await.unwrap();
    assert!(people[0].has_password && people[0].link_expires_at.is_none());
    assert_eq!(people[0].seen_at, Some(epoch()));
    // The losers left nothing behind: invited, and one password.
    assert_eq!(verify_journal(&*store).await.unwrap().seq, 2);
}

async fn links_end(database: Database) {
    let store = database.store().await;
    let (ana, link) = invited(&database, &*store, "Ana").await;
    let people = store.people(epoch()).await.unwrap();
    let end = people[0].link_expires_at.unwrap();
    assert_eq!(store.sign_in_link(&link, end).await.unwrap(), None);
    assert_eq!(store.people(end).await.unwrap()[0].link_expires_at, None);
    let late = NewSession {
        created_at: end,
        ..session(&database)
    };
    let refused = store.commit(accepted(&database, &ana, link, &late)).await;
    assert!(matches!(refused, Err(CommitError::Conflict)));
    assert_eq!(store.session(&late.hash, end).await.unwrap(), None);
}

async fn a_new_link_ends_the_old_one(database: Database) {
    let store = database.store().await;
    let (ana, first) = invited(&database, &*store, "Ana").await;
    let (ben, other) = invited(&database, &*store, "Ben").await;
    let second = new_link();
    let made = decide::make_link(&ana, second.clone(), &operator(), database.at(0)).unwrap();
    store.commit(made).await.unwrap();
    let whose = async |link| store.sign_in_link(link, epoch()).await.unwrap();
    assert_eq!(whose(&first).await, None);
    assert_eq!(whose(&second.hash).await, Some(ana));
    assert_eq!(whose(&other).await, Some(ben));
}

async fn a_name_belongs_to_one_person(database: Database) {
    let store = database.store().await;
    let (ana, _) = invited(&database, &*store, "Ana").await;
    let (ben, _) = invited(&database, &*store, "Ben").await;
    let again = decide::invite("ANA", Role::Viewer, new_link(), &operator(), database.at(0));
    let again = store.commit(again.unwrap()).await;
    assert!(matches!(again, Err(CommitError::Conflict)));
    let change = |person: &Person, name| {
        decide::change(person, name, Role::Admin, &operator(), database.at(0)).unwrap()
    };
    let taken = store.commit(change(&ben, "ana")).await;
    assert!(matches!(taken, Err(CommitError::Conflict)));
    assert_eq!(store.person(ben.id).await.unwrap(), Some(ben));
    // Other capitals for oneself are no conflict.
    store.commit(change(&ana, "ANA")).await.unwrap();
    let names: Vec<_> = store.people(epoch()).await.unwrap();
    let names: Vec<_> = names.iter().map(|one| &*one.person.name).collect();
    assert_eq!(names, ["ANA", "Ben"]);
}

async fn a_change_of_what_has_changed_is_a_conflict(database: Database) {
    let store = database.store().await;
    let (ana, _) = invited(&database, &*store, "Ana").await;
    let changes = [Role::Viewer, Role::Admin].map(|role| {
        let changed = decide::change(&ana, "Ana", role, &operator(), database.at(0)).unwrap();
        store.commit(changed)
    });
    let outcomes = join_all(changes).await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    assert_eq!(store.person(ana.id).await.unwrap().unwrap().version, 2);
}

async fn who_is_disabled_loses_links_and_sessions(database: Database) {
    let store = database.store().await;
    let (ana, link) = invited(&database, &*store, "Ana").await;
    let session = session(&database);
    store
        .commit(accepted(&database, &ana, link, &session))
        .await
        .unwrap();
    let second = new_link();
    let made = decide::make_link(&ana, second.clone(), &operator(), database.at(0)).unwrap();
    store.commit(made).await.unwrap();
    let disabled = decide::disable(&ana, true, &operator(), database.at(3)).unwrap();
    store.commit(disabled).await.unwrap();
    assert_eq!(store.session(&session.hash, epoch()).await.unwrap(), None);
    assert_eq!(
        store.sign_in_link(&second.hash, epoch()).await.unwrap(),
        None
    );
    store.start_session(ana.id, &session).await.unwrap();
    assert!(store.sessions(ana.id, epoch()).await.unwrap().is_empty());
    for refused in [
        decide::make_link(&ana, new_link(), &operator(), database.at(4)).unwrap(),
        accepted(&database, &ana, second.hash, &session),
    ] {
        let refused = store.commit(refused).await;
        assert!(matches!(refused, Err(CommitError::Conflict)));
    }
    let account = store.account("ana").await.unwrap().unwrap();
    assert_eq!(
        account.person.disabled_at,
        Some(epoch() + TimeDelta::seconds(3))
    );
    let enabled = decide::disable(&account.person, false, &operator(), database.at(5)).unwrap();
    store.commit(enabled).await.unwrap();
    store.start_session(ana.id, &session).await.unwrap();
    assert!(
        store
            .session(&session.hash, epoch())
            .await
            .unwrap()
            .is_some()
    );
}

async fn a_password_ends_the_other_sessions(database: Database) {
    let store = database.store().await;
    let (ana, link) = invited(&database, &*store, "Ana").await;
    let (ben, _) = invited(&database, &*store, "Ben").await;
    let [this, other, of_ben] = [(); 3].map(|()| session(&database));
    store
        .commit(accepted(&database, &ana, link, &this))
        .await
        .unwrap();
    store.start_session(ana.id, &other).await.unwrap();
    store.start_session(ben.id, &of_ben).await.unwrap();
    let set = |person: &Person, by| {
        decide::set_password(person, PasswordHash("two".into()), by, database.at(1))
    };
    // Somebody else's session is no right.
    let stolen = set(&ana, PasswordBy::Session(of_ben.id));
    assert!(matches!(
        store.commit(stolen).await,
        Err(CommitError::Conflict)
    ));
    store
        .commit(set(&ana, PasswordBy::Session(this.id)))
        .await
        .unwrap();
    let good = async |one: &NewSession| store.session(&one.hash, epoch()).await.unwrap().is_some();
    assert!(good(&this).await && !good(&other).await && good(&of_ben).await);
    let account = store.account("ana").await.unwrap().unwrap();
    assert_eq!(account.password, Some(PasswordHash("two".into())));
    // By a link all of them end.
    let link = new_link();
    let made = decide::make_link(&ana, link.clone(), &operator(), database.at(2)).unwrap();
    store.commit(made).await.unwrap();
    let newest = session(&database);
    store
        .commit(accepted(&database, &ana, link.hash, &newest))
        .await
        .unwrap();
    assert!(!good(&this).await && good(&newest).await);
}

async fn sessions_end(database: Database) {
    let store = database.store().await;
    let (ana, _) = invited(&database, &*store, "Ana").await;
    let one = session(&database);
    store.start_session(ana.id, &one).await.unwrap();
    let good = async |at| {
        let listed = store.sessions(ana.id, at).await.unwrap().len() == 1;
        let found = store.session(&one.hash, at).await.unwrap().is_some();
        assert_eq!(listed, found);
        found
    };
    let idle = epoch() + SESSION_IDLE;
    assert!(good(idle - TimeDelta::milliseconds(1)).await);
    assert!(!good(idle).await);
    // Whoever uses it goes on until the end.
    let mut used = epoch();
    while used < one.expires_at {
        store.sessions_used(&[(one.id, used)]).await.unwrap();
        assert!(good(used).await);
        used += TimeDelta::days(6);
    }
    assert!(!good(one.expires_at).await);
    // The next one clears it away.
    let next = NewSession {
        created_at: one.expires_at,
        expires_at: one.expires_at + TimeDelta::days(1),
        ..session(&database)
    };
    store.start_session(ana.id, &next).await.unwrap();
    assert_eq!(store.session(&one.hash, epoch()).await.unwrap(), None);
}

async fn sessions_are_listed_and_ended(database: Database) {
    let store = database.store().await;
    let (ana, _) = invited(&database, &*store, "Ana").await;
    let (ben, _) = invited(&database, &*store, "Ben").await;
    let [first, second, third] = [(); 3].map(|()| session(&database));
    for one in [&first, &second, &third] {
        store.start_session(ana.id, one).await.unwrap();
    }
    let at = epoch() + TimeDelta::minutes(5);
    store.sessions_used(&[(first.id, at)]).await.unwrap();
    let listed = async || -> Vec<SessionId> {
        let sessions = store.sessions(ana.id, epoch()).await.unwrap();
        sessions.iter().map(|one| one.id).collect()
    };
    assert_eq!(listed().await, [first.id, third.id, second.id]);
    let shown = store.sessions(ana.id, epoch()).await.unwrap().remove(0);
    assert_eq!((shown.seen_at, &*shown.browser), (at, "curl"));
    // Nobody ends another's.
    assert!(!store.end_session(ben.id, first.id).await.unwrap());
    assert!(store.end_session(ana.id, first.id).await.unwrap());
    assert!(!store.end_session(ana.id, first.id).await.unwrap());
    store.end_other_sessions(ana.id, second.id).await.unwrap();
    assert_eq!(listed().await, [second.id]);
}

async fn a_user_of_slack_belongs_to_one_person(database: Database) {
    let store = database.store().await;
    let (ana, link) = invited(&database, &*store, "Ana").await;
    let (ben, _) = invited(&database, &*store, "Ben").await;
    let id = |text| SlackId::parse(text).unwrap();
    let whose = async |text| store.person_in_slack(&id(text)).await.unwrap();
    assert_eq!(whose("U0ANA").await, None);
    let linked = |person: &Person, to| {
        decide::link_slack(person, to, None, &operator(), database.at(1)).unwrap()
    };
    // Two who are given it at once, and neither was seen to have it.
    let both = [&ana, &ben].map(|person| store.commit(linked(person, Some(id("U0ANA")))));
    let outcomes = join_all(both).await;
    assert!(outcomes[0].is_ok());
    assert!(matches!(outcomes[1], Err(CommitError::Conflict)));
    let ana = whose("U0ANA").await.unwrap();
    assert_eq!((&*ana.name, ana.version), ("Ana", 2));
    assert_eq!(ana.slack_id, Some(id("U0ANA")));
    assert_eq!(store.person(ben.id).await.unwrap(), Some(ben.clone()));
    // It is read wherever a person is.
    let session = session(&database);
    store
        .commit(accepted(&database, &ana, link, &session))
        .await
        .unwrap();
    let (_, signed_in) = store
        .session(&session.hash, epoch())
        .await
        .unwrap()
        .unwrap();
    let account = store.account("ana").await.unwrap().unwrap().person;
    let listed = store.people(epoch()).await.unwrap().remove(0).person;
    let again = store.person(ana.id).await.unwrap().unwrap();
    for read in [signed_in, account, listed, again] {
        assert_eq!(read, ana);
    }
    let new = new_link();
    let made = decide::make_link(&ana, new.clone(), &operator(), database.at(1)).unwrap();
    store.commit(made).await.unwrap();
    let invited_again = store.sign_in_link(&new.hash, epoch()).await.unwrap();
    assert_eq!(invited_again, Some(ana.clone()));
    // Other changes leave it, and whoever is disabled keeps it, as they keep their name.
    let disabled = decide::disable(&ana, true, &operator(), database.at(2)).unwrap();
    store.commit(disabled).await.unwrap();
    let ana = whose("U0ANA").await.unwrap();
    assert!(ana.disabled_at.is_some());
    let taken = store.commit(linked(&ben, Some(id("U0ANA")))).await;
    assert!(matches!(taken, Err(CommitError::Conflict)));
    // Two people who are nobody in Slack are no conflict.
    store.commit(linked(&ana, None)).await.unwrap();
    assert_eq!(whose("U0ANA").await, None);
    store.commit(linked(&ben, Some(id("U0ANA")))).await.unwrap();
    assert_eq!(whose("U0ANA").await.unwrap().id, ben.id);
    verify_journal(&*store).await.unwrap();
}
