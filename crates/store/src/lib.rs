//! SQL and nothing else: SQLite by default, Postgres for several nodes, behind one [`Store`].
//!
//! State changes only through [`Commit::commit`], which makes a [`Changeset`] durable in one
//! transaction or refuses it whole. Everything else here reads, or keeps browsers signed in.
//!
//! Uses `domain`. Begin with the traits in this file, then `writer.rs`.

#![warn(missing_docs)]
#![expect(
    clippy::duplicate_mod,
    reason = "what is the same on both databases stands in `both/` once, and is made for each"
)]

mod access;
mod error;
mod inbox;
mod inspect;
mod journal;
mod ladders;
mod migrate;
mod outbox;
mod page;
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
mod url;
mod writer;

use std::{collections::HashMap, path::PathBuf, sync::Arc};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    AgentId, Audience, Changeset, Day, Delivery, DeliveryId, DestinationId, Event, Identity,
    Interaction, InteractionId, Membership, MessageId, Parts, Person, PersonId, SecretHash,
    SessionId, SlackId, Task, Team, TeamId, TokenId, Verify,
    access::{WaysIn, factor::Factor},
    decide::interaction::{Erasable, Snooze, Versions},
    delivery::{ReachKind, SealedSecret},
    interaction::{Brief, Signs, Unproven},
    journal::Record,
    ladder::{Held, Ladder, Quiet, Reachable as ReachablePerson},
    obligation::Obligation,
    slack::OnCard,
    slack_pace::Pace,
    task::Work,
};
use tokio::sync::watch;

pub use access::{
    Account, Holder, IdentityRecord, MadeLink, OpenSession, PersonRecord, SessionData,
    SessionRecord, TokenRecord,
};
pub use error::{CommitError, ConnectError, StoreError};
pub use inbox::{KeptMessage, NewMessage};
pub use inspect::{AdminWays, Content, Inspection, Schema};
pub use journal::{JournalState, history_of, verify_journal, walk_journal};
pub use ladders::{Answerer, Climbing, HeldDue, LadderRecord};
pub use outbox::{
    Attempt, AttemptEnd, Claimed, DeliveryQuery, DeliveryRecord, EndpointRecord, Follower, Mark,
    NewsPage, Owing, Ready, Stopped, StuckChannel,
};
pub use page::{EventPage, Page};
pub use query::{
    AgentRecord, Counts, Due, InteractionQuery, OfTeams, TaskPlace, TaskQuery, Thread,
    WaitingCounts, WithWords,
};
pub use reach_numbers::{MessagesBy, Reaching, WaysBy};
pub use reaches::{ReachRecord, Told, ToldPage};
pub use teams::{Asker, DutyRecord, TeamRecord, TeamUse};

use url::Scheme;
use uuid::Uuid;

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
    + Endpoints
    + Inbox
    + Cards
    + Paces
    + Nodes
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
        + Endpoints
        + Inbox
        + Cards
        + Paces
        + Nodes
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

/// Reading interactions.
#[async_trait]
pub trait Interactions: Send + Sync {
    /// From now on decisions are read as far as these keys prove them (rule 12). Until it is called none is:
    /// all read as [`State::Void`](domain::State::Void). Only the first call counts.
    fn trust(&self, keys: Arc<dyn Verify>);

    /// This interaction, of wherever it was made, as far as its decision is proven: as [`Self::interaction`]
    /// would return it.
    fn proven(&self, interaction: Interaction) -> Interaction;

    /// Whether this event may be passed on: its word on a decision is proven by its receipt.
    fn proves(&self, event: &Event) -> bool;

    /// The decisions that were read since and are not proven, at most 1,000; each was logged as an error.
    fn void(&self) -> Vec<(InteractionId, Unproven)>;

    /// One interaction.
    async fn interaction(&self, id: InteractionId) -> Result<Option<Interaction>>;

    /// Interactions after `after` in the order of their ids, as they are stored: nothing of them is proven.
    /// For the check of the rows against the journal.
    ///
    /// # Errors
    /// Also when one of them cannot be read.
    async fn stored_after(
        &self,
        after: Option<InteractionId>,
        limit: u32,
    ) -> Result<Vec<Interaction>>;

    /// Of the same interactions those whose columns, by which they are found, say something else than their content.
    async fn strays_after(
        &self,
        after: Option<InteractionId>,
        limit: u32,
    ) -> Result<Vec<InteractionId>>;

    /// The interaction that this message in Slack shows; the first, if it shows several.
    async fn interaction_of_card(&self, channel: &str, ts: &str) -> Result<Option<InteractionId>>;

    /// The threads under the cards of blockers that are pending, or were closed since then.
    async fn threads(&self, closed_since: DateTime<Utc>) -> Result<Vec<Thread>>;

    /// The interaction that this agent has asked under this idempotency key, and the fingerprint of
    /// the request.
    async fn asked_under(
        &self,
        agent: AgentId,
        key: &str,
    ) -> Result<Option<(InteractionId, [u8; 32])>>;

    /// Newest first; with words to search for, those that have a text (question, answer or follow-up)
    /// with a beginning of every word in it.
    async fn interactions(
        &self,
        query: &InteractionQuery,
    ) -> Result<Page<Interaction, InteractionId>>;

    /// The same as lists show them, all that are asked for.
    async fn briefs(&self, query: &InteractionQuery) -> Result<Vec<Brief>>;

    /// Pending blockers in the order people should see them: sync before async, urgent before
    /// normal, then oldest first.
    async fn waiting(&self, audience: &Audience, limit: u32) -> Result<Vec<Brief>>;

    /// Pending blockers of a task, oldest first.
    async fn waiting_in(
        &self,
        audience: &Audience,
        agent: AgentId,
        task: &str,
        limit: u32,
    ) -> Result<Vec<Brief>>;

    /// Closed interactions, last closed first.
    async fn recently_closed(&self, audience: &Audience, limit: u32) -> Result<Vec<Brief>>;

    /// How many blockers of this agent are pending.
    async fn pending_count(&self, agent: AgentId) -> Result<u32>;

    /// The weight of all pending blockers of a task, as
    /// [`Request::weight`](domain::interaction::Request::weight) has it.
    async fn pending_weight(&self, agent: AgentId, task: &str) -> Result<i64>;

    /// How many blockers are pending.
    async fn waiting_counts(&self, audience: &Audience) -> Result<WaitingCounts>;

    /// Counts of blockers since `since`.
    async fn counts(&self, audience: &Audience, since: DateTime<Utc>) -> Result<Counts>;

    /// Where a plan stands among its versions; its number is 0 when there is no such interaction.
    async fn plan_versions(&self, id: InteractionId) -> Result<Versions>;

    /// Pending interactions whose deadline is at or before `now`, longest overdue first, without the first `skip`.
    async fn due(&self, now: DateTime<Utc>, skip: u32, limit: u32) -> Result<Vec<Due>>;

    /// Pending interactions, not past their deadline, whose claim ran out at or before `now`, the longest first, without
    /// the first `skip`.
    async fn claims_run_out(
        &self,
        now: DateTime<Utc>,
        skip: u32,
        limit: u32,
    ) -> Result<Vec<InteractionId>>;

    /// Pending interactions that are claimed at `now`, the longest first, at most `limit`.
    async fn claimed(&self, now: DateTime<Utc>, limit: u32) -> Result<Vec<InteractionId>>;
}

/// Snoozes: blockers that a person has hidden for a while. They are each person's own: they stand beside the journal.
#[async_trait]
pub trait Snoozes: Send + Sync {
    /// Hides it until a time, also where another was chosen before.
    async fn snooze(&self, snooze: &Snooze) -> Result<()>;

    /// Ends that; `false` when it was not snoozed.
    async fn end_snooze(&self, person: PersonId, interaction: InteractionId) -> Result<bool>;

    /// What this person has snoozed until after `now` and is still pending, the next to come back first.
    async fn snoozes_of(&self, person: PersonId, now: DateTime<Utc>) -> Result<Vec<Snooze>>;

    /// Forgets what has come back by `now`.
    async fn forget_snoozes(&self, now: DateTime<Utc>) -> Result<u64>;
}

/// The signs of life of agents: to a minute, and beside the journal, since agents call far more often than anything changes.
#[async_trait]
pub trait SignsOfLife: Send + Sync {
    /// Notes when agents asked after interactions. An earlier time than the known one changes nothing.
    async fn asked_after(&self, asked: &[(InteractionId, DateTime<Utc>)]) -> Result<()>;

    /// Notes when agents read the events, or waited for them. An earlier time than the known one changes nothing.
    async fn listened(&self, agents: &[(AgentId, DateTime<Utc>)]) -> Result<()>;

    /// What is known of the agents of those of these interactions that are pending.
    async fn signs(&self, of: &[InteractionId]) -> Result<HashMap<InteractionId, Signs>>;

    /// Forgets who asked before that after what is closed, and returns how much that was.
    async fn forget_signs(&self, before: DateTime<Utc>) -> Result<u64>;
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
    async fn tasks(&self, query: &TaskQuery) -> Result<Page<Task, TaskPlace>>;
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
}

/// Agents.
#[async_trait]
pub trait Agents: Send + Sync {
    /// The agents that the audience sees by name, with the bytes they have had stored on this day.
    async fn agents(&self, audience: &Audience, day: Day) -> Result<Vec<AgentRecord>>;

    /// How many bytes an agent has had stored on this day.
    async fn stored_by(&self, agent: AgentId, day: Day) -> Result<u64>;

    /// The agent of this name.
    async fn agent_named(&self, name: &str) -> Result<Option<AgentId>>;
}

/// Agent and responder tokens.
#[async_trait]
pub trait Tokens: Send + Sync {
    /// The holder of this token, also when it has expired; `None` also when it was revoked.
    async fn token_holder(&self, hash: &SecretHash) -> Result<Option<Holder>>;

    /// The tokens of an agent that are good at `now`, newest first, at most `limit`.
    async fn agent_tokens(
        &self,
        agent: AgentId,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<TokenId>>;

    /// Notes when tokens were used, and their agents seen.
    async fn tokens_used(&self, uses: &[(TokenId, DateTime<Utc>)]) -> Result<()>;

    /// Every token there ever was, by kind and name, then oldest first.
    async fn tokens(&self) -> Result<Vec<TokenRecord>>;
}

/// People and their links.
#[async_trait]
pub trait People: Send + Sync {
    /// One person.
    async fn person(&self, id: PersonId) -> Result<Option<Person>>;

    /// The person who is this user of Slack, also when they are disabled.
    async fn person_in_slack(&self, id: &SlackId) -> Result<Option<Person>>;

    /// Everybody by name, with the links and sessions that are good at `now`.
    async fn people(&self, now: DateTime<Utc>) -> Result<Vec<PersonRecord>>;

    /// The person who has this [`Person::name_key`], also when they are disabled.
    async fn account(&self, name_key: &str) -> Result<Option<Account>>;

    /// The person whose link this is, if it is still good. Does not use it up.
    async fn sign_in_link(&self, hash: &SecretHash, now: DateTime<Utc>) -> Result<Option<Person>>;

    /// The last link that was made for this person when they had a password.
    async fn made_link(&self, person: PersonId) -> Result<Option<MadeLink>>;

    /// Notes that they have read of it, if it is still the last.
    async fn told_of_link(&self, person: PersonId, made_at: DateTime<Utc>) -> Result<()>;
}

/// Teams (rule 18).
#[async_trait]
pub trait Teams: Send + Sync {
    /// One team, also when it was deleted.
    async fn team(&self, id: TeamId) -> Result<Option<Team>>;

    /// The team that has this [`Person::name_key`] now.
    async fn team_named(&self, name_key: &str) -> Result<Option<Team>>;

    /// Those that were not deleted, by name.
    async fn teams(&self) -> Result<Vec<TeamRecord>>;

    /// The teams of a person.
    async fn parts(&self, person: PersonId) -> Result<Parts>;

    /// The same by name, and who made the person a member of each.
    async fn memberships(&self, person: PersonId) -> Result<Vec<Membership>>;

    /// The teams that an agent may ask.
    async fn asker(&self, agent: AgentId) -> Result<Asker>;

    /// What keeps a team from being deleted.
    async fn team_use(&self, team: TeamId) -> Result<TeamUse>;

    /// Whose the events after `after` are, up to `up_to`: the team of an interaction as it is now, the home of a task's
    /// agent. Those of everyone are not in it.
    async fn teams_of_events(&self, after: i64, up_to: i64) -> Result<HashMap<i64, TeamId>>;
}

/// Who of a team is on duty. It is changed by changesets.
#[async_trait]
pub trait Duties: Send + Sync {
    /// The duty of a team as of one moment, unless the team was deleted.
    async fn duty(&self, team: TeamId) -> Result<Option<DutyRecord>>;

    /// Those of these teams that have a rota.
    async fn with_rota(&self, teams: &[TeamId]) -> Result<Vec<TeamId>>;

    /// Whose address of which team's calendar this is, if it is good.
    async fn calendar_owner(&self, hash: &SecretHash) -> Result<Option<(TeamId, PersonId)>>;
}

/// Browsers that are signed in, or on their way. A session is good until it expires, has not been used for
/// [`SESSION_IDLE`](domain::limits::SESSION_IDLE), or is ended. A person's ends by a changeset, or by itself.
#[async_trait]
pub trait Sessions: Send + Sync {
    /// The session of this cookie, if it is good and began under this name of the server.
    async fn session(
        &self,
        hash: &SecretHash,
        host: &str,
        now: DateTime<Utc>,
    ) -> Result<Option<OpenSession>>;

    /// Notes that its owner has given their password there.
    async fn session_proven(&self, session: SessionId, at: DateTime<Utc>) -> Result<()>;

    /// The good sessions of a person, last used first.
    async fn sessions(&self, person: PersonId, now: DateTime<Utc>) -> Result<Vec<SessionRecord>>;

    /// What is kept for the browser with this cookie, signed in or not, if its session is good.
    async fn session_data(
        &self,
        hash: &SecretHash,
        now: DateTime<Utc>,
    ) -> Result<Option<SessionData>>;

    /// Begins the session of a browser that is not signed in. `false` when the cookie is taken.
    async fn open_session(
        &self,
        id: SessionId,
        hash: &SecretHash,
        data: &SessionData,
        now: DateTime<Utc>,
    ) -> Result<bool>;

    /// Keeps other data for it, if it is there.
    async fn keep_session_data(&self, hash: &SecretHash, json: &str) -> Result<()>;

    /// Ends it, unless a person is signed in. `false` when there was none to end: of many who end one, one does.
    async fn drop_unsigned_session(&self, hash: &SecretHash) -> Result<bool>;

    /// Notes when sessions were used.
    async fn sessions_used(&self, uses: &[(SessionId, DateTime<Utc>)]) -> Result<()>;
}

/// Second factors, which [`FactorChange`](domain::access::factor::FactorChange)s change.
#[async_trait]
pub trait Factors: Send + Sync {
    /// Those of a person, first added first.
    async fn factors(&self, person: PersonId) -> Result<Vec<Factor>>;

    /// The passkey that its device calls so, whoever's it is.
    async fn passkey(&self, credential: &[u8]) -> Result<Option<Factor>>;

    /// How many recovery codes a person has left.
    async fn recovery_codes(&self, person: PersonId) -> Result<i64>;
}

/// Who people are at the providers by which they sign in. They are linked and unlinked by changesets.
#[async_trait]
pub trait Identities: Send + Sync {
    /// The person whose identity this is, also when they are disabled.
    async fn person_known_as(&self, identity: &Identity) -> Result<Option<Person>>;

    /// The identities of a person, linked first first.
    async fn identities_of(&self, person: PersonId) -> Result<Vec<IdentityRecord>>;

    /// All of them, by issuer and subject.
    async fn identities(&self) -> Result<Vec<IdentityRecord>>;

    /// Whether there is an admin who is not disabled and can come in by one of these ways, other than this one. Without
    /// ways any will do: who has a password, a passkey or an identity.
    async fn another_admin(&self, but: Option<PersonId>, ways: Option<&WaysIn>) -> Result<bool>;
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

/// The ways to get at people, which changesets change. A message to one is a delivery of the outbox, of the event that is
/// its [`Cause`](domain::delivery::Cause): put there by a [`Write::Tell`](domain::Write::Tell) in the commit of that event, or by
/// [`Reaches::tell`] after it.
#[async_trait]
pub trait Reaches: Send + Sync {
    /// One reach, also when it has ended.
    async fn reach(&self, id: DestinationId) -> Result<Option<ReachRecord>>;

    /// Those of a person that have not ended, first added first.
    async fn reaches_of(&self, person: PersonId) -> Result<Vec<ReachRecord>>;

    /// Those of a person that ended after `since` without being removed, last ended first, at most `limit`.
    async fn lost_reaches(
        &self,
        person: PersonId,
        since: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<ReachRecord>>;

    /// How many of this kind a person has added after `since`, those that have ended included.
    async fn reaches_added(
        &self,
        person: PersonId,
        kind: ReachKind,
        since: DateTime<Utc>,
    ) -> Result<u32>;

    /// The one of this browser that has not ended, whoever's it is.
    async fn reach_of_browser(&self, browser: &SecretHash) -> Result<Option<ReachRecord>>;

    /// The reaches that messages about this interaction went to, or may have gone to, where they can be taken away again.
    async fn told(&self, interaction: InteractionId) -> Result<Vec<DestinationId>>;

    /// The last event that people were told of, as far as any is.
    async fn told_up_to(&self) -> Result<i64>;

    /// What people can be told of among the `limit` events after `after`.
    async fn to_tell(&self, after: i64, limit: u32) -> Result<ToldPage>;

    /// Makes messages of what happened after `from`, and moves [`Reaches::told_up_to`] from there to `up_to`, in one
    /// transaction. `false`, and nothing is made, when it is not there any more.
    async fn tell(&self, from: i64, up_to: i64, messages: &[Obligation]) -> Result<bool>;

    /// The key by which push services know this server, sealed: the one that is kept, or this one from now on.
    async fn push_key(&self, fresh: &SealedSecret) -> Result<SealedSecret>;
}

/// How people are reached, in numbers.
#[async_trait]
pub trait ReachNumbers: Send + Sync {
    /// What became of the messages about blockers that were made since then, by way.
    async fn messages_since(&self, since: DateTime<Utc>) -> Result<Vec<MessagesBy>>;

    /// The newest `limit` blockers that were asked since then, newest first.
    async fn reaching_since(&self, since: DateTime<Utc>, limit: u32) -> Result<Vec<Reaching>>;

    /// The ways by which people can be reached now.
    async fn ways(&self) -> Result<Vec<WaysBy>>;
}

/// Ladders (rule 17): how silence climbs, where each blocker stands, and what people are not told yet. All but what is
/// told otherwise is changed by changesets.
#[async_trait]
pub trait Ladders: Send + Sync {
    /// The ladder of a team; without a team that of everyone.
    async fn ladder(&self, team: Option<TeamId>) -> Result<LadderRecord>;

    /// All that were set, that of everyone first.
    async fn ladders(&self) -> Result<Vec<(Option<TeamId>, Ladder)>>;

    /// The quiet hours of a person.
    async fn quiet_hours(&self, person: PersonId) -> Result<Option<Quiet>>;

    /// Those of everybody who has some.
    async fn all_quiet_hours(&self) -> Result<Vec<(PersonId, Quiet)>>;

    /// Whether there is anybody who can be told of anything.
    async fn anybody_is_reached(&self) -> Result<bool>;

    /// Blockers whose next rung is due at `now`, longest overdue first, without the first `skip`.
    async fn climbing(&self, now: DateTime<Utc>, skip: u32, limit: u32) -> Result<Vec<Climbing>>;

    /// Where a blocker stands, if a rung of its ladder is to come.
    async fn place_on_ladder(&self, id: InteractionId) -> Result<Option<Climbing>>;

    /// No rung is to come any more, unless it stands elsewhere by now. No changeset: it tells of nothing.
    async fn leave_ladder(&self, climbing: Climbing) -> Result<()>;

    /// The same rung comes at another time, unless it stands elsewhere by now. No changeset either.
    async fn put_off_rung(&self, climbing: Climbing, at: DateTime<Utc>) -> Result<()>;

    /// What waits and stands before its first rung with none to come is on its ladder at `now`: a server of an earlier
    /// version has asked it. Returns how much that was.
    async fn join_ladder(&self, now: DateTime<Utc>) -> Result<u64>;

    /// Everybody who can come in and whose role answers.
    async fn answerers(&self, team: Option<TeamId>) -> Result<Vec<Answerer>>;

    /// What telling these people needs, as of `now`, of one interaction or of several.
    async fn reachable_people(
        &self,
        people: &[Answerer],
        about: Option<InteractionId>,
        now: DateTime<Utc>,
    ) -> Result<Vec<ReachablePerson>>;

    /// At most `limit` people from whom something was held back until `now`, with all of it that may be told by then.
    async fn held_due(&self, now: DateTime<Utc>, limit: u32) -> Result<Vec<HeldDue>>;

    /// Holds it back for longer, for quiet hours. No changeset: no one is told.
    async fn hold_longer(&self, held: &[Held], until: DateTime<Utc>) -> Result<()>;

    /// It is not held back any more, since nothing of it waits. No changeset: no one is told.
    async fn drop_held(&self, held: &[Held]) -> Result<()>;

    /// Whether a person has opened it.
    async fn has_seen(&self, interaction: InteractionId, person: PersonId) -> Result<bool>;

    /// Forgets messages that were sent before this moment, and returns how many these were.
    async fn forget_sent(&self, before: DateTime<Utc>) -> Result<u64>;
}

/// Webhook endpoints.
#[async_trait]
pub trait Endpoints: Send + Sync {
    /// One endpoint, also when it was deleted.
    async fn endpoint(&self, id: DestinationId) -> Result<Option<EndpointRecord>>;

    /// Those that were not deleted, oldest first.
    async fn endpoints(&self) -> Result<Vec<EndpointRecord>>;
}

/// People's messages in Slack, from before they are acknowledged until they were heard, and for a while
/// longer: a message that comes again is recognised.
#[async_trait]
pub trait Inbox: Send + Sync {
    /// Keeps those that are not there yet, and returns how many these were. It is there already if the event
    /// is, or a message of this name in this channel with the same changes, or of the same gesture.
    async fn keep_messages(&self, messages: &[NewMessage]) -> Result<u64>;

    /// Messages that were not heard and wait no longer at `now`, oldest first.
    async fn messages_to_hear(&self, now: DateTime<Utc>, limit: u32) -> Result<Vec<KeptMessage>>;

    /// Lets a message wait until `next_at`, if it was not heard.
    async fn postpone_message(&self, id: MessageId, next_at: DateTime<Utc>) -> Result<()>;

    /// Makes a message that nothing comes of count as heard, and says why. Returns whether it had not been
    /// before. The result of others is a [`Write::Heard`](domain::Write::Heard) of their changeset.
    async fn set_message_aside(&self, id: MessageId, at: DateTime<Utc>, note: &str)
    -> Result<bool>;

    /// Whether a message was heard; one that is not there any more was.
    async fn is_message_heard(&self, id: MessageId) -> Result<bool>;

    /// How many wait to be heard.
    async fn waiting_messages(&self) -> Result<i64>;

    /// Forgets those that were heard before this moment, and returns how many these were.
    async fn forget_messages(&self, before: DateTime<Utc>) -> Result<u64>;
}

/// A node that runs now; another one after a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeId(pub Uuid);

/// A person who has a place of the desk open.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Present {
    /// Who.
    pub person: PersonId,
    /// The name others see.
    pub name: String,
    /// The path of the place.
    pub place: String,
}

/// The nodes that share a database.
#[async_trait]
pub trait Nodes: Send + Sync {
    /// Says how many connections of Socket Mode a node has at `at`, and returns how many the others have, as far as they
    /// said so since then.
    async fn connections_elsewhere(
        &self,
        node: NodeId,
        connections: i64,
        at: DateTime<Utc>,
        since: DateTime<Utc>,
    ) -> Result<i64>;

    /// Says who is present on a node at `at`, unless that is `None`: then it is as it was said last. Returns who is on
    /// the others, as far as they said so since then.
    async fn present_elsewhere(
        &self,
        node: NodeId,
        here: Option<&[Present]>,
        at: DateTime<Utc>,
        since: DateTime<Utc>,
    ) -> Result<Vec<Present>>;

    /// Keeps where people reach the server that was started last.
    async fn serves_at(&self, url: &str) -> Result<()>;

    /// Where that is; `None` before the first start.
    async fn served_at(&self) -> Result<Option<String>>;
}

/// The question that the card of each form in Slack shows, one at a time.
#[async_trait]
pub trait Cards: Send + Sync {
    /// The question that stands on the card of this form; `None` while it is unknown.
    async fn question_on_card(&self, id: InteractionId) -> Result<Option<OnCard>>;

    /// Keeps which question stands on a card, and since when at the latest. One that stands there already does
    /// so since it was known first; another one never does from before it.
    async fn put_question_on_card(&self, id: InteractionId, on_card: &OnCard) -> Result<()>;

    /// Keeps that this message shows an interaction, too, whose card is another one.
    async fn put_twin(&self, id: InteractionId, channel: &str, ts: &str) -> Result<()>;

    /// The interaction that this message shows, too.
    async fn interaction_of_twin(&self, channel: &str, ts: &str) -> Result<Option<InteractionId>>;
}

/// How often Slack's methods are called: all nodes take turns.
#[async_trait]
pub trait Paces: Send + Sync {
    /// The pace of a method, and the version of it.
    async fn pace(&self, method: &str) -> Result<(Pace, i64)>;

    /// Keeps the pace of a method, if it is still the version that was read. Returns whether it was.
    async fn put_pace(&self, method: &str, pace: &Pace, read: i64) -> Result<bool>;
}
