//! SQL and nothing else: SQLite by default, Postgres for several nodes, behind one [`Store`].
//!
//! State changes only through [`Commit::commit`], which makes a [`Changeset`] durable in one
//! transaction or refuses it whole. Everything else here reads, or keeps browsers signed in.
//!
//! Uses `domain`. Begin with [`Store`] and its traits, then `writer.rs`.

#![warn(missing_docs)]
#![expect(
    clippy::duplicate_mod,
    reason = "what is the same on both databases stands in `both/` once, and is made for each"
)]

mod access;
mod capability;
mod error;
mod grants;
mod inbox;
mod insights;
mod inspect;
mod journal;
mod ladders;
mod memories;
mod migrate;
mod outbox;
mod page;
mod policies;
mod postgres;
mod proof;
mod query;
mod reach_numbers;
mod reaches;
mod rows;
mod search;
mod sqlite;
mod teams;
#[cfg(feature = "testing")]
pub mod testing;
mod together;
mod url;
mod writer;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    Audience, Changeset, Delivery, DeliveryId, DestinationId, Event, InteractionId,
    decide::interaction::Erasable, journal::Record,
};
use tokio::sync::watch;

pub use access::{
    Account, Holder, IdentityRecord, MadeLink, OpenSession, PersonRecord, SessionData,
    SessionRecord, TokenRecord,
};
pub use capability::{
    attachments::{Attachments, FileOf, NewFile},
    grants::Grants,
    insights::Insights,
    interactions::{Interactions, SignsOfLife, Snoozes, Tasks},
    memories::{Memories, Suggestions},
    nodes::{NODE_IS_HEARD, NodeId, Nodes, Present, WaitsTaken},
    people::{Agents, Factors, Identities, People, Sessions, Tokens},
    policies::PolicySets,
    reaching::{Ladders, ReachNumbers, Reaches},
    slack::{Cards, Inbox, OverdueHome, Paces, SlackFiles, SlackHomes},
    teams::{Duties, Teams},
};
pub use error::{CommitError, ConnectError, StoreError};
pub use grants::{GrantQuery, GrantUse};
pub use inbox::{KeptMessage, NewMessage};
pub use insights::{AskedMost, CountedTo, InsightNames, InsightQuery, TallyRecord};
pub use inspect::{AdminWays, Content, Failing, Inspection, Schema};
pub use journal::{JournalState, history_of, verify_journal, walk_journal};
pub use ladders::{Answerer, Climbing, HeldDue, LadderRecord};
pub use memories::{EarlierQuery, MemoryQuery, MemoryUse, Offered};
pub use migrate::newest_schema;
pub use outbox::{
    Attempt, AttemptEnd, Claimed, DeliveryQuery, DeliveryRecord, EndpointRecord, Follower, Mark,
    NewsPage, Owing, Ready, Stopped, StuckChannel,
};
pub use page::{EventPage, Page};
pub use policies::PolicyUses;
pub use query::{
    AgentRecord, Counts, Due, InteractionQuery, OfTeams, TaskPlace, TaskQuery, Thread,
    WaitingCounts, WhichTeam, WithWords,
};
pub use reach_numbers::{MessagesBy, Reaching, WaysBy};
pub use reaches::{ReachRecord, Told, ToldPage};
pub use teams::{Asker, Asking, DutyRecord, TeamRecord, TeamUse};

use url::Scheme;

/// A result of reading.
pub type Result<T> = std::result::Result<T, StoreError>;

/// Opens the database at `url`, brings its schema up to date and starts the writer.
///
/// `sqlite://PATH` (created if missing) or `postgres://…`.
///
/// # Errors
/// [`ConnectError`], whose text is one line for the person who started the program.
pub async fn connect(url: &str) -> std::result::Result<Arc<dyn Store>, ConnectError> {
    match Scheme::of(url)? {
        Scheme::Sqlite => Ok(Arc::new(sqlite::SqliteStore::connect(url).await?)),
        Scheme::Postgres => Ok(Arc::new(postgres::PostgresStore::connect(url).await?)),
    }
}

/// The file the database at `url` is in; `None` if it is on a server or in memory.
pub fn database_file(url: &str) -> Option<PathBuf> {
    sqlite::database_file(url)
}

/// The URL of the SQLite database in this file.
pub fn file_url(file: &Path) -> String {
    sqlite::file_url(file)
}

/// Writes all of the SQLite database at `url`, as it is at one moment, to a file that is not there yet, for its owner alone. It is
/// only read, in whichever version it is; others read and write it meanwhile. The file may not be on the disk yet.
///
/// # Errors
/// [`ConnectError`] when it cannot be read, or the file not be written.
pub async fn copy_to(url: &str, to: &Path) -> std::result::Result<(), ConnectError> {
    sqlite::copy_to(url, to).await
}

/// The first fault of a SQLite database that is in no other hands, over all of its pages.
///
/// # Errors
/// When it cannot be read at all.
pub async fn fault_of(file: &Path) -> Result<Option<String>> {
    sqlite::fault_of(file).await
}

/// Why an attacker on the way to the database at `url` could read and change the traffic; `None` when it is on
/// this machine, or proves who it is.
pub fn unverified_server(url: &str) -> Option<String> {
    postgres::unverified_server(url)
}

/// Looks at the database at `url`: makes no file and no table, and takes no lock that others wait for.
/// `None` when it is in a file that is not there yet, or in memory.
///
/// # Errors
/// [`ConnectError`] when it cannot be looked at.
pub async fn inspect(url: &str) -> std::result::Result<Option<Inspection>, ConnectError> {
    match Scheme::of(url)? {
        Scheme::Sqlite => sqlite::inspect(url).await,
        Scheme::Postgres => postgres::inspect(url).await.map(Some),
    }
}

/// Whether `url` can be the URL of a database; does not look for the database.
///
/// # Errors
/// [`ConnectError::UnknownScheme`] or [`ConnectError::BadUrl`].
pub fn check_url(url: &str) -> std::result::Result<(), ConnectError> {
    match Scheme::of(url)? {
        Scheme::Sqlite => sqlite::options(url).map(|_| ()),
        Scheme::Postgres => postgres::options(url).map(|_| ()),
    }
}

/// Everything the server may ask of its database.
pub trait Store:
    Commit
    + Interactions
    + Snoozes
    + SignsOfLife
    + Tasks
    + Journal
    + Agents
    + Tokens
    + People
    + Teams
    + Duties
    + Sessions
    + Factors
    + Identities
    + Outbox
    + Reaches
    + ReachNumbers
    + Ladders
    + Grants
    + Attachments
    + Memories
    + Suggestions
    + PolicySets
    + Endpoints
    + Inbox
    + Cards
    + Paces
    + SlackFiles
    + SlackHomes
    + Nodes
    + Insights
    + Erasing
{
}

impl<
    T: Commit
        + Interactions
        + Snoozes
        + SignsOfLife
        + Tasks
        + Journal
        + Agents
        + Tokens
        + People
        + Teams
        + Duties
        + Sessions
        + Factors
        + Identities
        + Outbox
        + Reaches
        + ReachNumbers
        + Ladders
        + Grants
        + Attachments
        + Memories
        + Suggestions
        + PolicySets
        + Endpoints
        + Inbox
        + Cards
        + Paces
        + SlackFiles
        + SlackHomes
        + Nodes
        + Insights
        + Erasing,
> Store for T
{
}

/// The one way to change state.
#[async_trait]
pub trait Commit: Send + Sync {
    /// Makes the changeset durable and returns its events, numbered. Returns only after COMMIT.
    ///
    /// # Errors
    /// [`CommitError::Conflict`] when an interaction or a task in it is no longer at the version the
    /// changeset was decided on, its idempotency key is taken, or the plan that it revises has a newer version; nothing of it is kept then.
    /// [`CommitError::Failed`] when the database failed; whether the changeset was kept is then unknown.
    async fn commit(&self, changeset: Changeset) -> std::result::Result<Vec<Event>, CommitError>;

    /// Changes whenever this node has reason to believe that the journal has grown: its own commits
    /// and, on Postgres, other nodes' notifications. Only a hint: only [`Journal::events_after`]
    /// counts.
    fn growth(&self) -> watch::Receiver<()>;

    /// Tells of a committed event that was read here. A server that lacks it is not written to: another one has come to its address
    /// that lost the last commits. Nothing to do for a file, which stays the one that was opened.
    fn has_read(&self, _event: &Event) {}

    /// Returns when the connections lead nowhere any more, though the database can be reached anew: its machine is gone without
    /// a word, and another has its address. What waits for an answer waits for ever, so the program has to begin anew. Never for a
    /// file.
    async fn vanished(&self) {
        std::future::pending::<()>().await;
    }

    /// Ends all connections, after what is under way. Nothing is read or committed through this any more; SQLite's one
    /// file is the whole database then, unless another process has it open.
    async fn close(&self);
}

/// Reading what can be erased (rule 19). It is erased by a commit.
#[async_trait]
pub trait Erasing: Send + Sync {
    /// All that is stored of an interaction, of one moment, as it is stored: nothing of it is proven.
    ///
    /// # Errors
    /// Also when some of it cannot be read.
    async fn erasable(&self, id: InteractionId) -> Result<Option<Erasable>>;

    /// Closed interactions whose words are still there, those closed first before others; at most `limit`.
    async fn with_words(&self, query: &WithWords, limit: u32) -> Result<Vec<InteractionId>>;

    /// Has nothing of what was erased left beside the rows, as far as this program can do that. `false` when somebody
    /// was reading: then it has to be called again.
    async fn scrub(&self) -> Result<bool>;

    /// Writes all anew that may have held words: a database keeps copies of rows that it moved, which nothing leads to
    /// and nothing overwrites. That takes as long as copying it, and others wait meanwhile. To be scrubbed afterwards.
    async fn rewrite(&self) -> Result<()>;
}

/// Reading the journal.
#[async_trait]
pub trait Journal: Send + Sync {
    /// The number of the newest event, 0 when there is none.
    async fn last_seq(&self) -> Result<i64>;

    /// Events after `after` in order that the audience hears of.
    async fn events_after(
        &self,
        after: i64,
        audience: &Audience,
        limit: u32,
    ) -> Result<EventPage<Event>>;

    /// One event.
    async fn event(&self, seq: i64) -> Result<Option<Event>>;

    /// Events of one interaction after `after`, in order.
    async fn events_of(
        &self,
        interaction: InteractionId,
        after: i64,
        limit: u32,
    ) -> Result<EventPage<Event>>;

    /// Stored events after `after` in order, column by column: some of them, as long as there are any. See
    /// [`walk_journal`] for all.
    async fn records_after(&self, after: i64, limit: u32) -> Result<Vec<Record>>;

    /// Only the numbers and the hashes of stored events.
    async fn hashes_after(&self, after: i64, limit: u32) -> Result<Vec<(i64, Vec<u8>)>>;

    /// The number of the first stored event after `after`, even if the rest of it cannot be read.
    async fn seq_after(&self, after: i64) -> Result<Option<i64>>;

    /// The event with which the journal went on when it was put back last.
    async fn last_restored(&self) -> Result<Option<Event>>;
}

/// The deliveries. Obligations are made by [`Commit::commit`], with the events they tell of.
#[async_trait]
pub trait Outbox: Send + Sync {
    /// Destinations with something due at `now` that do not pause then.
    async fn ready(&self, now: DateTime<Utc>) -> Result<Vec<Ready>>;

    /// Endpoints that may get something at `now`: those that are enabled and do not pause, and those that
    /// were disabled before deliveries were made of everything they were owed.
    async fn followers(&self, now: DateTime<Utc>) -> Result<Vec<Follower>>;

    /// The news for endpoints among the `limit` events after `after`.
    async fn news(&self, after: i64, limit: u32) -> Result<NewsPage>;

    /// Makes deliveries, due at once or given up, all in one transaction. Those of an endpoint that was
    /// moved on meanwhile, by another worker or because it was disabled or enabled, are left out.
    async fn owe(&self, owing: &[Owing]) -> Result<()>;

    /// Takes the deliveries due at `now`, of each destination at most so many, longest due first, and
    /// leases it until `lease_until`: no other worker gets it before. A lease that ran out is due again. A lane of
    /// Slack has one worker: while one holds something of it, no other gets anything.
    async fn claim(
        &self,
        wanted: &[(DestinationId, u32)],
        now: DateTime<Utc>,
        lease_until: DateTime<Utc>,
    ) -> Result<Vec<Claimed>>;

    /// Leases deliveries, each with the number of its lease, for longer. Returns whether all of these leases were still
    /// good.
    async fn renew(&self, held: &[(DeliveryId, i64)], until: DateTime<Utc>) -> Result<bool>;

    /// Writes down that requests of these deliveries, each with the number of its lease, are about to go out. Returns
    /// whether all of these leases were still good; if not, none may.
    async fn call(&self, held: &[(DeliveryId, i64)]) -> Result<bool>;

    /// Writes down the results of tries, all at once. Returns of each whether its lease was still good:
    /// if not, only the try is kept, and the delivery stays as it is.
    async fn mark(&self, marks: &[Mark]) -> Result<Vec<bool>>;

    /// Forgets those of the oldest `limit` deliveries that ended before `ended_before`, with their tries. Returns how many.
    async fn forget_deliveries(&self, ended_before: DateTime<Utc>, limit: u32) -> Result<u64>;

    /// One delivery.
    async fn delivery(&self, id: DeliveryId) -> Result<Option<Delivery>>;

    /// The tries of a delivery, first to last.
    async fn attempts(&self, id: DeliveryId) -> Result<Vec<Attempt>>;

    /// In the order of their events, newest first.
    async fn deliveries(&self, query: &DeliveryQuery) -> Result<Vec<DeliveryRecord>>;

    /// Forgets where agents were called back, and how these places did, where nothing is owed and nothing could be tried
    /// again; at most `limit` of them. Returns how many these were.
    async fn forget_places(&self, limit: u32) -> Result<u64>;

    /// Channels of Slack with something due that are parked, or have failed too often in a row for bad luck;
    /// longest first.
    async fn stuck_channels(&self) -> Result<Vec<StuckChannel>>;
}

/// Webhook endpoints.
#[async_trait]
pub trait Endpoints: Send + Sync {
    /// One endpoint, also when it was deleted.
    async fn endpoint(&self, id: DestinationId) -> Result<Option<EndpointRecord>>;

    /// Those that were not deleted, oldest first.
    async fn endpoints(&self) -> Result<Vec<EndpointRecord>>;
}
