//! Backups that the server makes by itself.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use super::checked::optional;

/// Where, how often, and how many of them.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackupSettings {
    /// The folder, or `s3://BUCKET/FOLDER`.
    #[serde(deserialize_with = "optional")]
    pub to: Option<String>,
    /// Hours from one to the next.
    pub every_hours: NonZeroU32,
    /// How many are kept there.
    pub keep: NonZeroU32,
}
