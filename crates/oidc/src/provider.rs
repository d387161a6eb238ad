//! One provider: the way there, and the way back with what is believed of it. Everything that came back is
//! checked before anything of it is used.

use std::{sync::Arc, time::Duration};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{Identity, limits::SIGN_IN_TAKES};
use openidconnect::{
    AccessToken, AuthenticationFlow, AuthorizationCode, ClaimsVerificationError, CsrfToken, Nonce,
    OAuth2TokenResponse, PkceCodeChallenge, PkceCodeVerifier, RequestTokenError, Scope,
    SignatureVerificationError,
    core::{
        CoreAuthPrompt, CoreErrorResponseType, CoreIdToken, CoreIdTokenClaims,
        CoreRequestTokenError, CoreResponseType,
    },
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::Mutex;
use url::Url;

use crate::{
    Arrived, Claims, Fetch, Request, Settings, Trouble, Unreached,
    fetch::by,
    known::{Client, Known, short},
};

/// Before a browser is sent there it is asked whether it is there, but not for each of many at once.
const JUST_NOW: TimeDelta = TimeDelta::seconds(10);
/// Who comes back needs its keys, which it rarely changes.
const LATELY: TimeDelta = TimeDelta::minutes(5);
/// How far two clocks may be apart.
const APART: TimeDelta = TimeDelta::minutes(1);

/// A provider, with what is known of it.
pub struct Provider {
    /// What the operator says of it.
    pub settings: Settings,
    fetch: Arc<dyn Fetch>,
    /// While one asks it what it is, others wait for the answer.
    known: Mutex<Option<Known>>,
}

/// A way to a provider that somebody has begun and not yet come back from. It is kept for their browser alone.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Way {
    /// Comes back in the address.
    pub state: String,
    nonce: String,
    verifier: String,
    begun_at: DateTime<Utc>,
    /// They were to show who they are, even if the provider knew.
    again: bool,
}

impl Provider {
    /// Knows nothing of it yet.
    pub fn new(settings: Settings, fetch: Arc<dyn Fetch>) -> Self {
        Self {
            settings,
            fetch,
            known: Mutex::default(),
        }
    }

    /// What the provider says of itself holds: it is there, is the one that is meant, and can sign.
    ///
    /// # Errors
    /// What does not hold.
    pub async fn check(&self, now: DateTime<Utc>) -> Result<(), Trouble> {
        let known = self.known(now, JUST_NOW).await?;
        match known.algorithms().next() {
            Some(_) => Ok(()),
            None => Err(Trouble::Token(
                "it is signed in no way that proves anything",
            )),
        }
    }

    /// The address that a browser goes to, and what has to be kept for it. `again` asks the provider to have them
    /// show who they are once more.
    ///
    /// # Errors
    /// When the provider is not there, or not as it should be.
    pub async fn begin(
        &self,
        redirect: &str,
        again: bool,
        now: DateTime<Utc>,
    ) -> Result<(Url, Way), Trouble> {
        self.check(now).await?;
        let client = self
            .known(now, JUST_NOW)
            .await?
            .client(&self.settings, redirect)?;
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let mut request = client
            .authorize_url(
                AuthenticationFlow::<CoreResponseType>::AuthorizationCode,
                CsrfToken::new_random,
                Nonce::new_random,
            )
            .set_pkce_challenge(challenge);
        for scope in self.settings.scopes.iter().filter(|it| *it != "openid") {
            request = request.add_scope(Scope::new(scope.clone()));
        }
        if again {
            request = request
                .add_prompt(CoreAuthPrompt::Login)
                .set_max_age(Duration::ZERO);
        }
        let (url, state, nonce) = request.url();
        let way = Way {
            state: state.secret().clone(),
            nonce: nonce.secret().clone(),
            verifier: verifier.secret().clone(),
            begun_at: now,
            again,
        };
        Ok((url, way))
    }

    /// Who came back on this way with a code. `issuer` is whom the way back names (RFC 9207), if it names anybody.
    ///
    /// # Errors
    /// When anything of it is not as it should be.
    pub async fn arrive(
        &self,
        way: &Way,
        code: &str,
        issuer: Option<&str>,
        redirect: &str,
        now: DateTime<Utc>,
    ) -> Result<Arrived, Trouble> {
        if issuer.is_some_and(|issuer| issuer != self.settings.issuer) {
            return Err(Trouble::Token("another provider sent you back"));
        }
        // A browser that is signed in keeps it for longer than one that is not.
        if now - way.begun_at >= SIGN_IN_TAKES {
            return Err(Trouble::NotBegun);
        }
        let mut known = self.known(now, LATELY).await?;
        let client = known.client(&self.settings, redirect)?;
        let (token, access) = self.exchange(&client, way, code).await?;
        let mut seen = self.verified(&token, &known, &client, way, now);
        // It may have taken a new key since it was asked, even under the name of the old one.
        if let Err(Unbelieved::Key(_)) = seen {
            known = self.read(now).await?;
            let client = known.client(&self.settings, redirect)?;
            seen = self.verified(&token, &known, &client, way, now);
        }
        let believed = seen.map_err(Trouble::from)?;
        let mut claims = Claims::new(payload(&token)?);
        self.ask_for_more(&mut claims, &known, &access, &believed.subject)
            .await?;
        let identity = Identity::new(&self.settings.issuer, &believed.subject)
            .map_err(|fault| Trouble::Subject(format!("{} {}", fault.path, fault.message)))?;
        Ok(Arrived {
            identity,
            claims,
            shown_at: believed.shown_at,
            id_token: token.to_string(),
        })
    }

    /// Where a browser signs out of the provider, if it has that. Then it comes to `back`.
    pub async fn sign_out(&self, id_token: &str, back: &str, now: DateTime<Utc>) -> Option<Url> {
        let known = self.known(now, LATELY).await.ok()?;
        let mut url = known.end_session()?.clone();
        url.query_pairs_mut()
            .append_pair("id_token_hint", id_token)
            .append_pair("client_id", &self.settings.client_id)
            .append_pair("post_logout_redirect_uri", back);
        Some(url)
    }

    /// As it described itself, not longer ago than `kept`.
    async fn known(&self, now: DateTime<Utc>, kept: TimeDelta) -> Result<Known, Trouble> {
        let mut last = self.known.lock().await;
        if let Some(known) = last.as_ref().filter(|known| known.is_fresh(now, kept)) {
            return Ok(known.clone());
        }
        let known = Known::read(&self.settings, &self.fetch, now).await?;
        *last = Some(known.clone());
        Ok(known)
    }

    async fn read(&self, now: DateTime<Utc>) -> Result<Known, Trouble> {
        *self.known.lock().await = None;
        self.known(now, LATELY).await
    }

    async fn exchange(
        &self,
        client: &Client,
        way: &Way,
        code: &str,
    ) -> Result<(CoreIdToken, AccessToken), Trouble> {
        let http = by(&self.fetch);
        let request = client
            .exchange_code(AuthorizationCode::new(code.to_owned()))
            .map_err(|_| Trouble::NoEndpoint("token endpoint"))?
            .set_pkce_verifier(PkceCodeVerifier::new(way.verifier.clone()));
        let tokens = request.request_async(&http).await.map_err(refused)?;
        let token = tokens.extra_fields().id_token().cloned();
        let token = token.ok_or(Trouble::NoIdToken)?;
        Ok((token, tokens.access_token().clone()))
    }

    fn verified(
        &self,
        token: &CoreIdToken,
        known: &Known,
        client: &Client,
        way: &Way,
        now: DateTime<Utc>,
    ) -> Result<Believed, Unbelieved> {
        let verifier = client
            .id_token_verifier()
            .set_allowed_algs(known.algorithms())
            .set_time_fn(move || now - APART);
        let nonce = Nonce::new(way.nonce.clone());
        let claims = token.claims(&verifier, &nonce).map_err(unbelieved)?;
        self.believed(claims, way, now).map_err(Unbelieved::Other)
    }

    /// What the library leaves to us, of a token that the provider has signed for us.
    fn believed(
        &self,
        claims: &CoreIdTokenClaims,
        way: &Way,
        now: DateTime<Utc>,
    ) -> Result<Believed, Trouble> {
        let party = claims.authorized_party();
        if party.is_some_and(|party| **party != self.settings.client_id) {
            return Err(Trouble::Token("it was made for another program"));
        }
        let (made, begun) = (claims.issue_time(), way.begun_at);
        if made - now > APART {
            return Err(Trouble::Clocks(made - now));
        }
        if begun - made > APART {
            return Err(Trouble::Clocks(made - begun));
        }
        let shown_at = claims.auth_time().filter(|at| *at <= now + APART);
        if way.again && shown_at.is_none_or(|at| at < begun - APART) {
            return Err(Trouble::NotShownAgain);
        }
        Ok(Believed {
            subject: claims.subject().to_string(),
            shown_at: shown_at.map(|at| at.min(now)),
        })
    }

    /// Many providers keep the ID token small and say the rest where it is asked for.
    async fn ask_for_more(
        &self,
        claims: &mut Claims,
        known: &Known,
        access: &AccessToken,
        subject: &str,
    ) -> Result<(), Trouble> {
        let is_short = self.settings.needed().any(|claim| !claims.has(claim));
        let (true, Some(url)) = (
            is_short || claims.display_name().is_none(),
            known.userinfo(),
        ) else {
            return Ok(());
        };
        let answered = |how: &str| Trouble::Answered {
            what: "user info",
            how: how.to_owned(),
        };
        let request = userinfo_request(url, access).ok_or_else(|| answered("no request fits"))?;
        let response = self.fetch.fetch(request).await;
        let response = response.map_err(|Unreached(why)| Trouble::Unreached(why))?;
        if !response.status().is_success() {
            let status = response.status().as_u16();
            return Err(answered(&format!("status {status}")));
        }
        let more: Map<String, Value> = serde_json::from_slice(response.body())
            .map_err(|_| answered("it is not a JSON object"))?;
        if more.get("sub").and_then(Value::as_str) != Some(subject) {
            return Err(Trouble::Token("its user info is of another person"));
        }
        claims.add(more);
        Ok(())
    }
}

/// What an ID token says that was seen to.
struct Believed {
    subject: String,
    shown_at: Option<DateTime<Utc>>,
}

/// Why an ID token is not believed.
enum Unbelieved {
    /// By none of the keys that the provider had when it was asked.
    Key(&'static str),
    Other(Trouble),
}

impl From<Unbelieved> for Trouble {
    fn from(why: Unbelieved) -> Self {
        match why {
            Unbelieved::Key(what) => Self::Token(what),
            Unbelieved::Other(trouble) => trouble,
        }
    }
}

fn unbelieved(error: ClaimsVerificationError) -> Unbelieved {
    tracing::warn!(error = short(&error), "an ID token was not believed");
    let what = match error {
        ClaimsVerificationError::SignatureVerification(signature) => {
            return match signature {
                SignatureVerificationError::NoMatchingKey => {
                    Unbelieved::Key("it is signed with a key that is not the provider's")
                }
                SignatureVerificationError::DisallowedAlg(_)
                | SignatureVerificationError::NoSignature => Unbelieved::Other(Trouble::Token(
                    "it is not signed in a way that proves anything",
                )),
                _ => Unbelieved::Key("its signature does not fit"),
            };
        }
        ClaimsVerificationError::Expired(_) => return Unbelieved::Other(Trouble::Expired),
        ClaimsVerificationError::InvalidAudience(_) => "it was made for another program",
        ClaimsVerificationError::InvalidIssuer(_) => "another provider has made it",
        ClaimsVerificationError::InvalidNonce(_) => "it is of another sign-in",
        _ => "it is not as it should be",
    };
    Unbelieved::Other(Trouble::Token(what))
}

fn refused(error: CoreRequestTokenError<Unreached>) -> Trouble {
    const WHAT: &str = "token";
    match error {
        RequestTokenError::Request(Unreached(why)) => Trouble::Unreached(why),
        RequestTokenError::ServerResponse(response) => match response.error() {
            CoreErrorResponseType::InvalidGrant => Trouble::CodeIsUsed,
            code @ (CoreErrorResponseType::InvalidClient
            | CoreErrorResponseType::UnauthorizedClient) => {
                Trouble::NotKnownThere(code.as_ref().to_owned())
            }
            code => Trouble::Refused(short(code.as_ref())),
        },
        RequestTokenError::Parse(error, _) => Trouble::Answered {
            what: WHAT,
            how: format!("“{}” is not as it should be", short(error.path())),
        },
        RequestTokenError::Other(_) => Trouble::Answered {
            what: WHAT,
            how: "it is not one".to_owned(),
        },
    }
}

/// All claims of a token whose signature was seen to; the library hands out those that it knows.
fn payload(token: &CoreIdToken) -> Result<Map<String, Value>, Trouble> {
    let text = token.to_string();
    let payload = text.split('.').nth(1).unwrap_or_default();
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(payload).ok();
    let claims = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    claims.ok_or(Trouble::Token("its claims cannot be read"))
}

fn userinfo_request(url: &Url, access: &AccessToken) -> Option<Request> {
    openidconnect::http::Request::get(url.as_str())
        .header("accept", "application/json")
        .header("authorization", format!("Bearer {}", access.secret()))
        .body(Vec::new())
        .ok()
}
