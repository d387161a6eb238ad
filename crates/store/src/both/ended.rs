//! What ends beside what a changeset says: standing decisions whose ground it takes away. The writer tells of each in the
//! journal, in the same transaction: a row alone could be made to forget it.

use domain::{
    AgentId, Event, GrantEvent, GrantId, InteractionId, MemoryEvent, MemoryId, NewEvent, Payload,
    grant::GrantEnd, journal::Record, memory::MemoryEnd,
};
use uuid::Uuid;

use super::ground::Table;
use crate::{JournalState, Result, journal};

/// One of them, as the statement that has ended it returns it: its id, its agent, and what it was made from.
pub(super) type Row = (Uuid, Option<Uuid>, Uuid);

/// Those of one changeset, in the order in which they ended.
#[derive(Debug, Default)]
pub(super) struct Ended(Vec<One>);

#[derive(Debug)]
struct One {
    thing: Uuid,
    agent: Option<AgentId>,
    made_from: InteractionId,
    payload: Payload,
}

/// Why something ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum Why {
    /// A grant.
    Grant(GrantEnd),
    /// An answer that stood.
    Memory(MemoryEnd),
}

impl Why {
    pub(super) fn table(self) -> Table {
        match self {
            Self::Grant(_) => Table::Grants,
            Self::Memory(_) => Table::Memories,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Grant(why) => why.name(),
            Self::Memory(why) => why.name(),
        }
    }

    fn told_of(self, id: Uuid) -> Payload {
        match self {
            Self::Grant(why) => GrantEvent::Ended {
                id: GrantId(id),
                why,
            }
            .into(),
            Self::Memory(why) => MemoryEvent::Ended {
                id: MemoryId(id),
                why,
            }
            .into(),
        }
    }
}

impl Ended {
    /// These have.
    pub(super) fn take(&mut self, rows: Vec<Row>, why: Why) {
        let ended = rows.into_iter().map(|(thing, agent, made_from)| One {
            thing,
            agent: agent.map(AgentId),
            made_from: InteractionId(made_from),
            payload: why.told_of(thing),
        });
        self.0.extend(ended);
    }

    /// Their events, after `end`: as `cause`, the first event of the changeset, was caused.
    pub(super) fn told(
        self,
        cause: Option<&NewEvent>,
        end: &mut JournalState,
    ) -> Result<(Vec<Record>, Vec<Event>)> {
        let Some(cause) = cause else {
            return Ok(Default::default());
        };
        let events = self
            .0
            .into_iter()
            .map(|one| cause.ending(one.thing, one.agent, one.made_from, one.payload));
        journal::append_events(end, events)
    }
}
