//! One interaction, as all who had to do with it saw it.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::history::{Act, Ending, Op, Seen, Told, Way};
use super::linear::{self, History, Verdict};
use super::model::is_of_deadline;
use super::receipts;
use super::{Promise, Violation};
use crate::load::asked::Asked;
use crate::world::World;

/// What is left of a story for the end, when everything is held against the journal.
pub(crate) struct Kept {
    pub(crate) asked: Asked,
    pub(crate) id: Option<String>,
    /// How it ended, as far as anything was said of it.
    pub(crate) ending: Option<Ending>,
    pub(crate) consumed: Option<String>,
    pub(crate) is_collected: bool,
    pub(crate) has_pressed: bool,
    /// What was said too late, and acknowledged as such.
    pub(crate) too_late: Vec<(String, String)>,
    pub(crate) history: Vec<String>,
}

/// What a story adds to the report.
#[derive(Default)]
pub(crate) struct Figures {
    pub(crate) calls: usize,
    pub(crate) unknown: usize,
    pub(crate) answers: usize,
    /// Two or more who wanted to end it, while it could be ended.
    pub(crate) is_race: bool,
    /// The ways by which they came.
    pub(crate) ways: BTreeSet<Way>,
    pub(crate) is_checked: bool,
}

pub(crate) struct Story {
    pub(crate) asked: Asked,
    pub(crate) id: Option<String>,
    pub(crate) ops: Vec<Op>,
    receipt: Option<Value>,
    /// Slack was told that a press has arrived.
    has_pressed: bool,
    /// From when on a server may think that the deadline has passed.
    lapses: Option<Duration>,
}

impl Story {
    pub(crate) fn new(
        world: &World,
        asked: Asked,
        id: Option<String>,
        ops: Vec<Op>,
        (receipt, has_pressed): (Option<Value>, bool),
    ) -> Self {
        let seen = ops.iter().find_map(|op| match &op.told {
            Told::Seen(seen) => seen.whole["expires_at"].as_str(),
            _ => None,
        });
        let deadline = seen.and_then(|at| at.parse::<DateTime<Utc>>().ok());
        let began = ops.first().map(|op| world.begun + op.sent);
        let ahead = match (&world.clock, began) {
            (Some(clock), Some(began)) => clock.ahead(began, Instant::now()),
            _ => Duration::ZERO,
        };
        // The database keeps milliseconds.
        let lapses = deadline.map(|at| {
            let at = world.since_begun(at).saturating_sub(ahead);
            at.saturating_sub(Duration::from_millis(2))
        });
        Self {
            asked,
            id,
            ops,
            receipt,
            has_pressed,
            lapses,
        }
    }

    fn seen(&self) -> impl Iterator<Item = (&Op, &Seen)> {
        self.ops.iter().filter_map(|op| match &op.told {
            Told::Seen(seen) => Some((op, &**seen)),
            _ => None,
        })
    }

    fn history(&self) -> Vec<String> {
        self.ops.iter().map(Op::to_string).collect()
    }

    pub(crate) fn figures(&self) -> Figures {
        let ends: Vec<&Op> = self
            .ops
            .iter()
            .filter(|op| matches!(op.act, Act::Answer(_) | Act::Cancel { .. }))
            .collect();
        let who: BTreeSet<&str> = ends.iter().map(|op| &*op.who).collect();
        let overlap = ends.iter().any(|one| {
            ends.iter().any(|other| {
                one.who != other.who
                    && one.sent <= other.sent
                    && one.heard.is_none_or(|at| other.sent <= at)
            })
        });
        Figures {
            calls: self.ops.len(),
            unknown: self.ops.iter().filter(|op| op.heard.is_none()).count(),
            answers: ends
                .iter()
                .filter(|op| is_done(op) && matches!(op.act, Act::Answer(_)))
                .count(),
            is_race: who.len() > 1 && overlap,
            ways: ends.iter().map(|op| op.way).collect(),
            is_checked: self.id.is_some(),
        }
    }

    /// What is wrong with it by itself. What has a name is named; the search for an order finds the rest.
    pub(crate) fn check(&self, world: &World) -> Vec<Violation> {
        let mut found = Vec::new();
        let mut broken =
            |promise: Promise, what: String| found.push(promise.broken(self.id.as_deref(), what));
        for (promise, what) in [
            self.strange_replies(),
            self.identity(),
            self.words(),
            self.winners(),
            self.undone(),
            self.uses(),
            self.claims(),
            self.deadline(),
            self.approvals(),
        ]
        .concat()
        {
            broken(promise, what);
        }
        for what in receipts::check(
            world,
            &self.asked,
            self.id.as_deref(),
            &self.ops,
            self.receipt.as_ref(),
        ) {
            broken(what.0, what.1);
        }
        let history = History {
            ops: &self.ops,
            rules: &self.asked.rules(),
            lapses: self.lapses,
        };
        if let Verdict::Not { fit } = linear::check(&history) {
            let what = format!("no order of its calls explains what was heard; {fit} of them fit");
            broken(Promise::NotLinearizable, what);
        }
        for one in &mut found {
            one.history = self.history();
        }
        found
    }

    fn strange_replies(&self) -> Vec<(Promise, String)> {
        let strange = self.ops.iter().filter(|op| match &op.told {
            Told::Refused(refusal) => {
                let is_known = matches!(
                    &*refusal.code,
                    "already_closed"
                        | "still_pending"
                        | "not_approved"
                        | "already_consumed"
                        | "claimed"
                        | "busy"
                );
                !is_known
            }
            _ => false,
        });
        strange
            .map(|op| (Promise::StrangeReply, op.to_string()))
            .collect()
    }

    fn identity(&self) -> Vec<(Promise, String)> {
        let ids: BTreeSet<&str> = self.seen().map(|(_, seen)| &*seen.id).collect();
        match ids.len() {
            0 | 1 => Vec::new(),
            _ => vec![(
                Promise::KeyBroken,
                format!("one key, or one address, leads to {ids:?}"),
            )],
        }
    }

    fn words(&self) -> Vec<(Promise, String)> {
        let asked = &self.asked.body;
        let changed = |seen: &Seen, name: &str| {
            seen.whole
                .get(name)
                .is_some_and(|shown| !asked[name].is_null() && !is_shown_as(&asked[name], shown))
        };
        let names = [
            "kind",
            "prompt",
            "plan",
            "action",
            "session_id",
            "metadata",
            "mode",
            "fallback",
        ];
        let mut found = Vec::new();
        for (op, seen) in self.seen() {
            for name in names.into_iter().filter(|name| changed(seen, name)) {
                found.push((
                    Promise::AskChanged,
                    format!("`{name}` is {}: {op}", seen.whole[name]),
                ));
            }
        }
        found
    }

    /// Those who ended it, or were told who did.
    fn winners(&self) -> Vec<(Promise, String)> {
        let mut found = Vec::new();
        let won: Vec<(&Op, Ending)> = self
            .ops
            .iter()
            .filter(|op| is_done(op))
            .filter_map(won)
            .collect();
        let different: Vec<&Ending> = {
            let mut different: Vec<&Ending> = Vec::new();
            for (_, ending) in &won {
                if !different.contains(&ending) {
                    different.push(ending);
                }
            }
            different
        };
        if different.len() > 1 {
            found.push((
                Promise::TwoWinners,
                format!("all of these were told that they did it: {different:?}"),
            ));
        }
        let mut told: Vec<(String, Option<String>)> = self
            .ops
            .iter()
            .filter_map(|op| match &op.told {
                Told::Refused(refusal) => refusal.ended.clone(),
                _ => None,
            })
            .collect();
        told.extend(
            different
                .iter()
                .map(|ending| (ending.outcome.clone(), ending.by.clone())),
        );
        told.sort();
        told.dedup();
        if told.len() > 1 && different.len() < 2 {
            found.push((
                Promise::WinnerMistold,
                format!("it is said to have ended in several ways: {told:?}"),
            ));
        }
        found
    }

    /// What was acknowledged, and is not there in what was read later.
    fn undone(&self) -> Vec<(Promise, String)> {
        let mut found = Vec::new();
        for done in self.ops.iter().filter(|op| is_done(op)) {
            let Some(heard) = done.heard else {
                continue;
            };
            let later = self
                .seen()
                .filter(|(op, _)| op.sent > heard && op.heard.is_some());
            for (op, seen) in later {
                let broken = match &done.act {
                    Act::Answer(_) if seen.state == "pending" => Some(Promise::AnswerLost),
                    Act::Answer(ending) if seen.said != ending.said => Some(Promise::AnswerChanged),
                    Act::Answer(ending) if seen.outcome.as_ref() != Some(&ending.outcome) => {
                        Some(Promise::AnswerChanged)
                    }
                    Act::Cancel { .. } if seen.outcome.as_deref() != Some("cancelled") => {
                        Some(Promise::CancellationLost)
                    }
                    Act::Consume { .. } if matches!(seen.consumed, Some(None)) => {
                        Some(Promise::ConsumptionLost)
                    }
                    Act::Collect if seen.collected == Some(false) => Some(Promise::CollectionLost),
                    _ => None,
                };
                found.extend(broken.map(|promise| (promise, format!("{done}; and then: {op}"))));
            }
            let later = self.ops.iter().filter(|op| op.sent > heard);
            for op in later {
                let is_gone = matches!(&op.told, Told::Refused(refusal) if refusal.status == 404);
                if is_gone && matches!(done.act, Act::Create) {
                    found.push((Promise::AskLost, format!("{done}; and then: {op}")));
                }
            }
        }
        found
    }

    fn uses(&self) -> Vec<(Promise, String)> {
        let runs: BTreeSet<&str> = self
            .ops
            .iter()
            .filter(|op| is_done(op))
            .filter_map(|op| match &op.act {
                Act::Consume { run } => Some(&**run),
                _ => None,
            })
            .collect();
        match runs.len() {
            0 | 1 => Vec::new(),
            _ => vec![(
                Promise::UsedTwice,
                format!("all of these may run: {runs:?}"),
            )],
        }
    }

    fn claims(&self) -> Vec<(Promise, String)> {
        let is_released = self
            .ops
            .iter()
            .any(|op| matches!(op.act, Act::Release { .. }));
        let by: BTreeSet<&str> = self
            .ops
            .iter()
            .filter(|op| is_done(op))
            .filter_map(|op| match &op.act {
                Act::Claim { by } => Some(&**by),
                _ => None,
            })
            .collect();
        match by.len() > 1 && !is_released {
            true => vec![(
                Promise::TwoClaims,
                format!("all of these are on it: {by:?}"),
            )],
            false => Vec::new(),
        }
    }

    fn deadline(&self) -> Vec<(Promise, String)> {
        let ended = |op: &Op| match &op.told {
            Told::Seen(seen) => seen.outcome.clone(),
            Told::Refused(refusal) => refusal.ended.as_ref().map(|(outcome, _)| outcome.clone()),
            Told::Done | Told::Unknown(_) => None,
        };
        let early = self.ops.iter().filter(|op| {
            let is_over = ended(op).is_some_and(|outcome| is_of_deadline(&outcome));
            let at = op.heard.unwrap_or_default();
            is_over && self.lapses.is_none_or(|lapses| at < lapses)
        });
        early
            .map(|op| {
                (
                    Promise::ExpiredEarly,
                    format!("the deadline is at {:?}: {op}", self.lapses),
                )
            })
            .collect()
    }

    fn approvals(&self) -> Vec<(Promise, String)> {
        let mut found = Vec::new();
        for (op, seen) in self.seen() {
            let is_approved = seen.outcome.as_deref() == Some("approved");
            if seen.approved != is_approved {
                found.push((Promise::ApprovedWithoutProof, op.to_string()));
            }
        }
        found
    }

    pub(crate) fn keep(self) -> Kept {
        let ending = self.ops.iter().find_map(|op| match &op.told {
            // MCP does not say who it was.
            Told::Seen(seen) if seen.state != "pending" => Some(Ending {
                outcome: seen.outcome.clone().unwrap_or_default(),
                by: seen.by.clone()?,
                said: seen.said.clone(),
            }),
            Told::Done => won(op).map(|(_, ending)| ending),
            _ => None,
        });
        let consumed = self
            .ops
            .iter()
            .filter(|op| is_done(op))
            .find_map(|op| match &op.act {
                Act::Consume { run } => Some(run.clone()),
                _ => None,
            });
        let is_collected = self
            .ops
            .iter()
            .any(|op| is_done(op) && matches!(op.act, Act::Collect));
        let too_late = self.ops.iter().filter_map(|op| match (&op.act, &op.told) {
            (Act::Answer(ending), Told::Refused(refusal)) if refusal.code == "already_closed" => {
                Some((op.who.clone(), ending.said.clone()))
            }
            _ => None,
        });
        Kept {
            too_late: too_late.collect(),
            has_pressed: self.has_pressed,
            history: self.history(),
            asked: self.asked,
            id: self.id,
            ending,
            consumed,
            is_collected,
        }
    }
}

/// Whether it was acknowledged.
fn is_done(op: &Op) -> bool {
    matches!(op.told, Told::Seen(_) | Told::Done)
}

fn won(op: &Op) -> Option<(&Op, Ending)> {
    let ending = match &op.act {
        Act::Answer(ending) => ending.clone(),
        Act::Cancel { by } => Ending {
            outcome: "cancelled".to_owned(),
            by: Some(by.clone()),
            said: String::new(),
        },
        _ => return None,
    };
    Some((op, ending))
}

/// Whether all that was sent is there; the server may say more.
fn is_shown_as(sent: &Value, shown: &Value) -> bool {
    match (sent, shown) {
        (Value::Object(sent), Value::Object(shown)) => sent.iter().all(|(name, value)| {
            shown
                .get(name)
                .is_some_and(|shown| is_shown_as(value, shown))
        }),
        _ => sent == shown,
    }
}
