//! A database that was put back is behind what was signed of it. That is noticed by the checkpoints, which are beside it.

use std::{
    fmt, fs,
    fs::File,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, ensure};
use chrono::{DateTime, SecondsFormat, Utc};
use domain::{
    Principal,
    journal::{Audit, Checkpoint, Record, Tree, notes},
};
use service::Service;
use signing::Keyring;
use store::{Store, walk_journal};

use super::{CheckpointFile, Checkpoints};

/// How many hashes are read at once.
const PAGE: u32 = 10_000;

/// A journal that lacks events which were signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Behind {
    /// The last event that is there.
    pub after: i64,
    /// When it happened.
    pub at: DateTime<Utc>,
    /// How many were signed.
    pub signed: i64,
    /// Where.
    pub file: PathBuf,
}

impl fmt::Display for Behind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            after,
            at,
            signed,
            file,
        } = self;
        let (lost, at, file) = (signed - after, time(*at), file.display());
        write!(
            f,
            "the database is behind: its journal goes to event {after} of {at}, and {signed} events were signed in {file}, so at \
             least {lost} are missing since then. If it was put back from a backup, `handraise journal continue` goes on with \
             numbers that were not given out before; if it is a new database, move {file} away; if neither, the journal was cut \
             off, and `handraise journal verify` says more"
        )
    }
}

impl Behind {
    /// Whether the journal lacks events that were signed. One that is empty is new, and one that begins otherwise than was signed is
    /// another: of these the checkpoint job complains.
    ///
    /// # Errors
    /// When the database fails. A file that cannot be read is the checkpoint job's to complain about.
    pub async fn find(store: &dyn Store, file: &CheckpointFile) -> anyhow::Result<Option<Self>> {
        let Ok(Some(last)) = file.last() else {
            return Ok(None);
        };
        let end = store.last_seq().await?;
        if end == 0 || has(store, last.size).await? {
            return Ok(None);
        }
        if !begins_as_signed(store, file).await? {
            return Ok(None);
        }
        // Where it went on already, this is a node whose checkpoints do not know of it yet.
        let records = store.records_after(last.size, 1).await?;
        let restored = records.first().and_then(Record::restored);
        let after = restored.map_or(end.min(last.size), |it| it.after);
        let at = store.event(after).await?.map(|event| event.at);
        Ok(Some(Self {
            after,
            at: at.unwrap_or_default(),
            signed: last.size,
            file: file.path().to_owned(),
        }))
    }
}

/// Whether what is there is what was signed of it, as far as both go.
async fn begins_as_signed(store: &dyn Store, file: &CheckpointFile) -> anyhow::Result<bool> {
    let Ok(mut held) = file.all() else {
        return Ok(true);
    };
    retain_held(store, &mut held).await?;
    let Some(last) = held.pop() else {
        return Ok(true);
    };
    let mut tree = Tree::default();
    let mut after = 0;
    while after < last.size {
        let page = store.hashes_after(after, PAGE).await?;
        if page.is_empty() {
            return Ok(false);
        }
        for (seq, hash) in page.into_iter().filter(|(seq, _)| *seq <= last.size) {
            tree.push_at(seq, &hash);
            after = seq;
        }
    }
    Ok(tree.root() == last.root)
}

/// Leaves those whose last event is there.
async fn retain_held(store: &dyn Store, held: &mut Vec<Checkpoint>) -> anyhow::Result<()> {
    while let Some(last) = held.last()
        && !has(store, last.size).await?
    {
        held.pop();
    }
    Ok(())
}

/// How a journal that was put back goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoneOn {
    /// The last event before.
    pub after: i64,
    /// When it happened.
    pub at: DateTime<Utc>,
    /// How many events are lost for certain.
    pub lost: i64,
    /// The number of the first event afterwards.
    pub number: i64,
    /// Where the checkpoints are kept that were signed over what is lost, if there are any.
    pub aside: Option<PathBuf>,
}

impl fmt::Display for GoneOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (after, at, number) = (self.after, time(self.at), self.number);
        write!(
            f,
            "the journal goes on with event {number}, after event {after} of {at}; "
        )?;
        match (self.lost, &self.aside) {
            (0, _) => write!(
                f,
                "no checkpoint was signed over more than that, so how many are missing is not known"
            ),
            (lost, aside) => {
                write!(f, "at least {lost} events are missing")?;
                match aside {
                    Some(aside) => {
                        write!(f, "; what was signed over them is in {}", aside.display())
                    }
                    None => Ok(()),
                }
            }
        }
    }
}

/// Has a journal that was put back go on, and its checkpoints with it. What was signed over what is there has to hold; what was
/// signed over more is moved aside. Interrupted, it is done again; and each node of several does it for its own checkpoints.
///
/// # Errors
/// When the journal is not the one that was signed, or the database or a file fails.
pub async fn go_on(
    service: &Service,
    keys: &Keyring,
    name: &str,
    file: PathBuf,
    by: &Principal,
) -> anyhow::Result<GoneOn> {
    let store = service.store();
    let known = CheckpointFile::new(file.clone(), name.to_owned(), keys.verifying_keys());
    let mut held = match file.exists() {
        true => known.all()?,
        false => Vec::new(),
    };
    let written = held.len();
    let signed = held.iter().map(|checkpoint| checkpoint.size).max();
    retain_held(&**store, &mut held).await?;
    let kept = held.len();
    let before = audit(&**store, held).await?;
    let end = store.last_seq().await?;
    ensure!(
        end > 0,
        "the database is new: there is nothing to go on after"
    );
    let signed = signed.unwrap_or_default();
    // It went on already, and only what was signed over what is lost is still there.
    let restored = match before.filter(|_| kept < written && end > signed) {
        Some(restored) => restored,
        None => service.go_on(signed, by).await?,
    };
    let aside = match kept < written {
        true => Some(set_aside(&file, kept, signed)?),
        false => None,
    };
    let checkpoints = Checkpoints::new(store.clone(), keys, name.to_owned(), file);
    checkpoints.sign_new().await?;
    let at = store.event(restored.after).await?.map(|event| event.at);
    Ok(GoneOn {
        after: restored.after,
        at: at.unwrap_or_default(),
        lost: (signed - restored.after).max(0),
        number: restored.number,
        aside,
    })
}

/// Whether the last of so many events is there.
async fn has(store: &dyn Store, size: i64) -> anyhow::Result<bool> {
    Ok(size == 0 || store.seq_after(size - 1).await? == Some(size))
}

/// Goes over all of it, and finds where it was put back last.
async fn audit(
    store: &dyn Store,
    held: Vec<Checkpoint>,
) -> anyhow::Result<Option<domain::event::Restored>> {
    let mut audit = Audit::new(held);
    let mut last = None;
    walk_journal(store, i64::MIN, |record| {
        last = record.restored().or(last);
        Ok(audit.follow(&record)?)
    })
    .await?;
    audit.finish()?;
    Ok(last)
}

/// Leaves the first checkpoints in the file, and keeps the whole file under another name.
fn set_aside(file: &Path, kept: usize, signed: i64) -> anyhow::Result<PathBuf> {
    let unwritable = || format!("cannot write the checkpoints {}", file.display());
    let text = fs::read_to_string(file).with_context(unwritable)?;
    let (found, _) = notes(&text);
    let named = |ending: &str| -> PathBuf {
        let mut name = file.as_os_str().to_owned();
        name.push(ending);
        name.into()
    };
    let (new, aside) = (named(".new"), named(&format!(".until-{signed}")));
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let mut shorter = options.open(&new).with_context(unwritable)?;
    for note in found.into_iter().take(kept) {
        writeln!(shorter, "{note}").with_context(unwritable)?;
    }
    shorter.sync_all().with_context(unwritable)?;
    // Under both names for a moment: at no time is it gone.
    match fs::hard_link(file, &aside) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            return Err(error).with_context(|| format!("cannot make {}", aside.display()));
        }
        _ => {}
    }
    fs::rename(&new, file).with_context(unwritable)?;
    Ok(aside)
}

fn time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}
