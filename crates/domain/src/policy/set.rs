//! Policies as they were put in force: signed with the server's key, so that a rule which somebody wrote into the database
//! allows nothing.

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::Policies;
use crate::{
    ids::PolicyId,
    principal::Actor,
    sign::{Sign, Verify},
};

/// How statements are written now.
const VERSION: u32 = 1;
/// Begins with what it is, so that no other signature of ours is one of these.
const STATEMENT: &str = "handraise policies";

/// A set of policies that was put in force. It never changes.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicySet {
    /// What the journal holds of it.
    pub terms: PolicyTerms,
    /// The rules.
    pub policies: Policies,
    /// The Ed25519 signature over [`PolicyTerms::signed_bytes`], in base64.
    pub signature: String,
}

/// What is signed of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyTerms {
    /// 1.
    pub version: u32,
    /// `handraise policies`.
    pub statement: String,
    /// Its id.
    pub id: PolicyId,
    /// Where it comes from.
    pub source: Source,
    /// [`Policies::digest`].
    pub digest: String,
    /// The names of its rules.
    pub rules: Vec<String>,
    /// Who put it in force.
    pub by: Actor,
    /// When.
    pub at: DateTime<Utc>,
    /// The key that checks the signature, in base64.
    pub public_key: String,
}

/// Where policies come from. Those of both are in force side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The file that the settings name. Each server reads its own.
    File,
    /// The page, the command line and the API. They are the same on all servers at once.
    Here,
}

impl Source {
    /// The name, as in SQL and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Here => "here",
        }
    }
}

impl PolicyTerms {
    /// The bytes to sign: the RFC 8785 canonical JSON of all of it.
    ///
    /// # Errors
    /// When something in it has no RFC 8785 form, which nothing has that this program writes.
    pub fn signed_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json_canonicalizer::to_vec(self)
    }
}

impl PolicySet {
    /// The policies, signed.
    pub(crate) fn sign(
        id: PolicyId,
        source: Source,
        policies: Policies,
        by: Actor,
        at: DateTime<Utc>,
        signer: &dyn Sign,
    ) -> Option<Self> {
        let terms = PolicyTerms {
            version: VERSION,
            statement: STATEMENT.to_owned(),
            id,
            source,
            digest: policies.digest().ok()?,
            rules: policies
                .rules
                .iter()
                .map(|rule| rule.name.clone())
                .collect(),
            by,
            at,
            public_key: STANDARD.encode(signer.public_key()),
        };
        let signature = STANDARD.encode(signer.sign(&terms.signed_bytes().ok()?));
        Some(Self {
            terms,
            policies,
            signature,
        })
    }

    /// Policies that are only tried on what was asked, and never put in force: nobody has signed them.
    pub fn tried(policies: Policies, by: Actor, at: DateTime<Utc>) -> Self {
        Self {
            terms: PolicyTerms {
                version: 0,
                statement: String::new(),
                id: PolicyId(uuid::Uuid::nil()),
                source: Source::Here,
                digest: policies.digest().unwrap_or_default(),
                rules: Vec::new(),
                by,
                at,
                public_key: String::new(),
            },
            policies,
            signature: String::new(),
        }
    }

    /// Whether a key that counts signed exactly these rules.
    pub fn is_proven(&self, keys: &dyn Verify) -> bool {
        let terms = &self.terms;
        let signed = || {
            let key = STANDARD.decode(&terms.public_key).ok()?.try_into().ok()?;
            let signature = STANDARD.decode(&self.signature).ok()?.try_into().ok()?;
            Some(keys.holds(&key, &terms.signed_bytes().ok()?, &signature))
        };
        let digest = self.policies.digest();
        terms.version == VERSION
            && terms.statement == STATEMENT
            && digest.is_ok_and(|digest| digest == terms.digest)
            && signed().unwrap_or_default()
    }
}
