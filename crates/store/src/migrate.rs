//! Bringing the schema up to date, and saying in one line why that did not work.

use sqlx::migrate::{MigrateError, Migrator};

use crate::error::{ConnectError, StoreError};

pub(crate) static SQLITE: Migrator = sqlx::migrate!("../../migrations/sqlite");
pub(crate) static POSTGRES: Migrator = sqlx::migrate!("../../migrations/postgres");

/// The number of the newest schema that this program knows; the same for both databases.
pub fn newest_schema() -> i64 {
    newest(&SQLITE)
}

fn newest(migrator: &Migrator) -> i64 {
    let known = migrator.iter().map(|migration| migration.version).max();
    known.unwrap_or_default()
}

/// Puts a migration's failure into words.
pub(crate) fn failed(migrator: &Migrator, place: &str, error: MigrateError) -> ConnectError {
    let place = place.to_owned();
    match error {
        MigrateError::VersionMissing(found) | MigrateError::VersionTooNew(found, _) => {
            let known = newest(migrator);
            ConnectError::NewerSchema {
                place,
                found,
                known,
            }
        }
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)
            if is_read_only(&error) =>
        {
            ConnectError::ReadOnly { place }
        }
        other => ConnectError::Migration {
            place,
            why: one_line(&other),
        },
    }
}

/// Puts into words why rows from before could not be brought up to date.
pub(crate) fn unfilled(place: &str, error: &StoreError) -> ConnectError {
    ConnectError::Migration {
        place: place.to_owned(),
        why: one_line(error),
    }
}

/// Puts a failure to connect into words.
pub(crate) fn unreachable(place: &str, error: &sqlx::Error) -> ConnectError {
    let place = place.to_owned();
    if is_read_only(error) {
        return ConnectError::ReadOnly { place };
    }
    ConnectError::Unreachable {
        place,
        why: one_line(error),
    }
}

fn is_read_only(error: &sqlx::Error) -> bool {
    // SQLITE_READONLY (8) with any extended code; Postgres read_only_sql_transaction.
    error
        .as_database_error()
        .and_then(sqlx::error::DatabaseError::code)
        .is_some_and(|code| {
            code == "25006"
                || code
                    .parse::<u32>()
                    .is_ok_and(|code| code & 0xff == 8 && code < 10_000)
        })
}

fn one_line(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
