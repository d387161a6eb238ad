//! What a connection to Postgres has to be: a session of its own, and to a server that has all that was committed.

use std::time::Duration;

use domain::interaction::Draft;
use store::testing::{Cable, TestDatabase};
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

/// Returns as soon as a session of the database has the end of the journal to itself.
const THE_END_IS_HELD: &str = "DO $$ BEGIN
    WHILE NOT EXISTS (
        SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
        WHERE l.locktype = 'advisory' AND l.granted AND d.datname = current_database())
    LOOP PERFORM pg_sleep(0.01); END LOOP;
END $$";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_is_gone_without_a_word_keeps_no_other_from_committing() {
    let database = postgres().await;
    let cable = Cable::to(&database.place).await;
    let (gone, there) = (
        store::connect(&cable.url).await.unwrap(),
        database.store().await,
    );
    let agent = database.agent(&*there, "backend").await;
    let held = database.place.hold_writes().await.unwrap();
    let lost = database.question(&agent, Draft::default(), 0);
    let lost = tokio::spawn(async move { gone.commit(lost).await });
    database.place.execute(THE_END_IS_HELD).await.unwrap();
    cable.cut();
    held.let_go().await.unwrap();
    let next = database.question(&agent, Draft::default(), 1);
    timeout(LONG, there.commit(next)).await.unwrap().unwrap();
    assert!(!lost.is_finished());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_gone_without_a_word_is_noticed() {
    let database = postgres().await;
    let cable = Cable::to(&database.place).await;
    let store = store::connect(&cable.url).await.unwrap();
    let noticed = store.vanished();
    futures::pin_mut!(noticed);
    // It has a connection of its own by then.
    let asked = timeout(Duration::from_secs(1), &mut noticed).await;
    assert!(asked.is_err());
    // That is ended, and it makes another one.
    end_all_sessions(&database).await;
    let asked = timeout(Duration::from_secs(3), &mut noticed).await;
    assert!(asked.is_err());
    cable.cut();
    timeout(LONG, noticed).await.unwrap();
}
