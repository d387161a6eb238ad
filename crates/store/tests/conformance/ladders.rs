//! Ladders: each rung is told once, whoever tells it, and nothing is told of what waits no more.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    Changeset, DestinationId, Interaction, InteractionEvent, Part, Parts, Payload, Person,
    PersonId, Principal, Role, SecretHash, Team, TeamId, Write,
    access::{Access, NewLink},
    decide::{access, interaction as decide, ladder as settings, reach, team},
    delivery::{ReachKind, SealedSecret},
    event::SeenOn,
    interaction::Draft,
    ladder::{
        Held, HeldWhy, Ladder, LadderDraft, LadderWrite, People, Place, QuietDraft, Reachable,
        RungDraft,
    },
    team::Profile,
};
use futures::future::join_all;
use store::{CommitError, Store, verify_journal};

use crate::database::{Database, ana, epoch, operator, rand_hash, written};

store::on_both_databases!(
    a_question_stands_on_its_first_rung_at_once_and_leaves_the_ladder_when_it_is_closed,
    of_many_nodes_that_tell_a_rung_at_once_one_does,
    a_question_that_was_answered_or_changed_meanwhile_is_not_told,
    a_ladder_begins_anew_where_its_question_goes_to_others,
    the_last_rung_comes_once_more_where_a_claim_ends_after_it,
    a_rung_is_put_off_or_left_only_where_it_stands,
    another_ladder_is_looked_at_by_what_has_left_the_one_before,
    who_gets_a_question_has_snoozed_it_no_longer,
    those_who_can_be_told_are_those_who_may_answer,
    a_message_that_is_held_back_is_told_once_with_the_rest,
    a_message_that_is_held_back_can_be_put_off_and_dropped,
    a_person_has_seen_a_question_once,
    a_ladder_is_replaced_only_by_who_knows_it_and_goes_with_its_team,
    quiet_hours_are_one_persons,
    messages_are_counted_for_an_hour_and_then_forgotten,
);

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

fn as_principal(person: &Person) -> Principal {
    Principal::Person {
        id: person.id,
        name: person.name.clone(),
        role: person.role,
        proven_at: epoch(),
        teams: Parts::default(),
    }
}

async fn with_push(database: &Database, store: &dyn Store, person: &Person) -> DestinationId {
    let id = DestinationId(domain::Ids::next(&database.ids));
    let new = reach::NewReach {
        id,
        kind: ReachKind::Push,
        label: "Phone".into(),
        address: SealedSecret(vec![1, 2, 3]),
        browser: Some(SecretHash(rand_hash())),
    };
    let by = as_principal(person);
    let (_, added) = reach::add(new, &[], &[], &by, database.at(0)).unwrap();
    store.commit(added).await.unwrap();
    id
}

async fn made_team(database: &Database, store: &dyn Store, name: &str) -> Team {
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

fn later(seconds: i64) -> DateTime<Utc> {
    epoch() + TimeDelta::seconds(seconds)
}

/// All who may answer what belongs to no team, as they are stored.
async fn known(store: &dyn Store, now: i64) -> (People, BTreeMap<PersonId, Reachable>) {
    let answerers = store.answerers(None).await.unwrap();
    let people = People {
        team: answerers.iter().map(|one| one.person.id).collect(),
        ..People::default()
    };
    let known = store
        .reachable_people(&answerers, None, later(now))
        .await
        .unwrap();
    let known = known.into_iter().map(|one| (one.person.id, one));
    (people, known.collect())
}

/// The next rung, decided and not committed.
async fn climb(
    database: &Database,
    store: &dyn Store,
    interaction: &Interaction,
    now: i64,
) -> Changeset {
    let standing = store
        .place_on_ladder(interaction.id)
        .await
        .unwrap()
        .unwrap();
    climb_from(database, store, interaction, standing.place, now).await
}

async fn climb_from(
    database: &Database,
    store: &dyn Store,
    interaction: &Interaction,
    place: Place,
    now: i64,
) -> Changeset {
    let (people, known) = known(store, now).await;
    let ladder = Ladder::default();
    let at = database.at(now);
    decide::climb(interaction, place, &ladder, &people, &known, at).unwrap()
}

async fn due(store: &dyn Store, now: i64) -> Vec<(domain::InteractionId, u32)> {
    let due = store.climbing(later(now), 0, 100).await.unwrap();
    due.into_iter()
        .map(|one| (one.id, one.place.rung))
        .collect()
}

async fn owed_to(store: &dyn Store, reach: DestinationId) -> usize {
    let claimed = store
        .claim(&[(reach, 100)], later(100_000), later(100_060))
        .await;
    claimed.unwrap().len()
}

fn conflicts(done: Result<Vec<domain::Event>, CommitError>) {
    assert!(matches!(done, Err(CommitError::Conflict)), "{done:?}");
}

async fn a_question_stands_on_its_first_rung_at_once_and_leaves_the_ladder_when_it_is_closed(
    database: Database,
) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let day = Draft {
        timeout_seconds: Some(Some(86_400)),
        ..Draft::default()
    };
    let question = database.asked(&*store, &agent, day).await;
    let told = Draft {
        kind: Some("notification".into()),
        ..Draft::default()
    };
    database.asked(&*store, &agent, told).await;
    assert!(due(&*store, -1).await.is_empty());
    assert_eq!(due(&*store, 0).await, [(question.id, 0)]);
    assert!(store.climbing(later(0), 1, 100).await.unwrap().is_empty());
    let first = climb(&database, &*store, &question, 0).await;
    store.commit(first).await.unwrap();
    assert!(due(&*store, 299).await.is_empty());
    assert_eq!(due(&*store, 300).await, [(question.id, 1)]);
    let stored = store.interaction(question.id).await.unwrap().unwrap();
    assert_eq!(stored.version, question.version, "it is as it was asked");
    store
        .commit(database.answer(&question, "80"))
        .await
        .unwrap();
    assert!(due(&*store, 300).await.is_empty());
    assert_eq!(store.place_on_ladder(question.id).await.unwrap(), None);
    verify_journal(&*store).await.unwrap();
}

async fn of_many_nodes_that_tell_a_rung_at_once_one_does(database: Database) {
    let nodes = [
        database.store().await,
        database.store().await,
        database.store().await,
    ];
    let store = &*nodes[0];
    let agent = database.agent(store, "backend").await;
    let ben = person(&database, store, "Ben", Role::Responder).await;
    let phone = with_push(&database, store, &ben).await;
    let question = database.asked(store, &agent, Draft::default()).await;
    let mut rungs = Vec::new();
    for node in nodes.iter().cycle().take(9) {
        rungs.push((node, climb(&database, store, &question, 0).await));
    }
    let told = rungs.into_iter().map(|(node, rung)| node.commit(rung));
    let told = join_all(told).await;
    assert_eq!(
        told.iter().filter(|done| done.is_ok()).count(),
        1,
        "{told:?}"
    );
    for lost in told.into_iter().filter(Result::is_err) {
        conflicts(lost);
    }
    assert_eq!(owed_to(store, phone).await, 1);
    let (_, known) = known(store, 1).await;
    assert_eq!(known[&ben.id].sent.messages, 1);
    let history = store
        .events_of(question.id, 0, 100)
        .await
        .unwrap()
        .collect();
    let climbed = history.iter().filter(|event| {
        matches!(
            &event.payload,
            Payload::Interaction(InteractionEvent::Climbed { rung: 0, .. })
        )
    });
    assert_eq!(climbed.count(), 1);
    verify_journal(store).await.unwrap();
}

async fn a_question_that_was_answered_or_changed_meanwhile_is_not_told(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let ben = person(&database, &*store, "Ben", Role::Responder).await;
    let phone = with_push(&database, &*store, &ben).await;
    let question = database.asked(&*store, &agent, Draft::default()).await;
    let decided = climb(&database, &*store, &question, 0).await;
    // Somebody else changed it: it is claimed, say, so the decision rests on what is no more.
    let claimed = decide::claim(&question, 15, &ana(), database.at(1)).unwrap();
    let now = written(&claimed);
    store.commit(claimed).await.unwrap();
    conflicts(store.commit(decided).await);
    let released = decide::release(&now, &ana(), database.at(2)).unwrap();
    let now = written(&released);
    store.commit(released).await.unwrap();
    let decided = climb(&database, &*store, &now, 3).await;
    store.commit(database.answer(&now, "80")).await.unwrap();
    conflicts(store.commit(decided).await);
    assert_eq!(owed_to(&*store, phone).await, 0, "nothing after the answer");
}

async fn a_ladder_begins_anew_where_its_question_goes_to_others(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let question = database.asked(&*store, &agent, Draft::default()).await;
    for (rung, now) in [(0, 0), (1, 300)] {
        assert_eq!(due(&*store, now).await, [(question.id, rung)]);
        let told = climb(&database, &*store, &question, now).await;
        store.commit(told).await.unwrap();
    }
    let payments = made_team(&database, &*store, "Payments").await;
    let moved = decide::move_to(&question, &payments, &operator(), database.at(400)).unwrap();
    store.commit(moved).await.unwrap();
    assert!(due(&*store, 399).await.is_empty());
    assert_eq!(due(&*store, 400).await, [(question.id, 0)]);
}

/// Tells all rungs of a question, and returns the number of the last.
async fn climb_to_the_end(database: &Database, store: &dyn Store, question: &Interaction) -> u32 {
    let mut last = 0;
    while let Some(standing) = store.place_on_ladder(question.id).await.unwrap() {
        last = standing.place.rung;
        let now = (standing.place.at - epoch()).num_seconds() + 1;
        let told = climb(database, store, question, now).await;
        store.commit(told).await.unwrap();
    }
    last
}

async fn the_last_rung_comes_once_more_where_a_claim_ends_after_it(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let question = database.asked(&*store, &agent, Draft::default()).await;
    let claim = |of: &Interaction, now| decide::claim(of, 15, &ana(), database.at(now)).unwrap();
    // Before the last rung its end changes nothing.
    let told = climb(&database, &*store, &question, 1).await;
    store.commit(told).await.unwrap();
    let place = store.place_on_ladder(question.id).await.unwrap();
    let claiming = claim(&question, 2);
    let claimed = written(&claiming);
    store.commit(claiming).await.unwrap();
    let ending = decide::release(&claimed, &ana(), database.at(3)).unwrap();
    let released = written(&ending);
    store.commit(ending).await.unwrap();
    assert_eq!(store.place_on_ladder(question.id).await.unwrap(), place);

    let last = climb_to_the_end(&database, &*store, &released).await;
    assert!(last > 0);
    let claiming = claim(&released, 900_000);
    let claimed = written(&claiming);
    store.commit(claiming).await.unwrap();
    assert!(due(&*store, 1_000_000).await.is_empty());
    let ending = decide::run_out(&claimed, true, database.at(1_000_000)).unwrap();
    store.commit(ending).await.unwrap();
    assert_eq!(due(&*store, 1_000_000).await, [(question.id, last)]);
    verify_journal(&*store).await.unwrap();
}

async fn a_rung_is_put_off_or_left_only_where_it_stands(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let question = database.asked(&*store, &agent, Draft::default()).await;
    let place = async || store.place_on_ladder(question.id).await.unwrap();
    let first = place().await.unwrap();
    store.put_off_rung(first, later(60)).await.unwrap();
    assert!(due(&*store, 59).await.is_empty());
    assert_eq!(due(&*store, 60).await, [(question.id, 0)]);
    // The clock of another node was late.
    store.leave_ladder(first).await.unwrap();
    let second = place().await.unwrap();
    store.leave_ladder(second).await.unwrap();
    assert_eq!(place().await, None);
    assert_eq!(store.join_ladder(later(70)).await.unwrap(), 1);
    assert_eq!(store.join_ladder(later(71)).await.unwrap(), 0);
    assert_eq!(due(&*store, 70).await, [(question.id, 0)]);
}

async fn another_ladder_is_looked_at_by_what_has_left_the_one_before(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let question = database.asked(&*store, &agent, Draft::default()).await;
    let last = climb_to_the_end(&database, &*store, &question).await;
    let standing = settings::Standing {
        team: None,
        version: 0,
        ladder: None,
        people: &[],
    };
    let rungs = draft(&["0 team", "1m team x10"]).sync;
    let rungs = LadderDraft {
        later: rungs.clone(),
        sync: rungs,
        ..LadderDraft::default()
    };
    let set = settings::set_ladder(standing, &rungs, &operator(), database.at(900_000));
    store.commit(set.unwrap()).await.unwrap();
    assert_eq!(due(&*store, 900_000).await, [(question.id, last + 1)]);
}

async fn who_gets_a_question_has_snoozed_it_no_longer(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let ben = person(&database, &*store, "Ben", Role::Responder).await;
    let question = database.asked(&*store, &agent, Draft::default()).await;
    let by = as_principal(&ben);
    let snooze = decide::snooze(&question, later(600), &by, database.at(0)).unwrap();
    store.snooze(&snooze).await.unwrap();
    let parts = Parts::default();
    let to = decide::Receiver::Person(Some((&ben, &parts)));
    let handing = decide::hand_over(&question, to, None, &ana(), database.at(1)).unwrap();
    store.commit(handing).await.unwrap();
    assert_eq!(store.snoozes_of(ben.id, later(1)).await.unwrap(), []);
}

async fn those_who_can_be_told_are_those_who_may_answer(database: Database) {
    let store = database.store().await;
    let payments = made_team(&database, &*store, "Payments").await;
    let mut ids = BTreeMap::new();
    for (name, role, part) in [
        ("Ana", Role::Responder, Some(Part::Answers)),
        ("Ben", Role::Responder, Some(Part::Reads)),
        ("Cem", Role::Admin, None),
        ("Dee", Role::Viewer, Some(Part::Answers)),
        ("Eve", Role::Responder, None),
    ] {
        let one = person(&database, &*store, name, role).await;
        if let Some(part) = part {
            let set = team::set_member(&payments, &one, None, part, &operator(), database.at(0));
            store.commit(set.unwrap()).await.unwrap();
        }
        ids.insert(name, one);
    }
    let names = |team: Option<TeamId>| {
        let store = &store;
        async move {
            let all = store.answerers(team).await.unwrap();
            let all = all.into_iter().map(|one| (one.person.name, one.is_of_team));
            all.collect::<BTreeSet<_>>()
        }
    };
    let expected = |all: &[(&str, bool)]| {
        let all = all.iter().map(|(name, is)| ((*name).to_owned(), *is));
        all.collect::<BTreeSet<_>>()
    };
    let everyone = [("Ana", true), ("Ben", true), ("Cem", true), ("Eve", true)];
    assert_eq!(names(None).await, expected(&everyone));
    let of_team = [("Ana", true), ("Cem", false)];
    assert_eq!(names(Some(payments.id)).await, expected(&of_team));
    assert!(!store.anybody_is_reached().await.unwrap());
    let phone = with_push(&database, &*store, &ids["Ana"]).await;
    assert!(store.anybody_is_reached().await.unwrap());
    let (_, known) = known(&*store, 0).await;
    let ways: Vec<_> = known[&ids["Ana"].id]
        .ways
        .iter()
        .map(|way| way.id)
        .collect();
    assert_eq!(ways, [phone]);
    assert!(known[&ids["Eve"].id].ways.is_empty());
    let disabled = access::disable(&ids["Ana"], true, &[], &operator(), database.at(1)).unwrap();
    store.commit(disabled).await.unwrap();
    let without = [("Ben", true), ("Cem", true), ("Eve", true)];
    assert_eq!(names(None).await, expected(&without));
}

/// A rung that holds the question back from a person until then.
fn holding(
    interaction: &Interaction,
    person: &Person,
    rung: u32,
    until: i64,
    why: HeldWhy,
) -> (LadderWrite, Held) {
    let held = Held {
        person: person.id,
        interaction: interaction.id,
        rung,
        until: later(until),
        why,
    };
    let climb = LadderWrite::Climb {
        interaction: interaction.id,
        version: interaction.version,
        rung,
        next_at: Some(later(10_000)),
        told: Vec::new(),
        held: vec![held],
        at: later(0),
    };
    (climb, held)
}

async fn held_from(
    database: &Database,
    store: &dyn Store,
    interaction: &Interaction,
    held: (LadderWrite, Held),
) -> Held {
    let mut told = climb_from(
        database,
        store,
        interaction,
        Place {
            rung: 0,
            at: later(0),
        },
        0,
    )
    .await;
    told.writes = vec![Write::Ladder(held.0)];
    store.commit(told).await.unwrap();
    held.1
}

async fn a_message_that_is_held_back_is_told_once_with_the_rest(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let ben = person(&database, &*store, "Ben", Role::Responder).await;
    let phone = with_push(&database, &*store, &ben).await;
    let mut asked = Vec::new();
    let mut held = Vec::new();
    for (until, why) in [
        (100, HeldWhy::Many),
        (200, HeldWhy::Many),
        (300, HeldWhy::Quiet),
    ] {
        let one = database.asked(&*store, &agent, Draft::default()).await;
        let back = holding(&one, &ben, 0, until, why);
        held.push(held_from(&database, &*store, &one, back).await);
        asked.push(Arc::new(one));
    }
    assert!(store.held_due(later(99), 10).await.unwrap().is_empty());
    let due = store.held_due(later(100), 10).await.unwrap();
    assert_eq!(due.len(), 1);
    assert_eq!(due[0].person, ben.id);
    let mut of: Vec<_> = due[0].held.clone();
    of.sort_by_key(|one| one.interaction);
    assert_eq!(
        of,
        held[..2],
        "the rest of a storm comes as one, quiet hours last"
    );
    let (_, known) = known(&*store, 100).await;
    let ben_now = &known[&ben.id];
    let ways: Vec<_> = ben_now.ways.iter().map(|way| way.id).collect();
    let decided = || {
        let at = database.at(100);
        decide::sum_up(ben_now, &asked[..2], 0, held[..2].to_vec(), &ways, at).unwrap()
    };
    let told = join_all((0..4).map(|_| store.commit(decided()))).await;
    assert_eq!(told.iter().filter(|done| done.is_ok()).count(), 1);
    assert_eq!(owed_to(&*store, phone).await, 1, "one message of two");
    for one in &asked[..2] {
        let history = store.events_of(one.id, 0, 100).await.unwrap().collect();
        let last = history.last().unwrap();
        assert_eq!(last.payload.event_type(), "interaction.summed_up");
    }
    assert!(store.held_due(later(299), 10).await.unwrap().is_empty());
    assert_eq!(
        store.held_due(later(300), 10).await.unwrap()[0].held,
        held[2..]
    );
}

async fn a_message_that_is_held_back_can_be_put_off_and_dropped(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let ben = person(&database, &*store, "Ben", Role::Responder).await;
    let one = database.asked(&*store, &agent, Draft::default()).await;
    let back = holding(&one, &ben, 0, 100, HeldWhy::Many);
    let held = held_from(&database, &*store, &one, back).await;
    // A later rung holds it back no longer than the first.
    let back = holding(&one, &ben, 1, 500, HeldWhy::Quiet);
    held_from(&database, &*store, &one, back).await;
    assert_eq!(
        store.held_due(later(100), 10).await.unwrap()[0].held,
        [held]
    );
    store.hold_longer(&[held], later(700)).await.unwrap();
    assert!(store.held_due(later(699), 10).await.unwrap().is_empty());
    let due = store.held_due(later(700), 10).await.unwrap();
    assert_eq!(due[0].held[0].why, HeldWhy::Quiet);
    store.drop_held(&due[0].held).await.unwrap();
    assert!(store.held_due(later(10_000), 10).await.unwrap().is_empty());
    store.drop_held(&due[0].held).await.unwrap();
}

async fn a_person_has_seen_a_question_once(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let ben = person(&database, &*store, "Ben", Role::Responder).await;
    let question = database.asked(&*store, &agent, Draft::default()).await;
    assert!(!store.has_seen(question.id, ben.id).await.unwrap());
    let by = as_principal(&ben);
    let seen = |on| decide::seen(&question, ben.id, on, &by, database.at(5)).unwrap();
    store.commit(seen(SeenOn::Page)).await.unwrap();
    assert!(store.has_seen(question.id, ben.id).await.unwrap());
    conflicts(store.commit(seen(SeenOn::Slack)).await);
    assert!(
        !store
            .has_seen(question.id, PersonId(uuid::Uuid::nil()))
            .await
            .unwrap()
    );
}

fn draft(rungs: &[&str]) -> LadderDraft {
    let rungs = rungs.iter().map(|rung| RungDraft((*rung).to_owned()));
    LadderDraft {
        sync: Some(rungs.collect()),
        ..LadderDraft::default()
    }
}

async fn a_ladder_is_replaced_only_by_who_knows_it_and_goes_with_its_team(database: Database) {
    let store = database.store().await;
    let payments = made_team(&database, &*store, "Payments").await;
    let set = |team: Option<Team>, version: i64, rungs: &[&str]| {
        let standing = settings::Standing {
            team: team.as_ref(),
            version,
            ladder: None,
            people: &[],
        };
        settings::set_ladder(standing, &draft(rungs), &operator(), database.at(0)).unwrap()
    };
    let none = store.ladder(Some(payments.id)).await.unwrap();
    assert_eq!((none.version, none.ladder), (0, None));
    let first = set(Some(payments.clone()), 0, &["0 team"]);
    store.commit(first).await.unwrap();
    conflicts(
        store
            .commit(set(Some(payments.clone()), 0, &["0 duty"]))
            .await,
    );
    let second = set(Some(payments.clone()), 1, &["0 duty", "10m admins x2"]);
    store.commit(second).await.unwrap();
    store.commit(set(None, 0, &["0 admins"])).await.unwrap();
    let stored = store.ladder(Some(payments.id)).await.unwrap();
    assert_eq!(stored.version, 2);
    assert_eq!(stored.ladder.unwrap().sync[1].times, 2);
    let all = store.ladders().await.unwrap();
    let owners: Vec<_> = all.iter().map(|(team, _)| *team).collect();
    assert_eq!(owners, [None, Some(payments.id)]);
    let gone = team::delete(&payments, 0, 0, &operator(), database.at(1)).unwrap();
    store.commit(gone).await.unwrap();
    conflicts(
        store
            .commit(set(Some(payments.clone()), 2, &["0 team"]))
            .await,
    );
    let all = store.ladders().await.unwrap();
    assert_eq!(all.len(), 1, "it goes with its team");
}

async fn quiet_hours_are_one_persons(database: Database) {
    let store = database.store().await;
    let (ana, ben) = (
        person(&database, &*store, "Ana", Role::Responder).await,
        person(&database, &*store, "Ben", Role::Responder).await,
    );
    let draft = |from: &str| QuietDraft {
        zone: "Europe/Berlin".into(),
        from: from.into(),
        until: "07:00".into(),
        days: vec!["sun".into()],
        urgent: true,
    };
    let set = |person: &Person, draft: &QuietDraft| {
        settings::set_quiet(person, None, draft, &operator(), database.at(0)).unwrap()
    };
    store.commit(set(&ana, &draft("22:00"))).await.unwrap();
    store.commit(set(&ana, &draft("23:00"))).await.unwrap();
    let quiet = store.quiet_hours(ana.id).await.unwrap().unwrap();
    assert_eq!(QuietDraft::from(&quiet), draft("23:00"));
    assert_eq!(store.quiet_hours(ben.id).await.unwrap(), None);
    let (_, known) = known(&*store, 0).await;
    assert_eq!(known[&ana.id].quiet.as_ref(), Some(&quiet));
    assert_eq!(
        store.all_quiet_hours().await.unwrap(),
        [(ana.id, quiet.clone())]
    );
    let none = settings::set_quiet(
        &ana,
        Some(&quiet),
        &QuietDraft::default(),
        &operator(),
        database.at(1),
    );
    store.commit(none.unwrap()).await.unwrap();
    assert_eq!(store.quiet_hours(ana.id).await.unwrap(), None);
    let decided = set(&ben, &draft("22:00"));
    let disabled = access::disable(&ben, true, &[], &operator(), database.at(1)).unwrap();
    store.commit(disabled).await.unwrap();
    conflicts(store.commit(decided).await);
}

async fn messages_are_counted_for_an_hour_and_then_forgotten(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let ben = person(&database, &*store, "Ben", Role::Responder).await;
    with_push(&database, &*store, &ben).await;
    for _ in 0..3 {
        let question = database.asked(&*store, &agent, Draft::default()).await;
        let told = climb(&database, &*store, &question, 60).await;
        store.commit(told).await.unwrap();
    }
    let sent = |now: i64| {
        let (store, ben) = (&store, ben.id);
        async move {
            let (_, known) = known(&**store, now).await;
            known[&ben].sent
        }
    };
    assert_eq!(sent(61).await.messages, 3);
    assert_eq!(sent(61).await.first, Some(later(60)));
    assert_eq!(sent(3_659).await.messages, 3);
    assert_eq!(sent(3_660).await.messages, 0);
    assert_eq!(store.forget_sent(later(60)).await.unwrap(), 0);
    assert_eq!(store.forget_sent(later(61)).await.unwrap(), 3);
}
