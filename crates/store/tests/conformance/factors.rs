//! Second factors: added, used once, taken away.

use chrono::TimeDelta;
use domain::{
    Access, Changeset, FactorId, Identity, Ids, Moment, Parts, PasswordHash, Person, PersonId,
    Principal, Role, SecretHash, SessionId, Write,
    access::{
        NewLink, NewSession, PasswordBy, WaysIn,
        factor::{Factor, FactorSecret, Shown},
    },
    decide::{
        access as people,
        factor::{self as decide, NewFactor, Removal},
        identity::{self as providers, Arrival},
    },
    delivery::SealedSecret,
};
use futures::future::join_all;
use store::{CommitError, Store, verify_journal};

use crate::database::{Database, epoch, operator, rand_hash};

store::on_both_databases!(
    a_factor_is_kept_as_it_was_added,
    of_two_first_factors_at_once_one_is_added,
    a_step_counts_once_however_many_try,
    a_passkey_belongs_to_one_person_and_knows_how_often_it_was_used,
    a_recovery_code_works_once,
    new_recovery_codes_end_those_before,
    with_the_last_factor_the_recovery_codes_go,
    a_reset_takes_everything_away_and_signs_the_person_out,
    nobody_changes_what_is_another_s,
    an_admin_with_a_passkey_can_come_in,
    of_two_removals_at_once_one_leaves_what_must_remain,
    a_provider_and_a_passkey_do_not_both_go_at_once,
    what_is_not_open_is_no_way_that_remains,
    the_maker_of_a_link_is_known_also_where_there_is_no_password,
);

async fn person(database: &Database, store: &dyn Store, name: &str) -> Person {
    let link = NewLink {
        hash: SecretHash(rand_hash()),
        expires_at: epoch() + TimeDelta::hours(1),
    };
    let (by, now) = (operator(), database.at(0));
    let invited = people::invite(name, Role::Admin, link.clone(), &by, now).unwrap();
    let Write::Access(Access::Person(person)) = invited.writes[0].clone() else {
        panic!("{invited:?}");
    };
    store.commit(invited).await.unwrap();
    let by = PasswordBy::Link {
        link: link.hash,
        session: session(database),
    };
    let set = people::set_password(&person, PasswordHash("one".into()), by, database.at(0));
    store.commit(set).await.unwrap();
    person
}

fn session(database: &Database) -> NewSession {
    NewSession {
        id: SessionId(database.ids.next()),
        hash: SecretHash(rand_hash()),
        created_at: epoch(),
        expires_at: epoch() + TimeDelta::days(30),
        browser: "curl".into(),
        address: "192.0.2.1".into(),
        host: "handraise.localhost".into(),
    }
}

fn themselves(person: &Person) -> Principal {
    Principal::Person {
        id: person.id,
        name: person.name.clone(),
        role: person.role,
        proven_at: epoch(),
        teams: Parts::default(),
    }
}

fn app(database: &Database, used: i64) -> NewFactor {
    NewFactor {
        id: FactorId(database.ids.next()),
        name: "Phone".into(),
        secret: FactorSecret::App(SealedSecret(vec![1, 2, 3])),
        used,
    }
}

fn passkey(database: &Database, credential: &[u8]) -> NewFactor {
    NewFactor {
        secret: FactorSecret::Passkey {
            credential: credential.to_vec(),
            json: "{\"n\":0}".into(),
        },
        ..app(database, 0)
    }
}

fn ways() -> WaysIn {
    WaysIn {
        passwords: true,
        issuers: vec!["https://id.example".into()],
    }
}

fn removal(factor: &Factor, had: usize, needed: bool) -> Removal<'_> {
    Removal {
        factor,
        had,
        needed,
        another_way: true,
        ways: ways(),
    }
}

fn codes() -> Vec<SecretHash> {
    (0..3).map(|_| SecretHash(rand_hash())).collect()
}

fn adding(
    person: &Person,
    had: &[Factor],
    new: NewFactor,
    codes: &[SecretHash],
    now: Moment<'_>,
) -> Changeset {
    decide::add(person, had, new, codes.to_vec(), &themselves(person), now).unwrap()
}

/// Adds one to those there are; returns it as it is kept.
async fn added(
    database: &Database,
    store: &dyn Store,
    person: &Person,
    new: NewFactor,
    codes: &[SecretHash],
) -> Factor {
    let (id, had) = (new.id, store.factors(person.id).await.unwrap());
    let adding = adding(person, &had, new, codes, database.at(0));
    store.commit(adding).await.unwrap();
    let factors = store.factors(person.id).await.unwrap();
    factors.into_iter().find(|one| one.id == id).unwrap()
}

/// A person comes in and shows this on the way.
fn coming(database: &Database, person: &Person, shown: Shown) -> Changeset {
    let entry = people::sign_in(person, session(database), database.at(5));
    decide::shown(person, shown, entry, database.at(5))
}

fn is_conflict<T>(done: &Result<T, CommitError>) -> bool {
    matches!(done, Err(CommitError::Conflict))
}

async fn sessions(store: &dyn Store, person: &Person) -> usize {
    store.sessions(person.id, epoch()).await.unwrap().len()
}

async fn a_factor_is_kept_as_it_was_added(database: Database) {
    let store = database.store().await;
    let ana = person(&database, &*store, "Ana").await;
    assert_eq!(store.factors(ana.id).await.unwrap(), []);
    let codes = codes();
    let phone = added(&database, &*store, &ana, app(&database, 7), &codes).await;
    let key = added(&database, &*store, &ana, passkey(&database, b"one"), &[]).await;
    assert_eq!(
        (&*phone.name, phone.used, phone.used_at),
        ("Phone", 7, None)
    );
    assert_eq!(phone.added_at, epoch());
    assert_eq!(phone.secret, FactorSecret::App(SealedSecret(vec![1, 2, 3])));
    let all = store.factors(ana.id).await.unwrap();
    assert_eq!(all, [phone, key.clone()]);
    assert_eq!(store.passkey(b"one").await.unwrap(), Some(key));
    assert_eq!(store.passkey(b"two").await.unwrap(), None);
    assert_eq!(store.recovery_codes(ana.id).await.unwrap(), 3);
    // Who is kept out adds none.
    let disabled = people::disable(&ana, true, &[], &operator(), database.at(1)).unwrap();
    store.commit(disabled).await.unwrap();
    let late = adding(&ana, &all, app(&database, 0), &[], database.at(1));
    assert!(is_conflict(&store.commit(late).await));
    verify_journal(&*store).await.unwrap();
}

async fn of_two_first_factors_at_once_one_is_added(database: Database) {
    let store = database.store().await;
    let ana = person(&database, &*store, "Ana").await;
    let adds = (0..8).map(|_| {
        let adding = adding(&ana, &[], app(&database, 0), &codes(), database.at(0));
        let store = store.clone();
        tokio::spawn(async move { store.commit(adding).await.is_ok() })
    });
    let done = join_all(adds).await;
    assert_eq!(
        done.into_iter()
            .filter(|done| *done.as_ref().unwrap())
            .count(),
        1
    );
    assert_eq!(store.factors(ana.id).await.unwrap().len(), 1);
    assert_eq!(store.recovery_codes(ana.id).await.unwrap(), 3);
}

async fn a_step_counts_once_however_many_try(database: Database) {
    let store = database.store().await;
    let ana = person(&database, &*store, "Ana").await;
    let factor = added(&database, &*store, &ana, app(&database, 7), &codes()).await;
    let before = sessions(&*store, &ana).await;
    let shown = |step| Shown::App {
        factor: factor.clone(),
        step,
    };
    // That it was added with, and one before it.
    for step in [7, 6] {
        let late = store.commit(coming(&database, &ana, shown(step))).await;
        assert!(is_conflict(&late), "{step}");
    }
    let attempts = (0..8).map(|_| {
        let (coming, store) = (coming(&database, &ana, shown(8)), store.clone());
        tokio::spawn(async move { store.commit(coming).await.is_ok() })
    });
    let done = join_all(attempts).await;
    assert_eq!(
        done.into_iter()
            .filter(|done| *done.as_ref().unwrap())
            .count(),
        1
    );
    // Who lost has no session either.
    assert_eq!(sessions(&*store, &ana).await, before + 1);
    let now = store.factors(ana.id).await.unwrap().remove(0);
    assert_eq!(now.used, 8);
    assert_eq!(now.used_at, Some(epoch() + TimeDelta::seconds(5)));
    let late = store.commit(coming(&database, &ana, shown(8))).await;
    assert!(is_conflict(&late));
    store
        .commit(coming(&database, &ana, shown(9)))
        .await
        .unwrap();
}

async fn a_passkey_belongs_to_one_person_and_knows_how_often_it_was_used(database: Database) {
    let store = database.store().await;
    let ana = person(&database, &*store, "Ana").await;
    let ben = person(&database, &*store, "Ben").await;
    let key = added(
        &database,
        &*store,
        &ana,
        passkey(&database, b"one"),
        &codes(),
    )
    .await;
    let stolen = adding(
        &ben,
        &[],
        passkey(&database, b"one"),
        &codes(),
        database.at(0),
    );
    assert!(is_conflict(&store.commit(stolen).await));
    let use_it = || Shown::Passkey {
        factor: key.clone(),
        json: "{\"n\":1}".into(),
    };
    store
        .commit(coming(&database, &ana, use_it()))
        .await
        .unwrap();
    // Read before the other use, which is not known to it.
    let again = store.commit(coming(&database, &ana, use_it())).await;
    assert!(is_conflict(&again));
    let now = store.passkey(b"one").await.unwrap().unwrap();
    assert_eq!((now.person, now.used), (ana.id, 1));
    let FactorSecret::Passkey { json, .. } = now.secret else {
        panic!("{now:?}");
    };
    assert_eq!(json, "{\"n\":1}");
}

async fn a_recovery_code_works_once(database: Database) {
    let store = database.store().await;
    let ana = person(&database, &*store, "Ana").await;
    let codes = codes();
    added(&database, &*store, &ana, app(&database, 0), &codes).await;
    let shown = || Shown::Recovery { code: codes[1] };
    let attempts = (0..8).map(|_| {
        let (coming, store) = (coming(&database, &ana, shown()), store.clone());
        tokio::spawn(async move { store.commit(coming).await.is_ok() })
    });
    let done = join_all(attempts).await;
    assert_eq!(
        done.into_iter()
            .filter(|done| *done.as_ref().unwrap())
            .count(),
        1
    );
    assert_eq!(store.recovery_codes(ana.id).await.unwrap(), 2);
    let unknown = Shown::Recovery {
        code: SecretHash(rand_hash()),
    };
    assert!(is_conflict(
        &store.commit(coming(&database, &ana, unknown)).await
    ));
}

async fn new_recovery_codes_end_those_before(database: Database) {
    let store = database.store().await;
    let ana = person(&database, &*store, "Ana").await;
    let (old, new) = (codes(), codes());
    let factor = added(&database, &*store, &ana, app(&database, 0), &old).await;
    let by = themselves(&ana);
    let made = decide::make_codes(&ana, &[factor], new.clone(), &by, database.at(1)).unwrap();
    store.commit(made).await.unwrap();
    let shown = |code| coming(&database, &ana, Shown::Recovery { code });
    assert!(is_conflict(&store.commit(shown(old[0])).await));
    store.commit(shown(new[0])).await.unwrap();
    assert_eq!(store.recovery_codes(ana.id).await.unwrap(), 2);
}

async fn with_the_last_factor_the_recovery_codes_go(database: Database) {
    let store = database.store().await;
    let ana = person(&database, &*store, "Ana").await;
    let first = added(&database, &*store, &ana, app(&database, 0), &codes()).await;
    let second = added(&database, &*store, &ana, app(&database, 0), &[]).await;
    let by = themselves(&ana);
    let remove = |factor: &Factor| {
        decide::remove(&ana, removal(factor, 2, false), &by, database.at(1)).unwrap()
    };
    store.commit(remove(&first)).await.unwrap();
    assert_eq!(store.recovery_codes(ana.id).await.unwrap(), 3);
    assert!(is_conflict(&store.commit(remove(&first)).await));
    store.commit(remove(&second)).await.unwrap();
    assert_eq!(store.recovery_codes(ana.id).await.unwrap(), 0);
    // Codes without a factor would be a way in of their own.
    let made = decide::make_codes(&ana, &[second], codes(), &by, database.at(1)).unwrap();
    assert!(is_conflict(&store.commit(made).await));
    assert_eq!(store.recovery_codes(ana.id).await.unwrap(), 0);
}

async fn a_reset_takes_everything_away_and_signs_the_person_out(database: Database) {
    let store = database.store().await;
    let ana = person(&database, &*store, "Ana").await;
    let ben = person(&database, &*store, "Ben").await;
    added(&database, &*store, &ana, app(&database, 0), &codes()).await;
    added(&database, &*store, &ana, passkey(&database, b"one"), &[]).await;
    added(&database, &*store, &ben, app(&database, 0), &codes()).await;
    let had = store.factors(ana.id).await.unwrap();
    let reset = || decide::reset(&ana, &had, &operator(), database.at(1)).unwrap();
    store.commit(reset()).await.unwrap();
    assert_eq!(store.factors(ana.id).await.unwrap(), []);
    assert_eq!(store.recovery_codes(ana.id).await.unwrap(), 0);
    assert_eq!(sessions(&*store, &ana).await, 0);
    assert!(is_conflict(&store.commit(reset()).await));
    assert_eq!(store.factors(ben.id).await.unwrap().len(), 1);
    assert_eq!(store.recovery_codes(ben.id).await.unwrap(), 3);
    assert_eq!(sessions(&*store, &ben).await, 1);
}

async fn nobody_changes_what_is_another_s(database: Database) {
    let store = database.store().await;
    let ana = person(&database, &*store, "Ana").await;
    let ben = person(&database, &*store, "Ben").await;
    let codes = codes();
    let of_ana = added(&database, &*store, &ana, app(&database, 0), &codes).await;
    let by = themselves(&ben);
    let removed = decide::remove(&ben, removal(&of_ana, 1, false), &by, database.at(1)).unwrap();
    assert!(is_conflict(&store.commit(removed).await));
    let shown = Shown::App {
        factor: of_ana.clone(),
        step: 9,
    };
    assert!(is_conflict(
        &store.commit(coming(&database, &ben, shown)).await
    ));
    let code = Shown::Recovery { code: codes[0] };
    assert!(is_conflict(
        &store.commit(coming(&database, &ben, code)).await
    ));
    assert_eq!(store.factors(ana.id).await.unwrap(), [of_ana]);
    assert_eq!(store.recovery_codes(ana.id).await.unwrap(), 3);
}

/// Who came by a provider, and has no password.
async fn by_provider(database: &Database, store: &dyn Store) -> (Person, Identity) {
    let arrival = Arrival {
        identity: Identity::new("https://id.example", "1").unwrap(),
        provider: "Company".into(),
        role: None,
        teams: None,
        leaves: None,
        session: session(database),
        proven_at: epoch(),
    };
    let came = providers::come_first("Ana", Role::Admin, &arrival, database.at(0)).unwrap();
    store.commit(came).await.unwrap();
    let ana = store.person_known_as(&arrival.identity).await.unwrap();
    (ana.unwrap(), arrival.identity)
}

async fn an_admin_with_a_passkey_can_come_in(database: Database) {
    let store = database.store().await;
    let (ana, identity) = by_provider(&database, &*store).await;
    let by = themselves(&ana);
    added(&database, &*store, &ana, app(&database, 0), &codes()).await;
    let key = added(&database, &*store, &ana, passkey(&database, b"ana"), &[]).await;
    let gone = providers::disconnect(&ana, &identity, true, &ways(), &by, database.at(1)).unwrap();
    store.commit(gone).await.unwrap();
    assert!(store.another_admin(None, None).await.unwrap());
    let mut removed = decide::remove(&ana, removal(&key, 2, false), &by, database.at(2)).unwrap();
    // It is their only way in, which is looked at after the removal.
    assert!(is_conflict(&store.commit(removed.clone()).await));
    removed.writes.truncate(1);
    store.commit(removed).await.unwrap();
    // A code of an app is asked for after a password, and there is none.
    assert!(!store.another_admin(None, None).await.unwrap());
}

async fn of_two_removals_at_once_one_leaves_what_must_remain(database: Database) {
    let store = database.store().await;
    // People of Ben's role need one, and he has a password.
    let ben = person(&database, &*store, "Ben").await;
    // Ana has nothing but her passkeys.
    let (ana, identity) = by_provider(&database, &*store).await;
    for (owner, needed) in [(&ben, true), (&ana, false)] {
        let by = themselves(owner);
        let credential = |n: &str| format!("{n} of {}", owner.name).into_bytes();
        let (one, two) = (credential("one"), credential("two"));
        let one = added(
            &database,
            &*store,
            owner,
            passkey(&database, &one),
            &codes(),
        )
        .await;
        let two = added(&database, &*store, owner, passkey(&database, &two), &[]).await;
        if !needed {
            let now = database.at(1);
            let gone = providers::disconnect(owner, &identity, true, &ways(), &by, now).unwrap();
            store.commit(gone).await.unwrap();
        }
        let removals = [one, two].map(|factor| {
            let removed =
                decide::remove(owner, removal(&factor, 2, needed), &by, database.at(1)).unwrap();
            let store = store.clone();
            tokio::spawn(async move { store.commit(removed).await.is_ok() })
        });
        let done = join_all(removals).await;
        let went = done.into_iter().filter(|done| *done.as_ref().unwrap());
        assert_eq!(went.count(), 1, "{}", owner.name);
        assert_eq!(store.factors(owner.id).await.unwrap().len(), 1);
        assert!(store.recovery_codes(owner.id).await.unwrap() > 0);
    }
    // With a password or a provider the last passkey may go.
    let last = store.factors(ben.id).await.unwrap().remove(0);
    let by = themselves(&ben);
    let removed = decide::remove(&ben, removal(&last, 1, false), &by, database.at(2)).unwrap();
    store.commit(removed).await.unwrap();
    assert_eq!(store.factors(ben.id).await.unwrap(), []);
    verify_journal(&*store).await.unwrap();
}

async fn a_provider_and_a_passkey_do_not_both_go_at_once(database: Database) {
    let store = database.store().await;
    let (ana, identity) = by_provider(&database, &*store).await;
    let by = themselves(&ana);
    let key = added(
        &database,
        &*store,
        &ana,
        passkey(&database, b"one"),
        &codes(),
    )
    .await;
    let now = || database.at(1);
    let removals = [
        decide::remove(&ana, removal(&key, 1, false), &by, now()).unwrap(),
        providers::disconnect(&ana, &identity, true, &ways(), &by, now()).unwrap(),
    ];
    let removals = removals.map(|removed| {
        let store = store.clone();
        tokio::spawn(async move { store.commit(removed).await.is_ok() })
    });
    let done = join_all(removals).await;
    let went = done.into_iter().filter(|done| *done.as_ref().unwrap());
    assert_eq!(went.count(), 1);
    let left = store.factors(ana.id).await.unwrap().len();
    let left = left + store.identities_of(ana.id).await.unwrap().len();
    assert_eq!(left, 1);
}

async fn what_is_not_open_is_no_way_that_remains(database: Database) {
    let store = database.store().await;
    // Each has a passkey, and besides Ana a provider and Ben a password.
    let (ana, identity) = by_provider(&database, &*store).await;
    let ben = person(&database, &*store, "Ben").await;
    for (owner, closed) in [
        (
            &ana,
            WaysIn {
                issuers: vec!["https://new.example".into()],
                ..ways()
            },
        ),
        (
            &ben,
            WaysIn {
                passwords: false,
                ..ways()
            },
        ),
    ] {
        let credential = owner.name.as_bytes();
        let new = passkey(&database, credential);
        let key = added(&database, &*store, owner, new, &codes()).await;
        let by = themselves(owner);
        let removed = |ways: &WaysIn| {
            let removal = Removal {
                ways: ways.clone(),
                ..removal(&key, 1, false)
            };
            decide::remove(owner, removal, &by, database.at(1)).unwrap()
        };
        let name = &owner.name;
        assert!(is_conflict(&store.commit(removed(&closed)).await), "{name}");
        store.commit(removed(&ways())).await.unwrap();
    }
    // Nor for who disconnects a provider.
    let new = passkey(&database, b"another");
    added(&database, &*store, &ana, new, &codes()).await;
    let passwords_closed = WaysIn {
        passwords: false,
        ..ways()
    };
    let gone = |ways: &WaysIn| {
        let (by, now) = (themselves(&ana), database.at(2));
        providers::disconnect(&ana, &identity, true, ways, &by, now).unwrap()
    };
    assert!(is_conflict(&store.commit(gone(&passwords_closed)).await));
    store.commit(gone(&ways())).await.unwrap();
}

async fn the_maker_of_a_link_is_known_also_where_there_is_no_password(database: Database) {
    let store = database.store().await;
    let (ana, identity) = by_provider(&database, &*store).await;
    let made = async |seconds, by: &Principal| {
        let link = NewLink {
            hash: SecretHash(rand_hash()),
            expires_at: epoch() + TimeDelta::hours(1),
        };
        let made = people::make_link(&ana, link, by, database.at(seconds)).unwrap();
        store.commit(made).await.unwrap();
        let made = store.made_link(ana.id).await.unwrap();
        made.map(|made| made.by.name().unwrap_or_default().to_owned())
    };
    let admin = Principal::Person {
        id: PersonId(database.ids.next()),
        name: "Ben".into(),
        role: Role::Admin,
        proven_at: epoch(),
        teams: Parts::default(),
    };
    let machine = operator();
    let name = |by: &Principal| by.admin().unwrap().name().map(str::to_owned);
    // There is a provider, and then a second factor alone, that somebody could come in past.
    assert_eq!(made(1, &machine).await, name(&machine));
    assert_eq!(made(2, &admin).await, name(&admin));
    added(&database, &*store, &ana, app(&database, 0), &codes()).await;
    let gone = providers::disconnect(&ana, &identity, false, &ways(), &machine, database.at(2));
    store.commit(gone.unwrap()).await.unwrap();
    assert_eq!(made(3, &machine).await, name(&machine));
    assert_eq!(made(4, &admin).await, name(&admin));
    assert_eq!(made(5, &machine).await, name(&machine));
    let had = store.factors(ana.id).await.unwrap();
    let reset = decide::reset(&ana, &had, &machine, database.at(6)).unwrap();
    store.commit(reset).await.unwrap();
    // Now there is nothing, and nobody is taken for the maker of this one.
    assert_eq!(made(7, &admin).await, None);
}
