//! Whom a blocker is for: they are reached first (rule 17). Others who may answer it still may.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    ids::{PersonId, TeamId},
    principal::Responder,
};

/// Whom a blocker is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Whom {
    /// One person.
    Person {
        /// Their id.
        id: PersonId,
        /// Their name then.
        name: String,
    },
    /// Who of its team is on duty.
    Duty,
    /// All of its team.
    Team,
}

/// Who is to get a blocker that is handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandTo {
    /// A person.
    Person(PersonId),
    /// A team.
    Team(TeamId),
}

/// Whom a blocker is for, and since when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Addressee {
    /// Whom.
    pub whom: Whom,
    /// Since then: they are reached from here on.
    pub since: DateTime<Utc>,
    /// Who handed it over to them; `None` when the agent asked for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handed: Option<Handed>,
}

/// A person handed it over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handed {
    /// Who.
    pub by: Responder,
    /// Why, in their words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl Addressee {
    /// As the agent asked for them.
    pub fn asked_for(whom: Whom, at: DateTime<Utc>) -> Self {
        Self {
            whom,
            since: at,
            handed: None,
        }
    }

    /// The name of the one person that it is for.
    pub fn person(&self) -> Option<(PersonId, &str)> {
        match &self.whom {
            Whom::Person { id, name } => Some((*id, name)),
            Whom::Duty | Whom::Team => None,
        }
    }

    /// It with every text blank (rule 19).
    pub(crate) fn without_words(&self) -> Self {
        Self {
            whom: self.whom.clone(),
            since: self.since,
            handed: self.handed.as_ref().map(|handed| Handed {
                by: handed.by.clone(),
                why: None,
            }),
        }
    }
}
