//! Tokens.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{AgentId, PersonId, SecretHash, TokenId};
use uuid::Uuid;

use super::Store;
use crate::{Holder, Result, TokenRecord, Tokens, rows};

#[async_trait]
impl Tokens for Store {
    async fn token_holder(&self, hash: &SecretHash) -> Result<Option<Holder>> {
        let row = self.by_key.tokens.read(*hash).await?;
        row.map(Holder::try_from).transpose()
    }

    async fn agent_tokens(
        &self,
        agent: AgentId,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<TokenId>> {
        let ids: Vec<Uuid> = sqlx::query_scalar(
            "SELECT id FROM tokens
             WHERE agent_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)
             ORDER BY created_at DESC, id DESC LIMIT $3",
        )
        .bind(agent.0)
        .bind(now.timestamp_millis())
        .bind(i64::from(limit))
        .fetch_all(&self.read)
        .await?;
        Ok(ids.into_iter().map(TokenId).collect())
    }

    async fn owners_of(&self, agent: AgentId, since: DateTime<Utc>) -> Result<Vec<PersonId>> {
        let mut connection = self.read.acquire().await?;
        super::standing::owners(&mut connection, agent, since).await
    }

    async fn tokens_used(&self, uses: &[(TokenId, DateTime<Utc>)]) -> Result<()> {
        let mut transaction = self.begin_write().await?;
        for (token, at) in uses {
            sqlx::query("UPDATE tokens SET last_used_at = $1 WHERE id = $2")
                .bind(at.timestamp_millis())
                .bind(token.0)
                .execute(&mut *transaction)
                .await?;
            sqlx::query(
                "UPDATE agents SET last_seen_at = $1
             WHERE id = (SELECT agent_id FROM tokens WHERE id = $2)",
            )
            .bind(at.timestamp_millis())
            .bind(token.0)
            .execute(&mut *transaction)
            .await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    async fn tokens(&self) -> Result<Vec<TokenRecord>> {
        let rows: Vec<rows::TokenRecordRow> = sqlx::query_as(
            "SELECT t.id, t.name, t.agent_id, t.created_at, t.last_used_at, t.revoked_at, t.expires_at,
                    t.made_by, t.teams, t.owner_id, o.name AS owner_name, o.disabled_at AS owner_disabled_at
             FROM tokens t LEFT JOIN people o ON o.id = t.owner_id
             ORDER BY t.kind, t.name, t.created_at, t.id",
        )
        .fetch_all(&self.read)
        .await?;
        rows.into_iter().map(TokenRecord::try_from).collect()
    }
}
