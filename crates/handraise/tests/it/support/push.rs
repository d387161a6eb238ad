//! A browser that has subscribed, at a push service of its own: it reads what only it can read.

use aes_gcm::{
    Aes128Gcm, Key, Nonce,
    aead::{Aead, KeyInit},
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use hkdf::Hkdf;
use p256::{PublicKey, SecretKey};
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use serde_json::Value;
use service::{Address, Service};
use sha2::Sha256;

use super::{
    app::TestApp,
    browser::{Browser, place},
    receiver::{Got, Manner, Receiver},
};

/// One browser with its subscription.
pub(crate) struct Subscribed {
    pub(crate) service: Receiver,
    key: SecretKey,
    auth: [u8; 16],
}

impl Subscribed {
    /// At a push service with these manners.
    pub(crate) async fn at(manners: impl IntoIterator<Item = Manner>) -> Self {
        Self {
            service: Receiver::start(manners).await,
            key: SecretKey::from_slice(&rand::random::<[u8; 32]>()).unwrap(),
            auth: rand::random(),
        }
    }

    /// Adds it to the ways to reach whoever is signed in there.
    pub(crate) async fn add(&self, browser: &mut Browser<'_>) {
        assert_eq!(self.try_to_add(browser).await, "/settings/reach?done=added");
    }

    pub(crate) async fn try_to_add(&self, browser: &mut Browser<'_>) -> String {
        self.submit(browser, "").await
    }

    /// As the service worker does when the browser has this subscription in place of another.
    pub(crate) async fn renew(&self, browser: &mut Browser<'_>, former: &Self) -> String {
        self.submit(browser, &former.endpoint()).await
    }

    /// Where it leads, as the page tells it.
    pub(crate) fn address(&self, service: &Service) -> Address {
        let p256dh = URL_SAFE_NO_PAD.encode(self.key.public_key().to_sec1_bytes());
        let auth = URL_SAFE_NO_PAD.encode(self.auth);
        let read = service.push_address(&self.endpoint(), &p256dh, &auth);
        read.unwrap()
    }

    fn endpoint(&self) -> String {
        format!("http://{}/push/secret", self.service.addr)
    }

    async fn submit(&self, browser: &mut Browser<'_>, instead: &str) -> String {
        let endpoint = self.endpoint();
        let p256dh = URL_SAFE_NO_PAD.encode(self.key.public_key().to_sec1_bytes());
        let auth = URL_SAFE_NO_PAD.encode(self.auth);
        let form = [
            ("endpoint", &*endpoint),
            ("p256dh", &*p256dh),
            ("auth", &*auth),
            ("label", "Firefox on Linux"),
            ("instead", instead),
        ];
        place(&browser.submit("/settings/reach/push", &form).await)
    }

    /// What came since the last look.
    pub(crate) fn got(&self) -> Vec<Value> {
        let got = self.service.got().into_iter();
        got.map(|one| self.read(&one)).collect()
    }

    /// What it reads (RFC 8291, from the browser's side).
    pub(crate) fn read(&self, got: &Got) -> Value {
        let body = &got.bytes;
        let (salt, rest) = body.split_at(16);
        let length = usize::from(rest[4]);
        let (theirs, sealed) = rest[5..].split_at(length);
        let shared = self
            .key
            .diffie_hellman(&PublicKey::from_sec1_bytes(theirs).unwrap());
        let mut info = b"WebPush: info\0".to_vec();
        info.extend_from_slice(&self.key.public_key().to_sec1_bytes());
        info.extend_from_slice(theirs);
        let derive = |salt: &[u8], from: &[u8], info: &[u8], into: &mut [u8]| {
            Hkdf::<Sha256>::new(Some(salt), from)
                .expand(info, into)
                .unwrap();
        };
        let (mut secret, mut key, mut nonce) = ([0; 32], [0; 16], [0; 12]);
        derive(
            &self.auth,
            shared.raw_secret_bytes().as_slice(),
            &info,
            &mut secret,
        );
        derive(salt, &secret, b"Content-Encoding: aes128gcm\0", &mut key);
        derive(salt, &secret, b"Content-Encoding: nonce\0", &mut nonce);
        let cipher = Aes128Gcm::new(&Key::<Aes128Gcm>::from(key));
        let mut plain = cipher.decrypt(&Nonce::from(nonce), sealed).unwrap();
        assert_eq!(plain.pop(), Some(2));
        serde_json::from_slice(&plain).unwrap()
    }

    /// Whether the request says who sends it, as RFC 8292 has it, to this push service and for no longer than a day.
    pub(crate) fn is_signed(&self, got: &Got, app: &TestApp) -> bool {
        let header = got.headers["authorization"]
            .strip_prefix("vapid t=")
            .unwrap();
        let (token, key) = header.split_once(", k=").unwrap();
        let key = URL_SAFE_NO_PAD.decode(key).unwrap();
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        let verified = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, &key)
            .verify(signed.as_bytes(), &signature);
        let claims = URL_SAFE_NO_PAD
            .decode(signed.split_once('.').unwrap().1)
            .unwrap();
        let claims: Value = serde_json::from_slice(&claims).unwrap();
        let until = DateTime::from_timestamp(claims["exp"].as_i64().unwrap(), 0).unwrap();
        let left: DateTime<Utc> = until - chrono::TimeDelta::hours(24);
        verified.is_ok()
            && claims["aud"] == format!("http://{}", self.service.addr)
            && claims["sub"] == app.state.config.public_url()
            && left <= app.state.service.now()
    }
}
