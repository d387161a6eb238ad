//! Rule 19: all that people and agents wrote in an interaction goes.

use crate::{
    changeset::{Blanked, Changeset, Erasing, Write},
    decide::next::event,
    event::{Erasure, Event, InteractionEvent, Named, Payload},
    ids::Moment,
    interaction::{Erased, Interaction},
    journal::Record,
    principal::{Actor, Principal},
    refused::Refused,
    task::Task,
};

/// All that is stored of an interaction, read at one moment.
#[derive(Clone, Debug)]
pub struct Erasable {
    /// Its row, of which nothing is proven.
    pub interaction: Interaction,
    /// Its events, from the first on.
    pub records: Vec<Record>,
    /// Its task, if that has no other interaction whose words are still there: then they go with this one.
    pub task: Option<(Task, Vec<Record>)>,
}

/// An admin erases a closed interaction. It cannot be undone, so a browser that was left open is not enough. Its card changes
/// at once.
///
/// # Errors
/// [`Refused::NotAnAdmin`], [`Refused::Unproven`], [`Refused::CancelFirst`]; [`Refused::Unchanged`] when it is erased already;
/// [`Refused::Altered`] when its row says something else than its events: that is to be looked at first.
pub fn erase(known: &Erasable, by: &Principal, now: Moment<'_>) -> Result<Changeset, Refused> {
    erased_by(known, by.proven_admin(now.at)?, false, now)
}

/// As [`erase`], one of many that an admin erases: their cards change in between what people wait for.
///
/// # Errors
/// As [`erase`].
pub fn erase_of_many(
    known: &Erasable,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    erased_by(known, by.proven_admin(now.at)?, true, now)
}

/// It has been kept for as long as a setting says, as many others have.
///
/// # Errors
/// As [`erase`].
pub fn erase_old(known: &Erasable, now: Moment<'_>) -> Result<Changeset, Refused> {
    erased_by(known, Actor::Deadline, true, now)
}

fn erased_by(
    known: &Erasable,
    by: Actor,
    of_many: bool,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let Erasable {
        interaction,
        records,
        task,
    } = known;
    if interaction.erased.is_some() {
        return Err(Refused::Unchanged);
    }
    if interaction.state.is_pending() {
        return Err(Refused::CancelFirst);
    }
    // Those that cannot be read change nothing, here as everywhere.
    let events: Vec<Event> = records.iter().filter_map(|it| it.read().ok()).collect();
    let told = Interaction::replay(&events).map(|told| told.with_team_as_in(interaction));
    let told = told.filter(|told| told == interaction);
    let (Some(told), Some(last)) = (told, records.last()) else {
        return Err(Refused::Altered);
    };
    let had_files = !told.request.attached().is_empty();
    let next = Interaction {
        version: told.version + 1,
        erased: Some(Erased {
            at: now.at,
            by: by.clone(),
        }),
        ..told.without_words()
    };
    let of_task = task.iter().flat_map(|(_, records)| records);
    let mut with_words: Vec<&Record> = records.iter().chain(of_task).collect();
    with_words.sort_by_key(|record| record.seq);
    with_words.dedup_by_key(|record| record.seq);
    let (events, named) = with_words.into_iter().filter_map(blank).unzip();
    let payload = InteractionEvent::Erased(Box::new(Erasure { events: named }));
    let mut changeset = Changeset {
        events: vec![event(&next, by, payload, now)],
        writes: vec![Write::Erase(Box::new(Erasing {
            interaction: next,
            events,
            last_seq: last.seq,
            of_many,
            had_files,
        }))],
        key: None,
        quota: None,
    };
    if let Some((task, _)) = task {
        changeset.writes.push(Write::Task(Task {
            version: task.version + 1,
            ..task.without_words()
        }));
    }
    Ok(changeset)
}

/// What is left of an event, and its name; `None` when it has no words, or has none any more.
fn blank(record: &Record) -> Option<(Blanked, Named)> {
    if record.erased_by.is_some() {
        return None;
    }
    let payload = match &record.kept {
        Some(kept) => kept.clone(),
        // The first formats did not keep this apart.
        None => match Payload::read(&record.event_type, &record.payload) {
            Ok(payload) => {
                let blank = payload.without_words();
                if blank == payload {
                    return None;
                }
                blank.stored().unwrap_or_else(|_| NOTHING.to_owned())
            }
            Err(_) => NOTHING.to_owned(),
        },
    };
    let digest = record.salted_digest();
    let left = Record {
        payload: payload.clone(),
        salt: None,
        ..record.clone()
    };
    let named = Named {
        seq: record.seq,
        hash: record.hash,
        left: record.kept.is_none().then(|| left.left()),
    };
    let blanked = Blanked {
        seq: record.seq,
        payload,
        digest,
    };
    Some((blanked, named))
}

/// What is left of a payload that no program of ours reads.
const NOTHING: &str = "{}";
