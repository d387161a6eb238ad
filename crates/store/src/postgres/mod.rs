//! The database for several nodes. Same tables, same promises as SQLite.

mod commit;
mod connections;
mod dialect;
mod inbox;
mod index;
mod inspect;
mod outbox;
mod reader;
mod vanished;

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
    Connection as _, PgPool,
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

use connections::Known;
pub(crate) use inspect::inspect;

type Db = sqlx::Postgres;
type Pool = PgPool;
type Connection = sqlx::PgConnection;
type Store = PostgresStore;

const CONNECTIONS: u32 = 10;

/// How long to look for the server before giving up.
const PATIENCE: Duration = Duration::from_secs(5);

/// A connection that was used since is used again without being asked first whether it is still one, which would take as long
/// as most of what is asked on it.
const IDLE: Duration = Duration::from_secs(1);

/// How long until it is tried again to hear of other nodes.
const AGAIN: Duration = Duration::from_secs(1);

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
    options: PgConnectOptions,
    growth: watch::Receiver<()>,
    known: Arc<Known>,
    proof: Arc<Proof>,
    by_key: ByKey,
}

impl PostgresStore {
    pub(crate) async fn connect(url: &str) -> Result<Self, ConnectError> {
        let options = options(url)?;
        let place = place(&options);
        let unreachable = |error: sqlx::Error| migrate::unreachable(&place, &error);
        let pools = || {
            PgPoolOptions::new()
                .max_connections(CONNECTIONS)
                .acquire_timeout(PATIENCE)
        };
        let first = pools().connect_with(options.clone()).await;
        look(&first.map_err(unreachable)?, &place).await?;
        let known = Arc::new(Known::default());
        let pool = pools()
            .after_connect({
                let known = Arc::clone(&known);
                move |connection, _| {
                    let known = Arc::clone(&known);
                    Box::pin(async move { known.is_there(connection).await })
                }
            })
            .test_before_acquire(false)
            .before_acquire(|connection, seen| {
                Box::pin(async move {
                    if seen.idle_for > IDLE {
                        connection.ping().await?;
                    }
                    Ok(true)
                })
            })
            .connect_with(options.clone())
            .await
            .map_err(unreachable)?;
        migrate::POSTGRES
            .run(&pool)
            .await
            .map_err(|error| migrate::failed(&migrate::POSTGRES, &place, error))?;
        briefs::fill(&pool)
            .await
            .map_err(|error| migrate::unfilled(&place, &error))?;
        let (grown, growth) = watch::channel(());
        tokio::spawn(listen(pool.clone(), grown.clone(), Arc::clone(&known)));
        let (announced, tell) = watch::channel(());
        tokio::spawn(commit::tell_others(pool.clone(), tell));
        let batches = commit::Batches {
            pool: pool.clone(),
            known: Arc::clone(&known),
            announced,
        };
        let writer = Writer::start(batches, grown);
        let by_key = ByKey::start(&pool);
        Ok(Self {
            read: pool.clone(),
            write: pool,
            writer,
            options,
            growth,
            known,
            proof: Arc::default(),
            by_key,
        })
    }
}

/// Refuses a server that cannot be worked with, with the reason.
async fn look(pool: &PgPool, place: &str) -> Result<(), ConnectError> {
    let unreachable = |error: sqlx::Error| migrate::unreachable(place, &error);
    let mut one = pool.acquire().await.map_err(unreachable)?;
    let mut other = pool.acquire().await.map_err(unreachable)?;
    let place = place.to_owned();
    if !connections::are_kept(&mut one, &mut other)
        .await
        .map_err(unreachable)?
    {
        return Err(ConnectError::SharedSessions { place });
    }
    if connections::is_read_only(&mut one)
        .await
        .map_err(unreachable)?
    {
        return Err(ConnectError::ReadOnly { place });
    }
    drop((one, other));
    pool.close().await;
    Ok(())
}

/// Passes other nodes' hints on until no reader listens, or the database is left. Without a listener only the hints are missing:
/// readers poll anyway.
async fn listen(pool: PgPool, grown: watch::Sender<()>, known: Arc<Known>) {
    let listening = async {
        while let Err(error) = hear(&pool, &grown).await {
            if pool.is_closed() {
                return;
            }
            tracing::warn!(%error, "hears nothing of other nodes for now; polling goes on");
            tokio::time::sleep(AGAIN).await;
        }
    };
    tokio::select! {
        () = listening => {}
        () = known.leave(&pool) => {}
        () = grown.closed() => {}
    }
}

async fn hear(pool: &PgPool, grown: &watch::Sender<()>) -> sqlx::Result<()> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen(CHANNEL).await?;
    loop {
        // Hints may have been missed until now.
        grown.send_replace(());
        // Reconnects by itself, and then returns `None`, unless the server said that it ends the session.
        listener.try_recv().await?;
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

    fn has_read(&self, event: &Event) {
        self.known.follow(event);
    }

    async fn vanished(&self) {
        vanished::vanished(&self.options, &self.known).await;
    }

    async fn close(&self) {
        self.by_key.end();
        self.write.close().await;
    }
}
