//! Rule 18 as a condition: what a reader may see.

use domain::{Audience, TeamId};
use sqlx::QueryBuilder;

use super::{Db, Store};
use crate::Result;

/// The columns that say whose a row is.
pub(super) struct Columns {
    pub(super) agent: &'static str,
    pub(super) team: &'static str,
}

/// Of `interactions i`.
pub(super) const OF_INTERACTION: Columns = Columns {
    agent: "i.agent_id",
    team: "i.team_id",
};

/// Of an agent `a` and of its tasks: its home.
pub(super) const OF_AGENT: Columns = Columns {
    agent: "a.id",
    team: "a.team_id",
};

impl Store {
    /// The audience, as far as there is anything to narrow: a condition that leaves nothing out keeps the planner from
    /// what is fast.
    pub(super) async fn as_narrow(&self, audience: &Audience) -> Result<Audience> {
        if !matches!(audience, Audience::Teams(_)) {
            return Ok(audience.clone());
        }
        let any: Option<i64> = sqlx::query_scalar("SELECT version FROM teams LIMIT 1")
            .fetch_optional(&self.read)
            .await?;
        Ok(match any {
            Some(_) => audience.clone(),
            None => Audience::All,
        })
    }
}

/// Adds that the audience sees it; for one that sees all, nothing.
pub(super) fn seen(sql: &mut QueryBuilder<Db>, audience: &Audience, columns: &Columns) {
    match audience {
        Audience::All => {}
        Audience::Agent(agent) => {
            sql.push(format!(" AND {} = ", columns.agent))
                .push_bind(agent.0);
        }
        Audience::Teams(teams) => {
            sql.push(" AND ");
            of_teams(sql, teams, columns.team);
        }
    }
}

/// Adds that the audience hears of `events e`; for one that hears all, nothing. Where there are teams, only admins hear
/// of those, and of tokens and endpoints: they name agents and places of any team.
pub(super) fn heard(sql: &mut QueryBuilder<Db>, audience: &Audience) {
    match audience {
        Audience::All => {}
        Audience::Agent(agent) => {
            sql.push(" AND e.agent_id = ").push_bind(agent.0);
        }
        Audience::Teams(teams) => {
            sql.push(
                " AND CASE WHEN e.interaction_id IS NOT NULL THEN
                    (SELECT ",
            );
            of_teams(sql, teams, OF_INTERACTION.team);
            sql.push(
                " FROM interactions i WHERE i.id = e.interaction_id)
                    WHEN e.agent_id IS NOT NULL THEN (SELECT ",
            );
            of_teams(sql, teams, OF_AGENT.team);
            sql.push(
                " FROM agents a WHERE a.id = e.agent_id)
                    ELSE e.type LIKE 'person.%' OR NOT EXISTS (SELECT 1 FROM teams) END",
            );
        }
    }
}

fn of_teams(sql: &mut QueryBuilder<Db>, teams: &[TeamId], column: &str) {
    sql.push(format!("({column} IS NULL"));
    if !teams.is_empty() {
        sql.push(format!(" OR {column} IN ("));
        let mut list = sql.separated(", ");
        for team in teams {
            list.push_bind(team.0);
        }
        sql.push(")");
    }
    sql.push(")");
}
