//! Access: the part of a batch that lets people and programs in, or keeps them out.

use chrono::{DateTime, Utc};
use domain::{
    Access, Actor, PasswordHash, Person, PersonId, SecretHash, SessionId, SlackId, Token,
    access::{NewLink, NewSession, PasswordBy},
    limits::SESSION_IDLE,
};
use uuid::Uuid;

use super::{Connection, factors, identities};
use crate::{
    Result,
    rows::{actor_text, team_ids_text},
};

/// Writes one change; `false` when it does not fit.
pub(super) async fn apply(connection: &mut Connection, access: &Access) -> Result<bool> {
    match access {
        Access::Person(person) if person.version == 1 => insert_person(connection, person).await,
        Access::Person(person) => update_person(connection, person).await,
        Access::Link {
            person,
            link,
            at,
            by,
        } => put_link(connection, *person, link, *at, by.as_ref()).await,
        Access::SignIn {
            person,
            version,
            session,
        } => sign_in(connection, *person, *version, session).await,
        Access::PasswordIs { person, hash } => {
            let theirs: Option<i64> = sqlx::query_scalar(
                "SELECT created_at FROM people WHERE id = $1 AND password_hash = $2",
            )
            .bind(person.0)
            .bind(&hash.0)
            .fetch_optional(connection)
            .await?;
            Ok(theirs.is_some())
        }
        Access::Identify {
            person,
            identity,
            at,
        } => identities::identify(connection, *person, identity, *at).await,
        Access::Forget { person, identity } => {
            identities::forget(connection, *person, identity).await
        }
        Access::ComeIn {
            person,
            version,
            identity,
            session,
            proven_at,
        } => {
            let who = (*person, *version);
            identities::come_in(connection, who, identity, session, *proven_at).await
        }
        Access::AdminRemains { but, ways } => {
            identities::admin_remains(connection, Some(*but), Some(ways)).await
        }
        Access::WayRemains { person, ways } => {
            identities::way_remains(connection, *person, ways).await
        }
        Access::FactorRemains { person } => factors::one_remains(connection, *person).await,
        Access::SignOut { person, sessions } => sign_out(connection, *person, sessions).await,
        Access::SignOutAll { person } => {
            end_sessions(connection, *person, None).await?;
            Ok(true)
        }
        Access::Password {
            person,
            version,
            hash,
            by,
        } => set_password(connection, *person, *version, hash, by).await,
        Access::Token {
            token,
            hash,
            at,
            by,
        } => insert_token(connection, token, hash, *at, by).await,
        Access::Team(_)
        | Access::Member { .. }
        | Access::GivenPart { .. }
        | Access::Home { .. }
        | Access::Opened { .. } => super::teams::apply(connection, access).await,
        Access::Duty { .. } | Access::Calendar { .. } => {
            super::duties::apply(connection, access).await
        }
        Access::Ladder { .. } | Access::Quiet { .. } => {
            super::ladders::set(connection, access).await
        }
        Access::Factor { person, change } => factors::apply(connection, *person, change).await,
        Access::Own { token, owner } => {
            let owned = "UPDATE tokens SET owner_id = $1
                 WHERE id = $2 AND agent_id IS NOT NULL AND revoked_at IS NULL";
            let done = sqlx::query(owned)
                .bind(owner.map(|owner| owner.0))
                .bind(token.0)
                .execute(&mut *connection)
                .await?;
            Ok(done.rows_affected() == 1 && may_own(connection, *owner).await?)
        }
        Access::Revoke { token, at } => {
            let revoked = "UPDATE tokens SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL";
            let done = sqlx::query(revoked)
                .bind(at.timestamp_millis())
                .bind(token.0)
                .execute(connection)
                .await?;
            Ok(done.rows_affected() == 1)
        }
    }
}

async fn insert_person(connection: &mut Connection, person: &Person) -> Result<bool> {
    let done = sqlx::query(
        "INSERT INTO people (id, version, name, name_key, role, created_at, slack_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT DO NOTHING",
    )
    .bind(person.id.0)
    .bind(person.version)
    .bind(&person.name)
    .bind(Person::name_key(&person.name))
    .bind(person.role.name())
    .bind(person.invited_at.timestamp_millis())
    .bind(person.slack_id.as_ref().map(SlackId::as_str))
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

async fn update_person(connection: &mut Connection, person: &Person) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE people SET version = $1, name = $2, name_key = $3, role = $4, disabled_at = $5,
            slack_id = $7
         WHERE id = $6 AND version = $1 - 1
            AND NOT EXISTS (
                SELECT 1 FROM people o WHERE (o.name_key = $3 OR o.slack_id = $7) AND o.id <> $6
            )",
    )
    .bind(person.version)
    .bind(&person.name)
    .bind(Person::name_key(&person.name))
    .bind(person.role.name())
    .bind(person.disabled_at.map(|at| at.timestamp_millis()))
    .bind(person.id.0)
    .bind(person.slack_id.as_ref().map(SlackId::as_str))
    .execute(&mut *connection)
    .await?;
    if let (1, Some(since)) = (done.rows_affected(), person.disabled_at) {
        end_links(connection, person.id).await?;
        end_sessions(connection, person.id, None).await?;
        super::duties::end_calendars(connection, person.id).await?;
        super::reaches::give_up_all(connection, person.id, since).await?;
    }
    Ok(done.rows_affected() == 1)
}

async fn put_link(
    connection: &mut Connection,
    person: PersonId,
    link: &NewLink,
    at: DateTime<Utc>,
    by: Option<&Actor>,
) -> Result<bool> {
    end_links(connection, person).await?;
    let done = sqlx::query(
        "INSERT INTO sign_in_links (hash, person_id, expires_at)
         SELECT $1, id, $2 FROM people WHERE id = $3 AND disabled_at IS NULL",
    )
    .bind(link.hash.0.as_slice())
    .bind(link.expires_at.timestamp_millis())
    .bind(person.0)
    .execute(&mut *connection)
    .await?;
    if let Some(by) = by {
        // A person without a way in has nothing to lose by a link.
        let remembered = sqlx::query(
            "UPDATE people SET linked_at = $1, linked_by = $2, link_told = FALSE
             WHERE id = $3
                AND (password_hash IS NOT NULL
                     OR EXISTS (SELECT 1 FROM identities i WHERE i.person_id = people.id)
                     OR EXISTS (SELECT 1 FROM factors f WHERE f.person_id = people.id))",
        )
        .bind(at.timestamp_millis())
        .bind(actor_text(by)?)
        .bind(person.0)
        .execute(&mut *connection)
        .await?;
        if remembered.rows_affected() == 0 {
            // An earlier link is no more, and its maker is not this one's.
            sqlx::query("UPDATE people SET linked_at = NULL, linked_by = NULL WHERE id = $1")
                .bind(person.0)
                .execute(connection)
                .await?;
        }
    }
    Ok(done.rows_affected() == 1)
}

async fn set_password(
    connection: &mut Connection,
    person: PersonId,
    version: i64,
    hash: &PasswordHash,
    by: &PasswordBy,
) -> Result<bool> {
    let by_right = match by {
        PasswordBy::Link { link, session } => sqlx::query(
            "DELETE FROM sign_in_links WHERE hash = $1 AND person_id = $2 AND expires_at > $3",
        )
        .bind(link.0.as_slice())
        .bind(person.0)
        .bind(session.created_at.timestamp_millis())
        .execute(&mut *connection)
        .await?
        .rows_affected(),
        PasswordBy::Session(session) => {
            let there: Option<i64> = sqlx::query_scalar(
                "SELECT created_at FROM browser_sessions WHERE id = $1 AND person_id = $2",
            )
            .bind(session.0)
            .bind(person.0)
            .fetch_optional(&mut *connection)
            .await?;
            u64::from(there.is_some())
        }
    };
    let set =
        sqlx::query("UPDATE people SET password_hash = $1 WHERE id = $2 AND disabled_at IS NULL")
            .bind(&hash.0)
            .bind(person.0)
            .execute(&mut *connection)
            .await?;
    if by_right != 1 || set.rows_affected() != 1 {
        return Ok(false);
    }
    end_links(connection, person).await?;
    match by {
        PasswordBy::Link { session, .. } => {
            end_sessions(connection, person, None).await?;
            insert_session(connection, person, version, session).await
        }
        PasswordBy::Session(session) => {
            end_sessions(connection, person, Some(session.0)).await?;
            Ok(true)
        }
    }
}

async fn insert_token(
    connection: &mut Connection,
    token: &Token,
    hash: &SecretHash,
    at: DateTime<Utc>,
    by: &Actor,
) -> Result<bool> {
    if let Some(agent) = token.agent_id {
        sqlx::query(
            "INSERT INTO agents (id, name, created_at) VALUES ($1, $2, $3)
             ON CONFLICT (name) DO NOTHING",
        )
        .bind(agent.0)
        .bind(&token.name)
        .bind(at.timestamp_millis())
        .execute(&mut *connection)
        .await?;
        let of_this_name: Option<Uuid> =
            sqlx::query_scalar("SELECT id FROM agents WHERE name = $1")
                .bind(&token.name)
                .fetch_optional(&mut *connection)
                .await?;
        if of_this_name != Some(agent.0) {
            return Ok(false);
        }
    }
    if !may_own(connection, token.owner).await? {
        return Ok(false);
    }
    sqlx::query(
        "INSERT INTO tokens
            (id, kind, name, hash, agent_id, created_at, expires_at, made_by, teams, owner_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(token.id.0)
    .bind(token.kind.name())
    .bind(&token.name)
    .bind(hash.0.as_slice())
    .bind(token.agent_id.map(|agent| agent.0))
    .bind(at.timestamp_millis())
    .bind(token.expires_at.map(|end| end.timestamp_millis()))
    .bind(actor_text(by)?)
    .bind(team_ids_text(&token.teams)?)
    .bind(token.owner.map(|owner| owner.0))
    .execute(connection)
    .await?;
    Ok(true)
}

/// Whether they may come in now: they may have been disabled since it was decided.
async fn may_own(connection: &mut Connection, owner: Option<PersonId>) -> Result<bool> {
    let Some(owner) = owner else { return Ok(true) };
    let there: Option<i64> =
        sqlx::query_scalar("SELECT version FROM people WHERE id = $1 AND disabled_at IS NULL")
            .bind(owner.0)
            .fetch_optional(connection)
            .await?;
    Ok(there.is_some())
}

/// Those that have expired are cleared away on the way.
pub(super) async fn sign_in(
    connection: &mut Connection,
    person: PersonId,
    version: i64,
    session: &NewSession,
) -> Result<bool> {
    let began = insert_session(connection, person, version, session).await?;
    clear_sessions(connection, session.created_at).await?;
    Ok(began)
}

/// Forgets the sessions that have ended by themselves.
pub(super) async fn clear_sessions(connection: &mut Connection, now: DateTime<Utc>) -> Result<()> {
    sqlx::query("DELETE FROM browser_sessions WHERE expires_at <= $1 OR seen_at <= $2")
        .bind(now.timestamp_millis())
        .bind((now - SESSION_IDLE).timestamp_millis())
        .execute(connection)
        .await?;
    Ok(())
}

async fn sign_out(
    connection: &mut Connection,
    person: PersonId,
    sessions: &[SessionId],
) -> Result<bool> {
    let mut ended = 0;
    for session in sessions {
        let done = sqlx::query("DELETE FROM browser_sessions WHERE person_id = $1 AND id = $2")
            .bind(person.0)
            .bind(session.0)
            .execute(&mut *connection)
            .await?;
        ended += done.rows_affected();
    }
    Ok(ended > 0)
}

/// Whether the person may come in and is still as they were, and no other came in with this cookie. Who comes in has just
/// given, or chosen, their password.
async fn insert_session(
    connection: &mut Connection,
    person: PersonId,
    version: i64,
    session: &NewSession,
) -> Result<bool> {
    let done = sqlx::query(
        "INSERT INTO browser_sessions
            (id, hash, data, person_id, created_at, seen_at, proven_at, expires_at, browser, address, host)
         SELECT $1, $2, '{}', id, $3, $3, $3, $4, $5, $6, $7 FROM people
         WHERE id = $8 AND disabled_at IS NULL AND version = $9
         ON CONFLICT (hash) DO UPDATE SET
            id = excluded.id, person_id = excluded.person_id, created_at = excluded.created_at,
            seen_at = excluded.seen_at, proven_at = excluded.proven_at, expires_at = excluded.expires_at,
            browser = excluded.browser, address = excluded.address, host = excluded.host
         WHERE browser_sessions.person_id IS NULL",
    )
    .bind(session.id.0)
    .bind(session.hash.0.as_slice())
    .bind(session.created_at.timestamp_millis())
    .bind(session.expires_at.timestamp_millis())
    .bind(&session.browser)
    .bind(&session.address)
    .bind(&session.host)
    .bind(person.0)
    .bind(version)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

async fn end_links(connection: &mut Connection, person: PersonId) -> Result<()> {
    sqlx::query("DELETE FROM sign_in_links WHERE person_id = $1")
        .bind(person.0)
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn end_sessions(
    connection: &mut Connection,
    person: PersonId,
    but: Option<Uuid>,
) -> Result<()> {
    // No session has the nil id.
    sqlx::query("DELETE FROM browser_sessions WHERE person_id = $1 AND id <> $2")
        .bind(person.0)
        .bind(but.unwrap_or_default())
        .execute(connection)
        .await?;
    Ok(())
}
