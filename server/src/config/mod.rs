//! Settings: flag over environment over file over default.
//!
//! The default file is both the defaults and their documentation. A new setting is a field of [`Config`]
//! and an entry there; its variable, its line in an error and its place in `handraise config` follow.

mod backup;
mod checked;
mod database_url;
mod environment;
mod fault;
mod file;
mod hidden;
mod in_force;
mod load;
mod provider;
mod reach;
mod slack;
mod tracing;
mod webhook_url;

use std::{
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    path::PathBuf,
};

use chrono::TimeDelta;
use domain::{Quota, access::factor::FactorFor};
use serde::{Deserialize, Serialize};
use service::{KeepDays, Settings, Timeouts, guard::Networks};
use signing::VerifyingKey;

use crate::{limits::LimitSettings, telemetry::LogFormat};

pub use backup::BackupSettings;
pub use database_url::DatabaseUrl;
pub use fault::{Fault, LoadError, Origin};
pub use hidden::Hidden;
pub use load::{DEFAULT_FILE, Flags, Loaded, load};
pub use provider::ProviderSettings;
pub use reach::{MailSettings, NtfySettings};
pub use slack::{Contradiction, Mirror, SessionChannels, SlackMode, SlackUsers};
pub use tracing::TracingSettings;
pub use webhook_url::WebhookUrl;

/// Where browsers find a server on their own machine (RFC 6761: names below `localhost` are loopback).
const OWN_NAME: &str = "handraise.localhost";

/// Every setting, as `handraise.default.toml` explains it. Serialised it has no secret in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Where to listen.
    #[serde(deserialize_with = "checked::socket_addr")]
    pub addr: SocketAddr,
    /// Where the database is.
    pub database_url: DatabaseUrl,
    /// How people and agents reach this server; see [`Config::public_url`].
    #[serde(deserialize_with = "checked::public_url")]
    pub public_url: Option<String>,
    /// How many proxies stand before this server; 0 = none.
    pub trusted_proxies: u8,
    /// Whom a password alone does not let in.
    pub second_factor_for: FactorFor,
    /// How log lines look.
    pub log: LogFormat,
    /// How many blockers of one agent may be pending; 0 = any number.
    pub max_pending_per_agent: u32,
    /// How many bytes an agent may have stored in a day; 0 = any number.
    pub agent_bytes_per_day: u64,
    /// The key that signs checkpoints and receipts; see [`Config::key_file`].
    #[serde(deserialize_with = "checked::optional")]
    pub key_file: Option<PathBuf>,
    /// Keys of other nodes, whose receipts are believed here too.
    pub trusted_keys: Vec<VerifyingKey>,
    /// What the key, and the log whose checkpoints it signs, is called.
    #[serde(deserialize_with = "checked::key_name")]
    pub key_name: String,
    /// Where checkpoints are written; see [`Config::checkpoint_file`].
    #[serde(deserialize_with = "checked::optional")]
    pub checkpoint_file: Option<PathBuf>,
    /// Where files that questions and answers carry are kept; see [`Config::attachments`].
    #[serde(deserialize_with = "checked::optional")]
    pub attachments: Option<String>,
    /// A file of policies, which are in force beside those that were set here.
    #[serde(deserialize_with = "checked::optional")]
    pub policies: Option<PathBuf>,
    /// An address that hears of every question that stops its agent.
    #[serde(deserialize_with = "checked::optional")]
    pub webhook_url: Option<WebhookUrl>,
    /// Networks that may be reached although they are not public.
    pub outbound_allow: Networks,
    /// Posts to Slack; see [`Config::slack_mode`].
    #[serde(deserialize_with = "checked::slack_bot_token")]
    pub slack_bot_token: Option<Hidden>,
    /// Opens connections of Slack's Socket Mode.
    #[serde(deserialize_with = "checked::slack_app_token")]
    pub slack_app_token: Option<Hidden>,
    /// What Slack signs its requests with.
    #[serde(deserialize_with = "checked::slack_signing_secret")]
    pub slack_signing_secret: Option<Hidden>,
    /// Where cards go.
    #[serde(deserialize_with = "checked::slack_channel")]
    pub slack_default_channel: Option<String>,
    /// Where urgent ones go.
    #[serde(deserialize_with = "checked::slack_channel")]
    pub slack_urgent_channel: Option<String>,
    /// Where those of a session go.
    pub slack_session_overrides: SessionChannels,
    /// Posts cards without buttons to the one channel it was made for.
    #[serde(deserialize_with = "checked::slack_webhook_url")]
    pub slack_webhook_url: Option<WebhookUrl>,
    /// Where Slack's API is.
    #[serde(deserialize_with = "checked::slack_api_url")]
    pub slack_api_url: String,
    /// Who may answer in Slack.
    pub slack_allowed_users: SlackUsers,
    /// Whether people sign in by name and password.
    pub passwords: bool,
    /// Who else says who people are.
    #[serde(deserialize_with = "provider::list")]
    pub providers: Vec<ProviderSettings>,
    /// How many requests a minute one token, or one address without a good token, may send; 0 = any
    /// number. Requests while they are held do not count.
    pub rate_limit_per_minute: u32,
    /// How long `ask_human` waits for an answer before it returns without one; 0 = not at all.
    pub mcp_hold_seconds: u32,
    /// How long an agent that has stopped for an answer may be silent before it is offline; 0 = for ever.
    pub agent_silence_seconds: u32,
    /// How long people have for what `approve_tool_use` asks, while its call is open.
    pub mcp_permission_seconds: u32,
    /// Where `/metrics` is instead of at `addr`.
    #[serde(deserialize_with = "checked::optional_socket_addr")]
    pub metrics_addr: Option<SocketAddr>,
    /// How many connections, sockets and held requests there may be, and how slow a request may arrive.
    pub limits: LimitSettings,
    /// Who takes messages to mailboxes.
    pub mail: MailSettings,
    /// Who takes messages to topics.
    pub ntfy: NtfySettings,
    /// The collector of traces.
    pub tracing: TracingSettings,
    /// The deadline of each kind where a request names none.
    pub timeout: Timeouts,
    /// How long what was written in each kind is kept.
    pub keep_days: KeepDays,
    /// Backups of SQLite.
    pub backup: BackupSettings,
}

impl Default for Config {
    /// The settings as shipped.
    #[expect(clippy::expect_used, reason = "a test reads this very text")]
    fn default() -> Self {
        toml::from_str(DEFAULT_FILE).expect("the default file is right")
    }
}

impl Config {
    /// Where the key is.
    pub fn key_file(&self) -> PathBuf {
        self.key_file.clone().unwrap_or_else(|| {
            let database = store::database_file(self.database_url.reveal()).unwrap_or_default();
            database.with_file_name("handraise.key")
        })
    }

    /// Where the checkpoints are.
    pub fn checkpoint_file(&self) -> PathBuf {
        self.checkpoint_file.clone().unwrap_or_else(|| {
            let database = store::database_file(self.database_url.reveal());
            let mut name = database.unwrap_or("handraise".into()).into_os_string();
            name.push(".checkpoints");
            name.into()
        })
    }

    /// Where files are kept: beside the SQLite file, if nobody says where. Nodes that share a Postgres share no folder by
    /// themselves, so there has to be said where, or there are none.
    pub fn attachments(&self) -> Option<String> {
        self.attachments.clone().or_else(|| {
            let database = store::database_file(self.database_url.reveal())?;
            let mut name = database.into_os_string();
            name.push(".attachments");
            name.into_string().ok()
        })
    }

    /// What the use cases look at.
    pub fn settings(&self) -> Settings {
        Settings {
            timeouts: self.timeout,
            max_pending_per_agent: self.max_pending_per_agent,
            agent_silence: match self.agent_silence_seconds {
                0 => None,
                seconds => Some(TimeDelta::seconds(seconds.into())),
            },
            quota: Quota(self.agent_bytes_per_day),
            second_factor_for: self.second_factor_for,
            keep_days: self.keep_days.clone(),
        }
    }

    /// Whether people come by TLS.
    pub fn is_https(&self) -> bool {
        self.public_url().starts_with("https://")
    }

    /// The address of people without a slash at the end. On loopback it has a name of its own, which browsers
    /// know: a cookie of `127.0.0.1` goes to whatever else listens on this machine.
    pub fn public_url(&self) -> String {
        match &self.public_url {
            Some(url) => url.trim_end_matches('/').to_owned(),
            None => self.own_url().unwrap_or_else(|| self.addr_url()),
        }
    }

    /// The address of programs without a slash at the end: not all of them can look up names that browsers know.
    pub fn agent_url(&self) -> String {
        let public_url = self.public_url();
        match self.own_url() {
            Some(own) if own == public_url => self.addr_url(),
            _ => public_url,
        }
    }

    fn addr_url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// Its own name, if it listens where that leads.
    fn own_url(&self) -> Option<String> {
        let (ip, port) = (self.addr.ip(), self.addr.port());
        let is_there = ip == Ipv4Addr::LOCALHOST || ip == Ipv6Addr::LOCALHOST;
        is_there.then(|| format!("http://{OWN_NAME}:{port}"))
    }

    /// With nothing left to be worked out.
    fn resolved(&self) -> Self {
        Self {
            public_url: Some(self.public_url()),
            key_file: Some(self.key_file()),
            checkpoint_file: Some(self.checkpoint_file()),
            attachments: self.attachments(),
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, path::Path};

    use serde_json::Value;

    use super::*;

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
                database_url: database_url.to_owned().try_into().unwrap(),
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
    fn files_are_beside_the_sqlite_file_or_where_somebody_says() {
        for (database_url, expected) in [
            ("sqlite://handraise.db", Some("handraise.db.attachments")),
            ("sqlite:///var/h.db?mode=rw", Some("/var/h.db.attachments")),
            ("sqlite::memory:", None),
            ("postgres://h@db/handraise", None),
        ] {
            let mut config = Config {
                database_url: database_url.to_owned().try_into().unwrap(),
                ..Config::default()
            };
            assert_eq!(config.attachments().as_deref(), expected);
            config.attachments = Some("s3://bucket/handraise".to_owned());
            assert_eq!(config.attachments(), config.attachments);
        }
    }

    #[test]
    fn on_loopback_people_come_by_a_name_of_its_own_and_programs_by_the_address() {
        for (addr, public_url, people, programs) in [
            (
                "127.0.0.1:3000",
                None,
                "http://handraise.localhost:3000",
                "http://127.0.0.1:3000",
            ),
            (
                "[::1]:4000",
                None,
                "http://handraise.localhost:4000",
                "http://[::1]:4000",
            ),
            // What is in force reads as a file with the same meaning.
            (
                "127.0.0.1:3000",
                Some("http://handraise.localhost:3000"),
                "http://handraise.localhost:3000",
                "http://127.0.0.1:3000",
            ),
            // The name does not lead there.
            (
                "127.0.0.2:3000",
                None,
                "http://127.0.0.2:3000",
                "http://127.0.0.2:3000",
            ),
            (
                "192.0.2.1:3000",
                None,
                "http://192.0.2.1:3000",
                "http://192.0.2.1:3000",
            ),
            (
                "127.0.0.1:3000",
                Some("https://ask.example/"),
                "https://ask.example",
                "https://ask.example",
            ),
        ] {
            let config = Config {
                addr: addr.parse().unwrap(),
                public_url: public_url.map(str::to_owned),
                ..Config::default()
            };
            assert_eq!(config.public_url(), people);
            assert_eq!(config.agent_url(), programs);
        }
    }

    /// The names of all that is in there, nulls too.
    fn keys(value: &Value, section: &str, found: &mut BTreeSet<String>) {
        for (name, value) in value.as_object().unwrap() {
            match value {
                Value::Object(_) => keys(value, &format!("{section}{name}."), found),
                _ => assert!(found.insert(format!("{section}{name}"))),
            }
        }
    }

    #[test]
    fn the_default_file_has_every_setting_and_no_other() {
        let mut settings = BTreeSet::new();
        let config: Config = toml::from_str(DEFAULT_FILE).unwrap();
        keys(&serde_json::to_value(config).unwrap(), "", &mut settings);
        let in_file = load::defaults().ok().unwrap();
        let in_file: BTreeSet<String> = in_file.into_iter().map(|entry| entry.key).collect();
        assert_eq!(settings, in_file);
    }

    #[test]
    fn the_default_file_names_the_variable_of_every_setting_above_it() {
        let lines: Vec<&str> = DEFAULT_FILE.lines().collect();
        let mut variables = BTreeSet::new();
        for entry in load::defaults().ok().unwrap() {
            let Origin::File(_, line) = entry.origin else {
                panic!("{}", entry.key);
            };
            let above = lines[..line - 1].iter().rev();
            let comment = above.take_while(|line| line.starts_with('#'));
            let variable = environment::variable(&entry.key);
            let named = format!("# Environment: {variable}.");
            assert!(
                comment.into_iter().any(|line| line.starts_with(&named)),
                "{named}"
            );
            assert!(variables.insert(variable), "two settings have {named}");
        }
    }
}
