//! Second factors as stored.

use domain::{
    FactorId, PersonId,
    access::factor::{Factor, FactorSecret},
    delivery::SealedSecret,
};
use sqlx::FromRow;
use uuid::Uuid;

use super::time;
use crate::{Result, StoreError};

#[derive(FromRow)]
pub(crate) struct FactorRow {
    id: Uuid,
    person_id: Uuid,
    kind: String,
    name: String,
    secret: Vec<u8>,
    credential: Option<Vec<u8>>,
    used: i64,
    added_at: i64,
    used_at: Option<i64>,
}

impl TryFrom<FactorRow> for Factor {
    type Error = StoreError;

    fn try_from(row: FactorRow) -> Result<Self> {
        let at = |millis| time(millis, "factors", row.id);
        let wrong = |column, what| StoreError::inconsistent("factors", column, row.id, what);
        let secret = match (&*row.kind, row.credential) {
            ("app", None) => FactorSecret::App(SealedSecret(row.secret)),
            ("passkey", Some(credential)) => FactorSecret::Passkey {
                credential,
                json: String::from_utf8(row.secret).map_err(|_| wrong("secret", "no text"))?,
            },
            _ => return Err(wrong("kind", "it is neither an app nor a passkey")),
        };
        Ok(Self {
            id: FactorId(row.id),
            person: PersonId(row.person_id),
            name: row.name,
            secret,
            used: row.used,
            added_at: at(row.added_at)?,
            used_at: row.used_at.map(at).transpose()?,
        })
    }
}
