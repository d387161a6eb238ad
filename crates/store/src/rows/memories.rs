//! Answers that stand, as stored.

use domain::{
    InteractionId, Memory,
    memory::{Ended, Kept, MemoryEnd, MemoryRecord},
};
use uuid::Uuid;

use super::{StoodRow, time};
use crate::{MemoryUse, Result, StoreError};

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

impl TryFrom<StoodRow> for MemoryRecord {
    type Error = StoreError;

    fn try_from(row: StoodRow) -> Result<Self> {
        let read = row.read(
            ("memories", "kept"),
            |terms| serde_json::from_str(terms),
            |words| serde_json::from_str(words),
            MemoryEnd::from_name,
        )?;
        Ok(Self {
            memory: Memory {
                terms: read.terms,
                kept: read.words,
                signature: read.signature,
            },
            uses: read.uses,
            last_used_at: read.last_used_at,
            ended: read.ended.map(|(at, why)| Ended { at, why }),
        })
    }
}

/// Those that can be read. One that cannot answers nothing, and must not keep others from being shown.
pub(crate) fn memories(rows: Vec<StoodRow>) -> Vec<MemoryRecord> {
    super::readable(rows.into_iter().map(MemoryRecord::try_from))
}

pub(crate) fn memory_use((interaction, at): (Uuid, i64)) -> Result<MemoryUse> {
    Ok(MemoryUse {
        interaction: InteractionId(interaction),
        at: time(at, "memory_uses", interaction)?,
    })
}
