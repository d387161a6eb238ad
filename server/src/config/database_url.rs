//! Where the database is, which may hold a password.

use std::fmt;

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize, Serializer};
use store::ConnectError;

/// Parameters of a URL that may be shown.
const HARMLESS: [&str; 7] = ["mode", "cache", "sslmode", "host", "port", "dbname", "user"];

/// `sqlite://PATH` or `postgres://…`. However it is printed, its password is not.
#[derive(Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct DatabaseUrl(SecretString);

impl DatabaseUrl {
    /// For the store alone.
    pub fn reveal(&self) -> &str {
        self.0.expose_secret()
    }

    /// Whether there is a password in it.
    pub fn has_password(&self) -> bool {
        self.to_string() != self.reveal()
    }
}

impl TryFrom<String> for DatabaseUrl {
    type Error = ConnectError;

    fn try_from(url: String) -> Result<Self, Self::Error> {
        store::check_url(&url)?;
        Ok(Self(url.into()))
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = self.reveal();
        let (rest, parameters) = match url.split_once('?') {
            Some((rest, parameters)) => (rest, Some(parameters)),
            None => (url, None),
        };
        match rest.rsplit_once('@') {
            Some((before, place)) if !rest.starts_with("sqlite:") => {
                let (scheme, who) = before.split_once("://").unwrap_or(("", before));
                match who.split_once(':') {
                    Some((user, _)) => write!(f, "{scheme}://{user}:***@{place}")?,
                    None => f.write_str(rest)?,
                }
            }
            _ => f.write_str(rest)?,
        }
        for (nth, parameter) in parameters
            .into_iter()
            .flat_map(|text| text.split('&'))
            .enumerate()
        {
            f.write_str(if nth == 0 { "?" } else { "&" })?;
            match parameter.split_once('=') {
                Some((name, _)) if !HARMLESS.contains(&name) => write!(f, "{name}=***")?,
                _ => f.write_str(parameter)?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DatabaseUrl({self})")
    }
}

impl Serialize for DatabaseUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_printed() {
        for (url, shown) in [
            ("sqlite://handraise.db", "sqlite://handraise.db"),
            (
                "sqlite:///a:b@c/h.db?mode=rw",
                "sqlite:///a:b@c/h.db?mode=rw",
            ),
            ("postgres://h@db/handraise", "postgres://h@db/handraise"),
            (
                "postgres://h:secret@db:5433/h",
                "postgres://h:***@db:5433/h",
            ),
            ("postgres://h:se:@cret@db/h", "postgres://h:***@db/h"),
            ("postgres://:secret@db/h", "postgres://:***@db/h"),
            (
                "postgres:///h?host=/run/pg&password=secret&user=h",
                "postgres:///h?host=/run/pg&password=***&user=h",
            ),
            (
                "postgres://h:secret@db/h?sslkey=secret&sslmode=require",
                "postgres://h:***@db/h?sslkey=***&sslmode=require",
            ),
        ] {
            let url = DatabaseUrl::try_from(url.to_owned()).unwrap();
            assert_eq!(url.to_string(), shown);
            assert_eq!(format!("{url:?}"), format!("DatabaseUrl({shown})"));
            assert_eq!(serde_json::to_value(&url).unwrap(), shown);
            assert_eq!(url.has_password(), shown.contains("***"));
        }
    }
}
