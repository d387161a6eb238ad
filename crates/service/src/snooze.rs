//! Snoozes: blockers that a person has hidden for a while.

use chrono::{DateTime, Utc};
use domain::{
    InteractionId, PersonId, Principal,
    decide::interaction::{self as decide, Snooze},
};
use store::StoreError;

use super::{Service, ServiceError};

impl Service {
    /// Puts it off for this person alone.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`]; [`domain::Refused::NotAResponder`] for who is no person,
    /// [`domain::Refused::Closed`], [`domain::Refused::Invalid`].
    pub async fn snooze(
        &self,
        id: InteractionId,
        until: DateTime<Utc>,
        by: &Principal,
    ) -> Result<Snooze, ServiceError> {
        let interaction = self.interaction(id, by).await?;
        let snooze = decide::snooze(&interaction, until, by, self.moment())?;
        self.store.snooze(&snooze).await?;
        self.tell_pages_of(snooze.person);
        Ok(snooze)
    }

    /// Shows it to them again.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn end_snooze(&self, id: InteractionId, person: PersonId) -> Result<(), StoreError> {
        if self.store.end_snooze(person, id).await? {
            self.tell_pages_of(person);
        }
        Ok(())
    }

    pub(super) fn tell_pages_of(&self, person: PersonId) {
        // There may be no open page.
        let _ = self.snoozes_changed.send(person);
    }

    /// What this person has snoozed, the next to come back first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn snoozed(&self, person: PersonId) -> Result<Vec<Snooze>, StoreError> {
        self.store.snoozes_of(person, self.now()).await
    }

    /// Forgets what has come back, and returns how much that was.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn forget_snoozes(&self) -> Result<u64, StoreError> {
        self.store.forget_snoozes(self.now()).await
    }
}
