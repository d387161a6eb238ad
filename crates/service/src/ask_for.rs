//! Whom an agent asks for. An admin opens a team to it, and with the team the people who answer there.

use domain::{Fault, Part, Person, Role, Team, interaction::Whom};

use super::{Service, ServiceError};

const PERSON: &str = "person:";

impl Service {
    /// Whom of this team is meant by `named`: who is on duty, all of the team, or a person who answers in it. Who is
    /// unknown, and whom the agent may not ask for, are one fault that lists nobody.
    pub(super) async fn whom(
        &self,
        team: Option<&Team>,
        named: &str,
    ) -> Result<Result<Whom, Fault>, ServiceError> {
        let nobody = "names no one this agent may ask for: `duty`, `team`, or `person:` and the name of a person who \
                      answers in a team that an admin has opened to it";
        let nobody = || Err(Fault::new("to", nobody));
        let Some(team) = team else {
            return Ok(nobody());
        };
        let name = match named {
            "duty" => return Ok(Ok(Whom::Duty)),
            "team" => return Ok(Ok(Whom::Team)),
            _ => named.strip_prefix(PERSON).map(Person::name_key),
        };
        let Some(name) = name else {
            return Ok(nobody());
        };
        let teams = self.store.teams().await?;
        let of = teams.into_iter().find(|record| record.team.id == team.id);
        let mut members = of.into_iter().flat_map(|record| record.members);
        let found = members.find(|(person, part)| {
            *part == Part::Answers
                && person.role != Role::Viewer
                && person.disabled_at.is_none()
                && Person::name_key(&person.name) == name
        });
        Ok(match found {
            Some((person, _)) => Ok(Whom::Person {
                id: person.id,
                name: person.name,
            }),
            None => nobody(),
        })
    }
}
