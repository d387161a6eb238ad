//! After the answer: the run that an approval was consumed by (rule 13), and the agent's report of the
//! result.

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    ids::InteractionId,
    sign::{Sign, Verify},
};

/// The run that an approval was given for. There is no second one. Signed, so that the runner can
/// tell the server's word from an impostor's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consumed {
    /// When it began.
    pub at: DateTime<Utc>,
    /// The agent's name for it, so that asking again after a lost reply is no second run.
    pub run: String,
    /// The key that checks the signature, in base64.
    pub public_key: String,
    /// The Ed25519 signature over [`Consumed::signed_bytes`], in base64.
    pub signature: String,
}

/// The signed part of a consumption: everything that makes it this one.
#[derive(Serialize)]
struct Statement<'a> {
    version: u32,
    statement: &'static str,
    interaction_id: InteractionId,
    run: &'a str,
    at: DateTime<Utc>,
    public_key: &'a str,
}

impl Consumed {
    /// The run begins.
    pub(crate) fn sign(
        interaction_id: InteractionId,
        run: String,
        at: DateTime<Utc>,
        signer: &dyn Sign,
    ) -> Option<Self> {
        let mut consumed = Self {
            at,
            run,
            public_key: STANDARD.encode(signer.public_key()),
            signature: String::new(),
        };
        let signed = consumed.signed_bytes(interaction_id).ok()?;
        consumed.signature = STANDARD.encode(signer.sign(&signed));
        Some(consumed)
    }

    /// The bytes to sign: the RFC 8785 canonical JSON of `{at, interaction_id, public_key, run,
    /// statement, version}`, where `statement` is `handraise consumption` and `version` 1.
    ///
    /// # Errors
    /// When something in it has no RFC 8785 form, which nothing has that this program writes.
    pub fn signed_bytes(
        &self,
        interaction_id: InteractionId,
    ) -> Result<Vec<u8>, serde_json::Error> {
        serde_json_canonicalizer::to_vec(&Statement {
            version: 1,
            statement: "handraise consumption",
            interaction_id,
            run: &self.run,
            at: self.at,
            public_key: &self.public_key,
        })
    }

    /// Whether a key that counts signed that this run consumed this interaction.
    pub fn holds(&self, interaction_id: InteractionId, keys: &dyn Verify) -> bool {
        let signed = || {
            let key = STANDARD.decode(&self.public_key).ok()?.try_into().ok()?;
            let signature = STANDARD.decode(&self.signature).ok()?.try_into().ok()?;
            let message = self.signed_bytes(interaction_id).ok()?;
            Some(keys.holds(&key, &message, &signature))
        };
        signed().unwrap_or_default()
    }
}

/// The agent's report of the result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Done or failed.
    pub outcome: ReportOutcome,
    /// In the agent's words.
    pub text: Option<String>,
    /// When it said so.
    pub at: DateTime<Utc>,
}

/// Done or failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportOutcome {
    /// It was done.
    Done,
    /// It was tried, and failed.
    Failed,
}

/// A report as it comes in.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReportDraft {
    /// Done or failed.
    pub outcome: ReportOutcome,
    /// A few words on it.
    #[serde(default)]
    pub text: Option<String>,
}
