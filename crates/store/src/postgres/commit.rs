//! One batch of changesets as one Postgres transaction.

use domain::{Changeset, journal::Record, obligation::obligations};
use sqlx::{Connection, PgConnection, PgPool};

use super::{
    ended::Ended,
    writes::{apply, journal_end},
};
use crate::{
    Result, journal, search,
    writer::{BatchError, CommitBatch, Written, has_parts},
};

/// Any number no other program uses: "handrais" in ASCII.
const JOURNAL_LOCK: i64 = i64::from_be_bytes(*b"handrais");

pub(super) struct Batches(pub(super) PgPool);

impl CommitBatch for Batches {
    async fn write(&self, batch: &[Changeset]) -> std::result::Result<Vec<Written>, BatchError> {
        let mut transaction = self.0.begin().await?;
        // Held to the end of the transaction: events are numbered in commit order over all nodes, so no
        // reader can see a number and miss a smaller one that commits later.
        sqlx::query("SELECT pg_advisory_xact_lock($1)")
            .bind(JOURNAL_LOCK)
            .execute(&mut *transaction)
            .await?;
        let mut end = journal_end(&mut transaction).await?;
        let mut outcomes = Vec::with_capacity(batch.len());
        let mut appended = Vec::with_capacity(batch.len());
        let mut texts = Vec::with_capacity(batch.len());
        let mut owed = Vec::new();
        let mut erased = Vec::new();
        for changeset in batch {
            let mut next = end;
            let (stored, events) = journal::append_all(&mut next, changeset.clone())?;
            let bytes = journal::stored_bytes(&stored);
            let mut ended = Ended::default();
            let fits = if journal::is_late(changeset, &end, &appended) {
                false
            } else if has_parts(changeset) {
                // Rows written before the part that does not fit have to go again.
                let mut nested = transaction.begin().await?;
                let fits = apply(&mut nested, changeset, bytes, end.seq, &mut ended).await?;
                if fits {
                    nested.commit().await?;
                } else {
                    nested.rollback().await?;
                }
                fits
            } else {
                apply(&mut transaction, changeset, bytes, end.seq, &mut ended).await?
            };
            if !fits {
                outcomes.push(Written::Conflict);
                continue;
            }
            end = next;
            erased.extend(journal::erasing(changeset).map(|erasing| (erasing, end.seq)));
            appended.extend(stored);
            owed.extend(obligations(&events, &changeset.writes));
            texts.extend(events.iter().filter_map(search::text_of));
            // No word of these is searched for, and nobody is owed them.
            let (more, told) = ended.told(changeset.events.first(), &mut end)?;
            appended.extend(more);
            outcomes.push(Written::Committed([events, told].concat()));
        }
        append(&mut transaction, &appended).await?;
        super::index::insert(&mut transaction, &texts).await?;
        super::outbox::insert(&mut transaction, &owed, None).await?;
        for (erasing, by) in erased {
            super::erase::sweep(&mut transaction, erasing, by).await?;
        }
        transaction
            .commit()
            .await
            .map_err(|error| BatchError::Unknown(error.into()))?;
        Ok(outcomes)
    }

    async fn announce(&self) {
        // Only a hint, and NOTIFY takes a lock of the whole database cluster at commit: hence once per
        // batch, outside its transaction, and a failure does no harm.
        if let Err(error) = sqlx::query("SELECT pg_notify($1, '')")
            .bind(super::CHANNEL)
            .execute(&self.0)
            .await
        {
            tracing::debug!(%error, "could not notify other nodes");
        }
    }
}

/// All events of the batch in one round trip.
async fn append(connection: &mut PgConnection, events: &[Record]) -> Result<()> {
    fn column<T>(events: &[Record], of: impl Fn(&Record) -> T) -> Vec<T> {
        events.iter().map(of).collect()
    }
    sqlx::query(
        "INSERT INTO events (seq, id, at, type, agent_id, interaction_id, task_id, actor, payload,
            prev_hash, hash, kept, salt)
         SELECT * FROM UNNEST($1::bigint[], $2::uuid[], $3::bigint[], $4::text[], $5::uuid[], $6::uuid[],
            $7::text[], $8::text[], $9::text[], $10::bytea[], $11::bytea[],
            $12::text[], $13::bytea[])",
    )
    .bind(column(events, |event| event.seq))
    .bind(column(events, |event| event.id.0))
    .bind(column(events, |event| event.at))
    .bind(column(events, |event| event.event_type.clone()))
    .bind(column(events, |event| event.agent_id.map(|id| id.0)))
    .bind(column(events, |event| event.interaction_id.map(|id| id.0)))
    .bind(column(events, |event| event.task_id.clone()))
    .bind(column(events, |event| event.actor.clone()))
    .bind(column(events, |event| event.payload.clone()))
    .bind(column(events, |event| event.prev_hash.to_vec()))
    .bind(column(events, |event| event.hash.to_vec()))
    .bind(column(events, |event| event.kept.clone()))
    .bind(column(events, |event| event.salt.map(|it| it.to_vec())))
    .execute(connection)
    .await?;
    Ok(())
}
