//! The name by which push services know this server (RFC 8292): a key of its own, kept sealed with the database, which
//! all nodes share.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::Context;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, TimeDelta, Utc};
use p256::{
    SecretKey,
    ecdsa::{Signature, SigningKey, signature::Signer},
};
use serde_json::json;
use service::Service;
use tokio::sync::OnceCell;
use url::Url;

/// How long a push service believes one signature: 24 h at most.
const LASTS: TimeDelta = TimeDelta::hours(12);
/// How long one is used for all that goes to a push service: signing anew takes as long as encrypting a message.
const REUSED: TimeDelta = TimeDelta::hours(1);
/// There are a handful of push services, but who names one can name any.
const REMEMBERED: usize = 100;

/// The last `Authorization` for each push service, and since when.
type Made = HashMap<String, (DateTime<Utc>, String)>;

/// The key, once it was read. Cheap to clone.
#[derive(Clone)]
pub struct Vapid {
    service: Service,
    key: Arc<OnceCell<SecretKey>>,
    made: Arc<Mutex<Made>>,
    /// Whom a push service can ask about what is sent.
    subject: Arc<str>,
}

impl Vapid {
    /// The key of the server at this address.
    pub fn new(service: Service, public_url: &str) -> Self {
        Self {
            service,
            key: Arc::default(),
            made: Arc::default(),
            subject: public_url.into(),
        }
    }

    /// What browsers subscribe with: the public half, uncompressed, in base64url.
    ///
    /// # Errors
    /// When the key cannot be read.
    pub async fn public_key(&self) -> anyhow::Result<String> {
        let key = self.key().await?.public_key();
        Ok(URL_SAFE_NO_PAD.encode(key.to_sec1_bytes()))
    }

    /// The `Authorization` of a request to this address.
    ///
    /// # Errors
    /// When the key cannot be read, or the address is none.
    pub(super) async fn authorization(
        &self,
        endpoint: &str,
        now: DateTime<Utc>,
    ) -> anyhow::Result<String> {
        let audience = Url::parse(endpoint)?.origin().ascii_serialization();
        if let Some(known) = self.known(&audience, now) {
            return Ok(known);
        }
        let key = self.key().await?;
        let header = json!({"typ": "JWT", "alg": "ES256"});
        let claims =
            json!({"aud": audience, "exp": (now + LASTS).timestamp(), "sub": &*self.subject});
        let part = |json: serde_json::Value| URL_SAFE_NO_PAD.encode(json.to_string());
        let signed = format!("{}.{}", part(header), part(claims));
        let signature: Signature = SigningKey::from(key).sign(signed.as_bytes());
        let signature = URL_SAFE_NO_PAD.encode(signature.to_bytes());
        let public = URL_SAFE_NO_PAD.encode(key.public_key().to_sec1_bytes());
        let authorization = format!("vapid t={signed}.{signature}, k={public}");
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if made.len() >= REMEMBERED {
            made.clear();
        }
        made.insert(audience, (now, authorization.clone()));
        Ok(authorization)
    }

    fn known(&self, audience: &str, now: DateTime<Utc>) -> Option<String> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, authorization) = made.get(audience)?;
        let is_fresh = (TimeDelta::zero()..REUSED).contains(&(now - *since));
        is_fresh.then(|| authorization.clone())
    }

    async fn key(&self) -> anyhow::Result<&SecretKey> {
        self.key
            .get_or_try_init(|| async {
                let fresh = new_key();
                let kept = self.service.push_key(fresh.to_bytes().as_slice()).await?;
                SecretKey::from_slice(&kept).context("the key for push services is none")
            })
            .await
    }
}

/// A key that nobody has.
pub(super) fn new_key() -> SecretKey {
    loop {
        // Nearly every number is a key.
        if let Ok(key) = SecretKey::from_slice(&rand::random::<[u8; 32]>()) {
            return key;
        }
    }
}
