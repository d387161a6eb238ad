//! Reads of agents, and of people and programs that are let in.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    AgentId, Audience, Day, Identity, InteractionId, Person, PersonId, SecretHash, SessionId,
    SlackId, TokenId,
    access::{WaysIn, factor::Factor},
};

use crate::{
    Account, AgentRecord, Asking, Holder, IdentityRecord, MadeLink, OpenSession, PersonRecord,
    Result, SessionData, SessionRecord, TokenRecord,
};

/// Agents.
#[async_trait]
pub trait Agents: Send + Sync {
    /// The agents that the audience sees by name, with the bytes they have had stored on this day.
    async fn agents(&self, audience: &Audience, day: Day) -> Result<Vec<AgentRecord>>;

    /// What an agent may ask, how much it has had stored on this day, and how many of its blockers are pending: these are counted
    /// up to `pending`.
    async fn asking(&self, agent: AgentId, day: Day, pending: u32) -> Result<Asking>;

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

    /// The people who own an agent by a token that was not revoked before this moment, each once; nobody where one that was
    /// good then or later belongs to nobody.
    async fn owners_of(&self, agent: AgentId, since: DateTime<Utc>) -> Result<Vec<PersonId>>;

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

    /// Whether this person could not answer, or not for each of their teams, for a time since they approved this interaction at
    /// this moment, as the journal has it: disabled, of a lesser role, out of a team, or only reading there.
    async fn has_lapsed(
        &self,
        person: PersonId,
        interaction: InteractionId,
        approved_at: DateTime<Utc>,
    ) -> Result<bool>;

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
