//! What approvals that are counted rest on (rule 16), looked at in the transaction that counts them.

use domain::{AgentId, Part, PersonId, Role, Standing};
use uuid::Uuid;

use super::Connection;
use crate::Result;

/// Every owner of an agent by one of its tokens, each once.
pub(super) const OWNERS: &str = "SELECT DISTINCT owner_id FROM tokens
     WHERE agent_id = $1 AND owner_id IS NOT NULL AND revoked_at IS NULL ORDER BY owner_id";

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
        Some(known) => {
            let mut owners = owners(connection, standing.agent).await?;
            let mut known = known.clone();
            owners.sort_unstable();
            known.sort_unstable();
            Ok(owners == known)
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
    let Some(team) = standing.team else {
        return Ok(true);
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

async fn owners(connection: &mut Connection, agent: AgentId) -> Result<Vec<PersonId>> {
    let owners: Vec<Uuid> = sqlx::query_scalar(OWNERS)
        .bind(agent.0)
        .fetch_all(connection)
        .await?;
    Ok(owners.into_iter().map(PersonId).collect())
}
