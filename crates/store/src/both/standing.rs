//! What approvals that are counted rest on (rule 16), looked at in the transaction that counts them.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use domain::{AgentId, Part, PersonId, Role, Standing};
use uuid::Uuid;

use super::Connection;
use crate::Result;

/// Whom the tokens of an agent belong to that were good for something at this moment or later. Who owns one that has run out
/// is still an owner; that it belongs to nobody tells nothing any more.
const OWNERS: &str = "SELECT DISTINCT owner_id FROM tokens
     WHERE agent_id = $1 AND (revoked_at IS NULL OR revoked_at >= $2)
       AND (owner_id IS NOT NULL OR expires_at IS NULL OR expires_at > $2)";

/// Whether all of it is so. Whoever is kept out, leaves the team or becomes the agent's owner is written in a batch, and
/// so it is before this or after it.
pub(super) async fn holds(connection: &mut Connection, standing: &Standing) -> Result<bool> {
    for person in &standing.people {
        if !may_answer(connection, *person, standing).await? {
            return Ok(false);
        }
    }
    match &standing.owners {
        None => Ok(true),
        Some((known, since)) => {
            let known: BTreeSet<_> = known.iter().copied().collect();
            let owners = owners(connection, standing.agent, *since).await?;
            Ok(owners.into_iter().collect::<BTreeSet<_>>() == known)
        }
    }
}

async fn may_answer(
    connection: &mut Connection,
    person: PersonId,
    standing: &Standing,
) -> Result<bool> {
    let role: Option<String> =
        sqlx::query_scalar("SELECT role FROM people WHERE id = $1 AND disabled_at IS NULL")
            .bind(person.0)
            .fetch_optional(&mut *connection)
            .await?;
    let is_admin = match role.as_deref().and_then(Role::from_name) {
        None | Some(Role::Viewer) => return Ok(false),
        Some(Role::Responder) => false,
        Some(Role::Admin) => true,
    };
    if standing.admins_only {
        return Ok(is_admin);
    }
    let Some(team) = standing.team else {
        return Ok(!standing.members_only);
    };
    if is_admin && !standing.members_only {
        return Ok(true);
    }
    let part: Option<String> =
        sqlx::query_scalar("SELECT part FROM team_members WHERE team_id = $1 AND person_id = $2")
            .bind(team.0)
            .bind(person.0)
            .fetch_optional(connection)
            .await?;
    Ok(part.as_deref().and_then(Part::from_name) == Some(Part::Answers))
}

/// Nobody where one of the tokens belongs to nobody: that may be anybody.
pub(super) async fn owners(
    connection: &mut Connection,
    agent: AgentId,
    since: DateTime<Utc>,
) -> Result<Vec<PersonId>> {
    let owners: Vec<Option<Uuid>> = sqlx::query_scalar(OWNERS)
        .bind(agent.0)
        .bind(since.timestamp_millis())
        .fetch_all(connection)
        .await?;
    let all: Option<BTreeSet<Uuid>> = owners.into_iter().collect();
    Ok(all.unwrap_or_default().into_iter().map(PersonId).collect())
}
