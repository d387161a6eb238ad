//! Policies as stored.

use domain::policy::{PolicySet, PolicyTerms};
use sqlx::FromRow;
use uuid::Uuid;

use crate::{Result, StoreError};

/// A set of policies.
#[derive(Debug, FromRow)]
pub(crate) struct PolicyRow {
    id: Uuid,
    terms: String,
    document: String,
    signature: String,
}

/// A set of policies as its row has it.
pub(crate) struct PolicyText {
    pub(crate) terms: String,
    pub(crate) document: String,
}

impl PolicyText {
    pub(crate) fn of(set: &PolicySet) -> Result<Self> {
        let id = set.terms.id.0;
        let wrong = |column| {
            move |error: serde_json::Error| StoreError::inconsistent("policies", column, id, error)
        };
        Ok(Self {
            terms: serde_json::to_string(&set.terms).map_err(wrong("terms"))?,
            document: serde_json::to_string(&set.policies).map_err(wrong("document"))?,
        })
    }
}

impl TryFrom<PolicyRow> for PolicySet {
    type Error = StoreError;

    fn try_from(row: PolicyRow) -> Result<Self> {
        let wrong = |column| {
            move |error: serde_json::Error| {
                StoreError::inconsistent("policies", column, row.id, error)
            }
        };
        let terms: PolicyTerms = serde_json::from_str(&row.terms).map_err(wrong("terms"))?;
        let policies = serde_json::from_str(&row.document).map_err(wrong("document"))?;
        // One that is passed off as another is none of either.
        if terms.id.0 != row.id {
            let other = "is of other policies";
            return Err(StoreError::inconsistent("policies", "terms", row.id, other));
        }
        Ok(Self {
            terms,
            policies,
            signature: row.signature,
        })
    }
}

/// What an event says of policies that were put in force.
pub(crate) fn policy_terms((seq, payload): (i64, String)) -> Result<PolicyTerms> {
    serde_json::from_str(&payload)
        .map_err(|error| StoreError::inconsistent("events", "payload", seq, error))
}
