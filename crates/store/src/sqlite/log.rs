//! The write-ahead log, kept short. SQLite takes it into the database by itself, and begins it anew only in a moment in which
//! nobody reads. Under load without a pause there is none, and the log grows beyond the database.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use sqlx::{ConnectOptions, Connection, SqlitePool};

/// A log that is longer is to be begun anew, and again after so much more where a reader stood in the way.
const BYTES: u64 = 16 * 1024 * 1024;
/// For how long commits wait for readers to come to an end.
const PATIENCE: Duration = Duration::from_millis(50);

/// The log of a file; of none where the database is in memory.
pub(super) struct Log {
    file: Option<PathBuf>,
    next: u64,
}

impl Log {
    pub(super) fn of(database: Option<&Path>) -> Self {
        let file = database.map(|database| {
            let mut name = database.as_os_str().to_owned();
            name.push("-wal");
            name.into()
        });
        Self { file, next: BYTES }
    }

    /// Begins it anew if it is long. New readers then read from the database itself, so it waits for those alone that have
    /// begun before, and not for long.
    pub(super) async fn clear(&mut self, write: &SqlitePool) -> sqlx::Result<()> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        let bytes = fs::metadata(file).map_or(0, |log| log.len());
        if bytes < self.next {
            return Ok(());
        }
        self.next = bytes + BYTES;
        if empty(write, PATIENCE).await? {
            self.next = BYTES;
        }
        Ok(())
    }
}

/// Takes all of it into the database, and leaves nothing in it. `false` when somebody has read for longer than this.
pub(super) async fn empty(write: &SqlitePool, patience: Duration) -> sqlx::Result<bool> {
    // The writer waits its turn meanwhile, and its connection keeps its own patience, which is for other processes.
    let _writer = write.acquire().await?;
    let options = (*write.connect_options()).clone();
    let mut connection = options.busy_timeout(patience).connect().await?;
    let done: sqlx::Result<(i64, i64, i64)> = sqlx::query_as("PRAGMA wal_checkpoint(TRUNCATE)")
        .fetch_one(&mut connection)
        .await;
    connection.close().await?;
    let (is_busy, _, _) = done?;
    Ok(is_busy == 0)
}
