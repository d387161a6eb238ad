//! Providers of sign-ins, as pages show them.

use serde::{Deserialize, Serialize};

/// How people come in here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaysIn {
    /// Whether by name and password.
    pub passwords: bool,
    /// By whom else.
    pub providers: Vec<ProviderName>,
    /// Why this browser did not come in by one a moment ago.
    pub refused: Option<String>,
}

/// A provider and its button.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderName {
    /// Its name in addresses.
    pub key: String,
    /// Its name for people.
    pub name: String,
}

/// The providers that a person can come in by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connections {
    /// All there are, and since which day the person is connected to them.
    pub providers: Vec<(ProviderName, Option<String>)>,
    /// Whether they have shown lately who they are.
    pub proven: bool,
    /// Why something was refused a moment ago.
    pub refused: Option<String>,
}
