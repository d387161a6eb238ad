//! The index of words. It knows no order, so everything it finds is sorted.

use domain::InteractionId;
use sqlx::{PgConnection, QueryBuilder};
use uuid::Uuid;

use super::{
    Db, Store,
    dialect::holding,
    narrowed::{is_narrowed, narrow},
};
use crate::{InteractionQuery, Result, search::Text};

/// How many texts are read before the index is asked. A word that a page cannot be filled from among these is in so few
/// that sorting them is quick, unless it was common once.
const TEXTS: usize = 16_384;

/// Makes the texts of a batch findable, in one round trip.
pub(super) async fn insert(connection: &mut PgConnection, texts: &[Text]) -> Result<()> {
    let (ids, words): (Vec<Uuid>, Vec<&str>) = texts
        .iter()
        .map(|text| (text.interaction.0, text.words.as_str()))
        .unzip();
    sqlx::query(
        "INSERT INTO interaction_words (interaction_id, words)
         SELECT id, array_to_tsvector(array_remove(string_to_array(words, ' '), ''))
         FROM UNNEST($1::uuid[], $2::text[]) AS row (id, words)",
    )
    .bind(ids)
    .bind(words)
    .execute(connection)
    .await?;
    Ok(())
}

/// Takes the texts of an interaction out again (rule 19).
pub(super) async fn forget(
    connection: &mut PgConnection,
    interaction: InteractionId,
) -> Result<()> {
    sqlx::query("DELETE FROM interaction_words WHERE interaction_id = $1")
        .bind(interaction.0)
        .execute(connection)
        .await?;
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
        if !is_narrowed(query) {
            let newest = self.among_newest(words, before, limit).await?;
            if newest.len() == limit {
                return Ok(newest);
            }
        }
        // Materialized, or the planner, which knows little of beginnings, might walk through all interactions in their
        // order for a word that hardly one of them has.
        let mut sql: QueryBuilder<Db> = QueryBuilder::new(
            "WITH matching AS MATERIALIZED (
                 SELECT DISTINCT w.interaction_id AS id FROM interaction_words w WHERE ",
        );
        holding(&mut sql, rare);
        sql.push(" AND w.interaction_id < ").push_bind(before);
        if rare.len() < words.len() {
            // Inside of this, a condition is none that the index could be asked for.
            sql.push(" AND CASE WHEN ");
            holding(&mut sql, words);
            sql.push(" THEN TRUE END");
        }
        sql.push(") SELECT m.id FROM matching m");
        if is_narrowed(query) {
            // One at a time: joined, all interactions would be read, since the planner takes any word to be in thousands.
            sql.push(" WHERE (SELECT TRUE FROM interactions i WHERE i.id = m.id");
            narrow(&mut sql, query);
            sql.push(")");
        }
        sql.push(" ORDER BY m.id DESC LIMIT ")
            .push_bind(i64::try_from(limit).unwrap_or(i64::MAX));
        // Planned anew each time: a plan for any words would be one for rare ones.
        let found = sql.build_query_scalar().persistent(false);
        Ok(found.fetch_all(&self.read).await?)
    }
    /// As many of them as stand in the newest texts before this one: texts alone are read several times as fast as
    /// interactions with theirs. Of the oldest a text may be missed, so less than `limit` is no answer.
    async fn among_newest(
        &self,
        words: &[String],
        before: Uuid,
        limit: usize,
    ) -> Result<Vec<Uuid>> {
        let mut sql: QueryBuilder<Db> = QueryBuilder::new(
            "SELECT DISTINCT t.id FROM (SELECT w.interaction_id AS id, CASE WHEN ",
        );
        holding(&mut sql, words);
        sql.push(" THEN TRUE END AS fits FROM interaction_words w WHERE w.interaction_id < ")
            .push_bind(before)
            .push(format!(
                " ORDER BY w.interaction_id DESC LIMIT {TEXTS}) t WHERE t.fits ORDER BY t.id DESC LIMIT "
            ))
            .push_bind(i64::try_from(limit).unwrap_or(i64::MAX));
        let found = sql.build_query_scalar().persistent(false);
        Ok(found.fetch_all(&self.read).await?)
    }
}
