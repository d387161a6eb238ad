//! Counts added up, and what can be said of them.

use chrono::TimeDelta;
use domain::{
    insight::{By, Count, End, Span},
    interaction::{Mode, Outcome},
};

/// No time has a span beyond this.
const SPANS: usize = 1_024;

/// What is said of some blockers that have ended. `by_people`, `by_rules`, `fallback`, `expired` and `cancelled` make `ended`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// How many.
    pub ended: u64,
    /// People answered, or programs with a responder's token.
    pub by_people: u64,
    /// A policy, a grant or an answer that stands decided as it was asked.
    pub by_rules: u64,
    /// The deadline passed, and the agent went on with its fallback.
    pub fallback: u64,
    /// The deadline passed without an answer.
    pub expired: u64,
    /// Taken back.
    pub cancelled: u64,
    /// Of those that were decided, the approvals that were denied.
    pub denied: u64,
    /// For how long agents have stood still for them, all together, in milliseconds.
    pub stood_still: u64,
    /// How many people took how long to answer, by the place of the span.
    waits: Vec<u64>,
}

impl Figures {
    /// Counts what ended so.
    pub(super) fn count(&mut self, end: &End, count: Count) {
        let of = match (end.outcome, end.by) {
            (Outcome::Fallback, _) => &mut self.fallback,
            (Outcome::Expired, _) => &mut self.expired,
            (Outcome::Cancelled | Outcome::Delivered | Outcome::Void, _) => &mut self.cancelled,
            (_, By::Policy | By::Grant | By::Memory) => &mut self.by_rules,
            // Nobody: who it was cannot be read any more.
            (_, By::Responder(_) | By::Nobody) => {
                let place = usize::from(end.span.place()).min(SPANS - 1);
                if self.waits.len() <= place {
                    self.waits.resize(place + 1, 0);
                }
                self.waits[place] += count.ended;
                &mut self.by_people
            }
        };
        *of += count.ended;
        self.ended += count.ended;
        if end.outcome == Outcome::Denied {
            self.denied += count.ended;
        }
        if end.mode == Mode::Sync {
            self.stood_still = self.stood_still.saturating_add(count.waited);
        }
    }

    /// Adds others.
    pub(super) fn add(&mut self, more: &Self) {
        self.ended += more.ended;
        self.by_people += more.by_people;
        self.by_rules += more.by_rules;
        self.fallback += more.fallback;
        self.expired += more.expired;
        self.cancelled += more.cancelled;
        self.denied += more.denied;
        self.stood_still = self.stood_still.saturating_add(more.stood_still);
        if self.waits.len() < more.waits.len() {
            self.waits.resize(more.waits.len(), 0);
        }
        for (wait, more) in self.waits.iter_mut().zip(&more.waits) {
            *wait += more;
        }
    }

    /// Half of the answers of people took no longer, to three in a hundred; `None` when there was none.
    pub fn median(&self) -> Option<TimeDelta> {
        self.within(50)
    }

    /// Nine in ten of them took no longer.
    pub fn nine_in_ten(&self) -> Option<TimeDelta> {
        self.within(90)
    }

    /// The nearest rank.
    fn within(&self, percent: u64) -> Option<TimeDelta> {
        let rank = (self.by_people * percent).div_ceil(100);
        if rank == 0 {
            return None;
        }
        let mut seen = 0;
        let place = self.waits.iter().position(|wait| {
            seen += wait;
            seen >= rank
        });
        let place = u16::try_from(place?).ok()?;
        Some(Span::from_place(place).middle())
    }
}

#[cfg(test)]
mod tests {
    use domain::interaction::Kind;
    use uuid::Uuid;

    use super::*;

    fn counted(figures: &mut Figures, outcome: Outcome, by: By, seconds: i64) {
        let time = TimeDelta::seconds(seconds);
        let end = End {
            kind: Kind::Approval,
            mode: Mode::Sync,
            by,
            outcome,
            span: Span::of(time),
        };
        let count = Count {
            ended: 1,
            waited: time.num_milliseconds().unsigned_abs(),
        };
        figures.count(&end, count);
    }

    #[test]
    fn every_end_is_one_of_five() {
        let ana = By::Responder(Uuid::from_u128(8));
        let mut figures = Figures::default();
        for outcome in Outcome::ALL {
            counted(&mut figures, outcome, ana, 1);
            counted(&mut figures, outcome, By::Grant, 0);
        }
        let Figures {
            by_people,
            by_rules,
            fallback,
            expired,
            cancelled,
            ..
        } = figures;
        assert_eq!(figures.ended, 24);
        assert_eq!(by_people + by_rules + fallback + expired + cancelled, 24);
        assert_eq!((by_people, by_rules, figures.denied), (7, 7, 2));
        assert_eq!(figures.stood_still, 12_000);
    }

    #[test]
    fn half_and_nine_in_ten_are_those_of_people() {
        let ana = By::Responder(Uuid::from_u128(8));
        let mut figures = Figures::default();
        assert_eq!(figures.median(), None);
        counted(&mut figures, Outcome::Expired, By::Nobody, 86_400);
        counted(&mut figures, Outcome::Approved, By::Policy, 0);
        assert_eq!(figures.median(), None);
        for seconds in 1..=100 {
            counted(&mut figures, Outcome::Approved, ana, seconds);
        }
        let is_near = |found: Option<TimeDelta>, seconds: i64| {
            let found = found.unwrap().num_milliseconds();
            assert!(
                (found - 1_000 * seconds).abs() * 32 <= 1_000 * seconds,
                "{found}"
            );
        };
        is_near(figures.median(), 50);
        is_near(figures.nine_in_ten(), 90);
        // The same of two halves.
        let mut halves = [Figures::default(), Figures::default()];
        for seconds in 1..=100 {
            let half = &mut halves[usize::from(seconds > 30)];
            counted(half, Outcome::Approved, ana, seconds);
        }
        let [mut one, other] = halves;
        one.add(&other);
        assert_eq!(one.median(), figures.median());
        assert_eq!(one.nine_in_ten(), figures.nine_in_ten());
    }
}
