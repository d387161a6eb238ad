//! Events of deliveries and endpoints.

use serde::{Deserialize, Serialize};

use crate::delivery::{DisabledWhy, EndpointRef, Retry};

/// A webhook endpoint was made, changed or taken away. The names are hashed with the journal and never change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "payload")]
pub enum EndpointEvent {
    /// An endpoint was made.
    #[serde(rename = "endpoint.created")]
    Created(EndpointRef),
    /// An endpoint has another address.
    #[serde(rename = "endpoint.changed")]
    Changed(EndpointRef),
    /// An endpoint has another secret.
    #[serde(rename = "endpoint.secret_rotated")]
    SecretRotated(EndpointRef),
    /// Nothing is sent to an endpoint any more.
    #[serde(rename = "endpoint.disabled")]
    Disabled {
        /// Which.
        endpoint: EndpointRef,
        /// Why.
        why: DisabledWhy,
    },
    /// An endpoint is sent to again.
    #[serde(rename = "endpoint.enabled")]
    Enabled(EndpointRef),
    /// An endpoint was taken away.
    #[serde(rename = "endpoint.deleted")]
    Deleted(EndpointRef),
    /// A test of an endpoint was asked for.
    #[serde(rename = "endpoint.tested")]
    Tested(EndpointRef),
}

impl EndpointEvent {
    /// The event type, as in SQL and JSON.
    pub fn event_type(&self) -> &'static str {
        match self {
            Self::Created(_) => "endpoint.created",
            Self::Changed(_) => "endpoint.changed",
            Self::SecretRotated(_) => "endpoint.secret_rotated",
            Self::Disabled { .. } => "endpoint.disabled",
            Self::Enabled(_) => "endpoint.enabled",
            Self::Deleted(_) => "endpoint.deleted",
            Self::Tested(_) => "endpoint.tested",
        }
    }
}

/// Deliveries were changed by hand. The names are hashed with the journal and never change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "payload")]
pub enum DeliveryEvent {
    /// Deliveries were set to be tried again.
    #[serde(rename = "delivery.retried")]
    Retried(Retry),
}

impl DeliveryEvent {
    /// The event type, as in SQL and JSON.
    pub fn event_type(&self) -> &'static str {
        match self {
            Self::Retried(_) => "delivery.retried",
        }
    }
}
