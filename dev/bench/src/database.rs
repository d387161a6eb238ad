//! An empty database for each server: a file beside the build, or one on the Postgres that was named.

use std::fs;
use std::path::Path;
use std::process::{self, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use crate::Bench;

/// Gone when dropped.
pub(crate) struct Database {
    pub(crate) url: String,
    /// For the file and for the server's log.
    directory: TempDir,
    /// The Postgres server it is on, and its name there.
    place: Option<(String, String)>,
}

impl Database {
    pub(crate) fn create(bench: &Bench) -> Result<Self> {
        let directory = tempfile::Builder::new()
            .prefix("bench-")
            .tempdir_in(&bench.directory)?;
        let Some(server) = &bench.url else {
            let file = directory.path().join("bench.db");
            return Ok(Self {
                url: format!("sqlite://{}", file.display()),
                directory,
                place: None,
            });
        };
        static CREATED: AtomicU32 = AtomicU32::new(0);
        let count = CREATED.fetch_add(1, Ordering::Relaxed);
        let name = format!("handraise_bench_{}_{count}", process::id());
        let url = renamed(server, &name).context("--url is no postgres:// address")?;
        psql(server, &format!("CREATE DATABASE {name}"))?;
        Ok(Self {
            url,
            directory,
            place: Some((server.clone(), name)),
        })
    }

    /// How many bytes it has, and where it is a file its log.
    pub(crate) fn sizes(&self) -> Result<(u64, Option<u64>)> {
        let Some((server, name)) = &self.place else {
            let bytes =
                |file| fs::metadata(self.directory.path().join(file)).map(|found| found.len());
            return Ok((bytes("bench.db")?, Some(bytes("bench.db-wal")?)));
        };
        let output = Command::new("psql")
            .args([server, "--no-psqlrc", "--tuples-only", "--command"])
            .arg(format!("SELECT pg_database_size('{name}')"))
            .stdin(Stdio::null())
            .output()
            .context("cannot start `psql`")?;
        let said = String::from_utf8(output.stdout)?;
        let bytes = said.trim().parse();
        Ok((
            bytes.context("`psql` does not say how large the database is")?,
            None,
        ))
    }

    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Some((server, name)) = &self.place
            && let Err(error) = psql(server, &format!("DROP DATABASE {name} WITH (FORCE)"))
        {
            eprintln!("bench: the database {name} is left behind: {error:#}");
        }
    }
}

/// The address of another database on the same server.
fn renamed(url: &str, name: &str) -> Option<String> {
    let (url, options) = match url.split_once('?') {
        Some((url, options)) => (url, format!("?{options}")),
        None => (url, String::new()),
    };
    let (scheme, rest) = url.split_once("://")?;
    let server = rest.split('/').next()?;
    let known = matches!(scheme, "postgres" | "postgresql") && !server.is_empty();
    known.then(|| format!("{scheme}://{server}/{name}{options}"))
}

fn psql(server: &str, statement: &str) -> Result<()> {
    let status = Command::new("psql")
        .args([server, "--quiet", "--no-psqlrc", "--command", statement])
        .stdin(Stdio::null())
        .status()
        .context("cannot start `psql`, which makes the databases on Postgres")?;
    ensure!(status.success(), "`psql` could not {statement} ({status})");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::renamed;

    #[test]
    fn another_database_is_on_the_same_server() {
        let other = |url| renamed(url, "b");
        let expected = |url: &str| Some(url.to_owned());
        assert_eq!(
            other("postgres://u:p@h:1/a"),
            expected("postgres://u:p@h:1/b")
        );
        assert_eq!(other("postgres://h"), expected("postgres://h/b"));
        assert_eq!(
            other("postgresql://h/a?sslmode=require"),
            expected("postgresql://h/b?sslmode=require")
        );
        assert_eq!(other("sqlite://a.db"), None);
        assert_eq!(other("postgres:///a"), None);
    }
}
