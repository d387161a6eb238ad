//! Values that need more than a type: each is refused where it is read, so that its place is known.

use std::net::SocketAddr;

use axum::http::Uri;
use domain::journal::is_key_name;
use serde::{
    Deserialize, Deserializer,
    de::{Error, IntoDeserializer},
};
use url::{Host, Url};

use super::{Hidden, WebhookUrl};

/// An address with a port; names are not looked up.
pub(super) fn socket_addr<'de, D: Deserializer<'de>>(from: D) -> Result<SocketAddr, D::Error> {
    String::deserialize(from)?
        .parse()
        .map_err(|_| D::Error::custom("it must be ADDRESS:PORT, such as 127.0.0.1:3000"))
}

/// The same, or nothing.
pub(super) fn optional_socket_addr<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<SocketAddr>, D::Error> {
    let text: Option<String> = optional(from)?;
    text.map(|text| socket_addr(text.into_deserializer()))
        .transpose()
}

/// Nothing, when it is empty.
pub(super) fn optional<'de, D: Deserializer<'de>, T: From<String>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    let text = String::deserialize(from)?;
    Ok(Some(text).filter(|text| !text.is_empty()).map(T::from))
}

/// A URL of the web, or nothing.
pub(super) fn public_url<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let url: Option<String> = optional(from)?;
    let is_fit = |url: &str| {
        (url.starts_with("http://") || url.starts_with("https://"))
            && !url.contains(['?', '#', '@'])
            && url
                .parse::<Uri>()
                .is_ok_and(|uri| uri.host().is_some_and(|host| !host.is_empty()))
    };
    if url.as_deref().is_none_or(is_fit) {
        return Ok(url);
    }
    Err(D::Error::custom(
        "it must start with http:// or https:// and name a host, such as https://handraise.example",
    ))
}

/// A name that a checkpoint may give its key.
pub(super) fn key_name<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let name = String::deserialize(from)?;
    match is_key_name(&name) {
        true => Ok(name),
        false => Err(D::Error::custom(
            "it must not be empty and have no spaces and no plus sign",
        )),
    }
}

/// Text that may be secret: what is wrong with it is said without it.
pub(super) fn hidden_text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    String::deserialize(from).map_err(|_| D::Error::custom("it must be text, in quotes"))
}

/// A token of Slack's that begins like this, or nothing.
fn token<'de, D: Deserializer<'de>>(
    from: D,
    prefix: &str,
    what: &str,
) -> Result<Option<Hidden>, D::Error> {
    let text = hidden_text(from)?;
    let is_fit = |text: &str| {
        text.strip_prefix(prefix)
            .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_graphic()))
    };
    match &*text {
        "" => Ok(None),
        fit if is_fit(fit) => Ok(Some(text.into())),
        _ => Err(D::Error::custom(format!(
            "it must be {what}, which begins with {prefix}"
        ))),
    }
}

/// A bot token, or nothing.
pub(super) fn slack_bot_token<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Hidden>, D::Error> {
    token(from, "xoxb-", "the app's bot token")
}

/// An app-level token, or nothing.
pub(super) fn slack_app_token<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Hidden>, D::Error> {
    token(from, "xapp-", "an app-level token")
}

/// The secret Slack signs with, or nothing. One that anybody could guess is none.
pub(super) fn slack_signing_secret<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Hidden>, D::Error> {
    let text = hidden_text(from)?;
    if text.is_empty() {
        return Ok(None);
    }
    let is_fit = text.len() >= 16 && text.chars().all(|c| c.is_ascii_alphanumeric());
    match is_fit {
        true => Ok(Some(text.into())),
        false => Err(D::Error::custom(
            "it must be the app's signing secret, at least 16 letters and digits",
        )),
    }
}

/// Whether this can be the id of a channel, and not its name.
pub(super) fn is_channel(text: &str) -> bool {
    text.starts_with(['C', 'G', 'D'])
        && text.len() > 1
        && text
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
}

/// The id of a channel, or nothing.
pub(super) fn slack_channel<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<String>, D::Error> {
    let channel: Option<String> = optional(from)?;
    if channel.as_deref().is_none_or(is_channel) {
        return Ok(channel);
    }
    Err(D::Error::custom(
        "it must be a channel's id, such as C0123456789; it stands at the end of the channel's details",
    ))
}

/// An address that tokens go to: not in the clear, but for this machine.
fn is_safe(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else {
        return false;
    };
    let is_here = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => return false,
    };
    let is_plain = url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    is_plain && (url.scheme() == "https" || (url.scheme() == "http" && is_here))
}

/// Where Slack's API is.
pub(super) fn slack_api_url<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let url = String::deserialize(from)?;
    match is_safe(&url) {
        true => Ok(url),
        false => Err(D::Error::custom(
            "it must be an address that begins with https://, such as https://slack.com/api/",
        )),
    }
}

/// An incoming webhook of Slack's, or nothing.
pub(super) fn slack_webhook_url<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<WebhookUrl>, D::Error> {
    let url = hidden_text(from)?;
    match &*url {
        "" => Ok(None),
        fit if is_safe(fit) => Ok(Some(url.into())),
        _ => Err(D::Error::custom(
            "it must be the address of an incoming webhook, which begins with https://",
        )),
    }
}
