//! Duty: a team's rota with its exceptions, and the addresses of its calendar.

use domain::{
    Changeset, Part, Person, Role, SecretHash, Team, Write,
    access::{Access, NewLink},
    decide::{
        access,
        duty::{self as decide, Standing},
        team,
    },
    duty::{AbsenceDraft, Duty, Given, OverrideDraft, RotaDraft},
    team::Profile,
};
use store::{CommitError, Store};

use crate::database::{Database, epoch, operator, rand_hash};

store::on_both_databases!(
    duty_comes_back_as_it_was_and_is_replaced_only_by_who_knows_it,
    duty_goes_with_its_team,
    an_address_of_a_calendar_is_one_persons_and_ends_with_their_place,
    a_member_stays_in_the_record_whatever_becomes_of_them,
);

async fn team(database: &Database, store: &dyn Store, name: &str) -> Team {
    let profile = Profile {
        name: name.into(),
        ..Profile::default()
    };
    let made = team::create(profile, &operator(), database.at(0)).unwrap();
    let [Write::Access(Access::Team(team))] = &made.writes[..] else {
        panic!("{made:?}");
    };
    let team = team.clone();
    store.commit(made).await.unwrap();
    team
}

/// A member who answers.
async fn member(database: &Database, store: &dyn Store, team: &Team, name: &str) -> Person {
    let link = NewLink {
        hash: SecretHash(rand_hash()),
        expires_at: epoch(),
    };
    let made = access::invite(name, Role::Responder, link, &operator(), database.at(0)).unwrap();
    store.commit(made).await.unwrap();
    let account = store.account(&Person::name_key(name)).await.unwrap();
    let person = account.unwrap().person;
    let set = team::set_member(
        team,
        &person,
        None,
        Part::Answers,
        &operator(),
        database.at(0),
    );
    store.commit(set.unwrap()).await.unwrap();
    person
}

/// What a rule decides on a team's duty as it is stored.
async fn decided(
    store: &dyn Store,
    team: &Team,
    decide: impl FnOnce(Standing<'_>) -> Changeset,
) -> Changeset {
    let record = store.duty(team.id).await.unwrap().unwrap();
    let members: Vec<_> = record.members.iter().map(|(one, _)| one.clone()).collect();
    decide(Standing {
        team: &record.team,
        version: record.version,
        duty: record.duty.as_ref(),
        members: &members,
    })
}

fn rota(people: &[&Person]) -> RotaDraft {
    RotaDraft {
        people: people.iter().map(|person| person.name.clone()).collect(),
        every: "day".into(),
        at: "09:00".into(),
        zone: "Europe/Berlin".into(),
        starts: None,
    }
}

async fn set(database: &Database, store: &dyn Store, team: &Team, draft: &RotaDraft) -> Changeset {
    decided(store, team, |standing| {
        decide::set_rota(standing, draft, &operator(), database.at(0)).unwrap()
    })
    .await
}

async fn duty(store: &dyn Store, team: &Team) -> (i64, Option<Duty>) {
    let record = store.duty(team.id).await.unwrap().unwrap();
    (record.version, record.duty)
}

fn conflicts(done: Result<Vec<domain::Event>, CommitError>) {
    assert!(matches!(done, Err(CommitError::Conflict)), "{done:?}");
}

async fn duty_comes_back_as_it_was_and_is_replaced_only_by_who_knows_it(database: Database) {
    let store = database.store().await;
    let payments = team(&database, &*store, "Payments").await;
    let search = team(&database, &*store, "Search").await;
    let (ana, ben) = (
        member(&database, &*store, &payments, "Ana").await,
        member(&database, &*store, &payments, "Ben").await,
    );
    assert_eq!(duty(&*store, &payments).await, (0, None));
    let first = set(&database, &*store, &payments, &rota(&[&ana, &ben])).await;
    let other = set(&database, &*store, &payments, &rota(&[&ben])).await;
    store.commit(first.clone()).await.unwrap();
    conflicts(store.commit(first).await);
    conflicts(store.commit(other).await);
    let (version, kept) = duty(&*store, &payments).await;
    let mut kept = kept.unwrap();
    assert_eq!((version, &kept.rota.people), (1, &vec![ana.id, ben.id]));
    let record = store.duty(payments.id).await.unwrap().unwrap();
    assert_eq!(record.changed_at, Some(database.at(0).at));

    let draft = OverrideDraft {
        person: "Ben".into(),
        from: Some(Given::Exact(epoch())),
        until: Some(Given::Exact(epoch() + chrono::TimeDelta::days(2))),
    };
    let added = decided(&*store, &payments, |standing| {
        decide::add_override(standing, &draft, &operator(), database.at(1)).unwrap()
    })
    .await;
    store.commit(added).await.unwrap();
    let draft = AbsenceDraft {
        person: "Ana".into(),
        from: draft.from,
        until: draft.until,
        delegate: Some("Ben".into()),
    };
    let away = decided(&*store, &payments, |standing| {
        decide::set_away(standing, &draft, &operator(), database.at(2)).unwrap()
    })
    .await;
    store.commit(away.clone()).await.unwrap();
    let (version, whole) = duty(&*store, &payments).await;
    let whole = whole.unwrap();
    let [
        Write::Access(Access::Duty {
            duty: Some(decided_on),
            ..
        }),
    ] = &away.writes[..]
    else {
        panic!("{away:?}");
    };
    assert_eq!((version, &whole), (3, decided_on));
    assert_eq!((whole.overrides.len(), whole.absences.len()), (1, 1));
    kept.overrides = whole.overrides.clone();
    kept.absences = whole.absences.clone();
    assert_eq!(kept, whole);
    let teams = store.teams().await.unwrap();
    assert_eq!(teams[0].duty, Some(whole));
    assert_eq!(teams[1].duty, None);
    let both = [payments.id, search.id];
    assert_eq!(store.with_rota(&both).await.unwrap(), [payments.id]);
    assert_eq!(store.with_rota(&[search.id]).await.unwrap(), []);
    assert_eq!(store.with_rota(&[]).await.unwrap(), []);

    // What was decided on a rota that has gone since does not come over the next one.
    let stale = set(&database, &*store, &payments, &rota(&[&ben])).await;
    let cleared = decided(&*store, &payments, |standing| {
        decide::clear_rota(standing, &operator(), database.at(3)).unwrap()
    })
    .await;
    store.commit(cleared).await.unwrap();
    assert_eq!(duty(&*store, &payments).await, (4, None));
    assert_eq!(store.with_rota(&both).await.unwrap(), []);
    let anew = set(&database, &*store, &payments, &rota(&[&ana])).await;
    store.commit(anew).await.unwrap();
    conflicts(store.commit(stale).await);
    let (version, kept) = duty(&*store, &payments).await;
    assert_eq!((version, kept.unwrap().rota.people), (5, vec![ana.id]));
}

async fn duty_goes_with_its_team(database: Database) {
    let store = database.store().await;
    let payments = team(&database, &*store, "Payments").await;
    let ana = member(&database, &*store, &payments, "Ana").await;
    let first = set(&database, &*store, &payments, &rota(&[&ana])).await;
    store.commit(first).await.unwrap();
    let hash = SecretHash(rand_hash());
    store
        .commit(opened(&database, &*store, &payments, &ana, hash).await)
        .await
        .unwrap();
    let late = set(
        &database,
        &*store,
        &payments,
        &RotaDraft {
            at: "10:00".into(),
            ..rota(&[&ana])
        },
    )
    .await;
    let late_address = opened(&database, &*store, &payments, &ana, hash).await;
    let gone = team::delete(&payments, 0, 0, &operator(), database.at(1)).unwrap();
    store.commit(gone).await.unwrap();
    assert_eq!(store.duty(payments.id).await.unwrap(), None);
    assert_eq!(store.with_rota(&[payments.id]).await.unwrap(), []);
    assert_eq!(store.calendar_owner(&hash).await.unwrap(), None);
    conflicts(store.commit(late).await);
    conflicts(store.commit(late_address).await);
}

async fn opened(
    database: &Database,
    store: &dyn Store,
    team: &Team,
    person: &Person,
    hash: SecretHash,
) -> Changeset {
    decided(store, team, |standing| {
        let part = Some(Part::Answers);
        decide::open_calendar(standing, person, part, hash, &operator(), database.at(1)).unwrap()
    })
    .await
}

async fn an_address_of_a_calendar_is_one_persons_and_ends_with_their_place(database: Database) {
    let store = database.store().await;
    let payments = team(&database, &*store, "Payments").await;
    let (ana, ben, cem) = (
        member(&database, &*store, &payments, "Ana").await,
        member(&database, &*store, &payments, "Ben").await,
        member(&database, &*store, &payments, "Cem").await,
    );
    let first = set(&database, &*store, &payments, &rota(&[&ana])).await;
    store.commit(first).await.unwrap();
    let hashes = [0; 4].map(|_| SecretHash(rand_hash()));
    for (person, hash) in [(&ana, hashes[0]), (&ben, hashes[1]), (&cem, hashes[2])] {
        let one = opened(&database, &*store, &payments, person, hash).await;
        store.commit(one).await.unwrap();
        let owner = store.calendar_owner(&hash).await.unwrap();
        assert_eq!(owner, Some((payments.id, person.id)));
    }
    let owners = store.duty(payments.id).await.unwrap().unwrap().calendars;
    assert_eq!(owners.len(), 3);
    assert_eq!(store.teams().await.unwrap()[0].calendars, owners);
    // A new one ends the last.
    let again = opened(&database, &*store, &payments, &ana, hashes[3]).await;
    store.commit(again).await.unwrap();
    assert_eq!(store.calendar_owner(&hashes[0]).await.unwrap(), None);
    let owner = store.calendar_owner(&hashes[3]).await.unwrap();
    assert_eq!(owner, Some((payments.id, ana.id)));
    let closed = decided(&*store, &payments, |standing| {
        decide::close_calendar(standing, &ana, true, &operator(), database.at(2)).unwrap()
    })
    .await;
    store.commit(closed.clone()).await.unwrap();
    assert_eq!(store.calendar_owner(&hashes[3]).await.unwrap(), None);
    conflicts(store.commit(closed).await);
    // Leaving the team ends it, and so does being kept out.
    let was = Some(Part::Answers);
    let removed = team::remove_member(&payments, &ben, was, &operator(), database.at(3));
    store.commit(removed.unwrap()).await.unwrap();
    assert_eq!(store.calendar_owner(&hashes[1]).await.unwrap(), None);
    let late = opened(&database, &*store, &payments, &cem, hashes[1]).await;
    let disabled = access::disable(&cem, true, &[], &operator(), database.at(4)).unwrap();
    store.commit(disabled).await.unwrap();
    assert_eq!(store.calendar_owner(&hashes[2]).await.unwrap(), None);
    conflicts(store.commit(late).await);
    // And so does the end of the rota.
    let one = opened(&database, &*store, &payments, &ana, hashes[0]).await;
    store.commit(one.clone()).await.unwrap();
    let cleared = decided(&*store, &payments, |standing| {
        decide::clear_rota(standing, &operator(), database.at(5)).unwrap()
    })
    .await;
    store.commit(cleared).await.unwrap();
    assert_eq!(store.calendar_owner(&hashes[0]).await.unwrap(), None);
    conflicts(store.commit(one).await);
}

async fn a_member_stays_in_the_record_whatever_becomes_of_them(database: Database) {
    let store = database.store().await;
    let payments = team(&database, &*store, "Payments").await;
    let ben = member(&database, &*store, &payments, "Ben").await;
    let ana = member(&database, &*store, &payments, "Ana").await;
    let disabled = access::disable(&ben, true, &[], &operator(), database.at(1)).unwrap();
    store.commit(disabled).await.unwrap();
    let record = store.duty(payments.id).await.unwrap().unwrap();
    let members: Vec<_> = record
        .members
        .iter()
        .map(|(one, part)| (&*one.name, one.disabled_at.is_some(), *part))
        .collect();
    let answers = Part::Answers;
    assert_eq!(members, [("Ana", false, answers), ("Ben", true, answers)]);
    assert_eq!(record.team, payments);
    assert_eq!(record.members[0].0, ana);
}
