//! Every state × every command, and what holds for any sequence of commands.

use std::sync::atomic::{AtomicU64, Ordering};

use chrono::{DateTime, TimeDelta, Utc};
use proptest::prelude::*;
use uuid::Uuid;

use super::{decide, *};
use crate::{
    Actor, AgentId, AgentRef, Changeset, Ids, Moment, Payload, PersonId, Principal, Refused, Role,
    TokenId, Write, json::AnyJson, limits,
};

#[derive(Default)]
struct Counter(AtomicU64);

impl Ids for Counter {
    fn next(&self) -> Uuid {
        Uuid::from_u64_pair(0, self.0.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

fn epoch() -> DateTime<Utc> {
    DateTime::from_timestamp_millis(1_700_000_000_000).unwrap()
}

fn at(ids: &Counter, seconds: i64) -> Moment<'_> {
    Moment {
        at: epoch() + TimeDelta::seconds(seconds),
        ids,
    }
}

fn agent() -> AgentRef {
    AgentRef {
        id: AgentId(Uuid::from_u128(7)),
        name: "backend".into(),
    }
}

fn person(role: Role) -> Principal {
    Principal::Person {
        id: PersonId(Uuid::from_u128(8)),
        name: "Ana".into(),
        role,
    }
}

fn draft() -> Draft {
    Draft {
        kind: Some("question".into()),
        prompt: Some("Which port?".into()),
        ..Draft::default()
    }
}

fn request(draft: Draft) -> Request {
    draft.check(|_| Some(limits::DEFAULT_TIMEOUT)).unwrap()
}

fn text(text: &str) -> AnswerDraft {
    AnswerDraft {
        text: Some(text.into()),
    }
}

fn written(changeset: Changeset) -> Interaction {
    match changeset.write.unwrap() {
        Write::Open(interaction) | Write::Advance(interaction) => interaction,
    }
}

fn opened(mode: Mode, fallback: Option<&str>, ids: &Counter) -> Interaction {
    let draft = Draft {
        mode: Some(mode),
        timeout_seconds: Some(Some(60)),
        fallback: fallback.map(|text| AnyJson(text.into())),
        ..draft()
    };
    written(decide::open(request(draft), agent(), None, at(ids, 0)))
}

#[derive(Clone, Debug)]
enum Command {
    Answer(String),
    Expire,
    Cancel,
}

fn run(
    command: &Command,
    interaction: &Interaction,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    match command {
        Command::Answer(given) => {
            decide::answer(interaction, text(given), &person(Role::Responder), now)
        }
        Command::Expire => decide::expire(interaction, now),
        Command::Cancel => decide::cancel(interaction, &person(Role::Admin), None, now),
    }
}

/// The interaction in every state it can be in, by name.
fn states(mode: Mode, ids: &Counter) -> Vec<(&'static str, Interaction)> {
    let pending = opened(mode, None, ids);
    let with_fallback = opened(mode, Some("8080"), ids);
    let after = |interaction: &Interaction, command, seconds| {
        written(run(&command, interaction, at(ids, seconds)).unwrap())
    };
    vec![
        ("resolved", after(&pending, Command::Answer("80".into()), 1)),
        ("expired", after(&pending, Command::Expire, 60)),
        ("fallback", after(&with_fallback, Command::Expire, 60)),
        ("cancelled", after(&pending, Command::Cancel, 1)),
        ("pending", pending),
    ]
}

#[test]
fn every_command_in_every_state() {
    // What answer, expire and cancel lead to, before the deadline and after it.
    let ok = |name: &'static str| Ok::<_, &str>(name);
    for mode in [Mode::Sync, Mode::Async] {
        let ids = Counter::default();
        for (name, interaction) in states(mode, &ids) {
            let expected = match name {
                "pending" => [
                    (ok("resolved"), Err("closed: expired")),
                    (Err("not due"), ok("expired")),
                    (ok("cancelled"), Err("closed: expired")),
                ],
                "resolved" => [(Err("closed: answered"), Err("closed: answered")); 3],
                "expired" => [(Err("closed: expired"), Err("closed: expired")); 3],
                "fallback" => [(Err("closed: fallback"), Err("closed: fallback")); 3],
                _ => [(Err("closed: cancelled"), Err("closed: cancelled")); 3],
            };
            let commands = [
                Command::Answer("x".into()),
                Command::Expire,
                Command::Cancel,
            ];
            for (command, (before, after)) in commands.iter().zip(expected) {
                for (seconds, expected) in [(59, before), (60, after)] {
                    let outcome = run(command, &interaction, at(&ids, seconds));
                    let found = match &outcome {
                        Ok(changeset) => {
                            Ok(changeset.write.as_ref().unwrap().interaction().state.name())
                        }
                        Err(Refused::Closed { outcome, .. }) => {
                            Err(format!("closed: {}", outcome.name()))
                        }
                        Err(Refused::NotDue) => Err("not due".to_owned()),
                        Err(other) => Err(other.to_string()),
                    };
                    assert_eq!(
                        found,
                        expected.map_err(str::to_owned),
                        "{mode:?} {name}, {command:?} at {seconds} s"
                    );
                }
            }
        }
    }
}

#[test]
fn a_closed_interaction_names_who_was_faster_and_when() {
    let ids = Counter::default();
    let resolved = &states(Mode::Sync, &ids)[0].1;
    let refused = run(&Command::Answer("y".into()), resolved, at(&ids, 13)).unwrap_err();
    assert_eq!(
        refused,
        Refused::Closed {
            outcome: Outcome::Answered,
            by: Some("Ana".into()),
            at: epoch() + TimeDelta::seconds(1),
        }
    );
}

#[test]
fn the_loser_s_text_is_kept_and_changes_nothing() {
    let ids = Counter::default();
    let resolved = &states(Mode::Sync, &ids)[0].1;
    let kept = decide::reject_answer(
        resolved,
        text("mine"),
        Outcome::Answered,
        &person(Role::Responder),
        at(&ids, 2),
    )
    .unwrap();
    assert_eq!(kept.write, None);
    let Payload::AnswerRejected { answer, .. } = &kept.events[0].payload else {
        panic!("{kept:?}");
    };
    assert_eq!(
        *answer,
        AnswerContent::Text {
            text: "mine".into()
        }
    );
}

#[test]
fn agents_and_viewers_never_answer() {
    let ids = Counter::default();
    let pending = opened(Mode::Sync, None, &ids);
    for by in [Principal::Agent(agent()), person(Role::Viewer)] {
        let refused = decide::answer(&pending, text("x"), &by, at(&ids, 1)).unwrap_err();
        assert_eq!(refused, Refused::NotAResponder);
    }
    let script = Principal::Script {
        id: TokenId(Uuid::from_u128(9)),
        name: "night desk".into(),
    };
    assert!(decide::answer(&pending, text("x"), &script, at(&ids, 1)).is_ok());
}

#[test]
fn an_agent_takes_back_only_its_own() {
    let ids = Counter::default();
    let pending = opened(Mode::Sync, None, &ids);
    let other = Principal::Agent(AgentRef {
        id: AgentId(Uuid::from_u128(99)),
        name: "other".into(),
    });
    assert_eq!(
        decide::cancel(&pending, &other, None, at(&ids, 1)),
        Err(Refused::NotYours)
    );
    let own = Principal::Agent(agent());
    let cancelled =
        written(decide::cancel(&pending, &own, Some("done without".into()), at(&ids, 1)).unwrap());
    let State::Cancelled { by, reason, .. } = cancelled.state else {
        panic!("{cancelled:?}");
    };
    assert_eq!(by, Actor::Agent(agent()));
    assert_eq!(reason.as_deref(), Some("done without"));
}

#[test]
fn the_empty_text_is_an_answer_and_no_text_is_none() {
    let ids = Counter::default();
    let pending = opened(Mode::Sync, None, &ids);
    let by = person(Role::Responder);
    let empty = written(decide::answer(&pending, text(""), &by, at(&ids, 1)).unwrap());
    assert_eq!(
        empty.answer(),
        Some(&AnswerContent::Text {
            text: String::new()
        })
    );
    let Err(Refused::Invalid(faults)) =
        decide::answer(&pending, AnswerDraft::default(), &by, at(&ids, 1))
    else {
        panic!("an answer without text was accepted");
    };
    assert_eq!(faults[0].path, "text");
}

#[test]
fn a_fallback_is_the_answer_after_the_deadline() {
    let ids = Counter::default();
    let expired = &states(Mode::Async, &ids)[2].1;
    assert_eq!(expired.state.outcome(), Some(Outcome::Fallback));
    assert!(expired.resume_prompt().unwrap().contains("8080"));
}

#[test]
fn a_draft_is_refused_with_every_fault_and_its_path() {
    let draft = Draft {
        kind: Some("riddle".into()),
        prompt: Some("x".repeat(limits::TEXT_CHARS + 1)),
        title: Some("two\nlines".into()),
        session_id: Some(" ".into()),
        task: Some(TaskRef {
            id: String::new(),
            title: None,
            description: None,
            step: None,
        }),
        metadata: Some(AnyJson(serde_json::json!([1]))),
        timeout_seconds: Some(Some(0)),
        ..Draft::default()
    };
    let paths: Vec<_> = draft
        .check(|_| None)
        .unwrap_err()
        .into_iter()
        .map(|fault| fault.path)
        .collect();
    assert_eq!(
        paths,
        [
            "kind",
            "prompt",
            "title",
            "session_id",
            "task.id",
            "metadata",
            "timeout_seconds"
        ]
    );
    let paths: Vec<_> = Draft::default()
        .check(|_| None)
        .unwrap_err()
        .into_iter()
        .map(|fault| fault.path)
        .collect();
    assert_eq!(paths, ["kind", "prompt"]);
}

#[test]
fn absent_timeout_is_the_default_and_null_is_never() {
    let parsed: Draft = serde_json::from_str(r#"{"kind":"question","prompt":"p"}"#).unwrap();
    assert_eq!(request(parsed).timeout_seconds, Some(24 * 60 * 60));
    let parsed: Draft =
        serde_json::from_str(r#"{"kind":"question","prompt":"p","timeout_seconds":null}"#).unwrap();
    assert_eq!(request(parsed).timeout_seconds, None);
}

#[test]
fn limits_are_inclusive() {
    let longest = "ü".repeat(limits::TEXT_CHARS);
    let draft = Draft {
        prompt: Some(longest.clone()),
        timeout_seconds: Some(Some(limits::TIMEOUT_SECONDS)),
        ..draft()
    };
    assert!(draft.check(|_| None).is_ok());
    assert!(text(&longest).check(Kind::Question).is_ok());
    assert!(text(&(longest + "x")).check(Kind::Question).is_err());
}

fn command() -> impl Strategy<Value = Command> {
    prop_oneof![
        any::<String>().prop_map(Command::Answer),
        Just(Command::Expire),
        Just(Command::Cancel),
    ]
}

proptest! {
    #[test]
    fn closed_is_closed_and_versions_count_accepted_commands(
        commands in prop::collection::vec((command(), 0i64..120), 1..20),
        fallback in any::<Option<String>>(),
        sync in any::<bool>(),
    ) {
        let ids = Counter::default();
        let mode = if sync { Mode::Sync } else { Mode::Async };
        let mut interaction = opened(mode, fallback.as_deref(), &ids);
        let mut accepted = 1;
        for (command, seconds) in commands {
            let before = interaction.clone();
            match run(&command, &interaction, at(&ids, seconds)) {
                Ok(changeset) => {
                    prop_assert_eq!(before.state.name(), "pending");
                    prop_assert_eq!(changeset.events.len(), 1);
                    prop_assert!(changeset.events[0].payload.closes());
                    interaction = written(changeset);
                    accepted += 1;
                    if let Command::Answer(given) = command {
                        let kept = AnswerContent::Text { text: given };
                        prop_assert_eq!(interaction.answer(), Some(&kept));
                    }
                }
                Err(_) => prop_assert_eq!(&before, &interaction),
            }
            prop_assert_eq!(interaction.version, accepted);
            prop_assert_eq!(&before.request, &interaction.request);
        }
    }

    #[test]
    fn answers_come_back_byte_for_byte(given in any::<String>()) {
        let ids = Counter::default();
        let pending = opened(Mode::Sync, None, &ids);
        let resolved = written(run(&Command::Answer(given.clone()), &pending, at(&ids, 1)).unwrap());
        let expected = format!(
            "Previous blocker question: Which port?\nUser answer: {given}\nContinue task execution with this answer."
        );
        prop_assert_eq!(resolved.resume_prompt().unwrap(), expected);
        let json = serde_json::to_string(&resolved.state).unwrap();
        prop_assert_eq!(serde_json::from_str::<State>(&json).unwrap(), resolved.state);
    }
}
