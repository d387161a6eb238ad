//! The collector that spans go to.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use url::Url;

use super::{Hidden, checked};

/// Where collectors take spans, below their address (OTLP by HTTP).
const PATH: &str = "/v1/traces";

/// Spans, and where they go.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TracingSettings {
    /// The collector; without one there are no spans.
    #[serde(deserialize_with = "endpoint")]
    pub endpoint: Option<String>,
    /// What it wants to be told with them, such as a key.
    #[serde(deserialize_with = "headers")]
    pub headers: Option<Hidden>,
    /// What this server is called there.
    #[serde(deserialize_with = "name")]
    pub service_name: String,
    /// Which part of the traces that begin here is recorded.
    #[serde(deserialize_with = "part")]
    pub sample: f64,
}

impl TracingSettings {
    /// The address to send spans to, if there is one.
    pub fn address(&self) -> Option<Url> {
        let endpoint = self.endpoint.as_deref()?;
        let whole = match endpoint.ends_with(PATH) {
            true => endpoint.to_owned(),
            false => format!("{}{PATH}", endpoint.trim_end_matches('/')),
        };
        Url::parse(&whole).ok()
    }

    /// The headers to send with them.
    pub fn header_map(&self) -> HeaderMap {
        let text = self.headers.as_ref().map(Hidden::reveal);
        text.and_then(read_headers).unwrap_or_default()
    }
}

fn endpoint<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let url: Option<String> = checked::optional(from)?;
    let is_fit = |text: &str| {
        let url = Url::parse(text).ok();
        url.is_some_and(|url| {
            matches!(url.scheme(), "http" | "https")
                && url.username().is_empty()
                && url.password().is_none()
                && url.query().is_none()
                && url.fragment().is_none()
        })
    };
    match url {
        Some(url) if !is_fit(&url) => Err(D::Error::custom(
            "it must start with http:// or https:// and name a host, such as http://127.0.0.1:4318; a key belongs in \
             headers",
        )),
        url => Ok(url),
    }
}

fn headers<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Hidden>, D::Error> {
    let text = checked::hidden_text(from)?;
    match (text.is_empty(), read_headers(&text)) {
        (true, _) => Ok(None),
        (_, Some(_)) => Ok(Some(text.into())),
        (_, None) => Err(D::Error::custom(
            "it must be NAME=VALUE, with commas between several; a comma in a value is %2C",
        )),
    }
}

fn name<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let name = String::deserialize(from)?;
    match name.trim().is_empty() {
        true => Err(D::Error::custom("it must not be empty")),
        false => Ok(name),
    }
}

fn part<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    let part = f64::deserialize(from)?;
    match (0.0..=1.0).contains(&part) {
        true => Ok(part),
        false => Err(D::Error::custom("it must be from 0.0 to 1.0")),
    }
}

/// As `OTEL_EXPORTER_OTLP_HEADERS` has them, which operators know.
fn read_headers(text: &str) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    for one in text.split(',') {
        let (name, value) = one.split_once('=')?;
        let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
        let mut value = HeaderValue::from_str(&value).ok()?;
        value.set_sensitive(true);
        headers.insert(HeaderName::try_from(name.trim()).ok()?, value);
    }
    Some(headers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::DEFAULT_FILE;

    fn read(text: &str) -> Result<TracingSettings, String> {
        let all: toml::Table = DEFAULT_FILE.parse().unwrap();
        let default = all["tracing"].as_table().unwrap().clone();
        let given: toml::Table = text.parse().unwrap();
        let whole: toml::Table = default.into_iter().chain(given).collect();
        let read = whole.try_into();
        read.map_err(|error: toml::de::Error| error.message().to_owned())
    }

    #[test]
    fn spans_go_below_the_address_of_the_collector() {
        for (endpoint, address) in [
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
            ("https://otel.example/", "https://otel.example/v1/traces"),
            (
                "https://otel.example/in",
                "https://otel.example/in/v1/traces",
            ),
            (
                "https://otel.example/v1/traces",
                "https://otel.example/v1/traces",
            ),
        ] {
            let read = read(&format!("endpoint = '{endpoint}'")).unwrap();
            assert_eq!(read.address().unwrap().as_str(), address);
        }
        assert!(read("").unwrap().address().is_none());
    }

    #[test]
    fn headers_are_read_and_never_shown() {
        let read = read("headers = 'x-key=pa55%2Cword, x-tenant = a'").unwrap();
        let map = read.header_map();
        assert_eq!(map["x-key"], "pa55,word");
        assert_eq!(map["x-tenant"], "a");
        let shown = format!("{read:?} {map:?} {}", serde_json::to_string(&read).unwrap());
        assert!(!shown.contains("pa55"), "{shown}");
    }

    #[test]
    fn what_cannot_be_meant_is_refused_without_a_word_of_a_secret() {
        for (text, part) in [
            ("endpoint = '127.0.0.1:4318'", "http://"),
            ("endpoint = 'grpc://otel.example'", "http://"),
            ("endpoint = 'https://a:pa55@otel.example'", "http://"),
            ("headers = 'pa55word'", "NAME=VALUE"),
            ("headers = 'x key=pa55word'", "NAME=VALUE"),
            ("headers = ['x=pa55word']", "it must be text"),
            ("service_name = ' '", "empty"),
            ("sample = 1.5", "0.0 to 1.0"),
            ("sample = -0.5", "0.0 to 1.0"),
        ] {
            let said = read(text).unwrap_err();
            assert!(
                said.contains(part) && !said.contains("pa55"),
                "{text}: {said}"
            );
        }
    }
}
