//! An answer that a person lets stand for some days: whoever asks exactly the same gets it at once, with their name and the
//! day on it. What they let stand is signed with the server's key, so a row that somebody wrote into the database answers
//! nothing.

mod draft;
mod like;
mod write;

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

pub use draft::MemoryDraft;
pub use like::{earlier, words_to_find};
pub use write::{MemoryEnd, MemoryWrite};

use crate::{
    digest,
    grant::Holder,
    ids::{AgentId, InteractionId, MemoryId, Salt, TeamId},
    interaction::{AnswerContent, Remembered, Repeatable},
    principal::{AgentRef, Responder},
    sign::{Sign, Verify},
    team::TeamRef,
};

/// How statements are written now.
const VERSION: u32 = 1;
/// Begins with what it is, so that no other signature of ours is one of these.
const STATEMENT: &str = "handraise memory";

/// An answer that stands, as it was made. It never changes; how often it was used, and its end, is [`MemoryRecord`].
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// What was decided, without a word of the question and the answer.
    pub terms: Terms,
    /// Question and answer. `None` once what it was made from is erased (rule 19): then it answers nothing.
    pub kept: Option<Kept>,
    /// The Ed25519 signature over [`Terms::signed_bytes`], in base64.
    pub signature: String,
}

/// What was decided. This is what the journal holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// 1.
    pub version: u32,
    /// `handraise memory`.
    pub statement: String,
    /// Its id.
    pub id: MemoryId,
    /// For what this agent asks; `None` = for every agent that asks this team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentRef>,
    /// Of this team; `None` = everyone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<TeamRef>,
    /// [`Kept::digest`]. It is salted: who has it without the words cannot try out which they were.
    pub words_digest: String,
    /// The question that was answered.
    pub made_from: InteractionId,
    /// When it was answered.
    pub answered_at: DateTime<Utc>,
    /// Who answered it, and so answers the next ones.
    pub by: Responder,
    /// On whose rights it stands.
    pub holder: Holder,
    /// When they let it stand.
    pub made_at: DateTime<Utc>,
    /// It answers nothing from then on.
    pub expires_at: DateTime<Utc>,
    /// The key that checks the signature, in base64.
    pub public_key: String,
}

/// The words of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// 16 random bytes, in base64.
    pub salt: String,
    /// The question.
    pub question: Repeatable,
    /// The answer.
    pub answer: AnswerContent,
}

/// An answer that stands, and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryRecord {
    /// The answer.
    pub memory: Memory,
    /// How often it was used.
    pub uses: u64,
    /// When last.
    pub last_used_at: Option<DateTime<Utc>>,
    /// How it ended before its time, if it did.
    pub ended: Option<Ended>,
}

/// The end before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// When.
    pub at: DateTime<Utc>,
    /// Why.
    pub why: MemoryEnd,
}

/// What is asked, as far as an earlier answer can answer it.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeated {
    /// The agent that asks.
    pub agent: AgentId,
    /// The team that is asked; `None` = everyone.
    pub team: Option<TeamId>,
    /// The question.
    pub question: Repeatable,
}

impl Kept {
    pub(crate) fn new(salt: Salt, question: Repeatable, answer: AnswerContent) -> Self {
        Self {
            salt: STANDARD.encode(salt),
            question,
            answer,
        }
    }

    /// `sha256:` and the hex of SHA-256 over its RFC 8785 form, salt included.
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

impl Memory {
    /// It, signed; `terms` need no version, statement, digest and key yet.
    pub(crate) fn sign(terms: Terms, kept: Kept, signer: &dyn Sign) -> Option<Self> {
        let terms = Terms {
            version: VERSION,
            statement: STATEMENT.to_owned(),
            words_digest: kept.digest().ok()?,
            public_key: STANDARD.encode(signer.public_key()),
            ..terms
        };
        let signature = STANDARD.encode(signer.sign(&terms.signed_bytes().ok()?));
        Some(Self {
            terms,
            kept: Some(kept),
            signature,
        })
    }

    /// Whether a key that counts signed exactly this, with this question and this answer.
    pub fn is_proven(&self, keys: &dyn Verify) -> bool {
        let terms = &self.terms;
        let signed = || {
            let key = STANDARD.decode(&terms.public_key).ok()?.try_into().ok()?;
            let signature = STANDARD.decode(&self.signature).ok()?.try_into().ok()?;
            Some(keys.holds(&key, &terms.signed_bytes().ok()?, &signature))
        };
        let is_of_words = |kept: &Kept| {
            let digest = kept.digest();
            digest.is_ok_and(|digest| digest == terms.words_digest)
        };
        terms.version == VERSION
            && terms.statement == STATEMENT
            && self.kept.as_ref().is_some_and(is_of_words)
            && signed().unwrap_or_default()
    }

    /// As answers and receipts name it.
    pub fn named(&self) -> Remembered {
        Remembered {
            id: self.terms.id,
            made_at: self.terms.made_at,
            answered_at: self.terms.answered_at,
        }
    }

    /// Whether this is the very question, of an agent and a team that it stands for, whatever its time and its holder.
    pub fn answers(&self, asked: &Repeated) -> bool {
        let terms = &self.terms;
        let team = terms.team.as_ref().map(|team| team.id);
        let agent = terms.agent.as_ref();
        agent.is_none_or(|agent| agent.id == asked.agent)
            && team == asked.team
            && self
                .kept
                .as_ref()
                .is_some_and(|kept| kept.question == asked.question)
    }
}

impl MemoryRecord {
    /// Whether it can be used at `now`, as far as is known here: the store looks once more, in the commit that uses it.
    pub fn is_in_force(&self, now: DateTime<Utc>) -> bool {
        let terms = &self.memory.terms;
        self.ended.is_none()
            && self.memory.kept.is_some()
            && terms.made_at <= now
            && now < terms.expires_at
    }
}
