//! Grants as stored.

use domain::{
    Grant, InteractionId,
    grant::{Ended, GrantEnd, GrantRecord, Scope},
};
use sqlx::FromRow;
use uuid::Uuid;

use super::time;
use crate::{GrantUse, Result, StoreError};

/// A grant and what became of it.
#[derive(Debug, FromRow)]
pub(crate) struct GrantRow {
    id: Uuid,
    terms: String,
    scope: Option<String>,
    signature: String,
    uses: i64,
    last_used_at: Option<i64>,
    ended_at: Option<i64>,
    ended_why: Option<String>,
}

/// A grant as its row has it.
pub(crate) struct GrantText<'a> {
    pub(crate) terms: String,
    pub(crate) scope: Option<String>,
    pub(crate) tool: Option<&'a str>,
    pub(crate) session: Option<&'a str>,
}

impl<'a> GrantText<'a> {
    pub(crate) fn of(grant: &'a Grant) -> Result<Self> {
        let id = grant.terms.id.0;
        let wrong = |column| {
            move |error: serde_json::Error| StoreError::inconsistent("grants", column, id, error)
        };
        let scope = grant.scope.as_ref();
        Ok(Self {
            terms: serde_json::to_string(&grant.terms).map_err(wrong("terms"))?,
            scope: scope
                .map(serde_json::to_string)
                .transpose()
                .map_err(wrong("scope"))?,
            tool: scope.map(|scope| scope.matcher.tool()),
            session: scope.and_then(|scope| scope.session.as_deref()),
        })
    }
}

impl TryFrom<GrantRow> for GrantRecord {
    type Error = StoreError;

    fn try_from(row: GrantRow) -> Result<Self> {
        let wrong = |column| {
            move |error: serde_json::Error| {
                StoreError::inconsistent("grants", column, row.id, error)
            }
        };
        let scope: Option<Scope> = row
            .scope
            .map(|json| serde_json::from_str(&json).map_err(wrong("scope")))
            .transpose()?;
        let terms = serde_json::from_str(&row.terms).map_err(wrong("terms"))?;
        let when = |at| time(at, "grants", row.id);
        let ended = match (row.ended_at, row.ended_why) {
            (None, None) => None,
            (Some(at), Some(why)) => {
                let known = GrantEnd::from_name(&why);
                Some(Ended {
                    at: when(at)?,
                    why: known.ok_or_else(|| {
                        StoreError::inconsistent("grants", "ended_why", row.id, why)
                    })?,
                })
            }
            _ => {
                let half = "only half of an end";
                return Err(StoreError::inconsistent("grants", "ended_at", row.id, half));
            }
        };
        let uses = u32::try_from(row.uses);
        Ok(Self {
            grant: Grant {
                terms,
                scope,
                signature: row.signature,
            },
            uses: uses
                .map_err(|error| StoreError::inconsistent("grants", "uses", row.id, error))?,
            last_used_at: row.last_used_at.map(when).transpose()?,
            ended,
        })
    }
}

/// Those that can be read. One that cannot covers nothing, and must not keep others from being shown.
pub(crate) fn grants(rows: Vec<GrantRow>) -> Vec<GrantRecord> {
    super::readable(rows.into_iter().map(GrantRecord::try_from))
}

pub(crate) fn grant_use((interaction, at): (Uuid, i64)) -> Result<GrantUse> {
    Ok(GrantUse {
        interaction: InteractionId(interaction),
        at: time(at, "grant_uses", interaction)?,
    })
}
