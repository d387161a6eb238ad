//! What stands: approvals that were given ahead and answers that are given again. Each of their states × each command, what
//! follows for what they have decided, and what holds for any sequence.

use chrono::TimeDelta;
use proptest::prelude::*;
use serde_json::json;

use super::{grant::of_tests, memory};
use crate::{
    AgentId, AgentRef, Changeset, Interaction, Principal, Refused, Role,
    decide::{grant, interaction as decide, interaction::AskedOf, memory as memories},
    grant::{self as grants, GrantDraft, GrantEnd, GrantRecord},
    interaction::{Kind, Outcome, Request},
    memory::{self as kept, MemoryDraft, MemoryEnd, MemoryRecord},
    testing::{Counter, Stamp, agent, answer_to, at, body, epoch, given, person, request, written},
};
use uuid::Uuid;

const WEEK: i64 = 7 * 86_400;

fn ana() -> Principal {
    person(Role::Responder)
}

fn stranger() -> AgentRef {
    AgentRef {
        id: AgentId(Uuid::from_u128(99)),
        name: "frontend".into(),
    }
}

fn tests(command: &str) -> Request {
    request(json!({
        "kind": "approval", "prompt": "May it run?", "mode": "sync",
        "action": {"tool": "Bash", "arguments": {"command": command}},
    }))
}

/// What comes of something that stands.
#[derive(Clone, Copy, Debug)]
enum Command {
    /// Asked for what it is for.
    Use,
    /// Asked for something else.
    UseOther,
    /// Asked for the same by another agent.
    UseByAnother,
    Revoke,
    RevokeByViewer,
    RevokeByAgent,
}

const COMMANDS: [Command; 6] = [
    Command::Use,
    Command::UseOther,
    Command::UseByAnother,
    Command::Revoke,
    Command::RevokeByViewer,
    Command::RevokeByAgent,
];

/// The state that what is asked is in, or why it is asked of a person; of what stands, that it ends.
fn outcome(result: Result<Changeset, Refused>) -> String {
    match result {
        Ok(changeset) => match changeset.interaction() {
            Some(opened) => opened
                .state
                .outcome()
                .map_or("pending", Outcome::name)
                .to_owned(),
            None => "revoked".to_owned(),
        },
        Err(Refused::Unchanged) => "over already".to_owned(),
        Err(Refused::NotAResponder) => "no responder".to_owned(),
        Err(Refused::NotApproved | Refused::NothingToKeep) => "a person is asked".to_owned(),
        Err(other) => other.to_string(),
    }
}

fn on_grant(
    command: Command,
    record: &GrantRecord,
    ids: &Counter,
    seconds: i64,
) -> Result<Changeset, Refused> {
    let now = at(ids, seconds);
    let asks = |words: &str, agent: AgentRef| {
        let of = AskedOf::default();
        decide::open_granted(tests(words), agent, of, None, None, record, now)
    };
    match command {
        Command::Use => asks("cargo test -p domain", agent()),
        Command::UseOther => asks("cargo build", agent()),
        Command::UseByAnother => asks("cargo test -p domain", stranger()),
        Command::Revoke => grant::revoke(record, &ana(), now),
        Command::RevokeByViewer => grant::revoke(record, &person(Role::Viewer), now),
        Command::RevokeByAgent => grant::revoke(record, &Principal::Agent(agent()), now),
    }
}

#[test]
fn every_command_on_every_state_of_a_grant() {
    let ids = Counter::default();
    let fresh = of_tests(&ids);
    let ended = |why| GrantRecord {
        ended: Some(grants::Ended { at: epoch(), why }),
        ..fresh.clone()
    };
    let used = |uses| GrantRecord {
        uses,
        ..fresh.clone()
    };
    let mut erased = fresh.clone();
    erased.grant.scope = None;
    let most = fresh.grant.terms.most;
    let mut states = vec![
        ("fresh".to_owned(), fresh.clone(), 3, true, true),
        ("used before".to_owned(), used(1), 3, true, true),
        (
            "with one use left".to_owned(),
            used(most - 1),
            3,
            true,
            true,
        ),
        (
            "used as often as it may".to_owned(),
            used(most),
            3,
            false,
            true,
        ),
        (
            "in its last second".to_owned(),
            fresh.clone(),
            WEEK - 1,
            true,
            true,
        ),
        ("over".to_owned(), fresh.clone(), WEEK, false, false),
        (
            "before it was made".to_owned(),
            fresh.clone(),
            1,
            false,
            true,
        ),
        ("without words".to_owned(), erased, 3, false, true),
    ];
    for why in GrantEnd::ALL {
        states.push((
            format!("ended, {}", why.name()),
            ended(why),
            3,
            false,
            false,
        ));
    }
    for (state, record, seconds, covers, can_be_revoked) in states {
        for command in COMMANDS {
            let expected = match command {
                Command::Use if covers => "approved",
                Command::Use | Command::UseOther | Command::UseByAnother => "a person is asked",
                Command::Revoke if can_be_revoked => "revoked",
                Command::Revoke => "over already",
                Command::RevokeByViewer | Command::RevokeByAgent => "no responder",
            };
            let found = outcome(on_grant(command, &record, &ids, seconds));
            assert_eq!(found, expected, "{state}, {command:?}");
        }
    }
}

fn on_memory(
    command: Command,
    record: &MemoryRecord,
    ids: &Counter,
    seconds: i64,
) -> Result<Changeset, Refused> {
    let now = at(ids, seconds);
    let asks = |request: Request, agent: AgentRef| {
        let of = AskedOf::default();
        decide::open_remembered(request, agent, of, None, None, record, now)
    };
    let question = || request(body(Kind::Question));
    match command {
        Command::Use => asks(question(), agent()),
        Command::UseOther => asks(request(body(Kind::Choice)), agent()),
        Command::UseByAnother => asks(question(), stranger()),
        Command::Revoke => memories::revoke(record, &ana(), now),
        Command::RevokeByViewer => memories::revoke(record, &person(Role::Viewer), now),
        Command::RevokeByAgent => memories::revoke(record, &Principal::Agent(agent()), now),
    }
}

#[test]
fn every_command_on_every_state_of_an_answer_that_stands() {
    let ids = Counter::default();
    let fresh = memory::of(Kind::Question, &ids);
    let ended = |why| MemoryRecord {
        ended: Some(kept::Ended { at: epoch(), why }),
        ..fresh.clone()
    };
    let used = MemoryRecord {
        uses: 1_000_000,
        ..fresh.clone()
    };
    let mut erased = fresh.clone();
    erased.memory.kept = None;
    let mut states = vec![
        ("fresh".to_owned(), fresh.clone(), 3, true, true),
        ("given often".to_owned(), used, 3, true, true),
        (
            "in its last second".to_owned(),
            fresh.clone(),
            WEEK + 1,
            true,
            true,
        ),
        ("over".to_owned(), fresh.clone(), WEEK + 2, false, false),
        (
            "before it was kept".to_owned(),
            fresh.clone(),
            1,
            false,
            true,
        ),
        ("without words".to_owned(), erased, 3, false, true),
    ];
    for why in MemoryEnd::ALL {
        states.push((
            format!("ended, {}", why.name()),
            ended(why),
            3,
            false,
            false,
        ));
    }
    for (state, record, seconds, answers, can_be_revoked) in states {
        for command in COMMANDS {
            let expected = match command {
                Command::Use if answers => "answered",
                Command::Use | Command::UseOther | Command::UseByAnother => "a person is asked",
                Command::Revoke if can_be_revoked => "revoked",
                Command::Revoke => "over already",
                Command::RevokeByViewer | Command::RevokeByAgent => "no responder",
            };
            let found = outcome(on_memory(command, &record, &ids, seconds));
            assert_eq!(found, expected, "{state}, {command:?}");
        }
    }
}

/// What was decided without a person is closed to everything but what follows a decision, and nothing more is made of it.
#[test]
fn every_command_on_what_was_decided_ahead() {
    let ids = Counter::default();
    let granted = written(&on_grant(Command::Use, &of_tests(&ids), &ids, 9).unwrap());
    let remembered = memory::of(Kind::Question, &ids);
    let remembered = written(&on_memory(Command::Use, &remembered, &ids, 9).unwrap());
    for (closed, outcome) in [
        (granted, Outcome::Approved),
        (remembered, Outcome::Answered),
    ] {
        let kind = closed.request.kind();
        let is_closed = |result: Result<Changeset, Refused>| match result {
            Err(Refused::Closed {
                outcome: found, by, ..
            }) => {
                assert_eq!((found, by.as_deref()), (outcome, Some("Ana")), "{kind:?}");
            }
            other => panic!("{kind:?}: {other:?}"),
        };
        let (ana, admin, now) = (ana(), person(Role::Admin), at(&ids, 10));
        is_closed(decide::answer(
            &closed,
            given(answer_to(kind)),
            &ana,
            None,
            now,
        ));
        is_closed(decide::answer(
            &closed,
            given(answer_to(kind)),
            &admin,
            None,
            now,
        ));
        is_closed(decide::cancel(&closed, &ana, None, None, now));
        let by_agent = Principal::Agent(agent());
        is_closed(decide::cancel(&closed, &by_agent, None, None, now));
        is_closed(decide::claim(&closed, 15, &ana, now));
        is_closed(decide::release(&closed, &ana, now));
        is_closed(decide::run_out(&closed, true, now));
        is_closed(decide::expire(&closed, None, at(&ids, 9_999_999)));
        assert!(decide::collect(&closed, &agent(), now).is_ok());
        assert!(decide::follow_up(&closed, "Why?".into(), &ana, now).is_ok());
        let once = decide::consume(&closed, &agent(), "one".into(), now);
        match outcome {
            Outcome::Approved => {
                let ran = written(&once.unwrap());
                let twice = decide::consume(&ran, &agent(), "two".into(), now);
                assert!(
                    matches!(twice, Err(Refused::AlreadyConsumed { .. })),
                    "{twice:?}"
                );
            }
            _ => assert_eq!(once, Err(Refused::NotApproved)),
        }
        let week = Some(epoch() + TimeDelta::days(7));
        let draft = GrantDraft {
            expires_at: week,
            ..GrantDraft::default()
        };
        assert_eq!(
            grant::make(&closed, draft, &ana, 0, now),
            Err(Refused::NotApproved)
        );
        let draft = MemoryDraft {
            days: Some(7),
            any_agent: false,
        };
        assert_eq!(
            memories::keep(&closed, draft, &ana, 0, now),
            Err(Refused::NothingToKeep)
        );
        assert_eq!(closed.clone().proven(&Stamp), closed);
    }
}

/// What may happen to it, each so many seconds after the one before.
fn steps() -> impl Strategy<Value = Vec<(Command, i64)>> {
    let command = prop_oneof![
        6 => Just(Command::Use),
        1 => prop::sample::select(COMMANDS.to_vec()),
    ];
    prop::collection::vec((command, 0i64..90_000), 1..16)
}

/// The test's own account of whether it may be used.
struct Account {
    uses: u32,
    is_revoked: bool,
}

proptest! {
    /// Whatever happens in which order: a grant approves what it covers from when it was made until it is over, revoked or
    /// used up, and nothing else; each use is one of its own, with a receipt that names it.
    #[test]
    fn a_grant_approves_until_it_is_taken_back_or_used_up_and_not_once_more(
        most in 1u32..4,
        steps in steps(),
    ) {
        let ids = Counter::default();
        let mut record = of_tests(&ids);
        record.grant.terms.most = most;
        let mut account = Account { uses: 0, is_revoked: false };
        let (mut now, mut seen) = (0, Vec::new());
        for (command, later) in steps {
            now += later;
            let result = on_grant(command, &record, &ids, now);
            let stands = (2..WEEK).contains(&now) && !account.is_revoked;
            let is_wanted = match command {
                Command::Use => stands && account.uses < most,
                Command::Revoke => now < WEEK && !account.is_revoked,
                _ => false,
            };
            prop_assert_eq!(result.is_ok(), is_wanted, "{:?} at {}: {:?}", command, now, result);
            let Ok(changeset) = result else { continue };
            match changeset.interaction() {
                Some(used) => {
                    prop_assert!(is_by(used, |one| one.granted() == Some(&record.grant.named())));
                    prop_assert_eq!(used.approved(), Some(true));
                    prop_assert!(!seen.contains(&used.id));
                    seen.push(used.id);
                    account.uses += 1;
                    record.uses += 1;
                }
                None => {
                    account.is_revoked = true;
                    let why = GrantEnd::Revoked;
                    record.ended = Some(grants::Ended { at: at(&ids, now).at, why });
                }
            }
        }
        prop_assert!(seen.len() <= most as usize);
    }

    /// The same of an answer, which is given as often as it is asked.
    #[test]
    fn an_answer_is_given_until_it_is_taken_back_and_not_once_more(steps in steps()) {
        let ids = Counter::default();
        let mut record = memory::of(Kind::Question, &ids);
        let (mut now, mut is_revoked) = (0, false);
        for (command, later) in steps {
            now += later;
            let result = on_memory(command, &record, &ids, now);
            let is_wanted = match command {
                Command::Use => (2..WEEK + 2).contains(&now) && !is_revoked,
                Command::Revoke => now < WEEK + 2 && !is_revoked,
                _ => false,
            };
            prop_assert_eq!(result.is_ok(), is_wanted, "{:?} at {}: {:?}", command, now, result);
            let Ok(changeset) = result else { continue };
            match changeset.interaction() {
                Some(used) => {
                    prop_assert!(is_by(used, |one| one.remembered() == Some(&record.memory.named())));
                    prop_assert_eq!(used.approved(), None);
                    let kept = record.memory.kept.as_ref().map(|kept| &kept.answer);
                    prop_assert_eq!(used.answer(), kept);
                }
                None => {
                    is_revoked = true;
                    let why = MemoryEnd::Revoked;
                    record.ended = Some(kept::Ended { at: at(&ids, now).at, why });
                }
            }
        }
    }
}

/// By its receipt, which holds.
fn is_by(used: &Interaction, is_named: impl Fn(&Interaction) -> bool) -> bool {
    let proven = used.clone().proven(&Stamp);
    proven == *used && is_named(&proven) && proven.card.is_none()
}
