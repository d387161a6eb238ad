//! A question that comes alone, as most do, is written by one text from BEGIN to COMMIT: the way to the connection's thread and
//! back takes longer than the statements.
//!
//! It says what has to hold in a way that fails when it does not: a constraint is broken, nothing is kept, and the batch is
//! written the long way, which tells why. That another process has not written since is told by the number of its event.

use domain::{AgentId, Changeset, Day, Interaction, obligation::Destination, quota};
use sqlx::{QueryBuilder, Sqlite};

use super::{
    batch::Batch,
    commit::{is_small, push_last},
    opens::{self, Row},
};
use crate::{JournalState, Result, journal, writer::Written};

pub(super) struct Alone {
    pub(super) text: QueryBuilder<Sqlite>,
    pub(super) outcomes: Vec<Written>,
    /// Where the journal ends with it.
    pub(super) end: JournalState,
}

impl Alone {
    /// Nothing unless all that the changeset does is to open an interaction that is counted for its agent and owed to destinations
    /// that are there. The journal ends at `end` before it.
    pub(super) fn of(changeset: &Changeset, end: JournalState) -> Result<Option<Self>> {
        let (Some(opened), Some(whose)) = (
            opens::only_opens(changeset),
            quota::charged(&changeset.events),
        ) else {
            return Ok(None);
        };
        let mut batch = Batch {
            end,
            ..Batch::default()
        };
        let (stored, events) = journal::append_all(&mut batch.end, changeset)?;
        let bytes = journal::stored_bytes(&stored);
        batch.take(changeset, stored, &events);
        batch.outcomes.push(Written::Committed(events));
        let are_there = batch.owed.iter().all(|one| match one.destination {
            Destination::Webhook(_) | Destination::Reach(_) => true,
            Destination::Callback(_) | Destination::Slack(..) => false,
        });
        // The first bytes of a day are not compared.
        let has_none = changeset.quota == Some(0);
        if !are_there || has_none || !is_small(&batch) {
            return Ok(None);
        }

        let mut text = QueryBuilder::new("BEGIN IMMEDIATE; ");
        count(&mut text, opened, whose, bytes, changeset.quota);
        if let Some(key) = &changeset.key {
            opens::push_keys(&mut text, &[(opened, key)]);
            text.push("; ");
        }
        opens::push_rows(&mut text, &[Row::of(opened)?]);
        text.push("; ");
        push_last(&mut text, &batch);
        Ok(Some(Self {
            text,
            outcomes: batch.outcomes,
            end: batch.end,
        }))
    }
}

/// Counts its bytes. There is no number where its agent has had as much as it may, nor without the team that is asked: then the
/// column refuses.
fn count(
    text: &mut QueryBuilder<Sqlite>,
    opened: &Interaction,
    (agent, day): (AgentId, Day),
    bytes: i64,
    quota: Option<u64>,
) {
    text.push("INSERT INTO agent_usage (agent_id, day, bytes) VALUES (")
        .push_bind(agent.0)
        .push(", ")
        .push_bind(day.0)
        .push(", ");
    if let Some(team) = opened.team_id() {
        text.push("CASE WHEN EXISTS (SELECT 1 FROM teams WHERE deleted_at IS NULL AND id = ")
            .push_bind(team.0)
            .push(") THEN ")
            .push_bind(bytes)
            .push(" END");
    } else {
        text.push_bind(bytes);
    }
    let quota = quota.and_then(|quota| i64::try_from(quota).ok());
    text.push(
        ") ON CONFLICT (agent_id, day) DO UPDATE
           SET bytes = CASE WHEN agent_usage.bytes < ",
    )
    .push_bind(quota.unwrap_or(i64::MAX))
    .push(" THEN agent_usage.bytes + excluded.bytes END; ");
}
