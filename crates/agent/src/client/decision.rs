//! The content a receipt must have before an agent acts on it. That a trusted key signed it is checked elsewhere; here,
//! that it is about this question, this action and this moment.

use anyhow::{Context, ensure};
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use domain::interaction::{Action, Kind, Outcome, Receipt, people};
use serde_json::Value;
use thiserror::Error;

use super::Interaction;

/// How far two clocks may be apart.
pub(crate) const SKEW: TimeDelta = TimeDelta::minutes(5);
/// How long a decision is good for.
pub(crate) const LONGEST_AGE: TimeDelta = TimeDelta::hours(24);

/// The act about to be done, and whose word it rests on.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    /// Which interaction was asked; `None` where that is not known.
    pub interaction_id: Option<String>,
    /// An approval, or a plan review.
    pub kind: Kind,
    /// Of the action that was asked about, or of the plan.
    pub digest: String,
    /// Of the action that is about to be run instead, where this agent takes an amended one and the server says that it
    /// was amended.
    pub amended: Option<String>,
    /// How many people it asked for; 0 where that was left to the server.
    pub approvers: usize,
    /// The digest of the files that this agent has sent with its plan; those of an approval are part of its action.
    pub attachments: Option<String>,
    /// The id of the agent that asked, where it is known.
    pub agent_id: Option<String>,
    /// The idempotency key that it was asked under, where it is known: which interaction it is only the server says.
    pub key: Option<String>,
    /// It was not asked before; `None` where that may be long ago.
    pub asked_after: Option<DateTime<Utc>>,
    /// How long people had; `None` where that was left to the server.
    pub timeout: Option<TimeDelta>,
}

/// Why a receipt that was signed by the right key does not let this agent go on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum Unfit {
    /// It says more than the signature covers.
    #[error("the receipt is void: it holds more than was signed")]
    More,
    /// It is no receipt.
    #[error("the receipt is void: {0}")]
    Unreadable(String),
    /// It answers another interaction.
    #[error("the receipt is void here: it is of the interaction {0}")]
    OtherInteraction(String),
    /// It is no yes.
    #[error("the receipt is void here: its {} was {}", .0.name(), .1.name())]
    NotGranted(Kind, Outcome),
    /// It is a yes to something else.
    #[error("the receipt is void for this {what}: {decided} was decided on, and this is {found}")]
    OtherContent {
        /// `action`, `plan` or `list of attachments`.
        what: &'static str,
        /// The digest in the receipt.
        decided: String,
        /// The digest about to run.
        found: String,
    },
    /// Fewer people said yes than were asked for.
    #[error("the receipt is void here: {found} of {asked} people approved it by what is signed")]
    TooFew {
        /// So many.
        found: usize,
        /// Of so many.
        asked: usize,
    },
    /// It is a yes to another agent.
    #[error("the receipt is void here: it was given to the agent {0}")]
    OtherAgent(String),
    /// It is a yes to the same action, asked another time.
    #[error(
        "the receipt is void here: it answers another question than this agent has asked, or the server is older than this program"
    )]
    OtherQuestion,
    /// The server says something else than the signed receipt.
    #[error("the receipt is void here: the server says that its {} was {said}, and signed was {}", .kind.name(), .signed.name())]
    OtherOutcome {
        /// The kind decided on.
        kind: Kind,
        /// In the receipt.
        signed: Outcome,
        /// Beside it.
        said: String,
    },
    /// It is of another time.
    #[error("the receipt is void now: {0}")]
    Untimely(String),
}

/// The receipt in a server's response: all of it, and nothing else.
///
/// # Errors
/// [`Unfit::Unreadable`], [`Unfit::More`].
pub(crate) fn read(written: &Value) -> Result<Receipt, Unfit> {
    let receipt: Receipt = serde_json::from_value(written.clone())
        .map_err(|error| Unfit::Unreadable(error.to_string()))?;
    match serde_json::to_value(&receipt) {
        Ok(again) if again == *written => Ok(receipt),
        _ => Err(Unfit::More),
    }
}

/// Whether the outcome lets the agent go on.
pub(crate) fn grants(kind: Kind, outcome: Outcome) -> bool {
    match kind {
        Kind::Approval => outcome == Outcome::Approved,
        Kind::PlanReview => matches!(
            outcome,
            Outcome::Proceed | Outcome::ProceedClean | Outcome::ProceedDefault
        ),
        _ => false,
    }
}

/// Whether this receipt lets the agent do its next act.
///
/// # Errors
/// [`Unfit`]: the first thing that does not fit.
pub(crate) fn check(
    receipt: &Receipt,
    expected: &Expected,
    now: DateTime<Utc>,
) -> Result<(), Unfit> {
    let decision = &receipt.decision;
    let id = decision.interaction_id.to_string();
    if expected.interaction_id.as_ref().is_some_and(|it| *it != id) {
        return Err(Unfit::OtherInteraction(id));
    }
    if decision.kind != expected.kind || !grants(decision.kind, decision.outcome) {
        return Err(Unfit::NotGranted(decision.kind, decision.outcome));
    }
    let (what, digest, other) = match expected.kind {
        Kind::Approval => ("action", &decision.action_digest, &decision.plan_digest),
        _ => ("plan", &decision.plan_digest, &decision.action_digest),
    };
    let (to_run, as_asked) = match &expected.amended {
        Some(amended) => (amended, Some(&expected.digest)),
        None => (&expected.digest, None),
    };
    let is_this = digest.as_ref() == Some(to_run) && decision.asked_digest.as_ref() == as_asked;
    if !is_this || other.is_some() {
        return Err(Unfit::OtherContent {
            what,
            decided: digest
                .clone()
                .unwrap_or_else(|| "something else".to_owned()),
            found: to_run.clone(),
        });
    }
    if decision.attachments_digest != expected.attachments {
        let none = || "none".to_owned();
        return Err(Unfit::OtherContent {
            what: "list of attachments",
            decided: decision.attachments_digest.clone().unwrap_or_else(none),
            found: expected.attachments.clone().unwrap_or_else(none),
        });
    }
    let found = people(&decision.approvers);
    if found < expected.approvers {
        return Err(Unfit::TooFew {
            found,
            asked: expected.approvers,
        });
    }
    let agent = decision.agent.id.to_string();
    if expected.agent_id.as_ref().is_some_and(|it| *it != agent) {
        return Err(Unfit::OtherAgent(decision.agent.name.clone()));
    }
    let is_of = |key: &String| {
        let id = decision.interaction_id;
        id.was_asked_under(decision.agent.id, key)
    };
    if !expected.key.as_ref().is_none_or(is_of) {
        return Err(Unfit::OtherQuestion);
    }
    timely(receipt, expected, now)
}

/// Whether the server's words beside the receipt are the signed ones.
///
/// # Errors
/// [`Unfit::OtherOutcome`].
pub(crate) fn agrees(receipt: &Receipt, closed: &Interaction) -> Result<(), Unfit> {
    let decision = &receipt.decision;
    let (kind, signed) = (decision.kind, decision.outcome);
    let answer = closed.answer.as_ref();
    let said = closed.outcome.as_deref();
    let decided = match kind {
        Kind::PlanReview => answer.and_then(|answer| answer.decision.as_deref()),
        _ => said,
    };
    for said in [said, decided] {
        if said != Some(signed.name()) {
            let said = said.unwrap_or("nothing").to_owned();
            return Err(Unfit::OtherOutcome { kind, signed, said });
        }
    }
    Ok(())
}

/// The action that is to run instead, with its digest, if the server says so. It is made of the arguments that the caller
/// gets; whether they were approved the receipt says.
///
/// # Errors
/// When this agent takes no changed `action`, or the server's word contradicts itself.
pub(crate) fn amended(
    closed: &Interaction,
    action: Option<&Action>,
) -> anyhow::Result<Option<(Action, String)>> {
    let Some(said) = &closed.amended else {
        return Ok(None);
    };
    let action = action.context(
        "its arguments were changed before it was approved, which was not asked for: nothing may run",
    )?;
    let arguments = serde_json::from_value(said["arguments"].clone());
    let action = Action {
        arguments: arguments.context("the changed arguments are none")?,
        ..action.clone()
    };
    let digest = action
        .digest()
        .context("the changed action has no canonical form")?;
    ensure!(
        said["digest"] == digest.as_str(),
        "the server says another digest of the changed action than it has"
    );
    Ok(Some((action, digest)))
}

/// Whether it is of now, and not of a time that is over.
///
/// # Errors
/// [`Unfit::Untimely`].
pub(crate) fn is_of_now(receipt: &Receipt, now: DateTime<Utc>) -> Result<(), Unfit> {
    let answered = receipt.decision.answered_at;
    if answered > now + SKEW {
        return untimely(format!(
            "it was answered at {}, and here it is {}; one of the clocks is wrong",
            at(answered),
            at(now)
        ));
    }
    if answered < now - LONGEST_AGE {
        return untimely(format!(
            "it was answered at {}, more than 24 hours ago",
            at(answered)
        ));
    }
    Ok(())
}

fn at(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn untimely(why: String) -> Result<(), Unfit> {
    Err(Unfit::Untimely(why))
}

fn timely(receipt: &Receipt, expected: &Expected, now: DateTime<Utc>) -> Result<(), Unfit> {
    let (asked, answered) = (receipt.decision.asked_at, receipt.decision.answered_at);
    if answered < asked {
        return untimely(format!(
            "it was answered at {} and asked at {}",
            at(answered),
            at(asked)
        ));
    }
    is_of_now(receipt, now)?;
    // Both by the server's clock.
    if expected.timeout.is_some_and(|it| answered - asked > it) {
        return untimely(format!(
            "it was asked at {} and answered at {}, which is later than this agent allowed",
            at(asked),
            at(answered)
        ));
    }
    match expected.asked_after {
        Some(earliest) if asked < earliest - SKEW => untimely(format!(
            "it was asked at {}, and this agent asked at {}; it is an old one, or one of the clocks is wrong",
            at(asked),
            at(earliest)
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use domain::InteractionId;
    use serde_json::json;

    use super::*;

    const ID: &str = "00000000-0000-0000-0000-000000000001";
    const OTHER: &str = "00000000-0000-0000-0000-000000000002";

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000 + seconds, 0).unwrap()
    }

    fn written() -> Value {
        json!({
            "version": 1, "interaction_id": ID, "kind": "approval", "outcome": "approved", "action_digest": "sha256:aa",
            "agent": {"id": ID, "name": "backend"}, "responder": {"id": ID, "name": "Ana", "via": "dashboard"},
            "asked_at": "2027-01-15T08:00:00Z", "answered_at": "2027-01-15T08:01:00Z",
            "public_key": "AAAA", "signature": "AAAA",
        })
    }

    fn expected() -> Expected {
        Expected {
            interaction_id: Some(ID.to_owned()),
            kind: Kind::Approval,
            digest: "sha256:aa".to_owned(),
            amended: None,
            approvers: 0,
            attachments: None,
            agent_id: Some(ID.to_owned()),
            key: None,
            asked_after: Some(at(0)),
            timeout: Some(TimeDelta::seconds(60)),
        }
    }

    #[test]
    fn a_yes_to_a_plan_covers_the_files_beside_it() {
        let mut plan = written();
        plan.as_object_mut().unwrap().remove("action_digest");
        plan["kind"] = "plan_review".into();
        plan["plan_digest"] = "sha256:aa".into();
        plan["outcome"] = "proceed".into();
        let with = |digest: Option<&str>| Expected {
            kind: Kind::PlanReview,
            attachments: digest.map(str::to_owned),
            ..expected()
        };
        assert_eq!(refused(&plan, &with(None), at(61)), "");
        let missing = refused(&plan, &with(Some("sha256:ff")), at(61));
        assert!(missing.contains("none was decided on"), "{missing}");
        plan["attachments_digest"] = "sha256:ff".into();
        assert_eq!(refused(&plan, &with(Some("sha256:ff")), at(61)), "");
        for other in [None, Some("sha256:ee")] {
            let other = refused(&plan, &with(other), at(61));
            assert!(
                other.contains("void for this list of attachments"),
                "{other}"
            );
        }
    }

    fn refused(written: &Value, expected: &Expected, now: DateTime<Utc>) -> String {
        let receipt = read(written);
        let checked = receipt.and_then(|receipt| check(&receipt, expected, now));
        checked.err().map(|why| why.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_yes_to_this_question_about_this_action_at_this_time_is_one() {
        assert_eq!(refused(&written(), &expected(), at(61)), "");
        let mut plan = written();
        plan.as_object_mut().unwrap().remove("action_digest");
        plan["kind"] = "plan_review".into();
        plan["plan_digest"] = "sha256:aa".into();
        let expected = Expected {
            kind: Kind::PlanReview,
            ..expected()
        };
        for outcome in ["proceed", "proceed_clean", "proceed_default"] {
            plan["outcome"] = outcome.into();
            assert_eq!(refused(&plan, &expected, at(61)), "");
        }
        plan["outcome"] = "adjust".into();
        let said = refused(&plan, &expected, at(61));
        assert!(said.ends_with("its plan_review was adjust"), "{said}");
    }

    #[test]
    fn whatever_a_receipt_says_else_refuses() {
        for (field, other, why) in [
            (
                "interaction_id",
                json!(OTHER),
                "it is of the interaction 00000000",
            ),
            ("outcome", json!("denied"), "its approval was denied"),
            ("outcome", json!("answered"), "its approval was answered"),
            ("kind", json!("plan_review"), "its plan_review was approved"),
            (
                "action_digest",
                json!("sha256:ab"),
                "sha256:ab was decided on, and this is sha256:aa",
            ),
            ("plan_digest", json!("sha256:aa"), "void for this action"),
            (
                "agent",
                json!({"id": OTHER, "name": "devops"}),
                "given to the agent devops",
            ),
            (
                "asked_at",
                json!("2027-01-15T08:02:00Z"),
                "it was answered at",
            ),
            (
                "asked_at",
                json!("2027-01-15T07:54:59Z"),
                "which is later than this agent allowed",
            ),
            (
                "answered_at",
                json!("2027-01-15T08:01:00.001Z"),
                "which is later than this agent allowed",
            ),
            ("note", json!("also approved"), "holds more than was signed"),
            ("outcome", json!("maybe"), "unknown variant"),
        ] {
            let mut changed = written();
            changed[field] = other;
            let said = refused(&changed, &expected(), at(61));
            assert!(said.contains(why), "{field}: {said}");
        }
        let mut without = written();
        without.as_object_mut().unwrap().remove("action_digest");
        assert!(refused(&without, &expected(), at(61)).contains("void for this action"));
    }

    #[test]
    fn an_amended_action_counts_only_for_who_takes_one() {
        let mut amended = written();
        amended["action_digest"] = "sha256:bb".into();
        amended["asked_digest"] = "sha256:aa".into();
        let takes = |digest: &str| Expected {
            amended: Some(digest.to_owned()),
            ..expected()
        };
        let why = "void for this action";
        assert!(refused(&amended, &expected(), at(61)).contains(why));
        assert_eq!(refused(&amended, &takes("sha256:bb"), at(61)), "");
        assert!(refused(&amended, &takes("sha256:cc"), at(61)).contains(why));
        // Another question's action, amended to be this one.
        amended["asked_digest"] = "sha256:dd".into();
        assert!(refused(&amended, &takes("sha256:bb"), at(61)).contains(why));
        amended["action_digest"] = "sha256:aa".into();
        assert!(refused(&amended, &expected(), at(61)).contains(why));
        // The server says that it was amended, and what is signed does not.
        assert!(refused(&written(), &takes("sha256:bb"), at(61)).contains(why));
    }

    #[test]
    fn as_many_different_people_have_approved_as_were_asked_for() {
        let two = Expected {
            approvers: 2,
            ..expected()
        };
        let why = |of: usize| format!("{of} of 2 people approved it");
        assert!(refused(&written(), &two, at(61)).contains(&why(0)));
        let by =
            |id: &str| json!({"id": id, "name": "x", "via": "api", "at": "2027-01-15T08:01:00Z"});
        let mut several = written();
        several["approvers"] = json!([by(ID), by(ID)]);
        assert!(refused(&several, &two, at(61)).contains(&why(1)));
        several["approvers"] = json!([by(ID), by(OTHER)]);
        assert_eq!(refused(&several, &two, at(61)), "");
    }

    #[test]
    fn a_yes_to_the_same_action_that_was_asked_another_time_is_none() {
        let under = |key: &str| Expected {
            interaction_id: None,
            key: Some(key.to_owned()),
            ..expected()
        };
        let agent = ID.parse().unwrap();
        let id = InteractionId::asked_under(ID.parse().unwrap(), agent, "k-1");
        let mut keyed = written();
        keyed["interaction_id"] = id.to_string().into();
        assert_eq!(refused(&keyed, &under("k-1"), at(61)), "");
        let why = "it answers another question than this agent has asked";
        assert!(refused(&keyed, &under("k-2"), at(61)).contains(why));
        // As a server makes them that does not know of it.
        assert!(refused(&written(), &under("k-1"), at(61)).contains(why));
        // Which agent it is the receipt says, not the server beside it.
        keyed["agent"]["id"] = OTHER.into();
        let anybody = Expected {
            agent_id: None,
            ..under("k-1")
        };
        assert!(refused(&keyed, &anybody, at(61)).contains(why));
    }

    #[test]
    fn a_decision_is_good_for_a_day_and_clocks_may_differ_a_little() {
        let day = 24 * 3600;
        for (now, why) in [
            (-241, "one of the clocks is wrong"),
            (-240, ""),
            (60 + day, ""),
            (61 + day, "more than 24 hours ago"),
        ] {
            let said = refused(&written(), &expected(), at(now));
            assert_eq!(said.is_empty(), why.is_empty(), "{now}: {said}");
            assert!(said.contains(why), "{said}");
        }
        let no_timeout = Expected {
            timeout: None,
            ..expected()
        };
        let mut before = written();
        before["asked_at"] = "2027-01-15T07:54:59Z".into();
        assert!(refused(&before, &no_timeout, at(61)).contains("it is an old one"));
        let long_ago = Expected {
            asked_after: None,
            ..no_timeout
        };
        let mut old = written();
        old["asked_at"] = "2026-12-15T08:00:00Z".into();
        assert_eq!(refused(&old, &long_ago, at(61)), "");
    }

    #[test]
    fn what_is_said_beside_a_receipt_is_what_was_signed() {
        let closed = |kind: &str, outcome: &str, decision: Value| -> Interaction {
            serde_json::from_value(json!({
                "id": ID, "kind": kind, "state": "resolved", "outcome": outcome, "fallback_used": false,
                "answer": {"decision": decision}, "agent": {"id": ID}, "dashboard_url": "",
            }))
            .unwrap()
        };
        let approved = read(&written()).unwrap();
        assert_eq!(
            agrees(&approved, &closed("approval", "approved", Value::Null)),
            Ok(())
        );
        let mut plan = written();
        plan["kind"] = "plan_review".into();
        plan["outcome"] = "proceed".into();
        let plan = read(&plan).unwrap();
        assert_eq!(
            agrees(&plan, &closed("plan_review", "proceed", json!("proceed"))),
            Ok(())
        );
        for (receipt, outcome, decision) in [
            (&approved, "denied", Value::Null),
            (&plan, "proceed", json!("proceed_clean")),
            (&plan, "proceed", Value::Null),
            (&plan, "proceed_default", json!("proceed")),
            (&plan, "proceed_clean", json!("proceed_clean")),
        ] {
            let said = agrees(receipt, &closed("approval", outcome, decision.clone()));
            assert!(
                matches!(said, Err(Unfit::OtherOutcome { .. })),
                "{outcome} {decision}"
            );
        }
    }
}
