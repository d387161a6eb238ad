//! Who is on a blocker, and whom it is for.

use chrono::{DateTime, Utc};
use domain::InteractionId;
use serde::{Deserialize, Serialize};

/// What stands around a blocker that is open.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Around {
    /// Who is on it.
    pub claim: Option<ClaimView>,
    /// That nobody seems to wait for it any more, as a sentence.
    pub offline: Option<String>,
    /// What the policies say of it, a line for each rule.
    pub policies: Option<String>,
    /// How many people have to approve it and who has, as sentences.
    pub approvals: Option<String>,
    /// Whom it is for, and who handed it over to them, as a sentence.
    pub meant_for: Option<String>,
    /// Why, in the words of who did.
    pub why: Option<String>,
    /// Until when the person who looks has snoozed it.
    pub snoozed_until: Option<DateTime<Utc>>,
    /// Who can get it: what a form says of each, and their name. People first.
    pub people: Vec<(String, String)>,
    /// The same of teams.
    pub teams: Vec<(String, String)>,
}

/// A claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimView {
    /// Whose.
    pub by: String,
    /// Whether it is that of who looks.
    pub by_you: bool,
    /// Until when.
    pub until: DateTime<Utc>,
}

/// A blocker that the person whose desk it is has snoozed until then, in milliseconds since 1970.
pub type SnoozedRow = (InteractionId, i64);
