//! Making a backup where backups are kept.

use std::path::{Path, PathBuf};

use anyhow::Context;
use chrono::{DateTime, Utc};
use signing::Keyring;
use tokio::task::spawn_blocking;

use super::{
    Manifest,
    bucket::Bucket,
    files,
    place::{self, Place},
    take::take,
};
use crate::config::Config;

/// A backup that was made, and checked.
#[derive(Clone, Debug)]
pub struct Made {
    /// Where it is: a folder, or its address in a bucket.
    pub place: String,
    /// What it says of itself.
    pub manifest: Manifest,
}

/// Makes a backup of the configured database, in a folder or at `s3://BUCKET/FOLDER`. Others read and write the database meanwhile.
/// `keep`: afterwards all but the newest so many are removed there.
///
/// # Errors
/// When the database is not in a file, or of another version than this program; something in it does not hold; or it cannot be
/// written. There is nothing then that looks like a backup.
pub async fn make(
    config: &Config,
    keys: &Keyring,
    to: &str,
    keep: Option<usize>,
    now: DateTime<Utc>,
) -> anyhow::Result<Made> {
    if !is_bucket(to) {
        let place = Place::open(Path::new(to))?;
        let made = take(config, keys, &place, now).await?;
        if let Some(keep) = keep {
            spawn_blocking(move || place.keep(keep)).await??;
        }
        return Ok(made);
    }
    let bucket = Bucket::open(to)?;
    let database = store::database_file(config.database_url.reveal());
    let staging = files::beside(
        &database.context("the database is not in a file")?,
        ".backup",
    );
    let staging = Place::open(&staging)?;
    let made = take(config, keys, &staging, now).await?;
    let folder = PathBuf::from(&made.place);
    let uploaded = bucket.upload(&folder, &made.manifest).await;
    // Nothing of it is kept here, whether it arrived or not.
    spawn_blocking(move || staging.keep(0)).await??;
    let made = Made {
        place: uploaded?,
        ..made
    };
    if let Some(keep) = keep {
        bucket.keep(keep).await?;
    }
    Ok(made)
}

/// The last good backup there, and how many there are.
///
/// # Errors
/// When the place or the manifest cannot be read.
pub async fn last(to: &str) -> anyhow::Result<Option<(Manifest, usize)>> {
    match is_bucket(to) {
        true => Bucket::open(to)?.last().await,
        false => {
            let folder = PathBuf::from(to);
            spawn_blocking(move || place::last(&folder)).await?
        }
    }
}

/// Whether it is the address of a bucket.
pub fn is_bucket(to: &str) -> bool {
    to.contains("://")
}
