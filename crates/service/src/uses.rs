//! When tokens and sessions were last used, and what agents last asked after: kept in memory, written now and then, all at once.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Mutex, MutexGuard, PoisonError},
};

use chrono::{DateTime, TimeDelta, Utc};

use super::{Service, ServiceError};

/// How exact a last use is.
pub(super) const NOTED_EVERY: TimeDelta = TimeDelta::minutes(1);
/// How long what is written stays in memory where there is no end of new ones.
const KEPT_FOR: TimeDelta = TimeDelta::minutes(5);

impl Service {
    /// Writes the uses since the last time.
    ///
    /// # Errors
    /// When the database fails: then it is written next time.
    pub async fn write_uses(&self) -> Result<(), ServiceError> {
        let written = self.write_due().await;
        self.heard_since.note(written.is_ok(), self.now());
        written
    }

    async fn write_due(&self) -> Result<(), ServiceError> {
        // Also where nothing is due: without a database no agent gets through.
        self.store.last_seq().await?;
        let due = self.token_uses.due();
        if !due.is_empty() {
            self.store.tokens_used(&due).await?;
            self.token_uses.written(&due);
        }
        let due = self.asked_after.due();
        if !due.is_empty() {
            self.store.asked_after(&due).await?;
            self.asked_after.written(&due);
        }
        // What waits no more is asked after no more.
        self.asked_after.forget(self.now() - KEPT_FOR);
        let due = self.listened.due();
        if !due.is_empty() {
            self.store.listened(&due).await?;
            self.listened.written(&due);
        }
        let due = self.session_uses.due();
        if !due.is_empty() {
            self.store.sessions_used(&due).await?;
            self.session_uses.written(&due);
        }
        Ok(())
    }
}

/// When each was last used, and up to when that is in the database.
#[derive(Debug)]
pub(super) struct Uses<Id>(Mutex<HashMap<Id, Use>>);

impl<Id> Default for Uses<Id> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

#[derive(Clone, Copy, Debug)]
struct Use {
    at: DateTime<Utc>,
    written: bool,
}

impl<Id: Copy + Eq + Hash + Ord> Uses<Id> {
    pub(super) fn note(&self, used: Id, now: DateTime<Utc>) {
        self.note_every(NOTED_EVERY, used, now);
    }

    /// As [`Uses::note`], where that is not exact enough.
    pub(super) fn note_every(&self, every: TimeDelta, used: Id, now: DateTime<Utc>) {
        let mut uses = self.lock();
        let known = uses.get(&used);
        if known.is_none_or(|known| (now - known.at).abs() >= every) {
            let news = Use {
                at: now,
                written: false,
            };
            uses.insert(used, news);
        }
    }

    /// The last use that is known here.
    pub(super) fn last(&self, used: Id) -> Option<DateTime<Utc>> {
        self.lock().get(&used).map(|known| known.at)
    }

    /// Forgets what is written and was last used before that.
    fn forget(&self, before: DateTime<Utc>) {
        self.lock()
            .retain(|_, known| !known.written || known.at >= before);
    }

    fn due(&self) -> Vec<(Id, DateTime<Utc>)> {
        let uses = self.lock();
        let due = uses.iter().filter(|(_, known)| !known.written);
        let mut due: Vec<_> = due.map(|(used, known)| (*used, known.at)).collect();
        // Nodes that write the same rows at once must not wait for each other.
        due.sort_unstable();
        due
    }

    fn written(&self, written: &[(Id, DateTime<Utc>)]) {
        let mut uses = self.lock();
        for (used, at) in written {
            if let Some(known) = uses.get_mut(used) {
                known.written |= known.at == *at;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Id, Use>> {
        // A thread that panicked while holding it left a whole map behind: every change is one
        // call.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
