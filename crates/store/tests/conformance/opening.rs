//! A database that cannot be used is refused in one clear line.

use std::{fs, time::Duration};

use domain::interaction::Draft;
use futures::future::join_all;
use store::{ConnectError, testing::TestDatabase};

use crate::database::Database;

store::on_both_databases!(
    a_newer_schema_is_refused,
    a_read_only_database_is_refused,
    opening_twice_changes_nothing,
    what_is_closed_says_so_and_is_all_there_when_it_is_opened_again,
    a_migration_that_fails_leaves_what_was_there,
);

async fn a_newer_schema_is_refused(database: Database) {
    database.store().await;
    database
        .place
        .execute(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
             VALUES (9999, 'from the future', TRUE, '', 0)",
        )
        .await
        .unwrap();
    let refused = store::connect(&database.place.url).await.err().unwrap();
    assert!(
        matches!(refused, ConnectError::NewerSchema { found: 9999, .. }),
        "{refused:?}"
    );
    assert!(!refused.to_string().contains('\n'));
}

async fn a_read_only_database_is_refused(database: Database) {
    database.store().await;
    let refused = store::connect(&database.place.read_only_url())
        .await
        .err()
        .unwrap();
    assert!(
        matches!(refused, ConnectError::ReadOnly { .. }),
        "{refused:?}"
    );
}

async fn opening_twice_changes_nothing(database: Database) {
    let first = database.store().await;
    let agent = database.agent(&*first, "backend").await;
    let second = database.store().await;
    assert_eq!(database.agent(&*second, "backend").await, agent);
}

async fn what_is_closed_says_so_and_is_all_there_when_it_is_opened_again(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let asked = (0..20).map(|_| database.asked(&*store, &agent, Draft::default()));
    let asked = join_all(asked).await;
    let first = asked[0].id;
    store.interaction(first).await.unwrap();
    store.close().await;
    assert!(store.last_seq().await.is_err());
    assert!(store.interaction(first).await.is_err());
    let late = database.question(&agent, Draft::default(), 0);
    assert!(store.commit(late).await.is_err());
    let again = database.store().await;
    for one in asked {
        assert_eq!(again.interaction(one.id).await.unwrap(), Some(one));
    }
}

async fn a_migration_that_fails_leaves_what_was_there(database: Database) {
    database.place.migrate_to(40).await.unwrap();
    let in_the_way = "CREATE TABLE slack_files (id BIGINT)";
    database.place.execute(in_the_way).await.unwrap();
    let before = database.place.contents().await.unwrap();
    let refused = store::connect(&database.place.url).await.err().unwrap();
    assert!(
        matches!(refused, ConnectError::Migration { .. }),
        "{refused:?}"
    );
    // SQLite's log may have grown by what was rolled back, and goes when the last connection has closed.
    if database.place.url.starts_with("postgres") {
        assert!(database.place.contents().await.unwrap() == before);
    }
    let out_of_the_way = "DROP TABLE slack_files";
    database.place.execute(out_of_the_way).await.unwrap();
    let store = database.store().await;
    database.agent(&*store, "backend").await;
}

#[tokio::test]
async fn a_missing_place_is_one_line_and_keeps_the_password() {
    for url in [
        "sqlite:///nowhere/at/all/handraise.db",
        "postgres://ana:secret@127.0.0.1:1/none",
    ] {
        let refused = store::connect(url).await.err().unwrap();
        assert!(
            matches!(refused, ConnectError::Unreachable { .. }),
            "{refused:?}"
        );
        let text = refused.to_string();
        assert!(!text.contains('\n') && !text.contains("secret"), "{text}");
    }
    let refused = store::connect("mysql://x").await.err().unwrap();
    assert!(matches!(refused, ConnectError::UnknownScheme));
}

/// Every file of a database is for its owner alone, whatever the mask of whoever starts the program allows.
#[cfg(unix)]
#[tokio::test]
async fn what_sqlite_writes_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let database = Database::from(TestDatabase::sqlite());
    let file = store::database_file(&database.place.url).unwrap();
    // The mask belongs to the whole process: what others make meanwhile is in folders of their own.
    let before = rustix::process::umask(rustix::fs::Mode::empty());
    let store = database.store().await;
    database.agent(&*store, "backend").await;
    rustix::process::umask(before);
    let folder = fs::read_dir(file.parent().unwrap()).unwrap();
    let mut modes: Vec<_> = folder
        .map(|entry| {
            let entry = entry.unwrap();
            let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
            (entry.file_name().into_string().unwrap(), mode)
        })
        .collect();
    modes.sort();
    let names = ["handraise.db", "handraise.db-shm", "handraise.db-wal"];
    assert_eq!(modes, names.map(|name| (name.to_owned(), 0o600)));
    // One that is there stays as its owner wants it.
    drop(store);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    database.store().await;
    let mode = file.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o640);
}

/// What a person copies who copies a file.
#[tokio::test]
async fn a_closed_database_is_its_one_file() {
    let database = Database::from(TestDatabase::sqlite());
    let file = store::database_file(&database.place.url).unwrap();
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let asked = database.asked(&*store, &agent, Draft::default()).await;
    store.close().await;
    let names = fs::read_dir(file.parent().unwrap()).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["handraise.db"]);
    let elsewhere = TestDatabase::sqlite();
    fs::copy(&file, store::database_file(&elsewhere.url).unwrap()).unwrap();
    let copy = store::connect(&elsewhere.url).await.unwrap();
    assert_eq!(copy.interaction(asked.id).await.unwrap(), Some(asked));
}

/// One reads from before another has ended, so there is no moment in which nobody does.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_stays_short_while_somebody_always_reads() {
    // It is tried every 16 MB, and a busy machine may miss a try or two; not emptied, it grows to 142 MB.
    const BOUND: u64 = 64 * 1024 * 1024;
    const READS: Duration = Duration::from_millis(5);
    let database = Database::from(TestDatabase::sqlite());
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let log = store::database_file(&database.place.url).unwrap();
    let log = log.with_extension("db-wal");
    let reading = async {
        let mut reader = database.place.hold_snapshot().await.unwrap();
        loop {
            tokio::time::sleep(READS).await;
            let next = database.place.hold_snapshot().await.unwrap();
            std::mem::replace(&mut reader, next).let_go().await.unwrap();
        }
    };
    let asking = async {
        let mut longest = 0;
        for _ in 0..400 {
            let long = Draft {
                prompt: Some("x".repeat(20_000)),
                ..Draft::default()
            };
            database.asked(&*store, &agent, long).await;
            longest = longest.max(fs::metadata(&log).unwrap().len());
        }
        longest
    };
    let longest = tokio::select! {
        longest = asking => longest,
        () = reading => unreachable!(),
    };
    assert!(longest < BOUND, "{longest} bytes of log");
}
