//! Who people are at the providers by which they sign in.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    Identity, Person, PersonId,
    access::{NewSession, WaysIn},
};
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::{Connection, Db, Store, access::sign_in};
use crate::{
    Identities, IdentityRecord, Result,
    rows::{IdentityRow, PersonRow},
};

#[async_trait]
impl Identities for Store {
    async fn person_known_as(&self, identity: &Identity) -> Result<Option<Person>> {
        let row: Option<PersonRow> = sqlx::query_as(
            "SELECT p.id, p.version, p.name, p.role, p.created_at AS invited_at, p.disabled_at, p.slack_id
             FROM identities i JOIN people p ON p.id = i.person_id
             WHERE i.issuer = $1 AND i.subject = $2",
        )
        .bind(&identity.issuer)
        .bind(&identity.subject)
        .fetch_optional(&self.read)
        .await?;
        row.map(Person::try_from).transpose()
    }

    async fn identities_of(&self, person: PersonId) -> Result<Vec<IdentityRecord>> {
        let rows: Vec<IdentityRow> = sqlx::query_as(
            "SELECT person_id, issuer, subject, linked_at FROM identities
             WHERE person_id = $1 ORDER BY linked_at, issuer",
        )
        .bind(person.0)
        .fetch_all(&self.read)
        .await?;
        rows.into_iter().map(IdentityRecord::try_from).collect()
    }

    async fn identities(&self) -> Result<Vec<IdentityRecord>> {
        let rows: Vec<IdentityRow> = sqlx::query_as(
            "SELECT person_id, issuer, subject, linked_at FROM identities ORDER BY issuer, subject",
        )
        .fetch_all(&self.read)
        .await?;
        rows.into_iter().map(IdentityRecord::try_from).collect()
    }

    async fn another_admin(&self, but: Option<PersonId>, ways: Option<&WaysIn>) -> Result<bool> {
        let mut connection = self.read.acquire().await?;
        admin_remains(&mut connection, but, ways).await
    }
}

/// By what people come in: whether they have a password or a passkey, and a provider of theirs. A row for each of those. A
/// code of an app is no way in: it is asked for after a password.
const LEADS: &str = "SELECT p.id, p.password_hash IS NOT NULL
        OR EXISTS (SELECT 1 FROM factors f WHERE f.person_id = p.id AND f.kind = 'passkey'),
        i.issuer
     FROM people p LEFT JOIN identities i ON i.person_id = p.id";

pub(super) type Lead = (Uuid, bool, Option<String>);

fn one_leads(leads: &[Lead], ways: Option<&WaysIn>) -> bool {
    leads.iter().any(|(_, of_their_own, issuer)| match ways {
        Some(ways) => ways.lead_in(*of_their_own, issuer.as_deref()),
        None => *of_their_own || issuer.is_some(),
    })
}

/// By what the admins come in who are not disabled.
pub(super) async fn admins(
    connection: &mut Connection,
    but: Option<PersonId>,
) -> sqlx::Result<Vec<Lead>> {
    let mut sql: QueryBuilder<Db> = QueryBuilder::new(LEADS);
    // Nobody has the nil id.
    sql.push(" WHERE p.role = 'admin' AND p.disabled_at IS NULL AND p.id <> ")
        .push_bind(but.map(|person| person.0).unwrap_or_default());
    sql.build_query_as().fetch_all(connection).await
}

/// Somebody who was only invited is not there yet.
pub(super) async fn admin_remains(
    connection: &mut Connection,
    but: Option<PersonId>,
    ways: Option<&WaysIn>,
) -> Result<bool> {
    Ok(one_leads(&admins(connection, but).await?, ways))
}

pub(super) async fn way_remains(
    connection: &mut Connection,
    person: PersonId,
    ways: &WaysIn,
) -> Result<bool> {
    let mut sql: QueryBuilder<Db> = QueryBuilder::new(LEADS);
    sql.push(" WHERE p.id = ").push_bind(person.0);
    let leads: Vec<Lead> = sql.build_query_as().fetch_all(connection).await?;
    Ok(one_leads(&leads, Some(ways)))
}

pub(super) async fn identify(
    connection: &mut Connection,
    person: PersonId,
    identity: &Identity,
    at: DateTime<Utc>,
) -> Result<bool> {
    let done = sqlx::query(
        "INSERT INTO identities (issuer, subject, person_id, linked_at)
         SELECT $1, $2, id, $3 FROM people WHERE id = $4 AND disabled_at IS NULL
         ON CONFLICT DO NOTHING",
    )
    .bind(&identity.issuer)
    .bind(&identity.subject)
    .bind(at.timestamp_millis())
    .bind(person.0)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub(super) async fn forget(
    connection: &mut Connection,
    person: PersonId,
    identity: &Identity,
) -> Result<bool> {
    let done =
        sqlx::query("DELETE FROM identities WHERE issuer = $1 AND subject = $2 AND person_id = $3")
            .bind(&identity.issuer)
            .bind(&identity.subject)
            .bind(person.0)
            .execute(connection)
            .await?;
    Ok(done.rows_affected() == 1)
}

pub(super) async fn come_in(
    connection: &mut Connection,
    (person, version): (PersonId, i64),
    identity: &Identity,
    session: &NewSession,
    proven_at: DateTime<Utc>,
) -> Result<bool> {
    let theirs: Option<i64> = sqlx::query_scalar(
        "SELECT linked_at FROM identities WHERE issuer = $1 AND subject = $2 AND person_id = $3",
    )
    .bind(&identity.issuer)
    .bind(&identity.subject)
    .bind(person.0)
    .fetch_optional(&mut *connection)
    .await?;
    if theirs.is_none() || !sign_in(connection, person, version, session).await? {
        return Ok(false);
    }
    // That they came by a provider does not say that they have just shown who they are.
    sqlx::query("UPDATE browser_sessions SET proven_at = $1 WHERE id = $2")
        .bind(proven_at.timestamp_millis())
        .bind(session.id.0)
        .execute(connection)
        .await?;
    Ok(true)
}
