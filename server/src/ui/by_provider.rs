//! The way to a provider and the way back. Both are links: a form's policy would not let it lead to another host.

use axum::{
    Extension, Form,
    extract::{Path, Query, State},
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse, Redirect, Response},
};
use domain::{Refused, limits::PROOF_LASTS};
use oidc::{Arrived, Provider, Settings, Trouble};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use service::{Browser, Newcomer, Received, ServiceError, Shown, ShownTeams, SignedIn, seconds};
use tower_sessions::Session;

use super::sign_in::browser_of;
use crate::{
    auth::{
        address::ClientAddress,
        browser::after_sign_in,
        on_the_way::{self, CameBy, Pending, To},
        same_origin, session,
    },
    problem::Problem,
    providers::{in_time, no_team},
    state::AppState,
};

/// The account, where providers are connected.
const ACCOUNT: &str = "/settings";
/// A code of OAuth's has no more.
const CODE_CHARS: usize = 40;

/// `GET /sign-in/with/{key}`
#[derive(Deserialize)]
pub(super) struct Wanted {
    next: Option<String>,
    to: Option<String>,
}

/// Sends a browser to a provider, and keeps what it takes to know it again.
pub(super) async fn begin(
    State(state): State<AppState>,
    Path(key): Path<String>,
    Query(wanted): Query<Wanted>,
    who: Option<Extension<SignedIn>>,
    session: Session,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let to = match (wanted.to.as_deref(), &who) {
        (None, _) => To::SignIn,
        // Another site could connect somebody to its own account there.
        (Some(_), _) if !same_origin::is_same_origin(&headers, state.config.is_https()) => {
            return Ok(Redirect::to(ACCOUNT).into_response());
        }
        (Some("connect"), Some(who)) => To::Connect(who.person.id),
        (Some("confirm"), Some(who)) => To::Confirm(who.person.id),
        (Some(_), _) => return Ok(Redirect::to(ACCOUNT).into_response()),
    };
    let next = after_sign_in(wanted.next.as_deref()).to_owned();
    let Some(provider) = state.providers.find(&key) else {
        return refuse(&session, to, &next, "There is no such provider here.").await;
    };
    let now = state.service.now();
    if let (To::Connect(_), Some(who)) = (to, &who)
        && now >= who.proven_at + PROOF_LASTS
    {
        return refuse(&session, to, &next, UNPROVEN).await;
    }
    let redirect = state.providers.redirect(provider);
    let again = matches!(to, To::Confirm(_));
    match in_time(provider.begin(&redirect, again, now)).await {
        Ok((url, way)) => {
            let provider = provider.settings.key.clone();
            let pending = Pending {
                provider,
                way,
                to,
                next,
            };
            on_the_way::keep(&session, pending).await?;
            Ok(not_kept(Redirect::to(url.as_str()).into_response()))
        }
        Err(trouble) => {
            let why = told(provider, &trouble);
            refuse(&session, to, &next, &why).await
        }
    }
}

/// `GET /sign-in/with/{key}/back`
#[derive(Deserialize)]
pub(super) struct Back {
    state: Option<String>,
    code: Option<String>,
    iss: Option<String>,
    error: Option<String>,
}

/// A browser comes back from a provider.
pub(super) async fn back(
    State(state): State<AppState>,
    Path(key): Path<String>,
    Query(back): Query<Back>,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    who: Option<Extension<SignedIn>>,
    session: Session,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let Some(provider) = state.providers.find(&key) else {
        return refuse(&session, To::SignIn, "/", "There is no such provider here.").await;
    };
    let pending = on_the_way::take(&session, back.state.as_deref().unwrap_or_default()).await?;
    let Some(pending) = pending.filter(|pending| pending.provider == key) else {
        if who.is_some() {
            // Of another tab, or opened once more.
            return Ok(not_kept(Redirect::to("/").into_response()));
        }
        let why = told(provider, &Trouble::NotBegun);
        return refuse(&session, To::SignIn, "/", &why).await;
    };
    let arrived = match in_time(arrive(&state, provider, &pending, back)).await {
        Ok(arrived) => arrived,
        Err(trouble) => {
            let why = told(provider, &trouble);
            return refuse(&session, pending.to, &pending.next, &why).await;
        }
    };
    let comes = Comes {
        state: &state,
        provider,
        session: &session,
        arrived,
    };
    let came = match (pending.to, who.map(|Extension(who)| who)) {
        (To::SignIn, who) => comes.sign_in(who, &browser_of(&headers, address)).await?,
        (To::Connect(id), Some(who)) if who.person.id == id => comes.connect(&who).await?,
        (To::Confirm(id), Some(who)) if who.person.id == id => comes.confirm(&who).await?,
        (To::Connect(_) | To::Confirm(_), _) => {
            Err("You have signed out here meanwhile. Sign in, and begin again.".to_owned())
        }
    };
    match (came, pending.to) {
        (Err(why), to) => refuse(&session, to, &pending.next, &why).await,
        (Ok(()), To::SignIn) => Ok(not_kept(Redirect::to(&pending.next).into_response())),
        (Ok(()), To::Connect(_) | To::Confirm(_)) => {
            Ok(not_kept(Redirect::to(ACCOUNT).into_response()))
        }
    }
}

const UNPROVEN: &str = "Show that it is you first: confirm below, and connect then.";

/// `POST /sign-in/with/{key}/disconnect`: the person who is signed in comes in by it no more.
pub(super) async fn disconnect(
    State(state): State<AppState>,
    Path(key): Path<String>,
    who: Option<Extension<SignedIn>>,
    session: Session,
) -> Result<Response, Problem> {
    if let (Some(Extension(who)), Some(provider)) = (who, state.providers.find(&key)) {
        let (issuer, by) = (&provider.settings.issuer, who.principal());
        let ways = state.providers.ways();
        let gone = state
            .service
            .disconnect_identity(who.person.id, issuer, ways, &by);
        if let Err(error) = gone.await {
            let why = why_not(provider, error)?;
            return refuse(&session, To::Connect(who.person.id), "/", &why).await;
        }
    }
    Ok(Redirect::to(ACCOUNT).into_response())
}

/// `POST /confirm`
#[derive(Deserialize)]
pub(super) struct Confirmed {
    password: String,
}

/// Takes the password of the person who is signed in once more.
pub(super) async fn confirm(
    State(state): State<AppState>,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    who: Option<Extension<SignedIn>>,
    session: Session,
    Form(form): Form<Confirmed>,
) -> Result<Response, Problem> {
    let Some(Extension(who)) = who else {
        return Ok(Redirect::to("/sign-in").into_response());
    };
    let why = match state.service.prove(&who, &form.password, address).await {
        Ok(_) => return Ok(Redirect::to(ACCOUNT).into_response()),
        Err(ServiceError::Refused(Refused::Invalid(_))) => "This is not your password.".to_owned(),
        Err(ServiceError::Wait(wait)) => {
            format!(
                "Too many wrong passwords. Try again in {} s.",
                seconds(wait)
            )
        }
        Err(ServiceError::Busy) => BUSY.to_owned(),
        Err(other) => return Err(other.into()),
    };
    refuse(&session, To::Confirm(who.person.id), "/", &why).await
}

const BUSY: &str = "Too many people are signing in at this moment. Try again.";

async fn arrive(
    state: &AppState,
    provider: &Provider,
    pending: &Pending,
    back: Back,
) -> Result<Arrived, Trouble> {
    if let Some(error) = back.error {
        return Err(Trouble::Refused(code(&error)));
    }
    let code = back.code.ok_or(Trouble::NotBegun)?;
    let redirect = state.providers.redirect(provider);
    let (way, now) = (&pending.way, state.service.now());
    let issuer = back.iss.as_deref();
    provider.arrive(way, &code, issuer, &redirect, now).await
}

/// Codes are words; anything else is not repeated.
fn code(error: &str) -> String {
    let is_word = error.len() <= CODE_CHARS
        && error
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    match is_word {
        true => error.to_owned(),
        false => "for a reason of its own".to_owned(),
    }
}

/// Somebody who came back, and what is believed of them.
struct Comes<'a> {
    state: &'a AppState,
    provider: &'a Provider,
    session: &'a Session,
    arrived: Arrived,
}

/// How it ended: in a sentence, if not well.
type Came = Result<Result<(), String>, Problem>;

impl Comes<'_> {
    /// What is used of it here. Roles and teams are given to those who sign in; one's own account is connected whatever
    /// they are.
    fn shown(&self) -> Shown {
        Shown {
            identity: self.arrived.identity.clone(),
            provider: self.provider.settings.name.clone(),
            role: None,
            teams: None,
            shown_at: self.arrived.shown_at,
        }
    }

    /// With what the provider gives.
    fn given(&self) -> Result<Shown, Trouble> {
        let (settings, claims) = (&self.provider.settings, &self.arrived.claims);
        let teams = settings.teams.as_ref();
        let teams = teams.map(|teams| -> Result<_, Trouble> {
            Ok(ShownTeams {
                given: teams.given(claims)?,
                named: named(settings),
            })
        });
        Ok(Shown {
            role: settings.role_of(claims)?,
            teams: teams.transpose()?,
            ..self.shown()
        })
    }

    /// `before` is who was signed in with this browser until now.
    async fn sign_in(self, before: Option<SignedIn>, browser: &Browser) -> Came {
        let shown = match self.given() {
            Ok(shown) => shown,
            Err(Trouble::NoRole { claim }) => {
                return self.turn_away(claim, before.as_ref(), browser).await;
            }
            Err(trouble) => return Ok(Err(told(self.provider, &trouble))),
        };
        let settings = &self.provider.settings;
        let role = settings.role_of_newcomer(shown.role);
        let newcomer = role.map(|role| Newcomer {
            name: self.arrived.claims.display_name().map(str::to_owned),
            role,
        });
        let (service, ways) = (&self.state.service, self.state.providers.ways());
        let newcomer = newcomer.as_ref();
        // Another site can send a browser here: who comes in vain stays who they are.
        let would = service.would_receive(&shown, newcomer, browser, ways).await;
        match would {
            Ok(Received::In) => {}
            otherwise => return self.outside(otherwise),
        }
        let cookie = session::replace(service, self.session, before.as_ref()).await?;
        let came = service
            .come_by_provider(&shown, newcomer, &cookie, browser, ways)
            .await;
        match came {
            Ok(Received::In) => {
                let came = CameBy {
                    provider: settings.key.clone(),
                    id_token: self.arrived.id_token,
                };
                on_the_way::came_by(self.session, came).await?;
                Ok(Ok(()))
            }
            otherwise => self.outside(otherwise),
        }
    }

    /// Why they are not in.
    fn outside(&self, received: Result<Received, ServiceError>) -> Came {
        let name = &self.provider.settings.name;
        match received {
            Ok(Received::In) => Ok(Ok(())),
            Ok(Received::Unknown) => Ok(Err(format!(
                "{name} knows you, but nobody here does. Ask an admin for an invitation; then connect {name} in your \
                 settings."
            ))),
            Ok(Received::NoTeam(team)) => {
                let why = no_team(name, &team);
                tracing::error!(provider.key = %self.provider.settings.key, why, "nobody came in by a provider");
                Ok(Err(why))
            }
            Err(error) => why_not(self.provider, error).map(Err),
        }
    }

    async fn turn_away(self, claim: String, before: Option<&SignedIn>, browser: &Browser) -> Came {
        let why = told(self.provider, &Trouble::NoRole { claim });
        let settings = &self.provider.settings;
        let teams = settings.teams.as_ref().map(|_| named(settings));
        let (service, ways) = (&self.state.service, self.state.providers.ways());
        match service
            .turn_away(&self.shown(), teams.as_deref(), ways)
            .await
        {
            Ok(()) => {
                // If this session was theirs, there is nothing left to keep the sentence with.
                if before.is_some() && !self.is_in(browser).await? {
                    session::take_back(self.session).await?;
                }
                Ok(Err(why))
            }
            Err(error) => why_not(self.provider, error).map(Err),
        }
    }

    /// Whether a person is signed in with this browser.
    async fn is_in(&self, browser: &Browser) -> Result<bool, Problem> {
        let Some(cookie) = session::cookie(self.session) else {
            return Ok(false);
        };
        let who = self.state.service.signed_in(&cookie, &browser.host);
        Ok(who.await?.is_some())
    }

    async fn connect(self, who: &SignedIn) -> Came {
        let service = &self.state.service;
        match service.connect_identity(who, &self.arrived.identity).await {
            Ok(()) | Err(ServiceError::Refused(Refused::Unchanged)) => Ok(Ok(())),
            Err(error) => why_not(self.provider, error).map(Err),
        }
    }

    async fn confirm(self, who: &SignedIn) -> Came {
        let shown = self.shown();
        match self.state.service.prove_by_provider(who, &shown).await {
            Ok(true) => Ok(Ok(())),
            Ok(false) => Ok(Err(format!(
                "{} has shown somebody else than you.",
                self.provider.settings.name
            ))),
            Err(error) => why_not(self.provider, error).map(Err),
        }
    }
}

/// The teams that it could give.
fn named(settings: &Settings) -> Vec<String> {
    settings
        .team_names()
        .into_iter()
        .map(str::to_owned)
        .collect()
}

/// What a rule said, in words.
fn why_not(provider: &Provider, error: ServiceError) -> Result<String, Problem> {
    let name = &provider.settings.name;
    Ok(match error {
        ServiceError::Refused(Refused::Disabled) => {
            "An admin keeps you out. Ask them why.".to_owned()
        }
        ServiceError::Refused(Refused::LastAdmin) => format!(
            "By what {name} says you are no admin any more, and you are the last one here who can come in. Make \
             another admin first, or let its admin put you back."
        ),
        ServiceError::Refused(Refused::Unproven) => UNPROVEN.to_owned(),
        ServiceError::Refused(Refused::IdentityTaken { by }) => {
            format!("{name} knows {by} by this account: it cannot be yours as well.")
        }
        ServiceError::Refused(Refused::IdentityKept) => {
            format!("Another account at {name} is connected. Disconnect that one first.")
        }
        ServiceError::Refused(Refused::OnlyWay) => format!(
            "{name} is your only way in. Let an admin make you a link, choose a password, and disconnect then."
        ),
        ServiceError::Busy => BUSY.to_owned(),
        other => return Err(other.into()),
    })
}

/// The sentence, which the log has too.
fn told(provider: &Provider, trouble: &Trouble) -> String {
    let why = trouble.sentence(&provider.settings.name);
    tracing::warn!(provider.key = %provider.settings.key, why, "nobody came in by a provider");
    why
}

/// Back to where they came from, where the sentence stands.
async fn refuse(session: &Session, to: To, next: &str, why: &str) -> Result<Response, Problem> {
    on_the_way::refuse(session, why).await?;
    let address = match to {
        To::SignIn => {
            let next = utf8_percent_encode(next, NON_ALPHANUMERIC);
            format!("/sign-in?refused=provider&next={next}")
        }
        To::Connect(_) | To::Confirm(_) => format!("{ACCOUNT}?refused=provider"),
    };
    Ok(not_kept(Redirect::to(&address).into_response()))
}

/// Each time it leads elsewhere.
fn not_kept(mut response: Response) -> Response {
    let no_store = HeaderValue::from_static("no-store");
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, no_store);
    response
}
