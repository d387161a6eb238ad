//! A database as a version left it, with the files beside it and what was said of it.

use std::{
    collections::BTreeMap,
    fs,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::Command,
};

use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use serde::{Deserialize, Serialize};
use store::testing::TestDatabase;

use super::{
    life::{Lived, files},
    said::Said,
};

#[derive(Serialize, Deserialize)]
pub(super) struct Kept {
    /// The version that left it.
    pub(super) name: String,
    pub(super) lived: Lived,
    pub(super) said: Said,
    /// In Base64, by their places.
    files: BTreeMap<String, String>,
    /// SQLite's one file in Base64, or what `pg_dump` writes.
    database: String,
}

fn is_sqlite(database: &TestDatabase) -> bool {
    database.url.starts_with("sqlite")
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/released")
}

fn ending(database: &TestDatabase) -> &'static str {
    match is_sqlite(database) {
        true => ".sqlite.json.gz",
        false => ".postgres.json.gz",
    }
}

impl Kept {
    /// What a server left that was stopped.
    pub(super) fn now(lived: Lived, said: Said) -> Self {
        Self {
            name: "now".to_owned(),
            lived,
            said,
            files: BTreeMap::new(),
            database: String::new(),
        }
    }

    /// Keeps it for later versions, with the files in this folder.
    pub(super) async fn write(mut self, name: &str, database: &TestDatabase, beside: &Path) {
        let encoded = |(place, bytes): (String, Vec<u8>)| (place, STANDARD.encode(bytes));
        name.clone_into(&mut self.name);
        self.files = files(beside).into_iter().map(encoded).collect();
        self.database = match is_sqlite(database) {
            true => copied(database).await,
            false => dumped(database),
        };
        fs::create_dir_all(folder()).unwrap();
        let place = folder().join(format!("{name}{}", ending(database)));
        let mut out = GzEncoder::new(fs::File::create(place).unwrap(), Compression::best());
        out.write_all(&serde_json::to_vec(&self).unwrap()).unwrap();
        out.finish().unwrap();
    }

    /// Puts it into an empty database and an empty folder.
    pub(super) async fn restore(&self, database: &TestDatabase, beside: &Path) {
        for (place, bytes) in &self.files {
            let place = beside.join(place);
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            write_private(&place, &STANDARD.decode(bytes).unwrap());
        }
        match store::database_file(&database.url) {
            Some(file) => write_private(&file, &STANDARD.decode(&self.database).unwrap()),
            None => database.execute(&self.database).await.unwrap(),
        }
    }

    /// All that were kept of this database.
    pub(super) fn all(database: &TestDatabase) -> Vec<Self> {
        let mut all: Vec<Self> = fs::read_dir(folder())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.to_string_lossy().ends_with(ending(database)))
            .map(|path| {
                let mut text = String::new();
                let file = fs::File::open(path).unwrap();
                GzDecoder::new(file).read_to_string(&mut text).unwrap();
                serde_json::from_str(&text).unwrap()
            })
            .collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }
}

/// A key that others may read is refused.
fn write_private(place: &Path, bytes: &[u8]) {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(place).unwrap().write_all(bytes).unwrap();
}

async fn copied(database: &TestDatabase) -> String {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.db");
    let sql = format!("VACUUM INTO '{}'", copy.display());
    database.execute(&sql).await.unwrap();
    STANDARD.encode(fs::read(copy).unwrap())
}

fn dumped(database: &TestDatabase) -> String {
    let arguments = ["--inserts", "--no-owner", "--no-privileges", &database.url];
    let dump = Command::new("pg_dump").args(arguments).output().unwrap();
    assert!(dump.status.success(), "{dump:?}");
    // These are of `psql`.
    let text = String::from_utf8(dump.stdout).unwrap();
    let sql = text.lines().filter(|line| !line.starts_with('\\'));
    sql.collect::<Vec<_>>().join("\n")
}
