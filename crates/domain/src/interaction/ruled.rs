//! What the policies said of an action when it was asked (rule 14). It is part of the request, so it is in the journal
//! with it, and never changes.

use serde::{Deserialize, Serialize};

use super::{Outcome, Request};
use crate::ids::{PolicyId, TeamId};

/// What a rule does, the mildest first: the strictest wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Then {
    /// It is approved at once, and no person is asked.
    Allow,
    /// People are asked, whatever was approved ahead.
    Ask,
    /// It is denied at once, and no person is asked.
    Forbid,
}

impl Then {
    /// All of them, the mildest first.
    pub const ALL: [Self; 3] = [Self::Allow, Self::Ask, Self::Forbid];

    /// The name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Forbid => "forbid",
        }
    }

    /// How what is asked ends as it is asked, where it does.
    pub fn at_once(self) -> Option<Outcome> {
        match self {
            Self::Allow => Some(Outcome::Approved),
            Self::Ask => None,
            Self::Forbid => Some(Outcome::Denied),
        }
    }
}

/// What the policies said of an action.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ruled {
    /// The strictest of it; absent where they only say that it is destructive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<Then>,
    /// Whether one says that it is destructive: then a grant covers it only if it was made for exactly this, and it is never
    /// answered together with others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub destructive: bool,
    /// The team that one says has to be asked. Nobody hands it to another; an admin moves it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<TeamId>,
    /// Whether one says that a team has to be asked which was not there any more: then only admins approve it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub admins_only: bool,
    /// The rules that say so, the decisive ones first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by: Vec<RuledBy>,
}

/// A rule, as far as it is told with what it decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuledBy {
    /// The policies that it is of.
    pub policies: PolicyId,
    /// Its name.
    pub rule: String,
    /// Why, in the words of an admin. People see it with the question, and the agent with a denial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether it could not be told that it applies, so that a person looks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unclear: bool,
}

/// The rule that decided, as receipts name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByPolicy {
    /// The policies that it is of.
    pub id: PolicyId,
    /// `sha256:` and the hex of SHA-256 over the RFC 8785 form of all of them.
    pub digest: String,
    /// Its name.
    pub rule: String,
}

impl Request {
    /// It, where a rule has this team asked.
    #[must_use]
    pub fn asked_by_rule_of(mut self, team: Option<TeamId>) -> Self {
        if let Some(ruled) = &mut self.ruled {
            ruled.team = team;
        }
        self
    }

    /// It, where a rule has a team asked that is not there. Others are asked in its place, and none of them is who the rule means.
    #[must_use]
    pub fn asked_of_admins(mut self) -> Self {
        if let Some(ruled) = &mut self.ruled {
            ruled.admins_only = true;
        }
        self
    }

    /// Whether only admins approve it.
    pub fn is_for_admins(&self) -> bool {
        self.ruled.as_ref().is_some_and(|ruled| ruled.admins_only)
    }
}

impl Ruled {
    /// What the agent is told, and people, where one of its rules decides.
    pub fn reason(&self) -> String {
        let Some(first) = self.by.first() else {
            return "A policy decided this.".to_owned();
        };
        match &first.reason {
            Some(reason) => reason.clone(),
            None => format!("The policy \u{201c}{}\u{201d} decided this.", first.rule),
        }
    }

    /// What people read with the question: a line for each rule.
    pub fn lines(&self) -> Vec<String> {
        let line = |by: &RuledBy| {
            let why = by.reason.as_ref();
            let why = why.map_or_else(String::new, |reason| format!(": {reason}"));
            match by.unclear {
                true => format!(
                    "It could not be told whether the policy \u{201c}{}\u{201d} applies{why}",
                    by.rule
                ),
                false => format!("Policy \u{201c}{}\u{201d}{why}", by.rule),
            }
        };
        let missing = "The team that has to be asked is not there: only admins can approve it";
        let missing = self.admins_only.then(|| missing.to_owned());
        self.by.iter().map(line).chain(missing).collect()
    }
}
