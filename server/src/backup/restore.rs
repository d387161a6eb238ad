//! Putting a backup back: checked first, over nothing that is there.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, bail, ensure};
use domain::{Principal, digest::hex, journal::Checkpoint};
use machine::clock::{SystemClock, SystemIds};
use service::Service;
use signing::Keyring;
use tokio::task::spawn_blocking;

use super::{
    Attachments, Manifest,
    bucket::Bucket,
    files, is_bucket,
    manifest::{ATTACHMENTS, CHECKPOINTS, DATABASE},
};
use crate::{
    config::Config,
    journal::{CheckpointFile, GoneOn, Source, go_on, verify},
};

/// What SQLite keeps beside a database that is in use.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// A database that was put back, and goes on.
#[derive(Clone, Debug)]
pub struct Restored {
    /// Its file.
    pub database: PathBuf,
    /// Of the backup that it was.
    pub manifest: Manifest,
    /// How it goes on; none where there was no event yet.
    pub gone_on: Option<GoneOn>,
    /// Whether there was no key, and another one was made.
    pub is_key_new: bool,
}

impl fmt::Display for Restored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (place, events) = (self.database.display(), self.manifest.journal.events);
        write!(f, "restored {place}, and verified {events} events")?;
        if let Some(gone_on) = &self.gone_on {
            write!(f, "; {gone_on}")?;
        }
        if self.manifest.attachments == Attachments::InABucket {
            f.write_str("; attachments were in a bucket, and are not in the backup")?;
        }
        match self.is_key_new {
            true => f.write_str("; the key is new: agents have to trust it by hand, and what was sealed by the old one is lost"),
            false => Ok(()),
        }
    }
}

/// Puts a backup where these settings have their database, checkpoints and attachments. `from`: its folder, or its address in a
/// bucket. `may_make_key`: also where there is no key.
///
/// # Errors
/// When something is there already; the backup is damaged, or does not hold; it is of a newer program; or a file cannot be written.
/// The database is not there then.
pub async fn restore(
    from: &str,
    config: &Config,
    may_make_key: bool,
    by: &Principal,
) -> anyhow::Result<Restored> {
    if !is_bucket(from) {
        return restore_from(Path::new(from), config, may_make_key, by).await;
    }
    // Before anything is fetched.
    let database = database_of(config)?;
    is_free(&database)?;
    let bucket = Bucket::open(from)?;
    let fetched = files::beside(&database, ".fetched");
    ensure!(
        !fetched.exists(),
        "{} is left from a program that was killed, or another one fetches a backup there; remove it",
        fetched.display()
    );
    let restored = match bucket.download(&fetched).await {
        Ok(()) => restore_from(&fetched, config, may_make_key, by).await,
        Err(error) => Err(error),
    };
    let _ = fs::remove_dir_all(&fetched);
    restored
}

/// The file of the configured database.
fn database_of(config: &Config) -> anyhow::Result<PathBuf> {
    store::database_file(config.database_url.reveal()).context(
        "a backup of SQLite is put back into a file; a dump of Postgres is by `pg_restore`, and then `handraise journal continue`, \
         see docs/backup.md",
    )
}

/// The same, from a folder.
async fn restore_from(
    backup: &Path,
    config: &Config,
    may_make_key: bool,
    by: &Principal,
) -> anyhow::Result<Restored> {
    let database = database_of(config)?;
    is_free(&database)?;
    let manifest = Manifest::read(backup)?;
    let known = store::newest_schema();
    ensure!(
        manifest.schema <= known,
        "the backup has schema {}, newer than this program knows ({known}); take handraise {} or newer",
        manifest.schema,
        manifest.version
    );
    let attachments = place_of_attachments(&manifest, config)?;
    let (folder, sums) = (backup.to_owned(), manifest.clone());
    spawn_blocking(move || sums.check_files(&folder)).await??;

    let (keys, is_key_new) = keys(config, &manifest, may_make_key)?;
    let unfinished = files::beside(&database, ".restoring");
    remove_all(&unfinished)?;
    let unwritable = || format!("cannot write {}", database.display());
    files::make_folder(files::folder(&database)).with_context(unwritable)?;
    files::copy(&backup.join(DATABASE), &unfinished).with_context(unwritable)?;
    let put_back = PutBack {
        backup,
        config,
        manifest: &manifest,
        keys: &keys,
        is_key_new,
    };
    let gone_on = match put_back.verified(&unfinished, by).await {
        Ok(gone_on) => gone_on,
        Err(error) => {
            let _ = remove_all(&unfinished);
            return Err(error);
        }
    };
    if let Some(to) = attachments {
        let from = backup.join(ATTACHMENTS);
        let copied = spawn_blocking(move || files::copy_attachments(&from, &to)).await?;
        copied.context("cannot copy the attachments")?;
    }
    // Of two that put one back at once the second finds it there.
    fs::hard_link(&unfinished, &database).with_context(unwritable)?;
    files::remove(&unfinished).with_context(unwritable)?;
    files::sync(files::folder(&database)).with_context(unwritable)?;
    Ok(Restored {
        database,
        manifest,
        gone_on,
        is_key_new,
    })
}

/// Removes a database, and what SQLite has beside it.
fn remove_all(database: &Path) -> anyhow::Result<()> {
    for ending in ["", BESIDE[0], BESIDE[1], BESIDE[2]] {
        let left = files::beside(database, ending);
        files::remove(&left).with_context(|| format!("cannot remove {}", left.display()))?;
    }
    Ok(())
}

/// Nothing is overwritten, and no log of another database is read into this one.
fn is_free(database: &Path) -> anyhow::Result<()> {
    let endings = ["", BESIDE[0], BESIDE[1], BESIDE[2]];
    for file in endings.map(|ending| files::beside(database, ending)) {
        ensure!(
            !file.exists(),
            "{} is there already, and nothing is overwritten; move it away, or name another file",
            file.display()
        );
    }
    Ok(())
}

/// Where the backup's attachments go.
fn place_of_attachments(manifest: &Manifest, config: &Config) -> anyhow::Result<Option<PathBuf>> {
    let has_any = manifest
        .files
        .keys()
        .any(|name| name.starts_with(ATTACHMENTS));
    let Some(kept) = config.attachments().filter(|_| has_any) else {
        return Ok(None);
    };
    ensure!(
        !kept.starts_with("s3://"),
        "the backup has attachments, and the setting `attachments` names a bucket: name a folder while you restore, and upload it"
    );
    let folder = PathBuf::from(kept.strip_prefix("file://").unwrap_or(&kept));
    let is_free = match folder.exists() {
        true => files::names(&folder)?.is_empty(),
        false => true,
    };
    ensure!(
        is_free,
        "{} has files already, and nothing is overwritten; move them away",
        folder.display()
    );
    Ok(Some(folder))
}

/// The key that goes on signing.
fn keys(config: &Config, manifest: &Manifest, may_make: bool) -> anyhow::Result<(Keyring, bool)> {
    let file = config.key_file();
    if file.exists() {
        return Ok((Keyring::load(&file)?, false));
    }
    ensure!(
        may_make,
        "there is no key {}, and a backup has none: put the server's key there first ({}). If it is lost, --new-key makes another: \
         agents have to trust it by hand then, and what was sealed by the old one is lost",
        file.display(),
        manifest.public_key
    );
    Ok((Keyring::load_or_create(&file)?, true))
}

/// A backup on its way back.
struct PutBack<'a> {
    backup: &'a Path,
    config: &'a Config,
    manifest: &'a Manifest,
    keys: &'a Keyring,
    is_key_new: bool,
}

impl PutBack<'_> {
    /// Goes over everything in the copy, and has it go on.
    async fn verified(&self, copy: &Path, by: &Principal) -> anyhow::Result<Option<GoneOn>> {
        if let Some(fault) = store::fault_of(copy).await? {
            bail!("the backup is damaged: {fault}");
        }
        let signed = self.backup.join(CHECKPOINTS);
        let name = self.config.key_name.clone();
        let checkpoints = match (signed.exists(), self.is_key_new) {
            (false, _) => Vec::new(),
            // No other key is known than the one that the backup names.
            (true, true) => {
                CheckpointFile::new(signed.clone(), name, [self.manifest.public_key]).all()?
            }
            (true, false) => {
                CheckpointFile::new(signed.clone(), name, self.keys.verifying_keys()).all()?
            }
        };
        let store = store::connect(&store::file_url(copy)).await?;
        let gone_on = match self.holds(&store, checkpoints).await {
            Ok(()) if self.manifest.journal.events == 0 => Ok(None),
            Ok(()) => self.go_on(store.clone(), &signed, by).await.map(Some),
            Err(error) => Err(error),
        };
        // One file is the whole of it.
        store.close().await;
        gone_on
    }

    /// Whether everything in it is as it was signed, and as the manifest says.
    async fn holds(
        &self,
        store: &Arc<dyn store::Store>,
        checkpoints: Vec<Checkpoint>,
    ) -> anyhow::Result<()> {
        verify(Source::Live(store.clone()), checkpoints).await?;
        let end = store
            .hashes_after(self.manifest.journal.last_seq - 1, 2)
            .await?;
        let told = &self.manifest.journal;
        let holds = match &end[..] {
            [] => told.events == 0,
            [(seq, hash)] => *seq == told.last_seq && hex(hash) == told.last_hash,
            _ => false,
        };
        ensure!(
            holds,
            "the backup is damaged: its journal ends otherwise than its manifest says"
        );
        Ok(())
    }

    /// The checkpoints that are where it goes know most of what is lost; those of the backup come in their place if there are none.
    async fn go_on(
        &self,
        store: Arc<dyn store::Store>,
        signed: &Path,
        by: &Principal,
    ) -> anyhow::Result<GoneOn> {
        let file = self.config.checkpoint_file();
        if !file.exists() && signed.exists() && !self.is_key_new {
            files::make_folder(files::folder(&file))?;
            files::copy(signed, &file).context("cannot copy the checkpoints")?;
        }
        let (clock, ids) = (Arc::new(SystemClock), Arc::new(SystemIds));
        let service = Service::new(store, clock, ids, self.config.settings());
        go_on(&service, self.keys, &self.config.key_name, file, by).await
    }
}
