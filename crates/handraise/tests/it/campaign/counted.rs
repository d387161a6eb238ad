//! What several people have approved, held against the journal: two different ones, never the owner, none twice, and one
//! denial is the end.

use std::{collections::BTreeSet, fmt};

use domain::{
    InteractionEvent,
    interaction::{Outcome, people},
};
use serde_json::json;
use uuid::Uuid;

use super::{
    counting::{OWNER, Play, Press, Said, Story},
    rights::Ledger,
};

/// In numbers.
#[derive(Default)]
struct Figures {
    asked: usize,
    presses: usize,
    approved: usize,
    denied: usize,
    alone: usize,
    again: usize,
    owner: usize,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} asks that take two people, pressed {} times: {} approved, each by two different people in one receipt, {} denied, {} left with one alone; \
             {} presses of who had approved before and {} of the agent's owner did not count",
            self.asked,
            self.presses,
            self.approved,
            self.denied,
            self.alone,
            self.again,
            self.owner,
        )
    }
}

pub(super) async fn judge(ledger: &mut Ledger<'_>, stories: &[Story]) -> String {
    let mut figures = Figures::default();
    for story in stories {
        one(ledger, story, &mut figures).await;
    }
    let nothing = [
        figures.approved,
        figures.denied,
        figures.alone,
        figures.again,
        figures.owner,
    ]
    .contains(&0);
    if nothing {
        ledger.fault(format!("that proves nothing of quorums: {figures}"));
    }
    figures.to_string()
}

/// What the journal says of who approved.
struct Told {
    /// Whoever was counted at some time, the last one too.
    counted: BTreeSet<Uuid>,
    /// How it ended, each time that it did.
    ends: Vec<Outcome>,
}

async fn one(ledger: &mut Ledger<'_>, story: &Story, figures: &mut Figures) {
    let what = format!("quorum {} ({:?}), {}", story.n, story.play, story.id);
    figures.asked += 1;
    figures.presses += story.presses.len();
    let said = |wanted: Said| {
        let those = story.presses.iter();
        those.filter(move |press| press.said == wanted).count()
    };
    figures.again += said(Said::Already);
    figures.owner += said(Said::Owner);
    let cast = ledger.cast;
    let id_of = |who: usize| cast.people[who].id.0;
    let owner = id_of(OWNER);
    let yes = |press: &&Press| press.approves && press.said != Said::TooLate;
    let counts: BTreeSet<Uuid> = story
        .presses
        .iter()
        .filter(yes)
        .filter(|press| press.said != Said::Owner)
        .map(|press| id_of(press.who))
        .collect();
    let may_count: BTreeSet<Uuid> = story
        .presses
        .iter()
        .filter(|press| press.approves)
        .map(|press| id_of(press.who))
        .collect();

    let told = told(ledger, story, &what);
    let row = ledger.interaction(story.id).await;
    let outcome = row.state.outcome();
    if told.ends.len() != 1 || told.ends.first().copied() != outcome {
        let ends = &told.ends;
        ledger.fault(format!(
            "{what} ends as {ends:?}, and the row says {outcome:?}"
        ));
    }
    if story.play == Play::FourEyes && told.counted.contains(&owner) {
        ledger.fault(format!("{what}: the owner of the agent counts"));
    }
    // Nothing that was acknowledged is lost, and nothing counts that nobody said.
    if !counts.is_subset(&told.counted) || !told.counted.is_subset(&may_count) {
        ledger.fault(format!(
            "{what} counts {:?}, and this was said: {:?}",
            told.counted, story.presses
        ));
    }
    let is_wanted = match story.play {
        Play::Together | Play::FourEyes => outcome == Some(Outcome::Approved),
        Play::Alone => outcome == Some(Outcome::Cancelled),
        Play::Denied => outcome == Some(Outcome::Denied),
        Play::Torn => matches!(outcome, Some(Outcome::Approved | Outcome::Denied)),
    };
    let is_heard = story.presses.iter().all(|press| match press.said {
        Said::Owner => story.play == Play::FourEyes && press.who == OWNER,
        Said::Sent if press.approves => outcome == Some(Outcome::Approved),
        Said::Sent => outcome == Some(Outcome::Denied),
        Said::Kept | Said::Already => press.approves,
        Said::TooLate => true,
    });
    if !is_wanted || !is_heard {
        ledger.fault(format!(
            "{what} ended as {outcome:?}, after {:?}",
            story.presses
        ));
    }
    if matches!(story.play, Play::Alone | Play::FourEyes) {
        let approved = &story.between["progress"]["approved"];
        let alone = id_of(1);
        let by = approved.as_array().map(Vec::as_slice).unwrap_or_default();
        if story.between["state"] != "pending" || by.len() != 1 || by[0]["id"] != json!(alone) {
            let between = &story.between;
            ledger.fault(format!("{what}: with one alone it is {between}"));
        }
    }
    match outcome {
        Some(Outcome::Approved) => {
            figures.approved += 1;
            approved(ledger, story, &what, &may_count).await;
        }
        Some(Outcome::Denied) => {
            figures.denied += 1;
            let receipt = ledger.receipt(&cast.counted, story.id).await;
            let approvers = receipt.map(|(_, receipt)| receipt.decision.approvers);
            if approvers.is_none_or(|approvers| !approvers.is_empty())
                || row.approved() != Some(false)
            {
                ledger.fault(format!("{what} is denied, and its receipt says more"));
            }
        }
        _ => figures.alone += 1,
    }
}

/// The journal's own account; each approval is one person's, who had not approved before, and none follows the end.
fn told(ledger: &mut Ledger<'_>, story: &Story, what: &str) -> Told {
    let mut told = Told {
        counted: BTreeSet::new(),
        ends: Vec::new(),
    };
    for (seq, payload) in ledger.story(story.id) {
        match payload {
            InteractionEvent::Approved { votes } => {
                let those: BTreeSet<Uuid> = votes.iter().map(|vote| vote.responder.id).collect();
                let is_one_more = those.len() == votes.len()
                    && told.counted.is_subset(&those)
                    && those.len() == told.counted.len() + 1;
                if !is_one_more || !told.ends.is_empty() {
                    ledger.fault(format!(
                        "{what}: event {seq} counts {votes:?} after {:?}, ended: {:?}",
                        told.counted, told.ends
                    ));
                }
                told.counted.extend(those);
            }
            InteractionEvent::Resolved { outcome, answer } => {
                told.ends.push(outcome);
                if outcome == Outcome::Approved && !told.counted.insert(answer.responder.id) {
                    ledger.fault(format!("{what}: who approved before is the last one too"));
                }
            }
            InteractionEvent::Cancelled { .. } => told.ends.push(Outcome::Cancelled),
            _ => {}
        }
    }
    told
}

async fn approved(ledger: &mut Ledger<'_>, story: &Story, what: &str, may_count: &BTreeSet<Uuid>) {
    let cast = ledger.cast;
    let Some((_, receipt)) = ledger.receipt(&cast.counted, story.id).await else {
        return;
    };
    let approvers = &receipt.decision.approvers;
    let ids: BTreeSet<Uuid> = approvers.iter().map(|one| one.responder.id).collect();
    let is_right = approvers.len() == 2
        && people(approvers) == 2
        && ids.is_subset(may_count)
        && receipt.decision.outcome == Outcome::Approved;
    if !is_right {
        ledger.fault(format!("{what} is approved by {approvers:?}"));
    }
}
