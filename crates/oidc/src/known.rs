//! What a provider says of itself, read when it is needed and kept for a while.

use std::{fmt::Display, sync::Arc};

use chrono::{DateTime, TimeDelta, Utc};
use openidconnect::{
    AuthType, ClientId, ClientSecret, DiscoveryError, EndSessionUrl, EndpointMaybeSet,
    EndpointNotSet, EndpointSet, IssuerUrl, ProviderMetadataWithLogout, RedirectUrl, UserInfoUrl,
    core::{CoreClient, CoreClientAuthMethod, CoreJwsSigningAlgorithm},
};
use secrecy::ExposeSecret;
use url::Url;

use crate::{Fetch, Settings, Trouble, Unreached, fetch::by, is_safe};

/// Signatures by a key that only the provider has.
const SIGNED: [CoreJwsSigningAlgorithm; 10] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EcdsaP521Sha512,
    CoreJwsSigningAlgorithm::EdDsa,
];

/// Asks for a code, and for a token with it.
pub(crate) type Client = CoreClient<
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

/// A provider as it described itself.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    metadata: ProviderMetadataWithLogout,
    read_at: DateTime<Utc>,
}

impl Known {
    /// Asks it.
    pub(crate) async fn read(
        settings: &Settings,
        fetch: &Arc<dyn Fetch>,
        now: DateTime<Utc>,
    ) -> Result<Self, Trouble> {
        let issuer = IssuerUrl::new(settings.issuer.clone()).map_err(|_| not_safe("an address"))?;
        let http = by(fetch);
        let metadata = ProviderMetadataWithLogout::discover_async(issuer, &http).await;
        let metadata = metadata.map_err(why)?;
        let known = Self {
            metadata,
            read_at: now,
        };
        known.check()?;
        Ok(known)
    }

    /// What browsers and secrets are sent to.
    fn check(&self) -> Result<(), Trouble> {
        let it = &self.metadata;
        let token = it
            .token_endpoint()
            .ok_or(Trouble::NoEndpoint("token endpoint"))?;
        let userinfo = it
            .userinfo_endpoint()
            .map(|it| (it.url(), "a user info endpoint"));
        let end = self.end_session().map(|it| (it, "an end of sessions"));
        let all = [
            (it.authorization_endpoint().url(), "a sign-in page"),
            (token.url(), "a token endpoint"),
        ];
        let unsafe_one = all
            .into_iter()
            .chain(userinfo)
            .chain(end)
            .find(|(url, _)| !is_safe(url));
        unsafe_one.map_or(Ok(()), |(_, what)| Err(not_safe(what)))
    }

    /// Whether it was asked within this time.
    pub(crate) fn is_fresh(&self, now: DateTime<Utc>, kept: TimeDelta) -> bool {
        (now - self.read_at).abs() < kept
    }

    pub(crate) fn client(&self, settings: &Settings, redirect: &str) -> Result<Client, Trouble> {
        let secret = settings.client_secret.as_ref();
        let client = CoreClient::from_provider_metadata(
            self.metadata.clone(),
            ClientId::new(settings.client_id.clone()),
            secret.map(|secret| ClientSecret::new(secret.expose_secret().to_owned())),
        );
        let redirect = RedirectUrl::new(redirect.to_owned());
        let redirect = redirect.map_err(|_| Trouble::NoEndpoint("address to return to"))?;
        let client = client.set_redirect_uri(redirect);
        Ok(match self.wants_the_secret_in_the_body() {
            true => client.set_auth_type(AuthType::RequestBody),
            false => client,
        })
    }

    fn wants_the_secret_in_the_body(&self) -> bool {
        let ways = self.metadata.token_endpoint_auth_methods_supported();
        ways.is_some_and(|ways| {
            !ways.contains(&CoreClientAuthMethod::ClientSecretBasic)
                && ways.contains(&CoreClientAuthMethod::ClientSecretPost)
        })
    }

    /// The algorithms that it signs with and that prove something.
    pub(crate) fn algorithms(&self) -> impl Iterator<Item = CoreJwsSigningAlgorithm> {
        let said = self.metadata.id_token_signing_alg_values_supported();
        SIGNED.into_iter().filter(|one| said.contains(one))
    }

    pub(crate) fn userinfo(&self) -> Option<&Url> {
        self.metadata.userinfo_endpoint().map(UserInfoUrl::url)
    }

    /// Where people sign out of it, if it has that.
    pub(crate) fn end_session(&self) -> Option<&Url> {
        let more = self.metadata.additional_metadata();
        more.end_session_endpoint.as_ref().map(EndSessionUrl::url)
    }
}

fn not_safe(what: &'static str) -> Trouble {
    Trouble::NotSafe(what)
}

fn why(error: DiscoveryError<Unreached>) -> Trouble {
    const DISCOVERY: &str = "description of itself";
    let answered = |how: String| Trouble::Answered {
        what: DISCOVERY,
        how,
    };
    match error {
        DiscoveryError::Request(Unreached(why)) => Trouble::Unreached(why),
        DiscoveryError::Validation(how) => Trouble::OtherIssuer(short(how)),
        DiscoveryError::Response(status, _, _) if !status.is_success() => {
            answered(format!("status {}", status.as_u16()))
        }
        DiscoveryError::Response(..) => answered("it is not JSON".to_owned()),
        DiscoveryError::Parse(error) => {
            answered(format!("“{}” is not as it should be", error.path()))
        }
        DiscoveryError::UrlParse(_) => not_safe("an address"),
        other => answered(short(other)),
    }
}

/// What is shown to people has an end.
pub(crate) fn short(text: impl Display) -> String {
    let text = text.to_string();
    let plain = text.chars().filter(|c| !c.is_control());
    plain.take(300).collect()
}
