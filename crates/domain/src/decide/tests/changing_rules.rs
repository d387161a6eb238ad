//! Rules that are put in force and taken away while things are asked and wait (rule 14): what holds for any sequence.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::policy::{allow, ask, asked, destructive, forbid, in_force};
use crate::{
    Interaction, Refused, Role,
    decide::interaction::{self as decide, AskedOf},
    interaction::{Ask, Outcome},
    policy::{InForce, PolicySet, Question, Ruling, rule, under},
    testing::{Counter, Stamp, agent, at, given, person, written},
};

/// The rules that there are, by their places in [`rules`].
const ALLOWS: usize = 0;
const ASKS: usize = 1;
const FORBIDS: usize = 2;
const DESTROYS: usize = 3;

fn rules(which: &[usize]) -> Value {
    let all = [
        allow(&["cargo", "test"]),
        ask(&["cargo"], json!({})),
        forbid(&["cargo"]),
        destructive(&["cargo"]),
    ];
    which.iter().map(|place| all[*place].clone()).collect()
}

/// What may happen.
#[derive(Clone, Debug)]
enum Step {
    /// These are in force from now on.
    Set(Vec<usize>),
    Asks,
    /// Somebody answers one that waits.
    Answers(usize, bool),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => prop::sample::subsequence(vec![ALLOWS, ASKS, FORBIDS, DESTROYS], 0..=4).prop_map(Step::Set),
        4 => Just(Step::Asks),
        3 => (0usize..4, prop::bool::weighted(0.8)).prop_map(|(place, yes)| Step::Answers(place, yes)),
    ]
}

fn says(set: Option<&PolicySet>, of: &Interaction) -> Option<Ruling> {
    let Ask::Approval { action, .. } = &of.request.ask else {
        panic!("no approval");
    };
    of_action(set, action)
}

fn of_action(set: Option<&PolicySet>, action: &crate::interaction::Action) -> Option<Ruling> {
    let question = Question {
        agent: "backend",
        team: None,
        action,
    };
    rule(&[InForce::Known(set?)], &question)
}

proptest! {
    /// Whatever is put in force between asking and answering: nothing is approved that the rules of that moment forbid, nor at
    /// once what they ask about; what is forbidden is denied with the reason; and without rules a person's word is enough.
    #[test]
    fn nothing_is_approved_against_the_rules_of_its_moment(steps in prop::collection::vec(step(), 1..20)) {
        let ids = Counter::default();
        let (mut set, mut which): (Option<PolicySet>, Vec<usize>) = (None, Vec::new());
        let mut waiting: Vec<(Interaction, Vec<usize>)> = Vec::new();
        for step in steps {
            match step {
                Step::Set(those) => {
                    set = (!those.is_empty()).then(|| in_force(rules(&those), &ids));
                    which = those;
                }
                Step::Asks => {
                    let request = asked("cargo test", json!({}));
                    let Ask::Approval { action, .. } = &request.ask else { panic!("no approval") };
                    let ruling = of_action(set.as_ref(), action);
                    let at_once = ruling.as_ref().map(|ruling| {
                        decide::open_ruled(request.clone(), agent(), AskedOf::default(), None, None, ruling, at(&ids, 1))
                    });
                    // By the test's own account.
                    let wanted = if which.contains(&FORBIDS) {
                        Some(Outcome::Denied)
                    } else {
                        (which == [ALLOWS]).then_some(Outcome::Approved)
                    };
                    match at_once {
                        Some(Ok(changeset)) => {
                            let closed = written(&changeset).proven(&Stamp);
                            prop_assert_eq!(closed.state.outcome(), wanted, "{:?}", which);
                            prop_assert!(closed.by_policy().is_some() && closed.card.is_none());
                        }
                        Some(Err(Refused::NotApproved)) | None => {
                            prop_assert_eq!(wanted, None, "{:?}", which);
                            let request = match &ruling {
                                Some(ruling) => under(request, ruling),
                                None => request,
                            };
                            let opened = decide::open_for(request, agent(), AskedOf::default(), None, None, None, at(&ids, 1));
                            waiting.push((written(&opened), which.clone()));
                        }
                        Some(Err(other)) => panic!("{other:?}"),
                    }
                }
                Step::Answers(place, yes) => {
                    let Some((one, under)) = waiting.get(place).cloned() else { continue };
                    let answer = given(json!({"approved": yes}));
                    let changeset = decide::answer(&one, answer, &person(Role::Responder), None, at(&ids, 2)).unwrap();
                    let looked_at = decide::approves(&changeset).map(|_| {
                        decide::stays_approved(&one, says(set.as_ref(), &one).as_ref(), None, at(&ids, 2).at)
                    });
                    let is_stricter = which.contains(&DESTROYS) && !under.contains(&DESTROYS);
                    let is_refused = yes && (which.contains(&FORBIDS) || is_stricter);
                    prop_assert_eq!(looked_at.is_some(), yes);
                    prop_assert_eq!(looked_at.is_some_and(|it| it.is_err()), is_refused, "{:?} after {:?}", which, under);
                    if is_refused {
                        continue;
                    }
                    waiting.remove(place);
                    let closed = written(&changeset).proven(&Stamp);
                    prop_assert_eq!(closed.approved(), Some(yes));
                    prop_assert_eq!(closed.by_policy(), None);
                }
            }
        }
    }
}
