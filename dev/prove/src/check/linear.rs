//! Whether a history is linearizable: whether there is an order of its calls, each at one moment between being sent and being
//! heard of, in which the sequential model says what was heard. The method is that of Wing and Gong with Lowe's memory of what
//! was tried before, as Porcupine has it. A call of which nothing was heard stays open: it may come at any time later, or never.

use std::collections::HashSet;
use std::time::Duration;

use super::history::{Act, Op, Told, Way};
use super::model::{Rules, State};

/// As many calls as one history may have.
pub(crate) const MOST: usize = 128;
/// As many places as are looked at for one history: some hundred megabytes.
const TRIED: usize = 1_000_000;

/// The calls of one interaction, and what is known of its deadline.
pub(crate) struct History<'a> {
    pub(crate) ops: &'a [Op],
    pub(crate) rules: &'a Rules,
    /// From when on a server may think that the deadline has passed.
    pub(crate) lapses: Option<Duration>,
}

/// What came of looking.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Linearizable,
    /// In no order; so many calls fit at most.
    Not {
        fit: usize,
    },
    /// It has more calls than can be looked at.
    TooLong,
}

pub(crate) fn check(history: &History<'_>) -> Verdict {
    let mut ops: Vec<Op> = history
        .ops
        .iter()
        .filter(|op| op.counts())
        .cloned()
        .collect();
    ops.extend(history.lapses.map(deadline));
    if ops.len() > MOST {
        return Verdict::TooLong;
    }
    let mut search = Search {
        ops: &ops,
        history,
        tried: HashSet::new(),
        fit: 0,
    };
    match search.goes_on(0, &State::absent()) {
        true => Verdict::Linearizable,
        false if search.tried.len() >= TRIED => Verdict::TooLong,
        false => Verdict::Not { fit: search.fit },
    }
}

fn deadline(lapses: Duration) -> Op {
    Op {
        who: "the deadline".to_owned(),
        way: Way::Api,
        node: 0,
        sent: lapses,
        heard: None,
        act: Act::Expire,
        told: Told::Unknown("no client does this".to_owned()),
    }
}

struct Search<'a> {
    ops: &'a [Op],
    history: &'a History<'a>,
    tried: HashSet<(u128, State)>,
    fit: usize,
}

impl Search<'_> {
    /// Whether the calls that are not among `done` have an order, from this state on.
    fn goes_on(&mut self, mut done: u128, state: &State) -> bool {
        let next = loop {
            let Some(next) = self.next(done) else {
                return true;
            };
            let looks = |place: &&usize| {
                let op = &self.ops[**place];
                op.only_looks() && self.takes(state, op).is_some()
            };
            match next.iter().find(looks) {
                Some(place) => done |= 1 << place,
                None => break next,
            }
        };
        self.fit = self.fit.max(done.count_ones() as usize);
        for (n, place) in next.iter().enumerate() {
            let op = &self.ops[*place];
            let Some(then) = self.takes(state, op) else {
                continue;
            };
            let is_open = op.heard.is_none();
            let mut earlier = next[..n].iter().map(|place| &self.ops[*place]);
            let mut has_twin = || earlier.any(|one| one.heard.is_none() && one.act == op.act);
            if is_open && (then == *state || has_twin()) {
                continue;
            }
            let done = done | (1 << place);
            let is_new = self.tried.len() < TRIED && self.tried.insert((done, then.clone()));
            if is_new && self.goes_on(done, &then) {
                return true;
            }
        }
        false
    }

    /// The calls that may come next; nothing once all that were heard of are done.
    fn next(&self, done: u128) -> Option<Vec<usize>> {
        let open = || {
            let places = self.ops.iter().enumerate();
            places.filter(|(place, _)| done & (1 << place) == 0)
        };
        // No call that was sent after another one was heard of comes before that one.
        let first_heard = open().filter_map(|(_, op)| op.heard).min()?;
        let next = open().filter(|(_, op)| op.sent <= first_heard);
        let mut next: Vec<usize> = next.map(|(place, _)| place).collect();
        next.sort_by_key(|place| self.ops[*place].sent);
        Some(next)
    }

    fn takes(&self, state: &State, op: &Op) -> Option<State> {
        let late = self.history.lapses;
        let is_late = late.is_some_and(|at| op.heard.is_none_or(|heard| heard >= at));
        state.takes(op, self.history.rules, is_late)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::check::history::{Ending, Refusal, Seen};

    const RULES: Rules = Rules {
        is_notification: false,
        has_fallback: false,
    };

    fn op(sent: u64, heard: Option<u64>, act: Act, told: Told) -> Op {
        Op {
            who: "somebody".to_owned(),
            way: Way::Api,
            node: 0,
            sent: Duration::from_millis(sent),
            heard: heard.map(Duration::from_millis),
            act,
            told,
        }
    }

    fn ending(by: &str) -> Ending {
        Ending {
            outcome: "answered".to_owned(),
            by: Some(by.to_owned()),
            said: json!({ "text": by }).to_string(),
        }
    }

    fn answer(by: &str) -> Act {
        Act::Answer(ending(by))
    }

    fn pending() -> Told {
        shown(json!({"id": "1", "state": "pending", "outcome": null}))
    }

    fn answered(by: &str) -> Told {
        shown(json!({
            "id": "1", "state": "resolved", "outcome": "answered", "closed_by": by, "answer": {"text": by},
        }))
    }

    fn shown(whole: serde_json::Value) -> Told {
        Told::Seen(Box::new(Seen::read(whole).unwrap()))
    }

    fn unknown() -> Told {
        Told::Unknown("the node was killed".to_owned())
    }

    fn too_late(outcome: &str, by: Option<&str>) -> Told {
        Told::Refused(Refusal {
            status: 409,
            code: "already_closed".to_owned(),
            ended: Some((outcome.to_owned(), by.map(str::to_owned))),
            consumed_by: None,
        })
    }

    fn is_linearizable(ops: &[Op], lapses: Option<u64>) -> bool {
        let history = History {
            ops,
            rules: &RULES,
            lapses: lapses.map(Duration::from_millis),
        };
        check(&history) == Verdict::Linearizable
    }

    fn asked() -> Op {
        op(0, Some(10), Act::Create, pending())
    }

    #[test]
    fn one_of_two_rivals_wins_and_the_other_is_told() {
        let first = op(20, Some(40), answer("Ana"), answered("Ana"));
        let told = op(
            20,
            Some(40),
            answer("Ben"),
            too_late("answered", Some("Ana")),
        );
        assert!(is_linearizable(&[asked(), first.clone(), told], None));
        let both = op(20, Some(40), answer("Ben"), answered("Ben"));
        assert!(!is_linearizable(&[asked(), first.clone(), both], None));
        let of_another = op(
            20,
            Some(40),
            answer("Ben"),
            too_late("answered", Some("Eve")),
        );
        assert!(!is_linearizable(&[asked(), first, of_another], None));
    }

    #[test]
    fn a_read_after_an_acknowledged_answer_shows_it() {
        let done = op(20, Some(40), answer("Ana"), answered("Ana"));
        let during = op(30, Some(50), Act::Read, pending());
        assert!(is_linearizable(&[asked(), done.clone(), during], None));
        let after = op(41, Some(50), Act::Read, pending());
        assert!(!is_linearizable(&[asked(), done, after], None));
    }

    #[test]
    fn what_is_unknown_may_be_done_later_or_never_but_is_not_undone() {
        let lost = op(20, None, answer("Ana"), unknown());
        let reads = |told: [Told; 2]| {
            let [first, second] = told;
            let first = op(1_000, Some(1_010), Act::Read, first);
            let second = op(2_000, Some(2_010), Act::Read, second);
            is_linearizable(&[asked(), lost.clone(), first, second], None)
        };
        assert!(reads([pending(), answered("Ana")]));
        assert!(reads([pending(), pending()]));
        assert!(!reads([answered("Ana"), pending()]));
        assert!(!reads([pending(), answered("Ben")]));
    }

    #[test]
    fn nothing_expires_before_its_deadline() {
        let expired = || shown(json!({"id": "1", "state": "expired", "outcome": "expired"}));
        let read = |at| op(at, Some(at + 5), Act::Read, expired());
        assert!(is_linearizable(&[asked(), read(1_000)], Some(1_000)));
        assert!(!is_linearizable(&[asked(), read(900)], Some(1_000)));
        // An answer that comes too late is refused before the job has been there.
        let late = op(1_001, Some(1_002), answer("Ana"), too_late("expired", None));
        let still = op(1_003, Some(1_004), Act::Read, pending());
        assert!(is_linearizable(
            &[asked(), late.clone(), still],
            Some(1_000)
        ));
        assert!(!is_linearizable(&[asked(), late], None));
    }

    #[test]
    fn an_approval_is_used_once() {
        let approved = |run: Option<&str>| {
            shown(json!({
                "id": "1", "state": "resolved", "outcome": "approved", "closed_by": "Ana", "answer": {"text": null},
                "consumed": run.map(|run| json!({ "run": run })),
            }))
        };
        let yes = Act::Answer(Ending {
            outcome: "approved".to_owned(),
            by: Some("Ana".to_owned()),
            said: "{}".to_owned(),
        });
        let consume = |run: &str| Act::Consume {
            run: run.to_owned(),
        };
        let yes = op(20, Some(30), yes, approved(None));
        let one = op(40, Some(50), consume("one"), approved(Some("one")));
        let again = op(60, Some(70), consume("one"), approved(Some("one")));
        let other = op(60, Some(70), consume("two"), approved(Some("two")));
        assert!(is_linearizable(
            &[asked(), yes.clone(), one.clone(), again],
            None
        ));
        assert!(!is_linearizable(&[asked(), yes, one, other], None));
    }

    #[test]
    fn a_claim_holds_others_off() {
        let claim = |by: &str| Act::Claim { by: by.to_owned() };
        let claimed = |by: &str| {
            shown(
                json!({"id": "1", "state": "pending", "outcome": null, "claim": {"by": {"name": by}}}),
            )
        };
        let first = op(20, Some(30), claim("Ana"), claimed("Ana"));
        let second = op(40, Some(50), claim("Ben"), claimed("Ben"));
        assert!(!is_linearizable(
            &[asked(), first.clone(), second.clone()],
            None
        ));
        let by = "Ana".to_owned();
        let free = shown(json!({"id": "1", "state": "pending", "outcome": null, "claim": null}));
        let released = op(32, Some(38), Act::Release { by }, free);
        assert!(is_linearizable(&[asked(), first, released, second], None));
    }

    #[test]
    fn what_was_sent_again_and_again_is_looked_at_in_time() {
        let claim = |by: &str| Act::Claim { by: by.to_owned() };
        let release = |by: &str| Act::Release { by: by.to_owned() };
        let mut ops = vec![asked()];
        for n in 0..30 {
            for by in ["Ana", "Ben"] {
                ops.push(op(20 + n, None, claim(by), unknown()));
                ops.push(op(20 + n, None, release(by), unknown()));
            }
        }
        ops.push(op(90, None, answer("Ana"), unknown()));
        ops.push(op(100, Some(110), Act::Read, pending()));
        ops.push(op(120, Some(130), Act::Read, answered("Ana")));
        assert!(is_linearizable(&ops, None));
        ops.push(op(140, Some(150), Act::Read, pending()));
        assert!(!is_linearizable(&ops, None));
    }

    #[test]
    fn who_gives_up_again_what_was_given_up_is_told_how_it_is_by_then() {
        let by = || "Ana".to_owned();
        let lost = op(12, None, Act::Release { by: by() }, unknown());
        let done = op(20, Some(40), answer("Ben"), answered("Ben"));
        let again = |told| op(20, Some(50), Act::Release { by: by() }, told);
        let tells =
            |told| is_linearizable(&[asked(), lost.clone(), done.clone(), again(told)], None);
        assert!(tells(answered("Ben")));
        assert!(!tells(answered("Eve")));
    }
}
