//! A blocker is handed over: to a person, or to another team.

use super::{claim::may_take, not_erased, still_open};
use crate::{
    access::Person,
    changeset::Changeset,
    decide::next::advance_anew,
    event::InteractionEvent,
    fault::{Fault, Faults},
    ids::Moment,
    interaction::{Addressee, Handed, Interaction, Whom},
    limits,
    principal::{Actor, Principal},
    refused::Refused,
    team::{Parts, Team},
};

/// Who gets it.
#[derive(Clone, Copy, Debug)]
pub enum Receiver<'a> {
    /// A person, with their teams. `None` if there is no such person.
    Person(Option<(&'a Person, &'a Parts)>),
    /// A team. `None` if there is no such team.
    Team(Option<&'a Team>),
}

/// A responder hands it over to a person who may answer it, or to a team that they answer in themselves; an admin to any
/// team. Where a policy has a team asked, it stays with that one. Whoever gets it is reached anew, and a claim ends. `why`
/// is a line for them.
///
/// # Errors
/// [`Refused::NotAResponder`], [`Refused::NotSeen`], [`Refused::NotInTeam`], [`Refused::Erased`], [`Refused::Invalid`],
/// [`Refused::Closed`], [`Refused::Claimed`], [`Refused::Unchanged`].
pub fn hand_over(
    interaction: &Interaction,
    to: Receiver<'_>,
    why: Option<String>,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let responder = by.responder_for(interaction.team.as_ref())?;
    not_erased(interaction)?;
    let mut faults = Faults::default();
    let why = faults.line("why", why, limits::LINE_CHARS);
    let why = faults.into_result(why).map_err(Refused::Invalid)?;
    still_open(interaction, now)?;
    may_take(interaction, &responder, by, now)?;
    let (whom, team) = match to {
        Receiver::Person(person) => (person_who_may(interaction, person)?, None),
        Receiver::Team(team) => {
            let team = team.filter(|team| team.deleted_at.is_none() && by.gives_to(team.id));
            let team = team.ok_or_else(|| nobody("team", "is no team that you may give it to"))?;
            let is_other = interaction.team_id() != Some(team.id);
            let bound = interaction.ruled().and_then(|ruled| ruled.team);
            if is_other && bound.is_some_and(|bound| bound != team.id) {
                let why = "a policy says which team decides this; an admin can move it";
                return Err(nobody("team", why));
            }
            (Whom::Team, is_other.then(|| team.named()))
        }
    };
    let is_so = interaction.to.as_ref().is_some_and(|to| to.whom == whom);
    if is_so && team.is_none() {
        return Err(Refused::Unchanged);
    }
    let as_it_is = match &team {
        Some(_) => interaction.clone().without_votes(),
        None => interaction.clone(),
    };
    let next = Interaction {
        team: team.clone().or_else(|| interaction.team.clone()),
        to: Some(Addressee {
            whom: whom.clone(),
            since: now.at,
            handed: Some(Handed {
                by: responder.clone(),
                why: why.clone(),
            }),
        }),
        claim: None,
        ..as_it_is
    };
    let wakes = match &whom {
        Whom::Person { id, .. } => Some(*id),
        Whom::Duty | Whom::Team => None,
    };
    let payload = InteractionEvent::HandedOver { whom, team, why };
    Ok(advance_anew(
        next,
        Actor::Responder(responder),
        payload,
        wakes,
        now,
    ))
}

/// An unknown person and one who may not answer get the same refusal.
fn person_who_may(
    interaction: &Interaction,
    person: Option<(&Person, &Parts)>,
) -> Result<Whom, Refused> {
    let may = person.filter(|(person, teams)| may_answer(interaction, person, teams));
    let (person, _) = may.ok_or_else(|| nobody("person", "is not a person who may answer this"))?;
    Ok(Whom::Person {
        id: person.id,
        name: person.name.clone(),
    })
}

/// Rules 3 and 18: whether this person may answer it.
pub fn may_answer(interaction: &Interaction, person: &Person, teams: &Parts) -> bool {
    let principal = Principal::Person {
        id: person.id,
        name: person.name.clone(),
        role: person.role,
        proven_at: person.invited_at,
        teams: teams.clone(),
    };
    person.disabled_at.is_none() && principal.responder_for(interaction.team.as_ref()).is_ok()
}

fn nobody(path: &str, said: &str) -> Refused {
    Refused::Invalid(vec![Fault::new(path, said)])
}
