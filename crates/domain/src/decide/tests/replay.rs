//! What would have been decided otherwise.

use serde_json::{Value, json};

use crate::{
    Actor, Changeset, Event, Interaction, Role,
    decide::{
        interaction as decide,
        replay::{Replay, Replayed, Was, Would},
    },
    interaction::Outcome,
    policy::{InForce, Policies, PolicySet},
    testing::{Counter, agent, at, epoch, given, journalled, person, request, written},
};

fn policies() -> Policies {
    serde_json::from_value(json!({"rules": [
        {"name": "no push", "then": "forbid", "reason": "Not today.",
         "when": {"arguments": [{"has": {"words": ["git", "push"]}}]}},
        {"name": "two", "then": "ask", "approvals": {"needed": 2},
         "when": {"arguments": [{"has": {"words": ["terraform"]}}]}},
        {"name": "tests", "then": "allow", "matcher": {"like": {"tool": "Bash", "like": {}, "varies": [
            {"at": ["command"], "by": {"words": {"begin": ["cargo", "test"]}}}]}}},
    ]}))
    .unwrap()
}

/// One approval, with what a person said.
struct Day {
    ids: Counter,
    events: Vec<Event>,
}

impl Day {
    fn ask(&mut self, command: &str, fields: Value) -> Interaction {
        let mut body = json!({"kind": "approval", "prompt": command,
            "action": {"tool": "Bash", "arguments": {"command": command}}});
        for (name, value) in fields.as_object().unwrap() {
            body[name] = value.clone();
        }
        let asked = decide::open(
            request(body),
            agent(),
            None,
            None,
            None,
            None,
            at(&self.ids, 0),
        );
        self.take(asked)
    }

    fn say(&mut self, asked: &Interaction, approved: bool) {
        let answer = given(json!({"approved": approved}));
        let ana = person(Role::Responder);
        let said = decide::answer(asked, answer, &ana, None, at(&self.ids, 1)).unwrap();
        self.take(said);
    }

    fn take(&mut self, changeset: Changeset) -> Interaction {
        let interaction = written(&changeset);
        self.events.extend(journalled(changeset));
        interaction
    }

    fn replay(&self) -> Replayed {
        let by = Actor::Operator {
            name: "root".into(),
        };
        let set = PolicySet::tried(policies(), by, epoch());
        let mut replay = Replay::new(vec![InForce::Known(&set)]);
        self.events.iter().for_each(|event| replay.take(event));
        replay.end()
    }
}

fn day() -> Day {
    Day {
        ids: Counter::default(),
        events: Vec::new(),
    }
}

#[test]
fn what_would_have_been_decided_otherwise_is_named() {
    let mut day = day();
    for (command, approved) in [
        ("ls", true),
        ("git push", true),
        ("git push x", false),
        ("cargo test", true),
        ("cargo test y", false),
        ("terraform apply", true),
    ] {
        let asked = day.ask(command, json!({}));
        day.say(&asked, approved);
    }
    day.ask("cargo test z", json!({}));
    // Two people were asked already.
    day.ask("terraform plan", json!({"approvals": {"needed": 2}}));
    // The agent wants a quorum, which no rule passes over.
    day.ask("cargo test q", json!({"approvals": {"needed": 2}}));
    let replayed = day.replay();
    assert_eq!(
        (replayed.looked_at, replayed.reached, replayed.would_reach),
        (9, 9, 4)
    );
    let named: Vec<_> = replayed
        .named
        .iter()
        .map(|one| {
            (
                &*one.prompt,
                one.was.clone(),
                one.would.clone(),
                one.is_against_a_person(),
            )
        })
        .collect();
    let person = |outcome| Was::Person {
        outcome,
        by: "Ana".into(),
    };
    let allowed = || Would::Allowed("tests".into());
    assert_eq!(
        named,
        [
            (
                "git push",
                person(Outcome::Approved),
                Would::Forbidden("no push".into()),
                true
            ),
            ("cargo test", person(Outcome::Approved), allowed(), false),
            ("cargo test y", person(Outcome::Denied), allowed(), true),
            (
                "terraform apply",
                person(Outcome::Approved),
                Would::Asked {
                    rule: Some("two".into()),
                    needed: 2,
                    four_eyes: false,
                    team: None
                },
                false
            ),
            ("cargo test z", Was::Waiting, allowed(), false),
        ]
    );
    assert_eq!(replayed.otherwise, 5);
}

#[test]
fn what_is_erased_is_counted_and_other_kinds_are_not() {
    let mut day = day();
    day.ask("git push", json!({}));
    day.events[0].is_erased = true;
    day.take(decide::open(
        request(json!({"kind": "question", "prompt": "git push?"})),
        agent(),
        None,
        None,
        None,
        None,
        at(&Counter::default(), 0),
    ));
    let replayed = day.replay();
    assert_eq!(
        (replayed.looked_at, replayed.erased, replayed.otherwise),
        (0, 1, 0)
    );
}
