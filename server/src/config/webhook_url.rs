//! An address that may be a secret by itself: a stranger who knows a Catch Hook can send to it.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

/// However it is printed, its path is not.
#[derive(Clone, Deserialize)]
#[serde(from = "String")]
pub struct WebhookUrl(String);

impl WebhookUrl {
    /// The whole of it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl From<String> for WebhookUrl {
    fn from(url: String) -> Self {
        Self(url)
    }
}

impl fmt::Display for WebhookUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((scheme, rest)) = self.0.split_once("://") else {
            return f.write_str("***");
        };
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = host.rsplit('@').next().unwrap_or_default();
        write!(f, "{scheme}://{host}/***")
    }
}

impl fmt::Debug for WebhookUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WebhookUrl({self})")
    }
}

impl Serialize for WebhookUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_path_is_never_printed() {
        for (url, shown) in [
            (
                "https://hooks.example/catch/secret",
                "https://hooks.example/***",
            ),
            ("https://hooks.example?secret", "https://hooks.example/***"),
            (
                "https://ana:secret@hooks.example/",
                "https://hooks.example/***",
            ),
            ("secret", "***"),
        ] {
            let url = WebhookUrl::from(url.to_owned());
            assert_eq!(url.to_string(), shown);
            assert_eq!(format!("{url:?}"), format!("WebhookUrl({shown})"));
            assert_eq!(serde_json::to_value(&url).unwrap(), shown);
        }
    }
}
