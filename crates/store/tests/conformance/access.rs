//! Who gets in: people, links, passwords, sessions and tokens.

use chrono::TimeDelta;
use domain::{
    Access, Actor, Audience, Changeset, Day, Ids, Parts, PasswordHash, Payload, Person, PersonId,
    Principal, Role, SecretHash, SessionId, SlackId, TokenEvent, TokenKind, Write,
    access::{Lifetime, NewLink, NewSession, PasswordBy},
    decide::{access as decide, factor},
    limits::SESSION_IDLE,
};
use futures::future::join_all;
use store::{CommitError, Holder, SessionData, Store, verify_journal};

use crate::database::{Database, epoch, new_token, operator, rand_hash};

/// What the server is called.
const HOST: &str = "handraise.localhost";

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
    nobody_comes_in_as_they_were_before_they_were_changed,
    a_password_ends_the_other_sessions,
    a_password_that_was_set_meanwhile_ends_the_way_in,
    sessions_end,
    sessions_are_listed_and_ended,
    a_session_begins_before_its_person_is_known,
    a_user_of_slack_belongs_to_one_person,
    a_token_knows_its_end_and_who_made_it,
    who_is_disabled_can_lose_what_they_made_in_the_same_moment,
    a_session_is_good_under_one_name_of_the_server,
    a_password_that_is_given_again_counts_for_one_browser,
    a_link_for_somebody_with_a_password_is_remembered_until_they_were_told,
    what_was_there_before_goes_on_working,
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
                name: "night desk".into(),
                teams: Parts::default(),
            },
            expires_at: None,
        })
    );
    let events = store
        .events_after(0, &Audience::All, 10)
        .await
        .unwrap()
        .collect();
    assert_eq!(
        events[0].payload,
        Payload::Token(TokenEvent::Created(token))
    );
}

async fn two_who_name_a_new_agent_at_once_share_it(database: Database) {
    let store = database.store().await;
    let new = |hash| {
        let new = new_token(TokenKind::Agent, "backend", None, Lifetime::Never);
        decide::create_token(&new, hash, &operator(), database.at(0)).unwrap()
    };
    let [first, second] = [(); 2].map(|()| SecretHash(rand_hash()));
    store.commit(new(first)).await.unwrap();
    let late = store.commit(new(second)).await;
    assert!(matches!(late, Err(CommitError::Conflict)));
    assert_eq!(store.token_holder(&second).await.unwrap(), None);
    assert_eq!(store.agents(&Audience::All, Day(0)).await.unwrap().len(), 1);
    assert_eq!(verify_journal(&*store).await.unwrap().seq, 1);
}

async fn a_revoked_token_is_nobody_s_and_stays_in_the_list(database: Database) {
    let store = database.store().await;
    let hash = database.token(&*store, TokenKind::Agent, "backend").await;
    let other = database.token(&*store, TokenKind::Agent, "backend").await;
    let agent = store
        .agents(&Audience::All, Day(0))
        .await
        .unwrap()
        .remove(0)
        .agent;
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
    assert_eq!(
        store.agents(&Audience::All, Day(0)).await.unwrap()[0].agent,
        agent
    );
}

async fn an_unknown_hash_is_nobody(database: Database) {
    let store = database.store().await;
    let hash = SecretHash(rand_hash());
    assert_eq!(store.token_holder(&hash).await.unwrap(), None);
    assert_eq!(store.session(&hash, HOST, epoch()).await.unwrap(), None);
    assert_eq!(store.sign_in_link(&hash, epoch()).await.unwrap(), None);
    assert_eq!(store.account("nobody").await.unwrap(), None);
    let nobody = PersonId(database.ids.next());
    assert_eq!(store.person(nobody).await.unwrap(), None);
    assert_eq!(store.made_link(nobody).await.unwrap(), None);
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
        host: HOST.into(),
    }
}

async fn signed_in(database: &Database, store: &dyn Store, person: &Person, session: &NewSession) {
    let signed_in = decide::sign_in(person, session.clone(), database.at(0));
    store.commit(signed_in).await.unwrap();
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
    let found = store.session(&session.hash, HOST, epoch()).await.unwrap();
    let found = found.unwrap();
    assert_eq!(
        (found.id, found.person, found.proven_at),
        (session.id, ana.clone(), epoch())
    );
    assert_eq!(store.sessions(ana.id, epoch()).await.unwrap().len(), 1);
    let account = store.account("ana").await.unwrap().unwrap();
    assert_eq!(account.password, Some(PasswordHash("one".into())));
    let people = store.people(epoch()).await.unwrap();
    assert!(people[0].has_password && people[0].link_expires_at.is_none());
    assert_eq!(people[0].seen_at, Some(epoch()));
    // The losers left nothing behind: invited, one password, and in.
    assert_eq!(verify_journal(&*store).await.unwrap().seq, 3);
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
    assert_eq!(store.session(&late.hash, HOST, end).await.unwrap(), None);
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
    let disabled = decide::disable(&ana, true, &[], &operator(), database.at(3)).unwrap();
    store.commit(disabled).await.unwrap();
    assert_eq!(
        store.session(&session.hash, HOST, epoch()).await.unwrap(),
        None
    );
    assert_eq!(
        store.sign_in_link(&second.hash, epoch()).await.unwrap(),
        None
    );
    for refused in [
        decide::sign_in(&ana, session.clone(), database.at(4)),
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
    let enabled =
        decide::disable(&account.person, false, &[], &operator(), database.at(5)).unwrap();
    store.commit(enabled).await.unwrap();
    let ana = store.person(ana.id).await.unwrap().unwrap();
    signed_in(&database, &*store, &ana, &session).await;
    assert!(
        store
            .session(&session.hash, HOST, epoch())
            .await
            .unwrap()
            .is_some()
    );
}

async fn nobody_comes_in_as_they_were_before_they_were_changed(database: Database) {
    let store = database.store().await;
    let (ana, link) = invited(&database, &*store, "Ana").await;
    let changed = |person: &Person, role| {
        decide::change(person, "Ana", role, &operator(), database.at(1)).unwrap()
    };
    store.commit(changed(&ana, Role::Viewer)).await.unwrap();
    // In another role she may have to show more than the link.
    let [first, second, third] = [(); 3].map(|()| session(&database));
    let refused = store.commit(accepted(&database, &ana, link, &first)).await;
    assert!(matches!(refused, Err(CommitError::Conflict)));
    let ana = store.person(ana.id).await.unwrap().unwrap();
    store
        .commit(accepted(&database, &ana, link, &first))
        .await
        .unwrap();
    // And than her password. Who comes in before the change leaves by it, though nobody knew of them when it was decided.
    let one = PasswordHash("one".into());
    let coming = |session: &NewSession| {
        decide::sign_in_by_password(&ana, one.clone(), session.clone(), database.at(2))
    };
    let changed = factor::short_of_one(
        &ana,
        vec![first.id],
        changed(&ana, Role::Admin),
        &operator(),
        database.at(2),
    );
    store.commit(coming(&second)).await.unwrap();
    store.commit(changed.unwrap()).await.unwrap();
    assert_eq!(store.sessions(ana.id, epoch()).await.unwrap(), []);
    let refused = store.commit(coming(&third)).await;
    assert!(matches!(refused, Err(CommitError::Conflict)));
    assert_eq!(store.sessions(ana.id, epoch()).await.unwrap(), []);
    verify_journal(&*store).await.unwrap();
}

async fn a_password_that_was_set_meanwhile_ends_the_way_in(database: Database) {
    let store = database.store().await;
    let (ana, link) = invited(&database, &*store, "Ana").await;
    let [first, second, late] = [(); 3].map(|()| session(&database));
    let one = || PasswordHash("one".into());
    let coming = |session: &NewSession| {
        decide::sign_in_by_password(&ana, one(), session.clone(), database.at(1))
    };
    // Nobody has it yet.
    let early = store.commit(coming(&second)).await;
    assert!(matches!(early, Err(CommitError::Conflict)));
    store
        .commit(accepted(&database, &ana, link, &first))
        .await
        .unwrap();
    store.commit(coming(&second)).await.unwrap();
    let by = PasswordBy::Session(first.id);
    let set = decide::set_password(&ana, PasswordHash("two".into()), by, database.at(1));
    store.commit(set).await.unwrap();
    let too_late = store.commit(coming(&late)).await;
    assert!(matches!(too_late, Err(CommitError::Conflict)));
    let there = store.sessions(ana.id, epoch()).await.unwrap();
    assert_eq!(
        there.iter().map(|one| one.id).collect::<Vec<_>>(),
        [first.id]
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
    signed_in(&database, &*store, &ana, &other).await;
    signed_in(&database, &*store, &ben, &of_ben).await;
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
    let good = async |one: &NewSession| {
        store
            .session(&one.hash, HOST, epoch())
            .await
            .unwrap()
            .is_some()
    };
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
    signed_in(&database, &*store, &ana, &one).await;
    let good = async |at| {
        let listed = store.sessions(ana.id, at).await.unwrap().len() == 1;
        let found = store.session(&one.hash, HOST, at).await.unwrap().is_some();
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
    signed_in(&database, &*store, &ana, &next).await;
    assert_eq!(store.session(&one.hash, HOST, epoch()).await.unwrap(), None);
}

async fn a_session_begins_before_its_person_is_known(database: Database) {
    let store = database.store().await;
    let (ana, _) = invited(&database, &*store, "Ana").await;
    let one = session(&database);
    let data = SessionData {
        json: r#"{"next":"/history"}"#.into(),
        expires_at: epoch() + TimeDelta::minutes(15),
    };
    let open = async |hash: &SecretHash, now| {
        let id = SessionId(database.ids.next());
        store.open_session(id, hash, &data, now).await.unwrap()
    };
    let kept = async |now| store.session_data(&one.hash, now).await.unwrap();
    let is_in = async || {
        let found = store.session(&one.hash, HOST, epoch()).await.unwrap();
        found.map(|found| found.person)
    };
    assert!(open(&one.hash, epoch()).await);
    assert!(!open(&one.hash, epoch()).await, "the cookie is taken");
    assert_eq!(kept(epoch()).await, Some(data.clone()));
    assert_eq!(kept(data.expires_at).await, None);
    assert_eq!(is_in().await, None);
    store.keep_session_data(&one.hash, "{}").await.unwrap();
    // Who signs in keeps what was there, for as long as they are in.
    signed_in(&database, &*store, &ana, &one).await;
    assert_eq!(is_in().await.as_ref(), Some(&ana));
    let signed_in_data = SessionData {
        json: "{}".into(),
        expires_at: one.expires_at,
    };
    assert_eq!(kept(data.expires_at).await, Some(signed_in_data));
    // It ends by a changeset alone, and no other person takes it over.
    assert!(!store.drop_unsigned_session(&one.hash).await.unwrap());
    let (ben, _) = invited(&database, &*store, "Ben").await;
    let over = NewSession {
        id: SessionId(database.ids.next()),
        ..one.clone()
    };
    let over = store.commit(decide::sign_in(&ben, over, database.at(1)));
    assert!(matches!(over.await, Err(CommitError::Conflict)));
    assert_eq!(is_in().await.as_ref(), Some(&ana));
    let out = decide::sign_out(&ana, vec![one.id], database.at(2));
    store.commit(out).await.unwrap();
    assert_eq!(kept(epoch()).await, None);
    store.keep_session_data(&one.hash, "{}").await.unwrap();
    assert_eq!(kept(epoch()).await, None, "it does not come back");
    // One that led nowhere goes when it is dropped, or with the next.
    let [dropped, expired] = [(); 2].map(|()| SecretHash(rand_hash()));
    open(&dropped, epoch()).await;
    open(&expired, epoch()).await;
    let drops = (0..4).map(|_| store.drop_unsigned_session(&dropped));
    let done = join_all(drops).await;
    assert_eq!(
        done.into_iter()
            .filter(|done| *done.as_ref().unwrap())
            .count(),
        1
    );
    open(&SecretHash(rand_hash()), data.expires_at).await;
    for hash in [&dropped, &expired] {
        let found = store.session_data(hash, epoch()).await.unwrap();
        assert_eq!(found, None);
    }
}

async fn sessions_are_listed_and_ended(database: Database) {
    let store = database.store().await;
    let (ana, _) = invited(&database, &*store, "Ana").await;
    let (ben, _) = invited(&database, &*store, "Ben").await;
    let [first, second, third] = [(); 3].map(|()| session(&database));
    for one in [&first, &second, &third] {
        signed_in(&database, &*store, &ana, one).await;
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
    // Nobody ends another's, and nobody ends what has ended.
    let ends = |person: &Person, sessions: &[&NewSession]| {
        let sessions = sessions.iter().map(|one| one.id).collect();
        store.commit(decide::sign_out(person, sessions, database.at(6)))
    };
    assert!(matches!(
        ends(&ben, &[&first]).await,
        Err(CommitError::Conflict)
    ));
    ends(&ana, &[&first]).await.unwrap();
    assert!(matches!(
        ends(&ana, &[&first]).await,
        Err(CommitError::Conflict)
    ));
    ends(&ana, &[&first, &third]).await.unwrap();
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
    let signed_in = store
        .session(&session.hash, HOST, epoch())
        .await
        .unwrap()
        .unwrap()
        .person;
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
    let disabled = decide::disable(&ana, true, &[], &operator(), database.at(2)).unwrap();
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

/// A committed token that is good for a day.
async fn token_of_a_day(database: &Database, store: &dyn Store, by: &Principal) -> SecretHash {
    let hash = SecretHash(rand_hash());
    let day = Lifetime::For(TimeDelta::days(1));
    let new = new_token(TokenKind::Responder, "desk", None, day);
    let made = decide::create_token(&new, hash, by, database.at(0));
    store.commit(made.unwrap()).await.unwrap();
    hash
}

fn admin(person: &Person) -> Principal {
    Principal::Person {
        id: person.id,
        name: person.name.clone(),
        role: Role::Admin,
        proven_at: epoch(),
        teams: Parts::default(),
    }
}

async fn a_token_knows_its_end_and_who_made_it(database: Database) {
    let store = database.store().await;
    let (ana, _) = invited(&database, &*store, "Ana").await;
    let end = epoch() + TimeDelta::days(1);
    for by in [admin(&ana), operator()] {
        let hash = token_of_a_day(&database, &*store, &by).await;
        let holder = store.token_holder(&hash).await.unwrap().unwrap();
        assert_eq!(holder.expires_at, Some(end));
        let tokens = store.tokens().await.unwrap();
        let record = tokens.iter().find(|one| one.token.id == holder.token);
        let record = record.unwrap();
        assert_eq!(record.token.expires_at, Some(end));
        assert_eq!(record.made_by, Some(by.admin().unwrap()));
        assert_eq!(record.is_by(ana.id), by.is_person(ana.id));
        assert!(record.works(end - TimeDelta::milliseconds(1)) && !record.works(end));
    }
    // An agent is signed for by what is good.
    let never = database.agent(&*store, "backend").await;
    let hash = SecretHash(rand_hash());
    let day = Lifetime::For(TimeDelta::days(1));
    let new = new_token(TokenKind::Agent, "backend", Some(never.id), day);
    let second = decide::create_token(&new, hash, &operator(), database.at(1)).unwrap();
    store.commit(second).await.unwrap();
    let signing = async |at| store.agent_tokens(never.id, at, 10).await.unwrap().len();
    assert_eq!((signing(epoch()).await, signing(end).await), (2, 2));
    assert_eq!(signing(end + TimeDelta::seconds(1)).await, 1);
}

async fn who_is_disabled_can_lose_what_they_made_in_the_same_moment(database: Database) {
    let store = database.store().await;
    let (ana, _) = invited(&database, &*store, "Ana").await;
    let hash = token_of_a_day(&database, &*store, &admin(&ana)).await;
    let other = token_of_a_day(&database, &*store, &operator()).await;
    let tokens = store.tokens().await.unwrap();
    let made = tokens.into_iter().filter(|one| one.is_by(ana.id));
    let made: Vec<_> = made.map(|one| one.token).collect();
    let (by, now) = (operator(), database.at(2));
    let revoked = decide::revoke_token(&made[0], &by, now).unwrap();
    let disabled = || decide::disable(&ana, true, &made, &by, database.at(2)).unwrap();
    // Somebody else was faster: nothing of it is kept, and it is decided anew.
    store.commit(revoked).await.unwrap();
    assert!(matches!(
        store.commit(disabled()).await,
        Err(CommitError::Conflict)
    ));
    assert_eq!(store.person(ana.id).await.unwrap(), Some(ana.clone()));
    let disabled = decide::disable(&ana, true, &[], &by, database.at(3)).unwrap();
    store.commit(disabled).await.unwrap();
    assert_eq!(store.token_holder(&hash).await.unwrap(), None);
    assert!(store.token_holder(&other).await.unwrap().is_some());
    let (ben, _) = invited(&database, &*store, "Ben").await;
    let hash = token_of_a_day(&database, &*store, &admin(&ben)).await;
    let tokens = store.tokens().await.unwrap();
    let made = tokens.into_iter().filter(|one| one.is_by(ben.id));
    let made: Vec<_> = made.map(|one| one.token).collect();
    let disabled = decide::disable(&ben, true, &made, &by, database.at(4)).unwrap();
    store.commit(disabled).await.unwrap();
    assert_eq!(store.token_holder(&hash).await.unwrap(), None);
    let ben = store.person(ben.id).await.unwrap().unwrap();
    assert!(ben.disabled_at.is_some());
    verify_journal(&*store).await.unwrap();
}

async fn a_session_is_good_under_one_name_of_the_server(database: Database) {
    let store = database.store().await;
    let (ana, _) = invited(&database, &*store, "Ana").await;
    let session = session(&database);
    signed_in(&database, &*store, &ana, &session).await;
    let good = async |host: &str| {
        let found = store.session(&session.hash, host, epoch()).await.unwrap();
        found.is_some()
    };
    assert!(good(HOST).await);
    for other in ["127.0.0.1", "localhost", ""] {
        assert!(!good(other).await, "{other}");
    }
}

async fn a_password_that_is_given_again_counts_for_one_browser(database: Database) {
    let store = database.store().await;
    let (ana, _) = invited(&database, &*store, "Ana").await;
    let [here, there] = [(); 2].map(|()| session(&database));
    for one in [&here, &there] {
        signed_in(&database, &*store, &ana, one).await;
    }
    let proven = async |one: &NewSession| {
        let found = store.session(&one.hash, HOST, epoch()).await.unwrap();
        found.unwrap().proven_at
    };
    let later = epoch() + TimeDelta::hours(1);
    for at in [later, epoch()] {
        store.session_proven(here.id, at).await.unwrap();
        assert_eq!(
            (proven(&here).await, proven(&there).await),
            (later, epoch())
        );
    }
}

async fn a_link_for_somebody_with_a_password_is_remembered_until_they_were_told(
    database: Database,
) {
    let store = database.store().await;
    let (ana, link) = invited(&database, &*store, "Ana").await;
    let made = async |seconds| {
        let link = new_link();
        let made = decide::make_link(&ana, link.clone(), &operator(), database.at(seconds));
        store.commit(made.unwrap()).await.unwrap();
        (link.hash, store.made_link(ana.id).await.unwrap())
    };
    assert_eq!(store.made_link(ana.id).await.unwrap(), None);
    // There was nothing to take over yet.
    let (second, remembered) = made(1).await;
    assert_eq!(remembered, None);
    assert_eq!(store.sign_in_link(&link, epoch()).await.unwrap(), None);
    let session = session(&database);
    store
        .commit(accepted(&database, &ana, second, &session))
        .await
        .unwrap();
    let first = made(2).await.1.unwrap();
    assert_eq!(first.at, epoch() + TimeDelta::seconds(2));
    let by = Actor::Operator {
        name: "root".into(),
    };
    assert_eq!((&first.by, first.told), (&by, false));
    let listed = store.people(epoch()).await.unwrap().remove(0);
    assert_eq!(listed.made_link, Some(first.clone()));
    // Who has read of the one has not read of the next.
    let next = made(3).await.1.unwrap();
    store.told_of_link(ana.id, first.at).await.unwrap();
    assert_eq!(store.made_link(ana.id).await.unwrap(), Some(next.clone()));
    store.told_of_link(ana.id, next.at).await.unwrap();
    assert!(store.made_link(ana.id).await.unwrap().unwrap().told);
}

/// The rows of a database as version 13 left them.
async fn what_was_there_before_goes_on_working(database: Database) {
    database.place.migrate_to(13).await.unwrap();
    let (blob, bytes) = match database.place.url.starts_with("sqlite") {
        true => ("X'00000000000000000000000000000001'", "X'0707'"),
        false => ("'00000000-0000-0000-0000-000000000001'", "'\\x0707'"),
    };
    let hash = SecretHash([7; 32]);
    let long = bytes.replace("0707", &"07".repeat(32));
    database
        .place
        .execute(&format!(
            "INSERT INTO agents (id, name, created_at) VALUES ({blob}, 'backend', 1);
             INSERT INTO tokens (id, kind, name, hash, agent_id, created_at)
             VALUES ({blob}, 'agent', 'backend', {long}, {blob}, 1);
             INSERT INTO people (id, version, name, name_key, role, created_at, password_hash)
             VALUES ({blob}, 1, 'Ana', 'ana', 'admin', 1, 'phc');
             INSERT INTO browser_sessions
                (id, hash, person_id, created_at, seen_at, expires_at, browser, address)
             VALUES ({blob}, {long}, {blob}, 1, {now}, {now} + 100000, 'curl', '192.0.2.1')",
            now = epoch().timestamp_millis()
        ))
        .await
        .unwrap();
    let store = database.store().await;
    let holder = store.token_holder(&hash).await.unwrap().unwrap();
    assert_eq!(holder.expires_at, None);
    let record = store.tokens().await.unwrap().remove(0);
    assert_eq!(
        (record.made_by.clone(), record.token.expires_at),
        (None, None)
    );
    assert!(record.works(epoch() + TimeDelta::days(40_000)));
    let ana = store.people(epoch()).await.unwrap().remove(0);
    assert!(ana.has_password && ana.made_link.is_none());
    // Nobody knows under which name it began.
    for host in ["", HOST] {
        let found = store.session(&hash, host, epoch()).await.unwrap();
        assert_eq!(found, None);
    }
}
