//! What standing approvals have approved, held against the journal and what the nodes say.

use std::fmt;

use domain::{GrantId, InteractionEvent, InteractionId, interaction::Outcome};
use serde_json::json;

use super::{
    granting::{Story, Use},
    rights::Ledger,
};

/// In numbers.
#[derive(Default)]
struct Figures {
    made: usize,
    again: usize,
    used: usize,
    on_the_way: usize,
    asked_all_the_same: usize,
    asked_afterwards: usize,
    late: usize,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} grants ({} made twice, as a node died before it had said so), used {} times, {} of these while they were revoked, and {} times a person \
             was asked all the same; of {} asks after the revocation was acknowledged none is approved, of {} approved before it that were to run then none ran",
            self.made,
            self.again,
            self.used,
            self.on_the_way,
            self.asked_all_the_same,
            self.asked_afterwards,
            self.late,
        )
    }
}

pub(super) async fn judge(ledger: &mut Ledger<'_>, stories: &[Story]) -> String {
    let mut figures = Figures::default();
    for story in stories {
        figures.made += story.grants.len();
        figures.again += story.grants.len().saturating_sub(1);
        for one in &story.uses {
            used(ledger, story, one, &mut figures).await;
        }
        for grant in &story.grants {
            ended(ledger, story, *grant).await;
        }
        figures.late += usize::from(story.late.is_some());
    }
    if figures.used < stories.len() || figures.asked_afterwards == 0 || figures.late == 0 {
        ledger.fault(format!("that proves nothing of grants: {figures}"));
    }
    figures.to_string()
}

/// What was asked is approved by a grant of its round that was not revoked before, and then nobody hears of it.
async fn used(ledger: &mut Ledger<'_>, story: &Story, one: &Use, figures: &mut Figures) {
    let what = format!("grant {}, {}", story.n, one.id);
    let by = ledger.granted(one.id);
    let afterwards = one.begun >= story.revoked;
    figures.asked_afterwards += usize::from(afterwards);
    if one.approved != by.is_some() {
        ledger.fault(format!(
            "{what}: told that it is approved: {}, and by the journal by {by:?}",
            one.approved
        ));
    }
    let Some(by) = by else {
        figures.asked_all_the_same += usize::from(one.ended < story.revoking);
        return;
    };
    figures.used += 1;
    figures.on_the_way += usize::from(one.ended >= story.revoking);
    if afterwards {
        let late = one.begun - story.revoked;
        ledger.fault(format!(
            "{what} is approved by {by}, asked {late:?} after its revocation was acknowledged"
        ));
    }
    if !story.grants.contains(&by) {
        ledger.fault(format!("{what} is approved by {by}, which is another's"));
    }
    let cast = ledger.cast;
    if let Some((_, receipt)) = ledger.receipt(&cast.granted, one.id).await {
        let decision = receipt.decision;
        let names_it = decision.grant.is_some_and(|named| named.id == by);
        if !names_it || decision.version != 2 || decision.outcome != Outcome::Approved {
            ledger.fault(format!("{what} has no receipt by {by}: {decision:?}"));
        }
    }
    let is_quiet = |(_, payload): &(i64, InteractionEvent)| {
        matches!(
            payload,
            InteractionEvent::Requested { channel: None, .. }
                | InteractionEvent::Resolved { .. }
                | InteractionEvent::Consumed(_)
        )
    };
    let events = ledger.story(one.id);
    if !events.iter().all(is_quiet) || ledger.is_told(one.id) {
        ledger.fault(format!("{what} is told to somebody: {events:?}"));
    }
    let is_first = story.uses.first().is_some_and(|first| first.id == one.id);
    match (&story.late, is_first) {
        (_, true) => ledger.ran_once(one.id, &story.runs, true).await,
        (Some(late), false) if late.of == one.id => {
            // Even that it was told to begin is a fault.
            ledger.ran_once(one.id, &[], false).await;
            if late.begins {
                ledger.fault(format!("{what} may run though {by} is revoked"));
            }
        }
        _ => ledger.ran_once(one.id, &[], false).await,
    }
}

/// It is revoked once, each use was before that, and is counted once.
async fn ended(ledger: &mut Ledger<'_>, story: &Story, grant: GrantId) {
    let what = format!("grant {}, {grant}", story.n);
    let uses = ledger.uses_of(grant);
    let Some(revoked) = ledger.revoked(grant) else {
        ledger.fault(format!("{what} is not revoked in the journal"));
        return;
    };
    let late: Vec<_> = uses.iter().filter(|(seq, _)| *seq > revoked).collect();
    if !late.is_empty() {
        ledger.fault(format!(
            "{what} is revoked by event {revoked}, and approves {late:?}"
        ));
    }
    for (_, id) in &uses {
        let begins = |(_, payload): &(i64, InteractionEvent)| {
            matches!(payload, InteractionEvent::Consumed(_))
        };
        let runs = ledger.story(*id).into_iter().filter(begins);
        let late: Vec<_> = runs
            .map(|(seq, _)| seq)
            .filter(|seq| *seq > revoked)
            .collect();
        if !late.is_empty() {
            ledger.fault(format!(
                "{what} is revoked by event {revoked}, and {id} begins to run in {late:?}"
            ));
        }
    }
    let is_asked = |id: InteractionId| story.uses.iter().any(|one| one.id == id);
    let unasked: Vec<_> = uses.iter().filter(|(_, id)| !is_asked(*id)).collect();
    if !unasked.is_empty() {
        ledger.fault(format!("{what} approves what nobody asked: {unasked:?}"));
    }
    let path = format!("/api/v1/grants/{grant}");
    let cast = ledger.cast;
    let shown = cast.reads(&cast.clerks[0], &path).await;
    let counts = [&shown["uses"], &shown["uses_this_week"]];
    let is_right = counts.iter().all(|count| **count == json!(uses.len()))
        && shown["in_force"] == false
        && shown["ended_why"] == "revoked";
    if !is_right {
        ledger.fault(format!(
            "{what} is used {} times, and shown as {shown}",
            uses.len()
        ));
    }
}
