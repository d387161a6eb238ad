//! Time zones by their names.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A time zone by its name in the IANA database, such as `Europe/Berlin`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Zone(String);

impl Zone {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(feature = "zones")]
mod known {
    use chrono_tz::Tz;

    use super::Zone;
    use crate::fault::Fault;

    impl Zone {
        /// Reads a name.
        ///
        /// # Errors
        /// When the database has no such zone.
        pub fn parse(name: &str) -> Result<Self, Fault> {
            let name = name.trim();
            name.parse::<Tz>()
                .map(|zone| Self(zone.name().to_owned()))
                .map_err(|_| {
                    Fault::new(
                        "zone",
                        "is no time zone that is known here; name one such as Europe/Berlin, Asia/Kolkata or UTC",
                    )
                })
        }

        /// Its clocks. A name that was stored and is known no more reads as UTC, so that duty goes on.
        pub(in crate::duty) fn clocks(&self) -> Tz {
            self.0.parse().unwrap_or(Tz::UTC)
        }
    }
}
