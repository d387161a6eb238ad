//! Amendments: each state of an approval that may be changed × each command, and what holds for any sequence.

use chrono::TimeDelta;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    Changeset, Interaction, Principal, Refused, Role, Write,
    decide::{
        grant,
        interaction::{self as decide, AskedOf},
    },
    grant::{GrantDraft, GrantRecord, GrantWrite},
    interaction::{Action, AnswerContent, Ask, Kind, Outcome, Request},
    json::AnyJson,
    testing::{
        Counter, Stamp, agent, at, epoch, given, journalled, opened, person, request, with, written,
    },
};

fn arguments(replicas: i64, service: &str) -> Value {
    json!({"replicas": replicas, "service": service})
}

/// Of which the number of replicas may be changed, within a minute.
fn asked() -> Value {
    with(
        Kind::Approval,
        json!({
            "timeout_seconds": 60, "amendable": {"paths": ["/replicas"]},
            "action": {"tool": "deploy", "arguments": arguments(2, "api")},
        }),
    )
}

fn action(of: &Request) -> Action {
    match &of.ask {
        Ask::Approval { action, .. } => action.clone(),
        other => panic!("{other:?}"),
    }
}

#[derive(Clone, Copy, Debug)]
enum Command {
    /// As it was asked.
    Approve,
    /// With so many replicas.
    Amend(i64),
    /// With what was asked, written out.
    Same,
    /// Beyond what the agent takes.
    Beyond,
    Deny,
    /// No, but with arguments.
    DenyWith,
    ByViewer,
    ByAgent,
    Expire,
    Cancel,
    Claim,
    Collect,
    Consume,
}

const COMMANDS: [Command; 13] = [
    Command::Approve,
    Command::Amend(1),
    Command::Same,
    Command::Beyond,
    Command::Deny,
    Command::DenyWith,
    Command::ByViewer,
    Command::ByAgent,
    Command::Expire,
    Command::Cancel,
    Command::Claim,
    Command::Collect,
    Command::Consume,
];

fn run(
    command: Command,
    interaction: &Interaction,
    ids: &Counter,
    seconds: i64,
) -> Result<Changeset, Refused> {
    let (ana, now) = (person(Role::Responder), at(ids, seconds));
    let says =
        |answer: Value, by: &Principal| decide::answer(interaction, given(answer), by, None, now);
    let changed = |arguments: Value| json!({"approved": true, "arguments": arguments});
    match command {
        Command::Approve => says(json!({"approved": true}), &ana),
        Command::Amend(replicas) => says(changed(arguments(replicas, "api")), &ana),
        Command::Same => says(changed(arguments(2, "api")), &ana),
        Command::Beyond => says(changed(arguments(1, "db")), &ana),
        Command::Deny => says(json!({"approved": false}), &ana),
        Command::DenyWith => says(
            json!({"approved": false, "arguments": arguments(1, "api")}),
            &ana,
        ),
        Command::ByViewer => says(changed(arguments(1, "api")), &person(Role::Viewer)),
        Command::ByAgent => says(changed(arguments(1, "api")), &Principal::Agent(agent())),
        Command::Expire => decide::expire(interaction, None, now),
        Command::Cancel => decide::cancel(interaction, &ana, None, None, now),
        Command::Claim => decide::claim(interaction, 1, &ana, now),
        Command::Collect => decide::collect(interaction, &agent(), now),
        Command::Consume => decide::consume(interaction, &agent(), "run 1".into(), now),
    }
}

/// The state a command leads to, with the replicas where they were changed, or why it is refused.
fn outcome(result: &Result<Changeset, Refused>) -> String {
    match result {
        Ok(changeset) => {
            let next = written(changeset);
            let state = next.state.outcome().map_or("pending", Outcome::name);
            match next.amended() {
                Some(amended) => format!("{state} with {}", amended.arguments.0["replicas"]),
                None => state.to_owned(),
            }
        }
        Err(Refused::Closed { outcome, .. }) => format!("closed: {}", outcome.name()),
        Err(Refused::Invalid(faults)) => format!("invalid: {}", faults[0].path),
        Err(Refused::NotAResponder) => "no responder".to_owned(),
        Err(Refused::NotDue) => "not due".to_owned(),
        Err(Refused::StillPending) => "still pending".to_owned(),
        Err(other) => other.to_string(),
    }
}

/// The same action, approved ahead by Ana, and asked again.
fn granted(ids: &Counter) -> Interaction {
    let ana = person(Role::Responder);
    let pending = written(&opened(asked(), None, ids));
    let yes = given(json!({"approved": true}));
    let approval = written(&decide::answer(&pending, yes, &ana, None, at(ids, 1)).unwrap());
    let draft = GrantDraft {
        expires_at: Some(epoch() + TimeDelta::days(1)),
        ..GrantDraft::default()
    };
    let mut made = grant::make(&approval, draft, &ana, 0, at(ids, 2)).unwrap();
    let Write::Grant(GrantWrite::Make(grant)) = made.writes.remove(0) else {
        panic!("{made:?}");
    };
    let record = GrantRecord {
        grant: *grant,
        uses: 0,
        last_used_at: None,
        ended: None,
    };
    let (of, now) = (AskedOf::default(), at(ids, 3));
    let used = decide::open_granted(request(asked()), agent(), of, None, None, &record, now);
    written(&used.unwrap())
}

#[test]
fn every_command_on_every_state_of_an_approval_that_may_be_changed() {
    let ids = Counter::default();
    let pending = written(&opened(asked(), None, &ids));
    for (command, before, after) in [
        (Command::Approve, "approved", "closed: expired"),
        (Command::Amend(1), "approved with 1", "closed: expired"),
        (Command::Amend(5), "approved with 5", "closed: expired"),
        // What is not changed is no amendment.
        (Command::Same, "approved", "closed: expired"),
        (
            Command::Beyond,
            "invalid: arguments.service",
            "invalid: arguments.service",
        ),
        (Command::Deny, "denied", "closed: expired"),
        (
            Command::DenyWith,
            "invalid: arguments",
            "invalid: arguments",
        ),
        (Command::ByViewer, "no responder", "no responder"),
        (Command::ByAgent, "no responder", "no responder"),
        (Command::Expire, "not due", "expired"),
        (Command::Cancel, "cancelled", "closed: expired"),
        (Command::Claim, "pending", "closed: expired"),
        (Command::Collect, "still pending", "still pending"),
        (
            Command::Consume,
            "this was not approved",
            "this was not approved",
        ),
    ] {
        for (seconds, expected) in [(59, before), (60, after)] {
            let found = outcome(&run(command, &pending, &ids, seconds));
            assert_eq!(found, expected, "{command:?} at {seconds} s");
        }
    }
    let next = |command, seconds| written(&run(command, &pending, &ids, seconds).unwrap());
    for (closed, name, with) in [
        (next(Command::Amend(1), 1), "approved", " with 1"),
        (next(Command::Approve, 1), "approved", ""),
        (granted(&ids), "approved", ""),
        (next(Command::Deny, 1), "denied", ""),
        (next(Command::Cancel, 1), "cancelled", ""),
        (next(Command::Expire, 60), "expired", ""),
    ] {
        for command in COMMANDS {
            let expected = match command {
                Command::Beyond => "invalid: arguments.service".to_owned(),
                Command::DenyWith => "invalid: arguments".to_owned(),
                Command::ByViewer | Command::ByAgent => "no responder".to_owned(),
                Command::Collect => format!("{name}{with}"),
                Command::Consume if name == "approved" => format!("{name}{with}"),
                Command::Consume => "this was not approved".to_owned(),
                _ => format!("closed: {name}"),
            };
            let found = outcome(&run(command, &closed, &ids, 70));
            assert_eq!(found, expected, "{name}{with}, {command:?}");
        }
        assert_eq!(&closed.clone().proven(&Stamp), &closed);
    }
}

/// What may happen to it.
#[derive(Clone, Debug)]
enum Step {
    /// Somebody approves, with other arguments or as it is, or denies.
    Says {
        approves: bool,
        arguments: Option<(i64, bool)>,
        may_answer: bool,
    },
    Other(Command),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (
            prop::bool::weighted(0.8),
            prop::option::weighted(0.8, (0i64..4, prop::bool::weighted(0.2))),
            prop::bool::weighted(0.8),
        )
            .prop_map(|(approves, arguments, may_answer)| Step::Says { approves, arguments, may_answer }),
        2 => prop::sample::select(vec![
            Command::Expire, Command::Cancel, Command::Claim, Command::Collect, Command::Consume,
        ]).prop_map(Step::Other),
    ]
}

proptest! {
    /// Whatever is said by whom and when: what may run is the action that the receipt names, which differs from the one that
    /// was asked only where the agent lets it, and then the receipt names both.
    #[test]
    fn what_runs_is_what_the_receipt_names_and_nothing_else_was_changed(
        amendable in prop::bool::weighted(0.8),
        steps in prop::collection::vec((step(), 0i64..70), 1..14),
    ) {
        let ids = Counter::default();
        let mut body = asked();
        if !amendable {
            body["amendable"] = Value::Null;
        }
        let opening = opened(body, None, &ids);
        let mut now = written(&opening);
        let mut events = journalled(opening);
        let as_asked = action(&now.request);
        for (step, seconds) in steps {
            let before = now.clone();
            let result = match &step {
                Step::Says { approves, arguments: changed, may_answer } => {
                    let mut answer = json!({"approved": approves});
                    if let Some((replicas, other)) = changed {
                        let service = if *other { "db" } else { "api" };
                        answer["arguments"] = arguments(*replicas, service);
                    }
                    let by = if *may_answer { Role::Responder } else { Role::Viewer };
                    decide::answer(&now, given(answer), &person(by), None, at(&ids, seconds))
                }
                Step::Other(command) => run(*command, &now, &ids, seconds),
            };
            let Ok(changeset) = result else { continue };
            now = written(&changeset);
            events.extend(journalled(changeset));
            if let Step::Says { approves, arguments: changed, may_answer } = step {
                prop_assert!(before.state.is_pending() && seconds < 60 && may_answer);
                prop_assert_eq!(now.approved(), Some(approves));
                // By the test's own account.
                let wanted = changed.filter(|(replicas, _)| *replicas != 2).map(|(replicas, _)| replicas);
                prop_assert!(changed.is_none_or(|(_, other)| amendable && approves && !other));
                let found = now.amended().map(|amended| amended.arguments.0["replicas"].clone());
                prop_assert_eq!(found, wanted.map(Value::from));
            } else if !before.state.is_pending() {
                prop_assert_eq!(&before.state, &now.state);
            }
            prop_assert_eq!(&before.request, &now.request);
            prop_assert_eq!(&now.clone().proven(&Stamp), &now);
            let replayed = Interaction::replay(&events);
            prop_assert_eq!(replayed.as_ref(), Some(&now));
            prop_assert!(now.consumed.is_none() || now.approved() == Some(true));
            let Some(receipt) = now.receipt() else {
                prop_assert_ne!(now.approved(), Some(true));
                continue;
            };
            let digest = |action: &Action| action.digest().unwrap();
            let decision = &receipt.decision;
            match now.amended() {
                Some(amended) => {
                    let runs = Action { arguments: AnyJson(amended.arguments.0.clone()), ..as_asked.clone() };
                    prop_assert_eq!(decision.action_digest.clone(), Some(digest(&runs)));
                    prop_assert_eq!(decision.asked_digest.clone(), Some(digest(&as_asked)));
                    prop_assert_ne!(&decision.action_digest, &decision.asked_digest);
                    prop_assert_eq!(&amended.arguments.0["service"], "api");
                    prop_assert_eq!(now.approved(), Some(true));
                }
                None => {
                    prop_assert_eq!(decision.action_digest.clone(), Some(digest(&as_asked)));
                    prop_assert_eq!(&decision.asked_digest, &None);
                }
            }
            let is_denied = matches!(now.answer(), Some(AnswerContent::Approval { approved: false, .. }));
            prop_assert!(!is_denied || now.amended().is_none());
        }
    }
}
