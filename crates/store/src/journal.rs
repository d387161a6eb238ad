//! The hash chain over the journal: appending to it and going over it.

use domain::{
    Changeset, Erasing, Event, InteractionEvent, InteractionId, JournalEvent, NewEvent, Payload,
    Write,
    event::Restored,
    journal::{Broken, Chain, Erasures, Record},
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
    let mut erasures = Erasures::default();
    walk_journal(store, i64::MIN, |record| {
        known.follow(&record)?;
        Ok(erasures.follow(&record)?)
    })
    .await?;
    erasures.finish()?;
    Ok(known)
}

/// Hands over every stored event after `after`, in order, page by page.
///
/// # Errors
/// [`StoreError::Broken`](crate::StoreError::Broken) with the event that cannot be read, and the errors of `visit`.
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

/// How much room events and their consequences take. Roughly: their content stands in the journal, in a row of
/// its own and among the words to search for, and each has its entries in indexes.
pub(crate) fn stored_bytes(appended: &[Record]) -> i64 {
    const TIMES: usize = 3;
    const EACH: usize = 1_024;
    let said = appended.iter().map(|record| {
        let said = record.payload.len() + record.actor.len();
        TIMES * said + EACH
    });
    i64::try_from(said.sum::<usize>()).unwrap_or(i64::MAX)
}

/// The events of an interaction up to one of them, without those before it that changed nothing: these may have
/// come any number of times.
///
/// # Errors
/// When the database fails.
pub async fn history_of(
    store: &dyn Store,
    interaction: InteractionId,
    up_to: i64,
) -> Result<Vec<Event>> {
    const PAGE: u32 = 100;
    let mut events = Vec::new();
    let mut after = 0;
    loop {
        let page = store.events_of(interaction, after, PAGE).await?;
        let more = page.more;
        after = page.up_to;
        let read = page.into_iter().take_while(|event| event.seq <= up_to);
        events.extend(read.filter(|event| event.seq == up_to || !is_aside(&event.payload)));
        if !more || after >= up_to {
            return Ok(events);
        }
    }
}

/// Whether an interaction is the same without it.
fn is_aside(payload: &Payload) -> bool {
    matches!(
        payload,
        Payload::Interaction(
            InteractionEvent::AnswerRejected { .. } | InteractionEvent::ReplyEdited { .. }
        )
    )
}

/// The interaction whose words go with this changeset, if there is one.
pub(crate) fn erasing(changeset: &Changeset) -> Option<&Erasing> {
    changeset.writes.iter().find_map(|write| match write {
        Write::Erase(erasing) => Some(&**erasing),
        _ => None,
    })
}

/// Whether something came before it, of which it knows nothing: in the same batch another event of an interaction that it
/// erases, or other policies than it was decided under; or any event, where it says after which one the journal goes on.
pub(crate) fn is_late(changeset: &Changeset, end: &JournalState, appended: &[Record]) -> bool {
    let mut restored = changeset.events.iter().filter_map(restored);
    if restored.any(|it| it.after != end.seq || it.number <= end.seq) {
        return true;
    }
    let mut writes = changeset.writes.iter();
    let rests_on_policies = writes.any(|write| matches!(write, Write::Policy(_)));
    let are_others = |record: &Record| record.event_type.starts_with("policies.");
    if rests_on_policies && appended.iter().any(are_others) {
        return true;
    }
    erasing(changeset).is_some_and(|erasing| {
        let id = Some(erasing.interaction.id);
        appended.iter().any(|record| record.interaction_id == id)
    })
}

/// Where the journal goes on with this event, if it was put back before.
fn restored(event: &NewEvent) -> Option<&Restored> {
    match &event.payload {
        Payload::Journal(JournalEvent::Restored(restored)) => Some(restored),
        _ => None,
    }
}

/// Gives an event its place after `end`.
fn append(end: &mut JournalState, event: NewEvent) -> Result<(Record, Event)> {
    let seq = restored(&event).map_or(end.seq + 1, |it| it.number);
    let record = rows::record(seq, end.hash, &event)?;
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
        is_erased: false,
    };
    Ok((record, event))
}

/// Gives all events of a changeset their places after `end`.
pub(crate) fn append_all(
    end: &mut JournalState,
    changeset: &Changeset,
) -> Result<(Vec<Record>, Vec<Event>)> {
    append_events(end, changeset.events.iter().cloned())
}

/// Gives events their places after `end`.
pub(crate) fn append_events(
    end: &mut JournalState,
    events: impl IntoIterator<Item = NewEvent>,
) -> Result<(Vec<Record>, Vec<Event>)> {
    let appended = events.into_iter().map(|event| append(end, event));
    let appended: Result<Vec<_>> = appended.collect();
    Ok(appended?.into_iter().unzip())
}
