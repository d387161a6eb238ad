//! The rules of settings: admins say how a team's silence climbs, and people when they want to be left alone.

use super::access::changeset;
use crate::{
    access::{Access, Person, PersonRef},
    changeset::Changeset,
    event::LadderEvent,
    ids::{Moment, PersonId},
    ladder::{Ladder, LadderDraft, Quiet, QuietDraft, named},
    principal::{Actor, Principal},
    refused::Refused,
    team::Team,
};

/// A ladder as it is: of a team, or of everyone.
#[derive(Clone, Copy, Debug)]
pub struct Standing<'a> {
    /// The team; `None` = everyone.
    pub team: Option<&'a Team>,
    /// Its version; 0 when none was ever set.
    pub version: i64,
    /// What was set; `None` = the default.
    pub ladder: Option<&'a Ladder>,
    /// Those who may be named in it.
    pub people: &'a [PersonRef],
}

/// Silence climbs by this ladder from now on.
///
/// # Errors
/// [`Refused::NotAnAdmin`], [`Refused::TeamDeleted`], [`Refused::Unchanged`], [`Refused::Invalid`].
pub fn set_ladder(
    standing: Standing<'_>,
    draft: &LadderDraft,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.admin()?;
    standing.there()?;
    let person = |name: &str| named(standing.people, name);
    let ladder = draft.check(&person).map_err(Refused::Invalid)?;
    if standing.ladder == Some(&ladder) {
        return Err(Refused::Unchanged);
    }
    let team = standing.team.map(Team::named);
    let event = LadderEvent::Set {
        team,
        ladder: ladder.clone(),
    };
    Ok(standing.after(Some(ladder), event, actor, now))
}

/// Silence climbs by the default again.
///
/// # Errors
/// [`Refused::NotAnAdmin`], [`Refused::TeamDeleted`], [`Refused::Unchanged`].
pub fn clear_ladder(
    standing: Standing<'_>,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.admin()?;
    standing.there()?;
    if standing.ladder.is_none() {
        return Err(Refused::Unchanged);
    }
    let team = standing.team.map(Team::named);
    Ok(standing.after(None, LadderEvent::Cleared { team }, actor, now))
}

/// A person is told only what cannot wait in these hours. They say so themselves, or an admin does. `before` is what held
/// until now.
///
/// # Errors
/// [`Refused::NotAnAdmin`] for another person, [`Refused::Disabled`], [`Refused::Unchanged`], [`Refused::Invalid`].
pub fn set_quiet(
    person: &Person,
    before: Option<&Quiet>,
    draft: &QuietDraft,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = speaks_for(person.id, by)?;
    if person.disabled_at.is_some() {
        return Err(Refused::Disabled);
    }
    let quiet = draft.check().map_err(Refused::Invalid)?;
    if before == quiet.as_ref() {
        return Err(Refused::Unchanged);
    }
    let event = LadderEvent::QuietHoursSet {
        person: person.into(),
        quiet: quiet.clone(),
    };
    let access = Access::Quiet {
        person: person.id,
        quiet,
        at: now.at,
    };
    Ok(changeset(vec![access], actor, vec![event.into()], now))
}

fn speaks_for(person: PersonId, by: &Principal) -> Result<Actor, Refused> {
    match by {
        Principal::Person { id, name, .. } if *id == person => Ok(Actor::Person {
            id: *id,
            name: name.clone(),
        }),
        _ => by.admin(),
    }
}

impl Standing<'_> {
    fn there(&self) -> Result<(), Refused> {
        match self.team.is_some_and(|team| team.deleted_at.is_some()) {
            true => Err(Refused::TeamDeleted),
            false => Ok(()),
        }
    }

    fn after(
        &self,
        ladder: Option<Ladder>,
        event: LadderEvent,
        actor: Actor,
        now: Moment<'_>,
    ) -> Changeset {
        let access = Access::Ladder {
            team: self.team.map(|team| team.id),
            version: self.version + 1,
            ladder,
            at: now.at,
        };
        changeset(vec![access], actor, vec![event.into()], now)
    }
}
