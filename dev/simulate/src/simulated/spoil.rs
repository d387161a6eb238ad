//! The planted faults that stand in the store's place: what is committed is changed or dropped, and what is read lies.

use std::{
    collections::HashMap,
    sync::{MutexGuard, PoisonError},
};

use domain::{
    Audience, Changeset, Event, EventId, Interaction, InteractionEvent, InteractionId, Payload,
    Person, PolicyId, Role, State, Write,
    grant::{GrantEnd, GrantWrite},
    interaction::{Answer, AnswerContent, Ask, Receipt, Request},
    journal::Record,
    ladder::LadderWrite,
    memory::MemoryWrite,
};
use store::{Claimed, CommitError, Due, EventPage};
use uuid::Uuid;

use super::Simulated;
use crate::plant::Plant;

/// What a broken store remembers, for all nodes.
#[derive(Default)]
pub(super) struct Kept {
    /// How often something could have been broken.
    times: u64,
    /// Rows as they were read first.
    first: HashMap<InteractionId, Interaction>,
    policies: [Option<PolicyId>; 2],
}

type Committed = Result<Vec<Event>, CommitError>;

impl Simulated {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now_and_then(&self) -> bool {
        let mut kept = self.kept();
        kept.times += 1;
        kept.times.is_multiple_of(3)
    }

    /// Commits, as far as nothing is broken.
    pub(super) async fn commit_spoiled(&self, mut changeset: Changeset) -> Committed {
        let Some(plant) = self.plant_now() else {
            return self.inner.commit(changeset).await;
        };
        let tells = |event: &str| {
            let mut events = changeset.events.iter();
            events.any(|one| one.payload.event_type() == event)
        };
        let forgets = match plant {
            Plant::ForgetsAsks => tells("interaction.requested") && self.now_and_then(),
            Plant::ForgetsAnswers => tells("interaction.resolved") && self.now_and_then(),
            Plant::ForgetsRuns => tells("interaction.consumed"),
            Plant::ForgetsLosers => tells("interaction.answer_rejected"),
            _ => false,
        };
        if forgets {
            return Ok(Vec::new());
        }
        spoil(plant, &mut changeset);
        let committed = self.inner.commit(changeset).await;
        match committed {
            Err(CommitError::Conflict) if plant == Plant::IgnoresConflicts => Ok(Vec::new()),
            committed => committed,
        }
    }

    /// What is planted, while the world is played.
    fn plant_now(&self) -> Option<Plant> {
        self.plant.filter(|_| !self.schedule.is_direct())
    }

    pub(super) fn spoil_interaction(&self, read: Interaction) -> Interaction {
        match self.plant_now() {
            Some(Plant::ReadsStale) => {
                let mut kept = self.kept();
                let first = kept.first.entry(read.id).or_insert_with(|| read.clone());
                let is_stale = first.state.is_pending() && !read.state.is_pending();
                let first = first.clone();
                drop(kept);
                match is_stale && self.now_and_then() {
                    true => first,
                    false => read,
                }
            }
            Some(Plant::ChangesAnswersLater) => {
                let is_again = self
                    .kept()
                    .first
                    .insert(read.id, read.clone())
                    .is_some_and(|before| !before.state.is_pending());
                let mut read = read;
                if let State::Resolved { answer } = &mut read.state
                    && is_again
                {
                    change_text(answer);
                }
                read
            }
            Some(Plant::SharesClaims) => Interaction {
                claim: None,
                ..read
            },
            _ => read,
        }
    }

    pub(super) fn spoil_page(&self, page: EventPage<Event>) -> EventPage<Event> {
        match self.plant {
            Some(Plant::SkipsEvents) => page.retain(|event| event.seq % 7 != 0),
            _ => page,
        }
    }

    pub(super) fn spoil_records(&self, mut records: Vec<Record>) -> Vec<Record> {
        if self.plant == Some(Plant::RewritesJournal) {
            for record in records.iter_mut().filter(|record| record.seq % 50 == 0) {
                record.payload = record.payload.replacen('a', "b", 1);
            }
        }
        records
    }

    pub(super) fn spoil_claimed(&self, mut claimed: Vec<Claimed>) -> Vec<Claimed> {
        match self.plant {
            Some(Plant::LosesDeliveries) => {
                claimed.retain(|one| !one.delivery.id.0.as_u128().is_multiple_of(5));
            }
            Some(Plant::SendsUncommitted) => {
                for one in &mut claimed {
                    one.delivery.event_seq += 1_000_000;
                }
            }
            _ => {}
        }
        claimed
    }

    pub(super) fn spoil_policies(&self, last: Option<PolicyId>) -> Option<PolicyId> {
        // Whoever replaces policies knows those before them, or would try for ever.
        match self
            .plant_now()
            .filter(|_| !self.schedule.is_run_by("root"))
        {
            Some(Plant::AsksWithoutRules) => None,
            Some(Plant::RestsOnOldRules) => {
                let mut kept = self.kept();
                if kept.policies[1] != last {
                    kept.policies = [kept.policies[1], last];
                }
                kept.policies[0]
            }
            _ => last,
        }
    }

    pub(super) fn spoil_audience(&self, audience: &Audience) -> Audience {
        match self.plant_now() {
            Some(Plant::ShowsOtherTeams) => Audience::All,
            _ => audience.clone(),
        }
    }

    pub(super) fn spoil_due(&self, due: Vec<Due>) -> Vec<Due> {
        match self.plant {
            Some(Plant::NeverExpires) => Vec::new(),
            _ => due,
        }
    }

    pub(super) fn spoil_person(&self, person: Person) -> Person {
        match self.plant_now() {
            Some(Plant::LetsInWhoIsOut) => Person {
                disabled_at: None,
                ..person
            },
            Some(Plant::RaisesViewers) => Person {
                role: match person.role {
                    Role::Viewer => Role::Responder,
                    role => role,
                },
                ..person
            },
            _ => person,
        }
    }
}

fn spoil(plant: Plant, changeset: &mut Changeset) {
    match plant {
        Plant::ClosesTwice => close_twice(changeset),
        Plant::KeepsHalf => {
            let resolves = changeset
                .events
                .iter()
                .any(|event| event.payload.event_type() == "interaction.resolved");
            if resolves {
                changeset
                    .writes
                    .retain(|write| !matches!(write, Write::Advance(_)));
            }
        }
        Plant::ChangesWords => each_answer(changeset, change_text),
        Plant::ChangesQuestions => each_request(changeset, |request| request.prompt.push('?')),
        Plant::ForgetsKeys => changeset.key = None,
        Plant::StripsReceipts => each_answer(changeset, |answer| answer.receipt = None),
        Plant::ForgesReceipts => each_answer(changeset, |answer| {
            if let Some(receipt) = &mut answer.receipt {
                forge(receipt);
            }
        }),
        Plant::TurnsDenials => each_answer(changeset, |answer| {
            if let AnswerContent::Approval { approved, .. } = &mut answer.content {
                *approved = true;
            }
        }),
        Plant::DropsFallbacks => drop_fallback(changeset),
        Plant::LeavesTasks => leave_task(changeset),
        Plant::AsksWithoutRules | Plant::RestsOnOldRules => changeset
            .writes
            .retain(|write| !matches!(write, Write::Policy(domain::policy::PolicyWrite::Under(_)))),
        Plant::CountsNoUses => changeset
            .writes
            .retain(|write| !matches!(write, Write::Grant(GrantWrite::Use { .. }))),
        Plant::RevokesNothing => changeset.writes.retain(|write| {
            !matches!(
                write,
                Write::Grant(
                    GrantWrite::End {
                        why: GrantEnd::Revoked,
                        ..
                    } | GrantWrite::Use { .. }
                )
            )
        }),
        Plant::CountsOneForTwo => count_one(changeset),
        Plant::LetsInWhoIsOut => changeset
            .writes
            .retain(|write| !matches!(write, Write::Counted(_))),
        Plant::TellsRungsTwice => changeset
            .writes
            .retain(|write| !matches!(write, Write::Ladder(LadderWrite::Climb { .. }))),
        Plant::ForgetsToTell => changeset
            .writes
            .retain(|write| !matches!(write, Write::Tell { .. })),
        Plant::KeepsWords => {
            for write in &mut changeset.writes {
                if let Write::Erase(erasing) = write {
                    erasing.events.clear();
                }
            }
        }
        Plant::AnswersByWithdrawn => changeset.writes.retain(|write| {
            !matches!(
                write,
                Write::Memory(MemoryWrite::End { .. } | MemoryWrite::Use { .. })
            )
        }),
        _ => {}
    }
}

/// Every answer in it, in the row and in the event.
fn each_answer(changeset: &mut Changeset, change: impl Fn(&mut Answer)) {
    for write in &mut changeset.writes {
        if let Write::Open(interaction) | Write::Advance(interaction) = write
            && let State::Resolved { answer } = &mut interaction.state
        {
            change(answer);
        }
    }
    for event in &mut changeset.events {
        if let Payload::Interaction(InteractionEvent::Resolved { answer, .. }) = &mut event.payload
        {
            change(answer);
        }
    }
}

fn change_text(answer: &mut Answer) {
    if let AnswerContent::Text { text } = &mut answer.content {
        text.push('.');
    }
}

fn forge(receipt: &mut Receipt) {
    let first = if receipt.signature.starts_with('A') {
        "B"
    } else {
        "A"
    };
    receipt.signature.replace_range(0..1, first);
}

fn close_twice(changeset: &mut Changeset) {
    let resolved = changeset
        .events
        .iter()
        .find(|event| event.payload.event_type() == "interaction.resolved");
    if let Some(resolved) = resolved {
        let mut second = resolved.clone();
        second.id = EventId(Uuid::from_u128(resolved.id.0.as_u128() ^ (1 << 40)));
        second.payload = InteractionEvent::Cancelled {
            reason: None,
            code: None,
        }
        .into();
        changeset.events.push(second);
    }
}

fn drop_fallback(changeset: &mut Changeset) {
    for write in &mut changeset.writes {
        if let Write::Advance(interaction) = write
            && let State::Expired { fallback, .. } = &mut interaction.state
        {
            *fallback = None;
        }
    }
    for event in &mut changeset.events {
        if let Payload::Interaction(InteractionEvent::Expired { answer, .. }) = &mut event.payload {
            *answer = None;
        }
    }
}

fn leave_task(changeset: &mut Changeset) {
    let closes = changeset.events.iter().any(|event| event.payload.closes());
    if closes {
        changeset
            .writes
            .retain(|write| !matches!(write, Write::Task(_)));
        changeset
            .events
            .retain(|event| !matches!(event.payload, Payload::Task(_)));
    }
}

fn count_one(changeset: &mut Changeset) {
    each_request(changeset, |request| {
        if let Ask::Approval {
            approvals: Some(quorum),
            ..
        } = &mut request.ask
        {
            quorum.needed = 1;
        }
    });
}

/// The request that it opens, in the row and in the event.
fn each_request(changeset: &mut Changeset, change: impl Fn(&mut Request)) {
    for write in &mut changeset.writes {
        if let Write::Open(interaction) = write {
            change(&mut interaction.request);
        }
    }
    for event in &mut changeset.events {
        if let Payload::Interaction(InteractionEvent::Requested { request, .. }) =
            &mut event.payload
        {
            change(request);
        }
    }
}
