//! Nodes that share a database.

use chrono::TimeDelta;
use store::{NodeId, Present};

use crate::database::{Database, epoch};
use domain::{Ids, PersonId};

store::on_both_databases!(
    a_node_hears_how_many_connections_the_others_have_now,
    a_node_hears_who_is_present_on_the_others,
    where_the_last_server_is_reached_is_known,
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
