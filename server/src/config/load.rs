//! Putting the settings together, and knowing where each comes from.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use secrecy::{ExposeSecret, SecretString};
use toml::{Table, Value};

use super::{
    Config, Contradiction,
    environment::Environment,
    fault::{Fault, LoadError, Origin, nearest},
    file::{self, Entry},
    provider,
};
use crate::telemetry::LogFormat;

/// Every setting with its default, and what it means.
pub const DEFAULT_FILE: &str = include_str!("../../handraise.default.toml");

/// The file in the working directory that is read when no other is named.
const FILE_HERE: &str = "handraise.toml";

/// The flags of the command line; absent means "as configured elsewhere".
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// See [`Config::addr`].
    pub addr: Option<SocketAddr>,
    /// See [`Config::database_url`].
    pub database_url: Option<SecretString>,
    /// See [`Config::log`].
    pub log: Option<LogFormat>,
}

/// The settings, and where they come from.
#[derive(Debug)]
pub struct Loaded {
    /// The settings.
    pub config: Config,
    /// The file that was read.
    pub file: Option<PathBuf>,
    /// Variables that look like settings and are none: a message each, for the operator who set them.
    pub unknown_variables: Vec<String>,
    pub(super) origins: BTreeMap<String, Origin>,
}

/// A setting's value as it stands, and where from.
type Given = BTreeMap<String, (Value, Origin)>;

/// Puts the settings together: flags over environment over file over default.
///
/// # Errors
/// All that is wrong, each with its place.
pub fn load(
    named: Option<&Path>,
    flags: Flags,
    variables: impl IntoIterator<Item = (OsString, OsString)>,
) -> Result<Loaded, LoadError> {
    let known = defaults().map_err(|fault| LoadError::Wrong(vec![fault]))?;
    let environment = Environment::read(variables, &known);
    let mut faults = environment.faults;
    let file = named
        .map(Path::to_owned)
        .or(environment.file)
        .or_else(|| Some(PathBuf::from(FILE_HERE)).filter(|file| file.exists()));
    let mut settings: Given = known
        .iter()
        .map(|entry| (entry.key.clone(), (entry.value.clone(), Origin::Default)))
        .collect();
    let in_file = match &file {
        Some(file) => of_file(file, &known, &mut faults)?,
        None => Vec::new(),
    };
    for entry in in_file
        .into_iter()
        .chain(environment.entries)
        .chain(flags.entries())
    {
        settings.insert(entry.key, (entry.value, entry.origin));
    }
    let config = read(&mut settings, &known, &mut faults);
    // Of single settings that are wrong it would say what is no longer true.
    if let Some(config) = config.as_ref().filter(|_| faults.is_empty()) {
        let wrong = config.slack_mode().err().unwrap_or_default().into_iter();
        let wrong = wrong.chain(provider::contradictions(
            &config.providers,
            config.passwords,
        ));
        faults.extend(wrong.map(|Contradiction { setting, what }| {
            let origin = settings.get(setting).map(|(_, origin)| origin.clone());
            Fault {
                origin: origin.unwrap_or(Origin::Default),
                what: format!("{setting}: {what}"),
            }
        }));
    }
    match config {
        Some(config) if faults.is_empty() => Ok(Loaded {
            config,
            file,
            unknown_variables: environment.unknown,
            origins: settings
                .into_iter()
                .map(|(key, (_, origin))| (key, origin))
                .collect(),
        }),
        _ => Err(LoadError::Wrong(faults)),
    }
}

/// The settings there are, in the order of the default file.
pub(super) fn defaults() -> Result<Vec<Entry>, Fault> {
    file::read(DEFAULT_FILE, "the default configuration".into())
}

fn of_file(file: &Path, known: &[Entry], faults: &mut Vec<Fault>) -> Result<Vec<Entry>, LoadError> {
    let text =
        fs::read_to_string(file).map_err(|error| LoadError::Unreadable(file.to_owned(), error))?;
    let entries = file::read(&text, file.to_owned()).unwrap_or_else(|fault| {
        faults.push(fault);
        Vec::new()
    });
    let is_known = |entry: &Entry| known.iter().any(|setting| setting.key == entry.key);
    let (entries, unknown): (Vec<_>, Vec<_>) = entries.into_iter().partition(is_known);
    for Entry { key, value, origin } in unknown {
        let section = format!("{key}.");
        let is_section = known
            .iter()
            .any(|setting| setting.key.starts_with(&section));
        let what = match (is_section, value) {
            (true, Value::Table(_)) => continue,
            (true, _) => format!("`{key}` is a section: write [{key}] and its settings below"),
            (false, _) => {
                let names = known.iter().map(|setting| &*setting.key);
                let meant = nearest(&key, names)
                    .map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
                format!("unknown key `{key}`{meant}")
            }
        };
        faults.push(Fault { origin, what });
    }
    Ok(entries)
}

/// Reads the settings as they stand. A wrong one is noted and replaced with its default, so that
/// everything that is wrong comes out at once; `None` when even a default is.
fn read(settings: &mut Given, known: &[Entry], faults: &mut Vec<Fault>) -> Option<Config> {
    loop {
        let error = match serde_path_to_error::deserialize(Value::Table(nested(settings))) {
            Ok(config) => return Some(config),
            Err(error) => error,
        };
        let path = error.path().to_string();
        // A list's item is told by its number.
        let key = path.split('[').next().unwrap_or_default().to_owned();
        let what = format!("{path}: {}", in_words(error.inner().message()));
        let default = known.iter().find(|entry| entry.key == key);
        let (Some((value, origin)), Some(default)) = (settings.get_mut(&key), default) else {
            faults.push(Fault {
                origin: Origin::Default,
                what,
            });
            return None;
        };
        faults.push(Fault {
            origin: origin.clone(),
            what,
        });
        if *origin == Origin::Default {
            return None;
        }
        (*value, *origin) = (default.value.clone(), Origin::Default);
    }
}

/// The words of serde on a number are for programmers.
fn in_words(message: &str) -> String {
    let mut message = message.to_owned();
    for bits in ["8", "16", "32", "64"] {
        message = message.replace(&format!("expected u{bits}"), "expected a whole number");
    }
    message
}

/// Tables in tables, as TOML has them.
fn nested(settings: &Given) -> Table {
    let mut table = Table::new();
    for (key, (value, _)) in settings {
        put(&mut table, key, value.clone());
    }
    table
}

fn put(table: &mut Table, key: &str, value: Value) {
    let Some((section, rest)) = key.split_once('.') else {
        table.insert(key.to_owned(), value);
        return;
    };
    let inner = table
        .entry(section)
        .or_insert_with(|| Value::Table(Table::new()));
    if let Value::Table(inner) = inner {
        put(inner, rest, value);
    }
}

impl Flags {
    fn entries(self) -> impl Iterator<Item = Entry> {
        let addr = self.addr.map(|addr| Value::String(addr.to_string()));
        let url = self
            .database_url
            .map(|url| Value::from(url.expose_secret()));
        let log = self.log.and_then(|log| Value::try_from(log).ok());
        [
            ("addr", "--addr", addr),
            ("database_url", "--database", url),
            ("log", "--log", log),
        ]
        .into_iter()
        .filter_map(|(key, flag, value)| {
            Some(Entry {
                key: key.to_owned(),
                value: value?,
                origin: Origin::Flag(flag),
            })
        })
    }
}

impl Loaded {
    /// Where a setting comes from.
    pub fn origin(&self, key: &str) -> &Origin {
        self.origins.get(key).unwrap_or(&Origin::Default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With this file and these variables.
    fn load(text: &str, variables: &[(&str, &str)], flags: Flags) -> Result<Loaded, LoadError> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("h.toml");
        fs::write(&file, text).unwrap();
        let variables = variables
            .iter()
            .map(|(name, value)| (name.into(), value.into()));
        super::load(Some(&file), flags, variables)
    }

    /// Everything that is wrong, with only the name of the file.
    fn wrong(text: &str, variables: &[(&str, &str)]) -> Vec<String> {
        let error = load(text, variables, Flags::default()).unwrap_err();
        let LoadError::Wrong(faults) = error else {
            panic!("{error}");
        };
        let said = faults.iter().map(Fault::to_string);
        said.map(|said| match said.split_once("h.toml") {
            Some((_, rest)) => format!("h.toml{rest}"),
            None => said,
        })
        .collect()
    }

    #[test]
    fn flags_win_over_the_environment_that_over_the_file_and_that_over_defaults() {
        let text = "addr = '127.0.0.1:1'\nlog = 'json'\nkey_name = 'a'\ntimeout.form = 5\n";
        let variables = [
            ("HANDRAISE_ADDR", "127.0.0.1:2"),
            ("HANDRAISE_KEY_NAME", "2024"),
        ];
        let flags = Flags {
            addr: Some(SocketAddr::from(([127, 0, 0, 1], 3))),
            ..Flags::default()
        };
        let loaded = load(text, &variables, flags).unwrap();
        let config = &loaded.config;
        assert_eq!(config.addr.port(), 3);
        assert_eq!(config.key_name, "2024");
        assert_eq!(config.log, LogFormat::Json);
        assert_eq!((config.timeout.form, config.timeout.choice), (5, 86_400));
        let origin = |key| loaded.origin(key).to_string();
        assert_eq!(origin("addr"), "--addr");
        assert_eq!(origin("key_name"), "HANDRAISE_KEY_NAME");
        assert!(origin("timeout.form").ends_with("h.toml:4"));
        assert_eq!(origin("timeout.choice"), "default");
    }

    #[test]
    fn everything_that_is_wrong_is_named_with_its_place_at_once() {
        let text = "# a comment\nadr = '127.0.0.1:1'\naddr = 'localhost:3000'\nlog = 'xml'\n\n\
            trusted_proxies = -1\npublic_url = 'ftp://h'\nquestion = 5\n[timeout]\nform = 'soon'\n";
        let variables = [
            ("HANDRAISE_MAX_PENDING_PER_AGENT", "many"),
            ("HANDRAISE_KEY_NAME", "a b"),
        ];
        let mut said = wrong(text, &variables);
        said.sort();
        assert_eq!(
            said,
            [
                "HANDRAISE_KEY_NAME: key_name: it must not be empty and have no spaces and no plus sign",
                "HANDRAISE_MAX_PENDING_PER_AGENT: max_pending_per_agent: invalid type: string \"many\", \
                 expected a whole number",
                "h.toml:10: timeout.form: invalid type: string \"soon\", expected a whole number",
                "h.toml:2: unknown key `adr`; did you mean `addr`?",
                "h.toml:3: addr: it must be ADDRESS:PORT, such as 127.0.0.1:3000",
                "h.toml:4: log: unknown variant `xml`, expected `text` or `json`",
                "h.toml:6: trusted_proxies: invalid value: integer `-1`, expected a whole number",
                "h.toml:7: public_url: it must start with http:// or https:// and name a host, such as \
                 https://handraise.example",
                "h.toml:8: unknown key `question`; did you mean `timeout.question`?",
            ]
        );
        assert_eq!(
            wrong("timeout = 5", &[]),
            ["h.toml:1: `timeout` is a section: write [timeout] and its settings below"]
        );
        assert_eq!(
            wrong("[addr]\nhost = 'a'\n[timeout]\n", &[]),
            ["h.toml:2: unknown key `addr.host`; did you mean `addr`?"]
        );
    }

    #[test]
    fn a_secret_may_be_in_a_file_of_its_own_and_is_never_shown() {
        let folder = tempfile::tempdir().unwrap();
        let secret = folder.path().join("database");
        fs::write(&secret, "postgres://h:secret@db/h\n").unwrap();
        let variable = ("HANDRAISE_DATABASE_URL_FILE", secret.to_str().unwrap());
        let loaded = load("", &[variable], Flags::default()).unwrap();
        assert_eq!(
            loaded.config.database_url.reveal(),
            "postgres://h:secret@db/h"
        );
        let json = serde_json::to_string(&loaded.config).unwrap();
        let shown = format!("{loaded:?} {json} {}", loaded.in_force());
        assert!(
            !shown.contains("secret@") && shown.contains("postgres://h:***@db/h"),
            "{shown}"
        );

        let both = [variable, ("HANDRAISE_DATABASE_URL", "sqlite://a.db")];
        assert_eq!(
            wrong("", &both),
            ["HANDRAISE_DATABASE_URL_FILE: HANDRAISE_DATABASE_URL is set as well; take one away"]
        );
        let nowhere = wrong("", &[("HANDRAISE_DATABASE_URL_FILE", "/nowhere/it")]);
        assert!(nowhere[0].starts_with("HANDRAISE_DATABASE_URL_FILE: cannot read /nowhere/it: "));
        for wrong in [
            wrong("database_url = 'postgres:/h:secret@db/h'", &[]),
            wrong("database_url = ['postgres://h:secret@db/h']", &[]),
            wrong("database_url = { url = 'postgres://h:secret@db/h' }", &[]),
            wrong(
                "",
                &[("HANDRAISE_DATABASE_URL", "postgres://h:1/secret@db/h")],
            ),
        ] {
            assert_eq!(wrong.len(), 1);
            assert!(!wrong[0].contains("secret"), "{wrong:?}");
        }
    }

    #[test]
    fn slack_is_refused_when_it_cannot_be_meant_and_its_secrets_are_never_shown() {
        let folder = tempfile::tempdir().unwrap();
        let (token, empty) = (folder.path().join("token"), folder.path().join("empty"));
        fs::write(&token, "xoxb-pa55word\n").unwrap();
        fs::write(&empty, "\n").unwrap();
        let token = ("HANDRAISE_SLACK_BOT_TOKEN_FILE", token.to_str().unwrap());
        let channel = ("HANDRAISE_SLACK_DEFAULT_CHANNEL", "C1");
        let sessions = ("HANDRAISE_SLACK_SESSION_OVERRIDES", "nightly=C2, a=C3");
        let users = ("HANDRAISE_SLACK_ALLOWED_USERS", "U1,W2");
        let text = "slack_signing_secret = 'pa55word0123456789'";
        let loaded = load(text, &[token, channel, sessions, users], Flags::default()).unwrap();
        let mode = loaded.config.slack_mode().unwrap();
        assert!(matches!(mode, super::super::SlackMode::Http { .. }));
        assert!(loaded.config.slack_allowed_users.contains("W2"));
        let json = serde_json::to_string(&loaded.config).unwrap();
        let shown = format!("{loaded:?} {mode:?} {json} {}", loaded.in_force());
        assert!(!shown.contains("pa55word"), "{shown}");
        assert!(
            shown.contains("slack_session_overrides = [\"a=C3\", \"nightly=C2\"]"),
            "{shown}"
        );

        let said = wrong(
            "",
            &[("HANDRAISE_SLACK_APP_TOKEN", "xapp-pa55word"), channel],
        );
        assert_eq!(
            said,
            [
                "HANDRAISE_SLACK_APP_TOKEN: slack_app_token: slack_bot_token is missing, and nothing can be posted \
             without it",
                "HANDRAISE_SLACK_DEFAULT_CHANNEL: slack_default_channel: slack_bot_token is missing, and nothing is \
             posted there without it",
            ]
        );
        let nothing = [(
            "HANDRAISE_SLACK_SIGNING_SECRET_FILE",
            empty.to_str().unwrap(),
        )];
        let said = wrong("", &nothing);
        assert!(said[0].ends_with("/empty is empty"), "{said:?}");
        for (text, part) in [
            ("slack_bot_token = 'xoxp-pa55word'", "begins with xoxb-"),
            ("slack_bot_token = 'xoxb-pa55 word'", "begins with xoxb-"),
            ("slack_bot_token = ['xoxb-pa55word']", "it must be text"),
            ("slack_app_token = 'xoxb-pa55word'", "begins with xapp-"),
            ("slack_signing_secret = ' '", "at least 16"),
            ("slack_signing_secret = 'pa55word'", "at least 16"),
            (
                "slack_signing_secret = 12345678901234567",
                "it must be text",
            ),
            ("slack_default_channel = '#general'", "a channel's id"),
            ("slack_urgent_channel = 'general'", "a channel's id"),
            ("slack_session_overrides = ['nightly']", "SESSION=CHANNEL"),
            ("slack_allowed_users = ['ana']", "Copy member ID"),
            ("slack_api_url = 'http://slack.example/api/'", "https://"),
            ("slack_api_url = ''", "https://"),
            (
                "slack_webhook_url = 'http://hooks.example/pa55word'",
                "https://",
            ),
        ] {
            let said = wrong(text, &[]);
            let name = text.split(' ').next().unwrap();
            let begins = format!("h.toml:1: {name}");
            assert!(
                said[0].starts_with(&begins) && said[0].contains(part),
                "{said:?}"
            );
            assert!(
                !said[0].contains("pa55word") && !said[0].contains("1234567890"),
                "{said:?}"
            );
        }
        assert!(
            load(
                "slack_api_url = 'http://127.0.0.1:1/api/'",
                &[],
                Flags::default()
            )
            .is_ok()
        );
    }

    #[test]
    fn variables_that_are_no_settings_are_told_but_not_those_of_others() {
        let variables = [
            ("HANDRAISE_ADRR", "127.0.0.1:1"),
            ("HANDRAISE_COLOUR", "red"),
            ("HANDRAISE_URL", "http://127.0.0.1:3000"),
            ("HANDRAISE_TOKEN", "hr_agent_secret"),
            ("HANDRAISE_SLACK_BOT_TOKN", "xoxb-secret"),
            ("HANDRAISE_PUBLIC_URL", ""),
            ("PATH", "/bin"),
        ];
        let loaded = load("", &variables, Flags::default()).unwrap();
        assert_eq!(
            loaded.unknown_variables,
            [
                "there is no setting HANDRAISE_ADRR; did you mean HANDRAISE_ADDR?",
                "there is no setting HANDRAISE_COLOUR",
                "there is no setting HANDRAISE_SLACK_BOT_TOKN; did you mean HANDRAISE_SLACK_BOT_TOKEN?",
            ]
        );
        assert_eq!(*loaded.origin("public_url"), Origin::Default);
    }

    #[test]
    fn what_is_in_force_reads_as_a_file_with_the_same_meaning() {
        let text = "addr = '127.0.0.1:1'\ntimeout.question = 60\n";
        let loaded = load(text, &[("HANDRAISE_LOG", "json")], Flags::default()).unwrap();
        let shown = loaded.in_force();
        assert!(
            shown.contains("log = \"json\"                                     # HANDRAISE_LOG\n"),
            "{shown}"
        );
        assert!(
            shown.contains("public_url = \"http://handraise.localhost:1\" "),
            "{shown}"
        );
        assert!(shown.contains("\n[timeout]\nquestion = 60 "), "{shown}");
        let again: Config = toml::from_str(&shown).unwrap();
        let json = |config: &Config| serde_json::to_value(config).unwrap();
        assert_eq!(json(&again), json(&loaded.config.resolved()));
    }

    #[test]
    fn a_file_that_was_named_must_be_there() {
        let missing = Path::new("/nowhere/handraise.toml");
        for (named, variable) in [(Some(missing), ""), (None, "/nowhere/handraise.toml")] {
            let variables = [("HANDRAISE_CONFIG".into(), variable.into())];
            let error = super::load(named, Flags::default(), variables).unwrap_err();
            let said = error.to_string();
            assert_eq!(
                said,
                "cannot read the configuration /nowhere/handraise.toml"
            );
        }
        assert!(
            super::load(None, Flags::default(), [])
                .unwrap()
                .file
                .is_none()
        );
    }
}
