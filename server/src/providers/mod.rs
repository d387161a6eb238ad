//! The providers by which people sign in, as they are configured.

mod fetch;

use std::{sync::Arc, time::Duration};

use oidc::{Provider, Roles, Settings, Trouble};
use tokio::time::timeout;

use crate::config::{Config, ProviderSettings};
use fetch::Guided;

/// How long all that a provider is asked for one step may take: less than a page may.
const IN_TIME: Duration = Duration::from_secs(8);

/// All of them, in the order of the settings.
pub struct Providers {
    all: Vec<Provider>,
    public_url: String,
}

impl Providers {
    /// Asks none of them anything yet.
    pub fn new(config: &Config) -> Self {
        let all = config.providers.iter().map(|one| {
            let fetch = Guided::new(one, &config.outbound_allow);
            Provider::new(settings(one), Arc::new(fetch))
        });
        Self {
            all: all.collect(),
            public_url: config.public_url(),
        }
    }

    /// All of them.
    pub fn all(&self) -> &[Provider] {
        &self.all
    }

    /// The one with this key.
    pub fn find(&self, key: &str) -> Option<&Provider> {
        self.all.iter().find(|one| one.settings.key == key)
    }

    /// The address that people come back to from this one.
    pub fn redirect(&self, provider: &Provider) -> String {
        format!(
            "{}/sign-in/with/{}/back",
            self.public_url, provider.settings.key
        )
    }

    /// The address that people come to when they have signed out of a provider.
    pub fn after_sign_out(&self) -> String {
        format!("{}/sign-in", self.public_url)
    }
}

/// Waits for what a provider is asked, but not for ever.
///
/// # Errors
/// As what is awaited, and when it takes too long.
pub async fn in_time<T>(
    asked: impl Future<Output = Result<T, Trouble>> + Send,
) -> Result<T, Trouble> {
    let slow = |_| Trouble::Unreached("it takes too long".to_owned());
    timeout(IN_TIME, asked).await.map_err(slow)?
}

fn settings(one: &ProviderSettings) -> Settings {
    let client_secret = one.secret().unwrap_or_else(|why| {
        tracing::error!(provider.key = %one.key, why, "the secret of a provider cannot be read");
        None
    });
    let roles = Roles {
        claim: one.role_claim.clone(),
        by_value: one.roles.clone(),
    };
    Settings {
        key: one.key.clone(),
        name: one.name.clone(),
        issuer: one.issuer.clone(),
        client_id: one.client_id.clone(),
        client_secret,
        scopes: one.scopes.clone(),
        roles: Some(roles).filter(|roles| !roles.claim.is_empty()),
        newcomers: one.newcomers,
    }
}
