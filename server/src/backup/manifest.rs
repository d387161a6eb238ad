//! What is in a backup, as it says itself.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Read},
    path::{Component, Path},
};

use anyhow::{Context, bail, ensure};
use chrono::{DateTime, Utc};
use domain::digest::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use signing::VerifyingKey;

/// The names in a backup. They never change.
pub(super) const MANIFEST: &str = "manifest.json";
pub(super) const DATABASE: &str = "handraise.db";
pub(super) const CHECKPOINTS: &str = "checkpoints";
pub(super) const ATTACHMENTS: &str = "attachments";
/// Another way to lay a backup out gets another number.
pub(super) const FORMAT: u32 = 1;

/// `manifest.json`. Fields are added, and never mean anything else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// How the backup is laid out.
    pub format: u32,
    /// When it was begun: what was acknowledged before is in it.
    pub made_at: DateTime<Utc>,
    /// Of the program that made it.
    pub version: String,
    /// Of the database.
    pub schema: i64,
    /// The name of the log, and of the key.
    pub key_name: String,
    /// The key that signed last.
    pub public_key: VerifyingKey,
    /// How far the journal goes.
    pub journal: JournalEnd,
    /// How many interactions there are.
    pub interactions: usize,
    /// Where attachments are.
    pub attachments: Attachments,
    /// Every other file in it.
    pub files: BTreeMap<String, Sum>,
}

/// The last event of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalEnd {
    /// How many events there are.
    pub events: i64,
    /// Its number.
    pub last_seq: i64,
    /// Its hash, in hex.
    pub last_hash: String,
    /// When it happened; none where there is no event yet.
    pub last_at: Option<DateTime<Utc>>,
}

/// Where the files are that questions and answers carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attachments {
    /// In the backup.
    Included,
    /// In a bucket, which has to be kept otherwise.
    InABucket,
    /// None are kept.
    None,
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sum {
    /// How long it is.
    pub bytes: u64,
    /// SHA-256, in hex.
    pub sha256: String,
}

impl Manifest {
    /// The manifest of the backup in this folder.
    ///
    /// # Errors
    /// One line: there is none, or it is not one that this program can read.
    pub fn read(backup: &Path) -> anyhow::Result<Self> {
        let file = backup.join(MANIFEST);
        let text = fs::read_to_string(&file)
            .with_context(|| format!("{} is no backup: it has no {MANIFEST}", backup.display()))?;
        Self::parse(&text, &backup.display().to_string())
    }

    /// The manifest of the backup at this place.
    pub(super) fn parse(text: &str, place: &str) -> anyhow::Result<Self> {
        let unreadable = || format!("{place}/{MANIFEST} cannot be read");
        let format: Format = serde_json::from_str(text).with_context(unreadable)?;
        ensure!(
            format.format == FORMAT,
            "{place} is of format {}, and this program knows {FORMAT}; take the program that made it",
            format.format
        );
        serde_json::from_str(text).with_context(unreadable)
    }

    /// Holds every file against its sum.
    ///
    /// # Errors
    /// The first that is missing or another one.
    pub(super) fn check_files(&self, backup: &Path) -> anyhow::Result<()> {
        for needed in [DATABASE, CHECKPOINTS] {
            let is_needed = needed == DATABASE || self.journal.events > 0;
            let is_there = self.files.contains_key(needed);
            ensure!(
                is_there || !is_needed,
                "the backup is damaged: {MANIFEST} has no {needed}"
            );
        }
        for (name, sum) in &self.files {
            let is_inside = |part: Component<'_>| matches!(part, Component::Normal(_));
            ensure!(
                Path::new(name).components().all(is_inside),
                "the backup is damaged: {MANIFEST} names {name:?}, which is outside of it"
            );
            match Sum::of(&backup.join(name)) {
                Ok(found) if found == *sum => {}
                Ok(found) if found.bytes != sum.bytes => bail!(
                    "the backup is damaged: {name} has {} bytes, and had {}",
                    found.bytes,
                    sum.bytes
                ),
                Ok(_) => bail!("the backup is damaged: {name} was changed, its SHA-256 differs"),
                Err(error) => bail!("the backup is damaged: {name} cannot be read: {error}"),
            }
        }
        Ok(())
    }
}

#[derive(Deserialize)]
struct Format {
    format: u32,
}

impl Sum {
    /// Reads the file.
    pub(super) fn of(file: &Path) -> io::Result<Self> {
        let mut file = File::open(file)?;
        let (mut hasher, mut bytes) = (Sha256::new(), 0);
        let mut part = vec![0; 1 << 18];
        loop {
            let read = file.read(&mut part)?;
            if read == 0 {
                break;
            }
            bytes += read as u64;
            hasher.update(&part[..read]);
        }
        Ok(Self {
            bytes,
            sha256: hex(&hasher.finalize()),
        })
    }
}
