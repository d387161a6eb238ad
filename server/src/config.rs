//! Settings: flag over environment over file over default.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
};

use anyhow::Context;
use figment::{
    Figment,
    providers::{Env, Format, Serialized, Toml},
};
use serde::{Deserialize, Serialize};

use domain::{journal::is_key_name, limits};

use crate::{
    service::{Settings, Timeouts},
    telemetry::LogFormat,
};

const SETTINGS: [&str; 8] = [
    "addr",
    "database_url",
    "public_url",
    "log",
    "max_pending_per_agent",
    "key_file",
    "key_name",
    "checkpoint_file",
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
    /// The key that signs checkpoints and receipts; `handraise.key` beside the SQLite file, or in the
    /// working directory, when absent.
    pub key_file: Option<PathBuf>,
    /// What the key, and the log whose checkpoints it signs, is called.
    pub key_name: String,
    /// Where checkpoints are written; the SQLite file's name and `.checkpoints`, or
    /// `handraise.checkpoints` in the working directory, when absent.
    pub checkpoint_file: Option<PathBuf>,
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
            key_file: None,
            key_name: "handraise".to_owned(),
            checkpoint_file: None,
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
        anyhow::ensure!(
            is_key_name(&config.key_name),
            "the configuration is wrong: key_name must have no spaces and no plus sign"
        );
        Ok(config)
    }

    /// Where the key is.
    pub fn key_file(&self) -> PathBuf {
        self.key_file.clone().unwrap_or_else(|| {
            let database = store::database_file(&self.database_url).unwrap_or_default();
            database.with_file_name("handraise.key")
        })
    }

    /// Where the checkpoints are.
    pub fn checkpoint_file(&self) -> PathBuf {
        self.checkpoint_file.clone().unwrap_or_else(|| {
            let database = store::database_file(&self.database_url);
            let mut name = database.unwrap_or("handraise".into()).into_os_string();
            name.push(".checkpoints");
            name.into()
        })
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
    fn key_and_checkpoints_are_beside_the_sqlite_file_or_where_the_server_was_started() {
        for (database_url, key, checkpoints) in [
            (
                "sqlite://handraise.db",
                "handraise.key",
                "handraise.db.checkpoints",
            ),
            (
                "sqlite:///var/a%20b/h.db?mode=rw",
                "/var/a b/handraise.key",
                "/var/a b/h.db.checkpoints",
            ),
            ("sqlite::memory:", "handraise.key", "handraise.checkpoints"),
            (
                "postgres://h@db/handraise",
                "handraise.key",
                "handraise.checkpoints",
            ),
        ] {
            let mut config = Config {
                database_url: database_url.to_owned(),
                ..Config::default()
            };
            assert_eq!(config.key_file(), Path::new(key));
            assert_eq!(config.checkpoint_file(), Path::new(checkpoints));
            config.key_file = Some("/etc/k".into());
            config.checkpoint_file = Some("/srv/c".into());
            assert_eq!(config.key_file(), Path::new("/etc/k"));
            assert_eq!(config.checkpoint_file(), Path::new("/srv/c"));
        }
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
