//! Database URLs: the faults of one, told without repeating any of it, since it may hold a password.

use crate::error::ConnectError;

/// The parameters a Postgres URL may have after its `?`. The driver logs others with their values.
const PARAMETERS: [&str; 18] = [
    "application_name",
    "dbname",
    "host",
    "hostaddr",
    "options",
    "password",
    "port",
    "ssl-ca",
    "ssl-cert",
    "ssl-key",
    "ssl-mode",
    "ssl-root-cert",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "statement-cache-capacity",
    "user",
];

/// Which database a URL is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    Sqlite,
    Postgres,
}

impl Scheme {
    pub(crate) fn of(url: &str) -> Result<Self, ConnectError> {
        match url.split_once(':').map(|(scheme, _)| scheme) {
            Some("sqlite") => Ok(Self::Sqlite),
            Some("postgres" | "postgresql") => Ok(Self::Postgres),
            _ => Err(ConnectError::UnknownScheme),
        }
    }
}

/// A password that is not written as a URL wants it ends up in host, path or parameters, and would be
/// shown there.
pub(crate) fn refuse_misplaced(url: &str) -> Result<(), ConnectError> {
    let bad = |why: &str| Err(ConnectError::BadUrl(why.to_owned()));
    let Some((_, rest)) = url.split_once("://") else {
        return Err(ConnectError::UnknownScheme);
    };
    let (_, after_host) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    if after_host.contains('@') {
        return bad(
            "an @ stands after the host; in a password write / as %2F, ? as %3F, # as %23 and @ as %40",
        );
    }
    let parameters = after_host.split_once('?').map_or("", |(_, query)| query);
    for parameter in parameters.split('&').filter(|text| !text.is_empty()) {
        let name = parameter
            .split_once('=')
            .map_or(parameter, |(name, _)| name);
        if !PARAMETERS.contains(&name) && !name.starts_with("options[") {
            return bad(
                "a parameter after the ? is not one of Postgres's, such as sslmode or host",
            );
        }
    }
    Ok(())
}

/// The driver's words for a URL it cannot read.
pub(crate) fn unreadable(error: sqlx::Error) -> ConnectError {
    ConnectError::BadUrl(match error {
        sqlx::Error::Configuration(why) => why.to_string(),
        other => other.to_string(),
    })
}

#[cfg(test)]
mod tests {

    #[test]
    fn a_database_elsewhere_has_to_prove_who_it_is() {
        for (url, proven) in [
            ("postgres://h@db.example/h", false),
            ("postgres://h@db.example/h?sslmode=require", false),
            ("postgres://h@db.example/h?sslmode=verify-ca", false),
            ("postgres://h@db.example/h?sslmode=verify-full", true),
            ("postgres://h@10.0.0.7/h", false),
            ("postgres://h@127.0.0.1:5433/h", true),
            ("postgres://h@[::1]/h", true),
            ("postgres://h@localhost/h?sslmode=disable", true),
            ("postgres:///h?host=/run/postgresql&user=h", true),
            ("sqlite://handraise.db", true),
            ("nonsense", true),
        ] {
            assert_eq!(crate::unverified_server(url).is_none(), proven, "{url}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_url_is_said_without_its_password() {
        for url in [
            "",
            "secret",
            "mysql://u:secret@h/d",
            "postgres:/u:secret@h/d",
            "postgres://u:12/secret@h/d",
            "postgres://u:12?secret@h/d",
            "postgres://u:12#secret@h/d",
            "postgres://u:12?sslmode=secret@h/d",
            "postgres://u:secret@h:port/d",
            "postgres://u:secret%ff@h/d",
            "postgres://u@h/d?pasword=secret",
            "postgres://u@h/d?password=secret&port=x",
            "sqlite://a.db?key=secret",
        ] {
            let said = crate::check_url(url).expect_err(url).to_string();
            assert!(!said.contains("secret"), "{url}: {said}");
            assert!(!said.contains('\n'), "{url}: {said}");
        }
        for url in [
            "sqlite://handraise.db",
            "sqlite:///var/a%20b/h.db?mode=rw",
            "sqlite::memory:",
            "postgres://h@db/handraise",
            "postgresql://u:p%2F%40@db:5433/handraise?sslmode=require&application_name=h",
            "postgres:///handraise?host=/run/postgresql&user=h&password=p",
            "postgres://u@db/h?options=-c%20statement_timeout%3D5s&options[search_path]=h",
        ] {
            crate::check_url(url).unwrap();
        }
    }
}
