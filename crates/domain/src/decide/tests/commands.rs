//! Every state × every command, and who may give it.

use chrono::TimeDelta;
use serde_json::json;
use uuid::Uuid;

use super::sequences::bo;
use crate::{
    Actor, AgentId, AgentRef, Changeset, InteractionEvent, Moment, Parts, Payload, Principal,
    Refused, Role, TokenId,
    decide::interaction as decide,
    interaction::{
        AnswerContent, Consumed, Interaction, Kind, Outcome, Posted, ReportDraft, ReportOutcome,
        State, progress_digest,
    },
    limits,
    testing::{
        Counter, Stamp, agent, answer_to, at, body, epoch, given, opened, person, shown_in, with,
        written,
    },
};

#[derive(Clone, Copy, Debug)]
enum Command {
    Answer,
    Expire,
    Cancel,
    Collect,
    Consume,
    Report,
    FollowUp,
    CalledBack,
    AgentOffline,
    Claim,
    Release,
    RunOut,
    HandOver,
}

const COMMANDS: [Command; 13] = [
    Command::Answer,
    Command::Expire,
    Command::Cancel,
    Command::Collect,
    Command::Consume,
    Command::Report,
    Command::FollowUp,
    Command::CalledBack,
    Command::AgentOffline,
    Command::Claim,
    Command::Release,
    Command::RunOut,
    Command::HandOver,
];

fn run(command: Command, interaction: &Interaction, now: Moment<'_>) -> Result<Changeset, Refused> {
    let ana = person(Role::Responder);
    match command {
        Command::Answer => {
            let draft = given(answer_to(interaction.request.kind()));
            decide::answer(interaction, draft, &ana, None, now)
        }
        Command::Expire => decide::expire(interaction, None, now),
        Command::Cancel => decide::cancel(interaction, &ana, None, None, now),
        Command::Collect => decide::collect(interaction, &agent(), now),
        Command::Consume => decide::consume(interaction, &agent(), "run 1".into(), now),
        Command::Report => decide::report(interaction, &agent(), done(), now),
        Command::FollowUp => decide::follow_up(interaction, "more".into(), &ana, now),
        Command::CalledBack => decide::called_back(interaction, now),
        Command::AgentOffline => decide::agent_offline(interaction, now),
        Command::Claim => decide::claim(interaction, 15, &ana, now),
        Command::Release => decide::release(interaction, &ana, now),
        Command::RunOut => decide::run_out(interaction, true, now),
        Command::HandOver => {
            let bo = bo();
            let to = decide::Receiver::Person(Some((&bo, &Parts::default())));
            decide::hand_over(interaction, to, None, &ana, now)
        }
    }
}

fn done() -> ReportDraft {
    ReportDraft {
        outcome: ReportOutcome::Done,
        text: Some("exit code 0".into()),
    }
}

/// A pending one of the kind with a deadline after a minute.
fn pending(kind: Kind, ids: &Counter) -> Interaction {
    written(&opened(
        with(kind, json!({"timeout_seconds": 60})),
        None,
        ids,
    ))
}

const BLOCKERS: [Kind; 6] = [
    Kind::Question,
    Kind::Choice,
    Kind::Acknowledgement,
    Kind::Approval,
    Kind::PlanReview,
    Kind::Form,
];

/// In words: the state a command leads to, or why it is refused.
fn outcome(result: &Result<Changeset, Refused>) -> String {
    match result {
        Ok(changeset) => {
            let next = written(changeset);
            match next.state.outcome() {
                Some(outcome) => outcome.name().to_owned(),
                None => "pending".to_owned(),
            }
        }
        Err(Refused::Closed { outcome, .. }) => format!("closed: {}", outcome.name()),
        Err(Refused::NotDue) => "not due".to_owned(),
        Err(Refused::StillPending) => "still pending".to_owned(),
        Err(Refused::Unchanged) => "it is so already".to_owned(),
        Err(other) => other.to_string(),
    }
}

#[test]
fn every_command_on_a_pending_one_of_every_kind() {
    for kind in BLOCKERS {
        let ids = Counter::default();
        let pending = pending(kind, &ids);
        let closes = match kind {
            Kind::Approval => "approved",
            Kind::PlanReview => "proceed",
            _ => "answered",
        };
        for (command, before, after) in [
            (Command::Answer, closes, "closed: expired"),
            (Command::Expire, "not due", "expired"),
            (Command::Cancel, "cancelled", "closed: expired"),
            (Command::Collect, "still pending", "still pending"),
            (
                Command::Consume,
                "this was not approved",
                "this was not approved",
            ),
            (Command::Report, "still pending", "still pending"),
            (Command::FollowUp, "still pending", "still pending"),
            (Command::CalledBack, "still pending", "still pending"),
            (Command::AgentOffline, "still pending", "still pending"),
            (Command::Claim, "pending", "closed: expired"),
            (Command::Release, "it is so already", "closed: expired"),
            (Command::RunOut, "it is so already", "closed: expired"),
            (Command::HandOver, "pending", "closed: expired"),
        ] {
            for (seconds, expected) in [(59, before), (60, after)] {
                let found = outcome(&run(command, &pending, at(&ids, seconds)));
                assert_eq!(found, expected, "{kind:?}, {command:?} at {seconds} s");
            }
        }
    }
}

#[test]
fn every_command_on_a_closed_one_of_every_kind() {
    for kind in BLOCKERS {
        let ids = Counter::default();
        let pending = pending(kind, &ids);
        for (closing, seconds) in [
            (Command::Answer, 1),
            (Command::Cancel, 1),
            (Command::Expire, 60),
        ] {
            let closed = written(&run(closing, &pending, at(&ids, seconds)).unwrap());
            let name = closed.state.outcome().unwrap().name();
            for command in COMMANDS {
                let expected = match command {
                    Command::Answer
                    | Command::Expire
                    | Command::Cancel
                    | Command::Claim
                    | Command::Release
                    | Command::RunOut
                    | Command::HandOver => {
                        format!("closed: {name}")
                    }
                    Command::Consume if name != "approved" => "this was not approved".to_owned(),
                    Command::Report if kind == Kind::Approval && name != "approved" => {
                        "this was not approved".to_owned()
                    }
                    Command::Collect
                    | Command::Consume
                    | Command::Report
                    | Command::FollowUp
                    | Command::CalledBack
                    | Command::AgentOffline => name.to_owned(),
                };
                let result = run(command, &closed, at(&ids, 70));
                assert_eq!(outcome(&result), expected, "{kind:?} {name}, {command:?}");
                if let Ok(changeset) = result {
                    let next = written(&changeset);
                    assert_eq!(next.state, closed.state);
                    assert_eq!(next.version, closed.version + 1);
                }
            }
        }
    }
}

#[test]
fn a_notification_is_delivered_at_once_and_waits_for_nothing() {
    let ids = Counter::default();
    let changeset = opened(
        with(Kind::Notification, json!({"level": "error"})),
        None,
        &ids,
    );
    let told = written(&changeset);
    assert_eq!(told.state.name(), "resolved");
    assert_eq!(told.state.outcome(), Some(Outcome::Delivered));
    assert_eq!(told.expires_at, None);
    assert!(matches!(
        changeset.events[0].payload,
        Payload::Interaction(InteractionEvent::Notified { .. })
    ));
    let answered = run(Command::Answer, &told, at(&ids, 1));
    assert!(matches!(answered, Err(Refused::Invalid(_))));
    for (command, expected) in [
        (Command::Expire, "closed: delivered"),
        (Command::Cancel, "closed: delivered"),
        (Command::Collect, "delivered"),
    ] {
        assert_eq!(outcome(&run(command, &told, at(&ids, 1))), expected);
    }
}

#[test]
fn a_closed_interaction_names_who_was_faster_and_when() {
    let ids = Counter::default();
    let pending = pending(Kind::Question, &ids);
    let resolved = written(&run(Command::Answer, &pending, at(&ids, 1)).unwrap());
    let refused = run(Command::Answer, &resolved, at(&ids, 13)).unwrap_err();
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
fn the_loser_s_answer_is_kept_and_changes_nothing() {
    for kind in BLOCKERS {
        let ids = Counter::default();
        let resolved = written(&run(Command::Answer, &pending(kind, &ids), at(&ids, 1)).unwrap());
        let kept = decide::reject_answer(
            &resolved,
            given(answer_to(kind)),
            Outcome::Answered,
            &person(Role::Responder),
            at(&ids, 2),
        )
        .unwrap();
        assert_eq!(kept.writes, []);
        let Payload::Interaction(InteractionEvent::AnswerRejected { answer, .. }) =
            &kept.events[0].payload
        else {
            panic!("{kept:?}");
        };
        assert_eq!(Some(answer), resolved.answer());
    }
}

#[test]
fn agents_and_viewers_never_answer() {
    for kind in BLOCKERS {
        let ids = Counter::default();
        let pending = pending(kind, &ids);
        let answer = |by: &Principal| {
            decide::answer(&pending, given(answer_to(kind)), by, None, at(&ids, 1))
        };
        for by in [Principal::Agent(agent()), person(Role::Viewer)] {
            assert_eq!(answer(&by), Err(Refused::NotAResponder));
        }
        let script = Principal::Script {
            id: TokenId(Uuid::from_u128(9)),
            name: "night desk".into(),
            teams: Parts::default(),
        };
        assert!(answer(&script).is_ok());
    }
}

#[test]
fn an_agent_takes_back_and_collects_only_its_own() {
    let ids = Counter::default();
    let pending = pending(Kind::Question, &ids);
    let other = AgentRef {
        id: AgentId(Uuid::from_u128(99)),
        name: "other".into(),
    };
    let by = Principal::Agent(other.clone());
    assert_eq!(
        decide::cancel(&pending, &by, None, None, at(&ids, 1)),
        Err(Refused::NotYours)
    );
    let reason = Some("done without".to_owned());
    let own = Principal::Agent(agent());
    let cancelled =
        written(&decide::cancel(&pending, &own, reason.clone(), None, at(&ids, 1)).unwrap());
    assert_eq!(
        cancelled.state,
        State::Cancelled {
            at: epoch() + TimeDelta::seconds(1),
            by: Actor::Agent(agent()),
            reason,
            code: None,
        }
    );
    assert_eq!(
        decide::collect(&cancelled, &other, at(&ids, 2)),
        Err(Refused::NotYours)
    );
}

#[test]
fn collecting_twice_changes_nothing() {
    let ids = Counter::default();
    let closed =
        written(&run(Command::Answer, &pending(Kind::Question, &ids), at(&ids, 1)).unwrap());
    let collected = written(&run(Command::Collect, &closed, at(&ids, 2)).unwrap());
    assert_eq!(
        collected.collected_at,
        Some(epoch() + TimeDelta::seconds(2))
    );
    assert_eq!(
        run(Command::Collect, &collected, at(&ids, 3)),
        Err(Refused::Unchanged)
    );
}

#[test]
fn follow_ups_are_kept_in_order_and_never_change_the_answer() {
    let ids = Counter::default();
    let ana = person(Role::Responder);
    let mut one =
        written(&run(Command::Answer, &pending(Kind::Question, &ids), at(&ids, 1)).unwrap());
    let answered = one.state.clone();
    assert!(matches!(
        decide::follow_up(&one, " \n".into(), &ana, at(&ids, 2)),
        Err(Refused::Invalid(_))
    ));
    for n in 0..limits::FOLLOW_UPS {
        let changeset = decide::follow_up(&one, n.to_string(), &ana, at(&ids, 2)).unwrap();
        one = written(&changeset);
    }
    assert_eq!(one.state, answered);
    assert_eq!(one.follow_ups.last().unwrap().text, "99");
    for (text, by, expected) in [
        ("one too many", ana, "invalid"),
        ("x", person(Role::Viewer), "not a responder"),
        ("x", Principal::Agent(agent()), "not a responder"),
    ] {
        let found = match decide::follow_up(&one, text.into(), &by, at(&ids, 3)) {
            Err(Refused::Invalid(_)) => "invalid",
            Err(Refused::NotAResponder) => "not a responder",
            _ => "accepted",
        };
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn an_approval_is_approved_by_a_person_in_time_and_by_nothing_else() {
    let ids = Counter::default();
    let pending = pending(Kind::Approval, &ids);
    assert_eq!(pending.approved(), Some(false));
    let answer = |approved: bool| {
        let draft = given(json!({"approved": approved, "text": "why"}));
        written(&decide::answer(&pending, draft, &person(Role::Admin), None, at(&ids, 1)).unwrap())
    };
    assert_eq!(answer(true).approved(), Some(true));
    let denied = answer(false);
    assert_eq!(denied.approved(), Some(false));
    assert_eq!(denied.state.outcome(), Some(Outcome::Denied));
    for (command, seconds) in [(Command::Expire, 60), (Command::Cancel, 1)] {
        let closed = written(&run(command, &pending, at(&ids, seconds)).unwrap());
        assert_eq!(closed.approved(), Some(false), "{command:?}");
    }
}

#[test]
fn a_form_keeps_what_is_answered_until_nothing_is_left() {
    let ids = Counter::default();
    let ana = person(Role::Responder);
    let mut form = pending(Kind::Form, &ids);
    let answer = |form: &Interaction, answers| {
        decide::answer(
            form,
            given(json!({"answers": answers})),
            &ana,
            None,
            at(&ids, 1),
        )
    };
    let changeset = answer(&form, json!({"port": ""})).unwrap();
    assert!(!changeset.events[0].payload.closes());
    form = written(&changeset);
    assert_eq!(form.progress().unwrap().len(), 1);
    // Somebody thinks again.
    form = written(&answer(&form, json!({"port": "8080"})).unwrap());
    assert!(matches!(
        answer(&form, json!({"colour": "red"})),
        Err(Refused::Invalid(_))
    ));
    form = written(&answer(&form, json!({"env": "production"})).unwrap());
    assert_eq!(form.version, 4);
    assert!(
        form.resume_prompt()
            .unwrap()
            .contains("\nUser answer: port: 8080\nenv: production\n")
    );
    let Some(AnswerContent::Form { answers }) = form.answer() else {
        panic!("{form:?}");
    };
    assert_eq!(answers.len(), 2);
}

#[test]
fn an_agent_is_offline_until_it_is_reached_or_comes_by_itself() {
    let ids = Counter::default();
    let pending = pending(Kind::Question, &ids);
    let next = |command, from: &Interaction| run(command, from, at(&ids, 5));
    let answered = written(&next(Command::Answer, &pending).unwrap());
    let offline = next(Command::AgentOffline, &answered).unwrap();
    assert_eq!(offline.events[0].actor, Actor::Delivery);
    let offline = written(&offline);
    let known = next(Command::AgentOffline, &offline);
    assert_eq!(known, Err(Refused::Unchanged));
    let reached = written(&next(Command::CalledBack, &offline).unwrap());
    let known = next(Command::CalledBack, &reached);
    assert_eq!(known, Err(Refused::Unchanged));
    // A follow-up may fail to arrive after an answer has.
    let again = written(&next(Command::AgentOffline, &reached).unwrap());
    assert_eq!(again.callback, offline.callback);
    let collected = written(&next(Command::Collect, &answered).unwrap());
    let came = next(Command::AgentOffline, &collected);
    assert_eq!(came, Err(Refused::Unchanged));
}

#[test]
fn a_card_is_posted_once_and_answers_are_taken_before_and_after() {
    let ids = Counter::default();
    let asked = written(&shown_in(Some("C0MAIN".into()), body(Kind::Question), &ids));
    let posted = |ts: &str| Posted {
        ts: ts.into(),
        permalink: Some("https://fake.slack.com/archives/C0MAIN/p1".into()),
    };
    let changeset = decide::posted(&asked, posted("1.1"), at(&ids, 1)).unwrap();
    assert_eq!(
        changeset.events[0].payload,
        Payload::Interaction(InteractionEvent::Posted(posted("1.1")))
    );
    let shown = written(&changeset);
    assert!(shown.state.is_pending());
    assert_eq!(shown.card.clone().unwrap().posted, Some(posted("1.1")));
    let again = decide::posted(&shown, posted("2.2"), at(&ids, 2));
    assert_eq!(again, Err(Refused::Unchanged));
    let unseen = pending(Kind::Question, &ids);
    let never = decide::posted(&unseen, posted("1.1"), at(&ids, 1));
    assert_eq!(never, Err(Refused::Unchanged));
}

#[test]
fn an_answer_to_a_form_says_which_other_answers_its_author_has_seen() {
    let ids = Counter::default();
    let ana = person(Role::Responder);
    let given = |form: &Interaction, answers, digest: Option<String>| {
        let draft = given(json!({ "answers": answers, "digest": digest }));
        decide::answer(form, draft, &ana, None, at(&ids, 1))
    };
    let seen = |form: &Interaction| Some(progress_digest(form.progress().unwrap()));
    let empty = pending(Kind::Form, &ids);
    let one = given(&empty, json!({"port": "8080"}), seen(&empty));
    let one = written(&one.unwrap());
    let changed = written(&given(&one, json!({"port": "80"}), None).unwrap());
    for form in [&empty, &one] {
        let refused = given(&changed, json!({"env": "production"}), seen(form));
        let Err(Refused::Invalid(faults)) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(faults[0].path, "digest");
    }
    let whole = given(&changed, json!({"env": "production"}), seen(&changed));
    let closed = written(&whole.unwrap());
    assert!(closed.answer().is_some());
    // Whoever comes too late is told that, whatever they have seen.
    let late = given(&closed, json!({"env": "staging"}), seen(&changed));
    assert!(matches!(late, Err(Refused::Closed { .. })), "{late:?}");
}

#[test]
fn what_somebody_has_answered_of_a_form_stays_where_one_question_is_seen_at_a_time() {
    let ids = Counter::default();
    let ana = person(Role::Responder);
    let form = written(&opened(
        with(
            Kind::Form,
            json!({"questions": [{"id": "port", "prompt": "Which?"}, {"id": "host", "prompt": "Where?"}]}),
        ),
        None,
        &ids,
    ));
    let nobody = decide::Voters::default();
    let port = |port: &str| given(json!({"answers": {"port": port}}));
    let first = decide::answer_open(&form, port("80"), &ana, &nobody, None, at(&ids, 1)).unwrap();
    let form = written(&first);
    let again = decide::answer_open(&form, port("81"), &ana, &nobody, None, at(&ids, 2));
    let Err(Refused::Invalid(faults)) = again else {
        panic!("{again:?}")
    };
    assert_eq!(faults[0].path, "answers.port");
    // Whoever sees all of it may change their mind.
    assert!(decide::answer(&form, port("81"), &ana, None, at(&ids, 2)).is_ok());
    let rest = given(json!({"answers": {"host": "here"}}));
    let closed = decide::answer_open(&form, rest, &ana, &nobody, None, at(&ids, 3)).unwrap();
    assert_eq!(written(&closed).state.outcome(), Some(Outcome::Answered));
    let late = decide::answer_open(
        &written(&closed),
        port("81"),
        &ana,
        &nobody,
        None,
        at(&ids, 4),
    );
    assert!(matches!(late, Err(Refused::Closed { .. })), "{late:?}");
}

#[test]
fn an_approval_is_consumed_by_one_run_of_the_agent_that_asked() {
    let ids = Counter::default();
    let approved =
        written(&run(Command::Answer, &pending(Kind::Approval, &ids), at(&ids, 1)).unwrap());
    let consume = |of: &Interaction, who: &AgentRef, run: &str, seconds| {
        decide::consume(of, who, run.into(), at(&ids, seconds))
    };
    let other = AgentRef {
        id: AgentId(Uuid::from_u128(99)),
        name: "backend".into(),
    };
    assert_eq!(
        consume(&approved, &other, "run 1", 2),
        Err(Refused::NotYours)
    );
    for bad in ["", "a\nb", &"x".repeat(limits::RUN_CHARS + 1)] {
        assert!(matches!(
            consume(&approved, &agent(), bad, 2),
            Err(Refused::Invalid(_))
        ));
    }
    let running = written(&consume(&approved, &agent(), "run 1", 2).unwrap());
    let began = epoch() + TimeDelta::seconds(2);
    let consumed = running.consumed.clone().unwrap();
    assert_eq!((consumed.at, &*consumed.run), (began, "run 1"));
    assert!(consumed.holds(running.id, &Stamp));
    let other = Consumed {
        run: "run 2".into(),
        ..consumed
    };
    assert!(!other.holds(running.id, &Stamp));
    assert_eq!(running.collected_at, Some(began));
    assert_eq!(
        consume(&running, &agent(), "run 1", 3),
        Err(Refused::Unchanged)
    );
    assert_eq!(
        consume(&running, &agent(), "run 2", 3),
        Err(Refused::AlreadyConsumed {
            at: began,
            by: "run 1".into()
        })
    );
}

#[test]
fn a_report_is_made_once_by_the_agent_that_asked() {
    let ids = Counter::default();
    let answered =
        written(&run(Command::Answer, &pending(Kind::Question, &ids), at(&ids, 1)).unwrap());
    let reported = written(&run(Command::Report, &answered, at(&ids, 5)).unwrap());
    let report = reported.report.clone().unwrap();
    assert_eq!(report.outcome, ReportOutcome::Done);
    assert_eq!(reported.collected_at, Some(report.at));
    assert_eq!(
        run(Command::Report, &reported, at(&ids, 6)),
        Err(Refused::Unchanged)
    );
    let failed = ReportDraft {
        outcome: ReportOutcome::Failed,
        text: None,
    };
    assert_eq!(
        decide::report(&reported, &agent(), failed, at(&ids, 6)),
        Err(Refused::AlreadyReported { at: report.at })
    );
    let long = ReportDraft {
        text: Some("x".repeat(limits::REPORT_CHARS + 1)),
        ..done()
    };
    let refused = decide::report(&answered, &agent(), long, at(&ids, 6));
    assert!(matches!(refused, Err(Refused::Invalid(_))), "{refused:?}");
}
