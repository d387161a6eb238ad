//! What a provider of sign-ins answers: the first byte says which of its answers is the input, the others are honest.

use std::sync::{Arc, LazyLock};

use async_trait::async_trait;
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use domain::{Role, Sign};
use futures::executor::block_on;
use oidc::{
    Arrived, Fetch, Newcomers, Provider, Request, Response, Roles, Settings, Unreached, Way,
};
use serde_json::{Value, json};

use crate::known::{KEY, at};

const ISSUER: &str = "https://id.example";
const SUBJECT: &str = "ana-1";
const BACK: &str = "https://handraise.example/sign-in/company/back";

/// The ID token that this provider has made for this way.
static TOKEN: LazyLock<String> = LazyLock::new(|| {
    let encode = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    let claims = json!({
        "iss": ISSUER, "sub": SUBJECT, "aud": "handraise", "nonce": "nonce-1", "groups": ["on-call"],
        "iat": at(0).timestamp(), "exp": at(0).timestamp() + 300,
    });
    let text = format!(
        "{}.{}",
        encode(&json!({"alg": "EdDSA", "typ": "JWT"})),
        encode(&claims)
    );
    let signature = KEY.sign(text.as_bytes());
    format!("{text}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature))
});

/// Which answer is the input.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Discovery,
    Keys,
    Token,
    Userinfo,
}

struct Answers {
    of: Of,
    input: Vec<u8>,
}

#[async_trait]
impl Fetch for Answers {
    async fn fetch(&self, request: Request) -> Result<Response, Unreached> {
        let (of, honest) = match request.uri().path() {
            "/.well-known/openid-configuration" => (
                Of::Discovery,
                json!({
                    "issuer": ISSUER, "authorization_endpoint": format!("{ISSUER}/authorize"),
                    "token_endpoint": format!("{ISSUER}/token"), "jwks_uri": format!("{ISSUER}/keys"),
                    "userinfo_endpoint": format!("{ISSUER}/userinfo"),
                    "response_types_supported": ["code"], "subject_types_supported": ["public"],
                    "id_token_signing_alg_values_supported": ["EdDSA", "RS256", "HS256", "none"],
                }),
            ),
            "/keys" => (
                Of::Keys,
                json!({"keys": [{
                    "kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA",
                    "x": BASE64_URL_SAFE_NO_PAD.encode(KEY.public_key()),
                }]}),
            ),
            "/token" => (
                Of::Token,
                json!({
                    "access_token": "access", "token_type": "Bearer", "expires_in": 60, "id_token": *TOKEN,
                }),
            ),
            "/userinfo" => (Of::Userinfo, json!({"sub": SUBJECT, "name": "Ana"})),
            _ => return Err(Unreached("there is nothing".to_owned())),
        };
        let body = match of == self.of {
            true => self.input.clone(),
            false => honest.to_string().into_bytes(),
        };
        let response = http::Response::builder().header("content-type", "application/json");
        response
            .body(body)
            .map_err(|error| Unreached(error.to_string()))
    }
}

/// Nobody comes in but whom the provider has signed for, whatever else it says; and with no more rights than it signed.
pub fn oidc(bytes: &[u8]) {
    let Some((first, input)) = bytes.split_first() else {
        return;
    };
    let of = match first % 4 {
        0 => Of::Token,
        1 => Of::Userinfo,
        2 => Of::Keys,
        _ => Of::Discovery,
    };
    let arrived = match arrive(of, input) {
        Ok(arrived) => arrived,
        Err(why) => return assert!(!why.is_empty()),
    };
    // With keys or addresses of its own choice a provider may say whatever it likes.
    if matches!(of, Of::Token | Of::Userinfo) {
        assert_eq!(arrived.identity.issuer, ISSUER);
        assert_eq!(arrived.identity.subject, SUBJECT);
        let role = settings().role_of(&arrived.claims);
        assert_eq!(role, Ok(Some(Role::Responder)));
        assert_eq!(
            arrived.claims.texts("groups"),
            Ok(vec!["on-call".to_owned()])
        );
    }
}

fn arrive(of: Of, input: &[u8]) -> Result<Arrived, String> {
    let answers = Answers {
        of,
        input: input.to_vec(),
    };
    let provider = Provider::new(settings(), Arc::new(answers));
    let way = json!({
        "state": "state-1", "nonce": "nonce-1", "verifier": "v".repeat(43), "begun_at": at(0), "again": false,
    });
    let way: Way = serde_json::from_value(way).unwrap();
    let arrived = block_on(provider.arrive(&way, "code", None, BACK, at(10)));
    arrived.map_err(|trouble| trouble.sentence("Company"))
}

fn settings() -> Settings {
    let by_value = [
        ("staff", Role::Viewer),
        ("on-call", Role::Responder),
        ("ops", Role::Admin),
    ];
    Settings {
        key: "company".to_owned(),
        name: "Company".to_owned(),
        issuer: ISSUER.to_owned(),
        client_id: "handraise".to_owned(),
        client_secret: None,
        scopes: Vec::new(),
        roles: Some(Roles {
            claim: "groups".to_owned(),
            by_value: by_value
                .map(|(value, role)| (value.to_owned(), role))
                .into(),
        }),
        teams: None,
        newcomers: Newcomers::ByClaim,
    }
}
