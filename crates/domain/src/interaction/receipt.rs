//! Receipts: a decision, signed, so that the program that acts on it can check it without asking
//! the server.

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{
    ByPolicy, Granted, Interaction, Outcome, Remembered,
    answer::AnswerContent,
    ask::Ask,
    kind::Kind,
    quorum::{Approver, Vote},
};
use crate::{
    attachment, digest,
    ids::InteractionId,
    principal::{AgentRef, Responder, Via},
    sign::{PublicKey, Sign, Signature},
};

/// How receipts are written now.
const VERSION: u32 = 1;
/// How they are where a grant decided: a program that knows nothing of grants believes none of them.
const VERSION_BY_GRANT: u32 = 2;
/// The same where a policy did.
const VERSION_BY_POLICY: u32 = 3;
/// The same where an earlier answer answered.
const VERSION_BY_MEMORY: u32 = 4;

/// The responder's decision about one action or plan, and its time. Made when it is decided, and
/// committed with the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// Everything that is signed.
    #[serde(flatten)]
    pub decision: Decision,
    /// The Ed25519 signature over [`Decision::signed_bytes`], in base64.
    pub signature: String,
}

/// The content of a receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// 1; 2 where a grant decided, 3 where a policy did, 4 where an earlier answer answered.
    pub version: u32,
    /// Which interaction.
    pub interaction_id: InteractionId,
    /// `approval` or `plan_review`; `question` or `choice` where an earlier answer answered.
    pub kind: Kind,
    /// The outcome decided.
    pub outcome: Outcome,
    /// For an approval: [`Action::digest`](super::Action::digest), of the action as it was decided: where it was amended,
    /// with the changed arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action_digest: Option<String>,
    /// Where it was amended: the digest of the action as it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_digest: Option<String>,
    /// For a plan review: `sha256:` and the hex of SHA-256 over the plan's bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_digest: Option<String>,
    /// For a plan review with attachments: `sha256:` and the hex of SHA-256 over the RFC 8785 form of their list. Those of an
    /// approval are part of its action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attachments_digest: Option<String>,
    /// The agent that asked.
    pub agent: AgentRef,
    /// The responder who decided.
    pub responder: Responder,
    /// Where it takes several people to approve, all who did, the one who decided last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvers: Vec<Approver>,
    /// The standing approval of this responder that it rests on, where no person was asked about this one (rule 15).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<Granted>,
    /// The rule of an admin that decided it, where no person was asked about this one (rule 14); the responder stands for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<ByPolicy>,
    /// The earlier answer of this responder that it rests on, where no person was asked. The words of an answer are not part
    /// of a receipt, so that they can be erased (rule 19).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remembered: Option<Remembered>,
    /// When it was asked.
    pub asked_at: DateTime<Utc>,
    /// When it was decided.
    pub answered_at: DateTime<Utc>,
    /// The key that checks the signature, in base64.
    pub public_key: String,
}

/// Whether an answer to this kind is a decision, and has a receipt.
pub(super) fn is_decision(kind: Kind) -> bool {
    matches!(kind, Kind::Approval | Kind::PlanReview)
}

fn is_repeatable(kind: Kind) -> bool {
    matches!(kind, Kind::Question | Kind::Choice)
}

/// Whether an interaction of this kind can end so by what has a receipt.
pub(crate) fn fits(kind: Kind, outcome: Outcome) -> bool {
    match outcome {
        Outcome::Approved | Outcome::Denied => kind == Kind::Approval,
        Outcome::Proceed | Outcome::ProceedClean | Outcome::ProceedDefault | Outcome::Adjust => {
            kind == Kind::PlanReview
        }
        // Only what an earlier answer answered has a receipt.
        Outcome::Answered => is_repeatable(kind),
        Outcome::Delivered
        | Outcome::Fallback
        | Outcome::Expired
        | Outcome::Cancelled
        | Outcome::Void => false,
    }
}

/// What a receipt says of files beside what is decided.
pub(super) fn attachments_digest(interaction: &Interaction) -> Option<String> {
    attachment::digest_of(&interaction.request.attachments)
}

/// The people by whom it is approved, where it takes several.
pub(super) fn approvers(
    interaction: &Interaction,
    content: &AnswerContent,
    responder: &Responder,
    answered_at: DateTime<Utc>,
    votes: &[Vote],
) -> Vec<Approver> {
    if interaction.quorum().is_none() || content.outcome() != Outcome::Approved {
        return Vec::new();
    }
    let last = Approver {
        responder: responder.clone(),
        at: answered_at,
    };
    votes.iter().map(Approver::from).chain([last]).collect()
}

/// What a decision rests on.
enum By<'a> {
    /// A person, and the approvals before theirs.
    People(&'a [Vote]),
    /// A person's standing approval.
    Grant(Granted),
    /// An admin's rule.
    Policy(ByPolicy),
    /// An earlier answer.
    Memory(Remembered),
}

impl Receipt {
    /// The receipt for an answer that is being given; `None` when it is no decision.
    pub(crate) fn sign(
        interaction: &Interaction,
        content: &AnswerContent,
        responder: &Responder,
        answered_at: DateTime<Utc>,
        votes: &[Vote],
        signer: &dyn Sign,
    ) -> Option<Self> {
        Self::signed(
            interaction,
            content,
            responder,
            answered_at,
            By::People(votes),
            signer,
        )
    }

    /// As [`Self::sign`], where a grant decides.
    pub(crate) fn sign_by(
        interaction: &Interaction,
        content: &AnswerContent,
        responder: &Responder,
        answered_at: DateTime<Utc>,
        grant: Granted,
        signer: &dyn Sign,
    ) -> Option<Self> {
        Self::signed(
            interaction,
            content,
            responder,
            answered_at,
            By::Grant(grant),
            signer,
        )
    }

    /// As [`Self::sign`], where a policy decides; its rule is the responder.
    pub(crate) fn sign_ruled(
        interaction: &Interaction,
        content: &AnswerContent,
        responder: &Responder,
        answered_at: DateTime<Utc>,
        policy: ByPolicy,
        signer: &dyn Sign,
    ) -> Option<Self> {
        Self::signed(
            interaction,
            content,
            responder,
            answered_at,
            By::Policy(policy),
            signer,
        )
    }

    /// As [`Self::sign`], of a question that an earlier answer answers.
    pub(crate) fn sign_remembered(
        interaction: &Interaction,
        content: &AnswerContent,
        responder: &Responder,
        answered_at: DateTime<Utc>,
        remembered: Remembered,
        signer: &dyn Sign,
    ) -> Option<Self> {
        Self::signed(
            interaction,
            content,
            responder,
            answered_at,
            By::Memory(remembered),
            signer,
        )
    }

    fn signed(
        interaction: &Interaction,
        content: &AnswerContent,
        responder: &Responder,
        answered_at: DateTime<Utc>,
        by: By<'_>,
        signer: &dyn Sign,
    ) -> Option<Self> {
        let (mut grant, mut policy, mut remembered) = (None, None, None);
        let (version, votes) = match by {
            By::People(votes) => (VERSION, votes),
            By::Grant(by) => {
                grant = Some(by);
                (VERSION_BY_GRANT, &[][..])
            }
            By::Policy(by) => {
                policy = Some(by);
                (VERSION_BY_POLICY, &[][..])
            }
            By::Memory(by) => {
                remembered = Some(by);
                (VERSION_BY_MEMORY, &[][..])
            }
        };
        let (as_asked, plan_digest) = match &interaction.request.ask {
            // Hashes the action that people see, not a digest stored beside it.
            Ask::Approval { action, .. } => (Some(action.digest().ok()?), None),
            Ask::PlanReview { plan, .. } => (None, Some(digest::sha256(plan.as_bytes()))),
            Ask::Question | Ask::Choice(_) if remembered.is_some() => (None, None),
            Ask::Question
            | Ask::Choice(_)
            | Ask::Acknowledgement
            | Ask::Form { .. }
            | Ask::Notification { .. } => return None,
        };
        let amended = match content {
            AnswerContent::Approval { amended, .. } => amended.as_deref(),
            _ => None,
        };
        let (action_digest, asked_digest) = match amended {
            Some(amended) => (Some(amended.digest.clone()), as_asked),
            None => (as_asked, None),
        };
        let decision = Decision {
            version,
            interaction_id: interaction.id,
            kind: interaction.request.kind(),
            outcome: content.outcome(),
            action_digest,
            asked_digest,
            plan_digest,
            attachments_digest: attachments_digest(interaction),
            agent: interaction.agent.clone(),
            responder: responder.clone(),
            approvers: approvers(interaction, content, responder, answered_at, votes),
            grant,
            policy,
            remembered,
            asked_at: interaction.created_at,
            answered_at,
            public_key: STANDARD.encode(signer.public_key()),
        };
        let signature = signer.sign(&decision.signed_bytes().ok()?);
        Some(Self {
            decision,
            signature: STANDARD.encode(signature),
        })
    }

    /// The signature, if it has the form of one.
    pub fn signature(&self) -> Option<Signature> {
        STANDARD.decode(&self.signature).ok()?.try_into().ok()
    }
}

impl Decision {
    /// The bytes to sign: the RFC 8785 canonical JSON of every field but the signature.
    ///
    /// # Errors
    /// When something in it has no RFC 8785 form, which nothing has that this program writes.
    pub fn signed_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json_canonicalizer::to_vec(self)
    }

    /// The key that should have signed, if it has the form of one.
    pub fn public_key(&self) -> Option<PublicKey> {
        STANDARD.decode(&self.public_key).ok()?.try_into().ok()
    }

    /// Whether no person was asked about this one: a standing decision covers it.
    pub fn asked_nobody(&self) -> bool {
        self.grant.is_some() || self.policy.is_some() || self.remembered.is_some()
    }

    /// Who approved it and by what, in a sentence for the agent and whoever runs it. Made of what is signed alone.
    pub fn approved_in_words(&self) -> String {
        let name = &self.responder.name;
        if let Some(grant) = &self.grant {
            // A month is the longest that one lasts, so this names one day.
            let day = grant.made_at.format("%A, %-d %B");
            return format!("Approved by {name}'s grant of {day}");
        }
        if let Some(policy) = &self.policy {
            return format!("Approved by the policy `{}`", policy.rule);
        }
        let approvers = self.approvers.iter();
        let names: Vec<&str> = approvers.map(|one| &*one.responder.name).collect();
        match &*names {
            [] => format!("{name} approved it"),
            names => format!("{} approved it", names.join(" and ")),
        }
    }

    /// Whether a program of this version may interpret the receipt.
    pub fn is_known(&self) -> bool {
        // What is decided as it is asked is decided as it was asked, and counts as nobody.
        let is_at_once = self.asked_digest.is_none() && self.approvers.is_empty();
        match (&self.grant, &self.policy, &self.remembered) {
            (None, None, None) => {
                self.version == VERSION
                    && self.responder.via != Via::Policy
                    && self.outcome != Outcome::Answered
            }
            (Some(_), None, None) => {
                self.version == VERSION_BY_GRANT
                    && self.outcome == Outcome::Approved
                    && self.responder.via != Via::Policy
                    && is_at_once
            }
            (None, Some(policy), None) => {
                self.version == VERSION_BY_POLICY
                    && matches!(self.outcome, Outcome::Approved | Outcome::Denied)
                    && self.responder == Responder::of_policy(policy.id, &policy.rule)
                    && is_at_once
            }
            // It answers, and decides nothing.
            (None, None, Some(_)) => {
                self.version == VERSION_BY_MEMORY
                    && self.outcome == Outcome::Answered
                    && self.responder.via != Via::Policy
                    && is_repeatable(self.kind)
                    && self.action_digest.is_none()
                    && self.plan_digest.is_none()
                    && is_at_once
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use crate::{
        Interaction, Refused, Role,
        decide::interaction as decide,
        ids::{GrantId, PolicyId},
        interaction::{Approver, ByPolicy, Granted, Kind, Receipt},
        principal::Responder,
        testing::{Counter, Stamp, answer_to, at, body, given, opened, person, written},
    };

    fn answered(kind: Kind) -> Interaction {
        let ids = Counter::default();
        let pending = written(&opened(body(kind), None, &ids));
        let draft = given(answer_to(kind));
        let ana = person(Role::Responder);
        let answer = decide::answer(&pending, draft, &ana, None, at(&ids, 1)).unwrap();
        written(&answer)
    }

    #[test]
    fn approvals_and_plan_reviews_have_a_receipt_and_nothing_else() {
        for kind in Kind::ALL {
            if kind == Kind::Notification {
                continue;
            }
            let decides = matches!(kind, Kind::Approval | Kind::PlanReview);
            assert_eq!(answered(kind).receipt().is_some(), decides, "{kind:?}");
        }
    }

    #[test]
    fn the_signature_is_over_the_canonical_form_of_all_the_rest() {
        let closed = answered(Kind::Approval);
        let receipt = closed.receipt().unwrap();
        // printf '{"arguments":{"command":"make deploy"},"tool":"shell"}' | sha256sum
        let signed = String::from_utf8(receipt.decision.signed_bytes().unwrap()).unwrap();
        assert_eq!(
            signed,
            concat!(
                r#"{"action_digest":"sha256:d32e44536e0359c492814349bde452994eaf870d3a9aec630ecc513d273801f2","#,
                r#""agent":{"id":"00000000-0000-0000-0000-000000000007","name":"backend"},"#,
                r#""answered_at":"2023-11-14T22:13:21Z","asked_at":"2023-11-14T22:13:20Z","#,
                r#""interaction_id":"00000000-0000-0000-0000-000000000001","kind":"approval","#,
                r#""outcome":"approved","public_key":"BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=","#,
                r#""responder":{"id":"00000000-0000-0000-0000-000000000008","name":"Ana","via":"dashboard"},"#,
                r#""version":1}"#,
            )
        );
        assert_eq!(
            receipt.signature(),
            Some(Stamp::over(&receipt.decision.signed_bytes().unwrap()))
        );
        let written = serde_json::to_string(receipt).unwrap();
        assert_eq!(&serde_json::from_str::<Receipt>(&written).unwrap(), receipt);
    }

    #[test]
    fn who_approved_it_is_told_as_it_was_signed() {
        let closed = answered(Kind::Approval);
        let mut decision = closed.receipt().unwrap().decision.clone();
        assert_eq!(decision.approved_in_words(), "Ana approved it");
        assert!(!decision.asked_nobody());
        let of = |name: &str| Responder {
            name: name.to_owned(),
            ..decision.responder.clone()
        };
        let approver = |name: &str| Approver {
            responder: of(name),
            at: decision.answered_at,
        };
        let several = ["Ben", "Ana"].map(approver).to_vec();
        decision.approvers = several;
        assert_eq!(decision.approved_in_words(), "Ben and Ana approved it");
        decision.approvers = Vec::new();
        decision.grant = Some(Granted {
            id: GrantId(Uuid::nil()),
            made_at: "2026-11-24T23:59:00Z".parse().unwrap(),
        });
        assert_eq!(
            decision.approved_in_words(),
            "Approved by Ana's grant of Tuesday, 24 November"
        );
        assert!(decision.asked_nobody());
        decision.grant = None;
        decision.policy = Some(ByPolicy {
            id: PolicyId(Uuid::nil()),
            digest: String::new(),
            rule: "tests".to_owned(),
        });
        assert_eq!(
            decision.approved_in_words(),
            "Approved by the policy `tests`"
        );
        assert!(decision.asked_nobody());
    }

    #[test]
    fn without_a_key_nothing_is_decided_and_all_else_is_answered() {
        let ids = Counter::default();
        let mut unsigned = at(&ids, 1);
        unsigned.signer = None;
        for kind in [Kind::Approval, Kind::PlanReview, Kind::Question] {
            let pending = written(&opened(body(kind), None, &ids));
            let draft = given(answer_to(kind));
            let ana = person(Role::Responder);
            let answer = decide::answer(&pending, draft, &ana, None, unsigned);
            match kind {
                Kind::Question => assert!(answer.is_ok()),
                _ => assert_eq!(answer, Err(Refused::NoKey)),
            }
        }
    }

    #[test]
    fn a_plan_is_told_from_others_by_its_bytes() {
        let closed = answered(Kind::PlanReview);
        let decision = &closed.receipt().unwrap().decision;
        // printf '1. Test\n2. Deploy' | sha256sum
        let expected = "sha256:bf6c5d0ff53a8841d0ec3ed8533ede1f5edd939d987a9b6fbfc3822b07719bf3";
        assert_eq!(decision.plan_digest.as_deref(), Some(expected));
        assert_eq!(decision.action_digest, None);
    }
}
