//! Equal approvals, and after which of them a person was offered a grant.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    AgentId, Fingerprint, Interaction, InteractionId, PersonId, TeamId, limits::SUGGESTION_WEIGHT,
};
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::{Connection, Db, Store, narrowed::among};
use crate::{Offered, Result, Suggestions, rows};

/// What a person was offered after an approval goes with it: it tells what was the same.
pub(super) async fn forget(connection: &mut Connection, after: InteractionId) -> Result<()> {
    sqlx::query("DELETE FROM suggestions WHERE interaction_id = $1")
        .bind(after.0)
        .execute(connection)
        .await?;
    Ok(())
}

#[async_trait]
impl Suggestions for Store {
    async fn equal_approvals(
        &self,
        agent: AgentId,
        team: Option<TeamId>,
        alike: Fingerprint,
        limit: u32,
    ) -> Result<Vec<Interaction>> {
        let mut sql: QueryBuilder<Db> = QueryBuilder::new(
            "SELECT i.id, i.outcome, i.weight FROM interactions i
             WHERE i.closed_at IS NOT NULL AND i.erased IS NULL AND i.outcome IN ('approved', 'denied') AND i.agent_id = ",
        );
        sql.push_bind(agent.0)
            .push(" AND i.alike = ")
            .push_bind(alike.0);
        match team {
            Some(team) => sql.push(" AND i.team_id = ").push_bind(team.0),
            None => sql.push(" AND i.team_id IS NULL"),
        };
        sql.push(" ORDER BY i.closed_at DESC, i.id DESC LIMIT ")
            .push_bind(i64::from(limit));
        let closed: Vec<(Uuid, String, i64)> = sql.build_query_as().fetch_all(&self.read).await?;
        // A denial starts the count anew: nothing before it matters.
        let denied = closed
            .iter()
            .position(|(_, outcome, _)| outcome == "denied");
        let newest = &closed[..denied.map_or(closed.len(), |at| at + 1)];
        let weight: i64 = newest.iter().map(|(_, _, weight)| *weight).sum();
        if newest.is_empty() || weight > SUGGESTION_WEIGHT {
            return Ok(Vec::new());
        }
        let ids: Vec<Uuid> = newest.iter().map(|(id, _, _)| *id).collect();
        let mut sql: QueryBuilder<Db> = QueryBuilder::new(
            "SELECT i.id, i.version, i.agent_id, a.name AS agent_name, i.request, i.detail,
                    i.created_at, i.expires_at, i.collected_at, i.consumed, i.report, i.callback,
                    i.card_channel, i.card_ts, i.card_permalink, i.follow_ups, i.erased,
                    i.claim, i.addressee,
                    i.team_id, t.name AS team_name
             FROM interactions i JOIN agents a ON a.id = i.agent_id
             LEFT JOIN teams t ON t.id = i.team_id
             WHERE i.erased IS NULL",
        );
        among(&mut sql, &ids);
        sql.push(" ORDER BY i.closed_at DESC, i.id DESC");
        // Lists of ids have as many lengths as there are approvals: not worth keeping.
        let rows = sql.build_query_as().persistent(false);
        let read = rows::readable_interactions(rows.fetch_all(&self.read).await?);
        Ok(read
            .into_iter()
            .map(|stored| self.proof.of(stored))
            .collect())
    }

    async fn offer_once(&self, offered: &Offered) -> Result<bool> {
        let team = offered.team.map_or(Uuid::nil(), |team| team.0);
        // A page that is opened again writes nothing.
        let known: Option<i64> = sqlx::query_scalar(
            "SELECT at FROM suggestions
             WHERE person_id = $1 AND agent_id = $2 AND team_id = $3 AND alike = $4
               AND interaction_id = $5 AND declined_at IS NULL",
        )
        .bind(offered.person.0)
        .bind(offered.agent.0)
        .bind(team)
        .bind(offered.alike.0)
        .bind(offered.after.0)
        .fetch_optional(&self.read)
        .await?;
        if known.is_some() {
            return Ok(true);
        }
        let mut transaction = self.begin_write().await?;
        // Rule 19: of what was erased meanwhile nothing is noted any more.
        let erased: Option<bool> = sqlx::query_scalar(super::dialect::ERASED)
            .bind(offered.after.0)
            .fetch_optional(&mut *transaction)
            .await?;
        if erased != Some(false) {
            return Ok(false);
        }
        let done = sqlx::query(
            "INSERT INTO suggestions (person_id, agent_id, team_id, alike, interaction_id, at)
             VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (person_id, agent_id, team_id, alike) DO UPDATE
             SET interaction_id = excluded.interaction_id,
                 at = CASE WHEN suggestions.interaction_id = excluded.interaction_id
                      THEN suggestions.at ELSE excluded.at END,
                 declined_at = NULL
             WHERE (suggestions.interaction_id = excluded.interaction_id AND suggestions.declined_at IS NULL)
                -- One denial starts the count anew.
                OR EXISTS (
                    SELECT 1 FROM interactions i
                    WHERE i.agent_id = $2 AND i.alike = $4 AND i.closed_at IS NOT NULL
                      AND i.closed_at > suggestions.at AND i.outcome = 'denied'
                      AND COALESCE(i.team_id, $7) = $3)",
        )
        .bind(offered.person.0)
        .bind(offered.agent.0)
        .bind(team)
        .bind(offered.alike.0)
        .bind(offered.after.0)
        .bind(offered.at.timestamp_millis())
        .bind(Uuid::nil())
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(done.rows_affected() == 1)
    }

    async fn decline_offer(
        &self,
        person: PersonId,
        after: InteractionId,
        at: DateTime<Utc>,
    ) -> Result<bool> {
        let done = sqlx::query(
            "UPDATE suggestions SET declined_at = $1
             WHERE person_id = $2 AND interaction_id = $3 AND declined_at IS NULL",
        )
        .bind(at.timestamp_millis())
        .bind(person.0)
        .bind(after.0)
        .execute(&self.write)
        .await?;
        Ok(done.rows_affected() == 1)
    }
}
