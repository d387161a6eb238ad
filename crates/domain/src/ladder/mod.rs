//! Ladders (rule 17): silence climbs. A question without an answer is told to more people, rung by rung.
//!
//! A [`Ladder`] says for each [`Class`] of questions which [`Rung`]s there are. [`Quiet`] hours are a person's own. What
//! follows from both for a person needs the tables of time zones, which the page does without.

mod check;
mod circle;
mod quiet;
#[cfg(feature = "zones")]
mod sum_up;
#[cfg(feature = "zones")]
mod telling;
#[cfg(feature = "zones")]
#[cfg(test)]
mod tests;
mod told;
mod wait;
mod write;

use serde::{Deserialize, Serialize};

pub use check::{LadderDraft, RungDraft, named};
pub use circle::People;
pub use quiet::{DAYS, Quiet, QuietDraft};
#[cfg(feature = "zones")]
pub use sum_up::{Kept, Summary, summary};
#[cfg(feature = "zones")]
pub(crate) use telling::room;
#[cfg(feature = "zones")]
pub use telling::{Reachable, Sent, Telling, telling};
pub use told::{HeldBack, HeldWhy, Told};
pub use write::{Held, LadderWrite, Message, Place};

use crate::{
    delivery::ReachKind,
    ids::PersonId,
    interaction::{Mode, Priority, Request},
};

/// The rungs of a team, or of everyone, for each class of questions. One without rungs is never told to anybody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ladder {
    /// For what is urgent.
    pub urgent: Vec<Rung>,
    /// For what an agent has stopped for.
    pub sync: Vec<Rung>,
    /// For everything else.
    #[serde(rename = "async")]
    pub later: Vec<Rung>,
}

/// How much a question presses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// It is urgent.
    Urgent,
    /// The agent has stopped.
    Sync,
    /// The agent goes on meanwhile.
    Async,
}

/// One rung: after a while, some people are told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rung {
    /// How long after the rung before it; the first one is at once.
    pub after: After,
    /// Who is told.
    pub whom: Circle,
    /// By which of the ways that they have; by all of them when it is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by: Vec<ReachKind>,
    /// How often, each time after the same wait.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub times: u32,
}

fn once() -> u32 {
    1
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands it a reference"
)]
fn is_once(times: &u32) -> bool {
    *times == 1
}

/// How long a rung comes after the one before it. It is never more than half of the time that is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum After {
    /// So many seconds.
    Seconds(i64),
    /// Half of the time that is left until the deadline; a day where there is none.
    Half,
}

/// Who a rung tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Circle {
    /// The person on duty; the whole team while there is none. Those it is for, if the question is for a person.
    Duty,
    /// All of the team who answer; without teams all who do.
    Team,
    /// One person, as long as they may answer it.
    Person(PersonId),
    /// All admins.
    Admins,
}

impl Class {
    /// All of them, what presses most first.
    pub const ALL: [Self; 3] = [Self::Urgent, Self::Sync, Self::Async];

    /// That of a request.
    pub fn of(request: &Request) -> Self {
        match (request.priority, request.mode) {
            (Priority::Urgent, _) => Self::Urgent,
            (Priority::Normal, Mode::Sync) => Self::Sync,
            (Priority::Normal, Mode::Async) => Self::Async,
        }
    }

    /// The name, as in JSON and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Urgent => "urgent",
            Self::Sync => "sync",
            Self::Async => "async",
        }
    }
}

impl Default for Ladder {
    /// The person on duty at once, the team after five minutes, and again each time half of the time that was left is over.
    fn default() -> Self {
        let rung = |after, whom, times| Rung {
            after,
            whom,
            by: Vec::new(),
            times,
        };
        let rungs = |again| {
            vec![
                rung(After::Seconds(0), Circle::Duty, 1),
                rung(After::Seconds(5 * 60), Circle::Team, 1),
                rung(After::Half, Circle::Team, again),
            ]
        };
        Self {
            urgent: rungs(3),
            sync: rungs(2),
            later: rungs(1),
        }
    }
}

impl Ladder {
    /// The rungs for questions of this class.
    pub fn rungs(&self, class: Class) -> &[Rung] {
        match class {
            Class::Urgent => &self.urgent,
            Class::Sync => &self.sync,
            Class::Async => &self.later,
        }
    }

    /// The rung that is told in this place, each counted as often as it comes; 0 is the first.
    pub fn rung(&self, class: Class, place: u32) -> Option<&Rung> {
        let rungs = self.rungs(class).iter();
        let mut left = place;
        for rung in rungs {
            match left.checked_sub(rung.times) {
                None => return Some(rung),
                Some(less) => left = less,
            }
        }
        None
    }
}
