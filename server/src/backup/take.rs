//! Making a backup while the server runs, and checking it before it counts.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use chrono::{DateTime, Utc};
use domain::{digest::hex, journal::Audit};
use signing::Keyring;
use store::{Schema, walk_journal};
use tokio::task::spawn_blocking;

use super::{
    Attachments, JournalEnd, Made, Manifest, files,
    manifest::{ATTACHMENTS, CHECKPOINTS, DATABASE, FORMAT, MANIFEST, Sum},
    place::Place,
};
use crate::{
    config::Config,
    journal::{CheckpointFile, Checkpoints, is_opening},
};

/// See [`make`](super::make).
pub(super) async fn take(
    config: &Config,
    keys: &Keyring,
    place: &Place,
    now: DateTime<Utc>,
) -> anyhow::Result<Made> {
    let url = config.database_url.reveal();
    let schema = schema(url).await?;
    let unfinished = place.begin(now).context("cannot begin a backup")?;
    let folder = unfinished.folder.clone();
    // They come first: so none of them is over more than the copy has.
    let (written, checkpoints) = (config.checkpoint_file(), folder.join(CHECKPOINTS));
    if written.exists() {
        files::copy(&written, &checkpoints).context("cannot copy the checkpoints")?;
    }
    let database = folder.join(DATABASE);
    store::copy_to(url, &database).await?;
    if let Some(fault) = store::fault_of(&database).await? {
        bail!("the copy of the database is damaged: {fault}");
    }
    let (journal, interactions) = seal(&database, keys, &config.key_name, checkpoints).await?;
    files::sync(&database).context("cannot write the copy of the database")?;
    let attached = config.attachments();
    let (attachments, files) = spawn_blocking(move || {
        let attachments = copy_attachments(attached.as_deref(), &folder)?;
        io::Result::Ok((attachments, sums(&folder)?))
    })
    .await?
    .context("cannot write the backup")?;
    let manifest = Manifest {
        format: FORMAT,
        made_at: now,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        schema,
        key_name: config.key_name.clone(),
        public_key: keys.verifying_key(),
        journal,
        interactions,
        attachments,
        files,
    };
    let text = serde_json::to_string_pretty(&manifest)? + "\n";
    files::write(&unfinished.folder.join(MANIFEST), &text).context("cannot write the manifest")?;
    let backup = unfinished.finish().context("cannot name the backup")?;
    Ok(Made {
        place: backup.display().to_string(),
        manifest,
    })
}

/// The version of the database, which has to be this program's own: what it does not know it cannot check.
async fn schema(url: &str) -> anyhow::Result<i64> {
    let Some(file) = store::database_file(url) else {
        bail!(
            "the database is on a Postgres server, or in memory; a Postgres server has backups of its own: \
             `pg_dump --format=custom --file=handraise.dump DATABASE`, see docs/backup.md"
        );
    };
    let place = file.display();
    match store::inspect(url).await?.map(|found| found.schema) {
        Some(Schema::Current(version)) => Ok(version),
        Some(Schema::Older { found, known }) => bail!(
            "{place} has schema {found}, and this program knows {known}: make the backup with the program that serves it, before \
             you replace that"
        ),
        Some(Schema::Newer { found, known }) => bail!(
            "{place} has schema {found}, newer than this program knows ({known}); take the program that serves it"
        ),
        Some(Schema::Absent) | None => bail!("there is no database {place}"),
        Some(Schema::Broken { version, why }) => {
            bail!("{place} cannot be used: of its migration {version}, {why}")
        }
    }
}

/// Signs all that is in the copy, and goes over it.
async fn seal(
    database: &Path,
    keys: &Keyring,
    name: &str,
    checkpoints: PathBuf,
) -> anyhow::Result<(JournalEnd, usize)> {
    let store = store::connect(&store::file_url(database)).await?;
    let signer = Checkpoints::new(store.clone(), keys, name.to_owned(), checkpoints.clone());
    signer.sign_new().await?;
    let file = CheckpointFile::new(checkpoints, name.to_owned(), keys.verifying_keys());
    let signed = match file.path().exists() {
        true => file.all()?,
        false => Vec::new(),
    };
    let (mut audit, mut interactions, mut last) = (Audit::new(signed), 0, None);
    walk_journal(&*store, i64::MIN, |record| {
        audit.follow(&record)?;
        interactions += usize::from(is_opening(&record));
        last = Some((record.seq, record.at, record.hash));
        Ok(())
    })
    .await?;
    let found = audit.finish()?;
    // One file is the whole of it.
    store.close().await;
    let (last_seq, at, hash) = last.unwrap_or_default();
    Ok((
        JournalEnd {
            events: found.events,
            last_seq,
            last_hash: hex(&hash),
            last_at: DateTime::from_timestamp_millis(at).filter(|_| found.events > 0),
        },
        interactions,
    ))
}

fn copy_attachments(kept: Option<&str>, backup: &Path) -> io::Result<Attachments> {
    let Some(kept) = kept else {
        return Ok(Attachments::None);
    };
    if kept.starts_with("s3://") {
        return Ok(Attachments::InABucket);
    }
    let from = Path::new(kept.strip_prefix("file://").unwrap_or(kept));
    files::copy_attachments(from, &backup.join(ATTACHMENTS))?;
    Ok(Attachments::Included)
}

/// Every file that is there.
fn sums(backup: &Path) -> io::Result<BTreeMap<String, Sum>> {
    let mut sums = BTreeMap::new();
    for name in files::names(backup)? {
        if name != ATTACHMENTS {
            sums.insert(name.clone(), Sum::of(&backup.join(&name))?);
            continue;
        }
        for file in files::names(&backup.join(ATTACHMENTS))? {
            let name = format!("{ATTACHMENTS}/{file}");
            let sum = Sum::of(&backup.join(&name))?;
            sums.insert(name, sum);
        }
    }
    Ok(sums)
}
