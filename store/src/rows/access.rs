//! People, sessions and tokens as stored.

use domain::{
    AgentId, AgentRef, PasswordHash, Person, PersonId, Principal, Role, SessionId, SlackId,
    TokenId, TokenKind, access::Token,
};
use sqlx::FromRow;
use uuid::Uuid;

use super::time;
use crate::{Account, Holder, PersonRecord, Result, SessionRecord, StoreError, TokenRecord};

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

/// A person with what belongs to them.
#[derive(FromRow)]
pub(crate) struct PersonRecordRow {
    #[sqlx(flatten)]
    person: PersonRow,
    password_hash: Option<String>,
    link_expires_at: Option<i64>,
    seen_at: Option<i64>,
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
            person: row.person.try_into()?,
        })
    }
}

impl TryFrom<PersonRecordRow> for Account {
    type Error = StoreError;

    fn try_from(row: PersonRecordRow) -> Result<Self> {
        Ok(Self {
            password: row.password_hash.map(PasswordHash),
            person: row.person.try_into()?,
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

/// A token with its agent, if it is an agent's.
#[derive(Debug, FromRow)]
pub(crate) struct TokenRow {
    id: Uuid,
    name: String,
    agent_id: Option<Uuid>,
}

impl From<TokenRow> for Holder {
    fn from(row: TokenRow) -> Self {
        let token = TokenId(row.id);
        let principal = match row.agent_id {
            Some(id) => Principal::Agent(AgentRef {
                id: AgentId(id),
                name: row.name,
            }),
            None => Principal::Script {
                id: token,
                name: row.name,
            },
        };
        Self { token, principal }
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
}

impl TryFrom<TokenRecordRow> for TokenRecord {
    type Error = StoreError;

    fn try_from(row: TokenRecordRow) -> Result<Self> {
        let at = |millis| time(millis, "tokens", row.id);
        Ok(Self {
            created_at: at(row.created_at)?,
            last_used_at: row.last_used_at.map(at).transpose()?,
            revoked_at: row.revoked_at.map(at).transpose()?,
            token: Token {
                id: TokenId(row.id),
                kind: match row.agent_id {
                    Some(_) => TokenKind::Agent,
                    None => TokenKind::Responder,
                },
                name: row.name,
                agent_id: row.agent_id.map(AgentId),
            },
        })
    }
}
