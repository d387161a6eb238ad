//! People, sessions and tokens as stored.

use domain::{
    Actor, AgentId, AgentRef, Identity, Part, Parts, PasswordHash, Person, PersonId, Principal,
    Role, SecretHash, SessionId, SlackId, TokenId, TokenKind,
    access::{Owner, Token},
};
use sqlx::FromRow;
use uuid::Uuid;

use super::{team_ids, time};
use crate::{
    Account, Holder, IdentityRecord, MadeLink, OpenSession, PersonRecord, Result, SessionData,
    SessionRecord, StoreError, TokenRecord,
};

#[derive(Debug, FromRow)]
pub(crate) struct PersonRow {
    id: Uuid,
    version: i64,
    name: String,
    role: String,
    invited_at: i64,
    disabled_at: Option<i64>,
    slack_id: Option<String>,
}

impl TryFrom<PersonRow> for Person {
    type Error = StoreError;

    fn try_from(row: PersonRow) -> Result<Self> {
        let at = |millis| time(millis, "people", row.id);
        Ok(Self {
            id: PersonId(row.id),
            version: row.version,
            role: Role::from_name(&row.role)
                .ok_or_else(|| StoreError::inconsistent("people", "role", row.id, &row.role))?,
            invited_at: at(row.invited_at)?,
            disabled_at: row.disabled_at.map(at).transpose()?,
            slack_id: row
                .slack_id
                .map(|id| {
                    SlackId::parse(&id).map_err(|_| {
                        StoreError::inconsistent("people", "slack_id", row.id, "it is no Slack id")
                    })
                })
                .transpose()?,
            name: row.name,
        })
    }
}

/// A person with all that belongs to them.
#[derive(FromRow)]
pub(crate) struct PersonRecordRow {
    #[sqlx(flatten)]
    person: PersonRow,
    password_hash: Option<String>,
    link_expires_at: Option<i64>,
    seen_at: Option<i64>,
    #[sqlx(flatten)]
    made_link: MadeLinkRow,
}

impl TryFrom<PersonRecordRow> for PersonRecord {
    type Error = StoreError;

    fn try_from(row: PersonRecordRow) -> Result<Self> {
        let id = row.person.id;
        let at = |millis| time(millis, "people", id);
        Ok(Self {
            has_password: row.password_hash.is_some(),
            link_expires_at: row.link_expires_at.map(at).transpose()?,
            seen_at: row.seen_at.map(at).transpose()?,
            made_link: row.made_link.read(id)?,
            person: row.person.try_into()?,
        })
    }
}

/// The last link made for a person.
#[derive(Debug, FromRow)]
pub(crate) struct MadeLinkRow {
    linked_at: Option<i64>,
    linked_by: Option<String>,
    link_told: bool,
}

impl MadeLinkRow {
    pub(crate) fn read(self, id: Uuid) -> Result<Option<MadeLink>> {
        let (Some(at), Some(by)) = (self.linked_at, self.linked_by) else {
            return Ok(None);
        };
        Ok(Some(MadeLink {
            at: time(at, "people", id)?,
            by: actor(&by, "people", "linked_by", id)?,
            told: self.link_told,
        }))
    }
}

/// A column holds the text that [`actor_text`] wrote.
fn actor(text: &str, table: &'static str, column: &'static str, id: Uuid) -> Result<Actor> {
    serde_json::from_str(text).map_err(|_| StoreError::inconsistent(table, column, id, "no actor"))
}

/// The actor, as events have it.
pub(crate) fn actor_text(actor: &Actor) -> Result<String> {
    serde_json::to_string(actor)
        .map_err(|error| StoreError::inconsistent("tokens or people", "actor", "(new)", error))
}

/// A person's name and password.
#[derive(FromRow)]
pub(crate) struct AccountRow {
    #[sqlx(flatten)]
    person: PersonRow,
    password_hash: Option<String>,
}

impl TryFrom<AccountRow> for Account {
    type Error = StoreError;

    fn try_from(row: AccountRow) -> Result<Self> {
        Ok(Self {
            password: row.password_hash.map(PasswordHash),
            person: row.person.try_into()?,
        })
    }
}

/// One of the names by which a provider knows a person.
#[derive(Debug, FromRow)]
pub(crate) struct IdentityRow {
    person_id: Uuid,
    issuer: String,
    subject: String,
    linked_at: i64,
}

impl TryFrom<IdentityRow> for IdentityRecord {
    type Error = StoreError;

    fn try_from(row: IdentityRow) -> Result<Self> {
        let identity = Identity::new(&row.issuer, &row.subject).map_err(|fault| {
            let what = format!("{} {}", fault.path, fault.message);
            StoreError::inconsistent("identities", "subject", row.person_id, what)
        })?;
        Ok(Self {
            person: PersonId(row.person_id),
            identity,
            linked_at: time(row.linked_at, "identities", row.person_id)?,
        })
    }
}

/// A session with whom it belongs to.
#[derive(Debug, FromRow)]
pub(crate) struct OpenSessionRow {
    session: Uuid,
    proven_at: i64,
    #[sqlx(flatten)]
    person: PersonRow,
}

impl OpenSessionRow {
    /// Whose it is.
    pub(crate) fn person(&self) -> PersonId {
        PersonId(self.person.id)
    }

    pub(crate) fn with(self, teams: Parts) -> Result<OpenSession> {
        Ok(OpenSession {
            id: SessionId(self.session),
            proven_at: time(self.proven_at, "browser_sessions", self.session)?,
            person: self.person.try_into()?,
            teams,
        })
    }
}

/// A browser that is signed in.
#[derive(Debug, FromRow)]
pub(crate) struct SessionRow {
    id: Uuid,
    created_at: i64,
    seen_at: i64,
    browser: String,
    address: String,
}

impl TryFrom<SessionRow> for SessionRecord {
    type Error = StoreError;

    fn try_from(row: SessionRow) -> Result<Self> {
        let at = |millis| time(millis, "browser_sessions", row.id);
        Ok(Self {
            id: SessionId(row.id),
            created_at: at(row.created_at)?,
            seen_at: at(row.seen_at)?,
            browser: row.browser,
            address: row.address,
        })
    }
}

/// What is kept for a browser.
#[derive(Debug, FromRow)]
pub(crate) struct SessionDataRow {
    id: Uuid,
    data: String,
    expires_at: i64,
}

impl TryFrom<SessionDataRow> for SessionData {
    type Error = StoreError;

    fn try_from(row: SessionDataRow) -> Result<Self> {
        Ok(Self {
            json: row.data,
            expires_at: time(row.expires_at, "browser_sessions", row.id)?,
        })
    }
}

/// A token with its agent, if it is an agent's.
#[derive(Clone, Debug, FromRow)]
pub(crate) struct TokenRow {
    hash: Vec<u8>,
    id: Uuid,
    name: String,
    agent_id: Option<Uuid>,
    expires_at: Option<i64>,
    teams: Option<String>,
}

impl TokenRow {
    /// The hash of its secret.
    pub(crate) fn secret(&self) -> Option<SecretHash> {
        self.hash.as_slice().try_into().ok().map(SecretHash)
    }
}

impl TryFrom<TokenRow> for Holder {
    type Error = StoreError;

    fn try_from(row: TokenRow) -> Result<Self> {
        let expires_at = row.expires_at.map(|at| time(at, "tokens", row.id));
        let token = TokenId(row.id);
        let principal = match row.agent_id {
            Some(id) => Principal::Agent(AgentRef {
                id: AgentId(id),
                name: row.name,
            }),
            // A script's token answers wherever it sees.
            None => Principal::Script {
                id: token,
                teams: team_ids(row.teams.as_deref(), "tokens", row.id)?
                    .into_iter()
                    .map(|team| (team, Part::Answers))
                    .collect(),
                name: row.name,
            },
        };
        Ok(Self {
            token,
            principal,
            expires_at: expires_at.transpose()?,
        })
    }
}

/// A token as its list shows it.
#[derive(Debug, FromRow)]
pub(crate) struct TokenRecordRow {
    id: Uuid,
    name: String,
    agent_id: Option<Uuid>,
    created_at: i64,
    last_used_at: Option<i64>,
    revoked_at: Option<i64>,
    expires_at: Option<i64>,
    made_by: Option<String>,
    teams: Option<String>,
    owner_id: Option<Uuid>,
    owner_name: Option<String>,
    owner_disabled_at: Option<i64>,
}

/// Whom an agent belongs to.
#[derive(Debug, FromRow)]
pub(crate) struct AgentOwnerRow {
    agent_id: Uuid,
    id: Uuid,
    name: String,
    disabled_at: Option<i64>,
}

impl From<AgentOwnerRow> for (AgentId, Owner) {
    fn from(row: AgentOwnerRow) -> Self {
        let owner = Owner {
            id: PersonId(row.id),
            name: row.name,
            is_disabled: row.disabled_at.is_some(),
        };
        (AgentId(row.agent_id), owner)
    }
}

impl TryFrom<TokenRecordRow> for TokenRecord {
    type Error = StoreError;

    fn try_from(row: TokenRecordRow) -> Result<Self> {
        let at = |millis| time(millis, "tokens", row.id);
        Ok(Self {
            created_at: at(row.created_at)?,
            last_used_at: row.last_used_at.map(at).transpose()?,
            revoked_at: row.revoked_at.map(at).transpose()?,
            made_by: row
                .made_by
                .map(|text| actor(&text, "tokens", "made_by", row.id))
                .transpose()?,
            owner: row.owner_id.zip(row.owner_name).map(|(id, name)| Owner {
                id: PersonId(id),
                name,
                is_disabled: row.owner_disabled_at.is_some(),
            }),
            token: Token {
                owner: row.owner_id.map(PersonId),
                id: TokenId(row.id),
                kind: match row.agent_id {
                    Some(_) => TokenKind::Agent,
                    None => TokenKind::Responder,
                },
                name: row.name,
                agent_id: row.agent_id.map(AgentId),
                expires_at: row.expires_at.map(at).transpose()?,
                teams: team_ids(row.teams.as_deref(), "tokens", row.id)?,
            },
        })
    }
}
