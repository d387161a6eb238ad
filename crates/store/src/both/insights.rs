//! What ended, in numbers. The journal is followed: an event is counted in the transaction that moves the place it is counted to.

use std::collections::{BTreeMap, HashMap, btree_map::Entry};

use async_trait::async_trait;
use domain::{AgentId, Audience, InteractionId, TeamId, insight::Tally};
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::{
    Connection, Db, Store,
    audience::{OF_INTERACTION, seen},
};
use crate::{
    AskedMost, CountedTo, InsightNames, InsightQuery, Insights, Result, StoreError, TallyRecord,
    WhichTeam,
    rows::{self, TallyPlace},
};

/// In one statement: a database takes only so many values.
const NAMES: usize = 500;

#[async_trait]
impl Insights for Store {
    async fn counted_to(&self) -> Result<CountedTo> {
        let (seq, newest) = sqlx::query_as(
            "SELECT seq, COALESCE((SELECT MAX(seq) FROM events), 0) FROM insight_position",
        )
        .fetch_one(&self.read)
        .await?;
        Ok(CountedTo { seq, newest })
    }

    async fn count_ended(&self, limit: u32) -> Result<CountedTo> {
        let known = self.counted_to().await?;
        if known.is_all() {
            return Ok(known);
        }
        let mut transaction = self.begin_write().await?;
        let from = hold_position(&mut transaction).await?;
        // A journal that was put back leaves numbers out, so it is events that are counted.
        let (newest, to): (i64, i64) = sqlx::query_as(
            "SELECT COALESCE((SELECT MAX(seq) FROM events), 0), COALESCE(MAX(seq), $1)
             FROM (SELECT seq FROM events WHERE seq > $1 ORDER BY seq LIMIT $2) AS next",
        )
        .bind(from)
        .bind(i64::from(limit))
        .fetch_one(&mut *transaction)
        .await?;
        if to <= from {
            // Another node has counted it meanwhile.
            return Ok(CountedTo { seq: from, newest });
        }
        count(&mut transaction, from, to).await?;
        sqlx::query("UPDATE insight_position SET seq = $1")
            .bind(to)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(CountedTo { seq: to, newest })
    }

    async fn forget_counts(&self) -> Result<()> {
        let mut transaction = self.begin_write().await?;
        hold_position(&mut transaction).await?;
        for sql in [
            "DELETE FROM insights",
            "DELETE FROM insight_responders",
            "UPDATE insight_position SET seq = 0",
        ] {
            sqlx::query(sql).execute(&mut *transaction).await?;
        }
        Ok(transaction.commit().await?)
    }

    async fn tallies(
        &self,
        query: &InsightQuery,
        each: &mut (dyn for<'t> FnMut(&'t TallyRecord) + Send),
    ) -> Result<()> {
        let mut sql: QueryBuilder<Db> =
            QueryBuilder::new("SELECT day, agent_id, team_id, counts FROM insights WHERE day >= ");
        sql.push_bind(query.first.0)
            .push(" AND day <= ")
            .push_bind(query.last.0);
        match self.as_narrow(&query.audience).await? {
            Audience::All => {}
            Audience::Agent(agent) => {
                sql.push(" AND agent_id = ").push_bind(agent.0);
            }
            Audience::Teams(teams) => {
                sql.push(" AND team_id IN (").push_bind(Uuid::nil());
                for team in teams {
                    sql.push(", ").push_bind(team.0);
                }
                sql.push(")");
            }
        }
        if let Some(agent) = query.agent {
            sql.push(" AND agent_id = ").push_bind(agent.0);
        }
        if let Some(team) = query.team {
            let team = match team {
                WhichTeam::Everyone => Uuid::nil(),
                WhichTeam::One(team) => team.0,
            };
            sql.push(" AND team_id = ").push_bind(team);
        }
        sql.push(" ORDER BY day, agent_id, team_id");
        let stored: Vec<rows::TallyRow> = sql.build_query_as().fetch_all(&self.read).await?;
        for row in stored {
            let mut record = TallyRecord::try_from(row)?;
            if let Some(kind) = query.kind {
                record.tally = record.tally.only(kind);
            }
            if !record.tally.is_empty() {
                each(&record);
            }
        }
        Ok(())
    }

    async fn insight_names(&self, of: &InsightNames) -> Result<InsightNames> {
        let agents: Vec<Uuid> = of.agents.keys().map(|id| id.0).collect();
        let teams: Vec<Uuid> = of.teams.keys().map(|id| id.0).collect();
        let responders: Vec<Uuid> = of.responders.keys().copied().collect();
        let agents = self
            .names("SELECT id, name FROM agents WHERE id IN (", &agents)
            .await?;
        let teams = self
            .names("SELECT id, name FROM teams WHERE id IN (", &teams)
            .await?;
        let responders = self
            .names(
                "SELECT r.id, COALESCE(p.name, r.name) FROM insight_responders r
                 LEFT JOIN people p ON p.id = r.id WHERE r.id IN (",
                &responders,
            )
            .await?;
        Ok(InsightNames {
            agents: agents.map(|(id, name)| (AgentId(id), name)).collect(),
            teams: teams.map(|(id, name)| (TeamId(id), name)).collect(),
            responders: responders.collect(),
        })
    }

    async fn asked_most(
        &self,
        query: &InsightQuery,
        among: u32,
        limit: u32,
    ) -> Result<Vec<AskedMost>> {
        let query = &InsightQuery {
            audience: self.as_narrow(&query.audience).await?,
            ..query.clone()
        };
        let mut sql: QueryBuilder<Db> = QueryBuilder::new(
            "SELECT g.agent_id, a.name AS agent_name, g.team_id, t.name AS team_name, g.alike,
                g.asked, g.approved, g.denied
             FROM (SELECT n.agent_id, n.team_id, n.alike, COUNT(*) AS asked,
                     SUM(CASE WHEN n.outcome = 'approved' THEN 1 ELSE 0 END) AS approved,
                     SUM(CASE WHEN n.outcome = 'denied' THEN 1 ELSE 0 END) AS denied
                   FROM (SELECT i.agent_id, i.team_id, i.alike, i.outcome FROM interactions i WHERE ",
        );
        equal_ones(&mut sql, query);
        sql.push(" ORDER BY i.id DESC LIMIT ")
            .push_bind(i64::from(among))
            .push(
                ") n GROUP BY n.agent_id, n.team_id, n.alike HAVING COUNT(*) > 1
                   ORDER BY COUNT(*) DESC, n.agent_id, n.alike LIMIT ",
            )
            .push_bind(i64::from(limit))
            .push(
                ") g JOIN agents a ON a.id = g.agent_id LEFT JOIN teams t ON t.id = g.team_id
                 ORDER BY g.asked DESC, g.agent_id, g.alike",
            );
        let found: Vec<rows::AskedMostRow> = sql.build_query_as().fetch_all(&self.read).await?;
        let mut most = Vec::with_capacity(found.len());
        for one in found {
            // It may have been erased meanwhile.
            if let Some(newest) = self.newest_alike(query, &one).await? {
                most.push(one.with_newest(newest));
            }
        }
        Ok(most)
    }
}

impl Store {
    async fn names(
        &self,
        select: &str,
        ids: &[Uuid],
    ) -> Result<impl Iterator<Item = (Uuid, String)> + use<>> {
        let mut names: Vec<(Uuid, String)> = Vec::with_capacity(ids.len());
        for some in ids.chunks(NAMES) {
            let mut sql: QueryBuilder<Db> = QueryBuilder::new(select);
            let mut list = sql.separated(", ");
            for id in some {
                list.push_bind(*id);
            }
            sql.push(")");
            // Of as many lengths as there are ids: not worth keeping.
            let rows = sql.build_query_as().persistent(false);
            names.extend(rows.fetch_all(&self.read).await?);
        }
        Ok(names.into_iter())
    }

    /// One that was approved shows what could be approved ahead.
    async fn newest_alike(
        &self,
        query: &InsightQuery,
        one: &rows::AskedMostRow,
    ) -> Result<Option<Uuid>> {
        for outcome in [Some("approved"), None] {
            let mut sql: QueryBuilder<Db> = QueryBuilder::new(
                "SELECT i.id FROM interactions i
                 WHERE i.closed_at > i.created_at AND i.closed_at IS NOT NULL AND i.agent_id = ",
            );
            sql.push_bind(one.agent_id)
                .push(" AND i.alike = ")
                .push_bind(one.alike);
            match one.team_id {
                Some(team) => sql.push(" AND i.team_id = ").push_bind(team),
                None => sql.push(" AND i.team_id IS NULL"),
            };
            if let Some(outcome) = outcome {
                sql.push(" AND i.outcome = ").push_bind(outcome);
            }
            seen(&mut sql, &query.audience, &OF_INTERACTION);
            sql.push(" ORDER BY i.closed_at DESC, i.id DESC LIMIT 1");
            let found = sql.build_query_scalar().fetch_optional(&self.read).await?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }
}

/// Adds the conditions for approvals of a period that people have decided, or let expire: a rule decides as it is asked. Ids begin
/// with the time of asking.
fn equal_ones(sql: &mut QueryBuilder<Db>, query: &InsightQuery) {
    sql.push("i.alike IS NOT NULL AND i.closed_at > i.created_at AND i.id >= ")
        .push_bind(InteractionId::earliest(query.first.begins()).0)
        .push(" AND i.id < ")
        .push_bind(InteractionId::earliest(query.last.ends()).0);
    seen(sql, &query.audience, &OF_INTERACTION);
    if let Some(agent) = query.agent {
        sql.push(" AND i.agent_id = ").push_bind(agent.0);
    }
    match query.team {
        Some(WhichTeam::One(team)) => {
            sql.push(" AND i.team_id = ").push_bind(team.0);
        }
        Some(WhichTeam::Everyone) => {
            sql.push(" AND i.team_id IS NULL");
        }
        None => {}
    }
}

/// Where it is counted to. No other node counts, until the transaction ends.
async fn hold_position(connection: &mut Connection) -> Result<i64> {
    let seq = sqlx::query_scalar("UPDATE insight_position SET seq = seq RETURNING seq");
    Ok(seq.fetch_one(connection).await?)
}

/// Counts what has ended by the events after `from`, up to `to`.
async fn count(connection: &mut Connection, from: i64, to: i64) -> Result<()> {
    let ended: Vec<rows::EndedRow> = sqlx::query_as(
        // A row that has ended keeps what is read of it, whatever happens to it later: also when it is erased.
        "SELECT e.seq, e.actor, i.agent_id, i.team_id, i.kind, i.mode, i.outcome, i.created_at, i.closed_at,
            EXISTS (SELECT 1 FROM grant_uses u WHERE u.interaction_id = i.id) AS by_grant,
            EXISTS (SELECT 1 FROM memory_uses m WHERE m.interaction_id = i.id) AS by_memory
         FROM events e JOIN interactions i ON i.id = e.interaction_id
         WHERE e.seq > $1 AND e.seq <= $2
           AND e.type IN ('interaction.resolved', 'interaction.expired', 'interaction.cancelled')
           AND i.outcome IS NOT NULL AND i.closed_at IS NOT NULL
         ORDER BY e.seq",
    )
    .bind(from)
    .bind(to)
    .fetch_all(&mut *connection)
    .await?;
    let mut tallies: BTreeMap<TallyPlace, Tally> = BTreeMap::new();
    // By the name that they had last.
    let mut responders: HashMap<Uuid, String> = HashMap::new();
    for row in ended {
        let Some((place, ended, responder)) = row.read()? else {
            continue;
        };
        let tally = match tallies.entry(place) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let stored = stored(connection, new.key()).await?;
                new.insert(stored)
            }
        };
        tally.add(&ended);
        if let Some(responder) = responder {
            responders.insert(responder.id, responder.name);
        }
    }
    for (place, tally) in &tallies {
        keep(connection, place, tally).await?;
    }
    for (id, name) in responders {
        sqlx::query(
            "INSERT INTO insight_responders (id, name) VALUES ($1, $2)
             ON CONFLICT (id) DO UPDATE SET name = excluded.name
             WHERE insight_responders.name <> excluded.name",
        )
        .bind(id)
        .bind(name)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

async fn stored(connection: &mut Connection, place: &TallyPlace) -> Result<Tally> {
    let counts: Option<Vec<u8>> = sqlx::query_scalar(
        "SELECT counts FROM insights
         WHERE day = $1 AND agent_id = $2 AND team_id = $3",
    )
    .bind(place.day)
    .bind(place.agent_id)
    .bind(place.team_id)
    .fetch_optional(connection)
    .await?;
    match counts {
        None => Ok(Tally::default()),
        Some(counts) => rows::tally(&counts).ok_or_else(|| {
            StoreError::inconsistent("insights", "counts", place.day, rows::UNREADABLE)
        }),
    }
}

async fn keep(connection: &mut Connection, place: &TallyPlace, tally: &Tally) -> Result<()> {
    sqlx::query(
        "INSERT INTO insights (day, agent_id, team_id, counts) VALUES ($1, $2, $3, $4)
         ON CONFLICT (day, agent_id, team_id) DO UPDATE SET counts = excluded.counts",
    )
    .bind(place.day)
    .bind(place.agent_id)
    .bind(place.team_id)
    .bind(rows::tally_bytes(tally))
    .execute(connection)
    .await?;
    Ok(())
}
