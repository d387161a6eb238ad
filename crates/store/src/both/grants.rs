//! Grants: standing approvals, their uses and their ends (rule 15). Whether one may be used is decided here once more, in the
//! transaction that uses it: no node knows of it from before.

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    Access, AgentId, Audience, Changeset, Erasing, Grant, GrantId, Interaction, InteractionId,
    Person, Role, TeamId, TokenId,
    grant::{GrantEnd, GrantRecord, GrantWrite, Holder},
    limits::GRANTS_PER_AGENT,
};
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::{
    Connection, Db, Store,
    audience::{Columns, seen},
    ended::{Ended, Row},
};
use crate::{
    GrantQuery, GrantUse, Grants, Result,
    rows::{self, GrantRow},
};

/// Of `grants g`: the team that was asked when it was made.
const OF_GRANT: Columns = Columns {
    agent: "g.agent_id",
    team: "g.team_id",
};

/// Writes one step of a grant; `false` when it does not fit.
pub(super) async fn apply(
    connection: &mut Connection,
    write: &GrantWrite,
    ended: &mut Ended,
) -> Result<bool> {
    match write {
        GrantWrite::Make(grant) => Ok(may_hold(connection, grant, grant.terms.made_at).await?
            && make(connection, grant).await?),
        GrantWrite::Use {
            grant,
            interaction,
            at,
        } => Ok(may_hold(connection, grant, *at).await?
            && has_not_ended(connection, grant).await?
            && use_once(connection, grant, *interaction, *at, ended).await?),
        GrantWrite::Stands { grant, made_from } => stands(connection, *grant, *made_from).await,
        GrantWrite::End { grant, at, why } => {
            let done = sqlx::query(
                "UPDATE grants SET ended_at = $1, ended_why = $2 WHERE id = $3 AND ended_at IS NULL",
            )
            .bind(at.timestamp_millis())
            .bind(why.name())
            .bind(grant.0)
            .execute(connection)
            .await?;
            Ok(done.rows_affected() == 1)
        }
    }
}

/// Whether its holder may answer for what it covers at `at`, by what was signed.
async fn may_hold(connection: &mut Connection, grant: &Grant, at: DateTime<Utc>) -> Result<bool> {
    let team = grant.terms.team.as_ref().map(|team| team.id);
    may_answer(connection, grant.terms.holder, team, at).await
}

/// Whether this holder may answer for this team at `at`.
pub(super) async fn may_answer(
    connection: &mut Connection,
    holder: Holder,
    team: Option<TeamId>,
    at: DateTime<Utc>,
) -> Result<bool> {
    if !super::teams::is_there(connection, team).await? {
        return Ok(false);
    }
    let may: Option<i64> = match holder {
        Holder::Person(person) => {
            sqlx::query_scalar(
                "SELECT p.version FROM people p
                 WHERE p.id = $1 AND p.disabled_at IS NULL
                   AND (p.role = 'admin' OR (p.role = 'responder' AND ($2 IS NULL OR EXISTS (
                        SELECT 1 FROM team_members m
                        WHERE m.team_id = $2 AND m.person_id = p.id AND m.part = 'answers'))))",
            )
            .bind(person.0)
            .bind(team.map(|team| team.0))
            .fetch_optional(connection)
            .await?
        }
        // Its teams were given to it when it was made, and never change.
        Holder::Token(token) => {
            sqlx::query_scalar(
                "SELECT created_at FROM tokens
                 WHERE id = $1 AND kind = 'responder' AND revoked_at IS NULL
                   AND (expires_at IS NULL OR expires_at > $2)",
            )
            .bind(token.0)
            .bind(at.timestamp_millis())
            .fetch_optional(connection)
            .await?
        }
    };
    Ok(may.is_some())
}

/// A row can be made to forget that it has ended. The journal cannot: it tells of each end, and of what was erased.
async fn has_not_ended(connection: &mut Connection, grant: &Grant) -> Result<bool> {
    let ended: Option<i64> = sqlx::query_scalar(
        "SELECT seq FROM events
         WHERE interaction_id = $1
           AND (type = 'interaction.erased'
                OR (type IN ('grant.revoked', 'grant.ended') AND payload LIKE $2)) LIMIT 1",
    )
    .bind(grant.terms.made_from.0)
    .bind(format!("%{}%", grant.terms.id))
    .fetch_optional(connection)
    .await?;
    Ok(ended.is_none())
}

/// Whether it was not taken back: one that was used up stands by what it has approved.
async fn stands(
    connection: &mut Connection,
    grant: GrantId,
    made_from: InteractionId,
) -> Result<bool> {
    let stands: Option<i64> = sqlx::query_scalar(
        "SELECT g.expires_at FROM grants g
         WHERE g.id = $1 AND g.made_from = $2 AND (g.ended_at IS NULL OR g.ended_why = $4)
           AND NOT EXISTS (
             SELECT 1 FROM events e
             WHERE e.interaction_id = $2
               AND (e.type = 'interaction.erased'
                    OR (e.type IN ('grant.revoked', 'grant.ended') AND e.payload LIKE $3
                        AND e.payload NOT LIKE $5)))",
    )
    .bind(grant.0)
    .bind(made_from.0)
    .bind(format!("%{grant}%"))
    .bind(GrantEnd::UsedUp.name())
    .bind(format!("%\"{}\"%", GrantEnd::UsedUp.name()))
    .fetch_optional(connection)
    .await?;
    Ok(stands.is_some())
}

async fn make(connection: &mut Connection, grant: &Grant) -> Result<bool> {
    let terms = &grant.terms;
    let in_force: i64 = sqlx::query_scalar(
        "SELECT COUNT(*) FROM grants WHERE agent_id = $1 AND ended_at IS NULL AND expires_at > $2",
    )
    .bind(terms.agent.id.0)
    .bind(terms.made_at.timestamp_millis())
    .fetch_one(&mut *connection)
    .await?;
    // Of what was erased meanwhile there is nothing any more that it could cover.
    let erased: Option<bool> = sqlx::query_scalar(super::dialect::ERASED)
        .bind(terms.made_from.0)
        .fetch_optional(&mut *connection)
        .await?;
    if usize::try_from(in_force).is_ok_and(|count| count >= GRANTS_PER_AGENT)
        || erased != Some(false)
    {
        return Ok(false);
    }
    let row = rows::GrantText::of(grant)?;
    let (kind, holder) = holder_columns(terms.holder);
    let done = sqlx::query(
        "INSERT INTO grants (id, agent_id, team_id, session_id, tool, holder_kind, holder_id, made_from,
            expires_at, terms, scope, signature)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING",
    )
    .bind(terms.id.0)
    .bind(terms.agent.id.0)
    .bind(terms.team.as_ref().map(|team| team.id.0))
    .bind(row.session)
    .bind(row.tool)
    .bind(kind)
    .bind(holder)
    .bind(terms.made_from.0)
    .bind(terms.expires_at.timestamp_millis())
    .bind(row.terms)
    .bind(row.scope)
    .bind(&grant.signature)
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

async fn use_once(
    connection: &mut Connection,
    grant: &Grant,
    interaction: InteractionId,
    at: DateTime<Utc>,
    ended: &mut Ended,
) -> Result<bool> {
    let terms = &grant.terms;
    let used = sqlx::query(
        "UPDATE grants SET uses = uses + 1, last_used_at = $1
         WHERE id = $2 AND ended_at IS NULL AND expires_at > $1 AND uses < $3 AND scope IS NOT NULL
           -- Each use is a row of its own: a number that was turned back fits them no more.
           AND uses = (SELECT COUNT(*) FROM grant_uses WHERE grant_id = $2)",
    )
    .bind(at.timestamp_millis())
    .bind(terms.id.0)
    .bind(i64::from(terms.most))
    .execute(&mut *connection)
    .await?;
    if used.rows_affected() != 1 {
        return Ok(false);
    }
    let counted = sqlx::query(
        "INSERT INTO grant_uses (interaction_id, grant_id, at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
    )
    .bind(interaction.0)
    .bind(terms.id.0)
    .bind(at.timestamp_millis())
    .execute(&mut *connection)
    .await?;
    // Then it takes no room among those in force.
    let used_up: Vec<Row> = sqlx::query_as(
        "UPDATE grants SET ended_at = $1, ended_why = $2 WHERE id = $3 AND uses >= $4
         RETURNING id, agent_id, made_from",
    )
    .bind(at.timestamp_millis())
    .bind(GrantEnd::UsedUp.name())
    .bind(terms.id.0)
    .bind(i64::from(terms.most))
    .fetch_all(connection)
    .await?;
    ended.grants(used_up, GrantEnd::UsedUp);
    Ok(counted.rows_affected() == 1)
}

/// Ends the grants that stood on what this change takes away, in the same transaction. The change tells of it.
pub(super) async fn follow(
    connection: &mut Connection,
    access: &Access,
    changeset: &Changeset,
    ended: &mut Ended,
) -> Result<()> {
    let Some(at) = changeset.events.first().map(|event| event.at) else {
        return Ok(());
    };
    match access {
        Access::Person(person) if may_have_lost(person) => {
            of_person(connection, person.id.0, at, ended).await
        }
        Access::Member { person, .. } | Access::GivenPart { person, .. } => {
            of_person(connection, person.0, at, ended).await
        }
        Access::Team(team) if team.deleted_at.is_some() => {
            let all = "UPDATE grants SET ended_at = $1, ended_why = $2
                 WHERE team_id = $3 AND ended_at IS NULL RETURNING id, agent_id, made_from";
            end(
                connection,
                all,
                team.id.0,
                (GrantEnd::AgentChanged, at),
                ended,
            )
            .await
        }
        Access::Home { agent, .. } => {
            let all = "UPDATE grants SET ended_at = $1, ended_why = $2
                 WHERE agent_id = $3 AND ended_at IS NULL RETURNING id, agent_id, made_from";
            end(
                connection,
                all,
                agent.0,
                (GrantEnd::AgentChanged, at),
                ended,
            )
            .await
        }
        Access::Opened {
            team,
            agent,
            open: false,
        } => {
            let rows: Vec<Row> = sqlx::query_as(
                "UPDATE grants SET ended_at = $1, ended_why = $2
                 WHERE agent_id = $3 AND team_id = $4 AND ended_at IS NULL
                 RETURNING id, agent_id, made_from",
            )
            .bind(at.timestamp_millis())
            .bind(GrantEnd::AgentChanged.name())
            .bind(agent.0)
            .bind(team.0)
            .fetch_all(connection)
            .await?;
            ended.grants(rows, GrantEnd::AgentChanged);
            Ok(())
        }
        Access::Revoke { token, .. } => of_token(connection, *token, at, ended).await,
        _ => Ok(()),
    }
}

/// A new person has no grants, and an admin who can come in has all rights.
fn may_have_lost(person: &Person) -> bool {
    person.version > 1 && (person.disabled_at.is_some() || person.role != Role::Admin)
}

/// Those of a person who may not answer for them any more.
async fn of_person(
    connection: &mut Connection,
    person: Uuid,
    at: DateTime<Utc>,
    ended: &mut Ended,
) -> Result<()> {
    let lost = "UPDATE grants SET ended_at = $1, ended_why = $2
         WHERE holder_id = $3 AND holder_kind = 'person' AND ended_at IS NULL
           AND NOT EXISTS (
               SELECT 1 FROM people p
               WHERE p.id = $3 AND p.disabled_at IS NULL
                 AND (p.role = 'admin' OR (p.role = 'responder' AND (grants.team_id IS NULL OR EXISTS (
                     SELECT 1 FROM team_members m
                     WHERE m.team_id = grants.team_id AND m.person_id = p.id AND m.part = 'answers')))))
         RETURNING id, agent_id, made_from";
    end(connection, lost, person, (GrantEnd::HolderLost, at), ended).await
}

/// Those that it made, or those of the agent whose it was: who lost it may have had somebody else ask with it.
async fn of_token(
    connection: &mut Connection,
    token: TokenId,
    at: DateTime<Utc>,
    ended: &mut Ended,
) -> Result<()> {
    let made = "UPDATE grants SET ended_at = $1, ended_why = $2
         WHERE holder_id = $3 AND holder_kind = 'token' AND ended_at IS NULL
         RETURNING id, agent_id, made_from";
    end(connection, made, token.0, (GrantEnd::HolderLost, at), ended).await?;
    let asked = "UPDATE grants SET ended_at = $1, ended_why = $2
         WHERE agent_id = (SELECT agent_id FROM tokens WHERE id = $3) AND ended_at IS NULL
         RETURNING id, agent_id, made_from";
    let why = GrantEnd::AgentChanged;
    end(connection, asked, token.0, (why, at), ended).await
}

/// `all` says which, of one thing.
async fn end(
    connection: &mut Connection,
    all: &'static str,
    of: Uuid,
    (why, at): (GrantEnd, DateTime<Utc>),
    ended: &mut Ended,
) -> Result<()> {
    let rows: Vec<Row> = sqlx::query_as(all)
        .bind(at.timestamp_millis())
        .bind(why.name())
        .bind(of)
        .fetch_all(connection)
        .await?;
    ended.grants(rows, why);
    Ok(())
}

/// Rule 19: the words of what was made of an interaction go with it, and without them it covers nothing. The event of the
/// erasure tells of it.
pub(super) async fn erase(connection: &mut Connection, erasing: &Erasing) -> Result<()> {
    let Some(erased) = &erasing.interaction.erased else {
        return Ok(());
    };
    sqlx::query(
        "UPDATE grants
         SET scope = NULL, tool = NULL, session_id = NULL, ended_at = COALESCE(ended_at, $1),
             ended_why = COALESCE(ended_why, $2)
         WHERE made_from = $3",
    )
    .bind(erased.at.timestamp_millis())
    .bind(GrantEnd::Erased.name())
    .bind(erasing.interaction.id.0)
    .execute(connection)
    .await?;
    Ok(())
}

pub(super) fn holder_columns(holder: Holder) -> (&'static str, Uuid) {
    match holder {
        Holder::Person(person) => ("person", person.0),
        Holder::Token(token) => ("token", token.0),
    }
}

#[async_trait]
impl Grants for Store {
    fn proves_grant(&self, grant: &Grant) -> bool {
        self.proof.proves_grant(grant)
    }

    async fn grants_in_force(
        &self,
        agent: AgentId,
        tool: &str,
        now: DateTime<Utc>,
    ) -> Result<Vec<GrantRecord>> {
        let rows: Vec<GrantRow> = sqlx::query_as(
            "SELECT g.id, g.terms, g.scope, g.signature, g.uses, g.last_used_at, g.ended_at, g.ended_why
             FROM grants g
             WHERE g.agent_id = $1 AND g.tool = $2 AND g.ended_at IS NULL AND g.expires_at > $3
             ORDER BY g.id LIMIT $4",
        )
        .bind(agent.0)
        .bind(tool)
        .bind(now.timestamp_millis())
        .bind(i64::try_from(GRANTS_PER_AGENT).unwrap_or(i64::MAX))
        .fetch_all(&self.read)
        .await?;
        Ok(rows::grants(rows))
    }

    async fn count_grants(&self, agent: AgentId, now: DateTime<Utc>) -> Result<u64> {
        let count: i64 = sqlx::query_scalar(
            "SELECT COUNT(*) FROM grants WHERE agent_id = $1 AND ended_at IS NULL AND expires_at > $2",
        )
        .bind(agent.0)
        .bind(now.timestamp_millis())
        .fetch_one(&self.read)
        .await?;
        Ok(u64::try_from(count).unwrap_or_default())
    }

    async fn grant(&self, id: GrantId) -> Result<Option<GrantRecord>> {
        let row: Option<GrantRow> = sqlx::query_as(
            "SELECT g.id, g.terms, g.scope, g.signature, g.uses, g.last_used_at, g.ended_at, g.ended_why
             FROM grants g WHERE g.id = $1",
        )
        .bind(id.0)
        .fetch_optional(&self.read)
        .await?;
        row.map(GrantRecord::try_from).transpose()
    }

    async fn grants(&self, audience: &Audience, query: GrantQuery) -> Result<Vec<GrantRecord>> {
        let audience = self.as_narrow(audience).await?;
        let mut sql: QueryBuilder<Db> = QueryBuilder::new(
            "SELECT g.id, g.terms, g.scope, g.signature, g.uses, g.last_used_at, g.ended_at, g.ended_why
             FROM grants g WHERE g.id < ",
        );
        sql.push_bind(query.before.map_or(Uuid::max(), |before| before.0));
        if let Some(since) = query.open_since {
            sql.push(" AND (g.ended_at IS NULL OR g.ended_at >= ")
                .push_bind(since.timestamp_millis())
                .push(") AND g.expires_at >= ")
                .push_bind(since.timestamp_millis());
        }
        seen(&mut sql, &audience, &OF_GRANT);
        sql.push(" ORDER BY g.id DESC LIMIT ")
            .push_bind(i64::from(query.limit));
        let rows: Vec<GrantRow> = sql
            .build_query_as()
            .persistent(false)
            .fetch_all(&self.read)
            .await?;
        Ok(rows::grants(rows))
    }

    async fn grant_uses(
        &self,
        grant: GrantId,
        since: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<GrantUse>> {
        let rows: Vec<(Uuid, i64)> = sqlx::query_as(
            "SELECT interaction_id, at FROM grant_uses WHERE grant_id = $1 AND at >= $2
             ORDER BY at DESC, interaction_id DESC LIMIT $3",
        )
        .bind(grant.0)
        .bind(since.timestamp_millis())
        .bind(i64::from(limit))
        .fetch_all(&self.read)
        .await?;
        rows.into_iter().map(rows::grant_use).collect()
    }

    async fn count_uses(
        &self,
        grants: &[GrantId],
        since: DateTime<Utc>,
    ) -> Result<HashMap<GrantId, u64>> {
        let mut counts = HashMap::new();
        for grant in grants {
            let count: i64 = sqlx::query_scalar(
                "SELECT COUNT(*) FROM grant_uses WHERE grant_id = $1 AND at >= $2",
            )
            .bind(grant.0)
            .bind(since.timestamp_millis())
            .fetch_one(&self.read)
            .await?;
            counts.insert(*grant, u64::try_from(count).unwrap_or_default());
        }
        Ok(counts)
    }

    async fn grants_of_session(
        &self,
        agent: AgentId,
        session: &str,
        now: DateTime<Utc>,
    ) -> Result<Vec<GrantRecord>> {
        let rows: Vec<GrantRow> = sqlx::query_as(
            "SELECT g.id, g.terms, g.scope, g.signature, g.uses, g.last_used_at, g.ended_at, g.ended_why
             FROM grants g
             WHERE g.agent_id = $1 AND g.session_id = $2 AND g.ended_at IS NULL AND g.expires_at > $3
             ORDER BY g.id LIMIT $4",
        )
        .bind(agent.0)
        .bind(session)
        .bind(now.timestamp_millis())
        .bind(i64::try_from(GRANTS_PER_AGENT).unwrap_or(i64::MAX))
        .fetch_all(&self.read)
        .await?;
        Ok(rows::grants(rows))
    }

    async fn approvals_before(
        &self,
        agent: AgentId,
        before: Option<(DateTime<Utc>, InteractionId)>,
        since: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Interaction>> {
        let (until, last) = match before {
            Some((at, id)) => (at.timestamp_millis(), id.0),
            None => (i64::MAX, Uuid::max()),
        };
        let rows: Vec<rows::InteractionRow> = sqlx::query_as(
            "SELECT i.id, i.version, i.agent_id, a.name AS agent_name, i.request, i.detail,
                    i.created_at, i.expires_at, i.collected_at, i.consumed, i.report, i.callback,
                    i.card_channel, i.card_ts, i.card_permalink, i.follow_ups, i.erased,
                    i.claim, i.addressee,
                    i.team_id, t.name AS team_name
             FROM interactions i JOIN agents a ON a.id = i.agent_id
             LEFT JOIN teams t ON t.id = i.team_id
             WHERE i.agent_id = $1 AND i.erased IS NULL AND i.closed_at IS NOT NULL
               AND i.closed_at >= $2 AND i.closed_at <= $3
               AND (i.closed_at < $3 OR i.id < $4) AND i.kind = 'approval'
             ORDER BY i.closed_at DESC, i.id DESC LIMIT $5",
        )
        .bind(agent.0)
        .bind(since.timestamp_millis())
        .bind(until)
        .bind(last)
        .bind(i64::from(limit))
        .fetch_all(&self.read)
        .await?;
        let read = rows::every_interaction(rows)?;
        Ok(read
            .into_iter()
            .map(|stored| self.proof.of(stored))
            .collect())
    }
}
