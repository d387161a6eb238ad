//! Reading the journal as it is stored, whole or damaged.

use domain::{
    decide::{
        self,
        journal::{PutBack, Standing},
    },
    interaction::Draft,
};
use store::{CommitError, verify_journal};

use crate::database::{Database, epoch, operator};

store::on_both_databases!(
    numbers_and_hashes_are_those_of_the_records,
    the_next_number_is_that_of_the_next_event,
    an_event_that_cannot_be_read_still_has_a_number_and_a_hash,
    a_journal_that_was_put_back_goes_on_with_the_number_that_it_is_told,
);

/// A journal of so many events; the first is the agent's token.
async fn grown(database: &Database, events: usize) -> std::sync::Arc<dyn store::Store> {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    for _ in 1..events {
        database.asked(&*store, &agent, Draft::default()).await;
    }
    store
}

/// What stands in the way of somebody who owns the database.
pub(crate) async fn disarm(database: &Database) {
    for sql in [
        "DROP TRIGGER events_no_update",
        "DROP TRIGGER events_no_delete",
        "ALTER TABLE events DISABLE TRIGGER USER",
    ] {
        // Each of the databases knows one kind.
        let _ = database.place.execute(sql).await;
    }
}

async fn numbers_and_hashes_are_those_of_the_records(database: Database) {
    let store = grown(&database, 5).await;
    let records = store.records_after(0, 10).await.unwrap();
    let expected: Vec<(i64, Vec<u8>)> = records
        .iter()
        .map(|record| (record.seq, record.hash.to_vec()))
        .collect();
    assert_eq!(expected.len(), 5);
    assert_eq!(store.hashes_after(i64::MIN, 10).await.unwrap(), expected);
    assert_eq!(store.hashes_after(2, 2).await.unwrap(), expected[2..4]);
    assert_eq!(store.hashes_after(5, 10).await.unwrap(), []);
}

async fn the_next_number_is_that_of_the_next_event(database: Database) {
    let store = grown(&database, 3).await;
    assert_eq!(store.seq_after(i64::MIN).await.unwrap(), Some(1));
    assert_eq!(store.seq_after(1).await.unwrap(), Some(2));
    assert_eq!(store.seq_after(3).await.unwrap(), None);
    disarm(&database).await;
    let delete = "DELETE FROM events WHERE seq = 2";
    database.place.execute(delete).await.unwrap();
    assert_eq!(store.seq_after(1).await.unwrap(), Some(3));
}

async fn an_event_that_cannot_be_read_still_has_a_number_and_a_hash(database: Database) {
    let store = grown(&database, 3).await;
    disarm(&database).await;
    // Too short for a hash.
    let harm = "UPDATE events SET hash = substr(hash, 1, 1) WHERE seq = 2";
    database.place.execute(harm).await.unwrap();
    assert!(store.records_after(0, 10).await.is_err());
    let hashes = store.hashes_after(0, 10).await.unwrap();
    let sizes: Vec<(i64, usize)> = hashes
        .iter()
        .map(|(seq, hash)| (*seq, hash.len()))
        .collect();
    assert_eq!(sizes, [(1, 32), (2, 1), (3, 32)]);
    assert_eq!(store.seq_after(1).await.unwrap(), Some(2));
}

async fn a_journal_that_was_put_back_goes_on_with_the_number_that_it_is_told(database: Database) {
    let store = grown(&database, 3).await;
    assert_eq!(store.last_restored().await.unwrap(), None);
    let found = |after| PutBack {
        after,
        at: epoch(),
        signed: 7,
    };
    let by = operator();
    let standing = Standing::default();
    let go_on = |after| decide::journal::go_on(found(after), &standing, &by, database.at(2));
    // Another event came between.
    let late = store.commit(go_on(2).unwrap()).await;
    assert!(matches!(late, Err(CommitError::Conflict)), "{late:?}");
    store.commit(go_on(3).unwrap()).await.unwrap();
    let agent = database.agent(&*store, "frontend").await;
    database.asked(&*store, &agent, Draft::default()).await;
    let records = store.records_after(2, 10).await.unwrap();
    let numbers: Vec<i64> = records.iter().map(|record| record.seq).collect();
    assert_eq!(numbers, [3, 2_000_000, 2_000_001, 2_000_002]);
    let restored = store.last_restored().await.unwrap().unwrap();
    assert_eq!((restored.seq, restored.at), (2_000_000, database.at(2).at));
    verify_journal(&*store).await.unwrap();
    // A number that was left out cannot be filled in by a second restore.
    let again = store.commit(go_on(3).unwrap()).await;
    assert!(matches!(again, Err(CommitError::Conflict)), "{again:?}");
}
