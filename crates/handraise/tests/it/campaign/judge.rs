//! What the journal, the outbox and those who were told say of it, held against each other.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt,
};

use chrono::TimeDelta;
use domain::{
    DeliveryId, DestinationId, InteractionEvent, Payload, PersonId,
    delivery::{DeliveryState, DestinationKind, ReachKind},
};
use store::{DeliveryRecord, Store};

use super::{
    Size,
    story::{Fate, Story},
};
use crate::support::carriers::Heard;

/// A message that is received so long after it was said that a question is over was not on its way by then: they are looked
/// at ten times a second, on a machine that is busy.
const ON_ITS_WAY: TimeDelta = TimeDelta::seconds(2);

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    pub(super) faults: Vec<String>,
    rungs: usize,
    messages: usize,
    delivered: usize,
    came: BTreeMap<&'static str, usize>,
    repeated: usize,
    unneeded: usize,
    latest: TimeDelta,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let came: Vec<_> = self
            .came
            .iter()
            .map(|(by, count)| format!("{count} by {by}"))
            .collect();
        write!(
            f,
            "{} rungs told, {} messages owed for them: {} delivered, {} not needed any more; {} requests that ask ({}), {} of them repeated; the latest \
             after an answer: {} ms",
            self.rungs,
            self.messages,
            self.delivered,
            self.unneeded,
            self.came.values().sum::<usize>(),
            came.join(", "),
            self.repeated,
            self.latest.num_milliseconds(),
        )
    }
}

/// By which way a message of the outbox goes to a person.
fn way(kind: DestinationKind) -> Option<ReachKind> {
    Some(match kind {
        DestinationKind::Push => ReachKind::Push,
        DestinationKind::Mail => ReachKind::Mail,
        DestinationKind::Ntfy => ReachKind::Ntfy,
        DestinationKind::Direct => ReachKind::Slack,
        DestinationKind::Webhook | DestinationKind::Callback | DestinationKind::Slack => {
            return None;
        }
    })
}

/// Holds everything against everything.
pub(super) async fn judge(
    store: &dyn Store,
    size: &Size,
    stories: &[Story],
    deliveries: &[DeliveryRecord],
    heard: &[Heard],
) -> Verdict {
    let mut verdict = Verdict::default();
    let ids: HashSet<String> = heard.iter().map(|one| one.id.clone()).collect();
    let mut by_event: HashMap<i64, Vec<&DeliveryRecord>> = HashMap::new();
    for one in deliveries.iter().filter(|one| way(one.kind).is_some()) {
        by_event
            .entry(one.delivery.event_seq)
            .or_default()
            .push(one);
    }
    for (seq, messages) in &by_event {
        let to: HashSet<DestinationId> = messages
            .iter()
            .map(|one| one.delivery.destination)
            .collect();
        if to.len() != messages.len() {
            verdict.faults.push(format!(
                "event {seq} is told twice to the same: {messages:?}"
            ));
        }
    }
    for story in stories {
        verdict.of(store, size, story, &by_event, &ids).await;
    }
    verdict.what_came(stories, deliveries, heard);
    verdict
}

impl Verdict {
    /// A question's own events: every rung once, none after the end or while somebody is on it, and a message for each of
    /// those who are told.
    async fn of(
        &mut self,
        store: &dyn Store,
        size: &Size,
        story: &Story,
        by_event: &HashMap<i64, Vec<&DeliveryRecord>>,
        ids: &HashSet<String>,
    ) {
        let history = store.events_of(story.id, 0, 1_000).await.unwrap();
        let (mut rungs, mut reached) = (
            Vec::new(),
            HashMap::<(u32, PersonId, ReachKind), u32>::new(),
        );
        let (mut is_over, mut claimed_until, mut delivered) = (false, None, 0);
        let n = story.n;
        for event in history {
            let Payload::Interaction(payload) = &event.payload else {
                continue;
            };
            is_over |= event.payload.closes();
            match payload {
                InteractionEvent::Climbed {
                    rung, told, others, ..
                } => {
                    // The rung that was due comes as the claim ends, and may stand before the word that it has ended.
                    if is_over || claimed_until.is_some_and(|until| event.at < until) {
                        self.faults.push(format!(
                            "{n}: rung {rung} after the end, or while somebody is on it"
                        ));
                    }
                    assert_eq!(*others, 0, "two people are no crowd");
                    rungs.push(*rung);
                    let mut wanted: Vec<_> = told.iter().flat_map(|one| &one.by).copied().collect();
                    let messages = by_event.get(&event.seq).map_or(&[][..], Vec::as_slice);
                    let mut owed: Vec<_> =
                        messages.iter().filter_map(|one| way(one.kind)).collect();
                    wanted.sort_unstable();
                    owed.sort_unstable();
                    if wanted != owed {
                        self.faults.push(format!(
                            "{n}: rung {rung} tells by {wanted:?} and owes {owed:?}"
                        ));
                    }
                    self.messages += owed.len();
                    for one in messages {
                        delivered += usize::from(self.message(story, one, ids));
                    }
                }
                InteractionEvent::Reached { person, by, rung } => {
                    *reached.entry((*rung, person.id, *by)).or_default() += 1;
                }
                InteractionEvent::Claimed { until, .. } => claimed_until = Some(*until),
                InteractionEvent::Released { .. } => claimed_until = None,
                _ => {}
            }
        }
        self.rungs += rungs.len();
        let all: Vec<u32> = (0..size.rungs).collect();
        let is_right = match story.fate.climbs_to_the_end() {
            true => rungs == all,
            false => all.starts_with(&rungs),
        };
        if !is_right {
            self.faults
                .push(format!("{n} ({:?}) climbed {rungs:?}", story.fate));
        }
        if let Some(twice) = reached.iter().find(|(_, times)| **times != 1) {
            self.faults.push(format!(
                "{n}: it is said more than once that somebody was reached: {twice:?}"
            ));
        }
        if story.fate == Fate::Silent && reached.len() != delivered {
            self.faults.push(format!(
                "{n}: {delivered} messages were delivered, {} reached anybody",
                reached.len()
            ));
        }
        if is_over != story.over_at.is_some() {
            self.faults
                .push(format!("{n} ({:?}) is over: {is_over}", story.fate));
        }
    }

    /// One that is owed for a rung. Whether it was delivered.
    fn message(&mut self, story: &Story, one: &DeliveryRecord, ids: &HashSet<String>) -> bool {
        let id = one.delivery.id;
        if one.delivery.state == DeliveryState::Delivered {
            self.delivered += 1;
            if !ids.contains(&id.to_string()) {
                self.faults.push(format!(
                    "{}: {id} is delivered, and was never heard",
                    story.n
                ));
            }
            return true;
        }
        // It waits no more, and so nobody has to hear of it.
        self.unneeded += 1;
        if story.over_at.is_none() {
            self.faults
                .push(format!("{}: it never arrived: {one:?}", story.n));
        }
        false
    }

    /// What came is what was owed, and came before the end.
    fn what_came(&mut self, stories: &[Story], deliveries: &[DeliveryRecord], heard: &[Heard]) {
        let known: HashMap<DeliveryId, &DeliveryRecord> = deliveries
            .iter()
            .map(|one| (one.delivery.id, one))
            .collect();
        let stories: HashMap<_, _> = stories.iter().map(|one| (one.id, one)).collect();
        let mut seen = HashSet::new();
        for one in heard.iter().filter(|one| one.asks) {
            *self.came.entry(one.by.name()).or_default() += 1;
            self.repeated += usize::from(!seen.insert(&one.id));
            let owed = one
                .id
                .parse()
                .ok()
                .and_then(|id: DeliveryId| known.get(&id));
            let is_that = owed.is_some_and(|owed| {
                owed.interaction_id == Some(one.about) && way(owed.kind) == Some(one.by)
            });
            if !is_that {
                self.faults.push(format!(
                    "nobody owes this, or something else under its id: {one:?}"
                ));
            }
            let Some(over_at) = stories.get(&one.about).and_then(|story| story.over_at) else {
                continue;
            };
            self.latest = self.latest.max(one.at - over_at);
            if one.at > over_at + ON_ITS_WAY {
                self.faults
                    .push(format!("it asks though all was over at {over_at}: {one:?}"));
            }
        }
    }
}
