//! The hash chain over the journal: appending to it and going over it.

use domain::{
    Changeset, Event, NewEvent,
    journal::{Broken, Chain, Record},
};

use crate::{Result, Store, rows};

/// How many events are read at once.
const PAGE: u32 = 1_000;

/// How far the journal is known: the number and the hash of an event.
pub type JournalState = Chain;

/// Checks the whole journal, page by page, and returns its end.
///
/// # Errors
/// [`StoreError::Broken`](crate::StoreError::Broken) names the first event that does not fit.
pub async fn verify_journal(store: &dyn Store) -> Result<JournalState> {
    let mut known = JournalState::default();
    walk_journal(store, i64::MIN, |record| Ok(known.follow(&record)?)).await?;
    Ok(known)
}

/// Hands over every stored event after `after`, in order, page by page.
///
/// # Errors
/// [`StoreError::Broken`](crate::StoreError::Broken) with the event that cannot be read, and whatever `visit` says.
pub async fn walk_journal(
    store: &dyn Store,
    mut after: i64,
    mut visit: impl FnMut(Record) -> Result<()>,
) -> Result<()> {
    let mut limit = PAGE;
    loop {
        let page = match store.records_after(after, limit).await {
            Ok(page) => page,
            // Some row of the page is not as this program writes it: one by one from here, so that the
            // events before it are visited and it has a number.
            Err(error) if error.is_of_a_row() && limit > 1 => {
                limit = 1;
                continue;
            }
            Err(error) if error.is_of_a_row() => {
                let seq = store.seq_after(after).await?.unwrap_or(after + 1);
                return Err(Broken::new(seq, format!("it cannot be read: {error}")).into());
            }
            Err(error) => return Err(error),
        };
        let Some(last) = page.last() else {
            return Ok(());
        };
        after = last.seq;
        for record in page {
            visit(record)?;
        }
    }
}

/// Gives an event its place after `end`.
fn append(end: &mut JournalState, event: NewEvent) -> Result<(Record, Event)> {
    let record = rows::record(end.seq + 1, end.hash, &event)?;
    *end = JournalState {
        seq: record.seq,
        hash: record.hash,
    };
    let event = Event {
        seq: record.seq,
        id: event.id,
        at: event.at,
        actor: event.actor,
        agent_id: event.agent_id,
        interaction_id: event.interaction_id,
        task_id: event.task_id,
        payload: event.payload,
    };
    Ok((record, event))
}

/// Gives all events of a changeset their places after `end`.
pub(crate) fn append_all(
    end: &mut JournalState,
    changeset: Changeset,
) -> Result<(Vec<Record>, Vec<Event>)> {
    let appended: Result<Vec<_>> = changeset
        .events
        .into_iter()
        .map(|event| append(end, event))
        .collect();
    Ok(appended?.into_iter().unzip())
}
