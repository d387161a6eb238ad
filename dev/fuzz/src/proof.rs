//! What strangers bring along as proof: the link by which a user of Slack says who they are, a statement that a key follows
//! another, a key in base64 or PEM.

use std::sync::LazyLock;

use domain::SlackId;
use signing::{Rotation, SigningKey, SlackLinks, TrustedKeys, Unopened, VerifyingKey, leads_to};

use crate::known::{KEY, at, changed};

static LINKS: LazyLock<SlackLinks> = LazyLock::new(|| SlackLinks::new(&KEY));
static LINK: LazyLock<String> = LazyLock::new(|| {
    let user = SlackId::parse("U0ANA").unwrap();
    LINKS.make(&user, "T0FAKE", "ana", at(0))
});
static ROTATION: LazyLock<Rotation> =
    LazyLock::new(|| Rotation::sign(&KEY, next(), at(0)).unwrap());

fn next() -> VerifyingKey {
    SigningKey::from_seed([8; 32]).verifying_key()
}

/// Nothing opens, and no key is trusted, but by what our key made; and not with a byte of it changed.
pub fn proof(bytes: &[u8]) {
    assert!(LINKS.open(&LINK, at(1)).is_ok());
    let other = changed(LINK.as_bytes(), bytes);
    for token in [bytes, &other] {
        let Ok(token) = str::from_utf8(token) else {
            continue;
        };
        if token != *LINK {
            assert_eq!(LINKS.open(token, at(1)), Err(Unopened::Forged), "{token}");
        }
    }
    let trusted = TrustedKeys::new([KEY.verifying_key()]);
    let written = serde_json::to_vec(&*ROTATION).unwrap();
    assert_eq!(
        leads_to(&next(), &trusted, std::slice::from_ref(&*ROTATION)),
        Some(KEY.verifying_key())
    );
    let other = changed(&written, bytes);
    for json in [bytes, &other] {
        let Ok(rotation) = serde_json::from_slice::<Rotation>(json) else {
            continue;
        };
        let again = serde_json::to_vec(&rotation).unwrap();
        assert_eq!(
            serde_json::from_slice::<Rotation>(&again).unwrap(),
            rotation
        );
        let is_ours = rotation == *ROTATION;
        if rotation.old == KEY.verifying_key() {
            assert_eq!(rotation.holds(), is_ours, "{rotation:?}");
        }
        let new = rotation.new;
        let led = leads_to(&new, &trusted, &[rotation]);
        assert!(is_ours || led.is_none());
    }
    if let Ok(text) = str::from_utf8(bytes) {
        if let Some(key) = VerifyingKey::from_base64(text) {
            assert_eq!(key.to_string(), text.trim());
        }
        if let Some(key) = SigningKey::from_pem(text) {
            let again = SigningKey::from_pem(&key.to_pem()).unwrap();
            assert_eq!(again.verifying_key(), key.verifying_key());
        }
    }
}
