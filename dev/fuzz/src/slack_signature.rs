//! A request of Slack's: time, signature and body, with a zero between them.

use domain::digest::hex;
use hmac::{Hmac, KeyInit, Mac};
use secrecy::SecretString;
use sha2::Sha256;
use slack::verify::{Unverified, verify};

use crate::known::{at, changed, parts};

const SECRET: &str = "8f742231b10e8888abcd99yyyzzz85a5";

/// Only what was signed just now is believed, and nothing of it with a byte changed.
pub fn slack_signature(bytes: &[u8]) {
    let [time, claimed, body] = parts(bytes);
    let secret = SecretString::from(SECRET);
    let check = |time: &[u8], signature: &[u8], body: &[u8]| {
        let (time, signature) = (str::from_utf8(time).ok(), str::from_utf8(signature).ok());
        verify(&secret, time, signature, body, at(0))
    };
    // A signature that fits can only be ours.
    if check(time, claimed, body).is_ok() {
        assert_eq!(claimed, signed(time, body));
    }
    let now = at(0).timestamp().to_string().into_bytes();
    let good = signed(&now, body);
    assert_eq!(check(&now, &good, body), Ok(()));
    let wrong = |result| {
        matches!(
            result,
            Err(Unverified::Forged | Unverified::Unsigned | Unverified::Untimely)
        )
    };
    let longer = [body, b"x"].concat();
    assert!(wrong(check(&now, &good, &longer)));
    if !body.is_empty() {
        assert!(wrong(check(&now, &good, &changed(body, claimed))) || claimed.is_empty());
    }
    if !claimed.is_empty() {
        assert!(wrong(check(&now, &changed(&good, claimed), body)));
        assert!(wrong(check(&changed(&now, claimed), &good, body)));
    }
}

fn signed(time: &[u8], body: &[u8]) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    for part in [b"v0:", time, b":", body] {
        mac.update(part);
    }
    format!("v0={}", hex(&mac.finalize().into_bytes())).into_bytes()
}
