//! The database for several nodes. Same tables, same promises as SQLite.

mod commit;
mod dialect;
mod inbox;
mod index;
mod inspect;
mod outbox;

// The code that both databases share, made for this one.
#[path = "../both/access.rs"]
mod access;
#[path = "../both/agents.rs"]
mod agents;
#[path = "../both/attachments.rs"]
mod attachments;
#[path = "../both/audience.rs"]
mod audience;
#[path = "../both/batch.rs"]
mod batch;
#[path = "../both/briefs.rs"]
mod briefs;
#[path = "../both/by_key.rs"]
mod by_key;
#[path = "../both/cards.rs"]
mod cards;
#[path = "../both/content.rs"]
mod content;
#[path = "../both/duties.rs"]
mod duties;
#[path = "../both/ended.rs"]
mod ended;
#[path = "../both/endpoints.rs"]
mod endpoints;
#[path = "../both/erase.rs"]
mod erase;
#[path = "../both/factors.rs"]
mod factors;
#[path = "../both/grants.rs"]
mod grants;
#[path = "../both/ground.rs"]
mod ground;
#[path = "../both/heard.rs"]
mod heard;
#[path = "../both/identities.rs"]
mod identities;
#[path = "../both/insights.rs"]
mod insights;
#[path = "../both/interactions.rs"]
mod interactions;
#[path = "../both/journal.rs"]
mod journal;
#[path = "../both/ladders.rs"]
mod ladders;
#[path = "../both/memories.rs"]
mod memories;
#[path = "../both/narrowed.rs"]
mod narrowed;
#[path = "../both/nodes.rs"]
mod nodes;
#[path = "../both/opens.rs"]
mod opens;
#[path = "../both/owed.rs"]
mod owed;
#[path = "../both/paces.rs"]
mod paces;
#[path = "../both/people.rs"]
mod people;
#[path = "../both/policies.rs"]
mod policies;
#[path = "../both/reach_numbers.rs"]
mod reach_numbers;
#[path = "../both/reaches.rs"]
mod reaches;
#[path = "../both/sessions.rs"]
mod sessions;
#[path = "../both/signs.rs"]
mod signs;
#[path = "../both/slack_files.rs"]
mod slack_files;
#[path = "../both/slack_homes.rs"]
mod slack_homes;
#[path = "../both/snoozes.rs"]
mod snoozes;
#[path = "../both/standing.rs"]
mod standing;
#[path = "../both/stood.rs"]
mod stood;
#[path = "../both/suggestions.rs"]
mod suggestions;
#[path = "../both/tasks.rs"]
mod tasks;
#[path = "../both/teams.rs"]
mod teams;
#[path = "../both/tokens.rs"]
mod tokens;
#[path = "../both/writes.rs"]
mod writes;

use std::{net::IpAddr, str::FromStr, sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::{Changeset, Event};
use sqlx::{
    PgPool,
    postgres::{PgConnectOptions, PgListener, PgPoolOptions, PgSslMode},
};
use tokio::sync::watch;

use by_key::ByKey;

use crate::{
    Commit,
    error::{CommitError, ConnectError},
    migrate,
    proof::Proof,
    url,
    writer::Writer,
};

pub(crate) use inspect::inspect;

type Db = sqlx::Postgres;
type Pool = PgPool;
type Connection = sqlx::PgConnection;
type Store = PostgresStore;

const CONNECTIONS: u32 = 10;

/// How long to look for the server before giving up.
const PATIENCE: Duration = Duration::from_secs(5);

/// The channel on which nodes tell each other that the journal has grown.
const CHANNEL: &str = "handraise_journal";

pub(crate) fn options(text: &str) -> Result<PgConnectOptions, ConnectError> {
    url::refuse_misplaced(text)?;
    let options = PgConnectOptions::from_str(text).map_err(url::unreadable)?;
    Ok(options.application_name("handraise"))
}

/// See [`crate::unverified_server`].
pub(crate) fn unverified_server(text: &str) -> Option<String> {
    if !matches!(url::Scheme::of(text), Ok(url::Scheme::Postgres)) {
        return None;
    }
    let options = options(text).ok()?;
    let host = options.get_host();
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    let is_here = options.get_socket().is_some()
        || host.starts_with('/')
        || host == "localhost"
        || address.is_ok_and(|address| address.is_loopback());
    if is_here || matches!(options.get_ssl_mode(), PgSslMode::VerifyFull) {
        return None;
    }
    Some(format!(
        "{host} need not prove who it is, so somebody on the way can read and change everything; \
         add sslmode=verify-full to database_url"
    ))
}

fn place(options: &PgConnectOptions) -> String {
    format!(
        "{} at {}:{}",
        options.get_database().unwrap_or("(default)"),
        options.get_host(),
        options.get_port()
    )
}

pub(crate) struct PostgresStore {
    read: PgPool,
    /// The same: Postgres sorts writers out.
    write: PgPool,
    writer: Writer,
    growth: watch::Receiver<()>,
    proof: Arc<Proof>,
    by_key: ByKey,
}

impl PostgresStore {
    pub(crate) async fn connect(url: &str) -> Result<Self, ConnectError> {
        let options = options(url)?;
        let place = place(&options);
        let pool = PgPoolOptions::new()
            .max_connections(CONNECTIONS)
            .acquire_timeout(PATIENCE)
            .connect_with(options)
            .await
            .map_err(|error| migrate::unreachable(&place, &error))?;
        let read_only: String =
            sqlx::query_scalar("SELECT current_setting('transaction_read_only')")
                .fetch_one(&pool)
                .await
                .map_err(|error| migrate::unreachable(&place, &error))?;
        if read_only == "on" {
            return Err(ConnectError::ReadOnly { place });
        }
        migrate::POSTGRES
            .run(&pool)
            .await
            .map_err(|error| migrate::failed(&migrate::POSTGRES, &place, error))?;
        briefs::fill(&pool)
            .await
            .map_err(|error| migrate::unfilled(&place, &error))?;
        let (grown, growth) = watch::channel(());
        tokio::spawn(listen(pool.clone(), grown.clone()));
        let writer = Writer::start(commit::Batches(pool.clone()), grown);
        let by_key = ByKey::start(&pool);
        Ok(Self {
            read: pool.clone(),
            write: pool,
            writer,
            growth,
            proof: Arc::default(),
            by_key,
        })
    }
}

/// Passes other nodes' hints on until no reader listens. Without a listener only the hints are
/// missing: readers poll anyway.
async fn listen(pool: PgPool, grown: watch::Sender<()>) {
    let listening = async {
        let mut listener = PgListener::connect_with(&pool).await?;
        listener.listen(CHANNEL).await?;
        loop {
            // Reconnects by itself; `None` tells that hints may have been missed meanwhile.
            listener.try_recv().await?;
            grown.send_replace(());
        }
    };
    tokio::select! {
        outcome = listening => {
            let outcome: Result<(), sqlx::Error> = outcome;
            if let Err(error) = outcome {
                tracing::warn!(%error, "no longer listening to other nodes; polling goes on");
            }
        }
        () = grown.closed() => {}
    }
}

#[async_trait]
impl Commit for PostgresStore {
    async fn commit(&self, changeset: Changeset) -> Result<Vec<Event>, CommitError> {
        self.writer.commit(changeset).await
    }

    fn growth(&self) -> watch::Receiver<()> {
        self.growth.clone()
    }

    async fn close(&self) {
        self.write.close().await;
    }
}
