//! What holds for any sequence of commands on any kind.

use proptest::prelude::*;
use serde_json::json;

use crate::{
    Changeset, Moment, Parts, Person, Principal, Refused, Role,
    decide::interaction as decide,
    interaction::{
        AnswerContent, AnswerDraft, Comment, FormAnswer, Interaction, Kind, Outcome, PlanDecision,
        Posted, ReportDraft, ReportOutcome, State,
    },
    json::Object,
    testing::{Counter, Stamp, agent, at, journalled, opened, person, shown_in, with, written},
};

#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "there are a few of them")]
pub(super) enum Command {
    Answer(AnswerDraft, By),
    Expire,
    Cancel(By),
    Collect,
    Consume(String),
    Report(bool),
    FollowUp(String, By),
    CalledBack,
    AgentOffline,
    Posted(String),
    Claim(i64, By),
    Release(By),
    RunOut,
    HandOver(String, By),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum By {
    Responder,
    Viewer,
    Agent,
}

impl By {
    fn principal(self) -> Principal {
        match self {
            Self::Responder => person(Role::Responder),
            Self::Viewer => person(Role::Viewer),
            Self::Agent => Principal::Agent(agent()),
        }
    }
}

pub(super) fn run(
    command: &Command,
    interaction: &Interaction,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    match command {
        Command::Answer(draft, by) => {
            decide::answer(interaction, draft.clone(), &by.principal(), None, now)
        }
        Command::Expire => decide::expire(interaction, None, now),
        Command::Cancel(by) => decide::cancel(interaction, &by.principal(), None, None, now),
        Command::Collect => decide::collect(interaction, &agent(), now),
        Command::Consume(name) => decide::consume(interaction, &agent(), name.clone(), now),
        Command::Report(done) => {
            let outcome = match done {
                true => ReportOutcome::Done,
                false => ReportOutcome::Failed,
            };
            let said = ReportDraft {
                outcome,
                text: None,
            };
            decide::report(interaction, &agent(), said, now)
        }
        Command::FollowUp(text, by) => {
            decide::follow_up(interaction, text.clone(), &by.principal(), now)
        }
        Command::Claim(minutes, by) => decide::claim(interaction, *minutes, &by.principal(), now),
        Command::Release(by) => decide::release(interaction, &by.principal(), now),
        Command::RunOut => decide::run_out(interaction, true, now),
        Command::HandOver(why, by) => {
            let bo = bo();
            let to = decide::Receiver::Person(Some((&bo, &Parts::default())));
            decide::hand_over(interaction, to, Some(why.clone()), &by.principal(), now)
        }
        Command::CalledBack => decide::called_back(interaction, now),
        Command::AgentOffline => decide::agent_offline(interaction, now),
        Command::Posted(ts) => {
            let posted = Posted {
                ts: ts.clone(),
                permalink: None,
            };
            decide::posted(interaction, posted, now)
        }
    }
}

/// Another person who answers.
pub(super) fn bo() -> Person {
    crate::testing::human(10, "Bo", Role::Responder)
}

fn by() -> impl Strategy<Value = By> {
    prop_oneof![3 => Just(By::Responder), 1 => Just(By::Viewer), 1 => Just(By::Agent)]
}

fn answer() -> impl Strategy<Value = AnswerDraft> {
    let none = AnswerDraft::default;
    let value = prop::sample::select(vec!["redis", "lru", "staging", "production", "x", ""]);
    let id = prop::sample::select(vec!["port", "env", "other"]);
    prop_oneof![
        Just(none()),
        any::<String>().prop_map(move |text| AnswerDraft {
            text: Some(text),
            ..none()
        }),
        value.clone().prop_map(move |value| AnswerDraft {
            selected: Some(vec![value.to_owned()]),
            ..none()
        }),
        (any::<bool>(), any::<Option<String>>()).prop_map(move |(approved, text)| AnswerDraft {
            approved: Some(approved),
            text,
            ..none()
        }),
        (
            prop::sample::select(PlanDecision::ALL.to_vec()),
            any::<Option<String>>(),
            // The plan has two lines.
            prop::collection::vec((0usize..4, any::<Option<bool>>(), any::<String>()), 0..3),
        )
            .prop_map(move |(decision, feedback, comments)| {
                let comments = comments.into_iter().map(|(line, two, text)| {
                    let to_line = two.map(|two| line + usize::from(two));
                    Object(Comment {
                        line,
                        to_line,
                        text,
                    })
                });
                let comments: Vec<_> = comments.collect();
                AnswerDraft {
                    decision: Some(decision),
                    feedback,
                    comments: Some(comments).filter(|it| !it.is_empty()),
                    ..none()
                }
            }),
        prop::collection::btree_map(id.prop_map(str::to_owned), value, 0..3).prop_map(
            move |answers| AnswerDraft {
                answers: Some(
                    answers
                        .into_iter()
                        .map(|(id, value)| (id, FormAnswer::One(value.to_owned())))
                        .collect()
                ),
                ..none()
            }
        ),
    ]
}

pub(super) fn command() -> impl Strategy<Value = Command> {
    prop_oneof![
        6 => (answer(), by()).prop_map(|(draft, by)| Command::Answer(draft, by)),
        1 => Just(Command::Expire),
        1 => by().prop_map(Command::Cancel),
        1 => Just(Command::Collect),
        1 => "run [12]".prop_map(Command::Consume),
        1 => any::<bool>().prop_map(Command::Report),
        1 => (any::<String>(), by()).prop_map(|(text, by)| Command::FollowUp(text, by)),
        1 => Just(Command::CalledBack),
        1 => Just(Command::AgentOffline),
        1 => "[0-9]{1,3}".prop_map(Command::Posted),
        2 => (0i64..3, by()).prop_map(|(minutes, by)| Command::Claim(minutes, by)),
        1 => by().prop_map(Command::Release),
        1 => Just(Command::RunOut),
        1 => ("[a-z]{1,4}", by()).prop_map(|(why, by)| Command::HandOver(why, by)),
    ]
}

proptest! {
    #[test]
    fn closed_is_closed_and_versions_count_accepted_commands(
        kind in prop::sample::select(Kind::ALL.to_vec()),
        commands in prop::collection::vec((command(), 0i64..120), 1..20),
        fallback in any::<bool>(),
        sync in any::<bool>(),
        shown in any::<bool>(),
    ) {
        let ids = Counter::default();
        let mut fields = json!({});
        if kind != Kind::Notification {
            fields["timeout_seconds"] = 60.into();
            fields["mode"] = if sync { "sync" } else { "async" }.into();
        }
        match kind {
            Kind::Question if fallback => fields["fallback"] = "".into(),
            Kind::Choice if fallback => fields["fallback"] = "lru".into(),
            _ => {}
        }
        let channel = shown.then(|| "C0MAIN".to_owned());
        let opening = shown_in(channel, with(kind, fields), &ids);
        let mut interaction = written(&opening);
        let mut events = journalled(opening);
        let mut accepted = 1;
        let mut approving = false;
        for (command, seconds) in commands {
            let before = interaction.clone();
            match run(&command, &interaction, at(&ids, seconds)) {
                Ok(changeset) => {
                    prop_assert_eq!(changeset.events.len(), 1);
                    interaction = written(&changeset);
                    accepted += 1;
                    let closes = changeset.events[0].payload.closes();
                    events.extend(journalled(changeset));
                    if !before.state.is_pending() {
                        // Only what is said about it grows.
                        prop_assert!(!closes);
                        prop_assert_eq!(&before.state, &interaction.state);
                        prop_assert_eq!(before.answer(), interaction.answer());
                    }
                    prop_assert_eq!(closes, before.state.is_pending() && !interaction.state.is_pending());
                    if let Command::Answer(draft, by) = command {
                        prop_assert_eq!(by, By::Responder);
                        prop_assert!(seconds < 60);
                        approving |= draft.approved == Some(true);
                        if let Some(AnswerContent::Plan { feedback, comments, .. }) = interaction.answer() {
                            // All that was said is there, byte for byte, or nothing of it was taken.
                            prop_assert_eq!(feedback, &draft.feedback);
                            let mut said: Vec<_> = draft.comments.iter().flatten().map(|it| &it.0.text).collect();
                            let mut kept: Vec<_> = comments.iter().map(|it| &it.text).collect();
                            said.sort();
                            kept.sort();
                            prop_assert_eq!(said, kept);
                            prop_assert!(comments.iter().all(|it| *it.lines().start() >= 1 && *it.lines().end() <= 2));
                        }
                        if kind == Kind::Question {
                            let text = draft.text.unwrap();
                            prop_assert_eq!(interaction.answer(), Some(&AnswerContent::Text { text }));
                        }
                    }
                }
                Err(_) => prop_assert_eq!(&before, &interaction),
            }
            prop_assert!(interaction.claim.is_none() || interaction.state.is_pending());
            prop_assert_eq!(interaction.version, accepted);
            let replayed = Interaction::replay(&events);
            prop_assert_eq!(replayed.as_ref(), Some(&interaction));
            prop_assert_eq!(&before.request, &interaction.request);
            // Where it is shown never changes once that is known.
            let channel = |of: &Interaction| of.card.as_ref().map(|card| card.channel.clone());
            prop_assert_eq!(channel(&before), channel(&interaction));
            let posted = |of: &Interaction| of.card.as_ref().and_then(|card| card.posted.clone());
            prop_assert!(posted(&before).is_none() || posted(&before) == posted(&interaction));
            let approved = interaction.approved().unwrap_or_default();
            prop_assert!(!approved || (kind == Kind::Approval && approving));
            prop_assert_eq!(approved, interaction.state.outcome() == Some(Outcome::Approved));
            prop_assert!(interaction.consumed.is_none() || approved);
            prop_assert!(before.consumed.is_none() || before.consumed == interaction.consumed);
            prop_assert!(before.report.is_none() || before.report == interaction.report);
            prop_assert_eq!(&interaction.clone().proven(&Stamp), &interaction);
            let json = serde_json::to_string(&interaction.state).unwrap();
            prop_assert_eq!(&serde_json::from_str::<State>(&json).unwrap(), &interaction.state);
        }
    }

    #[test]
    fn answers_come_back_byte_for_byte(given in any::<String>()) {
        let ids = Counter::default();
        let pending = written(&opened(with(Kind::Question, json!({})), None, &ids));
        let draft = AnswerDraft { text: Some(given.clone()), ..AnswerDraft::default() };
        let command = Command::Answer(draft, By::Responder);
        let resolved = written(&run(&command, &pending, at(&ids, 1)).unwrap());
        let expected = format!(
            "Previous blocker question: Which port?\nUser answer: {given}\nContinue task execution with this answer."
        );
        prop_assert_eq!(resolved.resume_prompt().unwrap(), expected);
    }
}
