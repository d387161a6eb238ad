//! A device with a passkey inside, and the browser before it (WebAuthn). It says what it is told to, also what no device
//! would say.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair},
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::app::TestApp;

/// Its owner is there, and has unlocked it.
const UNLOCKED: u8 = 0b101;
/// A new key follows.
const NEW_KEY: u8 = 0b100_0000;

/// One key of a device.
pub(crate) struct Device {
    pub(crate) key: EcdsaKeyPair,
    /// Its name for the key.
    pub(crate) credential: Vec<u8>,
    /// For whom it is.
    pub(crate) owner: Vec<u8>,
}

/// What is said beside the signature.
#[derive(Clone)]
pub(crate) struct Said {
    pub(crate) kind: &'static str,
    pub(crate) origin: String,
    pub(crate) server: &'static str,
    pub(crate) flags: u8,
    pub(crate) counter: u32,
}

impl Said {
    /// What a browser and a device say at this server.
    pub(crate) fn at(app: &TestApp) -> Self {
        Self {
            kind: "webauthn.get",
            origin: app.page_url(""),
            server: "handraise.localhost",
            flags: UNLOCKED,
            counter: 0,
        }
    }

    fn by_browser(&self, asked: &Value) -> Vec<u8> {
        let said = json!({
            "type": self.kind,
            "challenge": asked["challenge"],
            "origin": self.origin,
            "crossOrigin": false,
        });
        said.to_string().into_bytes()
    }

    fn by_device(&self, more: u8) -> Vec<u8> {
        let mut said = Sha256::digest(self.server.as_bytes()).to_vec();
        said.push(self.flags | more);
        said.extend(self.counter.to_be_bytes());
        said
    }
}

impl Device {
    /// Makes a key for the person who is asked to, and says so.
    pub(crate) fn register(asked: &Value, said: &Said) -> (Self, String) {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_ASN1_SIGNING;
        let made = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        let owner = asked["user"]["id"].as_str().unwrap();
        let device = Self {
            key: EcdsaKeyPair::from_pkcs8(algorithm, made.as_ref(), &random).unwrap(),
            credential: rand::random::<[u8; 16]>().to_vec(),
            owner: BASE64_URL_SAFE_NO_PAD.decode(owner).unwrap(),
        };
        let answer = device.registration(asked, said);
        (device, answer)
    }

    /// Says that it has made its key for the person who is asked to.
    pub(crate) fn registration(&self, asked: &Value, said: &Said) -> String {
        let said = Said {
            kind: "webauthn.create",
            ..said.clone()
        };
        let mut data = said.by_device(NEW_KEY);
        // Of no make.
        data.extend([0_u8; 16]);
        data.extend([0_u8, 16]);
        data.extend(&self.credential);
        // {1: 2, 3: -7, -1: 1, -2: x, -3: y} in CBOR: a key for ES256.
        let (x, y) = self.key.public_key().as_ref()[1..].split_at(32);
        data.extend(b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20");
        data.extend(x);
        data.extend(b"\x22\x58\x20");
        data.extend(y);
        // {"fmt": "none", "attStmt": {}, "authData": data}
        let mut attested = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58".to_vec();
        attested.push(u8::try_from(data.len()).unwrap());
        attested.extend(data);
        let response = json!({
            "attestationObject": BASE64_URL_SAFE_NO_PAD.encode(attested),
            "clientDataJSON": BASE64_URL_SAFE_NO_PAD.encode(said.by_browser(asked)),
        });
        self.answer_with(&response)
    }

    /// Signs what is asked.
    pub(crate) fn answer(&self, asked: &Value, said: &Said) -> String {
        let (browser, device) = (said.by_browser(asked), said.by_device(0));
        let signed = [device.clone(), Sha256::digest(&browser).to_vec()].concat();
        let signature = self.key.sign(&SystemRandom::new(), &signed).unwrap();
        self.answer_with(&json!({
            "authenticatorData": BASE64_URL_SAFE_NO_PAD.encode(device),
            "clientDataJSON": BASE64_URL_SAFE_NO_PAD.encode(browser),
            "signature": BASE64_URL_SAFE_NO_PAD.encode(signature.as_ref()),
            "userHandle": BASE64_URL_SAFE_NO_PAD.encode(&self.owner),
        }))
    }

    fn answer_with(&self, response: &Value) -> String {
        let id = BASE64_URL_SAFE_NO_PAD.encode(&self.credential);
        let answer = json!({
            "id": id,
            "rawId": id,
            "type": "public-key",
            "response": response,
            "extensions": {},
        });
        answer.to_string()
    }
}

/// What a page asks of devices.
pub(crate) fn asked(page: &str) -> Value {
    let (_, rest) = page.split_once("data-options=\"").expect(page);
    let (options, _) = rest.split_once('"').unwrap();
    let options = options
        .replace("&quot;", "\"")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    let asked: Value = serde_json::from_str(&options).unwrap();
    asked["publicKey"].clone()
}
