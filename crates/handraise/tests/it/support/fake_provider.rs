//! A provider of sign-ins that is as strict as a real one, and lies where it is told to.

use std::{
    collections::BTreeMap,
    future::pending,
    sync::{Arc, Mutex},
};

use axum::{
    Form, Json, Router,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse, Redirect, Response},
    routing::{get, post},
};
use base64::{
    Engine,
    prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD},
};
use chrono::{DateTime, Utc};
use ed25519_dalek::{Signer, SigningKey};
use serde_json::{Value, json};
use server::config::{Config, ProviderSettings};
use sha2::{Digest, Sha256};
use tokio::{net::TcpListener, task::JoinHandle};
use url::Url;

pub(crate) const CLIENT: &str = "handraise";
const SECRET: &str = "a secret: 100 % of it";
pub(crate) const SUBJECT: &str = "248289761001";

/// What it does instead of what it should.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lie {
    /// Fields of its discovery; `null` takes one out.
    pub(crate) discovery: Vec<(&'static str, Value)>,
    /// The same of its ID tokens, which are then signed.
    pub(crate) claims: Vec<(&'static str, Value)>,
    /// What its user info says, instead of whom it is of.
    pub(crate) userinfo: Option<Value>,
    pub(crate) token: Token,
    /// What becomes of requests to this path.
    pub(crate) at: Option<(&'static str, Fate)>,
}

impl Lie {
    /// With one more claim.
    pub(crate) fn with(mut self, name: &'static str, value: Value) -> Self {
        self.claims.push((name, value));
        self
    }
}

/// Roles by groups, and who comes in besides.
pub(crate) fn roles(newcomers: &str) -> Value {
    json!({
        "role_claim": "groups", "newcomers": newcomers,
        "roles": {"staff": "viewer", "on-call": "responder", "ops": "admin"},
    })
}

/// Somebody in these groups.
pub(crate) fn groups(groups: Value) -> Lie {
    Lie {
        claims: vec![("groups", groups), ("name", json!("Ana Maria"))],
        ..Lie::default()
    }
}

/// Of an ID token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Token {
    #[default]
    Honest,
    /// It says `none`, and has no signature.
    Unsigned,
    /// It says `HS256`, with the public key as its secret.
    BySharedSecret,
    /// Signed by a key that is not the provider's, under its name.
    WrongKey,
    /// By one of another name.
    UnknownKey,
    /// Changed after it was signed.
    Changed,
    Empty,
    Absent,
}

/// Of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fate {
    Fails(u16),
    /// To an address that must not be asked.
    Redirects,
    NeverAnswers,
    NeverEnds,
    Garbage,
}

/// What a code was given for.
#[derive(Clone)]
struct Grant {
    nonce: String,
    challenge: String,
    redirect: String,
    at: DateTime<Utc>,
}

/// Listens until it is dropped.
pub(crate) struct FakeProvider {
    pub(crate) url: String,
    world: Arc<World>,
    running: JoinHandle<()>,
}

/// A key, and its name if it has one.
type Named = (u8, Option<&'static str>);

struct World {
    url: Mutex<String>,
    lie: Mutex<Lie>,
    grants: Mutex<BTreeMap<String, Grant>>,
    asked: Mutex<Vec<String>>,
    /// The subject of the last token.
    shown: Mutex<Value>,
    key: Mutex<Named>,
}

impl Drop for FakeProvider {
    fn drop(&mut self) {
        self.running.abort();
    }
}

impl FakeProvider {
    pub(crate) async fn start() -> Self {
        let world = Arc::new(World {
            url: Mutex::default(),
            lie: Mutex::default(),
            grants: Mutex::default(),
            asked: Mutex::default(),
            shown: Mutex::default(),
            key: Mutex::new((1, Some("one"))),
        });
        let routes = Router::new()
            .route("/.well-known/openid-configuration", get(discovery))
            .route("/keys", get(keys))
            .route("/token", post(token))
            .route("/userinfo", get(userinfo))
            .layer(from_fn_with_state(Arc::clone(&world), fate))
            .with_state(Arc::clone(&world));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        url.clone_into(&mut world.url.lock().unwrap());
        let serve = async move { axum::serve(listener, routes).await.unwrap() };
        Self {
            url,
            world,
            running: tokio::spawn(serve),
        }
    }

    pub(crate) fn lies(&self, lie: Lie) {
        *self.world.lie.lock().unwrap() = lie;
    }

    /// Signs with another key from now on.
    pub(crate) fn rotates(&self, key: u8, name: Option<&'static str>) {
        *self.world.key.lock().unwrap() = (key, name);
    }

    /// The paths that were asked for.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.world.asked.lock().unwrap().clone()
    }

    /// Somebody signs in there, whom a page has sent to this address. Returns where they are sent back to.
    pub(crate) fn grant(&self, wanted: &Url, at: DateTime<Utc>) -> String {
        let asked: BTreeMap<_, _> = wanted.query_pairs().into_owned().collect();
        assert!(
            wanted
                .as_str()
                .starts_with(&format!("{}/authorize?", self.url))
        );
        assert_eq!(asked["client_id"], CLIENT);
        assert_eq!(asked["response_type"], "code");
        assert_eq!(asked["code_challenge_method"], "S256");
        let mut grants = self.world.grants.lock().unwrap();
        let code = format!("code {}", grants.len());
        let grant = Grant {
            nonce: asked["nonce"].clone(),
            challenge: asked["code_challenge"].clone(),
            redirect: asked["redirect_uri"].clone(),
            at,
        };
        grants.insert(code.clone(), grant);
        let mut back = Url::parse(&asked["redirect_uri"]).unwrap();
        back.query_pairs_mut()
            .append_pair("code", &code)
            .append_pair("state", &asked["state"]);
        format!("{}?{}", back.path(), back.query().unwrap())
    }

    /// As an operator would write it down.
    pub(crate) fn settings(&self, more: Value) -> ProviderSettings {
        let mut settings = json!({
            "key": "company", "name": "Company", "issuer": self.url, "client_id": CLIENT,
            "client_secret": SECRET, "networks": ["127.0.0.1"],
        });
        let more = more.as_object().unwrap().clone();
        settings.as_object_mut().unwrap().extend(more);
        serde_json::from_value(settings).unwrap()
    }

    /// The only one of a server.
    pub(crate) fn alone(&self, config: &mut Config, more: Value) {
        config.providers = vec![self.settings(more)];
    }
}

impl World {
    fn lie(&self) -> Lie {
        self.lie.lock().unwrap().clone()
    }
}

async fn fate(State(world): State<Arc<World>>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    world.asked.lock().unwrap().push(path.clone());
    let fate = world.lie().at.filter(|(at, _)| *at == path);
    match fate.map(|(_, fate)| fate) {
        None => next.run(request).await,
        Some(Fate::Fails(status)) => StatusCode::from_u16(status).unwrap().into_response(),
        Some(Fate::Redirects) => Redirect::temporary("/elsewhere").into_response(),
        Some(Fate::NeverAnswers) => pending().await,
        Some(Fate::Garbage) => "<html>not JSON</html>".into_response(),
        Some(Fate::NeverEnds) => {
            let endless =
                futures::stream::repeat_with(|| Ok::<_, std::io::Error>(vec![b' '; 4096]));
            let json = [(header::CONTENT_TYPE, "application/json")];
            (json, Body::from_stream(endless)).into_response()
        }
    }
}

fn patched(mut what: Value, patches: &[(&str, Value)]) -> Value {
    let fields = what.as_object_mut().unwrap();
    for (name, value) in patches {
        match value {
            Value::Null => fields.remove(*name),
            value => fields.insert((*name).to_owned(), value.clone()),
        };
    }
    what
}

async fn discovery(State(world): State<Arc<World>>) -> Json<Value> {
    let (url, lie) = (world.url.lock().unwrap().clone(), world.lie());
    let honest = json!({
        "issuer": url, "authorization_endpoint": format!("{url}/authorize"),
        "token_endpoint": format!("{url}/token"), "jwks_uri": format!("{url}/keys"),
        "userinfo_endpoint": format!("{url}/userinfo"),
        "end_session_endpoint": format!("{url}/end"),
        "response_types_supported": ["code"], "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["EdDSA", "HS256", "none"],
    });
    Json(patched(honest, &lie.discovery))
}

fn key(n: u8) -> SigningKey {
    SigningKey::from_bytes(&[n; 32])
}

async fn keys(State(world): State<Arc<World>>) -> Json<Value> {
    let (n, name) = *world.key.lock().unwrap();
    let x = BASE64_URL_SAFE_NO_PAD.encode(key(n).verifying_key());
    let mut one = json!({"kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA", "x": x});
    if let Some(name) = name {
        one["kid"] = json!(name);
    }
    Json(json!({"keys": [one]}))
}

async fn token(
    State(world): State<Arc<World>>,
    headers: HeaderMap,
    Form(form): Form<BTreeMap<String, String>>,
) -> (StatusCode, Json<Value>) {
    let refused = |error| (StatusCode::BAD_REQUEST, Json(json!({"error": error})));
    // RFC 6749, 2.3.1: both are encoded as in a form.
    let secret: String = url::form_urlencoded::byte_serialize(SECRET.as_bytes()).collect();
    let basic = BASE64_STANDARD.encode(format!("{CLIENT}:{secret}"));
    if headers
        .get(header::AUTHORIZATION)
        .is_none_or(|it| *it != format!("Basic {basic}"))
    {
        return refused("invalid_client");
    }
    let grant = world.grants.lock().unwrap().remove(&form["code"]);
    let Some(grant) = grant else {
        return refused("invalid_grant");
    };
    let challenge = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(&form["code_verifier"]));
    if challenge != grant.challenge || form["redirect_uri"] != grant.redirect {
        return refused("invalid_grant");
    }
    let lie = world.lie();
    let claims = json!({
        "iss": *world.url.lock().unwrap(), "sub": SUBJECT, "aud": CLIENT, "nonce": grant.nonce,
        "iat": grant.at.timestamp(), "exp": grant.at.timestamp() + 300,
    });
    let mut answer = json!({"access_token": "access", "token_type": "Bearer", "expires_in": 60});
    if lie.token != Token::Absent {
        let claims = patched(claims, &lie.claims);
        *world.shown.lock().unwrap() = claims["sub"].clone();
        let key = *world.key.lock().unwrap();
        answer["id_token"] = Value::String(signed(lie.token, key, &claims));
    }
    if lie.token == Token::Empty {
        answer["id_token"] = json!("");
    }
    (StatusCode::OK, Json(answer))
}

fn signed(how: Token, (n, name): Named, claims: &Value) -> String {
    let encode = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    let (alg, kid) = match how {
        Token::Unsigned => ("none", name),
        Token::BySharedSecret => ("HS256", name),
        Token::UnknownKey => ("EdDSA", Some("unknown")),
        _ => ("EdDSA", name),
    };
    let header = patched(json!({"alg": alg, "typ": "JWT"}), &[("kid", json!(kid))]);
    let header = encode(&header);
    let text = format!("{header}.{}", encode(claims));
    let signature = match how {
        Token::Unsigned => Vec::new(),
        Token::BySharedSecret => by_secret(&text),
        Token::WrongKey | Token::UnknownKey => key(9).sign(text.as_bytes()).to_vec(),
        _ => key(n).sign(text.as_bytes()).to_vec(),
    };
    let text = match how {
        Token::Changed => {
            let mut other = claims.clone();
            other["sub"] = json!("somebody else");
            format!("{header}.{}", encode(&other))
        }
        _ => text,
    };
    format!("{text}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature))
}

fn by_secret(text: &str) -> Vec<u8> {
    use hmac::{Hmac, KeyInit, Mac};
    let mut mac = Hmac::<Sha256>::new_from_slice(key(1).verifying_key().as_bytes()).unwrap();
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

async fn userinfo(State(world): State<Arc<World>>, headers: HeaderMap) -> Response {
    match headers.get(header::AUTHORIZATION) {
        Some(it) if it == "Bearer access" => {
            let shown = world.shown.lock().unwrap().clone();
            let info = world.lie().userinfo.unwrap_or(json!({"sub": shown}));
            Json(info).into_response()
        }
        _ => StatusCode::UNAUTHORIZED.into_response(),
    }
}
