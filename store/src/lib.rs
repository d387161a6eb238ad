//! SQL and nothing else: SQLite by default, Postgres for several nodes, behind one [`Store`].
//!
//! State changes only through [`Commit::commit`], which makes a [`Changeset`] durable in one
//! transaction or refuses it whole. Everything else here reads, or keeps credentials.

#![warn(missing_docs)]

mod credentials;
mod error;
mod journal;
mod migrate;
mod postgres;
mod query;
mod rows;
mod search;
mod sqlite;
#[cfg(feature = "testing")]
pub mod testing;
mod writer;

use std::{path::PathBuf, sync::Arc};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    AgentId, Changeset, Event, Interaction, InteractionId, PersonId, Task, TokenId,
    journal::Record, task::Work,
};
use tokio::sync::watch;

pub use credentials::{Holder, NewToken, Person, SecretHash, TokenKind, TokenRecord};
pub use error::{CommitError, ConnectError, StoreError};
pub use journal::{JournalState, verify_journal, walk_journal};
pub use query::{AgentRecord, Counts, InteractionQuery, TaskPlace, TaskQuery};

/// A result of reading.
pub type Result<T> = std::result::Result<T, StoreError>;

/// Opens the database at `url`, brings its schema up to date and starts the writer.
///
/// `sqlite://PATH` (created if missing) or `postgres://…`.
///
/// # Errors
/// [`ConnectError`], whose text is one line for the person who started the program.
pub async fn connect(url: &str) -> std::result::Result<Arc<dyn Store>, ConnectError> {
    match url.split_once(':').map(|(scheme, _)| scheme) {
        Some("sqlite") => Ok(Arc::new(sqlite::SqliteStore::connect(url).await?)),
        Some("postgres" | "postgresql") => {
            Ok(Arc::new(postgres::PostgresStore::connect(url).await?))
        }
        _ => Err(ConnectError::UnknownScheme),
    }
}

/// The file the database at `url` is in; `None` if it is on a server or in memory.
pub fn database_file(url: &str) -> Option<PathBuf> {
    sqlite::database_file(url)
}

/// Everything the server may ask of its database.
pub trait Store: Commit + Interactions + Tasks + Journal + Agents + Credentials + People {}

impl<T: Commit + Interactions + Tasks + Journal + Agents + Credentials + People> Store for T {}

/// The one way to change state.
#[async_trait]
pub trait Commit: Send + Sync {
    /// Makes the changeset durable and returns its events, numbered. Returns only after COMMIT.
    ///
    /// # Errors
    /// [`CommitError::Conflict`] when an interaction or a task in it is no longer at the version the
    /// changeset was decided on, or its idempotency key is taken; nothing of it is kept then.
    /// [`CommitError::Failed`] when the database failed; whether the changeset was kept is then unknown.
    async fn commit(&self, changeset: Changeset) -> std::result::Result<Vec<Event>, CommitError>;

    /// Changes whenever this node has reason to believe that the journal has grown: its own commits
    /// and, on Postgres, other nodes' notifications. Only a hint: what counts is
    /// [`Journal::events_after`].
    fn growth(&self) -> watch::Receiver<()>;
}

/// Reading interactions.
#[async_trait]
pub trait Interactions: Send + Sync {
    /// One interaction.
    async fn interaction(&self, id: InteractionId) -> Result<Option<Interaction>>;

    /// What this agent has asked under this idempotency key: which interaction, and the fingerprint of
    /// the request.
    async fn asked_under(
        &self,
        agent: AgentId,
        key: &str,
    ) -> Result<Option<(InteractionId, [u8; 32])>>;

    /// Newest first; with words to search for, those that have a text (question, answer or follow-up)
    /// with a beginning of every word in it.
    async fn interactions(&self, query: &InteractionQuery) -> Result<Vec<Interaction>>;

    /// Pending blockers in the order people should see them: sync before async, urgent before
    /// normal, then oldest first.
    async fn waiting(&self, limit: u32) -> Result<Vec<Interaction>>;

    /// Closed interactions, last closed first.
    async fn recently_closed(&self, limit: u32) -> Result<Vec<Interaction>>;

    /// How many blockers of this agent are pending.
    async fn pending_count(&self, agent: AgentId) -> Result<u32>;

    /// What happened to blockers since `since`.
    async fn counts(&self, since: DateTime<Utc>) -> Result<Counts>;

    /// Pending interactions whose deadline is at or before `now`, longest overdue first.
    async fn due(&self, now: DateTime<Utc>, limit: u32) -> Result<Vec<Interaction>>;
}

/// Reading tasks.
#[async_trait]
pub trait Tasks: Send + Sync {
    /// One task of an agent.
    async fn task(&self, agent: AgentId, id: &str) -> Result<Option<Task>>;

    /// A task with its pending blockers, as of one moment.
    ///
    /// # Errors
    /// Also when one of them cannot be read: a rule must not decide without it.
    async fn work(&self, agent: AgentId, id: &str) -> Result<Option<Work>>;

    /// Last changed first.
    async fn tasks(&self, query: &TaskQuery) -> Result<Vec<Task>>;
}

/// Reading the journal.
#[async_trait]
pub trait Journal: Send + Sync {
    /// The number of the newest event, 0 when there is none.
    async fn last_seq(&self) -> Result<i64>;

    /// Events after `after` in order; only those of `agent` when one is given.
    async fn events_after(
        &self,
        after: i64,
        agent: Option<AgentId>,
        limit: u32,
    ) -> Result<Vec<Event>>;

    /// Every event of one interaction, in order.
    async fn events_of(&self, interaction: InteractionId) -> Result<Vec<Event>>;

    /// Stored events after `after` in order, column by column. See [`walk_journal`] for all of them.
    async fn records_after(&self, after: i64, limit: u32) -> Result<Vec<Record>>;

    /// Only the numbers and the hashes of stored events.
    async fn hashes_after(&self, after: i64, limit: u32) -> Result<Vec<(i64, Vec<u8>)>>;

    /// The number of the first stored event after `after`, even if the rest of it cannot be read.
    async fn seq_after(&self, after: i64) -> Result<Option<i64>>;
}

/// Agents.
#[async_trait]
pub trait Agents: Send + Sync {
    /// All agents by name.
    async fn agents(&self) -> Result<Vec<AgentRecord>>;

    /// The agent of this name.
    async fn agent_named(&self, name: &str) -> Result<Option<AgentId>>;
}

/// Agent and responder tokens.
#[async_trait]
pub trait Credentials: Send + Sync {
    /// Stores a token. An agent token's agent is found by name or created with `new_agent`'s id.
    async fn create_token(&self, token: &NewToken, new_agent: AgentId) -> Result<()>;

    /// Who holds this token; `None` also when it was revoked.
    async fn token_holder(&self, hash: &SecretHash) -> Result<Option<Holder>>;

    /// Notes when tokens were used, and their agents seen.
    async fn used(&self, uses: &[(TokenId, DateTime<Utc>)]) -> Result<()>;

    /// Every token there ever was, by kind and name, then oldest first.
    async fn tokens(&self) -> Result<Vec<TokenRecord>>;

    /// Ends a token, for good. Returns whether it worked until now.
    async fn revoke_token(&self, token: TokenId, at: DateTime<Utc>) -> Result<bool>;
}

/// People and how they get in.
#[async_trait]
pub trait People: Send + Sync {
    /// Stores a person.
    async fn create_person(&self, person: &Person, now: DateTime<Utc>) -> Result<()>;

    /// The admin who was created first.
    async fn first_admin(&self) -> Result<Option<Person>>;

    /// Stores a one-time link for a person. Their earlier links end, and expired ones are cleared away.
    async fn create_sign_in_link(
        &self,
        hash: &SecretHash,
        person: PersonId,
        expires_at: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<()>;

    /// Whose link this is, if it is still good. Does not use it up.
    async fn sign_in_link(&self, hash: &SecretHash, now: DateTime<Utc>) -> Result<Option<Person>>;

    /// Uses the link up and starts a browser session, in one transaction: of two who try at once,
    /// one gets in.
    async fn redeem_sign_in_link(
        &self,
        link: &SecretHash,
        session: &SecretHash,
        session_expires_at: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Option<Person>>;

    /// Whose browser session this is, if it has not ended.
    async fn browser_session(
        &self,
        hash: &SecretHash,
        now: DateTime<Utc>,
    ) -> Result<Option<Person>>;

    /// Ends a browser session; one that has ended already stays ended.
    async fn end_browser_session(&self, hash: &SecretHash) -> Result<()>;
}
