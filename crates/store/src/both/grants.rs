//! Grants: standing approvals, their uses and their ends (rule 15). Whether one may be used is decided here once more, in the
//! transaction that uses it: no node knows of it from before.

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    AgentId, Audience, Grant, GrantId, Interaction, InteractionId,
    grant::{GrantEnd, GrantRecord, GrantWrite},
    limits::GRANTS_PER_AGENT,
};
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::{
    Connection, Db, Store,
    ended::{Ended, Row, Why},
    ground::{self, Table, holder_columns},
};
use crate::{GrantQuery, GrantUse, Grants, Result, rows};

/// Writes one step of a grant; `false` when it does not fit.
pub(super) async fn apply(
    connection: &mut Connection,
    write: &GrantWrite,
    ended: &mut Ended,
) -> Result<bool> {
    match write {
        GrantWrite::Make(grant) => Ok(may_hold(connection, grant, grant.terms.made_at).await?
            && make(connection, grant).await?),
        GrantWrite::Use {
            grant,
            interaction,
            at,
        } => Ok(may_hold(connection, grant, *at).await?
            && ground::has_not_ended(
                connection,
                Table::Grants,
                grant.terms.id.0,
                grant.terms.made_from,
            )
            .await?
            && use_once(connection, grant, *interaction, *at, ended).await?),
        GrantWrite::Stands { grant, made_from } => stands(connection, *grant, *made_from).await,
        GrantWrite::End { grant, at, why } => {
            ground::end_one(connection, grant.0, *at, Why::Grant(*why)).await
        }
    }
}

/// Whether its holder may answer for what it covers at `at`, by what was signed.
async fn may_hold(connection: &mut Connection, grant: &Grant, at: DateTime<Utc>) -> Result<bool> {
    let team = grant.terms.team.as_ref().map(|team| team.id);
    ground::may_hold(connection, grant.terms.holder, team, at).await
}

/// Whether it was not taken back: one that was used up stands by what it has approved.
async fn stands(
    connection: &mut Connection,
    grant: GrantId,
    made_from: InteractionId,
) -> Result<bool> {
    let stands: Option<i64> = sqlx::query_scalar(
        "SELECT g.expires_at FROM grants g
         WHERE g.id = $1 AND g.made_from = $2 AND (g.ended_at IS NULL OR g.ended_why = $4)
           AND NOT EXISTS (
             SELECT 1 FROM events e
             WHERE e.interaction_id = $2
               AND (e.type = 'interaction.erased'
                    OR (e.type IN ('grant.revoked', 'grant.ended') AND e.payload LIKE $3
                        AND e.payload NOT LIKE $5)))",
    )
    .bind(grant.0)
    .bind(made_from.0)
    .bind(format!("%{grant}%"))
    .bind(GrantEnd::UsedUp.name())
    .bind(format!("%\"{}\"%", GrantEnd::UsedUp.name()))
    .fetch_optional(connection)
    .await?;
    Ok(stands.is_some())
}

async fn make(connection: &mut Connection, grant: &Grant) -> Result<bool> {
    let terms = &grant.terms;
    let in_force: i64 = sqlx::query_scalar(
        "SELECT COUNT(*) FROM grants WHERE agent_id = $1 AND ended_at IS NULL AND expires_at > $2",
    )
    .bind(terms.agent.id.0)
    .bind(terms.made_at.timestamp_millis())
    .fetch_one(&mut *connection)
    .await?;
    if usize::try_from(in_force).is_ok_and(|count| count >= GRANTS_PER_AGENT)
        || !ground::has_words(connection, terms.made_from).await?
    {
        return Ok(false);
    }
    let row = rows::GrantText::of(grant)?;
    let (kind, holder) = holder_columns(terms.holder);
    let done = sqlx::query(
        "INSERT INTO grants (id, agent_id, team_id, session_id, tool, holder_kind, holder_id, made_from,
            expires_at, terms, scope, signature)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING",
    )
    .bind(terms.id.0)
    .bind(terms.agent.id.0)
    .bind(terms.team.as_ref().map(|team| team.id.0))
    .bind(row.session)
    .bind(row.tool)
    .bind(kind)
    .bind(holder)
    .bind(terms.made_from.0)
    .bind(terms.expires_at.timestamp_millis())
    .bind(row.terms)
    .bind(row.scope)
    .bind(&grant.signature)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

async fn use_once(
    connection: &mut Connection,
    grant: &Grant,
    interaction: InteractionId,
    at: DateTime<Utc>,
    ended: &mut Ended,
) -> Result<bool> {
    let terms = &grant.terms;
    let used = sqlx::query(
        "UPDATE grants SET uses = uses + 1, last_used_at = $1
         WHERE id = $2 AND ended_at IS NULL AND expires_at > $1 AND uses < $3 AND scope IS NOT NULL
           -- Each use is a row of its own: a number that was turned back fits them no more.
           AND uses = (SELECT COUNT(*) FROM grant_uses WHERE grant_id = $2)",
    )
    .bind(at.timestamp_millis())
    .bind(terms.id.0)
    .bind(i64::from(terms.most))
    .execute(&mut *connection)
    .await?;
    if used.rows_affected() != 1 {
        return Ok(false);
    }
    let counted = sqlx::query(
        "INSERT INTO grant_uses (interaction_id, grant_id, at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
    )
    .bind(interaction.0)
    .bind(terms.id.0)
    .bind(at.timestamp_millis())
    .execute(&mut *connection)
    .await?;
    // Then it takes no room among those in force.
    let used_up: Vec<Row> = sqlx::query_as(
        "UPDATE grants SET ended_at = $1, ended_why = $2 WHERE id = $3 AND uses >= $4
         RETURNING id, agent_id, made_from",
    )
    .bind(at.timestamp_millis())
    .bind(GrantEnd::UsedUp.name())
    .bind(terms.id.0)
    .bind(i64::from(terms.most))
    .fetch_all(connection)
    .await?;
    ended.take(used_up, Why::Grant(GrantEnd::UsedUp));
    Ok(counted.rows_affected() == 1)
}

impl Store {
    /// Those of one agent that `sql` selects and that have not ended at `now`, the oldest first.
    async fn in_force(
        &self,
        mut sql: QueryBuilder<Db>,
        now: DateTime<Utc>,
    ) -> Result<Vec<GrantRecord>> {
        sql.push(" AND s.ended_at IS NULL AND s.expires_at > ")
            .push_bind(now.timestamp_millis())
            .push(" ORDER BY s.id LIMIT ")
            .push_bind(i64::try_from(GRANTS_PER_AGENT).unwrap_or(i64::MAX));
        let rows = sql.build_query_as().fetch_all(&self.read).await?;
        Ok(rows::grants(rows))
    }
}

#[async_trait]
impl Grants for Store {
    fn proves_grant(&self, grant: &Grant) -> bool {
        self.proof.proves_grant(grant)
    }

    async fn grants_in_force(
        &self,
        agent: AgentId,
        tool: &str,
        now: DateTime<Utc>,
    ) -> Result<Vec<GrantRecord>> {
        let mut sql = Table::Grants.select();
        sql.push("s.agent_id = ")
            .push_bind(agent.0)
            .push(" AND s.tool = ")
            .push_bind(tool.to_owned());
        self.in_force(sql, now).await
    }

    async fn count_grants(&self, agent: AgentId, now: DateTime<Utc>) -> Result<u64> {
        let count: i64 = sqlx::query_scalar(
            "SELECT COUNT(*) FROM grants WHERE agent_id = $1 AND ended_at IS NULL AND expires_at > $2",
        )
        .bind(agent.0)
        .bind(now.timestamp_millis())
        .fetch_one(&self.read)
        .await?;
        Ok(u64::try_from(count).unwrap_or_default())
    }

    async fn grant(&self, id: GrantId) -> Result<Option<GrantRecord>> {
        let row = self.stood(Table::Grants, id.0).await?;
        row.map(GrantRecord::try_from).transpose()
    }

    async fn grants(&self, audience: &Audience, query: GrantQuery) -> Result<Vec<GrantRecord>> {
        let before = query.before.map(|before| before.0);
        let rows = self.all_stood(
            Table::Grants,
            audience,
            before,
            query.open_since,
            query.limit,
        );
        Ok(rows::grants(rows.await?))
    }

    async fn grant_uses(
        &self,
        grant: GrantId,
        since: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<GrantUse>> {
        let rows = self.uses_of(Table::Grants, grant.0, since, limit);
        rows.await?.into_iter().map(rows::grant_use).collect()
    }

    async fn count_uses(
        &self,
        grants: &[GrantId],
        since: DateTime<Utc>,
    ) -> Result<HashMap<GrantId, u64>> {
        let ids = grants.iter().map(|grant| grant.0).collect();
        let counts = self.times_used(Table::Grants, ids, since).await?;
        let counts = counts.into_iter();
        Ok(counts.map(|(id, count)| (GrantId(id), count)).collect())
    }

    async fn grants_of_session(
        &self,
        agent: AgentId,
        session: &str,
        now: DateTime<Utc>,
    ) -> Result<Vec<GrantRecord>> {
        let mut sql = Table::Grants.select();
        sql.push("s.agent_id = ")
            .push_bind(agent.0)
            .push(" AND s.session_id = ")
            .push_bind(session.to_owned());
        self.in_force(sql, now).await
    }

    async fn approvals_before(
        &self,
        agent: AgentId,
        before: Option<(DateTime<Utc>, InteractionId)>,
        since: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Interaction>> {
        let (until, last) = match before {
            Some((at, id)) => (at.timestamp_millis(), id.0),
            None => (i64::MAX, Uuid::max()),
        };
        let rows: Vec<rows::InteractionRow> = sqlx::query_as(
            "SELECT i.id, i.version, i.agent_id, a.name AS agent_name, i.request, i.detail,
                    i.created_at, i.expires_at, i.collected_at, i.consumed, i.report, i.callback,
                    i.card_channel, i.card_ts, i.card_permalink, i.follow_ups, i.erased,
                    i.claim, i.addressee,
                    i.team_id, t.name AS team_name
             FROM interactions i JOIN agents a ON a.id = i.agent_id
             LEFT JOIN teams t ON t.id = i.team_id
             WHERE i.agent_id = $1 AND i.erased IS NULL AND i.closed_at IS NOT NULL
               AND i.closed_at >= $2 AND i.closed_at <= $3
               AND (i.closed_at < $3 OR i.id < $4) AND i.kind = 'approval'
             ORDER BY i.closed_at DESC, i.id DESC LIMIT $5",
        )
        .bind(agent.0)
        .bind(since.timestamp_millis())
        .bind(until)
        .bind(last)
        .bind(i64::from(limit))
        .fetch_all(&self.read)
        .await?;
        let read = rows::every_interaction(rows)?;
        Ok(read
            .into_iter()
            .map(|stored| self.proof.of(stored))
            .collect())
    }
}
