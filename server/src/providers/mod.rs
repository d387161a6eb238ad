//! The providers by which people sign in, as they are configured.

mod fetch;

use std::{sync::Arc, time::Duration};

use domain::access::WaysIn;
use oidc::{Provider, Roles, Settings, Teams, Trouble};
use service::{Service, ServiceError};
use tokio::time::timeout;

use crate::config::{Config, ProviderSettings};
use fetch::Guided;

/// How long all that a provider is asked for one step may take: less than a page may.
const IN_TIME: Duration = Duration::from_secs(8);

/// All of them, in the order of the settings.
pub struct Providers {
    all: Vec<Provider>,
    public_url: String,
    ways: WaysIn,
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
            ways: ways_in(config),
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

    /// How people come in here.
    pub fn ways(&self) -> &WaysIn {
        &self.ways
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

/// How people come in where these are the settings.
pub fn ways_in(config: &Config) -> WaysIn {
    let issuers = config.providers.iter().map(|one| one.issuer.clone());
    WaysIn {
        passwords: config.passwords,
        issuers: issuers.collect(),
    }
}

/// A team that a provider gives, and that is not there.
pub fn no_team(provider: &str, team: &str) -> String {
    format!(
        "By the settings {provider} gives people the team “{team}”, and there is none of this name here. An admin should \
         write its present name into “teams”, or make it: handraise team create --name '{team}'"
    )
}

/// Says at the start which teams of the settings are not there: who is given one does not come in.
///
/// # Errors
/// When the database fails.
pub(crate) async fn say_missing_teams(
    providers: &Providers,
    service: &Service,
) -> Result<(), ServiceError> {
    for provider in providers.all() {
        let settings = &provider.settings;
        for team in service.missing_teams(settings.team_names()).await? {
            let why = no_team(&settings.name, &team);
            tracing::error!(provider.key = %settings.key, "{why}");
        }
    }
    Ok(())
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
    let teams = Teams {
        claim: one.team_claim.clone(),
        by_value: one.teams.clone(),
    };
    Settings {
        key: one.key.clone(),
        name: one.name.clone(),
        issuer: one.issuer.clone(),
        client_id: one.client_id.clone(),
        client_secret,
        scopes: one.scopes.clone(),
        roles: Some(roles).filter(|roles| !roles.claim.is_empty()),
        teams: Some(teams).filter(|teams| !teams.claim.is_empty()),
        newcomers: one.newcomers,
    }
}
