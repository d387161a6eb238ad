//! A blocker is handed over.

use std::collections::HashSet;

use domain::{
    Interaction, InteractionId, Part, PersonId, Principal, Role,
    access::PersonRef,
    decide::interaction::{self as decide, Receiver},
    interaction::HandTo,
    team::TeamRef,
};

use super::{Service, ServiceError};

/// Those who can get it, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Receivers {
    /// People who may answer it.
    pub people: Vec<PersonRef>,
    /// Teams that its reader may give it to.
    pub teams: Vec<TeamRef>,
}

impl Service {
    /// Hands it over, with a line of why. A person who has put it off sees it again.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`]; [`domain::Refused::NotAResponder`], [`domain::Refused::NotInTeam`], [`domain::Refused::Invalid`],
    /// [`domain::Refused::Closed`], [`domain::Refused::Claimed`], [`domain::Refused::Unchanged`].
    pub async fn hand_over(
        &self,
        id: InteractionId,
        to: HandTo,
        why: Option<String>,
        by: &Principal,
    ) -> Result<Interaction, ServiceError> {
        by.responder()?;
        let handed = match to {
            HandTo::Person(person) => {
                let parts = self.store.parts(person).await?;
                let found = self.store.person(person).await?;
                let handed = self.change_as_told(id, |interaction, _, now| {
                    let to = Receiver::Person(found.as_ref().map(|found| (found, &parts)));
                    decide::hand_over(interaction, to, why.clone(), by, now)
                });
                let handed = handed.await?;
                self.tell_pages_of(person);
                handed
            }
            HandTo::Team(team) => {
                let team = self.store.team(team).await?;
                let handed = self.change_as_told(id, |interaction, _, now| {
                    let to = Receiver::Team(team.as_ref());
                    decide::hand_over(interaction, to, why.clone(), by, now)
                });
                handed.await?
            }
        };
        Ok(handed)
    }

    /// Who can get it from this reader, but for themselves.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn receivers(
        &self,
        interaction: &Interaction,
        by: &Principal,
    ) -> Result<Receivers, ServiceError> {
        if by.responder_for(interaction.team.as_ref()).is_err() {
            return Ok(Receivers::default());
        }
        let teams = self.store.teams().await?;
        let of = interaction.team_id();
        let members = teams.iter().filter(|record| Some(record.team.id) == of);
        let answering: HashSet<PersonId> = members
            .flat_map(|record| &record.members)
            .filter(|(_, part)| *part == Part::Answers)
            .map(|(person, _)| person.id)
            .collect();
        let people = self.store.people(self.now()).await?;
        let people = people.into_iter().map(|record| record.person);
        let may = people.filter(|person| {
            let answers = match person.role {
                Role::Admin => true,
                Role::Responder => of.is_none() || answering.contains(&person.id),
                Role::Viewer => false,
            };
            answers && person.disabled_at.is_none() && !by.is_person(person.id)
        });
        let may = may.map(|person| PersonRef::from(&person)).collect();
        let teams = teams.into_iter().map(|record| record.team.named());
        let bound = interaction.ruled().and_then(|ruled| ruled.team);
        let teams = teams.filter(|team| {
            by.gives_to(team.id)
                && Some(team.id) != of
                && bound.is_none_or(|bound| bound == team.id)
        });
        Ok(Receivers {
            people: may,
            teams: teams.collect(),
        })
    }
}
