//! Databases that have a schema from the beginning. Those of the newest are copies of one: bringing an empty Postgres up takes a
//! second, and a copy a tenth of that.

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    str::FromStr,
};

use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection, PgConnection,
    migrate::{MigrateError, Migrator},
    sqlite::SqliteConnectOptions,
};
use tokio::sync::OnceCell;
use uuid::Uuid;

use super::{Place, TestDatabase, beside, maintenance};
use crate::{migrate, sqlite};

impl TestDatabase {
    pub async fn migrated_sqlite() -> Self {
        static FILE: OnceCell<Vec<u8>> = OnceCell::const_new();
        let file = FILE.get_or_init(|| async {
            let first = Self::sqlite();
            first.migrate_to(i64::MAX).await.unwrap();
            fs::read(crate::database_file(&first.url).unwrap()).unwrap()
        });
        let copy = Self::sqlite();
        let place = crate::database_file(&copy.url).unwrap();
        sqlite::make_private(&place);
        fs::write(place, file.await).unwrap();
        copy
    }

    /// The one that is copied stays on the server, for the next run of the tests.
    pub async fn migrated_postgres() -> Self {
        static NAME: OnceCell<String> = OnceCell::const_new();
        Self::of_postgres(NAME.get_or_init(template).await).await
    }

    /// Begins anew, with the schema of this version.
    ///
    /// # Errors
    /// The database's error.
    pub async fn migrate_to(&self, version: i64) -> Result<(), MigrateError> {
        match &self.place {
            Place::Folder { removed_with_it } => {
                for file in fs::read_dir(removed_with_it.path()).unwrap() {
                    fs::remove_file(file.unwrap().path()).unwrap();
                }
                let options = SqliteConnectOptions::from_str(&self.url)?.create_if_missing(true);
                let mut connection = options.connect().await?;
                until(&migrate::SQLITE, version)
                    .run(&mut connection)
                    .await?;
                Ok(connection.close().await?)
            }
            Place::Server { .. } => {
                let mut connection = PgConnection::connect(&self.url).await?;
                sqlx::raw_sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
                    .execute(&mut connection)
                    .await?;
                until(&migrate::POSTGRES, version)
                    .run(&mut connection)
                    .await?;
                Ok(connection.close().await?)
            }
        }
    }
}

fn until(all: &Migrator, version: i64) -> Migrator {
    let wanted = all.iter().filter(|one| one.version <= version);
    Migrator {
        migrations: wanted.cloned().collect(),
        ..Migrator::DEFAULT
    }
}

/// Its name says of which migrations it is, so that one of other migrations is never taken for it. Processes that make it at the
/// same time each make one, and the first gives it the name.
async fn template() -> String {
    let mut of = DefaultHasher::new();
    for migration in migrate::POSTGRES.iter() {
        migration.checksum.hash(&mut of);
    }
    let name = format!("handraise_migrated_{:016x}", of.finish());
    let maintenance = maintenance();
    let mut connection = PgConnection::connect(&maintenance).await.unwrap();
    let is_there = sqlx::query_scalar("SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)")
        .bind(&name);
    if is_there.fetch_one(&mut connection).await.unwrap() {
        return name;
    }
    let making = format!("handraise_{}", Uuid::new_v4().simple());
    let mut run = async |sql: String| {
        let sql = AssertSqlSafe(sql);
        sqlx::query(sql).execute(&mut connection).await.map(drop)
    };
    run(format!("CREATE DATABASE {making}")).await.unwrap();
    let mut made = PgConnection::connect(&beside(&maintenance, &making))
        .await
        .unwrap();
    migrate::POSTGRES.run(&mut made).await.unwrap();
    made.close().await.unwrap();
    let sql = format!("ALTER DATABASE {making} RENAME TO {name}");
    if run(sql).await.is_err() {
        // Another was first.
        run(format!("DROP DATABASE {making} WITH (FORCE)"))
            .await
            .unwrap();
    }
    name
}
