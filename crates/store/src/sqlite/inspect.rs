//! Looking at a SQLite file without changing it.

use std::{
    fs::File,
    io::{ErrorKind, Read},
    path::Path,
};

use sqlx::{Connection, SqliteConnection};

use super::{content::content, database_file, options};
use crate::{
    error::ConnectError,
    inspect::{AppliedRow, Inspection, Schema},
    migrate,
};

/// See [`crate::inspect`].
pub(crate) async fn inspect(url: &str) -> Result<Option<Inspection>, ConnectError> {
    let options = options(url)?;
    let Some(file) = database_file(url) else {
        return Ok(None);
    };
    let place = file.display().to_string();
    let header = match header(&file) {
        Ok(header) => header,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            let why = error.to_string();
            return Err(ConnectError::Unreachable { place, why });
        }
    };
    // Even a reader makes the file of the log where there is none. When no process has the database
    // open there is none, and it can be read as a file without writers.
    let is_open = Path::new(&format!("{place}-wal")).exists();
    let options = options.read_only(true).immutable(!is_open);
    let failed = |error: sqlx::Error| migrate::unreachable(&place, &error);
    let mut connection = SqliteConnection::connect_with(&options)
        .await
        .map_err(failed)?;
    let version: String = sqlx::query_scalar("SELECT sqlite_version()")
        .fetch_one(&mut connection)
        .await
        .map_err(failed)?;
    let schema = schema(&mut connection).await.map_err(failed)?;
    let content = match schema.is_current() {
        true => Some(content(&mut connection).await.map_err(failed)?),
        false => None,
    };
    let _ = connection.close().await;
    let mut hindrances = Vec::new();
    let parameters = url.split_once('?').map_or("", |(_, parameters)| parameters);
    if parameters.contains("mode=ro") {
        hindrances.push("its URL says mode=ro; take that away".to_owned());
    }
    let mut remarks = Vec::new();
    // The two bytes that say how the file is read and written: 2 is write-ahead logging.
    if schema != Schema::Absent && header.get(18..20) != Some(&[2, 2]) {
        remarks.push(
            "write-ahead logging is off; `handraise serve` switches it on, if the file is on a local disk \
             and not on a network mount"
                .to_owned(),
        );
    }
    Ok(Some(Inspection {
        place,
        engine: format!("SQLite {version}"),
        schema,
        hindrances,
        remarks,
        content,
        clock: None,
    }))
}

/// The beginning of the file, shorter if the file is.
fn header(file: &Path) -> std::io::Result<Vec<u8>> {
    let mut header = Vec::new();
    File::open(file)?.take(20).read_to_end(&mut header)?;
    Ok(header)
}

async fn schema(connection: &mut SqliteConnection) -> sqlx::Result<Schema> {
    let tables: i64 =
        sqlx::query_scalar("SELECT COUNT(*) FROM sqlite_schema WHERE name = '_sqlx_migrations'")
            .fetch_one(&mut *connection)
            .await?;
    if tables == 0 {
        return Ok(Schema::Absent);
    }
    let applied: Vec<AppliedRow> =
        sqlx::query_as("SELECT version, success, checksum FROM _sqlx_migrations ORDER BY version")
            .fetch_all(connection)
            .await?;
    Ok(Schema::of(&migrate::SQLITE, &applied))
}
