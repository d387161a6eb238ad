//! Decisions that stand or have stood, as stored: a grant and an answer have the same columns.

use chrono::{DateTime, Utc};
use sqlx::FromRow;
use uuid::Uuid;

use super::time;
use crate::{Result, StoreError};

/// One of them, and what became of it.
#[derive(Debug, FromRow)]
pub(crate) struct StoodRow {
    id: Uuid,
    terms: String,
    /// Erased with what it was made from.
    words: Option<String>,
    signature: String,
    uses: i64,
    last_used_at: Option<i64>,
    ended_at: Option<i64>,
    ended_why: Option<String>,
}

/// The same, read.
pub(super) struct Stood<Terms, Words, Uses, Why> {
    pub(super) terms: Terms,
    pub(super) words: Option<Words>,
    pub(super) signature: String,
    pub(super) uses: Uses,
    pub(super) last_used_at: Option<DateTime<Utc>>,
    pub(super) ended: Option<(DateTime<Utc>, Why)>,
}

impl StoodRow {
    /// Reads it: its terms, its words, which stand in this column of its table, and how it ended.
    pub(super) fn read<Terms, Words, Uses, Why>(
        self,
        (table, column): (&'static str, &'static str),
        terms: impl Fn(&str) -> serde_json::Result<Terms>,
        words: impl Fn(&str) -> serde_json::Result<Words>,
        end: impl Fn(&str) -> Option<Why>,
    ) -> Result<Stood<Terms, Words, Uses, Why>>
    where
        Uses: TryFrom<i64, Error: ToString>,
    {
        let wrong = |column, why: String| StoreError::inconsistent(table, column, self.id, why);
        let when = |at| time(at, table, self.id);
        let ended = match (self.ended_at, self.ended_why) {
            (None, None) => None,
            (Some(at), Some(why)) => match end(&why) {
                Some(why) => Some((when(at)?, why)),
                None => return Err(wrong("ended_why", why)),
            },
            _ => return Err(wrong("ended_at", "only half of an end".to_owned())),
        };
        let terms = terms(&self.terms);
        let words = self.words.as_deref().map(words).transpose();
        let uses = Uses::try_from(self.uses);
        Ok(Stood {
            terms: terms.map_err(|error| wrong("terms", error.to_string()))?,
            words: words.map_err(|error| wrong(column, error.to_string()))?,
            signature: self.signature,
            uses: uses.map_err(|error| wrong("uses", error.to_string()))?,
            last_used_at: self.last_used_at.map(when).transpose()?,
            ended,
        })
    }
}
