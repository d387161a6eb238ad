//! Policies (rule 14). Which are in force the journal says: a row can be made to forget that others took its place.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    PolicyId,
    policy::{PolicySet, PolicyTerms, PolicyWrite, Source},
};
use sqlx::Executor;
use uuid::Uuid;

use super::{Connection, Db, Store};
use crate::{
    PolicySets, PolicyUses, Result,
    rows::{self, PolicyRow},
};

/// Each names its type as it is, so that its index is used.
const LAST_SET: &str =
    "SELECT seq, payload FROM events WHERE type = 'policies.set' ORDER BY seq DESC LIMIT $1";
const LAST_LOADED: &str =
    "SELECT seq, payload FROM events WHERE type = 'policies.loaded' ORDER BY seq DESC LIMIT $1";

/// Writes one step of policies, or looks at what something rests on; `false` when it does not fit.
pub(super) async fn apply(connection: &mut Connection, write: &PolicyWrite) -> Result<bool> {
    match write {
        PolicyWrite::Under(known) => Ok(last(&mut *connection, Source::Here).await? == *known),
        PolicyWrite::Set { set, replaces } => {
            let source = set.terms.source;
            Ok(last(&mut *connection, source).await? == *replaces && put(connection, set).await?)
        }
        PolicyWrite::Use {
            policies,
            rule,
            interaction,
            at,
        } => {
            let counted = sqlx::query(
                "INSERT INTO policy_uses (interaction_id, policies_id, rule, at)
                 VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
            )
            .bind(interaction.0)
            .bind(policies.0)
            .bind(rule)
            .bind(at.timestamp_millis())
            .execute(connection)
            .await?;
            Ok(counted.rows_affected() == 1)
        }
    }
}

async fn put(connection: &mut Connection, set: &PolicySet) -> Result<bool> {
    let text = rows::PolicyText::of(set)?;
    let done = sqlx::query(
        "INSERT INTO policies (id, source, terms, document, signature)
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
    )
    .bind(set.terms.id.0)
    .bind(set.terms.source.name())
    .bind(text.terms)
    .bind(text.document)
    .bind(&set.signature)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

async fn last<'c>(
    connection: impl Executor<'c, Database = Db>,
    source: Source,
) -> Result<Option<PolicyId>> {
    let told = told(connection, source, 1).await?;
    Ok(told.first().map(|terms| terms.id))
}

async fn told<'c>(
    connection: impl Executor<'c, Database = Db>,
    source: Source,
    limit: u32,
) -> Result<Vec<PolicyTerms>> {
    let sql = match source {
        Source::Here => LAST_SET,
        Source::File => LAST_LOADED,
    };
    let events: Vec<(i64, String)> = sqlx::query_as(sql)
        .bind(i64::from(limit))
        .fetch_all(connection)
        .await?;
    events.into_iter().map(rows::policy_terms).collect()
}

#[async_trait]
impl PolicySets for Store {
    fn proves_policies(&self, set: &PolicySet) -> bool {
        self.proof.proves_policies(set)
    }

    async fn last_policies(&self, source: Source) -> Result<Option<PolicyId>> {
        last(&self.read, source).await
    }

    async fn policy_set(&self, id: PolicyId) -> Result<Option<PolicySet>> {
        let row: Option<PolicyRow> =
            sqlx::query_as("SELECT id, terms, document, signature FROM policies WHERE id = $1")
                .bind(id.0)
                .fetch_optional(&self.read)
                .await?;
        row.map(PolicySet::try_from).transpose()
    }

    async fn count_policy_uses(&self, since: DateTime<Utc>) -> Result<Vec<PolicyUses>> {
        let rows: Vec<(Uuid, String, i64)> = sqlx::query_as(
            "SELECT policies_id, rule, COUNT(*) FROM policy_uses WHERE at >= $1
             GROUP BY policies_id, rule ORDER BY rule, policies_id",
        )
        .bind(since.timestamp_millis())
        .fetch_all(&self.read)
        .await?;
        let uses = rows.into_iter().map(|(policies, rule, count)| PolicyUses {
            policies: PolicyId(policies),
            rule,
            count: u64::try_from(count).unwrap_or_default(),
        });
        Ok(uses.collect())
    }

    async fn policy_history(&self, source: Source, limit: u32) -> Result<Vec<PolicyTerms>> {
        told(&self.read, source, limit).await
    }
}
