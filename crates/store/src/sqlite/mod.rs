//! The default database: one file, one writer, WAL with a flush at every commit.

mod alone;
mod commit;
mod copy;
mod dialect;
mod inbox;
mod index;
mod inspect;
mod log;
mod outbox;
#[cfg(test)]
mod plans;
mod reader;
mod transaction;

// The code that both databases share, made for this one.
#[path = "../both/access.rs"]
mod access;
#[path = "../both/agents.rs"]
mod agents;
#[path = "../both/attachments.rs"]
mod attachments;
#[path = "../both/audience.rs"]
mod audience;
#[path = "../both/batch.rs"]
mod batch;
#[path = "../both/briefs.rs"]
mod briefs;
#[path = "../both/by_key.rs"]
mod by_key;
#[path = "../both/cards.rs"]
mod cards;
#[path = "../both/content.rs"]
mod content;
#[path = "../both/duties.rs"]
mod duties;
#[path = "../both/ended.rs"]
mod ended;
#[path = "../both/endpoints.rs"]
mod endpoints;
#[path = "../both/erase.rs"]
mod erase;
#[path = "../both/factors.rs"]
mod factors;
#[path = "../both/grants.rs"]
mod grants;
#[path = "../both/ground.rs"]
mod ground;
#[path = "../both/heard.rs"]
mod heard;
#[path = "../both/identities.rs"]
mod identities;
#[path = "../both/insights.rs"]
mod insights;
#[path = "../both/interactions.rs"]
mod interactions;
#[path = "../both/journal.rs"]
mod journal;
#[path = "../both/ladders.rs"]
mod ladders;
#[path = "../both/memories.rs"]
mod memories;
#[path = "../both/narrowed.rs"]
mod narrowed;
#[path = "../both/nodes.rs"]
mod nodes;
#[path = "../both/opens.rs"]
mod opens;
#[path = "../both/owed.rs"]
mod owed;
#[path = "../both/paces.rs"]
mod paces;
#[path = "../both/people.rs"]
mod people;
#[path = "../both/policies.rs"]
mod policies;
#[path = "../both/reach_numbers.rs"]
mod reach_numbers;
#[path = "../both/reaches.rs"]
mod reaches;
#[path = "../both/sessions.rs"]
mod sessions;
#[path = "../both/signs.rs"]
mod signs;
#[path = "../both/slack_files.rs"]
mod slack_files;
#[path = "../both/slack_homes.rs"]
mod slack_homes;
#[path = "../both/snoozes.rs"]
mod snoozes;
#[path = "../both/standing.rs"]
mod standing;
#[path = "../both/stood.rs"]
mod stood;
#[path = "../both/suggestions.rs"]
mod suggestions;
#[path = "../both/tasks.rs"]
mod tasks;
#[path = "../both/teams.rs"]
mod teams;
#[path = "../both/tokens.rs"]
mod tokens;
#[path = "../both/writes.rs"]
mod writes;

use std::{
    fs::OpenOptions,
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use domain::{Changeset, Event};
use sqlx::{
    SqlitePool,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use tokio::sync::watch;

use by_key::ByKey;
use log::Log;

use crate::{
    Commit,
    error::{CommitError, ConnectError},
    migrate,
    proof::Proof,
    url,
    writer::Writer,
};

pub(crate) use copy::{copy_to, fault_of};
pub(crate) use inspect::inspect;

type Db = sqlx::Sqlite;
type Pool = SqlitePool;
type Connection = sqlx::SqliteConnection;
type Store = SqliteStore;

/// Connections for reading. WAL lets them read while the writer commits. Four are kept by what every request reads.
const READERS: u32 = 8;

/// See [`crate::database_file`].
pub(crate) fn database_file(url: &str) -> Option<PathBuf> {
    let file = url.starts_with("sqlite:") && !url.contains(":memory:");
    let options = file.then(|| SqliteConnectOptions::from_str(url))?.ok()?;
    Some(options.get_filename().to_owned())
}

/// See [`crate::file_url`].
pub(crate) fn file_url(file: &Path) -> String {
    let name = file.display().to_string();
    let name = name.replace('%', "%25").replace('?', "%3f");
    format!("sqlite://{}", name.replace('#', "%23"))
}

pub(crate) fn options(text: &str) -> Result<SqliteConnectOptions, ConnectError> {
    SqliteConnectOptions::from_str(text).map_err(url::unreadable)
}

pub(crate) struct SqliteStore {
    read: SqlitePool,
    /// One connection: a write outside the writer task waits its turn here.
    write: SqlitePool,
    writer: Writer,
    growth: watch::Receiver<()>,
    proof: Arc<Proof>,
    by_key: ByKey,
}

impl SqliteStore {
    pub(crate) async fn connect(url: &str) -> Result<Self, ConnectError> {
        let options = options(url)?
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            // What is erased is overwritten where it stood (rule 19).
            .pragma("secure_delete", "ON")
            .busy_timeout(Duration::from_secs(5));
        let place = options.get_filename().display().to_string();
        if let Some(file) = database_file(url).filter(|_| !url.contains("mode=ro")) {
            make_private(&file);
        }
        // A file does not go away like a server: no need to ask before each use.
        let alone = SqlitePoolOptions::new()
            .max_connections(1)
            .test_before_acquire(false);
        let write = alone
            .clone()
            .connect_with(options.clone())
            .await
            .map_err(|error| migrate::unreachable(&place, &error))?;
        migrate::SQLITE
            .run(&write)
            .await
            .map_err(|error| migrate::failed(&migrate::SQLITE, &place, error))?;
        // An up-to-date schema needs no write, and SQLite lets a read-only connection begin any
        // transaction: only a statement that would write tells.
        sqlx::query("UPDATE people SET name = name WHERE FALSE")
            .execute(&write)
            .await
            .map_err(|error| migrate::unreachable(&place, &error))?;
        briefs::fill(&write)
            .await
            .map_err(|error| migrate::unfilled(&place, &error))?;
        // Migrations sort whole tables, and need files for it. From here on a statement keeps in memory what it needs to be taken
        // back: nearly half of the writes of a batch.
        let migrated = write;
        let write = alone
            .connect_with(options.clone().pragma("temp_store", "MEMORY"))
            .await
            .map_err(|error| migrate::unreachable(&place, &error))?;
        migrated.close().await;
        let read = SqlitePoolOptions::new()
            .max_connections(READERS)
            .test_before_acquire(false)
            .connect_with(options.read_only(true))
            .await
            .map_err(|error| migrate::unreachable(&place, &error))?;
        let (grown, growth) = watch::channel(());
        let log = Log::of(database_file(url).as_deref());
        let writer = Writer::start(commit::Batches::new(write.clone(), log), grown);
        let by_key = ByKey::start(&read);
        Ok(Self {
            read,
            write,
            writer,
            growth,
            proof: Arc::default(),
            by_key,
        })
    }
}

/// Makes a missing file for its owner alone, even when the process's mask allows more; SQLite gives the
/// files beside it the same rights. Where that does not work SQLite says why.
pub(crate) fn make_private(file: &Path) {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    drop(options.open(file));
}

#[async_trait]
impl Commit for SqliteStore {
    async fn commit(&self, changeset: Changeset) -> Result<Vec<Event>, CommitError> {
        self.writer.commit(changeset).await
    }

    fn growth(&self) -> watch::Receiver<()> {
        self.growth.clone()
    }

    async fn close(&self) {
        self.by_key.end();
        // The last connection to close takes the log into the file and removes it, which one that only reads cannot.
        self.read.close().await;
        self.write.close().await;
    }
}
