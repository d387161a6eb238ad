//! Ladders as stored.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{
    InteractionId, PersonId, Role, TeamId,
    access::PersonRef,
    ladder::{Held, HeldWhy, Ladder, Place, Quiet},
};
use sqlx::FromRow;
use uuid::Uuid;

use super::time;
use crate::{Answerer, Climbing, HeldDue, LadderRecord, Result, StoreError};

#[derive(Debug, FromRow)]
pub(crate) struct LadderRow {
    owner_id: Uuid,
    version: i64,
    ladder: Option<String>,
}

impl LadderRow {
    fn ladder(&self) -> Result<Option<Ladder>> {
        let read = self.ladder.as_deref().map(serde_json::from_str);
        let read = read.transpose();
        read.map_err(|error| StoreError::inconsistent("ladders", "ladder", self.owner_id, error))
    }
}

pub(crate) fn ladder_owner(team: Option<TeamId>) -> Uuid {
    team.map_or(Uuid::nil(), |team| team.0)
}

pub(crate) fn ladder_text(owner: Uuid, ladder: Option<&Ladder>) -> Result<Option<String>> {
    let text = ladder.map(serde_json::to_string).transpose();
    text.map_err(|error| StoreError::inconsistent("ladders", "ladder", owner, error))
}

pub(crate) fn ladder(row: Option<LadderRow>) -> Result<LadderRecord> {
    let Some(row) = row else {
        return Ok(LadderRecord::default());
    };
    Ok(LadderRecord {
        version: row.version,
        ladder: row.ladder()?,
    })
}

pub(crate) fn ladders(rows: Vec<LadderRow>) -> Result<Vec<(Option<TeamId>, Ladder)>> {
    let mut all = Vec::new();
    for row in rows {
        let owner = Some(row.owner_id).filter(|owner| !owner.is_nil());
        if let Some(ladder) = row.ladder()? {
            all.push((owner.map(TeamId), ladder));
        }
    }
    Ok(all)
}

pub(crate) fn quiet_text(person: Uuid, quiet: &Quiet) -> Result<String> {
    let text = serde_json::to_string(quiet);
    text.map_err(|error| StoreError::inconsistent("quiet_hours", "quiet", person, error))
}

pub(crate) fn quiet((person, text): (Uuid, String)) -> Result<(PersonId, Quiet)> {
    let read = serde_json::from_str(&text);
    let quiet =
        read.map_err(|error| StoreError::inconsistent("quiet_hours", "quiet", person, error))?;
    Ok((PersonId(person), quiet))
}

pub(crate) fn climbing((id, rung, at): (Uuid, i64, i64)) -> Result<Climbing> {
    let read = u32::try_from(rung);
    let rung = read.map_err(|error| StoreError::inconsistent("interactions", "rung", id, error))?;
    let at = time(at, "interactions", id)?;
    Ok(Climbing {
        id: InteractionId(id),
        place: Place { rung, at },
    })
}

pub(crate) fn answerer(
    (id, name, role, is_of_team): (Uuid, String, String, bool),
) -> Result<Answerer> {
    let known = Role::from_name(&role);
    let role = known.ok_or_else(|| StoreError::inconsistent("people", "role", id, role))?;
    Ok(Answerer {
        person: PersonRef {
            id: PersonId(id),
            name,
            role,
        },
        is_of_team,
    })
}

pub(crate) type HeldRow = (Uuid, Uuid, i64, i64, String);

pub(crate) fn held(rows: Vec<HeldRow>) -> Result<Vec<HeldDue>> {
    let mut people: BTreeMap<Uuid, Vec<Held>> = BTreeMap::new();
    for (person, interaction, rung, until, why) in rows {
        let bad = |column, error: String| {
            StoreError::inconsistent("held_back", column, interaction, error)
        };
        let known = HeldWhy::from_name(&why);
        people.entry(person).or_default().push(Held {
            person: PersonId(person),
            interaction: InteractionId(interaction),
            rung: u32::try_from(rung).map_err(|error| bad("rung", error.to_string()))?,
            until: time(until, "held_back", interaction)?,
            why: known.ok_or_else(|| bad("why", why))?,
        });
    }
    let people = people.into_iter().map(|(person, held)| HeldDue {
        person: PersonId(person),
        held,
    });
    Ok(people.collect())
}

pub(crate) fn snoozed((person, until): (Uuid, i64)) -> Result<(PersonId, DateTime<Utc>)> {
    Ok((PersonId(person), time(until, "snoozes", person)?))
}
