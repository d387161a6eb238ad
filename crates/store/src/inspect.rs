//! Looking at a database without changing it.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::access::WaysIn;
use sqlx::{FromRow, migrate::Migrator};

/// A database as it is found.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// File, or host and database name.
    pub place: String,
    /// As the database calls itself: `SQLite 3.50.4`.
    pub engine: String,
    /// How its tables stand to the migrations this program knows.
    pub schema: Schema,
    /// The faults that keep the program from working with it: each item names the fault and the
    /// remedy.
    pub hindrances: Vec<String>,
    /// Remarks for the operator, in the same form.
    pub remarks: Vec<String>,
    /// Its content, if its schema is current and may be read.
    pub content: Option<Content>,
    /// The time of its server; SQLite has none of its own.
    pub clock: Option<DateTime<Utc>>,
}

/// Whether [`crate::connect`] would have something to do, or refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Schema {
    /// No tables yet: they will be made.
    Absent,
    /// As this program knows it.
    Current(i64),
    /// An earlier version, that will be brought up to date.
    Older {
        /// The version in the database.
        found: i64,
        /// The version it will have.
        known: i64,
    },
    /// A newer program has been here.
    Newer {
        /// The version in the database.
        found: i64,
        /// The newest version this program has.
        known: i64,
    },
    /// A migration differs from the one here, or was not finished.
    Broken {
        /// The first such one.
        version: i64,
        /// The fault.
        why: &'static str,
    },
}

/// The content of a database, as far as it matters for whether the server can work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// The number of the newest event, 0 when there is none.
    pub last_seq: i64,
    /// When it was written.
    pub last_event_at: Option<DateTime<Utc>>,
    /// What each admin who is not disabled has to come in by.
    pub admins: Vec<AdminWays>,
    /// The [`name_key`](domain::Person::name_key)s of the teams.
    pub teams: Vec<String>,
    /// How many interactions there are.
    pub interactions: i64,
    /// How many of them are of the seven days before the last event.
    pub interactions_of_week: i64,
    /// Tokens that were not revoked and end some time, by when they do.
    pub ending_tokens: Vec<(String, DateTime<Utc>)>,
    /// Destinations that take nothing at present.
    pub failing: Vec<Failing>,
    /// The versions of the nodes that said lately that they run, and how many nodes run each.
    pub nodes: BTreeMap<String, i64>,
}

/// Destinations of one kind that take nothing at present.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failing {
    /// Its [`DestinationKind::name`](domain::delivery::DestinationKind::name).
    pub kind: String,
    /// How many there are.
    pub destinations: i64,
    /// Since when the first of them does.
    pub since: Option<DateTime<Utc>>,
}

/// What an admin has to come in by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdminWays {
    /// A password or a passkey.
    pub of_their_own: bool,
    /// Their providers.
    pub issuers: Vec<String>,
}

impl Content {
    /// How many admins can come in where these ways are open.
    pub fn admins_by(&self, ways: &WaysIn) -> usize {
        let admins = self.admins.iter();
        let can = admins.filter(|admin| {
            let issuers = admin.issuers.iter().map(String::as_str);
            ways.lead_in(admin.of_their_own, issuers)
        });
        can.count()
    }

    /// Whether an admin has anything to come in by, open or not.
    pub fn has_admin(&self) -> bool {
        let mut admins = self.admins.iter();
        admins.any(|admin| admin.of_their_own || !admin.issuers.is_empty())
    }
}

impl Schema {
    /// Whether the tables have the columns this program knows.
    pub(crate) fn is_current(&self) -> bool {
        matches!(self, Self::Current(_))
    }

    /// Holds the applied migrations, by version, against those this program would apply.
    pub(crate) fn of(migrator: &Migrator, applied: &[AppliedRow]) -> Self {
        let known = migrator.iter().map(|migration| migration.version);
        let known = known.max().unwrap_or_default();
        let Some(found) = applied.iter().map(|row| row.version).max() else {
            return Self::Absent;
        };
        if found > known {
            return Self::Newer { found, known };
        }
        for row in applied {
            let why = match migrator.iter().find(|own| own.version == row.version) {
                None => "this program has none of this number",
                Some(_) if !row.success => "it was begun and not finished",
                Some(own) if *own.checksum != *row.checksum => "it is another than this program's",
                Some(_) => continue,
            };
            return Self::Broken {
                version: row.version,
                why,
            };
        }
        if applied.len() < migrator.iter().count() {
            Self::Older { found, known }
        } else {
            Self::Current(known)
        }
    }
}

/// A row of `_sqlx_migrations`.
#[derive(FromRow)]
pub(crate) struct AppliedRow {
    version: i64,
    success: bool,
    checksum: Vec<u8>,
}
