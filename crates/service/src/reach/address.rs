//! Where a reach leads, as it is sealed: only this server reads it.

use std::fmt;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::{
    DestinationId, Fault, SecretHash,
    delivery::{ReachKind, SealedSecret},
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::super::{Outbound, ServiceError};

/// Longest address of a push service that is kept.
const ENDPOINT_CHARS: usize = 2_000;
/// Longest mail address (RFC 5321, 4.5.3.1).
const MAIL_CHARS: usize = 254;
/// Longest topic of ntfy.
const TOPIC_CHARS: usize = 64;

/// Where a reach leads. Its `Debug` hides it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Address {
    /// A browser's subscription (RFC 8030), with its keys (RFC 8291).
    Push {
        /// What is posted to.
        endpoint: String,
        /// The browser's public key, uncompressed.
        p256dh: Vec<u8>,
        /// The secret that browser and server share.
        auth: Vec<u8>,
    },
    /// A mailbox.
    Mail {
        /// The address.
        to: String,
        /// What whoever reads the mailbox knows.
        code: String,
    },
    /// A topic of the ntfy server.
    Ntfy {
        /// The topic.
        topic: String,
    },
    /// A message of the app in Slack, to whoever the person is there when it is sent.
    Slack {},
}

impl Address {
    /// Its kind.
    pub fn kind(&self) -> ReachKind {
        match self {
            Self::Push { .. } => ReachKind::Push,
            Self::Mail { .. } => ReachKind::Mail,
            Self::Ntfy { .. } => ReachKind::Ntfy,
            Self::Slack {} => ReachKind::Slack,
        }
    }

    /// A browser's subscription as the browser tells it, its keys in base64url.
    ///
    /// # Errors
    /// Sentences with the path of the fault.
    pub fn push(
        endpoint: &str,
        p256dh: &str,
        auth: &str,
        outbound: &Outbound,
    ) -> Result<Self, Vec<Fault>> {
        let fault = |path: &str, what: String| vec![Fault::new(path, what)];
        if endpoint.len() > ENDPOINT_CHARS {
            return Err(fault(
                "endpoint",
                format!("is longer than {ENDPOINT_CHARS} characters"),
            ));
        }
        let url = outbound.guard.check(endpoint);
        let url = url.map_err(|why| fault("endpoint", why.to_string()))?;
        let key = |path: &str, text: &str, bytes: usize| {
            let read = URL_SAFE_NO_PAD.decode(text.trim_end_matches('='));
            let read = read.ok().filter(|read| read.len() == bytes);
            read.ok_or_else(|| fault(path, format!("is not {bytes} bytes in base64url")))
        };
        Ok(Self::Push {
            endpoint: url.into(),
            p256dh: key("p256dh", p256dh, 65)?,
            auth: key("auth", auth, 16)?,
        })
    }

    /// A mailbox. Whether it is theirs shows when they know the code that is sent there.
    ///
    /// # Errors
    /// Sentences with the path of the fault.
    pub fn mail(to: &str) -> Result<Self, Vec<Fault>> {
        let to = to.trim();
        let has_parts = to.rsplit_once('@').is_some_and(|(name, host)| {
            !name.is_empty() && host.contains('.') && !host.starts_with('.') && !host.ends_with('.')
        });
        let is_plain = to
            .chars()
            .all(|c| c.is_ascii_graphic() && !r#"<>,;:"\()[]"#.contains(c));
        if !has_parts || !is_plain || to.len() > MAIL_CHARS {
            let what = "is not a mail address such as ana@example.com";
            return Err(vec![Fault::new("address", what)]);
        }
        Ok(Self::Mail {
            to: to.to_owned(),
            code: URL_SAFE_NO_PAD.encode(rand::random::<[u8; 16]>()),
        })
    }

    /// A topic that nobody can guess, or this one.
    ///
    /// # Errors
    /// Sentences with the path of the fault.
    pub fn ntfy(topic: Option<&str>) -> Result<Self, Vec<Fault>> {
        let topic = match topic.map(str::trim).filter(|topic| !topic.is_empty()) {
            None => format!(
                "handraise-{}",
                URL_SAFE_NO_PAD.encode(rand::random::<[u8; 16]>())
            ),
            Some(topic) => topic.to_owned(),
        };
        let is_plain = topic
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
        if !is_plain || topic.len() > TOPIC_CHARS {
            let what = format!("has {TOPIC_CHARS} letters, digits, - and _ at most");
            return Err(vec![Fault::new("topic", what)]);
        }
        Ok(Self::Ntfy { topic })
    }

    /// The hash of it where it is one browser, whoever uses it.
    pub fn browser(&self) -> Option<SecretHash> {
        match self {
            Self::Push { endpoint, .. } => Some(browser_at(endpoint)),
            Self::Mail { .. } | Self::Ntfy { .. } | Self::Slack {} => None,
        }
    }

    /// Whether this mailbox or topic is that one; [`Address::browser`] tells browsers apart.
    pub(super) fn leads_where(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Mail { to, .. }, Self::Mail { to: other, .. }) => to.eq_ignore_ascii_case(other),
            (Self::Ntfy { topic }, Self::Ntfy { topic: other }) => topic == other,
            // Whoever they are there, it is one.
            (Self::Slack {}, Self::Slack {}) => true,
            _ => false,
        }
    }

    /// As much of it as its person needs in order to know it again.
    pub fn shown(&self) -> String {
        match self {
            Self::Push { endpoint, .. } => {
                let host = url::Url::parse(endpoint).ok();
                let host = host.and_then(|url| url.host_str().map(str::to_owned));
                host.unwrap_or_default()
            }
            Self::Mail { to, .. } => to.clone(),
            Self::Ntfy { topic } => topic.clone(),
            Self::Slack {} => "a message to you alone".to_owned(),
        }
    }

    pub(super) fn seal(
        &self,
        outbound: &Outbound,
        id: DestinationId,
    ) -> Result<SealedSecret, ServiceError> {
        let plain = serde_json::to_vec(self).map_err(|_| domain::Refused::NoKey)?;
        let sealed = outbound.sealer.seal(&plain, id.0.as_bytes());
        Ok(sealed.ok_or(domain::Refused::NoKey)?)
    }

    pub(super) fn open(
        sealed: &SealedSecret,
        outbound: &Outbound,
        id: DestinationId,
    ) -> Option<Self> {
        let plain = outbound.sealer.open(sealed, id.0.as_bytes())?;
        serde_json::from_slice(&plain).ok()
    }
}

/// The hash of a browser's address, as [`Address::browser`] has it.
pub(super) fn browser_at(endpoint: &str) -> SecretHash {
    let url = url::Url::parse(endpoint).ok();
    let endpoint = url.as_ref().map_or(endpoint, url::Url::as_str);
    SecretHash(Sha256::digest(endpoint).into())
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Address(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_one_mailbox_is_taken() {
        for good in ["ana@example.com", " a.b+c@mail.example.co.uk "] {
            assert!(Address::mail(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "ana",
            "ana@host",
            "@example.com",
            "ana@example.com\r\nBcc: all@example.com",
            "ana@example.com, ben@example.com",
            "Ana <ana@example.com>",
            "ana@.com",
            "ana@exämple.com",
        ] {
            assert!(Address::mail(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_topic_is_no_path_and_a_new_one_is_never_the_same() {
        assert!(Address::ntfy(Some("ana-phone_1")).is_ok());
        for bad in ["a/b", "a b", "ä", &"a".repeat(65)] {
            assert!(Address::ntfy(Some(bad)).is_err(), "{bad}");
        }
        let fresh = || Address::ntfy(None).unwrap();
        assert_ne!(fresh(), fresh());
    }
}
