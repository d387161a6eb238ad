//! The parts of the rules that an operator may set.

use std::collections::{BTreeMap, BTreeSet};

use chrono::TimeDelta;
use domain::{Person, Quota, access::factor::FactorFor, interaction::Kind};
use serde::{Deserialize, Serialize};

/// The settings the use cases look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The deadline of each kind, where the request names none.
    pub timeouts: Timeouts,
    /// How many blockers of one agent may be pending; 0 = any number.
    pub max_pending_per_agent: u32,
    /// How long an agent that has stopped for an answer may be silent before it is offline; `None` = for ever.
    pub agent_silence: Option<TimeDelta>,
    /// How many bytes an agent may have stored in a day.
    pub quota: Quota,
    /// Who needs a second factor to come in.
    pub second_factor_for: FactorFor,
    /// How long what was written is kept (rule 19).
    pub keep_days: KeepDays,
}

/// Days after the end; 0 = for ever.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeepDays {
    /// Questions.
    pub question: u32,
    /// Choices.
    pub choice: u32,
    /// Acknowledgements.
    pub acknowledgement: u32,
    /// Approvals.
    pub approval: u32,
    /// Plan reviews.
    pub plan_review: u32,
    /// Forms.
    pub form: u32,
    /// Notifications.
    pub notification: u32,
    /// Whatever belongs to one of these teams.
    pub teams: TeamDays,
}

impl KeepDays {
    /// How many days the words of a kind are kept, where they belong to no team that has days of its own; `None` = for
    /// ever.
    pub fn of(&self, kind: Kind) -> Option<u32> {
        let days = match kind {
            Kind::Question => self.question,
            Kind::Choice => self.choice,
            Kind::Acknowledgement => self.acknowledgement,
            Kind::Approval => self.approval,
            Kind::PlanReview => self.plan_review,
            Kind::Form => self.form,
            Kind::Notification => self.notification,
        };
        (days > 0).then_some(days)
    }

    /// Whether anything is erased by its age.
    pub fn is_for_ever(&self) -> bool {
        Kind::ALL.into_iter().all(|kind| self.of(kind).is_none())
            && self.teams.each().all(|(_, days)| days.is_none())
    }
}

/// Days of teams, by name, written `TEAM=DAYS`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct TeamDays(BTreeMap<String, u32>);

impl TeamDays {
    /// The name of each team, and how many days what belongs to it is kept; `None` = for ever.
    pub fn each(&self) -> impl Iterator<Item = (&str, Option<u32>)> {
        let days = self.0.iter();
        days.map(|(name, days)| (&**name, (*days > 0).then_some(*days)))
    }
}

impl TryFrom<Vec<String>> for TeamDays {
    type Error = String;

    fn try_from(items: Vec<String>) -> Result<Self, Self::Error> {
        let (mut teams, mut keys) = (BTreeMap::new(), BTreeSet::new());
        for item in items {
            // A team may have any character in its name.
            let parts = item.rsplit_once('=');
            let parts = parts.map(|(name, days)| (name.trim(), days.trim().parse::<u32>()));
            let Some((name, Ok(days))) = parts.filter(|(name, _)| !name.is_empty()) else {
                return Err(format!(
                    "`{item}` must be TEAM=DAYS, such as Payments=90; 0 is for ever"
                ));
            };
            if !keys.insert(Person::name_key(name)) {
                return Err(format!("the team `{name}` is named twice"));
            }
            teams.insert(name.to_owned(), days);
        }
        Ok(Self(teams))
    }
}

impl From<TeamDays> for Vec<String> {
    fn from(days: TeamDays) -> Self {
        let pairs = days.0.into_iter();
        pairs.map(|(name, days)| format!("{name}={days}")).collect()
    }
}

/// Deadlines in seconds after asking; 0 = never (design §1, rule 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timeouts {
    /// For a question.
    pub question: u32,
    /// For a choice.
    pub choice: u32,
    /// For an acknowledgement.
    pub acknowledgement: u32,
    /// For an approval.
    pub approval: u32,
    /// For a plan review.
    pub plan_review: u32,
    /// For a form.
    pub form: u32,
}

impl Timeouts {
    /// The deadline of a kind; `None` = never.
    pub fn of(&self, kind: Kind) -> Option<TimeDelta> {
        let seconds = match kind {
            Kind::Question => self.question,
            Kind::Choice => self.choice,
            Kind::Acknowledgement => self.acknowledgement,
            Kind::Approval => self.approval,
            Kind::PlanReview => self.plan_review,
            Kind::Form => self.form,
            Kind::Notification => 0,
        };
        (seconds > 0).then(|| TimeDelta::seconds(seconds.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_days_of_a_team_are_read_and_written_by_its_name() {
        let read = |items: &[&str]| {
            TeamDays::try_from(items.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>())
        };
        let days = read(&["Payments = 90", "a=b=0"]).unwrap();
        let each: Vec<_> = days.each().collect();
        assert_eq!(each, [("Payments", Some(90)), ("a=b", None)]);
        let written: Vec<String> = days.clone().into();
        assert_eq!(written, ["Payments=90", "a=b=0"]);
        assert_eq!(TeamDays::try_from(written), Ok(days));
        for wrong in [
            &["Payments"][..],
            &["=3"],
            &["Payments=-1"],
            &["Payments=soon"],
            &["Payments=1", "payments=2"],
        ] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }
}
