//! Values that need more than a type: each is refused where it is read, so that its place is known.

use std::net::SocketAddr;

use axum::http::Uri;
use domain::journal::is_key_name;
use serde::{
    Deserialize, Deserializer,
    de::{Error, IntoDeserializer},
};

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

/// What a checkpoint may call its key.
pub(super) fn key_name<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let name = String::deserialize(from)?;
    match is_key_name(&name) {
        true => Ok(name),
        false => Err(D::Error::custom(
            "it must not be empty and have no spaces and no plus sign",
        )),
    }
}
