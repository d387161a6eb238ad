//! A database that was put back from a backup is behind what was signed and sent: its journal goes on further ahead.

use domain::{
    JournalEvent, Payload, Principal,
    decide::journal::{self as rules, PutBack, Standing},
    event::Restored,
};
use store::{GrantQuery, MemoryQuery};

use crate::{Service, ServiceError};

/// How many grants are read at once.
const PAGE: u32 = 1_000;

impl Service {
    /// Goes on after the last event that is there. `signed` is how many events were signed before, as far as that is known.
    ///
    /// # Errors
    /// [`domain::Refused::NotAnAdmin`]; [`ServiceError::NotFound`] when there is no event yet.
    pub async fn go_on(&self, signed: i64, by: &Principal) -> Result<Restored, ServiceError> {
        loop {
            let after = self.store.last_seq().await?;
            let last = self.store.event(after).await?;
            let found = PutBack {
                after,
                at: last.ok_or(ServiceError::NotFound)?.at,
                signed,
            };
            let standing = self.standing(by).await?;
            let changeset = rules::go_on(found, &standing, by, self.moment())?;
            let restored = changeset
                .events
                .iter()
                .find_map(|event| match event.payload {
                    Payload::Journal(JournalEvent::Restored(restored)) => Some(restored),
                    _ => None,
                });
            if self.is_first(changeset).await? {
                return restored.ok_or(ServiceError::NotFound);
            }
        }
    }
    /// All that approves or answers by itself.
    async fn standing(&self, by: &Principal) -> Result<Standing, ServiceError> {
        let (now, audience, mut all) = (self.now(), by.audience(), Standing::default());
        let mut before = None;
        loop {
            let query = GrantQuery {
                before,
                open_since: Some(now),
                limit: PAGE,
            };
            let page = self.store.grants(&audience, query).await?;
            before = page.last().map(|it| it.grant.terms.id);
            all.grants.extend(page);
            if before.is_none() {
                break;
            }
        }
        let mut before = None;
        loop {
            let query = MemoryQuery {
                before,
                open_since: Some(now),
                limit: PAGE,
            };
            let page = self.store.memories(&audience, query).await?;
            before = page.last().map(|it| it.memory.terms.id);
            all.memories.extend(page);
            if before.is_none() {
                return Ok(all);
            }
        }
    }
}
