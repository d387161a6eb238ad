//! What the callers know: what they sent, and what was acknowledged. Nothing here looks into the store.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
};

use domain::{
    DeliveryId, DestinationId, GrantId, Interaction, InteractionId, MemoryId, PersonId, State,
    TeamId,
};
use serde_json::Value;

use crate::check::Check;

/// A moment of the schedule, and the last event that was committed by then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct At {
    pub(crate) step: u64,
    pub(crate) seq: i64,
    pub(crate) millis: i64,
}

/// What somebody does.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    /// An agent asks; `prompt` is in no other request.
    Ask {
        agent: usize,
        key: String,
        prompt: String,
        body: Value,
    },
    Answer {
        id: InteractionId,
        person: PersonId,
        answer: Value,
    },
    TakeBack {
        id: InteractionId,
        by: By,
    },
    EndSession {
        agent: usize,
        session: String,
    },
    Collect {
        id: InteractionId,
    },
    Consume {
        id: InteractionId,
        run: String,
    },
    Report {
        id: InteractionId,
    },
    Claim {
        id: InteractionId,
        person: PersonId,
    },
    Release {
        id: InteractionId,
    },
    FollowUp {
        id: InteractionId,
    },
    Grant {
        from: InteractionId,
    },
    RevokeGrant {
        grant: GrantId,
    },
    KeepAnswer {
        from: InteractionId,
    },
    RevokeAnswer {
        memory: MemoryId,
    },
    /// One of the sets that there are, the first, second and so on that is put in force.
    SetPolicies {
        set: usize,
        number: usize,
    },
    Disable {
        person: PersonId,
        disabled: bool,
    },
    SetRole {
        person: PersonId,
        answers: bool,
    },
    SetMember {
        person: PersonId,
        team: TeamId,
        is_member: bool,
    },
    Erase {
        id: InteractionId,
    },
    Read {
        id: InteractionId,
    },
    List {
        person: PersonId,
    },
}

/// Who took something back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    Agent(usize),
    Person(PersonId),
}

/// How it ended, as far as they were told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// No reply, or one that does not say.
    Unknown,
    Done,
    Refused(String),
}

/// A deed, from when it was sent to its reply.
#[derive(Clone, Debug)]
pub(crate) struct Op {
    pub(crate) actor: String,
    pub(crate) node: usize,
    pub(crate) deed: Deed,
    pub(crate) begun: At,
    pub(crate) ended: Option<At>,
    pub(crate) end: End,
    /// Of a request, once it was acknowledged; of a grant or an answer that stands the id of what it was made from.
    pub(crate) id: Option<InteractionId>,
    pub(crate) grant: Option<GrantId>,
    pub(crate) memory: Option<MemoryId>,
}

impl Op {
    pub(crate) fn is_done(&self) -> bool {
        self.end == End::Done
    }

    /// The interaction that it is about.
    pub(crate) fn about(&self) -> Option<InteractionId> {
        match &self.deed {
            Deed::Answer { id, .. }
            | Deed::TakeBack { id, .. }
            | Deed::Collect { id }
            | Deed::Consume { id, .. }
            | Deed::Report { id }
            | Deed::Claim { id, .. }
            | Deed::Release { id }
            | Deed::FollowUp { id }
            | Deed::Erase { id }
            | Deed::Read { id } => Some(*id),
            Deed::Grant { from } | Deed::KeepAnswer { from } => Some(*from),
            _ => self.id,
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ended = self
            .ended
            .map_or("never heard".to_owned(), |at| format!("step {}", at.step));
        let end = match &self.end {
            End::Unknown => "unknown",
            End::Done => "done",
            End::Refused(why) => why,
        };
        write!(
            f,
            "step {:>6} to {ended:>11}, after event {:>4}: {} at node {}: {:?} → {end}",
            self.begun.step, self.begun.seq, self.actor, self.node, self.deed
        )
    }
}

/// Something that must not be.
#[derive(Clone, Debug)]
pub(crate) struct Violation {
    pub(crate) check: Check,
    pub(crate) about: Option<InteractionId>,
    pub(crate) what: String,
}

/// Everything that callers know of one world.
#[derive(Default)]
pub(crate) struct Model(Mutex<Known>);

/// What is in it.
#[derive(Default)]
pub(crate) struct Known {
    pub(crate) ops: Vec<Op>,
    pub(crate) violations: Vec<Violation>,
    /// How each closed interaction was read first, and when that reading was over.
    pub(crate) closed: BTreeMap<InteractionId, (String, At)>,
    /// What receivers got: the delivery, where it went, the number of the event.
    pub(crate) received: BTreeSet<(DeliveryId, DestinationId, i64)>,
    /// What was shown as waiting, with the team that each belongs to, and by which deed.
    pub(crate) shown: Vec<(usize, BTreeMap<InteractionId, Option<TeamId>>)>,
}

impl Model {
    pub(crate) fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn violated(&self, check: Check, about: Option<InteractionId>, what: String) {
        self.known()
            .violations
            .push(Violation { check, about, what });
    }

    /// Somebody has read it: what is closed stays as it was read first.
    pub(crate) fn has_read(&self, interaction: &Interaction, begun: At, ended: At) {
        if interaction.erased.is_some() {
            return;
        }
        let (id, now) = (interaction.id, in_words(interaction));
        let mut known = self.known();
        let first = known.closed.get(&id).cloned();
        let what = match (first, &interaction.state) {
            (Some((first, at)), State::Pending { .. }) if at <= begun => {
                format!("it is read as pending, after it was read as {first}")
            }
            (_, State::Pending { .. }) => return,
            (Some((first, _)), _) if first != now => {
                format!("it was read as {first}, and is read as {now}")
            }
            (Some(_), _) => return,
            (None, _) => {
                known.closed.insert(id, (now, ended));
                return;
            }
        };
        let check = Check::NeverChanges;
        known.violations.push(Violation {
            check,
            about: Some(id),
            what,
        });
    }
}

/// How it ended, in one line.
pub(crate) fn in_words(interaction: &Interaction) -> String {
    match &interaction.state {
        State::Resolved { answer } => format!(
            "resolved by {} with {:?}",
            answer.responder.name, answer.content
        ),
        State::Expired { fallback, .. } => format!("expired with {fallback:?}"),
        State::Cancelled { reason, .. } => format!("cancelled with {reason:?}"),
        State::Delivered { .. } => "delivered".to_owned(),
        State::Pending { .. } => "pending".to_owned(),
        State::Void { why, .. } => format!("void: {why:?}"),
    }
}
