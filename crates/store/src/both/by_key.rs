//! What every request reads, by one key: see [`crate::together`].

use domain::{InteractionId, SecretHash};
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::{Db, Pool};
use crate::{
    Result,
    outbox::in_powers,
    rows::{InteractionRow, TokenRow},
    together::{ReadByKey, Together},
};

/// The queues of one store.
pub(super) struct ByKey {
    pub(super) tokens: Together<GoodTokens>,
    pub(super) interactions: Together<EveryInteraction>,
}

impl ByKey {
    pub(super) fn start(read: &Pool) -> Self {
        Self {
            tokens: Together::start(GoodTokens(read.clone())),
            interactions: Together::start(EveryInteraction(read.clone())),
        }
    }
}

/// Tokens that were not revoked.
pub(super) struct GoodTokens(Pool);

impl ReadByKey for GoodTokens {
    type Key = SecretHash;
    type Row = TokenRow;

    async fn read(&self, keys: &[SecretHash]) -> Result<Vec<(SecretHash, TokenRow)>> {
        let mut found = Vec::with_capacity(keys.len());
        for slice in in_powers(keys) {
            let mut sql: QueryBuilder<Db> = QueryBuilder::new(
                "SELECT hash, id, name, agent_id, expires_at, teams FROM tokens
                 WHERE revoked_at IS NULL AND hash IN (",
            );
            let mut hashes = sql.separated(", ");
            for hash in slice {
                hashes.push_bind(hash.0.as_slice());
            }
            sql.push(")");
            let rows: Vec<TokenRow> = sql.build_query_as().fetch_all(&self.0).await?;
            found.extend(
                rows.into_iter()
                    .filter_map(|row| Some((row.secret()?, row))),
            );
        }
        Ok(found)
    }
}

pub(super) struct EveryInteraction(Pool);

impl ReadByKey for EveryInteraction {
    type Key = InteractionId;
    type Row = InteractionRow;

    async fn read(&self, keys: &[InteractionId]) -> Result<Vec<(InteractionId, InteractionRow)>> {
        let mut found = Vec::with_capacity(keys.len());
        for slice in in_powers(keys) {
            let mut sql: QueryBuilder<Db> = QueryBuilder::new(
                "SELECT i.id, i.version, i.agent_id, a.name AS agent_name, i.request, i.detail,
                        i.created_at, i.expires_at, i.collected_at, i.consumed, i.report, i.callback,
                        i.card_channel, i.card_ts, i.card_permalink, i.follow_ups, i.erased,
                        i.claim, i.addressee,
                        i.team_id, t.name AS team_name
                 FROM interactions i JOIN agents a ON a.id = i.agent_id
                 LEFT JOIN teams t ON t.id = i.team_id
                 WHERE i.id IN (",
            );
            let mut ids = sql.separated(", ");
            for id in slice {
                ids.push_bind::<Uuid>(id.0);
            }
            sql.push(")");
            let rows: Vec<InteractionRow> = sql.build_query_as().fetch_all(&self.0).await?;
            found.extend(rows.into_iter().map(|row| (row.id(), row)));
        }
        Ok(found)
    }
}
