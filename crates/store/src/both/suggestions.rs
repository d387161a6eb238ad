//! Equal approvals, and after which of them a person was offered a grant.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{AgentId, Fingerprint, Interaction, InteractionId, PersonId, TeamId};
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::{Db, Store};
use crate::{Offered, Result, Suggestions, rows};

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
            "SELECT i.id, i.version, i.agent_id, a.name AS agent_name, i.request, i.detail,
                    i.created_at, i.expires_at, i.collected_at, i.consumed, i.report, i.callback,
                    i.card_channel, i.card_ts, i.card_permalink, i.follow_ups, i.erased,
                    i.claim, i.addressee,
                    i.team_id, t.name AS team_name
             FROM interactions i JOIN agents a ON a.id = i.agent_id
             LEFT JOIN teams t ON t.id = i.team_id
             WHERE i.closed_at IS NOT NULL AND i.erased IS NULL AND i.agent_id = ",
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
        let rows = sql.build_query_as().fetch_all(&self.read).await?;
        let read = rows::readable_interactions(rows);
        Ok(read
            .into_iter()
            .map(|stored| self.proof.of(stored))
            .collect())
    }

    async fn offer_once(&self, offered: &Offered) -> Result<bool> {
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
                      AND i.closed_at >= suggestions.at AND i.outcome = 'denied'
                      AND COALESCE(i.team_id, $7) = $3)",
        )
        .bind(offered.person.0)
        .bind(offered.agent.0)
        .bind(offered.team.map_or(Uuid::nil(), |team| team.0))
        .bind(offered.alike.0)
        .bind(offered.after.0)
        .bind(offered.at.timestamp_millis())
        .bind(Uuid::nil())
        .execute(&self.write)
        .await?;
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
