//! Links by which users of Slack say who they are here. Nothing of them is stored: whom a link is for stands in
//! it, under a seal that only this server makes.

use std::fmt;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use domain::{SlackId, limits::SLACK_LINK_LIFETIME};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use thiserror::Error;

use super::SigningKey;

const LABEL: &[u8] = b"handraise slack links v1";
const SEAL_BYTES: usize = 32;
/// Names are there to be recognised by; a link has to fit into a message.
const NAME_CHARS: usize = 40;

/// Makes and opens links. Its `Debug` hides the key.
pub struct SlackLinks([u8; 32]);

/// Whom a link was made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlackClaim {
    /// The user of Slack.
    pub slack_id: SlackId,
    /// The id of their workspace.
    pub team: String,
    /// The user's name there, or the beginning of it.
    pub name: String,
    /// Worth nothing from then on.
    pub expires_at: DateTime<Utc>,
}

/// Why a link is worth nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unopened {
    /// This server did not make it.
    #[error("the link is not one of this server's")]
    Forged,
    /// It was good once.
    #[error("the link is too old")]
    Stale,
}

impl SlackLinks {
    /// Those of this server's key.
    pub fn new(key: &SigningKey) -> Self {
        Self(key.derive(LABEL))
    }

    /// The token in the address of a link for this user: letters, digits, `-` and `_`.
    pub fn make(&self, slack_id: &SlackId, team: &str, name: &str, now: DateTime<Utc>) -> String {
        let name: String = name.chars().take(NAME_CHARS).collect();
        let expires_at = (now + SLACK_LINK_LIFETIME).timestamp_millis();
        let claim = serde_json::json!([slack_id, team, name, expires_at]).to_string();
        let seal = self.mac(claim.as_bytes()).map(Mac::finalize);
        // Without a seal it could never be opened.
        let mut token = seal.map_or_else(Vec::new, |seal| seal.into_bytes().to_vec());
        token.extend_from_slice(claim.as_bytes());
        URL_SAFE_NO_PAD.encode(token)
    }

    /// Whom a link was made for.
    ///
    /// # Errors
    /// When it was not made by this key, or long ago.
    pub fn open(&self, token: &str, now: DateTime<Utc>) -> Result<SlackClaim, Unopened> {
        let claim = self.verified(token).ok_or(Unopened::Forged)?;
        match now < claim.expires_at {
            true => Ok(claim),
            false => Err(Unopened::Stale),
        }
    }

    fn verified(&self, token: &str) -> Option<SlackClaim> {
        let token = URL_SAFE_NO_PAD.decode(token).ok()?;
        let (seal, claim) = token.split_at_checked(SEAL_BYTES)?;
        self.mac(claim)?.verify_slice(seal).ok()?;
        let (slack_id, team, name, expires_at) = serde_json::from_slice(claim).ok()?;
        Some(SlackClaim {
            slack_id,
            team,
            name,
            expires_at: DateTime::from_timestamp_millis(expires_at)?,
        })
    }

    fn mac(&self, claim: &[u8]) -> Option<Hmac<Sha256>> {
        // HMAC takes a key of any length.
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        mac.update(claim);
        Some(mac)
    }
}

impl fmt::Debug for SlackLinks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SlackLinks(…)")
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    fn ana() -> SlackId {
        SlackId::parse("U0ANA").unwrap()
    }

    #[test]
    fn a_link_says_who_for_half_an_hour() {
        let links = SlackLinks::new(&SigningKey::from_seed([1; 32]));
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let name = "ana \"q\", \u{202e}]\n".to_owned() + &"é".repeat(90);
        let token = links.make(&ana(), "T0FAKE", &name, now);
        assert!(token.len() < 256, "{token}");
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        assert!(token.bytes().all(is_plain), "{token}");
        let last = now + TimeDelta::minutes(30) - TimeDelta::milliseconds(1);
        let claim = links.open(&token, last).unwrap();
        assert_eq!((&claim.slack_id, &*claim.team), (&ana(), "T0FAKE"));
        assert!(name.starts_with(&claim.name) && claim.name.chars().count() == NAME_CHARS);
        assert_eq!(
            links.open(&token, claim.expires_at),
            Err(Unopened::Stale),
            "{claim:?}"
        );
        assert_eq!(format!("{links:?}"), "SlackLinks(…)");
    }

    #[test]
    fn what_this_server_did_not_make_opens_nothing() {
        let links = SlackLinks::new(&SigningKey::from_seed([1; 32]));
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let token = links.make(&ana(), "T0FAKE", "ana", now);
        let other = SlackLinks::new(&SigningKey::from_seed([2; 32]));
        assert_eq!(other.open(&token, now), Err(Unopened::Forged));
        let bytes = URL_SAFE_NO_PAD.decode(&token).unwrap();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            let changed = URL_SAFE_NO_PAD.encode(changed);
            assert_eq!(links.open(&changed, now), Err(Unopened::Forged), "{at}");
        }
        for wrong in ["", "x", "é", &token[..40], &format!("{token}A")] {
            assert_eq!(links.open(wrong, now), Err(Unopened::Forged), "{wrong}");
        }
    }
}
