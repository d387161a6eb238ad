//! Answers that stand, as stored.

use domain::{
    InteractionId, Memory,
    memory::{Ended, Kept, MemoryEnd, MemoryRecord},
};
use sqlx::FromRow;
use uuid::Uuid;

use super::time;
use crate::{MemoryUse, Result, StoreError};

/// An answer that stands, and what became of it.
#[derive(Debug, FromRow)]
pub(crate) struct MemoryRow {
    id: Uuid,
    terms: String,
    kept: Option<String>,
    signature: String,
    uses: i64,
    last_used_at: Option<i64>,
    ended_at: Option<i64>,
    ended_why: Option<String>,
}

/// An answer that stands, as its row has it.
pub(crate) struct MemoryText {
    pub(crate) terms: String,
    pub(crate) kept: Option<String>,
    pub(crate) question: Option<String>,
}

impl MemoryText {
    pub(crate) fn of(memory: &Memory) -> Result<Self> {
        let id = memory.terms.id.0;
        let wrong = |column| {
            move |error: serde_json::Error| StoreError::inconsistent("memories", column, id, error)
        };
        let kept = memory.kept.as_ref();
        let digest = |kept: &Kept| kept.question.digest();
        Ok(Self {
            terms: serde_json::to_string(&memory.terms).map_err(wrong("terms"))?,
            kept: kept
                .map(serde_json::to_string)
                .transpose()
                .map_err(wrong("kept"))?,
            question: kept.map(digest).transpose().map_err(wrong("question"))?,
        })
    }
}

impl TryFrom<MemoryRow> for MemoryRecord {
    type Error = StoreError;

    fn try_from(row: MemoryRow) -> Result<Self> {
        let wrong = |column| {
            move |error: serde_json::Error| {
                StoreError::inconsistent("memories", column, row.id, error)
            }
        };
        let kept: Option<Kept> = row
            .kept
            .map(|json| serde_json::from_str(&json).map_err(wrong("kept")))
            .transpose()?;
        let terms = serde_json::from_str(&row.terms).map_err(wrong("terms"))?;
        let when = |at| time(at, "memories", row.id);
        let ended = match (row.ended_at, row.ended_why) {
            (None, None) => None,
            (Some(at), Some(why)) => {
                let known = MemoryEnd::from_name(&why);
                Some(Ended {
                    at: when(at)?,
                    why: known.ok_or_else(|| {
                        StoreError::inconsistent("memories", "ended_why", row.id, why)
                    })?,
                })
            }
            _ => {
                let half = "only half of an end";
                return Err(StoreError::inconsistent(
                    "memories", "ended_at", row.id, half,
                ));
            }
        };
        let uses = u64::try_from(row.uses);
        Ok(Self {
            memory: Memory {
                terms,
                kept,
                signature: row.signature,
            },
            uses: uses
                .map_err(|error| StoreError::inconsistent("memories", "uses", row.id, error))?,
            last_used_at: row.last_used_at.map(when).transpose()?,
            ended,
        })
    }
}

/// Those that can be read. One that cannot answers nothing, and must not keep others from being shown.
pub(crate) fn memories(rows: Vec<MemoryRow>) -> Vec<MemoryRecord> {
    super::readable(rows.into_iter().map(MemoryRecord::try_from))
}

pub(crate) fn memory_use((interaction, at): (Uuid, i64)) -> Result<MemoryUse> {
    Ok(MemoryUse {
        interaction: InteractionId(interaction),
        at: time(at, "memory_uses", interaction)?,
    })
}
