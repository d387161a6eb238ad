//! Nodes that share a database.

use chrono::TimeDelta;
use store::{NodeId, Present, WaitsTaken};

use crate::database::{Database, epoch};
use domain::{Ids, PersonId};

store::on_both_databases!(
    a_node_hears_how_many_connections_the_others_have_now,
    a_node_hears_who_is_present_on_the_others,
    where_the_last_server_is_reached_is_known,
    spans_of_waits_are_made_by_one_node_at_a_time,
    spans_of_waits_begin_at_the_end_where_none_were_made_for_long,
);

async fn a_node_hears_how_many_connections_the_others_have_now(database: Database) {
    let store = database.store().await;
    let [one, two, three] = [(); 3].map(|()| NodeId(database.ids.next()));
    let at = |seconds| epoch() + TimeDelta::seconds(seconds);
    let says = |node, connections, seconds| {
        store.connections_elsewhere(node, connections, at(seconds), at(seconds - 20))
    };
    assert_eq!(says(one, 2, 0).await.unwrap(), 0);
    assert_eq!(says(two, 1, 5).await.unwrap(), 2);
    assert_eq!(says(one, 2, 10).await.unwrap(), 1);
    assert_eq!(says(two, 2, 15).await.unwrap(), 2);
    assert_eq!(says(three, 2, 16).await.unwrap(), 4);
    // The first says nothing any more.
    assert_eq!(says(two, 2, 31).await.unwrap(), 2);
    assert_eq!(says(three, 0, 32).await.unwrap(), 2);
    assert_eq!(says(two, 2, 33).await.unwrap(), 0);
}

async fn a_node_hears_who_is_present_on_the_others(database: Database) {
    let store = database.store().await;
    let [one, two] = [(); 2].map(|()| NodeId(database.ids.next()));
    let at = |seconds| epoch() + TimeDelta::seconds(seconds);
    let says = async |node, here: Option<&[Present]>, seconds| {
        let said = store.present_elsewhere(node, here, at(seconds), at(seconds - 20));
        let mut elsewhere = said.await.unwrap();
        elsewhere.sort();
        elsewhere
    };
    let person = PersonId(database.ids.next());
    let present = |place: usize| Present {
        person,
        name: "Ana".into(),
        place: format!("/blockers/{place:04}"),
    };
    let many: Vec<_> = (0..1_200).map(present).collect();
    assert_eq!(says(one, Some(&many), 0).await, []);
    assert_eq!(says(two, Some(&many[..1]), 1).await, many);
    assert_eq!(says(one, None, 2).await, many[..1]);
    // It says so again, and the first goes on to another place.
    assert_eq!(says(two, Some(&many[..1]), 15).await, many);
    assert_eq!(says(one, Some(&many[7..8]), 16).await, many[..1]);
    assert_eq!(says(two, None, 17).await, many[7..8]);
    assert_eq!(says(one, Some(&[]), 18).await, many[..1]);
    assert_eq!(says(two, None, 19).await, []);
    // The second is silent.
    assert_eq!(says(one, None, 36).await, []);
}

async fn where_the_last_server_is_reached_is_known(database: Database) {
    let store = database.store().await;
    assert_eq!(store.served_at().await.unwrap(), None);
    for url in ["http://handraise.localhost:3000", "https://ask.example"] {
        store.serves_at(url).await.unwrap();
        let another = database.store().await;
        assert_eq!(another.served_at().await.unwrap().as_deref(), Some(url));
    }
}

async fn spans_of_waits_are_made_by_one_node_at_a_time(database: Database) {
    let (store, other) = (database.store().await, database.store().await);
    let at = |seconds| epoch() + TimeDelta::seconds(seconds);
    let first = store.take_waits(at(0), at(10), at(-60)).await.unwrap();
    let first = first.unwrap();
    assert_eq!(
        other.take_waits(at(9), at(19), at(-60)).await.unwrap(),
        None
    );
    assert!(store.leave_waits(first.lease, 7).await.unwrap());
    let second = other.take_waits(at(9), at(19), at(-60)).await.unwrap();
    let second = second.unwrap();
    assert_eq!(second.made_up_to, 7);
    // It was killed: the next one makes them once more.
    let third = store.take_waits(at(19), at(29), at(-60)).await.unwrap();
    let third = third.unwrap();
    assert_eq!(third.made_up_to, 7);
    assert!(!other.leave_waits(second.lease, 9).await.unwrap());
    assert!(store.leave_waits(third.lease, 8).await.unwrap());
}

async fn spans_of_waits_begin_at_the_end_where_none_were_made_for_long(database: Database) {
    let store = database.store().await;
    let end = store.last_seq().await.unwrap();
    let at = |seconds| epoch() + TimeDelta::seconds(seconds);
    let taken = store.take_waits(at(0), at(10), at(-60)).await.unwrap();
    assert_eq!(taken.map(|taken| taken.made_up_to), Some(end));
    assert!(store.leave_waits(taken.unwrap().lease, end).await.unwrap());
    database.agent(&*store, "backend").await;
    let soon = store.take_waits(at(59), at(60), at(0)).await.unwrap();
    let WaitsTaken { lease, made_up_to } = soon.unwrap();
    assert_eq!(made_up_to, end);
    assert!(store.leave_waits(lease, end).await.unwrap());
    let late = store.take_waits(at(120), at(130), at(60)).await.unwrap();
    let late = late.unwrap().made_up_to;
    assert!(late > end && late == store.last_seq().await.unwrap());
}
