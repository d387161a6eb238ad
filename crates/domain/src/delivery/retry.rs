//! Having deliveries tried again.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::ids::{DeliveryId, DestinationId};

/// Which deliveries are due again, as if they were new.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Retry {
    /// One; a conflict when it is being sent, or delivered.
    One(DeliveryId),
    /// Those that were made since then and given up, but for deliveries to disabled endpoints.
    Since {
        /// Since then.
        since: DateTime<Utc>,
        /// Only deliveries to it.
        destination: Option<DestinationId>,
    },
}
