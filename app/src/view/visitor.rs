//! The person who looks.

use domain::Role;
use serde::{Deserialize, Serialize};

/// Who is signed in, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visitor {
    /// The name others see.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// The address agents reach this server at, without a slash at the end.
    pub public_url: String,
}
