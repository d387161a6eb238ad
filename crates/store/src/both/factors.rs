//! Second factors and recovery codes.

use async_trait::async_trait;
use domain::{
    FactorId, PersonId, SecretHash,
    access::factor::{Factor, FactorChange, FactorSecret},
};

use super::{Connection, Store, access::end_sessions};
use crate::{Factors, Result, rows::FactorRow};

#[async_trait]
impl Factors for Store {
    async fn factors(&self, person: PersonId) -> Result<Vec<Factor>> {
        let rows: Vec<FactorRow> = sqlx::query_as(
            "SELECT id, person_id, kind, name, secret, credential, used, added_at, used_at
             FROM factors WHERE person_id = $1 ORDER BY added_at, id",
        )
        .bind(person.0)
        .fetch_all(&self.read)
        .await?;
        rows.into_iter().map(Factor::try_from).collect()
    }

    async fn passkey(&self, credential: &[u8]) -> Result<Option<Factor>> {
        let row: Option<FactorRow> = sqlx::query_as(
            "SELECT id, person_id, kind, name, secret, credential, used, added_at, used_at
             FROM factors WHERE credential = $1",
        )
        .bind(credential)
        .fetch_optional(&self.read)
        .await?;
        row.map(Factor::try_from).transpose()
    }

    async fn recovery_codes(&self, person: PersonId) -> Result<i64> {
        let left = sqlx::query_scalar("SELECT count(*) FROM recovery_codes WHERE person_id = $1")
            .bind(person.0)
            .fetch_one(&self.read)
            .await?;
        Ok(left)
    }
}

/// Writes one change; `false` when it does not fit.
pub(super) async fn apply(
    connection: &mut Connection,
    person: PersonId,
    change: &FactorChange,
) -> Result<bool> {
    match change {
        FactorChange::Add { factor, first } => add(connection, factor, *first).await,
        FactorChange::Codes { codes } => put_codes(connection, person, codes).await,
        FactorChange::Use {
            factor,
            used,
            json,
            at,
        } => {
            let done = sqlx::query(
                "UPDATE factors SET used = $1, used_at = $2, secret = COALESCE($3, secret)
                 WHERE id = $4 AND person_id = $5 AND used < $1",
            )
            .bind(used)
            .bind(at.timestamp_millis())
            .bind(json.as_ref().map(String::as_bytes))
            .bind(factor.0)
            .bind(person.0)
            .execute(connection)
            .await?;
            Ok(done.rows_affected() == 1)
        }
        FactorChange::UseCode { code } => {
            let used = "DELETE FROM recovery_codes WHERE person_id = $1 AND hash = $2";
            let done = sqlx::query(used)
                .bind(person.0)
                .bind(code.0.as_slice())
                .execute(connection)
                .await?;
            Ok(done.rows_affected() == 1)
        }
        FactorChange::Remove { factor } => remove(connection, person, *factor).await,
        FactorChange::Reset => {
            let done = sqlx::query("DELETE FROM factors WHERE person_id = $1")
                .bind(person.0)
                .execute(&mut *connection)
                .await?;
            forget_codes(connection, person).await?;
            end_sessions(connection, person, None).await?;
            Ok(done.rows_affected() > 0)
        }
    }
}

async fn add(connection: &mut Connection, factor: &Factor, first: bool) -> Result<bool> {
    let (secret, credential) = match &factor.secret {
        FactorSecret::App(sealed) => (sealed.0.as_slice(), None),
        FactorSecret::Passkey { credential, json } => (json.as_bytes(), Some(credential)),
    };
    let done = sqlx::query(
        "INSERT INTO factors (id, person_id, kind, name, secret, credential, used, added_at)
         SELECT $1, p.id, $2, $3, $4, $5, $6, $7 FROM people p
         WHERE p.id = $8 AND p.disabled_at IS NULL
            AND NOT ($9 AND EXISTS (SELECT 1 FROM factors f WHERE f.person_id = p.id))
         ON CONFLICT DO NOTHING",
    )
    .bind(factor.id.0)
    .bind(factor.secret.kind().name())
    .bind(&factor.name)
    .bind(secret)
    .bind(credential)
    .bind(factor.used)
    .bind(factor.added_at.timestamp_millis())
    .bind(factor.person.0)
    .bind(first)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

async fn put_codes(
    connection: &mut Connection,
    person: PersonId,
    codes: &[SecretHash],
) -> Result<bool> {
    forget_codes(connection, person).await?;
    let mut put = 0;
    for code in codes {
        let done = sqlx::query(
            "INSERT INTO recovery_codes (person_id, hash)
             SELECT p.id, $1 FROM people p WHERE p.id = $2
                AND EXISTS (SELECT 1 FROM factors f WHERE f.person_id = p.id)",
        )
        .bind(code.0.as_slice())
        .bind(person.0)
        .execute(&mut *connection)
        .await?;
        put += done.rows_affected();
    }
    Ok(usize::try_from(put) == Ok(codes.len()))
}

async fn remove(connection: &mut Connection, person: PersonId, factor: FactorId) -> Result<bool> {
    let done = sqlx::query("DELETE FROM factors WHERE id = $1 AND person_id = $2")
        .bind(factor.0)
        .bind(person.0)
        .execute(&mut *connection)
        .await?;
    sqlx::query(
        "DELETE FROM recovery_codes WHERE person_id = $1
            AND NOT EXISTS (SELECT 1 FROM factors WHERE person_id = $1)",
    )
    .bind(person.0)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub(super) async fn one_remains(connection: &mut Connection, person: PersonId) -> Result<bool> {
    let one: Option<i64> =
        sqlx::query_scalar("SELECT added_at FROM factors WHERE person_id = $1 LIMIT 1")
            .bind(person.0)
            .fetch_optional(connection)
            .await?;
    Ok(one.is_some())
}

async fn forget_codes(connection: &mut Connection, person: PersonId) -> Result<()> {
    sqlx::query("DELETE FROM recovery_codes WHERE person_id = $1")
        .bind(person.0)
        .execute(connection)
        .await?;
    Ok(())
}
