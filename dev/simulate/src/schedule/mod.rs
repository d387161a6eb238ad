//! Who goes next: one schedule for all that happens in a simulated world, made of the seed alone.
//!
//! Whatever happens at an await of the store, and of a request on its way to a node and back, waits for its [`Turn`]. One is
//! given at a time, so between two turns exactly one actor runs. The database's own thread works only while that actor
//! waits for it, and no other goes on meanwhile.

mod choice;
mod faults;
mod turn;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::Waker,
};

use chrono::{DateTime, Utc};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use sha2::{Digest, Sha256};

pub(crate) use faults::Faults;
use turn::{Turn, UnderWay};

use crate::time::Time;

/// How many nodes share the database.
pub(crate) const NODES: usize = 2;

/// An actor of the world, by its place.
pub(crate) type ActorId = usize;

/// One schedule.
pub(crate) struct Schedule {
    pub(crate) time: Time,
    state: Mutex<State>,
}

struct State {
    chance: StdRng,
    waiting: Vec<Waiting>,
    last_ticket: u64,
    /// Whoever runs now.
    current: ActorId,
    /// Calls of the database that are under way.
    under_way: u32,
    step: u64,
    /// Nothing goes wrong any more: what has begun comes to its end.
    is_calm: bool,
    /// Nothing waits for its turn: the world is set up, or judged.
    is_direct: bool,
    favoured: Option<(ActorId, u64)>,
    asleep: Vec<(ActorId, u64)>,
    /// How often each node was started.
    starts: [u32; NODES],
    /// When each event was committed, in milliseconds since the beginning.
    committed: BTreeMap<i64, i64>,
    names: Vec<String>,
    trace: Sha256,
    told: Option<Vec<String>>,
    faults: Faults,
}

struct Waiting {
    ticket: u64,
    actor: ActorId,
    what: &'static str,
    is_given: bool,
    waker: Waker,
}

/// What happens to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Done,
    /// It fails before it has done anything.
    Lost,
    /// It is done, and fails all the same.
    Kept,
    /// Another was first: only of a commit.
    Conflict,
}

impl Schedule {
    pub(crate) fn new(seed: u64, is_told: bool) -> Arc<Self> {
        Arc::new(Self {
            time: Time::default(),
            state: Mutex::new(State {
                chance: StdRng::seed_from_u64(seed),
                waiting: Vec::new(),
                last_ticket: 0,
                current: 0,
                under_way: 0,
                step: 0,
                is_calm: false,
                is_direct: true,
                favoured: None,
                asleep: Vec::new(),
                starts: [0; NODES],
                committed: BTreeMap::new(),
                names: Vec::new(),
                trace: Sha256::new(),
                told: is_told.then(Vec::new),
                faults: Faults::default(),
            }),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on every await waits for its turn.
    pub(crate) fn begin(&self, names: Vec<String>) {
        let mut state = self.state();
        (state.is_direct, state.names) = (false, names);
    }

    /// From now on nothing goes wrong.
    pub(crate) fn calm_down(&self) {
        let mut state = self.state();
        state.is_calm = true;
        state.asleep.clear();
    }

    pub(crate) fn is_calm(&self) -> bool {
        self.state().is_calm
    }

    /// Nothing waits for its turn any more.
    pub(crate) fn end(&self) {
        self.state().is_direct = true;
    }

    pub(crate) fn step(&self) -> u64 {
        self.state().step
    }

    pub(crate) fn faults(&self) -> Faults {
        self.state().faults
    }

    pub(crate) fn starts(&self, node: usize) -> u32 {
        self.state().starts[node]
    }

    pub(crate) fn last_seq(&self) -> i64 {
        let state = self.state();
        state.committed.last_key_value().map_or(0, |(seq, _)| *seq)
    }

    pub(crate) fn committed(&self, seq: i64) {
        let now = self.time.millis();
        self.state().committed.entry(seq).or_insert(now);
    }

    /// When this event was committed.
    pub(crate) fn committed_at(&self, seq: i64) -> Option<DateTime<Utc>> {
        let state = self.state();
        state
            .committed
            .get(&seq)
            .map(|millis| self.time.at(*millis))
    }

    /// Adds a line to the trace.
    pub(crate) fn note(&self, line: &str) {
        self.state().note(line);
    }

    /// The hash of the trace until now.
    pub(crate) fn hash(&self) -> [u8; 32] {
        self.state().trace.clone().finalize().into()
    }

    /// The trace until now, if it is kept.
    pub(crate) fn take_trace(&self) -> Vec<String> {
        let mut state = self.state();
        state.told.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Waits until it is this one's turn.
    pub(crate) fn turn(self: &Arc<Self>, what: &'static str) -> Turn {
        Turn {
            schedule: Arc::clone(self),
            what,
            ticket: None,
        }
    }

    /// A call of the database is under way until this is dropped.
    pub(crate) fn under_way(self: &Arc<Self>) -> UnderWay {
        self.state().under_way += 1;
        UnderWay(Arc::clone(self))
    }

    /// Nothing waits for its turn: the world is set up, or judged.
    pub(crate) fn is_direct(&self) -> bool {
        self.state().is_direct
    }

    /// Whether the actor of this name runs now.
    pub(crate) fn is_run_by(&self, name: &str) -> bool {
        let state = self.state();
        state
            .names
            .get(state.current)
            .is_some_and(|known| known == name)
    }

    pub(crate) fn runs(&self, actor: ActorId) {
        self.state().current = actor;
    }

    /// Whether this actor waits for its turn, and for nothing else.
    pub(crate) fn is_parked(&self, actor: ActorId) -> bool {
        let state = self.state();
        let own = |one: &&Waiting| one.actor == actor;
        let mut waiting = state.waiting.iter().filter(own).peekable();
        state.under_way == 0 && waiting.peek().is_some() && waiting.all(|one| !one.is_given)
    }

    /// A node that dies now, if one does. It is started anew at once.
    pub(crate) fn crash(&self) -> Option<usize> {
        let mut state = self.state();
        if state.is_calm || !state.happens(1_500) {
            return None;
        }
        let node = state.chance.random_range(0..NODES);
        state.starts[node] += 1;
        state.faults.crashes += 1;
        state.note(&format!("node {node} dies"));
        Some(node)
    }

    /// Gives a turn to one of those that wait, and says to whom.
    pub(crate) fn give(&self) -> Option<ActorId> {
        let mut state = self.state();
        let passes = state.passes();
        self.time.pass(passes);
        let place = state.choose()?;
        state.step += 1;
        let millis = self.time.millis();
        let (step, one) = (state.step, &mut state.waiting[place]);
        one.is_given = true;
        one.waker.wake_by_ref();
        let (actor, what) = (one.actor, one.what);
        let line = format!("{step} {millis} {} {what}", state.names[actor]);
        state.note(&line);
        Some(actor)
    }

    /// What happens to a call of the database now.
    pub(crate) fn fate(&self, is_commit: bool) -> Fate {
        let mut state = self.state();
        if state.is_calm || state.is_direct {
            return Fate::Done;
        }
        let (fate, faults) = (state.chance.random_range(0..1_000), &mut state.faults);
        match (fate, is_commit) {
            (0..12, true) => {
                faults.unknown_lost += 1;
                Fate::Lost
            }
            (12..30, true) => {
                faults.unknown_kept += 1;
                Fate::Kept
            }
            (30..60, true) => {
                faults.conflicts += 1;
                Fate::Conflict
            }
            (0..2, false) => {
                faults.failed_calls += 1;
                Fate::Lost
            }
            (2..4, false) => {
                faults.failed_calls += 1;
                Fate::Kept
            }
            _ => Fate::Done,
        }
    }

    /// Whether a reply that is on its way is lost.
    pub(crate) fn loses_reply(&self) -> bool {
        let mut state = self.state();
        let is_lost = !state.is_calm && !state.is_direct && state.happens(40);
        state.faults.lost_replies += u64::from(is_lost);
        is_lost
    }

    /// Whether a node does not hear that the journal has grown.
    pub(crate) fn loses_hint(&self) -> bool {
        let mut state = self.state();
        let is_lost = !state.is_calm && !state.is_direct && state.happens(4);
        state.faults.lost_hints += u64::from(is_lost);
        is_lost
    }
}
