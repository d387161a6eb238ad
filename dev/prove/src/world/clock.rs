//! The servers' clock, which jumps, by libfaketime where that is installed. The monotonic clock runs as ever.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;

/// The library reads its file anew after that.
const IS_READ: Duration = Duration::from_secs(1);

/// What libfaketime keeps in memory for each process that it is in. One that is killed leaves it there.
const OF_A_PROCESS: [&str; 2] = ["/dev/shm/faketime_shm_", "/dev/shm/sem.faketime_sem_"];

/// Removes that of a process that has ended.
pub(crate) fn tidy(process: u32) {
    for name in OF_A_PROCESS {
        // There is none where the clock does not jump.
        let _ = fs::remove_file(format!("{name}{process}"));
    }
}

pub(crate) struct Clock {
    library: PathBuf,
    file: PathBuf,
    /// Since when it was ahead by how much, and until when.
    jumps: Mutex<Vec<(Instant, Option<Instant>, i64)>>,
}

impl Clock {
    /// `None` where there is no library.
    pub(crate) fn find(folder: &Path) -> Result<Option<Self>> {
        let places = [
            "/usr/lib/x86_64-linux-gnu",
            "/usr/lib/aarch64-linux-gnu",
            "/usr/lib64",
        ];
        let files = places.map(|place| Path::new(place).join("faketime/libfaketime.so.1"));
        let Some(library) = files.into_iter().find(|file| file.exists()) else {
            return Ok(None);
        };
        let clock = Self {
            library,
            file: folder.join("clock"),
            jumps: Mutex::default(),
        };
        clock.write(0)?;
        Ok(Some(clock))
    }

    /// What a server that has this clock is started with.
    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        let text = |path: &Path| path.display().to_string();
        [
            ("LD_PRELOAD", text(&self.library)),
            ("FAKETIME_TIMESTAMP_FILE", text(&self.file)),
            ("FAKETIME_CACHE_DURATION", "1".to_owned()),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
    }

    fn write(&self, seconds: i64) -> Result<()> {
        let other = self.file.with_extension("new");
        fs::write(&other, format!("{seconds:+}\n"))?;
        Ok(fs::rename(other, &self.file)?)
    }

    pub(crate) fn jump(&self, seconds: i64) -> Result<()> {
        let mut jumps = self.jumps.lock().unwrap_or_else(PoisonError::into_inner);
        jumps.push((Instant::now(), None, seconds));
        self.write(seconds)
    }

    pub(crate) fn is_right_again(&self) -> Result<()> {
        self.write(0)?;
        let mut jumps = self.jumps.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, until, _) in jumps.iter_mut().filter(|(_, until, _)| until.is_none()) {
            // Twice what it takes until the last server has seen it.
            *until = Some(Instant::now() + 2 * IS_READ);
        }
        Ok(())
    }

    /// How far ahead a server may have been at any moment between these two.
    pub(crate) fn ahead(&self, from: Instant, to: Instant) -> Duration {
        let jumps = self.jumps.lock().unwrap_or_else(PoisonError::into_inner);
        let during = jumps
            .iter()
            .filter(|(since, until, _)| *since <= to && until.is_none_or(|until| until >= from));
        let most = during.map(|(.., seconds)| *seconds).max().unwrap_or(0);
        Duration::from_secs(most.max(0).unsigned_abs())
    }
}
