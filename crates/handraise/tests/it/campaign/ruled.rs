//! What rules have decided, held against when each of them was in force.

use std::fmt;

use domain::{
    InteractionEvent,
    interaction::{Decision, Outcome},
    policy::PolicyTerms,
};
use reqwest::StatusCode;

use super::{
    rights::Ledger,
    ruling::{Asked, End, Says, Story, names, reason},
};

/// In numbers.
#[derive(Default)]
struct Figures {
    sets: usize,
    allowed: usize,
    forbidden: usize,
    waited: usize,
    ran: usize,
    tried: usize,
    late: usize,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} sets of rules: {} asks allowed, {} forbidden with the rule's reason, {} reached people, each by the rules of its time; {} allowed ones ran \
             once; of {} that waited until they were forbidden and {} that were allowed until then none was approved or ran",
            self.sets, self.allowed, self.forbidden, self.waited, self.ran, self.tried, self.late,
        )
    }
}

pub(super) async fn judge(ledger: &mut Ledger<'_>, story: &Story) -> String {
    let mut figures = Figures {
        sets: story.sets.len() - 1,
        tried: story.tried.len(),
        late: story.late_runs.len(),
        ..Figures::default()
    };
    each_set_once(ledger, story);
    for asked in &story.asked {
        one(ledger, story, asked, &mut figures).await;
    }
    figures.ran = story.runs.iter().filter(|run| run.begins).count();
    for tried in &story.tried {
        let is_refused = tried.status == StatusCode::UNPROCESSABLE_ENTITY
            && tried.said["errors"][0]["path"] == "approved";
        if !is_refused {
            ledger.fault(format!("forbidden by then, and approved: {tried:?}"));
        }
        let row = ledger.interaction(tried.id).await;
        if row.approved() != Some(false) || row.state.outcome() != Some(Outcome::Cancelled) {
            let state = row.state;
            ledger.fault(format!("{}, forbidden by then: {state:?}", tried.id));
        }
    }
    for run in story.late_runs.iter().filter(|run| run.begins) {
        ledger.fault(format!("forbidden by then, and may run: {run:?}"));
    }
    let nothing = [
        figures.allowed,
        figures.forbidden,
        figures.waited,
        figures.ran,
        figures.tried,
        figures.late,
    ]
    .contains(&0);
    if nothing {
        ledger.fault(format!("that proves nothing of rules: {figures}"));
    }
    figures.to_string()
}

/// By the journal, each was put in force, in their order, however often a node died over it.
fn each_set_once(ledger: &mut Ledger<'_>, story: &Story) {
    let found: Vec<_> = ledger
        .policies
        .values()
        .map(|one| one.rules.clone())
        .collect();
    let wanted: Vec<_> = story
        .sets
        .iter()
        .enumerate()
        .skip(1)
        .map(|(number, set)| names(number, set.says))
        .collect();
    if found != wanted {
        ledger.fault(format!(
            "these rules were put in force: {wanted:?}, and by the journal {found:?}"
        ));
    }
}

/// What was asked ended as one of the sets says that were in force meanwhile: from the last one that was acknowledged before
/// it was asked to the last one that was begun before that was known.
async fn one(ledger: &mut Ledger<'_>, story: &Story, asked: &Asked, figures: &mut Figures) {
    let sets = story.sets.iter();
    let first = sets.clone().rposition(|set| set.acked <= asked.begun);
    let last = sets.clone().rposition(|set| set.begun <= asked.ended);
    let (first, last) = (first.unwrap_or_default(), last.unwrap_or_default());
    let is_of_its_time = (first..=last).any(|number| match (&asked.end, story.sets[number].says) {
        (End::Waits, Says::Nothing) => true,
        (End::Allowed(rule), Says::Allows) => *rule == names(number, Says::Allows)[0],
        (End::Forbidden { rule, reason: why }, Says::Forbids) => {
            *rule == names(number, Says::Forbids)[1] && *why == reason(number)
        }
        _ => false,
    });
    if !is_of_its_time {
        ledger.fault(format!(
            "asked while the sets {first} to {last} were in force: {asked:?}, {:?}",
            &story.sets[first..=last]
        ));
    }
    let outcome = match &asked.end {
        End::Waits => {
            figures.waited += 1;
            return;
        }
        End::Allowed(_) => {
            figures.allowed += 1;
            Outcome::Approved
        }
        End::Forbidden { .. } => {
            figures.forbidden += 1;
            Outcome::Denied
        }
    };
    let cast = ledger.cast;
    if let Some((seq, receipt)) = ledger.receipt(&cast.ruled, asked.id).await {
        let decision = receipt.decision;
        let in_force = ledger.policies.range(..seq).next_back();
        let is_by = in_force.is_some_and(|(_, terms)| is_by(&decision, terms));
        if !is_by || decision.outcome != outcome || decision.version != 3 {
            let in_force = in_force.map(|(seq, terms)| (*seq, terms.clone()));
            ledger.fault(format!(
                "{}, event {seq}, is by {decision:?}, while these were in force: {in_force:?}",
                asked.id
            ));
        }
    }
    let events = ledger.story(asked.id);
    let is_quiet = events.iter().all(|(_, payload)| {
        matches!(
            payload,
            InteractionEvent::Requested { channel: None, .. }
                | InteractionEvent::Resolved { .. }
                | InteractionEvent::Consumed(_)
        )
    });
    if !is_quiet || ledger.is_told(asked.id) {
        ledger.fault(format!("{} is told to somebody: {events:?}", asked.id));
    }
    let has_run = story.runs.iter().any(|run| run.of == asked.id);
    ledger.ran_once(asked.id, &story.runs, has_run).await;
}

/// The receipt names the set that was in force when it was written into the journal.
fn is_by(decision: &Decision, terms: &PolicyTerms) -> bool {
    decision.policy.as_ref().is_some_and(|by| {
        by.id == terms.id && by.digest == terms.digest && terms.rules.contains(&by.rule)
    })
}
