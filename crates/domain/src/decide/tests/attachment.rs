//! Files: what is decided covers them, and they are part of it or nothing is.

use chrono::TimeDelta;
use proptest::prelude::*;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    AgentId, Changeset, Interaction, Principal, Refused, Role, Write,
    attachment::{Attaching, Attachment, Holder, Media, Part, Uploaded, tests::file},
    changeset::Write as Step,
    decide::{interaction as decide, memory},
    delivery::{Lane, SlackChannel},
    event::{InteractionEvent, Payload},
    fault::Fault,
    grant::{Grant, GrantRecord, Holder as Standing, Scope, Terms},
    ids::{GrantId, InteractionId, PersonId},
    interaction::{Ask, Card, Draft, Kind, Request, Shown, State, Unproven},
    matcher::{Exactly, Matcher, propose},
    memory::{MemoryDraft, MemoryRecord, MemoryWrite},
    obligation::obligations,
    testing::{
        Counter, Stamp, agent, answer_to, at, body, draft, epoch, given, journalled, person, with,
        written,
    },
};

const SCREEN: u128 = 101;
const LOG: u128 = 102;

fn files() -> Vec<Option<Uploaded>> {
    vec![
        Some(file(SCREEN, "screen.png", Media::Png, b"pixels")),
        Some(file(LOG, "run.diff", Media::Diff, b"--- a\n+++ b\n")),
    ]
}

fn ids() -> Value {
    json!([
        Uuid::from_u128(SCREEN).to_string(),
        Uuid::from_u128(LOG).to_string()
    ])
}

fn drafted(kind: Kind) -> Draft {
    Draft {
        found: files(),
        ..draft(with(kind, json!({"attachments": ids()})))
    }
}

fn request(kind: Kind) -> Request {
    drafted(kind).check(|_| Some(TimeDelta::hours(1))).unwrap()
}

fn asking(kind: Kind, ids: &Counter) -> Changeset {
    let opened = decide::open(request(kind), agent(), None, None, None, None, at(ids, 0));
    decide::attach(opened, Holder::Agent(agent().id), &files()).unwrap()
}

fn asked(kind: Kind, ids: &Counter) -> Interaction {
    written(&asking(kind, ids))
}

fn attachments() -> Vec<Attachment> {
    files()
        .into_iter()
        .flatten()
        .map(|it| it.attachment)
        .collect()
}

fn attaching(changeset: &Changeset) -> Option<&Attaching> {
    changeset.writes.iter().find_map(|write| match write {
        Write::Attach(attaching) => Some(&**attaching),
        _ => None,
    })
}

#[test]
fn every_kind_carries_files_and_is_committed_with_them() {
    for kind in Kind::ALL {
        let ids = Counter::default();
        let changeset = asking(kind, &ids);
        let interaction = written(&changeset);
        assert_eq!(interaction.request.attached(), attachments(), "{kind:?}");
        assert_eq!(
            attaching(&changeset),
            Some(&Attaching {
                interaction: interaction.id,
                part: Part::Ask,
                holder: Holder::Agent(agent().id),
                files: files()
                    .into_iter()
                    .flatten()
                    .map(|it| (it.id, it.attachment))
                    .collect(),
            })
        );
        // The interaction comes first, as ever.
        assert!(matches!(&changeset.writes[0], Step::Open(it) if it.id == interaction.id));
        let json = serde_json::to_string(&interaction.request).unwrap();
        let again: Request = serde_json::from_str(&json).unwrap();
        assert_eq!(again, interaction.request);
        assert_eq!(interaction.request.without_files(), Shown::Cut);
        let told = Interaction::replay(&journalled(changeset)).unwrap();
        assert_eq!(told, interaction);
        assert_eq!(told.proven(&Stamp), interaction);
    }
}

#[test]
fn without_files_all_is_as_it_was() {
    for kind in Kind::ALL {
        let ids = Counter::default();
        let plain = draft(body(kind)).check(|_| None).unwrap();
        let json = serde_json::to_string(&plain).unwrap();
        assert!(!json.contains("attachments"), "{json}");
        let named_none = draft(with(kind, json!({"attachments": []})))
            .check(|_| None)
            .unwrap();
        assert_eq!(named_none, plain);
        assert_eq!(plain.without_files(), Shown::Whole);
        let opened = decide::open(plain, agent(), None, None, None, None, at(&ids, 0));
        let attached = decide::attach(opened.clone(), Holder::Agent(agent().id), &[]).unwrap();
        assert_eq!(attached, opened);
        if kind != Kind::Notification {
            let answer = given(answer_to(kind));
            let ana = person(Role::Responder);
            let answered =
                decide::answer(&written(&opened), answer, &ana, None, at(&ids, 1)).unwrap();
            let json = serde_json::to_string(&written(&answered).state).unwrap();
            assert!(!json.contains("attachments"), "{json}");
            assert_eq!(attaching(&answered), None);
        }
    }
}

#[test]
fn files_are_owed_to_the_thread_of_their_card() {
    for kind in Kind::ALL {
        let ids = Counter::default();
        let owed = |changeset: &Changeset, channel: &str| {
            let writes = changeset.writes.clone();
            let owed = obligations(&journalled(changeset.clone()), &writes);
            let lane = SlackChannel(channel.to_owned()).lane(Lane::Files);
            owed.iter()
                .filter(|one| one.destination.id() == lane)
                .count()
        };
        let opening = |channel: &str, draft: Draft| {
            let request = draft.check(|_| None).unwrap();
            let channel = Some(channel.to_owned());
            decide::open(request, agent(), None, None, None, channel, at(&ids, 0))
        };
        assert_eq!(owed(&opening("C1", drafted(kind)), "C1"), 1, "{kind:?}");
        assert_eq!(owed(&opening("C1", draft(body(kind))), "C1"), 0, "{kind:?}");
        let webhook = SlackChannel::OF_WEBHOOK;
        assert_eq!(
            owed(&opening(webhook, drafted(kind)), webhook),
            0,
            "{kind:?}"
        );
    }
}

#[test]
fn an_agent_names_files_by_their_ids_and_in_no_other_way() {
    let of_action =
        json!([{"name": "a", "type": "text/plain", "size": 1, "sha256": "a".repeat(64)}]);
    let action = json!({"tool": "t", "attachments": of_action});
    let faults = draft(with(Kind::Approval, json!({"action": action})))
        .check(|_| None)
        .unwrap_err();
    assert_eq!(faults[0].path, "action.attachments");
    // Whatever it sends, the rest is not its to say.
    let sent = with(Kind::Question, json!({"found": []}));
    assert!(serde_json::from_value::<Draft>(sent).is_err());
    for (named, path) in [
        (json!(["x"]), "attachments[0]"),
        (json!([Uuid::from_u128(7).to_string()]), "attachments[0]"),
        (
            json!(vec![Uuid::from_u128(7).to_string(); 6]),
            "attachments",
        ),
    ] {
        for kind in Kind::ALL {
            let faults = draft(with(kind, json!({"attachments": named})))
                .check(|_| None)
                .unwrap_err();
            assert_eq!(faults[0].path, path, "{kind:?}");
        }
    }
}

#[test]
fn what_is_approved_covers_every_file() {
    let ids = Counter::default();
    for kind in [Kind::Approval, Kind::PlanReview] {
        let pending = asked(kind, &ids);
        let ana = person(Role::Responder);
        let answered =
            decide::answer(&pending, given(answer_to(kind)), &ana, None, at(&ids, 1)).unwrap();
        let closed = written(&answered);
        assert_eq!(closed.clone().proven(&Stamp), closed);
        let without = {
            let plain = draft(body(kind)).check(|_| None).unwrap();
            plain.ask.digest()
        };
        match kind {
            Kind::Approval => assert_ne!(pending.request.ask.digest(), without),
            _ => {
                // The plan is the same; the receipt says what was beside it.
                assert_eq!(pending.request.ask.digest(), without);
                let decision = &closed.receipt().unwrap().decision;
                assert!(
                    decision
                        .attachments_digest
                        .as_ref()
                        .unwrap()
                        .starts_with("sha256:")
                );
            }
        }
        // Whoever changes a file in the row changes what was decided.
        for change in 0..5 {
            let mut forged = closed.clone();
            let list = match &mut forged.request.ask {
                Ask::Approval { action, .. } => &mut action.attachments,
                _ => &mut forged.request.attachments,
            };
            match change {
                0 => list[0].sha256 = "0".repeat(64),
                1 => list[1].name = "other.diff".to_owned(),
                2 => list[0].media = Media::Jpeg,
                3 => list.swap(0, 1),
                _ => list.truncate(1),
            }
            let State::Void { why, .. } = forged.proven(&Stamp).state else {
                panic!("{kind:?} {change}");
            };
            assert_eq!(why, Unproven::OtherContent);
        }
        // Nor is anything put beside an action that is not part of it.
        let mut beside = closed.clone();
        beside.request.attachments.push(attachments()[0].clone());
        assert!(matches!(beside.proven(&Stamp).state, State::Void { .. }));
    }
}

#[test]
fn what_may_be_amended_keeps_its_files() {
    let ids = Counter::default();
    let drafted = Draft {
        found: files(),
        ..draft(with(
            Kind::Approval,
            json!({"attachments": ids_json(), "amendable": true}),
        ))
    };
    let request = drafted.check(|_| None).unwrap();
    let opened = decide::open(request, agent(), None, None, None, None, at(&ids, 0));
    let answer = given(json!({"approved": true, "arguments": {"command": "make deploy-staging"}}));
    let ana = person(Role::Responder);
    let closed =
        written(&decide::answer(&written(&opened), answer, &ana, None, at(&ids, 1)).unwrap());
    let amended = closed.amended().unwrap();
    let Ask::Approval { action, .. } = &closed.request.ask else {
        panic!()
    };
    let run = crate::interaction::Action {
        arguments: amended.arguments.clone(),
        ..action.clone()
    };
    assert_eq!(run.attachments, attachments());
    assert_eq!(run.digest().unwrap(), amended.digest);
    assert_eq!(closed.clone().proven(&Stamp), closed);
}

fn ids_json() -> Value {
    ids()
}

#[test]
fn no_grant_and_no_group_passes_over_a_file() {
    let request = request(Kind::Approval);
    let Ask::Approval {
        action,
        action_digest,
        ..
    } = &request.ask
    else {
        panic!()
    };
    assert_eq!(propose(action), []);
    let exactly = Matcher::Exactly(Exactly {
        tool: action.tool.clone(),
        digest: action_digest.clone(),
    });
    assert!(!exactly.matches(action));
    let of = decide::AskedOf::default();
    assert!(decide::wanted(&request, &agent(), &of).is_none());
    let terms = Terms {
        version: 1,
        statement: "handraise grant".to_owned(),
        id: GrantId(Uuid::from_u128(1)),
        agent: agent(),
        team: None,
        for_session: false,
        scope_digest: String::new(),
        made_from: InteractionId(Uuid::from_u128(2)),
        by: person(Role::Responder).responder().unwrap(),
        holder: Standing::Person(PersonId(Uuid::from_u128(8))),
        made_at: epoch(),
        expires_at: epoch() + TimeDelta::days(1),
        most: 10,
        public_key: String::new(),
    };
    let scope = Scope {
        matcher: exactly,
        session: None,
    };
    let record = GrantRecord {
        grant: Grant {
            terms,
            scope: Some(scope),
            signature: String::new(),
        },
        uses: 0,
        last_used_at: None,
        ended: None,
    };
    let ids = Counter::default();
    let granted = decide::open_granted(request, agent(), of, None, None, &record, at(&ids, 0));
    assert_eq!(granted, Err(Refused::NotApproved));
    // Nor is one made of what a person approved with files.
    let ana = person(Role::Responder);
    for (pending, is_offered) in [
        (asked(Kind::Approval, &ids), false),
        (
            written(&crate::testing::opened(body(Kind::Approval), None, &ids)),
            true,
        ),
    ] {
        let yes = given(answer_to(Kind::Approval));
        let closed = written(&decide::answer(&pending, yes, &ana, None, at(&ids, 1)).unwrap());
        assert_eq!(
            crate::decide::grant::can_be_made_of(&closed),
            is_offered,
            "{:?}",
            closed.request.attached()
        );
    }
    for kind in [Kind::Approval, Kind::Acknowledgement] {
        let mut one = asked(kind, &ids);
        one.card = Some(Card {
            channel: "C1".to_owned(),
            posted: None,
        });
        assert!(!one.may_share_a_card() && !one.is_equal_to(&one));
    }
    for kind in Kind::ALL {
        let brief = crate::interaction::Brief::from(&asked(kind, &ids));
        assert_eq!(brief.fingerprint, None, "{kind:?}");
    }
}

#[test]
fn sent_once_more_it_is_the_same_request() {
    let one = drafted(Kind::Approval);
    let mut again = drafted(Kind::Approval);
    again.attachments = Some(vec![
        Uuid::from_u128(201).to_string(),
        Uuid::from_u128(202).to_string(),
    ]);
    again.found = vec![
        Some(file(201, "screen.png", Media::Png, b"pixels")),
        Some(file(202, "run.diff", Media::Diff, b"--- a\n+++ b\n")),
    ];
    assert_eq!(one.fingerprint(), again.fingerprint());
    let mut other = again.clone();
    other.found[0] = Some(file(201, "screen.png", Media::Png, b"others"));
    assert_ne!(one.fingerprint(), other.fingerprint());
    let mut fewer = again.clone();
    fewer.found.pop();
    fewer.attachments.as_mut().unwrap().pop();
    assert_ne!(one.fingerprint(), fewer.fingerprint());
    let mut unknown = again;
    unknown.found[0] = None;
    assert_ne!(one.fingerprint(), unknown.fingerprint());
}

#[test]
fn a_file_is_part_of_one_thing_and_of_what_was_asked() {
    let ids = Counter::default();
    let opened = || {
        decide::open(
            request(Kind::Question),
            agent(),
            None,
            None,
            None,
            None,
            at(&ids, 0),
        )
    };
    let holder = Holder::Agent(agent().id);
    let mut used = files();
    used[1].as_mut().unwrap().part_of = Some(InteractionId(Uuid::from_u128(5)));
    let Err(Refused::Invalid(faults)) = decide::attach(opened(), holder, &used) else {
        panic!()
    };
    assert_eq!(
        faults.iter().map(|it| &*it.path).collect::<Vec<_>>(),
        ["attachments[1]"]
    );
    let mut other = files();
    other[0] = Some(file(SCREEN, "screen.png", Media::Png, b"others"));
    let mut fewer = files();
    fewer.pop();
    let mut hole = files();
    hole[0] = None;
    for found in [other, fewer, hole, Vec::new()] {
        assert_eq!(
            decide::attach(opened(), holder, &found),
            Err(Refused::FileMissing)
        );
    }
}

/// An answer of the kind with two files.
fn answer_with_files(kind: Kind) -> crate::interaction::AnswerDraft {
    let mut answer = answer_to(kind);
    answer["attachments"] = ids();
    crate::interaction::AnswerDraft {
        found: files(),
        ..given(answer)
    }
}

#[test]
fn every_answer_carries_files_and_each_state_that_takes_none_says_so() {
    for kind in Kind::ALL
        .into_iter()
        .filter(|kind| *kind != Kind::Notification)
    {
        let ids = Counter::default();
        let pending = written(&crate::testing::opened(
            with(kind, json!({"timeout_seconds": 60})),
            None,
            &ids,
        ));
        let ana = person(Role::Responder);
        let answered =
            decide::answer(&pending, answer_with_files(kind), &ana, None, at(&ids, 1)).unwrap();
        let closed = written(&answered);
        let State::Resolved { answer } = &closed.state else {
            panic!()
        };
        assert_eq!(answer.attachments, attachments());
        let Principal::Person { id, .. } = &ana else {
            panic!()
        };
        let attached = attaching(&answered).unwrap();
        assert_eq!(
            (attached.part, attached.holder),
            (Part::Answer, Holder::Person(*id))
        );
        assert_eq!(attached.interaction, closed.id);
        assert_eq!(closed.clone().proven(&Stamp), closed);
        // Neither a second one nor one that comes too late takes any along.
        let again = decide::answer(&closed, answer_with_files(kind), &ana, None, at(&ids, 2));
        assert!(matches!(again, Err(Refused::Closed { .. })), "{kind:?}");
        let late = decide::answer(&pending, answer_with_files(kind), &ana, None, at(&ids, 61));
        assert!(matches!(late, Err(Refused::Closed { .. })), "{kind:?}");
        let outcome = closed.state.outcome().unwrap();
        let kept =
            decide::reject_answer(&closed, answer_with_files(kind), outcome, &ana, at(&ids, 3))
                .unwrap();
        assert_eq!(kept.writes, []);
        // Nobody may who may not answer.
        for by in [person(Role::Viewer), Principal::Agent(agent())] {
            let refused = decide::answer(&pending, answer_with_files(kind), &by, None, at(&ids, 1));
            assert_eq!(refused, Err(Refused::NotAResponder));
        }
    }
}

/// No answer stands for what has files, and none that has files stands for anything.
#[test]
fn no_answer_stands_where_there_are_files() {
    for kind in [Kind::Question, Kind::Choice] {
        let ids = Counter::default();
        let ana = person(Role::Responder);
        let kept = |asked: &Interaction, answer| {
            let answered =
                written(&decide::answer(asked, answer, &ana, None, at(&ids, 1)).unwrap());
            let week = MemoryDraft {
                days: Some(7),
                any_agent: false,
            };
            memory::keep(&answered, week, &ana, 0, at(&ids, 2))
        };
        let plain = written(&crate::testing::opened(body(kind), None, &ids));
        let stands = kept(&plain, given(answer_to(kind))).unwrap();
        let [Write::Memory(MemoryWrite::Keep(stands))] = &*stands.writes else {
            panic!("{stands:?}")
        };
        assert_eq!(
            kept(&plain, answer_with_files(kind)),
            Err(Refused::NothingToKeep)
        );
        assert_eq!(request(kind).repeatable(), None);
        let filed = asked(kind, &ids);
        assert_eq!(
            kept(&filed, given(answer_to(kind))),
            Err(Refused::NothingToKeep)
        );
        let record = MemoryRecord {
            memory: (**stands).clone(),
            uses: 0,
            last_used_at: None,
            ended: None,
        };
        let given = |request| {
            let (of, now) = (decide::AskedOf::default(), at(&ids, 3));
            decide::open_remembered(request, agent(), of, None, None, &record, now).map(|_| ())
        };
        assert_eq!(given(request(kind)), Err(Refused::NothingToKeep));
        assert_eq!(given(crate::testing::request(body(kind))), Ok(()));
    }
}

#[test]
fn an_answer_names_files_that_are_its_own_and_free() {
    let ids = Counter::default();
    let pending = written(&crate::testing::opened(body(Kind::Question), None, &ids));
    let ana = person(Role::Responder);
    let paths = |answer| match decide::answer(&pending, answer, &ana, None, at(&ids, 1)) {
        Err(Refused::Invalid(faults)) => {
            let paths: Vec<_> = faults.into_iter().map(|fault: Fault| fault.path).collect();
            paths.join(" ")
        }
        other => panic!("{other:?}"),
    };
    let mut nothing = answer_with_files(Kind::Question);
    nothing.found = vec![None, None];
    nothing.text = None;
    assert_eq!(paths(nothing), "text attachments[0] attachments[1]");
    let mut used = answer_with_files(Kind::Question);
    used.found[0].as_mut().unwrap().part_of = Some(pending.id);
    assert_eq!(paths(used), "attachments[0]");
    // A user of Slack has no way to send one.
    let slack = Principal::SlackUser {
        id: Uuid::from_u128(8),
        name: "Ana".to_owned(),
        role: Role::Responder,
        teams: crate::Parts::default(),
    };
    let sent = decide::answer(
        &pending,
        answer_with_files(Kind::Question),
        &slack,
        None,
        at(&ids, 1),
    );
    assert_eq!(sent, Err(Refused::FileMissing));
}

#[test]
fn a_part_of_an_answer_carries_none() {
    let ids = Counter::default();
    let form = written(&crate::testing::opened(body(Kind::Form), None, &ids));
    let ana = person(Role::Responder);
    let mut part = answer_with_files(Kind::Form);
    part.answers.as_mut().unwrap().remove("env");
    let refused = decide::answer(&form, part, &ana, None, at(&ids, 1));
    assert!(matches!(refused, Err(Refused::Invalid(faults)) if faults[0].path == "attachments"));
}

#[test]
fn of_what_is_erased_no_file_is_named() {
    for kind in Kind::ALL {
        let ids = Counter::default();
        let mut interaction = asked(kind, &ids);
        if kind != Kind::Notification {
            let ana = person(Role::Responder);
            interaction = written(
                &decide::answer(
                    &interaction,
                    answer_with_files(kind),
                    &ana,
                    None,
                    at(&ids, 1),
                )
                .unwrap(),
            );
        }
        let blank = interaction.without_words();
        assert!(blank.request.attached().is_empty());
        let json = serde_json::to_string(&blank.request).unwrap()
            + &serde_json::to_string(&blank.state).unwrap();
        assert!(
            !json.contains("screen.png") && !json.contains(&attachments()[0].sha256),
            "{json}"
        );
        // The receipt stays, over digests.
        let erased = Interaction {
            erased: Some(crate::interaction::Erased {
                at: epoch(),
                by: crate::Actor::Deadline,
            }),
            ..blank
        };
        assert!(
            !matches!(erased.clone().proven(&Stamp).state, State::Void { .. }),
            "{kind:?}"
        );
        for event in asking(kind, &ids).events {
            let Payload::Interaction(what) = event.payload.without_words() else {
                panic!()
            };
            let (InteractionEvent::Requested { request, .. }
            | InteractionEvent::Notified { request, .. }) = what
            else {
                panic!()
            };
            assert!(request.attached().is_empty());
        }
    }
}

proptest! {
    /// Whatever is found, a changeset attaches exactly what its interaction says, or there is none.
    #[test]
    fn what_is_attached_is_what_is_said(
        picked in prop::collection::vec((1u128..5, any::<bool>(), any::<bool>(), any::<bool>()), 0..7),
        kind in prop::sample::select(Kind::ALL.to_vec()),
        another in any::<bool>(),
    ) {
        let named: Vec<String> = picked.iter().map(|(n, ..)| Uuid::from_u128(*n).to_string()).collect();
        let found: Vec<Option<Uploaded>> = picked.iter().map(|(n, there, used, text)| {
            let media = if *text { Media::Text } else { Media::Png };
            let mut one = file(*n, &format!("{n}"), media, &n.to_be_bytes());
            one.part_of = used.then_some(InteractionId(Uuid::from_u128(3)));
            there.then_some(one)
        }).collect();
        let drafted = Draft { found: found.clone(), ..draft(with(kind, json!({"attachments": named}))) };
        let ids = Counter::default();
        let Ok(request) = drafted.check(|_| None) else { return Ok(()) };
        prop_assert!(picked.len() <= 5 && found.iter().all(Option::is_some));
        let agent_id = if another { AgentId(Uuid::from_u128(9)) } else { agent().id };
        let opened = decide::open(request, agent(), None, None, None, None, at(&ids, 0));
        match decide::attach(opened, Holder::Agent(agent_id), &found) {
            Ok(changeset) => {
                prop_assert!(picked.iter().all(|(_, _, used, _)| !used));
                let said = written(&changeset).request.attached().to_vec();
                let attached = attaching(&changeset).map(|it| it.files.iter().map(|(_, it)| it.clone()).collect::<Vec<_>>());
                prop_assert_eq!(attached.unwrap_or_default(), said);
                prop_assert!(attaching(&changeset).is_none_or(|it| it.holder == Holder::Agent(agent_id)));
            }
            Err(refused) => {
                prop_assert!(matches!(refused, Refused::Invalid(_)));
                prop_assert!(picked.iter().any(|(_, _, used, _)| *used));
            }
        }
    }
}

proptest! {
    /// Whatever is asked and answered with which files, in which order: each file is part of one thing at most, and what names
    /// one that is part of another is refused whole.
    #[test]
    fn a_file_is_bound_once_whatever_is_asked_and_answered(
        steps in prop::collection::vec((any::<bool>(), prop::collection::btree_set(0usize..4, 0..3)), 1..10),
    ) {
        let ids = Counter::default();
        let ana = person(Role::Responder);
        let mut pool: Vec<Uploaded> = (0..4_u128)
            .map(|n| file(n + 1, &format!("{n}.txt"), Media::Text, &n.to_be_bytes()))
            .collect();
        let mut bound = std::collections::BTreeMap::new();
        for (asks, picked) in steps {
            let named: Vec<String> = picked.iter().map(|n| pool[*n].id.to_string()).collect();
            let found: Vec<Option<Uploaded>> = picked.iter().map(|n| Some(pool[*n].clone())).collect();
            let is_free = picked.iter().all(|n| pool[*n].part_of.is_none());
            let result = match asks {
                true => {
                    let drafted = Draft { found: found.clone(), ..draft(with(Kind::Question, json!({"attachments": named}))) };
                    match drafted.check(|_| None) {
                        Ok(request) => {
                            let opened = decide::open(request, agent(), None, None, None, None, at(&ids, 0));
                            decide::attach(opened, Holder::Agent(agent().id), &found)
                        }
                        Err(faults) => Err(Refused::Invalid(faults)),
                    }
                }
                false => {
                    let pending = written(&crate::testing::opened(body(Kind::Question), None, &ids));
                    let mut answer = answer_to(Kind::Question);
                    answer["attachments"] = json!(named);
                    let answer = crate::interaction::AnswerDraft { found, ..given(answer) };
                    decide::answer(&pending, answer, &ana, None, at(&ids, 1))
                }
            };
            prop_assert_eq!(result.is_ok(), is_free, "{:?}", result);
            let Ok(changeset) = result else { continue };
            let part_of = written(&changeset).id;
            let files: Vec<_> = attaching(&changeset).map(|it| it.files.iter().map(|(id, _)| *id).collect()).unwrap_or_default();
            let wanted: Vec<_> = picked.iter().map(|n| pool[*n].id).collect();
            prop_assert_eq!(&files, &wanted);
            for n in picked {
                pool[n].part_of = Some(part_of);
                prop_assert_eq!(bound.insert(n, part_of), None);
            }
        }
    }
}
