//! Whether a request comes from Slack: signed, over its raw body, and not long ago.

use chrono::{DateTime, TimeDelta, Utc};
use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;
use thiserror::Error;

/// The header with the time it was signed.
pub const TIMESTAMP: &str = "x-slack-request-timestamp";
/// The header with the signature.
pub const SIGNATURE: &str = "x-slack-signature";
/// How far the clocks may be apart, either way.
const APART: TimeDelta = TimeDelta::seconds(300);

/// Why a request is not believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unverified {
    /// There is no time, or no signature.
    #[error("the request is not signed")]
    Unsigned,
    /// It was signed at another time; an attacker may have kept it.
    #[error("the request was not signed just now")]
    Untimely,
    /// It was signed with another secret, or changed.
    #[error("the signature does not fit")]
    Forged,
}

/// Checks a request by its two headers and its body as it came.
///
/// # Errors
/// When it is not to be believed.
pub fn verify(
    secret: &SecretString,
    timestamp: Option<&str>,
    signature: Option<&str>,
    body: &[u8],
    now: DateTime<Utc>,
) -> Result<(), Unverified> {
    let (Some(timestamp), Some(signature)) = (timestamp, signature) else {
        return Err(Unverified::Unsigned);
    };
    let signed_at = timestamp.parse().ok();
    let signed_at = signed_at.and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    let signed_at = signed_at.ok_or(Unverified::Unsigned)?;
    if (now - signed_at).abs() > APART {
        return Err(Unverified::Untimely);
    }
    let hex = signature.strip_prefix("v0=").ok_or(Unverified::Forged)?;
    let claimed = bytes(hex).ok_or(Unverified::Forged)?;
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.expose_secret().as_bytes())
        .map_err(|_| Unverified::Forged)?;
    mac.update(b"v0:");
    mac.update(timestamp.as_bytes());
    mac.update(b":");
    mac.update(body);
    // In constant time.
    mac.verify_slice(&claimed).map_err(|_| Unverified::Forged)
}

/// Of digits as Slack writes them: for numbers `+a` and `0A` are `0a`, and a signature has one spelling.
fn bytes(hex: &str) -> Option<Vec<u8>> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if !hex.bytes().all(is_digit) || !hex.len().is_multiple_of(2) {
        return None;
    }
    let digits = (0..hex.len()).step_by(2);
    let pairs = digits.map(|at| u8::from_str_radix(&hex[at..at + 2], 16).ok());
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "8f742231b10e8888abcd99yyyzzz85a5";
    const AT: &str = "1531420618";
    const BODY: &str = "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow\
        &channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner\
        &command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands\
        %2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.\
        803a0bc887a14d10d2c447fce8b6703c";
    const SIGNED: &str = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503";

    /// Slack's own example, with one thing changed.
    #[test]
    fn what_slack_signed_just_now_is_believed_and_nothing_else() {
        let secret = SecretString::from(SECRET);
        let upper = SIGNED.to_uppercase();
        let upper_digits = upper.replace("V0=", "v0=");
        // The last byte, 0x03, as a number may be written.
        let with_sign = SIGNED.replace("9b503", "9b5+3");
        let longer = format!("{SIGNED}00");
        let odd = &SIGNED[..SIGNED.len() - 1];
        for (timestamp, signature, body, late, verdict) in [
            (Some(AT), Some(SIGNED), BODY, 0, Ok(())),
            (Some(AT), Some(SIGNED), BODY, 300, Ok(())),
            (Some(AT), Some(SIGNED), BODY, -300, Ok(())),
            (Some(AT), Some(SIGNED), BODY, 301, Err(Unverified::Untimely)),
            (
                Some(AT),
                Some(SIGNED),
                BODY,
                -301,
                Err(Unverified::Untimely),
            ),
            (
                Some("1531420619"),
                Some(SIGNED),
                BODY,
                0,
                Err(Unverified::Forged),
            ),
            (
                Some("01531420618"),
                Some(SIGNED),
                BODY,
                0,
                Err(Unverified::Forged),
            ),
            (Some(AT), Some(SIGNED), "token=", 0, Err(Unverified::Forged)),
            (
                Some(AT),
                Some(&SIGNED[3..]),
                BODY,
                0,
                Err(Unverified::Forged),
            ),
            (Some(AT), Some(&upper), BODY, 0, Err(Unverified::Forged)),
            (
                Some(AT),
                Some(&upper_digits),
                BODY,
                0,
                Err(Unverified::Forged),
            ),
            (Some(AT), Some(&with_sign), BODY, 0, Err(Unverified::Forged)),
            (Some(AT), Some(&longer), BODY, 0, Err(Unverified::Forged)),
            (Some(AT), Some(odd), BODY, 0, Err(Unverified::Forged)),
            (Some(AT), Some("v0="), BODY, 0, Err(Unverified::Forged)),
            (Some(AT), Some("v0=é1"), BODY, 0, Err(Unverified::Forged)),
            (None, Some(SIGNED), BODY, 0, Err(Unverified::Unsigned)),
            (Some(AT), None, BODY, 0, Err(Unverified::Unsigned)),
            (
                Some("soon"),
                Some(SIGNED),
                BODY,
                0,
                Err(Unverified::Unsigned),
            ),
            (
                Some("99999999999999999"),
                Some(SIGNED),
                BODY,
                0,
                Err(Unverified::Unsigned),
            ),
        ] {
            let now = DateTime::from_timestamp(1_531_420_618 + late, 0).unwrap();
            let found = verify(&secret, timestamp, signature, body.as_bytes(), now);
            assert_eq!(found, verdict, "{timestamp:?} {signature:?} {late}");
        }
        let other = SecretString::from("another");
        let now = DateTime::from_timestamp(1_531_420_618, 0).unwrap();
        let found = verify(&other, Some(AT), Some(SIGNED), BODY.as_bytes(), now);
        assert_eq!(found, Err(Unverified::Forged));
    }
}
