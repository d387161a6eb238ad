//! Message encryption for Web Push (RFC 8291): only the browser that subscribed reads what its push service carries.

use aes_gcm::{
    Aes128Gcm, Key, Nonce,
    aead::{Aead, KeyInit},
};
use hkdf::Hkdf;
use p256::{PublicKey, SecretKey};
use sha2::Sha256;

/// What a payload may have at most: push services take bodies of 4,096 bytes (RFC 8030, 7.2), of which header, tag and
/// the delimiter are 103.
pub(super) const LARGEST: usize = 3_993;
/// One record holds all of it (RFC 8188, 2.1).
const RECORD_SIZE: u32 = 4_096;
/// Ends the last record.
const LAST: u8 = 2;

/// The body for a browser with these keys; `own` is a key for this message alone. `None` when the keys are none, or the
/// payload is too large.
pub(super) fn encrypt(
    payload: &[u8],
    p256dh: &[u8],
    auth: &[u8],
    own: &SecretKey,
    salt: [u8; 16],
) -> Option<Vec<u8>> {
    if payload.len() > LARGEST {
        return None;
    }
    let theirs = PublicKey::from_sec1_bytes(p256dh).ok()?;
    let own_public = own.public_key().to_sec1_bytes();
    let shared = own.diffie_hellman(&theirs);
    let mut key_info = b"WebPush: info\0".to_vec();
    key_info.extend_from_slice(p256dh);
    key_info.extend_from_slice(&own_public);
    let mut secret = [0; 32];
    Hkdf::<Sha256>::new(Some(auth), shared.raw_secret_bytes().as_slice())
        .expand(&key_info, &mut secret)
        .ok()?;
    let derived = Hkdf::<Sha256>::new(Some(&salt), &secret);
    let (mut key, mut nonce) = ([0; 16], [0; 12]);
    derived
        .expand(b"Content-Encoding: aes128gcm\0", &mut key)
        .ok()?;
    derived
        .expand(b"Content-Encoding: nonce\0", &mut nonce)
        .ok()?;
    let mut record = payload.to_vec();
    record.push(LAST);
    let cipher = Aes128Gcm::new(&Key::<Aes128Gcm>::from(key));
    let sealed = cipher.encrypt(&Nonce::from(nonce), &*record).ok()?;
    let mut body = salt.to_vec();
    body.extend_from_slice(&RECORD_SIZE.to_be_bytes());
    body.push(u8::try_from(own_public.len()).ok()?);
    body.extend_from_slice(&own_public);
    body.extend_from_slice(&sealed);
    Some(body)
}

#[cfg(test)]
mod tests {
    use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

    use super::*;

    fn bytes(text: &str) -> Vec<u8> {
        URL_SAFE_NO_PAD.decode(text).unwrap()
    }

    // RFC 8291, section 5 and appendix A.
    #[test]
    fn the_vector_of_the_rfc_comes_out() {
        let own = SecretKey::from_slice(&bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"));
        let salt: Vec<u8> = bytes("DGv6ra1nlYgDCS1FRnbzlw");
        let body = encrypt(
            b"When I grow up, I want to be a watermelon",
            &bytes(
                "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            ),
            &bytes("BTBZMqHH6r4Tts7J_aSIgg"),
            &own.unwrap(),
            salt.try_into().unwrap(),
        );
        let expected = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN";
        assert_eq!(URL_SAFE_NO_PAD.encode(body.unwrap()), expected);
    }

    #[test]
    fn what_is_no_key_or_too_large_makes_no_body() {
        let own = SecretKey::from_slice(&[7; 32]).unwrap();
        let theirs = own.public_key().to_sec1_bytes();
        let made = |payload: &[u8], key: &[u8]| encrypt(payload, key, &[1; 16], &own, [2; 16]);
        let largest = made(&[0; LARGEST], &theirs).unwrap();
        assert_eq!(largest.len(), 4_096);
        assert_eq!(made(&[0; LARGEST + 1], &theirs), None);
        assert_eq!(made(b"x", &[4; 65]), None);
        assert_eq!(made(b"x", b""), None);
    }
}
