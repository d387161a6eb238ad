//! What was approved with other arguments, held against its receipt: it is signed, and names what was asked and what runs.

use std::fmt;

use domain::interaction::{Action, Outcome};
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::{
    amending::{Given, Play, REPLICAS, Story, arguments},
    rights::Ledger,
};

/// In numbers.
#[derive(Default)]
struct Figures {
    asked: usize,
    changed: usize,
    as_asked: usize,
    denied: usize,
    beyond: usize,
    ran: usize,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} asks that two answer at once: {} approved with changed arguments, each signed with both digests, {} as asked, {} denied; {} changes that the \
             agent does not take were refused; {} runs began, one of two each time",
            self.asked, self.changed, self.as_asked, self.denied, self.beyond, self.ran,
        )
    }
}

pub(super) async fn judge(ledger: &mut Ledger<'_>, stories: &[Story]) -> String {
    let mut figures = Figures::default();
    for story in stories {
        one(ledger, story, &mut figures).await;
    }
    if [figures.changed, figures.beyond, figures.ran].contains(&0) {
        ledger.fault(format!("that proves nothing of amendments: {figures}"));
    }
    figures.to_string()
}

/// By the test's own account.
fn digest(arguments: Value) -> Option<String> {
    let action = json!({"tool": "deploy", "arguments": arguments});
    let action: Action = serde_json::from_value(action).unwrap();
    Some(action.digest().unwrap())
}

async fn one(ledger: &mut Ledger<'_>, story: &Story, figures: &mut Figures) {
    let what = format!("amendment {} ({:?}), {}", story.n, story.play, story.id);
    figures.asked += 1;
    let row = ledger.interaction(story.id).await;
    let changed = row.amended().cloned();
    let (outcome, approved) = (row.state.outcome(), row.approved() == Some(true));
    if let Some(wrong) = story.given.iter().find(|given| !is_heard(given, story)) {
        ledger.fault(format!("{what}: {wrong:?}"));
    }
    // What was acknowledged is what holds.
    let acknowledged: Vec<&Given> = story
        .given
        .iter()
        .filter(|given| given.status == StatusCode::OK)
        .collect();
    let holds = changed.as_ref().map(|changed| &changed.arguments.0);
    let is_that = |given: &&Given| {
        given.answer["approved"] == approved && given.answer.get("arguments") == holds
    };
    if acknowledged.len() > 1 || !acknowledged.iter().all(is_that) {
        ledger.fault(format!(
            "{what} is {outcome:?} with {holds:?}, and this was acknowledged: {acknowledged:?}"
        ));
    }
    if !story.given.iter().any(|given| is_that(&given)) {
        ledger.fault(format!("{what} is what nobody answered: {holds:?}"));
    }
    let cast = ledger.cast;
    if let Some((_, receipt)) = ledger.receipt(&cast.amended, story.id).await {
        let decision = receipt.decision;
        let asked = digest(arguments(story.n, REPLICAS));
        let wanted = match holds {
            Some(holds) => (digest(holds.clone()), asked),
            None => (asked, None),
        };
        let found = (
            decision.action_digest.clone(),
            decision.asked_digest.clone(),
        );
        if found != wanted || Some(decision.outcome) != outcome {
            ledger.fault(format!("{what} needs {wanted:?}, and is {decision:?}"));
        }
        let told = changed.as_ref().map(|changed| changed.digest.clone());
        if told.is_some() && told != wanted.0 {
            ledger.fault(format!("{what}: the agent is told of {told:?}"));
        }
    }
    ledger.ran_once(story.id, &story.runs, approved).await;
    figures.ran += story.runs.iter().filter(|run| run.begins).count();
    let is_refused = |given: &&Given| given.status == StatusCode::UNPROCESSABLE_ENTITY;
    figures.beyond += story.given.iter().filter(is_refused).count();
    match (outcome, &changed) {
        (Some(Outcome::Approved), Some(_)) => figures.changed += 1,
        (Some(Outcome::Approved), None) => figures.as_asked += 1,
        (Some(Outcome::Denied), None) if story.play == Play::OrNot => figures.denied += 1,
        _ => ledger.fault(format!("{what} ended as {outcome:?} with {changed:?}")),
    }
}

/// It was taken, or another was faster. Only what the agent does not take is refused, with its place.
fn is_heard(given: &Given, story: &Story) -> bool {
    let is_beyond = given.answer["arguments"]["service"] == "db";
    match given.status {
        StatusCode::OK => !is_beyond,
        StatusCode::CONFLICT => !is_beyond && given.said["code"] == "already_closed",
        StatusCode::UNPROCESSABLE_ENTITY => {
            let place = &given.said["errors"][0]["path"];
            is_beyond && story.play == Play::Beyond && place == "arguments.service"
        }
        _ => false,
    }
}
