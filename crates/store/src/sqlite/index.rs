//! The index of words, in the order of asking as far as its numbers can tell.
//!
//! FTS5 hands rows out in the order of their numbers without looking at the rest. So a text's number begins with the
//! time in its interaction's id, and the newest interactions come first.

use std::collections::BTreeSet;

use domain::InteractionId;
use futures::TryStreamExt;
use sqlx::{QueryBuilder, SqliteConnection};
use uuid::Uuid;

use super::{
    Store,
    dialect::holding,
    narrowed::{is_narrowed, narrow},
};
use crate::{InteractionQuery, Result, search::Text};

type Db = super::Db;

/// A number is a time in steps of 128 ms, then the end of the number of the event that the text comes from; between them
/// the bit that the migration gave to texts from before. Two texts get the same number only if their interactions are of
/// one step and exactly 134,217,728 events, or a multiple of it, lie between them. The second is refused then, and fits
/// as the next event.
const STEP_MILLIS_BITS: u32 = 7;
const IN_STEP_BITS: u32 = 28;
const SEQ_BITS: u32 = 27;
/// The last step for which there is room, in the year 2109.
const LAST_STEP: i64 = (1 << (63 - IN_STEP_BITS)) - 1;

/// Never falls while ids rise.
fn step(id: Uuid) -> i64 {
    let millis = id.as_u128() >> 80;
    i64::try_from(millis >> STEP_MILLIS_BITS).map_or(LAST_STEP, |step| step.min(LAST_STEP))
}

fn place(id: InteractionId, seq: i64) -> i64 {
    (step(id.0) << IN_STEP_BITS) | (seq & ((1 << SEQ_BITS) - 1))
}

/// The texts of a batch with their numbers.
pub(super) fn numbered(texts: &[Text]) -> Vec<(i64, &Text)> {
    let mut rows: Vec<(i64, &Text)> = texts
        .iter()
        .map(|text| (place(text.interaction, text.seq), text))
        .collect();
    // A number below the one before it would make FTS5 write a part of the index of its own for each.
    rows.sort_unstable_by_key(|(place, _)| *place);
    rows
}

/// Makes them findable.
pub(super) fn insert(sql: &mut QueryBuilder<Db>, texts: &[(i64, &Text)]) {
    if texts.is_empty() {
        return;
    }
    sql.push("INSERT INTO interaction_words (place, interaction_id, words) ");
    sql.push_values(texts, |mut row, (place, text)| {
        row.push_bind(*place)
            .push_bind(text.interaction.0)
            .push_bind(&text.words);
    });
    sql.push("; ");
}

/// Takes the texts of an interaction out again (rule 19): the index is told each text that goes.
pub(super) async fn forget(
    connection: &mut SqliteConnection,
    interaction: InteractionId,
) -> Result<()> {
    for sql in [
        "INSERT INTO interaction_search (interaction_search, rowid, words)
         SELECT 'delete', place, words FROM interaction_words WHERE interaction_id = $1",
        "DELETE FROM interaction_words WHERE interaction_id = $1",
    ] {
        sqlx::query(sql)
            .bind(interaction.0)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

impl Store {
    /// The newest `limit` interactions before this one that are searched for, newest first. The index is asked for the
    /// `rare` ones of their words.
    pub(super) async fn indexed(
        &self,
        query: &InteractionQuery,
        words: &[String],
        rare: &[String],
        before: Uuid,
        limit: usize,
    ) -> Result<Vec<Uuid>> {
        // Crossed, since rows have to come in the order of the index.
        let mut sql: QueryBuilder<Db> = QueryBuilder::new(
            "SELECT s.rowid, w.interaction_id
             FROM interaction_search s CROSS JOIN interaction_words w ON w.place = s.rowid
             WHERE interaction_search MATCH ",
        );
        sql.push_bind(beginnings(rare))
            .push(" AND s.rowid <= ")
            .push_bind((step(before) << IN_STEP_BITS) | ((1 << IN_STEP_BITS) - 1))
            .push(" AND w.interaction_id < ")
            .push_bind(before)
            .push(" AND ");
        // Also the words that were asked for: FTS5 takes some letters for others, and some for spaces.
        holding(&mut sql, words);
        if is_narrowed(query) {
            sql.push(" AND EXISTS (SELECT 1 FROM interactions i WHERE i.id = w.interaction_id");
            narrow(&mut sql, query);
            sql.push(")");
        }
        sql.push(" ORDER BY s.rowid DESC");
        let mut rows = sql.build_query_as::<(i64, Uuid)>().fetch(&self.read);
        let mut newest = BTreeSet::new();
        while let Some((place, id)) = rows.try_next().await? {
            // What follows is no younger than its step.
            let oldest = newest.first().filter(|_| newest.len() == limit);
            if oldest.is_some_and(|oldest| place >> IN_STEP_BITS < step(*oldest)) {
                break;
            }
            newest.insert(id);
            if newest.len() > limit {
                newest.pop_first();
            }
        }
        Ok(newest.into_iter().rev().collect())
    }
}

/// Letters and digits only, so no word can be taken for a part of the query language.
fn beginnings(words: &[String]) -> String {
    let words = words.iter().map(|word| match word.chars().nth(1) {
        Some(_) => format!("\"{word}\"*"),
        None => format!("\"{word}\""),
    });
    words.collect::<Vec<String>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u128, rest: u128) -> Uuid {
        Uuid::from_u128((millis << 80) | rest)
    }

    #[test]
    fn numbers_follow_ids_as_far_as_their_time_tells() {
        let now = 1_700_000_000_000;
        assert_eq!(step(at(now, 0)), step(at(now, u128::from(u64::MAX))));
        assert!(step(at(now, 0)) < step(at(now + 128, 0)));
        assert!(step(Uuid::nil()) < step(at(now, 0)));
        assert_eq!(step(Uuid::max()), LAST_STEP);
        let of = |millis, seq| place(InteractionId(at(millis, 0)), seq);
        assert!(of(now, i64::MAX) < of(now + 128, 1));
        assert!(of(now, 1) < of(now, 2));
        assert!(of(u128::MAX >> 80, i64::MAX) > 0);
    }
}
