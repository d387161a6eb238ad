//! Grants as stored.

use domain::{
    Grant, InteractionId,
    grant::{Ended, GrantEnd, GrantRecord},
};
use uuid::Uuid;

use super::{StoodRow, time};
use crate::{GrantUse, Result, StoreError};

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

impl TryFrom<StoodRow> for GrantRecord {
    type Error = StoreError;

    fn try_from(row: StoodRow) -> Result<Self> {
        let read = row.read(
            ("grants", "scope"),
            |terms| serde_json::from_str(terms),
            |words| serde_json::from_str(words),
            GrantEnd::from_name,
        )?;
        Ok(Self {
            grant: Grant {
                terms: read.terms,
                scope: read.words,
                signature: read.signature,
            },
            uses: read.uses,
            last_used_at: read.last_used_at,
            ended: read.ended.map(|(at, why)| Ended { at, why }),
        })
    }
}

/// Those that can be read. One that cannot covers nothing, and must not keep others from being shown.
pub(crate) fn grants(rows: Vec<StoodRow>) -> Vec<GrantRecord> {
    super::readable(rows.into_iter().map(GrantRecord::try_from))
}

pub(crate) fn grant_use((interaction, at): (Uuid, i64)) -> Result<GrantUse> {
    Ok(GrantUse {
        interaction: InteractionId(interaction),
        at: time(at, "grant_uses", interaction)?,
    })
}
