//! What a person does not want to see for a while.

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
        self.store.put_off(&snooze).await?;
        self.tell_pages_of(snooze.person);
        Ok(snooze)
    }

    /// Shows it to them again.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn end_snooze(&self, id: InteractionId, person: PersonId) -> Result<(), StoreError> {
        if self.store.put_back(person, id).await? {
            self.tell_pages_of(person);
        }
        Ok(())
    }

    pub(super) fn tell_pages_of(&self, person: PersonId) {
        // Nobody may have a page open.
        let _ = self.snoozes_changed.send(person);
    }

    /// What this person has put off, the next to come back first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn snoozed(&self, person: PersonId) -> Result<Vec<Snooze>, StoreError> {
        self.store.put_off_by(person, self.now()).await
    }

    /// Forgets what has come back, and returns how much that was.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn forget_snoozes(&self) -> Result<u64, StoreError> {
        self.store.forget_snoozes(self.now()).await
    }
}
