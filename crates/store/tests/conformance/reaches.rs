//! Ways to get at people, and the messages that go there.

use chrono::TimeDelta;
use domain::{
    AgentRef, Changeset, DeliveryId, DestinationId, Ids, Interaction, Parts, Person, Principal,
    Role, SecretHash, Write,
    access::NewLink,
    decide::{
        access,
        reach::{self as decide, NewReach},
    },
    delivery::{DeliveryState, DestinationKind, Next, Reach, ReachEnd, ReachKind, SealedSecret},
    interaction::Draft,
    obligation::messages,
};
use store::{AttemptEnd, CommitError, Mark, Store};

use crate::database::{Database, epoch, operator, rand_hash, written};

store::on_both_databases!(
    a_reach_comes_back_as_it_was_and_is_replaced_only_by_who_knows_it,
    a_reach_that_was_lost_is_found_for_a_while_and_one_that_was_removed_is_not,
    those_that_were_added_lately_are_counted_with_those_that_ended,
    a_browser_reaches_one_person_at_a_time,
    a_person_who_is_kept_out_adds_no_reach_and_gets_nothing_that_is_due,
    messages_to_a_reach_that_ends_are_given_up,
    nothing_that_was_said_of_an_address_is_left_when_its_reach_ends,
    messages_of_a_commit_are_owed_with_it_or_not_at_all,
    messages_of_a_closing_are_made_by_one_of_many,
    a_message_arrives_once,
    a_message_that_can_be_taken_away_is_known_by_its_interaction,
    one_key_is_kept_for_push_services,
);

pub(crate) async fn person(
    database: &Database,
    store: &dyn Store,
    name: &str,
    role: Role,
) -> Person {
    let link = NewLink {
        hash: SecretHash(rand_hash()),
        expires_at: epoch(),
    };
    let made = access::invite(name, role, link, &operator(), database.at(0)).unwrap();
    store.commit(made).await.unwrap();
    let account = store.account(&Person::name_key(name)).await.unwrap();
    account.unwrap().person
}

pub(crate) fn principal(person: &Person) -> Principal {
    Principal::Person {
        id: person.id,
        name: person.name.clone(),
        role: person.role,
        proven_at: epoch(),
        teams: Parts::default(),
    }
}

fn wished(database: &Database, kind: ReachKind, browser: Option<SecretHash>) -> NewReach {
    NewReach {
        id: DestinationId(database.ids.next()),
        kind,
        label: "Firefox on a phone".into(),
        address: SealedSecret(vec![0, 7, 255]),
        browser,
    }
}

pub(crate) async fn added(
    database: &Database,
    store: &dyn Store,
    person: &Person,
    kind: ReachKind,
) -> Reach {
    let new = wished(database, kind, None);
    let (reach, made) = decide::add(new, &[], &[], &principal(person), database.at(1)).unwrap();
    store.commit(made).await.unwrap();
    reach
}

/// Ana, and one way to reach her.
async fn reached_by(database: &Database, store: &dyn Store, kind: ReachKind) -> (Person, Reach) {
    let ana = person(database, store, "Ana", Role::Responder).await;
    let reach = added(database, store, &ana, kind).await;
    (ana, reach)
}

/// A question that these are told of with its commit.
fn telling(
    database: &Database,
    agent: &AgentRef,
    reaches: Vec<DestinationId>,
) -> (Interaction, Changeset) {
    let mut asked = database.question(agent, Draft::default(), 2);
    let interaction = written(&asked);
    asked.writes.push(Write::Tell {
        interaction: interaction.id,
        reaches,
    });
    (interaction, asked)
}

async fn states(store: &dyn Store, reach: &Reach) -> Vec<DeliveryState> {
    let query = store::DeliveryQuery {
        audience: domain::Audience::All,
        destination: Some(reach.id),
        limit: 100,
        ..store::DeliveryQuery::default()
    };
    let found = store.deliveries(&query).await.unwrap();
    found.into_iter().map(|one| one.delivery.state).collect()
}

pub(crate) async fn claim(store: &dyn Store, reach: &Reach, seconds: i64) -> Vec<store::Claimed> {
    let now = epoch() + TimeDelta::seconds(seconds);
    let until = now + TimeDelta::seconds(10);
    store.claim(&[(reach.id, 9)], now, until).await.unwrap()
}

async fn a_reach_comes_back_as_it_was_and_is_replaced_only_by_who_knows_it(database: Database) {
    let store = database.store().await;
    let store = &*store;
    let ana = person(&database, store, "Ana", Role::Responder).await;
    let by = principal(&ana);
    let new = wished(&database, ReachKind::Mail, None);
    let (reach, made) = decide::add(new, &[], &[], &by, database.at(1)).unwrap();
    store.commit(made).await.unwrap();
    assert_eq!(reach.proven_at, None);
    let found = store.reach(reach.id).await.unwrap().unwrap();
    assert_eq!(found.reach, reach);
    assert_eq!((found.arrived_at, found.error), (None, None));
    let proven = decide::prove(&reach, &by, database.at(2)).unwrap();
    store.commit(proven.clone()).await.unwrap();
    let again = store.commit(proven).await;
    assert!(matches!(again, Err(CommitError::Conflict)));
    let own = store.reaches_of(ana.id).await.unwrap();
    assert_eq!(own.len(), 1);
    assert!(own[0].reach.is_working());
    assert!(!own[0].reach.digest);
    let gathered = decide::gather(&own[0].reach, true, &by, database.at(3)).unwrap();
    store.commit(gathered).await.unwrap();
    let own = store.reaches_of(ana.id).await.unwrap();
    assert!(own[0].reach.digest);
    let removed = decide::remove(&own[0].reach, &by, database.at(3)).unwrap();
    store.commit(removed).await.unwrap();
    assert_eq!(store.reaches_of(ana.id).await.unwrap(), []);
    let gone = store.reach(reach.id).await.unwrap().unwrap().reach;
    assert_eq!(gone.ended.unwrap().why, ReachEnd::Removed);
    assert_eq!(gone.address, SealedSecret(Vec::new()));
}

async fn a_reach_that_was_lost_is_found_for_a_while_and_one_that_was_removed_is_not(
    database: Database,
) {
    let store = database.store().await;
    let store = &*store;
    let ana = person(&database, store, "Ana", Role::Responder).await;
    let ben = person(&database, store, "Ben", Role::Responder).await;
    let gone = added(&database, store, &ana, ReachKind::Push).await;
    let failing = added(&database, store, &ana, ReachKind::Push).await;
    let removed = added(&database, store, &ana, ReachKind::Mail).await;
    added(&database, store, &ana, ReachKind::Ntfy).await;
    let ends = [
        decide::end(&gone, ReachEnd::Gone, database.at(3)).unwrap(),
        decide::end(&failing, ReachEnd::Failing, database.at(4)).unwrap(),
        decide::remove(&removed, &principal(&ana), database.at(5)).unwrap(),
    ];
    for end in ends {
        store.commit(end).await.unwrap();
    }
    let lost = async |person: &Person, seconds, limit| {
        let since = epoch() + TimeDelta::seconds(seconds);
        let found = store.lost_reaches(person.id, since, limit).await.unwrap();
        let ids = found.into_iter().map(|record| record.reach.id);
        ids.collect::<Vec<_>>()
    };
    assert_eq!(lost(&ana, 0, 9).await, [failing.id, gone.id]);
    assert_eq!(lost(&ana, 0, 1).await, [failing.id]);
    assert_eq!(lost(&ana, 3, 9).await, [failing.id]);
    assert_eq!(lost(&ben, 0, 9).await, []);
}

async fn those_that_were_added_lately_are_counted_with_those_that_ended(database: Database) {
    let store = database.store().await;
    let store = &*store;
    let ana = person(&database, store, "Ana", Role::Responder).await;
    let ben = person(&database, store, "Ben", Role::Responder).await;
    // All of them at second 1.
    let first = added(&database, store, &ana, ReachKind::Mail).await;
    added(&database, store, &ana, ReachKind::Mail).await;
    added(&database, store, &ana, ReachKind::Ntfy).await;
    added(&database, store, &ben, ReachKind::Mail).await;
    let removed = decide::remove(&first, &principal(&ana), database.at(2)).unwrap();
    store.commit(removed).await.unwrap();
    for (since, expected) in [(0, 2), (1, 0)] {
        let since = epoch() + TimeDelta::seconds(since);
        let count = store.reaches_added(ana.id, ReachKind::Mail, since).await;
        assert_eq!(count.unwrap(), expected);
    }
}

async fn a_browser_reaches_one_person_at_a_time(database: Database) {
    let store = database.store().await;
    let store = &*store;
    let ana = person(&database, store, "Ana", Role::Responder).await;
    let ben = person(&database, store, "Ben", Role::Responder).await;
    let browser = SecretHash(rand_hash());
    let new = wished(&database, ReachKind::Push, Some(browser));
    let (hers, made) = decide::add(new, &[], &[], &principal(&ana), database.at(1)).unwrap();
    store.commit(made).await.unwrap();
    let new = wished(&database, ReachKind::Push, Some(browser));
    let blind = decide::add(new, &[], &[], &principal(&ben), database.at(1)).unwrap();
    let refused = store.commit(blind.1).await;
    assert!(matches!(refused, Err(CommitError::Conflict)));
    let known = store.reach_of_browser(&browser).await.unwrap().unwrap();
    assert_eq!(known.reach, hers);
    let new = wished(&database, ReachKind::Push, Some(browser));
    let before = [known.reach];
    let (his, made) = decide::add(new, &[], &before, &principal(&ben), database.at(2)).unwrap();
    store.commit(made).await.unwrap();
    let known = store.reach_of_browser(&browser).await.unwrap().unwrap();
    assert_eq!(known.reach, his);
    let gone = store.reach(hers.id).await.unwrap().unwrap().reach;
    assert_eq!(gone.ended.unwrap().why, ReachEnd::Taken);
}

async fn a_person_who_is_kept_out_adds_no_reach_and_gets_nothing_that_is_due(database: Database) {
    let store = database.store().await;
    let store = &*store;
    let (ana, reach) = reached_by(&database, store, ReachKind::Push).await;
    let tested = decide::test(&reach, &principal(&ana), database.at(2)).unwrap();
    store.commit(tested).await.unwrap();
    assert_eq!(states(store, &reach).await, [DeliveryState::Due]);
    let out = access::disable(&ana, true, &[], &operator(), database.at(3)).unwrap();
    store.commit(out).await.unwrap();
    assert_eq!(states(store, &reach).await, [DeliveryState::Dead]);
    let new = wished(&database, ReachKind::Push, None);
    let (_, made) = decide::add(new, &[], &[], &principal(&ana), database.at(4)).unwrap();
    let refused = store.commit(made).await;
    assert!(matches!(refused, Err(CommitError::Conflict)));
}

async fn messages_to_a_reach_that_ends_are_given_up(database: Database) {
    let store = database.store().await;
    let store = &*store;
    let (ana, reach) = reached_by(&database, store, ReachKind::Push).await;
    let tested = decide::test(&reach, &principal(&ana), database.at(2)).unwrap();
    store.commit(tested).await.unwrap();
    let ended = decide::end(&reach, ReachEnd::Gone, database.at(3)).unwrap();
    store.commit(ended).await.unwrap();
    assert_eq!(states(store, &reach).await, [DeliveryState::Dead]);
    assert_eq!(claim(store, &reach, 4).await, []);
}

async fn nothing_that_was_said_of_an_address_is_left_when_its_reach_ends(database: Database) {
    let store = database.store().await;
    let store = &*store;
    let ana = person(&database, store, "Ana", Role::Responder).await;
    let [ended, other] = [
        added(&database, store, &ana, ReachKind::Push).await,
        added(&database, store, &ana, ReachKind::Push).await,
    ];
    let mut tried = Vec::new();
    for reach in [&ended, &other] {
        let tested = decide::test(reach, &principal(&ana), database.at(2)).unwrap();
        store.commit(tested).await.unwrap();
        let held = claim(store, reach, 3).await.remove(0);
        let mark = Mark {
            delivery: held.delivery.id,
            destination: reach.id,
            lease: held.lease,
            at: epoch() + TimeDelta::seconds(4),
            end: AttemptEnd {
                latency: 12,
                status: Some(500),
                error: Some("no place called secret".into()),
                body: "secret".into(),
                ..AttemptEnd::default()
            },
            next: Next::Dead,
            counts: true,
            health: None,
        };
        store.mark(&[mark]).await.unwrap();
        tried.push(held.delivery.id);
    }
    let ends = decide::end(&ended, ReachEnd::Gone, database.at(5)).unwrap();
    store.commit(ends).await.unwrap();
    for (delivery, (error, body)) in tried.into_iter().zip([
        (None, ""),
        (Some("no place called secret".to_owned()), "secret"),
    ]) {
        let found = store.delivery(delivery).await.unwrap().unwrap();
        assert_eq!(found.last_error, error);
        let tries = store.attempts(delivery).await.unwrap();
        let end = tries[0].end.as_ref().unwrap();
        assert_eq!((&end.error, &*end.body), (&error, body));
        assert_eq!(end.status, Some(500));
    }
}

async fn messages_of_a_commit_are_owed_with_it_or_not_at_all(database: Database) {
    let store = database.store().await;
    let store = &*store;
    let (_, reach) = reached_by(&database, store, ReachKind::Mail).await;
    let agent = database.agent(store, "backend").await;
    let (_, asked) = telling(&database, &agent, vec![reach.id]);
    let events = store.commit(asked.clone()).await.unwrap();
    assert!(store.commit(asked).await.is_err());
    // One to prove the address, and this one.
    let claimed = claim(store, &reach, 9).await;
    assert_eq!(claimed.len(), 2);
    let told = claimed
        .iter()
        .find(|one| one.delivery.event_seq == events[0].seq)
        .unwrap();
    assert_eq!(told.kind, DestinationKind::Mail);
    assert_eq!(told.delivery.id, DeliveryId::of(events[0].id, reach.id));
}

async fn messages_of_a_closing_are_made_by_one_of_many(database: Database) {
    let store = database.store().await;
    let store = &*store;
    let (_, reach) = reached_by(&database, store, ReachKind::Push).await;
    let agent = database.agent(store, "backend").await;
    let asked = database.asked(store, &agent, Draft::default()).await;
    store.commit(database.answer(&asked, "8080")).await.unwrap();
    let from = store.told_up_to().await.unwrap();
    let page = store.to_tell(from, 1_000).await.unwrap();
    assert!(!page.more);
    assert_eq!(page.up_to, store.last_seq().await.unwrap());
    let [told] = &page.told[..] else {
        panic!("{page:?}");
    };
    assert_eq!(told.interaction, asked.id);
    let owed = messages(told.event, told.seq, told.at, &[reach.id]);
    assert!(store.tell(from, page.up_to, &owed).await.unwrap());
    assert!(!store.tell(from, page.up_to, &owed).await.unwrap());
    assert_eq!(store.told_up_to().await.unwrap(), page.up_to);
    // Made twice it is there once.
    let again = store.tell(page.up_to, page.up_to, &owed).await.unwrap();
    assert!(again);
    assert_eq!(states(store, &reach).await, [DeliveryState::Due]);
    assert!(store.to_tell(page.up_to, 9).await.unwrap().told.is_empty());
}

async fn a_message_arrives_once(database: Database) {
    let store = database.store().await;
    let store = &*store;
    let (ana, reach) = reached_by(&database, store, ReachKind::Push).await;
    let agent = database.agent(store, "backend").await;
    let (interaction, asked) = telling(&database, &agent, vec![reach.id]);
    let told = store.commit(asked).await.unwrap().remove(0);
    let stale = claim(store, &reach, 3).await.remove(0);
    let held = claim(store, &reach, 20).await.remove(0);
    assert_eq!(held.delivery.id, stale.delivery.id);
    let reached = |claimed: &store::Claimed| {
        let message = (claimed.delivery.id, claimed.lease);
        decide::reached(
            &told,
            (&ana).into(),
            reach.kind,
            0,
            message,
            database.at(21),
        )
    };
    let late = store.commit(reached(&stale)).await;
    assert!(matches!(late, Err(CommitError::Conflict)));
    let events = store.commit(reached(&held)).await.unwrap();
    assert_eq!(events[0].payload.event_type(), "interaction.reached");
    assert_eq!(events[0].interaction_id, Some(interaction.id));
    assert!(store.commit(reached(&held)).await.is_err());
    // The mark that follows adds how the try went, and changes nothing of that.
    let mark = Mark {
        delivery: held.delivery.id,
        destination: reach.id,
        lease: held.lease,
        at: epoch() + TimeDelta::seconds(22),
        end: AttemptEnd {
            latency: 12,
            status: Some(201),
            ..AttemptEnd::default()
        },
        next: Next::Delivered,
        counts: true,
        health: None,
    };
    store.mark(&[mark]).await.unwrap();
    assert_eq!(states(store, &reach).await, [DeliveryState::Delivered]);
    let found = store.reach(reach.id).await.unwrap().unwrap();
    let arrived = epoch() + TimeDelta::seconds(21);
    assert_eq!((found.arrived_at, found.error), (Some(arrived), None));
    let tries = store.attempts(held.delivery.id).await.unwrap();
    assert_eq!(
        tries.last().unwrap().end.as_ref().unwrap().status,
        Some(201)
    );
    // It changed nothing of the interaction.
    let row = store.interaction(interaction.id).await.unwrap().unwrap();
    assert_eq!(row.version, interaction.version);
    let told = store::history_of(store, interaction.id, i64::MAX).await;
    let told = Interaction::replay(&told.unwrap()).unwrap();
    assert_eq!(told.version, interaction.version);
}

async fn a_message_that_can_be_taken_away_is_known_by_its_interaction(database: Database) {
    let store = database.store().await;
    let store = &*store;
    let ana = person(&database, store, "Ana", Role::Responder).await;
    let push = added(&database, store, &ana, ReachKind::Push).await;
    let mail = added(&database, store, &ana, ReachKind::Mail).await;
    let agent = database.agent(store, "backend").await;
    let other = database.asked(store, &agent, Draft::default()).await;
    let (interaction, asked) = telling(&database, &agent, vec![push.id, mail.id]);
    store.commit(asked).await.unwrap();
    // What nobody has tried to send is to be taken away from nobody.
    assert_eq!(store.told(interaction.id).await.unwrap(), []);
    for reach in [&push, &mail] {
        assert!(!claim(store, reach, 3).await.is_empty());
    }
    assert_eq!(store.told(interaction.id).await.unwrap(), [push.id]);
    assert_eq!(store.told(other.id).await.unwrap(), []);
    let from = store.told_up_to().await.unwrap();
    let answered = database.answer(&interaction, "8080");
    store.commit(answered).await.unwrap();
    let page = store.to_tell(from, 1_000).await.unwrap();
    let closed: Vec<_> = page.told.iter().map(|one| one.interaction).collect();
    assert_eq!(closed, [interaction.id]);
}

async fn one_key_is_kept_for_push_services(database: Database) {
    let store = database.store().await;
    let first = store.push_key(&SealedSecret(vec![1])).await.unwrap();
    let second = store.push_key(&SealedSecret(vec![2])).await.unwrap();
    assert_eq!(first, SealedSecret(vec![1]));
    assert_eq!(second, first);
}
