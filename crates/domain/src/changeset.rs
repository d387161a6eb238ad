//! The decision of a rule, ready for the store to commit in one transaction.

use chrono::{DateTime, Utc};

use crate::{
    access::Access,
    attachment::Attaching,
    delivery::{Endpoint, Reach, Retry},
    digest::Hash,
    event::{NewEvent, Payload},
    grant::GrantWrite,
    idempotency::IdempotencyKey,
    ids::{AgentId, DeliveryId, DestinationId, InteractionId, MessageId, PersonId, TeamId},
    interaction::Interaction,
    ladder::LadderWrite,
    memory::MemoryWrite,
    policy::PolicyWrite,
    task::Task,
};

/// A change and the events that tell of it. Never a change without an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Changeset {
    /// The interaction the command was for comes first, then its consequences. Empty when only the
    /// journal grows (a rejected answer). All of them are kept, or none.
    pub writes: Vec<Write>,
    /// At least one.
    pub events: Vec<NewEvent>,
    /// With [`Write::Open`]: the agent's name for this request. If the key is taken the whole changeset
    /// is refused as a conflict.
    pub key: Option<IdempotencyKey>,
    /// How many bytes the agent that causes it may have had stored today, if that counts. When it has had as
    /// many, the whole changeset is refused as a conflict.
    pub quota: Option<u64>,
}

/// The new state of one thing.
#[derive(Clone, Debug, PartialEq)]
pub enum Write {
    /// It did not exist before; its version is 1, or 2 where a grant, a policy or an earlier answer answers it as it is asked.
    Open(Interaction),
    /// It replaces the version just below its own. If that is no longer the stored one, or the journal has an event of
    /// it already that happens once, the whole changeset is refused as a conflict and nothing of it is kept.
    Advance(Interaction),
    /// A new task when its version is 1, otherwise as [`Write::Advance`].
    Task(Task),
    /// People, links, sessions and tokens.
    Access(Access),
    /// A new endpoint when its version is 1, otherwise as [`Write::Advance`]. The due deliveries of
    /// a disabled or deleted one are given up with it.
    Endpoint(Endpoint),
    /// A new reach when its version is 1, otherwise as [`Write::Advance`]. What is due to one that has ended is given up
    /// with it. A conflict also when its person is disabled.
    Reach(Reach),
    /// These reaches are owed a message about this interaction: of the changeset's event about it that is a
    /// [`Cause`](crate::delivery::Cause). This is how a rung is told, in the commit that decides it.
    Tell {
        /// Which.
        interaction: InteractionId,
        /// To whom, by what.
        reaches: Vec<DestinationId>,
    },
    /// A message has arrived. A conflict unless it is being sent under this lease: whoever else sends it tells of it.
    Arrived {
        /// Which.
        message: DeliveryId,
        /// The lease it was sent under.
        lease: i64,
        /// When.
        at: DateTime<Utc>,
    },
    /// Deliveries are due again.
    Retry {
        /// Which.
        which: Retry,
        /// From then on.
        at: DateTime<Utc>,
    },
    /// A message from Slack counts with this changeset, and never again. If it has counted already, the
    /// whole changeset is refused as a conflict.
    Heard {
        /// Which.
        message: MessageId,
        /// When.
        at: DateTime<Utc>,
        /// The outcome, for the reader.
        note: String,
    },
    /// Rule 16: a conflict unless all of this is so.
    Counted(Box<Standing>),
    /// A step on a ladder.
    Ladder(LadderWrite),
    /// A step of a grant.
    Grant(GrantWrite),
    /// Files become part of an interaction.
    Attach(Box<Attaching>),
    /// A step of an answer that stands for the same question.
    Memory(MemoryWrite),
    /// A step of policies.
    Policy(PolicyWrite),
    /// As [`Write::Advance`], and all that was written in the interaction goes (rule 19): from its row, from its
    /// events, and from everything that was made of them. If the journal has an event of it after the last one that the
    /// decision rests on, the whole changeset is refused as a conflict; so too when it is the last of its task that has words
    /// and those of the task stay, or the other way round.
    Erase(Box<Erasing>),
}

/// What approvals that are counted rest on, as it was when they were. It is looked at in the transaction that counts them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The people who count: each may come in and answer.
    pub people: Vec<PersonId>,
    /// The team that is asked: they belong to it and answer there.
    pub team: Option<TeamId>,
    /// Whether admins have to, too.
    pub members_only: bool,
    /// Whether all of them have to be admins.
    pub admins_only: bool,
    /// The agent that asks.
    pub agent: AgentId,
    /// Where its owner does not count: all of its owners since this moment.
    pub owners: Option<(Vec<PersonId>, DateTime<Utc>)>,
}

/// An interaction whose words go.
#[derive(Clone, Debug, PartialEq)]
pub struct Erasing {
    /// The interaction without words.
    pub interaction: Interaction,
    /// What is left of each event that has words.
    pub events: Vec<Blanked>,
    /// The last event of the interaction that the decision rests on.
    pub last_seq: i64,
    /// Whether it is one of many: then the change of its card comes after all that its channel is owed.
    pub of_many: bool,
    /// Whether files were sent with it, which may be in Slack.
    pub had_files: bool,
}

/// What is left of an event whose words go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blanked {
    /// Its place.
    pub seq: i64,
    /// Its payload from now on.
    pub payload: String,
    /// The salted digest of the payload that goes, which the event's hash covers; `None` in the first formats, where it
    /// covers the payload itself.
    pub digest: Option<Hash>,
}

impl Changeset {
    /// The types of event that happen to an interaction once, if this changeset has such a one for it.
    pub fn once(&self, id: InteractionId) -> Option<&'static [&'static str]> {
        let events = self
            .events
            .iter()
            .filter(|event| event.interaction_id == Some(id));
        events
            .filter_map(|event| match &event.payload {
                Payload::Interaction(event) => event.once(),
                _ => None,
            })
            .next()
    }

    /// The interaction the command was for, as it will be.
    pub fn interaction(&self) -> Option<&Interaction> {
        match self.writes.first()? {
            Write::Open(interaction) | Write::Advance(interaction) => Some(interaction),
            Write::Erase(erasing) => Some(&erasing.interaction),
            Write::Task(_)
            | Write::Access(_)
            | Write::Endpoint(_)
            | Write::Reach(_)
            | Write::Tell { .. }
            | Write::Arrived { .. }
            | Write::Ladder(_)
            | Write::Counted(_)
            | Write::Grant(_)
            | Write::Attach(_)
            | Write::Memory(_)
            | Write::Policy(_)
            | Write::Retry { .. }
            | Write::Heard { .. } => None,
        }
    }
}
