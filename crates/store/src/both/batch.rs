//! The changesets of a batch, one after the other, inside its transaction.

use domain::{
    Changeset, Erasing, Event,
    journal::Record,
    obligation::{Obligation, obligations},
};

use super::{Connection, ended::Ended, opens, writes::apply};
use crate::{
    JournalState, Result, journal,
    search::{self, Text},
    writer::{Written, has_parts},
};

/// What became of them, and what is still to be written of all of them together.
#[derive(Default)]
pub(super) struct Batch<'a> {
    /// As many as changesets.
    pub(super) outcomes: Vec<Written>,
    pub(super) appended: Vec<Record>,
    /// What can be searched for.
    pub(super) texts: Vec<Text>,
    pub(super) owed: Vec<Obligation>,
    /// What is erased, and the number of the event that says so.
    pub(super) erased: Vec<(&'a Erasing, i64)>,
    /// Where the journal ends with them.
    pub(super) end: JournalState,
}

impl<'a> Batch<'a> {
    /// Writes the changesets; the journal ends at `end` before them.
    pub(super) async fn write(
        connection: &mut Connection,
        end: JournalState,
        changesets: &'a [Changeset],
    ) -> Result<Self> {
        let mut batch = Self {
            end,
            ..Self::default()
        };
        let mut left = changesets;
        while let Some(first) = left.first() {
            let opening = left.iter().take_while(|it| opens::only_opens(it).is_some());
            let (together, rest) = left.split_at(opening.count().max(1));
            left = rest;
            if opens::only_opens(first).is_some() {
                batch.open(connection, together).await?;
            } else {
                batch.apply(connection, first).await?;
            }
        }
        Ok(batch)
    }

    /// Writes changesets that only open an interaction. They are numbered as if all of them fitted, as nearly always they do.
    async fn open(&mut self, connection: &mut Connection, opening: &'a [Changeset]) -> Result<()> {
        let mut next = self.end;
        let mut numbered = Vec::with_capacity(opening.len());
        for changeset in opening {
            numbered.push(journal::append_all(&mut next, changeset)?);
        }
        let bytes: Vec<_> = numbered
            .iter()
            .map(|(stored, _)| journal::stored_bytes(stored))
            .collect();
        let fits = opens::open_all(connection, opening, &bytes).await?;
        let all_fit = fits.iter().all(|fits| *fits);
        if all_fit {
            self.end = next;
        }
        for ((changeset, numbered), fits) in opening.iter().zip(numbered).zip(fits) {
            if !fits {
                self.outcomes.push(Written::Conflict);
                continue;
            }
            let (stored, events) = match all_fit {
                true => numbered,
                false => journal::append_all(&mut self.end, changeset)?,
            };
            self.take(changeset, stored, &events);
            self.outcomes.push(Written::Committed(events));
        }
        Ok(())
    }

    async fn apply(&mut self, connection: &mut Connection, changeset: &'a Changeset) -> Result<()> {
        let mut next = self.end;
        let (stored, mut events) = journal::append_all(&mut next, changeset)?;
        let bytes = journal::stored_bytes(&stored);
        let mut ended = Ended::default();
        let fits = if journal::is_late(changeset, &self.end, &self.appended) {
            false
        } else if has_parts(changeset) {
            // Rows written before the part that does not fit have to go again.
            sqlx::query("SAVEPOINT parts")
                .execute(&mut *connection)
                .await?;
            let fits = apply(connection, changeset, bytes, self.end.seq, &mut ended).await?;
            if !fits {
                let back = sqlx::query("ROLLBACK TO SAVEPOINT parts");
                back.execute(&mut *connection).await?;
            }
            let release = sqlx::query("RELEASE SAVEPOINT parts");
            release.execute(&mut *connection).await?;
            fits
        } else {
            apply(connection, changeset, bytes, self.end.seq, &mut ended).await?
        };
        if !fits {
            self.outcomes.push(Written::Conflict);
            return Ok(());
        }
        self.end = next;
        self.take(changeset, stored, &events);
        // No word of these is searched for, and nobody is owed them.
        let (more, told) = ended.told(changeset.events.first(), &mut self.end)?;
        self.appended.extend(more);
        events.extend(told);
        self.outcomes.push(Written::Committed(events));
        Ok(())
    }

    /// Notes what is still to be written of a changeset that fits, whose events are these.
    pub(super) fn take(&mut self, changeset: &'a Changeset, stored: Vec<Record>, events: &[Event]) {
        let by = stored.last().map(|last| last.seq).unwrap_or_default();
        self.erased
            .extend(journal::erasing(changeset).map(|erasing| (erasing, by)));
        self.appended.extend(stored);
        self.owed.extend(obligations(events, &changeset.writes));
        self.texts.extend(events.iter().filter_map(search::text_of));
    }
}
