//! The person who looks.

use chrono::{DateTime, Utc};
use domain::{PersonId, Role};
use serde::{Deserialize, Serialize};

use super::DutyText;

/// Who is signed in, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visitor {
    /// Who that is.
    pub id: PersonId,
    /// The name others see.
    pub name: String,
    /// Their role.
    pub role: Role,
    /// The address agents reach this server at, without a slash at the end.
    pub agent_url: String,
    /// Until when they may do what asks for their password without giving it again.
    #[serde(with = "chrono::serde::ts_microseconds")]
    pub proven_until: DateTime<Utc>,
    /// Whether a provider of sign-ins can say so instead of a password.
    #[serde(default)]
    pub by_provider: bool,
    /// Who is on duty in their own teams.
    #[serde(default)]
    pub duty: DutyText,
}
