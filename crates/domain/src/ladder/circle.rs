//! The people a rung tells.

use std::collections::BTreeSet;

use super::Circle;
use crate::ids::PersonId;

/// All who may answer a question, by what they are to it. Disabled people are none of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct People {
    /// Those it is for, if an agent or a person said so.
    pub addressees: BTreeSet<PersonId>,
    /// The person of its team who is on duty now.
    pub on_duty: Option<PersonId>,
    /// Whether it is known who they are in Slack.
    pub is_in_slack: bool,
    /// All who answer for its team; without a team all who answer.
    pub team: BTreeSet<PersonId>,
    /// All admins.
    pub admins: BTreeSet<PersonId>,
}

impl People {
    /// Those of a circle, each once. Without a person on duty it is the team, and without a team the admins: a question
    /// must not be lost.
    pub fn of(&self, circle: Circle) -> BTreeSet<PersonId> {
        let one = |person| BTreeSet::from([person]);
        let team = || match self.team.is_empty() {
            true => self.admins.clone(),
            false => self.team.clone(),
        };
        match circle {
            Circle::Duty if !self.addressees.is_empty() => self.addressees.clone(),
            Circle::Duty => self.on_duty.map_or_else(team, one),
            Circle::Team => {
                let mut all = team();
                all.extend(&self.addressees);
                all
            }
            Circle::Person(person) if self.may_answer(person) => one(person),
            Circle::Person(_) => team(),
            Circle::Admins => self.admins.clone(),
        }
    }

    /// As [`People::of`]; if none of them can be told, which `can` says, the team as well, and then the admins.
    pub fn who_can(&self, circle: Circle, can: impl Fn(PersonId) -> bool) -> BTreeSet<PersonId> {
        let mut those = self.of(circle);
        let is_one = matches!(circle, Circle::Duty | Circle::Person(_));
        let is_told = |those: &BTreeSet<PersonId>| those.iter().any(|person| can(*person));
        if is_one && !is_told(&those) {
            those.extend(self.of(Circle::Team));
        }
        if !is_told(&those) {
            those.extend(&self.admins);
        }
        those
    }

    fn may_answer(&self, person: PersonId) -> bool {
        self.addressees.contains(&person)
            || self.team.contains(&person)
            || self.admins.contains(&person)
    }
}
