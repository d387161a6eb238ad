//! The folder that backups are in: each has its time in its name, and is there whole or not at all.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use anyhow::Context;
use chrono::{DateTime, NaiveDateTime, Utc};

use super::{Manifest, files};

/// Before it a backup is not whole, or is no more.
const UNFINISHED: &str = ".unfinished-";
/// The name of a backup, in UTC.
const NAME: &str = "handraise-%Y%m%dT%H%M%S%3fZ";

/// The folder, as long as this program alone makes backups in it.
#[derive(Debug)]
pub(super) struct Place {
    folder: PathBuf,
    _lock: File,
}

impl Place {
    /// Makes the folder if need be, and clears away what was not finished there.
    ///
    /// # Errors
    /// When it cannot be used, or another program makes a backup in it.
    pub(super) fn open(folder: &Path) -> anyhow::Result<Self> {
        let unusable = || format!("cannot keep backups in {}", folder.display());
        files::make_folder(folder).with_context(unusable)?;
        let lock = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(folder.join(".lock"))
            .with_context(unusable)?;
        lock.try_lock()
            .with_context(|| format!("another backup is being made in {}", folder.display()))?;
        for name in files::names(folder).with_context(unusable)? {
            if name.starts_with(UNFINISHED) {
                fs::remove_dir_all(folder.join(name)).with_context(unusable)?;
            }
        }
        Ok(Self {
            folder: folder.to_owned(),
            _lock: lock,
        })
    }

    /// Makes the folder of a backup that is begun now.
    pub(super) fn begin(&self, at: DateTime<Utc>) -> io::Result<Unfinished> {
        let name = at.format(NAME).to_string();
        let folder = self.folder.join(format!("{UNFINISHED}{name}"));
        files::make_folder(&folder)?;
        Ok(Unfinished {
            folder,
            whole: self.folder.join(name),
        })
    }

    /// Removes all but the newest so many.
    ///
    /// # Errors
    /// When one cannot be removed.
    pub(super) fn keep(&self, newest: usize) -> anyhow::Result<usize> {
        let mut whole = backups(&self.folder)?;
        whole.truncate(whole.len().saturating_sub(newest));
        for (name, _) in &whole {
            let removed = || format!("cannot remove the backup {name}");
            let gone = self.folder.join(format!("{UNFINISHED}{name}"));
            fs::rename(self.folder.join(name), &gone).with_context(removed)?;
            fs::remove_dir_all(&gone).with_context(removed)?;
        }
        Ok(whole.len())
    }
}

/// A backup on its way.
pub(super) struct Unfinished {
    pub(super) folder: PathBuf,
    whole: PathBuf,
}

impl Unfinished {
    /// From here on it counts.
    pub(super) fn finish(self) -> io::Result<PathBuf> {
        files::sync(&self.folder)?;
        fs::rename(&self.folder, &self.whole)?;
        files::sync(files::folder(&self.whole))?;
        Ok(self.whole)
    }
}

/// The last good backup in a folder, and how many there are.
///
/// # Errors
/// When the folder or the manifest cannot be read.
pub(super) fn last(folder: &Path) -> anyhow::Result<Option<(Manifest, usize)>> {
    if !folder.exists() {
        return Ok(None);
    }
    let whole = backups(folder)?;
    let Some((name, _)) = whole.last() else {
        return Ok(None);
    };
    Ok(Some((Manifest::read(&folder.join(name))?, whole.len())))
}

/// The backups, oldest first.
fn backups(folder: &Path) -> anyhow::Result<Vec<(String, NaiveDateTime)>> {
    let names =
        files::names(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut whole: Vec<_> = names
        .into_iter()
        .filter_map(|name| {
            let at = time_of(&name)?;
            Some((name, at))
        })
        .collect();
    whole.sort_by_key(|(_, at)| *at);
    Ok(whole)
}

/// When a backup of this name was begun.
pub(super) fn time_of(name: &str) -> Option<NaiveDateTime> {
    NaiveDateTime::parse_from_str(name, NAME).ok()
}

/// The name of the backup in this folder.
pub(super) fn name_of(backup: &Path) -> anyhow::Result<&str> {
    let name = backup.file_name().and_then(|name| name.to_str());
    name.filter(|name| time_of(name).is_some())
        .with_context(|| format!("{} is not called as a backup is", backup.display()))
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    #[test]
    fn the_newest_are_kept_and_what_is_not_ours_stays() {
        let folder = tempfile::tempdir().unwrap();
        let at = DateTime::from_timestamp_millis(1_800_000_000_000).unwrap();
        let place = Place::open(folder.path()).unwrap();
        let made: Vec<PathBuf> = (0..4)
            .map(|n| place.begin(at + TimeDelta::milliseconds(n)).unwrap())
            .map(|unfinished| unfinished.finish().unwrap())
            .collect();
        for strange in ["handraise-old", "photos"] {
            fs::create_dir(folder.path().join(strange)).unwrap();
        }
        assert!(Place::open(folder.path()).is_err());
        assert_eq!(place.keep(2).unwrap(), 2);
        let there: Vec<bool> = made.iter().map(|backup| backup.exists()).collect();
        assert_eq!(there, [false, false, true, true]);
        assert!(
            folder.path().join("photos").exists() && folder.path().join("handraise-old").exists()
        );
        // What a program left that was killed.
        let left = place.begin(at + TimeDelta::days(1)).unwrap().folder;
        drop(place);
        let place = Place::open(folder.path()).unwrap();
        assert!(!left.exists());
        assert_eq!(place.keep(2).unwrap(), 0);
    }
}
