//! Who people are at the providers by which they sign in.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    Access, Changeset, Identity, Ids, Membership, Part, PasswordHash, Person, PersonId, Refused,
    Role, SecretHash, SessionId, Team, Write,
    access::{NewLink, NewSession, PasswordBy, WaysIn},
    decide::{
        access,
        identity::{self as decide, Arrival, Departure, GivenTeams},
        team,
    },
    team::Profile,
};
use futures::future::join_all;
use store::{CommitError, Store, verify_journal};

use crate::database::{Database, epoch, operator, rand_hash};

const HOST: &str = "handraise.localhost";

store::on_both_databases!(
    who_comes_first_is_there_linked_and_signed_in_or_not_at_all,
    of_many_who_come_first_at_once_one_person_is_made,
    an_identity_belongs_to_one_person_who_has_one_at_a_provider,
    who_is_linked_no_more_does_not_come_in,
    a_role_is_taken_only_while_another_admin_can_come_in,
    only_what_is_open_lets_another_admin_in,
    a_sign_in_by_a_provider_proves_what_the_provider_says,
    teams_are_given_and_taken_in_the_moment_of_a_sign_in,
    whom_a_provider_gave_an_admin_can_keep,
    who_is_turned_away_is_out_in_one_moment,
);

fn identity(subject: &str) -> Identity {
    Identity::new("https://id.example", subject).unwrap()
}

fn arrival(database: &Database, subject: &str, role: Option<Role>) -> Arrival {
    Arrival {
        identity: identity(subject),
        provider: "Company".into(),
        role,
        teams: None,
        leaves: None,
        session: session(database),
        proven_at: DateTime::UNIX_EPOCH,
    }
}

fn ways(passwords: bool) -> WaysIn {
    WaysIn {
        passwords,
        issuers: vec!["https://id.example".into()],
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

fn first(database: &Database, name: &str, role: Role, arrival: &Arrival) -> Changeset {
    decide::come_first(name, role, arrival, database.at(0)).unwrap()
}

async fn came_first(database: &Database, store: &dyn Store, name: &str, role: Role) -> Person {
    let arrival = arrival(database, name, None);
    store
        .commit(first(database, name, role, &arrival))
        .await
        .unwrap();
    let person = store.person_known_as(&arrival.identity).await.unwrap();
    person.unwrap()
}

async fn is_signed_in(store: &dyn Store, session: &NewSession) -> Option<DateTime<Utc>> {
    let found = store.session(&session.hash, HOST, epoch()).await.unwrap();
    found.map(|found| found.proven_at)
}

async fn is_conflict(store: &dyn Store, changeset: Changeset) -> bool {
    matches!(store.commit(changeset).await, Err(CommitError::Conflict))
}

async fn who_comes_first_is_there_linked_and_signed_in_or_not_at_all(database: Database) {
    let store = database.store().await;
    let ana = arrival(&database, "1", None);
    assert_eq!(store.person_known_as(&ana.identity).await.unwrap(), None);
    let came = first(&database, "Ana", Role::Viewer, &ana);
    store.commit(came).await.unwrap();
    let person = store.person_known_as(&ana.identity).await.unwrap();
    let person = person.unwrap();
    assert_eq!((&*person.name, person.role), ("Ana", Role::Viewer));
    let [record] = &store.identities_of(person.id).await.unwrap()[..] else {
        panic!("not one identity");
    };
    assert_eq!(
        (record.person, &record.identity, record.linked_at),
        (person.id, &ana.identity, epoch())
    );
    assert_eq!(
        store.identities().await.unwrap(),
        std::slice::from_ref(record)
    );
    assert!(is_signed_in(&*store, &ana.session).await.is_some());
    // The name is taken: neither person nor identity nor session is there.
    let other = arrival(&database, "2", None);
    let came = first(&database, "ANA", Role::Viewer, &other);
    assert!(is_conflict(&*store, came).await);
    assert_eq!(store.person_known_as(&other.identity).await.unwrap(), None);
    assert_eq!(is_signed_in(&*store, &other.session).await, None);
    assert_eq!(store.people(epoch()).await.unwrap().len(), 1);
    assert_eq!(verify_journal(&*store).await.unwrap().seq, 3);
}

async fn of_many_who_come_first_at_once_one_person_is_made(database: Database) {
    let store = database.store().await;
    let tries = (0..8).map(|n| {
        let arrival = arrival(&database, "1", None);
        let came = first(&database, &format!("Ana {n}"), Role::Viewer, &arrival);
        let store = store.clone();
        tokio::spawn(async move { store.commit(came).await.is_ok() })
    });
    let came = join_all(tries).await.into_iter();
    assert_eq!(came.filter(|one| *one.as_ref().unwrap()).count(), 1);
    assert_eq!(store.people(epoch()).await.unwrap().len(), 1);
    assert_eq!(store.identities().await.unwrap().len(), 1);
}

fn disconnecting(database: &Database, ana: &Person) -> Result<Changeset, Refused> {
    let (by, now) = (operator(), database.at(1));
    decide::disconnect(ana, &identity("Ana"), true, &ways(true), &by, now)
}

fn connected(database: &Database, person: &Person, subject: &str) -> Changeset {
    let until = epoch() + TimeDelta::hours(1);
    decide::connect(
        person,
        &identity(subject),
        None,
        None,
        until,
        database.at(1),
    )
    .unwrap()
}

async fn an_identity_belongs_to_one_person_who_has_one_at_a_provider(database: Database) {
    let store = database.store().await;
    let ana = came_first(&database, &*store, "Ana", Role::Viewer).await;
    let ben = came_first(&database, &*store, "Ben", Role::Viewer).await;
    // Decided at once, before either was stored.
    assert!(is_conflict(&*store, connected(&database, &ben, "Ana")).await);
    assert!(is_conflict(&*store, connected(&database, &ben, "another")).await);
    let holder = store.person_known_as(&identity("Ana")).await.unwrap();
    assert_eq!(holder.unwrap().id, ana.id);
    assert_eq!(store.identities_of(ben.id).await.unwrap().len(), 1);
    let nobody = Person {
        id: PersonId(database.ids.next()),
        ..ben
    };
    assert!(is_conflict(&*store, connected(&database, &nobody, "3")).await);
}

async fn who_is_linked_no_more_does_not_come_in(database: Database) {
    let store = database.store().await;
    let ana = came_first(&database, &*store, "Ana", Role::Viewer).await;
    let late = arrival(&database, "Ana", None);
    let comes = decide::come_in(&ana, &late, true, &ways(true), database.at(2)).unwrap();
    let gone = || disconnecting(&database, &ana).unwrap();
    store.commit(gone()).await.unwrap();
    assert!(is_conflict(&*store, gone()).await);
    assert!(is_conflict(&*store, comes).await);
    assert_eq!(is_signed_in(&*store, &late.session).await, None);
    // Nor who was disabled meanwhile.
    store
        .commit(connected(&database, &ana, "Ana"))
        .await
        .unwrap();
    let comes = decide::come_in(&ana, &late, true, &ways(true), database.at(3)).unwrap();
    let disabled = access::disable(&ana, true, &[], &operator(), database.at(3)).unwrap();
    store.commit(disabled).await.unwrap();
    assert!(is_conflict(&*store, comes).await);
    assert!(is_conflict(&*store, connected(&database, &ana, "2")).await);
    // And who was let in again comes as they are now, and not as they were.
    let kept_out = store.person(ana.id).await.unwrap().unwrap();
    let enabled = access::disable(&kept_out, false, &[], &operator(), database.at(4)).unwrap();
    store.commit(enabled).await.unwrap();
    let again = store.person(ana.id).await.unwrap().unwrap();
    let came = |person| decide::come_in(person, &late, true, &ways(true), database.at(5)).unwrap();
    assert!(is_conflict(&*store, came(&ana)).await);
    store.commit(came(&again)).await.unwrap();
}

async fn a_role_is_taken_only_while_another_admin_can_come_in(database: Database) {
    let store = database.store().await;
    assert!(!store.another_admin(None, None).await.unwrap());
    let ana = came_first(&database, &*store, "Ana", Role::Admin).await;
    assert!(store.another_admin(None, None).await.unwrap());
    assert!(!store.another_admin(Some(ana.id), None).await.unwrap());
    // One who was invited has not come in.
    let link = NewLink {
        hash: SecretHash(rand_hash()),
        expires_at: epoch() + TimeDelta::hours(1),
    };
    let invited = access::invite(
        "Ben",
        Role::Admin,
        link.clone(),
        &operator(),
        database.at(0),
    );
    let invited = invited.unwrap();
    let Write::Access(Access::Person(ben)) = invited.writes[0].clone() else {
        panic!("{invited:?}");
    };
    store.commit(invited).await.unwrap();
    assert!(!store.another_admin(Some(ana.id), None).await.unwrap());
    let demoted = |person: &Person, subject| {
        let arrival = arrival(&database, subject, Some(Role::Viewer));
        decide::come_in(person, &arrival, true, &ways(true), database.at(1)).unwrap()
    };
    assert!(is_conflict(&*store, demoted(&ana, "Ana")).await);
    let by = PasswordBy::Link {
        link: link.hash,
        session: session(&database),
    };
    let password = access::set_password(&ben, PasswordHash("one".into()), by, database.at(1));
    store.commit(password).await.unwrap();
    store
        .commit(connected(&database, &ben, "Ben"))
        .await
        .unwrap();
    // Both at once: one of them stays an admin.
    let both = [demoted(&ana, "Ana"), demoted(&ben, "Ben")].map(|changeset| {
        let store = store.clone();
        tokio::spawn(async move { store.commit(changeset).await.is_ok() })
    });
    let done = join_all(both).await.into_iter();
    assert_eq!(done.filter(|one| *one.as_ref().unwrap()).count(), 1);
    assert!(store.another_admin(None, None).await.unwrap());
    verify_journal(&*store).await.unwrap();
}

async fn a_sign_in_by_a_provider_proves_what_the_provider_says(database: Database) {
    let store = database.store().await;
    let ana = came_first(&database, &*store, "Ana", Role::Admin).await;
    for at in [DateTime::UNIX_EPOCH, epoch() - TimeDelta::minutes(3)] {
        let arrival = Arrival {
            proven_at: at,
            ..arrival(&database, "Ana", None)
        };
        let came = decide::come_in(&ana, &arrival, true, &ways(true), database.at(1)).unwrap();
        store.commit(came).await.unwrap();
        assert_eq!(is_signed_in(&*store, &arrival.session).await, Some(at));
    }
}

async fn only_what_is_open_lets_another_admin_in(database: Database) {
    let store = database.store().await;
    let ana = came_first(&database, &*store, "Ana", Role::Admin).await;
    let link = NewLink {
        hash: SecretHash(rand_hash()),
        expires_at: epoch() + TimeDelta::hours(1),
    };
    let invited = access::invite(
        "Ben",
        Role::Admin,
        link.clone(),
        &operator(),
        database.at(0),
    );
    store.commit(invited.unwrap()).await.unwrap();
    let ben = store.account("ben").await.unwrap().unwrap().person;
    let by = PasswordBy::Link {
        link: link.hash,
        session: session(&database),
    };
    let password = access::set_password(&ben, PasswordHash("one".into()), by, database.at(1));
    store.commit(password).await.unwrap();
    let another = async |but: &Person, ways: Option<WaysIn>| {
        let another = store.another_admin(Some(but.id), ways.as_ref()).await;
        another.unwrap()
    };
    assert!(another(&ana, None).await);
    assert!(another(&ana, Some(ways(true))).await);
    // With a password alone nobody comes in where passwords are no way.
    assert!(!another(&ana, Some(ways(false))).await);
    assert!(another(&ben, Some(ways(false))).await);
    // Nor by a provider that is none any more.
    let gone = WaysIn {
        issuers: vec!["https://new.example".into()],
        ..ways(true)
    };
    assert!(!another(&ben, Some(gone.clone())).await);
    assert!(another(&ana, Some(gone)).await);
    // The store holds to it, whatever was thought when it was decided.
    let demoted = |ways: &WaysIn| {
        let arrival = arrival(&database, "Ana", Some(Role::Viewer));
        decide::come_in(&ana, &arrival, true, ways, database.at(2)).unwrap()
    };
    assert!(is_conflict(&*store, demoted(&ways(false))).await);
    store.commit(demoted(&ways(true))).await.unwrap();
}

async fn made_team(database: &Database, store: &dyn Store, name: &str) -> Team {
    let profile = Profile {
        name: name.into(),
        ..Profile::default()
    };
    let made = team::create(profile, &operator(), database.at(0)).unwrap();
    store.commit(made).await.unwrap();
    let key = Person::name_key(name);
    store.team_named(&key).await.unwrap().unwrap()
}

async fn teams_are_given_and_taken_in_the_moment_of_a_sign_in(database: Database) {
    let store = database.store().await;
    let payments = made_team(&database, &*store, "Payments").await;
    let search = made_team(&database, &*store, "Search").await;
    let with = |given: &[(&Team, Part)], until_now| Arrival {
        teams: Some(GivenTeams {
            given: given
                .iter()
                .map(|(team, part)| (team.named(), *part))
                .collect(),
            named: ["payments".into()].into(),
            until_now,
        }),
        ..arrival(&database, "Ana", None)
    };
    let first = decide::come_first(
        "Ana",
        Role::Responder,
        &with(&[(&payments, Part::Reads)], Vec::new()),
        database.at(0),
    );
    store.commit(first.unwrap()).await.unwrap();
    let ana = store.account("ana").await.unwrap().unwrap().person;
    let theirs = async || store.memberships(ana.id).await.unwrap();
    let given = |team: &Team, part| Membership {
        team: team.named(),
        part,
        issuer: Some("https://id.example".into()),
    };
    assert_eq!(theirs().await, [given(&payments, Part::Reads)]);
    // By an admin's hand it is an admin's.
    let by_hand = team::set_member(
        &payments,
        &ana,
        Some(&given(&payments, Part::Reads)),
        Part::Answers,
        &operator(),
        database.at(1),
    );
    store.commit(by_hand.unwrap()).await.unwrap();
    let hers = Membership {
        issuer: None,
        ..given(&payments, Part::Answers)
    };
    assert_eq!(theirs().await, [hers]);
    let [record, _] = &store.teams().await.unwrap()[..] else {
        panic!("not two teams");
    };
    assert!(record.given_by.is_empty());
    // And the provider's again, with another one.
    let both = [(&payments, Part::Answers), (&search, Part::Answers)];
    let comes = |arrival: &Arrival| {
        decide::come_in(&ana, arrival, true, &ways(true), database.at(2)).unwrap()
    };
    let arrives = with(&both, theirs().await);
    store.commit(comes(&arrives)).await.unwrap();
    assert_eq!(
        theirs().await,
        both.map(|(team, part)| given(team, part)).to_vec()
    );
    let [record, _] = &store.teams().await.unwrap()[..] else {
        panic!("not two teams");
    };
    assert_eq!(record.given_by[&ana.id], "https://id.example");
    // What was decided on something else is not done: neither that nor the sign-in.
    let late = Arrival {
        session: session(&database),
        ..arrives
    };
    assert!(is_conflict(&*store, comes(&late)).await);
    assert_eq!(is_signed_in(&*store, &late.session).await, None);
    // A team that is gone meanwhile.
    let left = with(&[], theirs().await);
    store.commit(comes(&left)).await.unwrap();
    assert_eq!(theirs().await, []);
    let joins = with(&both, Vec::new());
    let deleted = team::delete(&search, 0, 0, &operator(), database.at(3)).unwrap();
    store.commit(deleted).await.unwrap();
    assert!(is_conflict(&*store, comes(&joins)).await);
    assert_eq!(theirs().await, []);
    assert_eq!(is_signed_in(&*store, &joins.session).await, None);
    verify_journal(&*store).await.unwrap();
}

async fn whom_a_provider_gave_an_admin_can_keep(database: Database) {
    let store = database.store().await;
    let payments = made_team(&database, &*store, "Payments").await;
    let with = |given: &[(&Team, Part)], until_now| Arrival {
        teams: Some(GivenTeams {
            given: given
                .iter()
                .map(|(team, part)| (team.named(), *part))
                .collect(),
            until_now,
            ..GivenTeams::default()
        }),
        ..arrival(&database, "Ana", None)
    };
    let first = with(&[(&payments, Part::Answers)], Vec::new());
    let first = decide::come_first("Ana", Role::Responder, &first, database.at(0));
    store.commit(first.unwrap()).await.unwrap();
    let ana = store.account("ana").await.unwrap().unwrap().person;
    let theirs = async || store.memberships(ana.id).await.unwrap();
    // In the part that she has.
    let kept = async || {
        let theirs = theirs().await;
        let (now_is, by) = (theirs.first(), operator());
        team::set_member(&payments, &ana, now_is, Part::Answers, &by, database.at(1))
    };
    store.commit(kept().await.unwrap()).await.unwrap();
    assert_eq!(kept().await, Err(Refused::Unchanged));
    // The provider names the team no more, and does not take back what is an admin's word by now.
    let again = with(&[], theirs().await);
    let again = decide::come_in(&ana, &again, true, &ways(true), database.at(2)).unwrap();
    store.commit(again).await.unwrap();
    let hers = Membership {
        team: payments.named(),
        part: Part::Answers,
        issuer: None,
    };
    assert_eq!(theirs().await, [hers]);
}

async fn who_is_turned_away_is_out_in_one_moment(database: Database) {
    let store = database.store().await;
    let ana = came_first(&database, &*store, "Ana", Role::Admin).await;
    let payments = made_team(&database, &*store, "Payments").await;
    let joined = team::set_member(
        &payments,
        &ana,
        None,
        Part::Answers,
        &operator(),
        database.at(1),
    );
    store.commit(joined.unwrap()).await.unwrap();
    let away = async || {
        let sessions = store.sessions(ana.id, epoch()).await.unwrap();
        let departure = Departure {
            identity: identity("Ana"),
            provider: "Company".into(),
            teams: Some(GivenTeams {
                named: ["payments".into()].into(),
                until_now: store.memberships(ana.id).await.unwrap(),
                ..GivenTeams::default()
            }),
            sessions: sessions.iter().map(|one| one.id).collect(),
        };
        decide::turn_away(&ana, departure, true, &ways(true), database.at(2)).unwrap()
    };
    // She is the last admin.
    assert!(is_conflict(&*store, away().await).await);
    assert_eq!(store.sessions(ana.id, epoch()).await.unwrap().len(), 1);
    assert_eq!(store.memberships(ana.id).await.unwrap().len(), 1);
    came_first(&database, &*store, "Ben", Role::Admin).await;
    // She comes in once more meanwhile.
    let away = away().await;
    let again = arrival(&database, "Ana", None);
    let again = decide::come_in(&ana, &again, true, &ways(true), database.at(2)).unwrap();
    store.commit(again).await.unwrap();
    store.commit(away).await.unwrap();
    assert_eq!(store.sessions(ana.id, epoch()).await.unwrap(), []);
    assert_eq!(store.memberships(ana.id).await.unwrap(), []);
    let role = store.person(ana.id).await.unwrap().unwrap().role;
    assert_eq!(role, Role::Viewer);
    verify_journal(&*store).await.unwrap();
}
