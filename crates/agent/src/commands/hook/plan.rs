//! ExitPlanMode: people review the plan. The next version of a plan takes the place of the one before it in the session.

use anyhow::{Context, bail, ensure};
use domain::{digest, interaction::Kind};
use machine::clock::{Clock, SystemClock};
use serde::Deserialize;
use serde_json::{Value, json};
use url::form_urlencoded::byte_serialize;

use super::{
    call::Call,
    way::{Question, Way},
};
use crate::client::{Client, Declined, Interaction, Trust, decision};

/// The tool's name.
pub(super) const TOOL: &str = "ExitPlanMode";
const STEP: &str = "plan";

/// The decision, in words for Claude.
pub(super) struct Reviewed {
    /// By whose word.
    pub(super) reason: String,
    /// How to go on, and what was said with it.
    pub(super) context: String,
}

/// Has people decide.
///
/// # Errors
/// When the plan may not be followed as it is: with what is to be changed, and where.
pub(super) async fn review(
    call: &Call,
    way: &mut Way,
    client: &Client,
) -> anyhow::Result<Reviewed> {
    let plan = call.tool_input.0.get("plan").and_then(Value::as_str);
    let plan = plan.filter(|plan| !plan.trim().is_empty());
    let plan = plan.context("there is no plan in the call, so nobody can review it")?;
    let trust = Trust::of(client.base())?;
    trust.meet(client).await?;
    let asked = ask(call, plan, way, client).await?;
    let closed = way.wait(&asked, client).await?;
    if let Err(no) = verdict(&closed) {
        // It was answered, even if the server does not hear that it was collected.
        let _ = tokio::time::timeout(super::GRACE, client.collect(&asked.id)).await;
        return Err(no);
    }
    let expected = asked.expected(Kind::PlanReview, digest::sha256(plan.as_bytes()));
    let receipt = client
        .granted(&asked.id, &trust, &expected, &SystemClock)
        .await?;
    decision::agrees(&receipt, &closed)?;
    decision::is_of_now(&receipt, SystemClock.now())?;
    let _ = tokio::time::timeout(super::GRACE, client.collect(&asked.id)).await;
    Ok(Reviewed {
        reason: receipt.decision.approved_in_words(),
        context: context(&closed),
    })
}

/// With the plan before it, if there is one that was to be adjusted.
async fn ask(call: &Call, plan: &str, way: &mut Way, client: &Client) -> anyhow::Result<Question> {
    let mut body = json!({
        "kind": "plan_review", "title": "Claude Code has a plan", "prompt": "May Claude Code follow this plan?",
        "plan": plan,
    });
    call.put_in(&mut body, way.seconds());
    if let Some(before) = before(call, client).await? {
        body["revises"] = before.into();
    }
    match way.ask(STEP, &body, client).await {
        // The plan before it is no help any more: it was erased, or has too many versions.
        Err(error) if is_about_the_one_before(&error) => {
            if let Some(body) = body.as_object_mut() {
                body.remove("revises");
            }
            way.ask(STEP, &body, client).await
        }
        asked => asked,
    }
}

fn is_about_the_one_before(error: &anyhow::Error) -> bool {
    let declined = error.downcast_ref::<Declined>();
    declined.is_some_and(|it| it.is_about("revises"))
}

/// The last plan of this session, if it was to be adjusted. The server knows it: nothing is kept here.
async fn before(call: &Call, client: &Client) -> anyhow::Result<Option<String>> {
    #[derive(Deserialize)]
    struct Page {
        items: Vec<Interaction>,
    }
    let Some(session) = call.session() else {
        return Ok(None);
    };
    let session: String = byte_serialize(session.as_bytes()).collect();
    let path = format!("interactions?kind=plan_review&limit=1&session_id={session}");
    let Page { items } = client.get(&path).await?;
    let last = items.into_iter().next();
    let last = last.filter(|it| it.outcome.as_deref() == Some("adjust"));
    Ok(last.map(|it| it.id))
}

/// Only a decision that proceeds is a yes.
fn verdict(closed: &Interaction) -> anyhow::Result<()> {
    ensure!(
        closed.kind == Kind::PlanReview.name(),
        "the server answers something else than was asked"
    );
    match closed.outcome.as_deref() {
        Some("proceed" | "proceed_clean" | "proceed_default") => Ok(()),
        Some("adjust") => {
            let answer = closed.answer.as_ref();
            let who = answer.and_then(|it| it.responder.as_ref()?["name"].as_str());
            let who = who.unwrap_or("Somebody");
            let feedback = answer
                .and_then(|it| it.feedback.as_deref())
                .unwrap_or_default();
            bail!(
                "{who} wants the plan changed before it is followed. Stay in plan mode, work this in, and show the next version:\n\n{feedback}"
            )
        }
        Some("expired") => {
            bail!("nobody decided about the plan in time, so it must not be followed")
        }
        Some("cancelled") => bail!("the plan was taken back, so it must not be followed"),
        _ => bail!("there is no clear decision about the plan, so it must not be followed"),
    }
}

/// What a hook cannot do, a clear context and the rights for edits, Claude is told.
fn context(closed: &Interaction) -> String {
    let how = match closed.outcome.as_deref() {
        Some("proceed_clean") => {
            "The plan is approved. Go on from the plan alone, as with a clear context; edits are allowed."
        }
        Some("proceed_default") => {
            "The plan is approved. Go on from the plan alone, as with a clear context; ask before each edit."
        }
        _ => "The plan is approved. Go on with it; edits are allowed.",
    };
    let notes = closed.answer.as_ref().and_then(|it| it.feedback.as_deref());
    let notes = notes.filter(|notes| !notes.is_empty());
    notes.map_or_else(
        || how.to_owned(),
        |notes| format!("{how}\n\nNotes:\n\n{notes}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closed(outcome: &str, feedback: Option<&str>) -> Interaction {
        serde_json::from_value(json!({
            "id": "1", "kind": "plan_review", "state": "resolved", "outcome": outcome, "approved": null,
            "fallback_used": false, "agent": {}, "dashboard_url": "",
            "answer": {"text": null, "selected": null, "answers": null, "decision": outcome, "feedback": feedback,
                "responder": {"name": "Ana"}},
        }))
        .unwrap()
    }

    #[test]
    fn only_what_proceeds_is_a_yes_and_an_adjustment_says_what_to_change() {
        for yes in ["proceed", "proceed_clean", "proceed_default"] {
            assert!(verdict(&closed(yes, None)).is_ok());
        }
        for no in ["expired", "cancelled", "answered", "approved", ""] {
            assert!(verdict(&closed(no, None)).is_err());
        }
        let no = verdict(&closed("adjust", Some("Line 3: not that"))).unwrap_err();
        let no = no.to_string();
        assert!(
            no.starts_with("Ana wants") && no.ends_with("Line 3: not that"),
            "{no}"
        );
        let other = Interaction {
            kind: "approval".to_owned(),
            ..closed("proceed", None)
        };
        assert!(verdict(&other).is_err());
    }

    #[test]
    fn notes_of_an_approval_reach_claude() {
        assert!(context(&closed("proceed", Some("mind the tests"))).ends_with("mind the tests"));
        assert!(context(&closed("proceed_default", None)).contains("ask before each edit"));
    }
}
