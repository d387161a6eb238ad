//! What an operator says of a provider.

use std::collections::{BTreeMap, BTreeSet};

use domain::Role;
use secrecy::SecretString;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use crate::{Claims, Teams, Trouble};

/// One provider.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Its name in addresses; the one that people are sent back to has it, so it stays.
    pub key: String,
    /// Its name for people.
    pub name: String,
    /// Its address, letter by letter as it says it itself.
    pub issuer: String,
    /// Handraise's name there.
    pub client_id: String,
    /// Proves to it that this is Handraise.
    pub client_secret: Option<SecretString>,
    /// What is asked for, besides `openid`.
    pub scopes: Vec<String>,
    /// Whether and how it says who may do what.
    pub roles: Option<Roles>,
    /// Whether and how it says who is in which team.
    pub teams: Option<Teams>,
    /// Whether people come in whom nobody here knows.
    pub newcomers: Newcomers,
}

/// A claim whose values are roles here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roles {
    /// The claim.
    pub claim: String,
    /// Its values that matter.
    pub by_value: BTreeMap<String, Role>,
}

/// Whether somebody comes in whom nobody here has invited or connected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Newcomers {
    /// Nobody.
    #[default]
    Nobody,
    /// To whom the claim gives a role.
    ByClaim,
    /// Everybody whom the provider lets in, with this role where the claim gives none.
    As(Role),
}

impl Settings {
    /// The names of the teams that it can give, each once.
    pub fn team_names(&self) -> BTreeSet<&str> {
        self.teams.iter().flat_map(Teams::names).collect()
    }

    /// The claims without which nobody comes in.
    pub(crate) fn needed(&self) -> impl Iterator<Item = &str> {
        let role = self.roles.as_ref().map(|roles| &*roles.claim);
        let team = self.teams.as_ref().map(|teams| &*teams.claim);
        role.into_iter().chain(team)
    }

    /// The role that these claims give to a person who is known here; `None` where the provider says nothing of
    /// roles.
    ///
    /// # Errors
    /// When the claim is missing or of another type, or gives none.
    pub fn role_of(&self, claims: &Claims) -> Result<Option<Role>, Trouble> {
        let Some(roles) = &self.roles else {
            return Ok(None);
        };
        let values = claims.texts(&roles.claim)?;
        let given = values.iter().filter_map(|value| roles.by_value.get(value));
        let highest = given.max_by_key(|role| Role::ALL.iter().position(|one| one == *role));
        match (highest, self.newcomers) {
            (Some(role), _) => Ok(Some(*role)),
            (None, Newcomers::As(role)) => Ok(Some(role)),
            (None, Newcomers::Nobody | Newcomers::ByClaim) => Err(Trouble::NoRole {
                claim: roles.claim.clone(),
            }),
        }
    }

    /// The role of somebody who is not known here, by what [`Settings::role_of`] says; `None` when they do not
    /// come in.
    pub fn role_of_newcomer(&self, role: Option<Role>) -> Option<Role> {
        match self.newcomers {
            Newcomers::Nobody => None,
            Newcomers::ByClaim => role,
            Newcomers::As(otherwise) => Some(role.unwrap_or(otherwise)),
        }
    }
}

impl<'de> Deserialize<'de> for Newcomers {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        match &*text {
            "" => Ok(Self::Nobody),
            "claim" => Ok(Self::ByClaim),
            role => Role::from_name(role).map(Self::As).ok_or_else(|| {
                D::Error::custom(
                    "it must be viewer, responder or admin, claim (those to whom role_claim gives a role), or empty \
                     for nobody",
                )
            }),
        }
    }
}

impl Serialize for Newcomers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(match self {
            Self::Nobody => "",
            Self::ByClaim => "claim",
            Self::As(role) => role.name(),
        })
    }
}
