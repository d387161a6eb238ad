//! A copy of a SQLite database that is in use, and looking at one page by page.

use std::path::Path;

use sqlx::{Connection, SqliteConnection, sqlite::SqliteConnectOptions};

use super::{make_private, options};
use crate::{
    error::{ConnectError, StoreError},
    migrate,
};

/// See [`crate::copy_to`].
pub(crate) async fn copy_to(url: &str, to: &Path) -> Result<(), ConnectError> {
    let options = options(url)?;
    let place = options.get_filename().display().to_string();
    let failed = |error: sqlx::Error| migrate::unreachable(&place, &error);
    let mut connection = SqliteConnection::connect_with(&options)
        .await
        .map_err(failed)?;
    // SQLite writes into a file that is there if it is empty.
    make_private(to);
    let written = sqlx::query("VACUUM INTO $1")
        .bind(to.display().to_string())
        .execute(&mut connection)
        .await;
    connection.close().await.map_err(failed)?;
    written.map(drop).map_err(failed)
}

/// See [`crate::fault_of`].
pub(crate) async fn fault_of(file: &Path) -> Result<Option<String>, StoreError> {
    let options = SqliteConnectOptions::new().filename(file).read_only(true);
    // It is a copy that is in no other hands; nothing is made beside it.
    let mut connection = SqliteConnection::connect_with(&options.immutable(true)).await?;
    let found: Vec<String> = sqlx::query_scalar("PRAGMA integrity_check(1)")
        .fetch_all(&mut connection)
        .await?;
    let orphan: Option<(String,)> =
        sqlx::query_as("SELECT \"table\" FROM pragma_foreign_key_check LIMIT 1")
            .fetch_optional(&mut connection)
            .await?;
    connection.close().await?;
    if let Some(fault) = found.into_iter().find(|line| line != "ok") {
        return Ok(Some(fault));
    }
    Ok(orphan.map(|(table,)| format!("a row of {table} belongs to one that is not there")))
}
