//! Several people approve (rule 16): how many it takes, and the approvals that were given so far. Each is signed when it
//! is given, so that one which is written into a database counts for nothing (rule 12).

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    fault::Faults,
    ids::InteractionId,
    json::some_whole,
    limits,
    principal::Responder,
    sign::{Sign, Verify},
};

/// How many different people have to approve, and who of them counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quorum {
    /// So many.
    pub needed: u32,
    /// Who counts.
    #[serde(default)]
    pub of: Counted,
    /// Whether the owner of the agent does not.
    #[serde(default)]
    pub four_eyes: bool,
}

/// Who of those who may answer counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
    /// Whoever may answer, admins of no team among them.
    #[default]
    Anyone,
    /// Members of the team that is asked.
    Team,
}

impl Counted {
    /// The name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Anyone => "anyone",
            Self::Team => "team",
        }
    }
}

/// A quorum as it comes in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QuorumDraft {
    /// 1 when absent.
    #[serde(
        deserialize_with = "some_whole",
        skip_serializing_if = "Option::is_none"
    )]
    pub needed: Option<i64>,
    /// `anyone` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<Counted>,
    /// `false` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub four_eyes: Option<bool>,
}

impl QuorumDraft {
    pub(crate) fn check(&self, faults: &mut Faults) -> Quorum {
        let most = limits::APPROVALS;
        let needed = u32::try_from(self.needed.unwrap_or(1)).unwrap_or_default();
        if !(1..=most).contains(&needed) {
            faults.add("approvals.needed", format!("must be from 1 to {most}"));
        }
        Quorum {
            needed,
            of: self.of.unwrap_or_default(),
            four_eyes: self.four_eyes.unwrap_or_default(),
        }
    }
}

/// The approval of one person, of those that it takes several of. It grants nothing by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vote {
    /// Who approved.
    pub responder: Responder,
    /// When.
    pub at: DateTime<Utc>,
    /// A comment, in their words; not signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The action that they approved, by its digest.
    pub action_digest: String,
    /// The key that checks the signature, in base64.
    pub public_key: String,
    /// The Ed25519 signature over [`Vote::signed_bytes`], in base64.
    pub signature: String,
}

/// The signed part of a vote. A receipt has other fields, so neither can be passed off as the other.
#[derive(Serialize)]
struct Statement<'a> {
    version: u32,
    statement: &'static str,
    interaction_id: InteractionId,
    action_digest: &'a str,
    responder: &'a Responder,
    at: DateTime<Utc>,
    public_key: &'a str,
}

impl Vote {
    /// A person approves an action by its digest.
    pub(crate) fn sign(
        interaction_id: InteractionId,
        action_digest: String,
        responder: Responder,
        text: Option<String>,
        at: DateTime<Utc>,
        signer: &dyn Sign,
    ) -> Option<Self> {
        let mut vote = Self {
            responder,
            at,
            text,
            action_digest,
            public_key: STANDARD.encode(signer.public_key()),
            signature: String::new(),
        };
        let signed = vote.signed_bytes(interaction_id).ok()?;
        vote.signature = STANDARD.encode(signer.sign(&signed));
        Some(vote)
    }

    /// The bytes to sign: the RFC 8785 canonical JSON of `{action_digest, at, interaction_id, public_key, responder,
    /// statement, version}`, where `statement` is `handraise vote` and `version` 1.
    ///
    /// # Errors
    /// When something in it has no RFC 8785 form, which nothing has that this program writes.
    pub fn signed_bytes(
        &self,
        interaction_id: InteractionId,
    ) -> Result<Vec<u8>, serde_json::Error> {
        serde_json_canonicalizer::to_vec(&Statement {
            version: 1,
            statement: "handraise vote",
            interaction_id,
            action_digest: &self.action_digest,
            responder: &self.responder,
            at: self.at,
            public_key: &self.public_key,
        })
    }

    /// Whether a key that counts signed that this person approved this.
    pub fn holds(&self, interaction_id: InteractionId, keys: &dyn Verify) -> bool {
        let signed = || {
            let key = STANDARD.decode(&self.public_key).ok()?.try_into().ok()?;
            let signature = STANDARD.decode(&self.signature).ok()?.try_into().ok()?;
            let message = self.signed_bytes(interaction_id).ok()?;
            Some(keys.holds(&key, &message, &signature))
        };
        signed().unwrap_or_default()
    }

    /// It without the comment (rule 19).
    #[must_use]
    pub(crate) fn without_words(&self) -> Self {
        Self {
            text: None,
            ..self.clone()
        }
    }
}

/// One of the people by whom an action was approved, as a receipt names them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approver {
    /// Who.
    #[serde(flatten)]
    pub responder: Responder,
    /// When.
    pub at: DateTime<Utc>,
}

impl From<&Vote> for Approver {
    fn from(vote: &Vote) -> Self {
        Self {
            responder: vote.responder.clone(),
            at: vote.at,
        }
    }
}

/// How many different people these are.
pub fn people(approvers: &[Approver]) -> usize {
    different(approvers.iter().map(|one| one.responder.id))
}

/// How many different ids these are.
pub(crate) fn different(ids: impl Iterator<Item = Uuid>) -> usize {
    ids.collect::<std::collections::BTreeSet<_>>().len()
}
