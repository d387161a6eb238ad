//! A person's standing approval: what the next ones like this are, for which agent, until when, how often (rule 15). What was
//! granted is signed with the server's key, so a row that somebody wrote into the database approves nothing.

mod draft;
mod write;

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

pub use draft::GrantDraft;
pub use write::{GrantEnd, GrantWrite};

use crate::{
    digest,
    ids::{AgentId, GrantId, InteractionId, PersonId, TeamId, TokenId},
    interaction::{Action, Granted},
    matcher::{Held, Matcher},
    principal::{AgentRef, Responder},
    sign::{Sign, Verify},
    team::TeamRef,
};

/// How statements are written now.
const VERSION: u32 = 1;
/// Begins with what it is, so that no other signature of ours is one of these.
const STATEMENT: &str = "handraise grant";

/// A standing approval, as it was made. It never changes; how often it was used, and its end, is [`GrantRecord`].
#[derive(Clone, Debug, PartialEq)]
pub struct Grant {
    /// What was decided, without a word of any agent.
    pub terms: Terms,
    /// What it covers. `None` once what it was made from is erased (rule 19): then it covers nothing.
    pub scope: Option<Scope>,
    /// The Ed25519 signature over [`Terms::signed_bytes`], in base64.
    pub signature: String,
}

/// What was decided. This is what the journal holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// 1.
    pub version: u32,
    /// `handraise grant`.
    pub statement: String,
    /// Its id.
    pub id: GrantId,
    /// For what this agent asks.
    pub agent: AgentRef,
    /// Of this team; `None` = everyone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<TeamRef>,
    /// Whether for one session of the agent alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub for_session: bool,
    /// [`Scope::digest`].
    pub scope_digest: String,
    /// The approval that it was made from.
    pub made_from: InteractionId,
    /// Who made it, and so approves whatever it covers.
    pub by: Responder,
    /// On whose rights it stands.
    pub holder: Holder,
    /// When it was made.
    pub made_at: DateTime<Utc>,
    /// It covers nothing from then on.
    pub expires_at: DateTime<Utc>,
    /// How often it may be used.
    pub most: u32,
    /// The key that checks the signature, in base64.
    pub public_key: String,
}

/// What a grant covers, in the agent's own words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scope {
    /// Which actions.
    pub matcher: Matcher,
    /// In which session alone; `None` = in any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// On whose rights a grant stands: when they end, it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "id", rename_all = "snake_case")]
pub enum Holder {
    /// A person.
    Person(PersonId),
    /// A responder token, where a program makes grants.
    Token(TokenId),
}

/// A grant and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct GrantRecord {
    /// The grant.
    pub grant: Grant,
    /// How often it was used.
    pub uses: u32,
    /// When last.
    pub last_used_at: Option<DateTime<Utc>>,
    /// How it ended before its time, if it did.
    pub ended: Option<Ended>,
}

/// The end of a grant before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// When.
    pub at: DateTime<Utc>,
    /// Why.
    pub why: GrantEnd,
}

/// What is asked, as far as a grant can cover it.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The agent that asks.
    pub agent: AgentId,
    /// The team that is asked; `None` = everyone.
    pub team: Option<TeamId>,
    /// The agent's session.
    pub session: Option<&'a str>,
    /// The action.
    pub action: &'a Action,
    /// Whether only a grant for exactly this action counts: a policy says that it is destructive.
    pub exactly: bool,
}

impl Scope {
    /// `sha256:` and the hex of SHA-256 over its RFC 8785 form.
    ///
    /// # Errors
    /// When something in it has no RFC 8785 form.
    pub fn digest(&self) -> Result<String, serde_json::Error> {
        Ok(digest::sha256(&serde_json_canonicalizer::to_vec(self)?))
    }
}

impl Terms {
    /// The bytes to sign: the RFC 8785 canonical JSON of all of it.
    ///
    /// # Errors
    /// When something in it has no RFC 8785 form, which nothing has that this program writes.
    pub fn signed_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json_canonicalizer::to_vec(self)
    }
}

impl Grant {
    /// The grant, signed; `terms` need no version, statement and key yet.
    pub(crate) fn sign(terms: Terms, scope: Scope, signer: &dyn Sign) -> Option<Self> {
        let terms = Terms {
            version: VERSION,
            statement: STATEMENT.to_owned(),
            scope_digest: scope.digest().ok()?,
            public_key: STANDARD.encode(signer.public_key()),
            ..terms
        };
        let signature = STANDARD.encode(signer.sign(&terms.signed_bytes().ok()?));
        Some(Self {
            terms,
            scope: Some(scope),
            signature,
        })
    }

    /// Whether a key that counts signed exactly this, with this scope.
    pub fn is_proven(&self, keys: &dyn Verify) -> bool {
        let terms = &self.terms;
        let signed = || {
            let key = STANDARD.decode(&terms.public_key).ok()?.try_into().ok()?;
            let signature = STANDARD.decode(&self.signature).ok()?.try_into().ok()?;
            Some(keys.holds(&key, &terms.signed_bytes().ok()?, &signature))
        };
        let is_of_scope = |scope: &Scope| {
            let digest = scope.digest();
            digest.is_ok_and(|digest| digest == terms.scope_digest)
                && scope.session.is_some() == terms.for_session
        };
        terms.version == VERSION
            && terms.statement == STATEMENT
            && self.scope.as_ref().is_some_and(is_of_scope)
            && signed().unwrap_or_default()
    }

    /// As receipts name it.
    pub fn named(&self) -> Granted {
        Granted {
            id: self.terms.id,
            made_at: self.terms.made_at,
        }
    }

    /// Whether this is what it covers, whatever its time and its holder.
    pub fn covers(&self, wanted: &Wanted<'_>) -> bool {
        self.covers_held(wanted, &Held::of(wanted.action))
    }

    /// The same, where several are asked of one action: `held` is that of `wanted`.
    pub(crate) fn covers_held(&self, wanted: &Wanted<'_>, held: &Held<'_>) -> bool {
        let terms = &self.terms;
        let team = terms.team.as_ref().map(|team| team.id);
        let in_scope = |scope: &Scope| {
            let session = scope.session.as_deref();
            (session.is_none() || session == wanted.session)
                && (scope.matcher.is_exact() || !wanted.exactly)
                && scope.matcher.covers(held)
        };
        terms.agent.id == wanted.agent
            && team == wanted.team
            && self.scope.as_ref().is_some_and(in_scope)
    }
}

impl GrantRecord {
    /// Whether somebody, or what it stood on, has ended it: then what it approved, and has not begun, does not run.
    pub fn was_taken_back(&self) -> bool {
        self.ended
            .is_some_and(|ended| ended.why != GrantEnd::UsedUp)
    }

    /// Whether it can be used at `now`, as far as is known here: the store looks once more, in the commit that uses it.
    pub fn is_in_force(&self, now: DateTime<Utc>) -> bool {
        let terms = &self.grant.terms;
        self.ended.is_none()
            && self.grant.scope.is_some()
            && terms.made_at <= now
            && now < terms.expires_at
            && self.uses < terms.most
    }
}
