//! Homes of the app in Slack: each is known while it shows something, and one node has it.

use chrono::{DateTime, TimeDelta, Utc};
use domain::Ids;
use store::{NodeId, Store};

use crate::database::{Database, epoch};

store::on_both_databases!(
    a_home_belongs_to_the_node_that_took_it_last,
    the_end_of_a_home_is_due_until_it_is_forgotten,
);

const ANA: &str = "U0ANA";
const BEN: &str = "U0BEN";

fn at(seconds: i64) -> DateTime<Utc> {
    epoch() + TimeDelta::seconds(seconds)
}

fn nodes(database: &Database) -> [NodeId; 2] {
    [(); 2].map(|()| NodeId(database.ids.next()))
}

async fn due(store: &dyn Store, seconds: i64) -> Vec<String> {
    let homes = store.overdue_homes(at(seconds), 9).await.unwrap();
    homes.into_iter().map(|home| home.user).collect()
}

async fn a_home_belongs_to_the_node_that_took_it_last(database: Database) {
    let store = database.store().await;
    let [one, two] = nodes(&database);
    assert_eq!(store.node_of_home(ANA).await.unwrap(), None);
    assert_eq!(store.take_home(ANA, one, at(10)).await.unwrap(), None);
    assert_eq!(store.take_home(ANA, one, at(20)).await.unwrap(), Some(one));
    assert_eq!(store.take_home(ANA, two, at(30)).await.unwrap(), Some(one));
    assert_eq!(store.node_of_home(ANA).await.unwrap(), Some(two));
    assert_eq!(store.node_of_home(BEN).await.unwrap(), None);
    // It is not the first one's any more.
    assert!(!store.forget_home(ANA, one).await.unwrap());
    assert!(store.forget_home(ANA, two).await.unwrap());
    assert!(!store.forget_home(ANA, two).await.unwrap());
    assert_eq!(store.node_of_home(ANA).await.unwrap(), None);
}

async fn the_end_of_a_home_is_due_until_it_is_forgotten(database: Database) {
    let store = database.store().await;
    let [one, two] = nodes(&database);
    store.take_home(BEN, one, at(20)).await.unwrap();
    store.take_home(ANA, one, at(10)).await.unwrap();
    assert_eq!(due(&*store, 9).await, [""; 0]);
    assert_eq!(due(&*store, 10).await, [ANA]);
    assert_eq!(due(&*store, 20).await, [ANA, BEN]);
    assert_eq!(store.overdue_homes(at(20), 1).await.unwrap().len(), 1);
    let overdue = store.overdue_homes(at(10), 9).await.unwrap().remove(0);
    assert_eq!((overdue.node, overdue.until), (one, at(10)));
    // One of two that want it has it, for a while.
    let took = store.take_overdue_home(&overdue, two, at(70)).await;
    assert!(took.unwrap());
    let took = store.take_overdue_home(&overdue, one, at(70)).await;
    assert!(!took.unwrap());
    assert_eq!(store.node_of_home(ANA).await.unwrap(), Some(two));
    assert_eq!(due(&*store, 69).await, [BEN]);
    let again = store.overdue_homes(at(70), 9).await.unwrap();
    let again = again.iter().find(|home| home.user == ANA).unwrap();
    assert_eq!(
        (again.until, again.next_at, again.node),
        (at(10), at(70), two)
    );
    // It was opened meanwhile, and lives on.
    store.take_home(ANA, one, at(900)).await.unwrap();
    let took = store.take_overdue_home(again, two, at(800)).await;
    assert!(!took.unwrap());
    assert!(!store.forget_home(ANA, two).await.unwrap());
    assert_eq!(due(&*store, 899).await, [BEN]);
    assert!(store.forget_home(BEN, one).await.unwrap());
    assert_eq!(due(&*store, 900).await, [ANA]);
}
