//! The teams that a provider gives to somebody (rule 18): what they were given before and is not given any more goes.

use std::collections::BTreeSet;

use crate::{
    access::{Access, Person, PersonRef},
    event::TeamEvent,
    team::{Membership, Part, TeamRef},
};

/// What a provider says of somebody's teams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GivenTeams {
    /// Theirs, with the part that they have in each.
    pub given: Vec<(TeamRef, Part)>,
    /// All that it could give, by their [`Person::name_key`]: in those nobody else makes members.
    pub named: BTreeSet<String>,
    /// Theirs until now, whoever gave them.
    pub until_now: Vec<Membership>,
}

impl GivenTeams {
    /// What it takes to make it so.
    pub(super) fn changes(&self, person: &Person, issuer: &str) -> (Vec<Access>, Vec<TeamEvent>) {
        let is_given = |one: &Membership| self.given.iter().any(|(team, _)| team.id == one.team.id);
        let left = self
            .until_now
            .iter()
            .filter(|one| self.answers_for(one, issuer) && !is_given(one))
            .map(|one| left(person, &one.team));
        let is_so = |team: &TeamRef, part: Part| {
            self.until_now.iter().any(|one| {
                one.team.id == team.id && one.part == part && one.issuer.as_deref() == Some(issuer)
            })
        };
        let set = self
            .given
            .iter()
            .filter(|(team, part)| !is_so(team, *part))
            .map(|(team, part)| set(person, team, *part, issuer));
        left.chain(set).unzip()
    }

    /// Whether the provider says if somebody is in this team: it has made them a member, or it could.
    fn answers_for(&self, membership: &Membership, issuer: &str) -> bool {
        membership.issuer.as_deref() == Some(issuer)
            || self
                .named
                .contains(&Person::name_key(&membership.team.name))
    }
}

fn left(person: &Person, team: &TeamRef) -> (Access, TeamEvent) {
    let write = Access::Member {
        team: team.id,
        person: person.id,
        part: None,
    };
    let event = TeamEvent::MemberRemoved {
        team: team.clone(),
        person: PersonRef::from(person),
    };
    (write, event)
}

fn set(person: &Person, team: &TeamRef, part: Part, issuer: &str) -> (Access, TeamEvent) {
    let write = Access::GivenPart {
        team: team.id,
        person: person.id,
        part,
        issuer: issuer.to_owned(),
    };
    let event = TeamEvent::MemberSet {
        team: team.clone(),
        person: PersonRef::from(person),
        part,
    };
    (write, event)
}
