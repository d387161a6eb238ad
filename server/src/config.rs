//! Settings: flag over environment over file over default.

use std::{net::SocketAddr, path::Path};

use anyhow::Context;
use figment::{
    Figment,
    providers::{Env, Format, Serialized, Toml},
};
use serde::{Deserialize, Serialize};

use domain::limits;

use crate::{
    service::{Settings, Timeouts},
    telemetry::LogFormat,
};

const SETTINGS: [&str; 5] = [
    "addr",
    "database_url",
    "public_url",
    "log",
    "max_pending_per_agent",
];

/// Every setting. In the environment each is `HANDRAISE_` and its name in capitals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Where to listen.
    pub addr: SocketAddr,
    /// `sqlite://PATH` or `postgres://…`.
    pub database_url: String,
    /// How people and agents reach this server; `http://` and the address when absent.
    pub public_url: Option<String>,
    /// How log lines look.
    pub log: LogFormat,
    /// How many blockers of one agent may be pending; 0 = any number.
    pub max_pending_per_agent: u32,
    /// The deadline of each kind where a request names none, in seconds; 0 = never. In the environment
    /// `HANDRAISE_TIMEOUT_QUESTION` and so on.
    pub timeout: Timeouts,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            addr: SocketAddr::from(([127, 0, 0, 1], 3000)),
            database_url: "sqlite://handraise.db".to_owned(),
            public_url: None,
            log: LogFormat::Text,
            max_pending_per_agent: limits::PENDING_PER_AGENT,
            timeout: Timeouts::default(),
        }
    }
}

/// What was said on the command line; absent means "as configured elsewhere".
#[derive(Clone, Debug, Default, Serialize)]
pub struct Flags {
    /// See [`Config::addr`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub addr: Option<SocketAddr>,
    /// See [`Config::database_url`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database_url: Option<String>,
    /// See [`Config::log`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<LogFormat>,
}

impl Config {
    /// Puts the settings together.
    ///
    /// # Errors
    /// When the file cannot be read, or a setting has a wrong name or value; says which and where.
    pub fn load(file: Option<&Path>, flags: Flags) -> anyhow::Result<Self> {
        let mut figment = Figment::from(Serialized::defaults(Self::default()));
        if let Some(file) = file {
            // A file that was named must be there; figment would go on without it.
            std::fs::metadata(file)
                .with_context(|| format!("cannot read the configuration {}", file.display()))?;
            figment = figment.merge(Toml::file_exact(file));
        }
        let config: Self = figment
            .merge(environment())
            .merge(Serialized::defaults(flags))
            .extract()
            .map_err(|error| anyhow::anyhow!("the configuration is wrong: {error}"))?;
        if let Some(url) = &config.public_url {
            anyhow::ensure!(
                url.starts_with("http://") || url.starts_with("https://"),
                "the configuration is wrong: public_url must start with http:// or https://"
            );
        }
        Ok(config)
    }

    /// What the use cases look at.
    pub fn settings(&self) -> Settings {
        Settings {
            timeouts: self.timeout,
            max_pending_per_agent: self.max_pending_per_agent,
        }
    }

    /// The public address without a slash at the end.
    pub fn public_url(&self) -> String {
        match &self.public_url {
            Some(url) => url.trim_end_matches('/').to_owned(),
            None => format!("http://{}", self.addr),
        }
    }
}

/// The variables that are settings; others may be meant for the agent's side.
fn environment() -> Env {
    Env::prefixed("HANDRAISE_").filter_map(|name| {
        let name = name.as_str().to_ascii_lowercase();
        match name.split_once("timeout_") {
            Some(("", kind)) => Some(format!("timeout.{kind}").into()),
            _ => SETTINGS.contains(&&*name).then(|| name.into()),
        }
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn flags_win_over_the_file_and_the_file_over_defaults() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(
            file,
            "addr = '127.0.0.1:1'\npublic_url = 'https://h.example/'"
        )
        .unwrap();
        let flags = Flags {
            addr: Some(SocketAddr::from(([127, 0, 0, 1], 2))),
            ..Flags::default()
        };
        let config = Config::load(Some(file.path()), flags).unwrap();
        assert_eq!(config.addr.port(), 2);
        assert_eq!(config.public_url(), "https://h.example");
        assert_eq!(config.database_url, "sqlite://handraise.db");
    }

    #[test]
    fn a_wrong_name_or_a_missing_file_is_an_error() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "adr = '127.0.0.1:1'").unwrap();
        let error = Config::load(Some(file.path()), Flags::default()).unwrap_err();
        assert!(error.to_string().contains("adr"), "{error}");
        let missing = Path::new("/nowhere/handraise.toml");
        assert!(Config::load(Some(missing), Flags::default()).is_err());
    }
}
