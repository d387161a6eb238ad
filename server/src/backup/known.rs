//! The last good backup, as far as this process has looked: a metric reads neither a disk nor a bucket.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use chrono::{DateTime, Utc};

/// When it was begun. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct LastBackup(Arc<AtomicI64>);

impl LastBackup {
    pub(crate) fn set(&self, at: Option<DateTime<Utc>>) {
        let at = at.map_or(0, |at| at.timestamp_millis());
        self.0.store(at, Ordering::Relaxed);
    }

    /// How long ago that was at `now`; `None` where there is none, or none was looked for.
    pub(crate) fn age(&self, now: DateTime<Utc>) -> Option<Duration> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            at => (now - DateTime::from_timestamp_millis(at)?).to_std().ok(),
        }
    }
}
