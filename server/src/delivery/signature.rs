//! Standard Webhooks 1.0.0: three headers say what this is, when it was sent, and that it is ours.

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use service::hook_secret::HookSecret;
use sha2::Sha256;

const ID: HeaderName = HeaderName::from_static("webhook-id");
const TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

/// The headers of this body, sent at `at`, signed with every secret.
pub(crate) fn headers(
    id: &str,
    at: DateTime<Utc>,
    body: &[u8],
    secrets: &[HookSecret],
) -> HeaderMap {
    let timestamp = at.timestamp().to_string();
    let signatures: Vec<String> = secrets
        .iter()
        .map(|secret| sign(id, &timestamp, body, secret))
        .collect();
    let signatures = signatures.join(" ");
    let named = [(ID, id), (TIMESTAMP, &timestamp), (SIGNATURE, &signatures)];
    named
        .into_iter()
        .filter_map(|(name, value)| Some((name, HeaderValue::from_str(value).ok()?)))
        .collect()
}

fn sign(id: &str, timestamp: &str, body: &[u8], secret: &HookSecret) -> String {
    // HMAC takes a key of any length.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.bytes()) else {
        return String::new();
    };
    mac.update(id.as_bytes());
    mac.update(b".");
    mac.update(timestamp.as_bytes());
    mac.update(b".");
    mac.update(body);
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example that the reference implementations test themselves with.
    #[test]
    fn signatures_are_those_of_the_specification() {
        let secret = STANDARD.decode("C2FVsBQIhrscChlQIMV+b5sSYspob7oD").unwrap();
        let secret = HookSecret::from_bytes(secret);
        let headers = headers(
            "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk",
            DateTime::from_timestamp(1_649_367_553, 0).unwrap(),
            br#"{"email":"test@example.com","username":"test_user"}"#,
            &[secret.clone(), secret],
        );
        assert_eq!(headers["webhook-id"], "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk");
        assert_eq!(headers["webhook-timestamp"], "1649367553");
        let signature = "v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=";
        assert_eq!(
            headers["webhook-signature"],
            format!("{signature} {signature}")
        );
    }

    #[test]
    fn a_secret_is_shown_as_the_specification_says_and_hides() {
        let secret = HookSecret::random();
        let shown = secret.reveal();
        let key = STANDARD.decode(shown.strip_prefix("whsec_").unwrap());
        assert_eq!(key.unwrap(), secret.bytes());
        assert_eq!(secret.bytes().len(), 32);
        assert_eq!(format!("{secret:?}"), "HookSecret(…)");
        assert_ne!(secret, HookSecret::random());
    }
}
