//! Lists of interactions: narrowed by what is asked for, newest first.
//!
//! Words are a condition that no index has in this order. So the newest interactions are looked through first, which
//! finds common words, and interactions that are few for another reason; a word that is rare among those is left to the
//! index of words.

use domain::Audience;
use sqlx::{Database, FromRow, QueryBuilder, Row};
use uuid::Uuid;

use super::{
    Db, Store,
    audience::{OF_INTERACTION, seen},
    dialect::{LOOKED_THROUGH, holding},
};
use crate::{InteractionQuery, Result, WhichTeam, search};

/// A word is common that so many of the newest texts have.
const SAMPLE: i64 = 500;
const COMMON: i64 = SAMPLE / 10;

impl Store {
    /// The rows of a list, of at most `many` interactions: `sql` selects from `interactions i`, without a condition yet.
    pub(super) async fn newest<R>(
        &self,
        mut sql: QueryBuilder<Db>,
        query: &InteractionQuery,
        many: i64,
    ) -> Result<Vec<R>>
    where
        R: for<'r> FromRow<'r, <Db as Database>::Row> + Send + Unpin,
    {
        let query = &InteractionQuery {
            audience: self.as_narrow(&query.audience).await?,
            ..query.clone()
        };
        if let Some(search) = &query.search {
            let words = search::words(search);
            let limit = usize::try_from(many).unwrap_or(usize::MAX);
            let found = self.found(query, &words, limit).await?;
            if found.is_empty() {
                return Ok(Vec::new());
            }
            among(&mut sql, &found);
        } else {
            narrow(&mut sql, query);
            if let Some(before) = query.before {
                sql.push(" AND i.id < ").push_bind(before.0);
            }
        }
        sql.push(" ORDER BY i.id DESC LIMIT ").push_bind(many);
        // Lists of ids have as many lengths as there are pages: not worth keeping.
        let rows = sql.build_query_as().persistent(query.search.is_none());
        Ok(rows.fetch_all(&self.read).await?)
    }

    /// The newest `limit` interactions that a query narrows to and that have a text with words that begin with these,
    /// newest first.
    pub(super) async fn found(
        &self,
        query: &InteractionQuery,
        words: &[String],
        limit: usize,
    ) -> Result<Vec<Uuid>> {
        let mut found = Vec::new();
        if words.is_empty() {
            return Ok(found);
        }
        let mut before = query.before.map_or(Uuid::max(), |before| before.0);
        for &many in LOOKED_THROUGH {
            let looked_at = self.look_through(query, words, before, many).await?;
            let fitting = looked_at.iter().filter(|(_, fits)| *fits);
            found.extend(fitting.map(|(id, _)| *id));
            let last = looked_at.last().filter(|_| looked_at.len() == many);
            match last {
                Some((id, _)) if found.len() < limit => before = *id,
                _ => {
                    found.truncate(limit);
                    return Ok(found);
                }
            }
        }
        let left = limit - found.len();
        let rare = self.rare(words, before).await?;
        found.extend(self.indexed(query, words, &rare, before, left).await?);
        Ok(found)
    }

    /// Those of the words that an index finds few texts by, or all of them if it finds many by each. It would gather
    /// every text of a common word beside a rare one.
    async fn rare(&self, words: &[String], before: Uuid) -> Result<Vec<String>> {
        if words.len() == 1 {
            return Ok(words.to_vec());
        }
        let mut sql: QueryBuilder<Db> = QueryBuilder::new("SELECT ");
        for (n, word) in words.iter().enumerate() {
            sql.push(if n == 0 { "" } else { ", " });
            sql.push("COUNT(CASE WHEN ");
            holding(&mut sql, std::slice::from_ref(word));
            sql.push(" THEN 1 END)");
        }
        sql.push(" FROM (SELECT words FROM interaction_words WHERE interaction_id < ")
            .push_bind(before)
            .push(format!(" ORDER BY interaction_id DESC LIMIT {SAMPLE}) w"));
        let row = sql.build().fetch_one(&self.read).await?;
        let mut rare = Vec::new();
        for (n, word) in words.iter().enumerate() {
            if row.try_get::<i64, _>(n)? < COMMON {
                rare.push(word.clone());
            }
        }
        Ok(if rare.is_empty() {
            words.to_vec()
        } else {
            rare
        })
    }

    /// The `many` newest before this one, and of each whether it is one that is searched for.
    async fn look_through(
        &self,
        query: &InteractionQuery,
        words: &[String],
        before: Uuid,
        many: usize,
    ) -> Result<Vec<(Uuid, bool)>> {
        // Among what is returned, conditions cannot tempt the planner to look at more rows than these.
        let mut sql: QueryBuilder<Db> = QueryBuilder::new("SELECT i.id, CASE WHEN TRUE");
        narrow(&mut sql, query);
        sql.push(" AND (SELECT MAX(CASE WHEN ");
        holding(&mut sql, words);
        sql.push(
            " THEN 1 ELSE 0 END) FROM interaction_words w WHERE w.interaction_id = i.id) = 1
             THEN TRUE ELSE FALSE END FROM interactions i WHERE ",
        );
        along(&mut sql, query);
        sql.push("i.id < ").push_bind(before);
        sql.push(format!(" ORDER BY i.id DESC LIMIT {many}"));
        Ok(sql.build_query_as().fetch_all(&self.read).await?)
    }
}

/// Adds the one condition that leaves fewest, of those that have an index in the order of ids.
fn along(sql: &mut QueryBuilder<Db>, query: &InteractionQuery) {
    if let Some(session_id) = &query.session_id {
        sql.push("i.session_id = ").push_bind(session_id.clone());
    } else if let Some(task_id) = &query.task_id {
        sql.push("i.task_id = ").push_bind(task_id.clone());
    } else if let Some(state) = query.state.as_ref().filter(|state| *state == "pending") {
        sql.push("i.state = ").push_bind(state.clone());
    } else if let Some(agent) = query.agent {
        sql.push("i.agent_id = ").push_bind(agent.0);
    } else if let Some(state) = &query.state {
        sql.push("i.state = ").push_bind(state.clone());
    } else {
        return;
    }
    sql.push(" AND ");
}

/// Adds that it is one of these.
pub(super) fn among(sql: &mut QueryBuilder<Db>, ids: &[Uuid]) {
    sql.push(" AND i.id IN (");
    let mut list = sql.separated(", ");
    for id in ids {
        list.push_bind(*id);
    }
    sql.push(")");
}

/// Whether there is any condition but for words and place.
pub(super) fn is_narrowed(query: &InteractionQuery) -> bool {
    let without = InteractionQuery {
        audience: Audience::All,
        search: query.search.clone(),
        before: query.before,
        limit: query.limit,
        ..InteractionQuery::default()
    };
    *query != without
}

/// Adds the conditions that are asked for, but for words and place, and no others: one that may be absent keeps the
/// planner from any index.
pub(super) fn narrow(sql: &mut QueryBuilder<Db>, query: &InteractionQuery) {
    seen(sql, &query.audience, &OF_INTERACTION);
    match query.team {
        Some(WhichTeam::One(team)) => {
            sql.push(" AND i.team_id = ").push_bind(team.0);
        }
        Some(WhichTeam::Everyone) => {
            sql.push(" AND i.team_id IS NULL");
        }
        None => {}
    }
    if let Some(agent) = query.agent {
        sql.push(" AND i.agent_id = ").push_bind(agent.0);
    }
    if let Some(state) = &query.state {
        sql.push(" AND i.state = ").push_bind(state.clone());
    }
    if let Some(kind) = query.kind {
        sql.push(" AND i.kind = ").push_bind(kind.name());
    }
    if let Some(mode) = query.mode {
        sql.push(" AND i.mode = ").push_bind(mode.name());
    }
    if let Some(session_id) = &query.session_id {
        sql.push(" AND i.session_id = ")
            .push_bind(session_id.clone());
    }
    if let Some(task_id) = &query.task_id {
        sql.push(" AND i.task_id = ").push_bind(task_id.clone());
    }
}
