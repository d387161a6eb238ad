//! A person as a caller, where no request of theirs is at hand.

use chrono::DateTime;
use domain::{Person, Principal};
use store::StoreError;

use super::Service;

impl Service {
    /// What this person may do, by their role and teams as they are now. They have proven nothing lately.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn principal_for(&self, person: &Person) -> Result<Principal, StoreError> {
        Ok(Principal::Person {
            id: person.id,
            name: person.name.clone(),
            role: person.role,
            proven_at: DateTime::UNIX_EPOCH,
            teams: self.store.parts(person.id).await?,
        })
    }
}
