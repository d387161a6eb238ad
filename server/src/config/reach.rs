//! Whom messages to people are handed to.

use serde::{Deserialize, Deserializer, Serialize, de::Error};
use url::Url;

use super::{Hidden, checked::optional};

/// The mail server that takes messages.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MailSettings {
    /// Where it is, and as whom it is used.
    #[serde(deserialize_with = "smtp_url")]
    pub url: Option<Hidden>,
    /// Whom messages are from.
    #[serde(deserialize_with = "optional")]
    pub from: Option<String>,
}

/// The ntfy server that takes messages.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NtfySettings {
    /// Where it is.
    #[serde(deserialize_with = "ntfy_url")]
    pub url: Option<String>,
    /// As whom it is used.
    #[serde(deserialize_with = "optional")]
    pub token: Option<Hidden>,
}

fn smtp_url<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Hidden>, D::Error> {
    let url: Option<String> = optional(from)?;
    let is_fit = |text: &str| {
        let url = Url::parse(text).ok();
        url.is_some_and(|url| {
            matches!(url.scheme(), "smtp" | "smtps")
                && url.host_str().is_some_and(|host| !host.is_empty())
        })
    };
    match url {
        Some(url) if !is_fit(&url) => Err(D::Error::custom(
            "it must be smtps://USER:PASSWORD@HOST:465, or smtp://HOST:587?tls=required",
        )),
        url => Ok(url.map(Hidden::from)),
    }
}

fn ntfy_url<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let url: Option<String> = optional(from)?;
    let is_fit = |text: &str| {
        let url = Url::parse(text).ok();
        url.is_some_and(|url| {
            matches!(url.scheme(), "http" | "https")
                && url.username().is_empty()
                && url.query().is_none()
                && url.fragment().is_none()
        })
    };
    match url {
        Some(url) if !is_fit(&url) => Err(D::Error::custom(
            "it must start with http:// or https:// and name a host, such as https://ntfy.sh",
        )),
        url => Ok(url.map(|url| url.trim_end_matches('/').to_owned())),
    }
}
