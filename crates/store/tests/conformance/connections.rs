//! What a connection to Postgres has to be: a session of its own, and to a server that has all that was committed.

use std::time::Duration;

use domain::interaction::Draft;
use store::testing::TestDatabase;
use tokio::time::timeout;

use crate::{database::Database, journal::disarm};

const LONG: Duration = Duration::from_secs(30);

async fn postgres() -> Database {
    Database::from(TestDatabase::postgres().await)
}

async fn end_all_sessions(database: &Database) {
    let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
               WHERE datname = current_database() AND pid <> pg_backend_pid()";
    database.place.execute(sql).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hints_of_other_nodes_come_again_when_the_server_has_ended_the_sessions() {
    let database = postgres().await;
    let (here, there) = (database.store().await, database.store().await);
    let agent = database.agent(&*there, "backend").await;
    let mut growth = here.growth();
    timeout(LONG, growth.changed()).await.unwrap().unwrap();
    end_all_sessions(&database).await;
    // It listens again, and hints may have been missed.
    timeout(LONG, growth.changed()).await.unwrap().unwrap();
    database.asked(&*there, &agent, Draft::default()).await;
    timeout(LONG, growth.changed()).await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_lost_commits_is_not_used_by_a_node_that_saw_them() {
    let database = postgres().await;
    let (wrote, read, knows_less) = (
        database.store().await,
        database.store().await,
        database.store().await,
    );
    let agent = database.agent(&*wrote, "backend").await;
    let all = read
        .events_after(0, &domain::Audience::All, 100)
        .await
        .unwrap();
    let before = all.into_iter().last().unwrap();
    knows_less.has_read(&before);
    database.asked(&*wrote, &agent, Draft::default()).await;
    let last = wrote.last_seq().await.unwrap();
    read.has_read(&wrote.event(last).await.unwrap().unwrap());

    disarm(&database).await;
    let lose = format!("DELETE FROM events WHERE seq > {}", before.seq);
    database.place.execute(&lose).await.unwrap();
    end_all_sessions(&database).await;
    for store in [&wrote, &read] {
        assert!(store.last_seq().await.is_err());
        let late = database.question(&agent, Draft::default(), 0);
        assert!(store.commit(late).await.is_err());
    }
    assert_eq!(knows_less.last_seq().await.unwrap(), before.seq);
}
