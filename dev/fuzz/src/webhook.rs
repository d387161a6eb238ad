//! What a receiver checks of a webhook or a callback (Standard Webhooks): the id and the body, with a zero between them.

use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use server::testing::webhook_headers;
use service::hook_secret::HookSecret;
use sha2::Sha256;

use crate::known::{at, changed, parts};

/// Whoever has one of the secrets believes it as it was sent, and not with a byte changed; nobody else does.
pub fn webhook(bytes: &[u8]) {
    let [id, body] = parts(bytes);
    let Ok(id) = str::from_utf8(id) else {
        return;
    };
    let secrets = [1, 2].map(|n| HookSecret::from_bytes(vec![n; 32]));
    let headers = webhook_headers(id, at(0), body, &secrets);
    let header = |name: &str| headers.get(name).map(|it| it.as_bytes().to_vec());
    let time = header("webhook-timestamp").unwrap();
    assert_eq!(time, at(0).timestamp().to_string().as_bytes());
    let claimed = header("webhook-signature").unwrap();
    if let Some(sent) = header("webhook-id") {
        assert_eq!(sent, id.as_bytes());
    }
    let holds = |id: &[u8], time: &[u8], body: &[u8], n: u8| {
        let mut mac = Hmac::<Sha256>::new_from_slice(&[n; 32]).unwrap();
        for part in [id, b".", time, b".", body] {
            mac.update(part);
        }
        let expected = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
        claimed
            .split(|byte| *byte == b' ')
            .any(|one| one == expected.as_bytes())
    };
    assert!(holds(id.as_bytes(), &time, body, 1) && holds(id.as_bytes(), &time, body, 2));
    assert!(!holds(id.as_bytes(), &time, body, 3));
    if !body.is_empty() {
        assert!(!holds(id.as_bytes(), &time, &changed(body, &[1, 2, 3]), 1));
        assert!(!holds(id.as_bytes(), &time, &body[1..], 1));
    }
    assert!(!holds(id.as_bytes(), &changed(&time, &[4, 5]), body, 1));
    // No id of ours has a full stop, at which a receiver could take the parts for others.
    assert!(!holds(format!("{id}x").as_bytes(), &time, body, 1));
}
