//! Claims, handing over, and what people put off.

use domain::{
    AgentRef, Interaction, PersonId, Role,
    access::Access,
    decide::{
        access,
        interaction::{self as decide, Receiver, Snooze},
        team,
    },
    interaction::{Draft, Whom},
    team::Profile,
};
use store::Store;

use crate::database::{Database, ana, operator, rand_hash, said, written};

store::on_both_databases!(
    a_claim_is_stored_and_ends_with_the_blocker,
    of_many_claims_at_once_one_wins,
    claims_that_have_run_out_are_found_and_only_those,
    handing_over_is_stored_and_moves_lists,
    nothing_goes_to_a_team_that_is_deleted_in_the_same_moment,
    what_a_person_puts_off_is_theirs_and_comes_back,
);

async fn asked(database: &Database, store: &dyn Store, agent: &AgentRef) -> Interaction {
    database.asked(store, agent, Draft::default()).await
}

async fn read(store: &dyn Store, of: &Interaction) -> Interaction {
    store.interaction(of.id).await.unwrap().unwrap()
}

async fn replayed(store: &dyn Store, of: &Interaction) -> Interaction {
    let events = store.events_of(of.id, 0, 100).await.unwrap().collect();
    Interaction::replay(&events).unwrap()
}

async fn a_claim_is_stored_and_ends_with_the_blocker(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let question = asked(&database, &*store, &agent).await;
    let claiming = decide::claim(&question, 15, &ana(), database.at(1)).unwrap();
    let claimed = written(&claiming);
    store.commit(claiming).await.unwrap();
    assert!(claimed.claim.is_some());
    assert_eq!(read(&*store, &question).await, claimed);
    assert_eq!(replayed(&*store, &question).await, claimed);
    let listed = store.waiting(&domain::Audience::All, 10).await.unwrap();
    assert_eq!(listed[0].claim, claimed.claim);
    let answering = decide::answer(&claimed, said("80"), &ana(), None, database.at(2)).unwrap();
    store.commit(answering).await.unwrap();
    let answered = read(&*store, &question).await;
    assert_eq!(answered.claim, None);
    assert_eq!(replayed(&*store, &question).await, answered);
    let end = database.at(100_000).at;
    assert_eq!(store.claims_run_out(end, 0, 10).await.unwrap(), []);
}

async fn of_many_claims_at_once_one_wins(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let question = asked(&database, &*store, &agent).await;
    let commits = (1..=16).map(|minutes| {
        let claim = decide::claim(&question, minutes, &ana(), database.at(1)).unwrap();
        let store = store.clone();
        tokio::spawn(async move { store.commit(claim).await.is_ok() })
    });
    let mut won = 0;
    for commit in commits.collect::<Vec<_>>() {
        won += u32::from(commit.await.unwrap());
    }
    assert_eq!(won, 1);
}

async fn claims_that_have_run_out_are_found_and_only_those(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let mut claimed = Vec::new();
    for minutes in [3, 1, 2, 60] {
        let question = asked(&database, &*store, &agent).await;
        let claim = decide::claim(&question, minutes, &ana(), database.at(0)).unwrap();
        claimed.push(written(&claim));
        store.commit(claim).await.unwrap();
    }
    let free = asked(&database, &*store, &agent).await;
    // Its deadline goes before its claim.
    let draft = Draft {
        timeout_seconds: Some(Some(60)),
        ..Draft::default()
    };
    let late = database.asked(&*store, &agent, draft).await;
    let claim = decide::claim(&late, 15, &ana(), database.at(0)).unwrap();
    store.commit(claim).await.unwrap();

    let found = |seconds, skip, limit| {
        let now = database.at(seconds).at;
        let store = store.clone();
        async move { store.claims_run_out(now, skip, limit).await.unwrap() }
    };
    assert_eq!(found(59, 0, 10).await, []);
    let held = store.claimed(database.at(61).at, 10).await.unwrap();
    let whose: Vec<_> = held.iter().map(|one| (one.id, &one.claim)).collect();
    let expected = [&claimed[2], &claimed[0], &claimed[3]].map(|one| (one.id, &one.claim));
    assert_eq!(whose, expected);
    let expected = [claimed[1].id, claimed[2].id, claimed[0].id];
    assert_eq!(found(180, 0, 10).await, expected);
    assert_eq!(found(180, 1, 1).await, expected[1..2]);
    let out = decide::run_out(&claimed[1], true, database.at(60)).unwrap();
    let again = out.clone();
    store.commit(out).await.unwrap();
    assert!(store.commit(again).await.is_err());
    assert_eq!(found(180, 0, 10).await, expected[1..]);
    let released = read(&*store, &claimed[1]).await;
    assert_eq!((released.claim.clone(), released.version), (None, 3));
    assert_eq!(replayed(&*store, &released).await, released);
    assert_eq!(read(&*store, &free).await, free);
}

async fn handing_over_is_stored_and_moves_lists(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let question = asked(&database, &*store, &agent).await;
    let bo = invited(&database, &*store, "Bo").await;
    let person = store.person(bo).await.unwrap().unwrap();
    let parts = store.parts(bo).await.unwrap();
    let to = Receiver::Person(Some((&person, &parts)));
    let why = Some("knows the ports".to_owned());
    let handing = decide::hand_over(&question, to, why, &ana(), database.at(1)).unwrap();
    let handed = written(&handing);
    store.commit(handing).await.unwrap();
    assert_eq!(read(&*store, &question).await, handed);
    assert_eq!(replayed(&*store, &question).await, handed);
    let listed = store.waiting(&domain::Audience::All, 10).await.unwrap();
    assert_eq!(listed[0].to, handed.to);

    let team = made(&database, &*store, "Payments").await;
    let admin = domain::Principal::Person {
        id: bo,
        name: "Bo".into(),
        role: Role::Admin,
        proven_at: database.at(0).at,
        teams: domain::Parts::default(),
    };
    let moving = decide::hand_over(
        &handed,
        Receiver::Team(Some(&team)),
        None,
        &admin,
        database.at(2),
    );
    store.commit(moving.unwrap()).await.unwrap();
    let moved = read(&*store, &question).await;
    assert_eq!(moved.team, Some(team.named()));
    assert_eq!(moved.to.as_ref().map(|to| &to.whom), Some(&Whom::Team));
    assert_eq!(replayed(&*store, &question).await, moved);
    let theirs = store.waiting(&domain::Audience::default(), 10).await;
    assert_eq!(theirs.unwrap(), []);
}

async fn nothing_goes_to_a_team_that_is_deleted_in_the_same_moment(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let question = asked(&database, &*store, &agent).await;
    let team = made(&database, &*store, "Payments").await;
    let moving = decide::move_to(&question, &team, &operator(), database.at(1)).unwrap();
    let gone = team::delete(&team, 0, 0, &operator(), database.at(1)).unwrap();
    store.commit(gone).await.unwrap();
    assert!(store.commit(moving).await.is_err());
    assert_eq!(read(&*store, &question).await.team, None);
}

async fn what_a_person_puts_off_is_theirs_and_comes_back(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let (ana, bo) = (
        invited(&database, &*store, "Ana").await,
        invited(&database, &*store, "Bo").await,
    );
    let first = asked(&database, &*store, &agent).await;
    let second = asked(&database, &*store, &agent).await;
    let snooze = |person, of: &Interaction, seconds| Snooze {
        person,
        interaction: of.id,
        until: database.at(seconds).at,
    };
    let put_off = async |seconds, person| {
        let now = database.at(seconds).at;
        let found = store.snoozes_of(person, now).await.unwrap();
        found
            .into_iter()
            .map(|one| one.interaction)
            .collect::<Vec<_>>()
    };
    store.snooze(&snooze(ana, &first, 900)).await.unwrap();
    store.snooze(&snooze(ana, &second, 60)).await.unwrap();
    assert_eq!(put_off(0, ana).await, [second.id, first.id]);
    assert_eq!(put_off(0, bo).await, []);
    // It comes back at that very moment.
    assert_eq!(put_off(60, ana).await, [first.id]);
    // Until another time: there is one, not two.
    store.snooze(&snooze(ana, &first, 30)).await.unwrap();
    assert_eq!(put_off(0, ana).await, [first.id, second.id]);
    assert!(store.end_snooze(ana, first.id).await.unwrap());
    assert!(!store.end_snooze(ana, first.id).await.unwrap());
    assert!(!store.end_snooze(bo, second.id).await.unwrap());
    store.commit(database.answer(&second, "80")).await.unwrap();
    assert_eq!(put_off(0, ana).await, []);
    assert_eq!(store.forget_snoozes(database.at(59).at).await.unwrap(), 0);
    assert_eq!(store.forget_snoozes(database.at(60).at).await.unwrap(), 1);
}

async fn invited(database: &Database, store: &dyn Store, name: &str) -> PersonId {
    let link = domain::access::NewLink {
        hash: domain::SecretHash(rand_hash()),
        expires_at: database.at(3_600).at,
    };
    let made = access::invite(name, Role::Responder, link, &operator(), database.at(0)).unwrap();
    let id = made.writes.iter().find_map(|write| match write {
        domain::Write::Access(Access::Person(person)) => Some(person.id),
        _ => None,
    });
    store.commit(made).await.unwrap();
    id.unwrap()
}

async fn made(database: &Database, store: &dyn Store, name: &str) -> domain::Team {
    let profile = Profile {
        name: name.to_owned(),
        ..Profile::default()
    };
    let created = team::create(profile, &operator(), database.at(0)).unwrap();
    store.commit(created).await.unwrap();
    let key = domain::Person::name_key(name);
    store.team_named(&key).await.unwrap().unwrap()
}
