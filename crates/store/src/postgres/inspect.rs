//! Looking at a Postgres database without changing it.

use chrono::DateTime;
use sqlx::{Connection, PgConnection, postgres::PgConnectOptions};
use tokio::time::timeout;

use super::{PATIENCE, connections, content, options, place};
use crate::{
    error::ConnectError,
    inspect::{AppliedRow, Inspection, Schema},
    migrate,
};

/// See [`crate::inspect`].
pub(crate) async fn inspect(url: &str) -> Result<Inspection, ConnectError> {
    let options = options(url)?;
    let place = place(&options);
    let failed = |error: sqlx::Error| migrate::unreachable(&place, &error);
    let mut connection = connected(&options, &place).await?;
    let mut other = connected(&options, &place).await?;
    let are_kept = connections::are_kept(&mut connection, &mut other);
    if !timed(&place, are_kept).await? {
        return Err(ConnectError::SharedSessions { place });
    }
    let _ = other.close().await;
    let (version, now): (String, i64) = sqlx::query_as(
        "SELECT current_setting('server_version'),
            (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT",
    )
    .fetch_one(&mut connection)
    .await
    .map_err(failed)?;
    let mut hindrances = hindrances(&mut connection).await.map_err(failed)?;
    let tables: Vec<Table> = tables(&mut connection).await.map_err(failed)?;
    let schema = schema(&mut connection, &tables).await.map_err(failed)?;
    let mut content = None;
    if schema != Schema::Absent {
        if schema.is_current() && tables.iter().all(|table| table.may_read) {
            content = Some(content::content(&mut connection).await.map_err(failed)?);
        }
        let closed: Vec<&str> = tables
            .iter()
            .filter(|table| !table.is_open())
            .map(|table| &*table.name)
            .collect();
        if !closed.is_empty() {
            hindrances.push(format!(
                "this user may not read and write {}; let the user who owns the tables run the server, \
                 or grant SELECT, INSERT, UPDATE and DELETE on them",
                closed.join(", ")
            ));
        }
    }
    let _ = connection.close().await;
    Ok(Inspection {
        place,
        engine: format!("PostgreSQL {version}"),
        schema,
        hindrances,
        remarks: Vec::new(),
        content,
        clock: DateTime::from_timestamp_millis(now),
    })
}

async fn connected(options: &PgConnectOptions, place: &str) -> Result<PgConnection, ConnectError> {
    timed(place, PgConnection::connect_with(options)).await
}

/// The outcome, if it comes in time.
async fn timed<T>(
    place: &str,
    asked: impl Future<Output = sqlx::Result<T>>,
) -> Result<T, ConnectError> {
    match timeout(PATIENCE, asked).await {
        Ok(outcome) => outcome.map_err(|error| migrate::unreachable(place, &error)),
        Err(_) => Err(ConnectError::Unreachable {
            place: place.to_owned(),
            why: format!("it did not answer within {} s", PATIENCE.as_secs()),
        }),
    }
}

/// All faults that keep the user from writing anything at all.
async fn hindrances(connection: &mut PgConnection) -> sqlx::Result<Vec<String>> {
    let (is_read_only, schema, may_create): (String, Option<String>, Option<bool>) =
        sqlx::query_as(
            "SELECT current_setting('transaction_read_only'), current_schema()::TEXT,
            has_schema_privilege(current_schema()::TEXT, 'CREATE')",
        )
        .fetch_one(connection)
        .await?;
    let mut found = Vec::new();
    if is_read_only == "on" {
        found.push(
            "transactions are read-only: take default_transaction_read_only back, or name the primary \
             server if this is a standby"
                .to_owned(),
        );
    }
    match (schema, may_create) {
        (None, _) => found.push(
            "no schema of the search_path exists; set the search_path of this user".to_owned(),
        ),
        (Some(schema), Some(false)) => found.push(format!(
            "this user may not make tables in the schema {schema}, which every start makes sure of; \
             GRANT CREATE ON SCHEMA {schema} to it"
        )),
        (Some(_), _) => {}
    }
    Ok(found)
}

#[derive(sqlx::FromRow)]
struct Table {
    name: String,
    may_read: bool,
    may_insert: bool,
    may_change: bool,
}

impl Table {
    /// The journal and the list of migrations only grow.
    fn is_open(&self) -> bool {
        let only_grows = matches!(&*self.name, "events" | "_sqlx_migrations");
        self.may_read && self.may_insert && (self.may_change || only_grows)
    }
}

async fn tables(connection: &mut PgConnection) -> sqlx::Result<Vec<Table>> {
    sqlx::query_as(
        "SELECT relname::TEXT AS name,
            has_table_privilege(oid, 'SELECT') AS may_read,
            has_table_privilege(oid, 'INSERT') AS may_insert,
            has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE') AS may_change
         FROM pg_class
         WHERE relkind = 'r' AND relnamespace = to_regnamespace(current_schema()::TEXT)
         ORDER BY relname",
    )
    .fetch_all(connection)
    .await
}

async fn schema(connection: &mut PgConnection, tables: &[Table]) -> sqlx::Result<Schema> {
    if !tables.iter().any(|table| table.name == "_sqlx_migrations") {
        return Ok(Schema::Absent);
    }
    let applied: Vec<AppliedRow> =
        sqlx::query_as("SELECT version, success, checksum FROM _sqlx_migrations ORDER BY version")
            .fetch_all(connection)
            .await?;
    Ok(Schema::of(&migrate::POSTGRES, &applied))
}
