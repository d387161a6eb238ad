//! Somebody a provider has shown.

use chrono::{DateTime, Utc};
use domain::Identity;

use crate::Claims;

/// Who came back, and what was said of them. Nothing of it is known here yet.
#[derive(Clone, Debug)]
pub struct Arrived {
    /// Who it is.
    pub identity: Identity,
    /// What the provider says of them.
    pub claims: Claims,
    /// When they last showed the provider who they are; `None` when it does not say.
    pub shown_at: Option<DateTime<Utc>>,
    /// The ID token, by which the provider knows whom to sign out.
    pub id_token: String,
}
