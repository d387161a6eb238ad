//! The errors between the program and its database.

use domain::journal::Broken;
use thiserror::Error;

/// Reading or writing failed.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The database said no, or did not answer.
    #[error("the database failed: {0}")]
    Database(#[from] sqlx::Error),
    /// A row holds data this program never writes.
    #[error("unreadable {column} in {table} {row}: {why}")]
    Inconsistent {
        /// Table.
        table: &'static str,
        /// Column.
        column: &'static str,
        /// Which row.
        row: String,
        /// The fault.
        why: String,
    },
    /// The journal was changed behind the program's back.
    #[error(transparent)]
    Broken(#[from] Broken),
    /// The writer has stopped.
    #[error("the store is shutting down")]
    Stopped,
}

/// A changeset was not committed.
#[derive(Debug, Error)]
pub enum CommitError {
    /// Another commit changed the interaction first.
    #[error("the interaction has changed since the decision")]
    Conflict,
    /// The database failed.
    #[error(transparent)]
    Failed(#[from] StoreError),
}

/// The database cannot be used. The text is one line, without secrets.
#[derive(Debug, Error)]
pub enum ConnectError {
    /// Not a URL this program knows.
    #[error("the database URL must start with sqlite:// or postgres://")]
    UnknownScheme,
    /// The URL has a known scheme but makes no sense.
    #[error("the database URL cannot be read: {0}")]
    BadUrl(String),
    /// The server does not answer, or the file cannot be opened.
    #[error("cannot open the database {place}: {why}")]
    Unreachable {
        /// File, or host and database name.
        place: String,
        /// The driver's words.
        why: String,
    },
    /// It can be read but not written.
    #[error("the database {place} is read-only; Handraise needs to write to it")]
    ReadOnly {
        /// File, or host and database name.
        place: String,
    },
    /// A pooler gives a connection one session after the other.
    #[error(
        "the database {place} is behind a pooler that gives a connection another session for each transaction or statement (in \
         PgBouncer pool_mode = transaction or statement), so hints of other nodes and locks would go astray; set \
         pool_mode = session, or name the database server itself in database_url"
    )]
    SharedSessions {
        /// Host and database name.
        place: String,
    },
    /// A newer program has been here.
    #[error(
        "the database {place} has schema version {found}, newer than this program knows ({known}); start a newer handraise"
    )]
    NewerSchema {
        /// File, or host and database name.
        place: String,
        /// The schema version in the database.
        found: i64,
        /// The newest version this program has.
        known: i64,
    },
    /// The schema could not be brought up to date.
    #[error("cannot bring the schema of {place} up to date: {why}")]
    Migration {
        /// File, or host and database name.
        place: String,
        /// The driver's words.
        why: String,
    },
}

impl StoreError {
    /// Whether one row is to blame, and not the database.
    pub fn is_of_a_row(&self) -> bool {
        use sqlx::Error::{ColumnDecode, Decode};
        matches!(
            self,
            Self::Inconsistent { .. } | Self::Database(ColumnDecode { .. } | Decode(_))
        )
    }

    /// Whether a database was waited for in vain, whatever was asked of it. Not when a connection has ended: the next may do.
    pub(crate) fn is_away(&self) -> bool {
        use sqlx::Error::{PoolClosed, PoolTimedOut};
        matches!(self, Self::Database(PoolClosed | PoolTimedOut))
    }

    pub(crate) fn inconsistent(
        table: &'static str,
        column: &'static str,
        row: impl ToString,
        why: impl ToString,
    ) -> Self {
        Self::Inconsistent {
            table,
            column,
            row: row.to_string(),
            why: why.to_string(),
        }
    }
}
