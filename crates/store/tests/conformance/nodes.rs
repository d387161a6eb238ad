//! Nodes that share a database.

use chrono::TimeDelta;
use store::NodeId;

use crate::database::{Database, epoch};
use domain::Ids;

store::on_both_databases!(
    a_node_hears_how_many_connections_the_others_have_now,
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

async fn where_the_last_server_is_reached_is_known(database: Database) {
    let store = database.store().await;
    assert_eq!(store.served_at().await.unwrap(), None);
    for url in ["http://handraise.localhost:3000", "https://ask.example"] {
        store.serves_at(url).await.unwrap();
        let another = database.store().await;
        assert_eq!(another.served_at().await.unwrap().as_deref(), Some(url));
    }
}
