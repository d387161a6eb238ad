//! The hash chain over the journal: appending to it and checking it.

use domain::{Changeset, Event, NewEvent, event::GENESIS};

use crate::{Result, Store, StoreError, rows::StoredEvent};

/// How far the journal is known: the number and the hash of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalState {
    /// The event's number; 0 before the first.
    pub seq: i64,
    /// The event's hash.
    pub hash: [u8; 32],
}

impl Default for JournalState {
    fn default() -> Self {
        Self {
            seq: 0,
            hash: GENESIS,
        }
    }
}

/// Checks the whole journal, page by page, and returns its end.
///
/// # Errors
/// [`StoreError::BrokenChain`] names the first event that does not fit.
pub async fn verify_journal(store: &dyn Store) -> Result<JournalState> {
    const PAGE: u32 = 1_000;
    let mut known = JournalState::default();
    loop {
        let next = store.verify_after(known, PAGE).await?;
        if next == known {
            return Ok(known);
        }
        known = next;
    }
}

impl JournalState {
    /// Gives an event its place after this one.
    pub(crate) fn append(&mut self, event: NewEvent) -> Result<(StoredEvent, Event)> {
        let stored = StoredEvent::new(self.seq + 1, self.hash, &event)?;
        *self = Self {
            seq: stored.seq,
            hash: stored.hash,
        };
        let event = Event {
            seq: stored.seq,
            id: event.id,
            at: event.at,
            actor: event.actor,
            agent_id: event.agent_id,
            interaction_id: event.interaction_id,
            task_id: event.task_id,
            payload: event.payload,
        };
        Ok((stored, event))
    }

    /// Gives all events of a changeset their places.
    pub(crate) fn append_all(
        &mut self,
        changeset: Changeset,
    ) -> Result<(Vec<StoredEvent>, Vec<Event>)> {
        let appended: Result<Vec<_>> = changeset
            .events
            .into_iter()
            .map(|event| self.append(event))
            .collect();
        Ok(appended?.into_iter().unzip())
    }

    /// Goes over stored events that should follow this one.
    pub(crate) fn verify(mut self, events: &[StoredEvent]) -> Result<Self> {
        for event in events {
            let broken = |why| {
                Err(StoreError::BrokenChain {
                    seq: self.seq + 1,
                    why,
                })
            };
            if event.seq != self.seq + 1 {
                return broken("it is missing");
            }
            if event.prev_hash != self.hash {
                return broken("it does not follow the event before it");
            }
            if event.entry().hash(&self.hash) != event.hash {
                return broken("its content was changed");
            }
            self = Self {
                seq: event.seq,
                hash: event.hash,
            };
        }
        Ok(self)
    }
}
