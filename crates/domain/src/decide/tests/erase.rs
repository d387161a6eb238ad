//! Rule 19: what is erased is gone, and the journal still holds.

use proptest::prelude::*;
use serde_json::json;

use super::sequences::{command, run};
use crate::{
    Changeset, Parts, Payload, Principal, Refused, Role, TeamId, TeamRef, Write,
    decide::interaction::{self as decide, Erasable},
    event::InteractionEvent,
    interaction::{Interaction, Kind, Mode, State},
    journal::{Audit, Audited, Broken, GENESIS, Hash, Record},
    sign::Verify,
    task::Work,
    testing::{
        Counter, Stamp, agent, answer_to, at, body, given, opened, person, request, shown_in, with,
        written,
    },
};

/// Stands in every text.
const MARK: &str = "xyzzy";

/// A journal as the store keeps it.
#[derive(Clone, Default)]
struct Journal {
    records: Vec<Record>,
    /// As programs wrote them before words had digests of their own.
    is_old: bool,
}

impl Journal {
    fn append(&mut self, changeset: &Changeset) {
        for event in &changeset.events {
            let prev_hash = self.records.last().map_or(GENESIS, |last| last.hash);
            let seq = self.records.len() as i64 + 1;
            let mut record = Record::of(event, seq, prev_hash).unwrap();
            if self.is_old {
                (record.kept, record.salt) = (None, None);
                record.hash = record.computed_hash();
            }
            self.records.push(record);
        }
        for write in &changeset.writes {
            if let Write::Erase(erasing) = write {
                self.blank(erasing);
            }
        }
    }

    fn blank(&mut self, erasing: &crate::Erasing) {
        let by = self.records.last().unwrap().seq;
        for event in &erasing.events {
            let record = &mut self.records[event.seq as usize - 1];
            record.payload.clone_from(&event.payload);
            record.salt = None;
            record.digest = event.digest;
            record.erased_by = Some(by);
        }
    }

    fn of(&self, interaction: &Interaction) -> Erasable {
        let id = Some(interaction.id);
        let own = self.records.iter().filter(|it| it.interaction_id == id);
        Erasable {
            interaction: interaction.clone(),
            records: own.cloned().collect(),
            task: None,
        }
    }

    fn audit(&self) -> Result<Audited, Broken> {
        let mut audit = Audit::new(Vec::new());
        for record in &self.records {
            audit.follow(record)?;
        }
        audit.finish()
    }

    /// Every hash anew, as somebody can who owns the database.
    fn chained_anew(mut self) -> Self {
        let mut prev_hash: Hash = GENESIS;
        for record in &mut self.records {
            record.prev_hash = prev_hash;
            record.hash = record.computed_hash();
            prev_hash = record.hash;
        }
        self
    }
}

fn admin() -> Principal {
    person(Role::Admin)
}

/// An approval, approved and consumed, with words wherever there may be any, and erased.
fn erased(is_old: bool) -> (Journal, Interaction, Interaction) {
    let ids = Counter::default();
    let mut journal = Journal {
        is_old,
        ..Journal::default()
    };
    let fields = json!({
        "prompt": MARK, "title": MARK, "session_id": MARK, "metadata": {MARK: MARK},
        "action": {"tool": MARK, "arguments": {MARK: [MARK]}, "operands": [
            {"name": MARK, "sha256": "0".repeat(64), "size": 1}]},
        "task": {"id": "T-1", "title": MARK, "description": MARK, "step": MARK},
        "callback_url": format!("https://{MARK}.example"),
    });
    let opening = opened(with(Kind::Approval, fields), None, &ids);
    journal.append(&opening);
    let mut interaction = written(&opening);
    let task = crate::testing::task_of(&opening).unwrap().clone();
    let work = Work {
        task,
        pending: vec![interaction.clone()],
    };
    let draft = given(json!({"approved": true, "text": MARK}));
    let ana = person(Role::Responder);
    let steps: [&dyn Fn(&Interaction) -> Changeset; 6] = [
        &|it| decide::answer(it, draft.clone(), &ana, Some(&work), at(&ids, 1)).unwrap(),
        &|it| {
            let late = given(json!({"approved": false, "text": MARK}));
            let outcome = it.state.outcome().unwrap();
            decide::reject_answer(it, late, outcome, &ana, at(&ids, 2)).unwrap()
        },
        &|it| decide::consume(it, &it.agent, MARK.to_owned(), at(&ids, 3)).unwrap(),
        &|it| decide::follow_up(it, MARK.to_owned(), &ana, at(&ids, 4)).unwrap(),
        &|it| {
            let said = serde_json::from_value(json!({"outcome": "done", "text": MARK})).unwrap();
            decide::report(it, &it.agent, said, at(&ids, 5)).unwrap()
        },
        &|it| {
            decide::collect(it, &it.agent, at(&ids, 6))
                .unwrap_or_else(|_| decide::called_back(it, at(&ids, 6)).unwrap())
        },
    ];
    for step in steps {
        let changeset = step(&interaction);
        journal.append(&changeset);
        interaction = changeset.interaction().unwrap_or(&interaction).clone();
    }
    let whole = interaction.clone();
    let known = journal.of(&interaction);
    let erasing = decide::erase(&known, &admin(), at(&ids, 10)).unwrap();
    journal.append(&erasing);
    (journal, whole, written(&erasing))
}

#[test]
fn of_what_is_erased_no_word_is_left_and_the_journal_holds() {
    for is_old in [false, true] {
        let (journal, whole, erased) = erased(is_old);
        let stored = format!("{:?}", journal.records);
        assert!(!stored.contains(MARK), "{stored}");
        assert!(format!("{whole:?}").contains(MARK));
        assert!(!format!("{erased:?}").contains(MARK), "{erased:?}");
        let found = journal.audit().unwrap();
        assert_eq!((found.erased, found.events), (1, 10));
        let by = erased.erased.clone().unwrap();
        assert_eq!(by.by_whom(), "Ana");
        assert_eq!((by.at, by.by), {
            let last = journal.records.last().unwrap().read().unwrap();
            (last.at, last.actor)
        });
    }
}

#[test]
fn an_erased_approval_keeps_its_receipt_and_is_not_approved() {
    let (_, whole, erased) = erased(false);
    assert_eq!(whole.approved(), Some(true));
    assert_eq!(erased.approved(), Some(false));
    assert_eq!((erased.answer(), erased.resume_prompt()), (None, None));
    assert_eq!(erased.receipt(), whole.receipt());
    assert!(erased.receipt().is_some());
    // It is no alarm,
    assert_eq!(erased.clone().proven(&Stamp), erased);
    // unless the row says another end than was signed.
    let mut forged = erased.clone();
    let State::Resolved { answer } = &mut forged.state else {
        panic!("{forged:?}");
    };
    answer.receipt.as_mut().unwrap().signature = String::new();
    assert!(forged.proven(&Stamp).state.is_void());
    struct Nobody;
    impl Verify for Nobody {
        fn holds(&self, _: &crate::sign::PublicKey, _: &[u8], _: &crate::sign::Signature) -> bool {
            false
        }
    }
    assert!(erased.proven(&Nobody).state.is_void());
}

#[test]
fn a_row_that_only_says_that_it_is_erased_approves_nothing() {
    let (_, whole, erased) = erased(false);
    let forged = Interaction {
        erased: erased.erased,
        ..whole
    };
    assert_eq!(forged.approved(), Some(false));
}

#[test]
fn any_byte_that_is_changed_after_an_erasure_is_found() {
    for is_old in [false, true] {
        let (journal, ..) = erased(is_old);
        for n in 0..journal.records.len() {
            let json = serde_json::to_string(&journal.records[n]).unwrap();
            let mut found = 0;
            for place in 0..json.len() {
                for with in ['0', 'f', 'x'] {
                    let mut bytes = json.clone().into_bytes();
                    bytes[place] = with as u8;
                    let Ok(record) = serde_json::from_slice::<Record>(&bytes) else {
                        continue;
                    };
                    if record == journal.records[n] {
                        continue;
                    }
                    let mut changed = journal.clone();
                    changed.records[n] = record;
                    let whole = String::from_utf8(bytes).unwrap();
                    assert!(changed.audit().is_err(), "old: {is_old}, {whole}");
                    found += 1;
                }
            }
            assert!(found > 100);
        }
    }
}

#[test]
fn words_that_were_removed_without_an_erasure_are_found() {
    for is_old in [false, true] {
        let (whole, _, _) = erased(is_old);
        let events = whole.records.len();
        // The event that erased is taken away, or becomes another; the chain is closed again.
        let mut cut = whole.clone();
        cut.records.truncate(events - 1);
        let why = cut.audit().unwrap_err();
        assert_eq!(why.seq, 1, "{why}");
        assert!(
            why.why.contains("no event says that they were erased"),
            "{why}"
        );
        let mut another = cut.clone();
        let mut record = another.records[events - 2].clone();
        record.seq = events as i64;
        record.prev_hash = another.records[events - 2].hash;
        record.hash = record.computed_hash();
        another.records.push(record);
        assert!(another.audit().is_err());
        // The erasure names another hash, or nothing.
        for harm in [r#"{"events":[]}"#, "{}", "null"] {
            let mut unnamed = whole.clone();
            let last = unnamed.records.last_mut().unwrap();
            last.payload = harm.to_owned();
            last.hash = last.computed_hash();
            assert_eq!(unnamed.audit().unwrap_err().seq, 1);
        }
        // It is another interaction's.
        let mut foreign = whole.clone();
        let last = foreign.records.last_mut().unwrap();
        last.interaction_id = None;
        last.hash = last.computed_hash();
        assert_eq!(foreign.audit().unwrap_err().seq, 1);
        // Other words in the place of those that went, or a mark without them having gone.
        let mut other = whole.clone();
        other.records[0].payload = other.records[0].payload.replace("\"sync\"", "\"async\"");
        assert_ne!(other.records[0], whole.records[0]);
        assert_eq!(other.audit().unwrap_err().seq, 1);
        for by in [0, 1, events as i64 + 1] {
            let mut wrong = whole.clone();
            wrong.records[0].erased_by = Some(by);
            assert_eq!(wrong.audit().unwrap_err().seq, 1, "{by}");
        }
    }
}

#[test]
fn an_event_cannot_be_edited_under_the_name_of_an_erasure() {
    let (whole, ..) = erased(false);
    // What is kept of it is covered by its own hash: nobody can say that something else was left.
    let mut edited = whole.clone();
    let record = &mut edited.records[0];
    let kept = record.payload.replace("\"sync\"", "\"async\"");
    (record.payload, record.kept) = (kept.clone(), Some(kept));
    assert_eq!(edited.audit().unwrap_err().seq, 1);
    // Nor can an event of the new form pass for one of the old, whose hash is taken as given.
    let mut old = whole.clone();
    let record = &mut old.records[0];
    (record.kept, record.digest) = (None, None);
    assert_eq!(old.audit().unwrap_err().seq, 1);
    // A chain that is made anew from there is another one: checkpoints say so.
    assert_ne!(
        edited.chained_anew().records.last().unwrap().hash,
        whole.records.last().unwrap().hash
    );
}

#[test]
fn only_admins_erase_and_only_what_is_closed_and_as_its_events_tell() {
    let ids = Counter::default();
    let mut journal = Journal::default();
    let opening = opened(body(Kind::Question), None, &ids);
    journal.append(&opening);
    let pending = written(&opening);
    let now = at(&ids, 1);
    let known = journal.of(&pending);
    let refused = decide::erase(&known, &admin(), now).unwrap_err();
    assert_eq!(refused, Refused::CancelFirst);
    assert!(refused.to_string().contains("cancel it first"));
    let ana = person(Role::Responder);
    let answering =
        decide::answer(&pending, given(answer_to(Kind::Question)), &ana, None, now).unwrap();
    journal.append(&answering);
    let closed = written(&answering);
    let known = journal.of(&closed);
    let script = Principal::Script {
        id: crate::TokenId(uuid::Uuid::nil()),
        name: "ci".into(),
        teams: Parts::default(),
    };
    for stranger in [
        ana,
        person(Role::Viewer),
        Principal::Agent(closed.agent.clone()),
        script,
    ] {
        let refused = decide::erase(&known, &stranger, now);
        assert_eq!(refused, Err(Refused::NotAnAdmin), "{stranger:?}");
    }
    let altered = Erasable {
        interaction: Interaction {
            collected_at: Some(now.at),
            ..closed.clone()
        },
        ..known.clone()
    };
    assert_eq!(
        decide::erase(&altered, &admin(), now),
        Err(Refused::Altered)
    );
    // It cannot be undone: not in a browser that was left open.
    let end = crate::limits::PROOF_LASTS.num_seconds();
    assert!(decide::erase(&known, &admin(), at(&ids, end - 1)).is_ok());
    let later = at(&ids, end);
    assert_eq!(
        decide::erase(&known, &admin(), later),
        Err(Refused::Unproven)
    );
    let operator = Principal::Operator {
        name: "root".into(),
    };
    assert!(decide::erase(&known, &operator, later).is_ok());
    assert!(decide::erase(&known, &operator, now).is_ok());
    let by_age = decide::erase_old(&known, now).unwrap();
    assert_eq!(written(&by_age).erased.unwrap().by_whom(), "a setting");
    let erasing = decide::erase(&known, &admin(), now).unwrap();
    journal.append(&erasing);
    let erased = written(&erasing);
    let again = decide::erase(&journal.of(&erased), &admin(), now);
    assert_eq!(again, Err(Refused::Unchanged));
}

#[test]
fn nothing_is_added_to_what_is_erased() {
    let (_, _, erased) = erased(false);
    let ids = Counter::default();
    let now = at(&ids, 20);
    let ana = person(Role::Responder);
    let is_refused = |result: Result<Changeset, Refused>| {
        assert!(
            matches!(&result, Err(Refused::Erased { by, .. }) if by == "Ana"),
            "{result:?}"
        );
    };
    let draft = || given(json!({"approved": true, "text": MARK}));
    is_refused(decide::answer(&erased, draft(), &ana, None, now));
    let outcome = erased.state.outcome().unwrap();
    is_refused(decide::reject_answer(&erased, draft(), outcome, &ana, now));
    is_refused(decide::follow_up(&erased, MARK.into(), &ana, now));
    is_refused(decide::consume(&erased, &erased.agent, MARK.into(), now));
    let said = serde_json::from_value(json!({"outcome": "done", "text": MARK})).unwrap();
    is_refused(decide::report(&erased, &erased.agent, said, now));
    assert!(matches!(
        decide::cancel(&erased, &ana, Some(MARK.into()), None, now),
        Err(Refused::Closed { .. })
    ));
}

#[test]
fn the_words_of_a_task_go_with_its_last_interaction() {
    let ids = Counter::default();
    let mut journal = Journal::default();
    let fields = json!({"task": {"id": "T-1", "title": MARK, "step": MARK}});
    let opening = opened(with(Kind::Notification, fields), None, &ids);
    journal.append(&opening);
    let task = crate::testing::task_of(&opening).unwrap().clone();
    let draft = serde_json::from_value(json!({"status": "failed", "reason": MARK})).unwrap();
    let work = Work {
        task,
        pending: Vec::new(),
    };
    let agent = work.task.agent.clone();
    let putting = crate::decide::task::put("T-1", draft, agent, Some(&work), at(&ids, 1)).unwrap();
    journal.append(&putting);
    let task = crate::testing::task_of(&putting).unwrap().clone();
    let of_task = journal
        .records
        .iter()
        .filter(|it| it.interaction_id.is_none());
    let known = Erasable {
        task: Some((task.clone(), of_task.cloned().collect())),
        ..journal.of(&written(&opening))
    };
    let erasing = decide::erase(&known, &admin(), at(&ids, 2)).unwrap();
    journal.append(&erasing);
    let stored = format!("{:?}", journal.records);
    assert!(!stored.contains(MARK), "{stored}");
    assert_eq!(journal.audit().unwrap().erased, 1);
    let left = crate::testing::task_of(&erasing).unwrap();
    assert_eq!((left.version, &left.title), (task.version + 1, &None));
    assert_eq!(left.status.name(), "failed");
}

proptest! {
    #[test]
    fn after_any_commands_an_interaction_can_be_erased_and_replays_as_its_row(
        kind in prop::sample::select(Kind::ALL.to_vec()),
        commands in prop::collection::vec((command(), 0i64..120), 1..20),
        is_old in any::<bool>(),
        flip in any::<(prop::sample::Index, prop::sample::Index)>(),
    ) {
        let ids = Counter::default();
        let mut fields = json!({"prompt": MARK});
        if kind != Kind::Notification {
            fields["timeout_seconds"] = 60.into();
        }
        let opening = shown_in(Some("C0MAIN".to_owned()), with(kind, fields), &ids);
        let mut journal = Journal { is_old, ..Journal::default() };
        journal.append(&opening);
        let mut interaction = written(&opening);
        for (command, seconds) in commands {
            if let Ok(changeset) = run(&command, &interaction, at(&ids, seconds)) {
                journal.append(&changeset);
                interaction = changeset.interaction().unwrap_or(&interaction).clone();
            }
        }
        let known = journal.of(&interaction);
        match decide::erase(&known, &admin(), at(&ids, 200)) {
            Ok(erasing) => {
                prop_assert!(!interaction.state.is_pending());
                let erased = written(&erasing);
                journal.append(&erasing);
                prop_assert_eq!(journal.audit().map(|it| it.erased), Ok(1));
                let events: Vec<_> = journal.records.iter().map(|it| it.read().unwrap()).collect();
                prop_assert_eq!(Interaction::replay(&events), Some(erased.clone()));
                prop_assert_eq!(erased.state.outcome(), interaction.state.outcome());
                prop_assert_eq!(erased.approved().unwrap_or_default(), false);
                prop_assert_eq!(erased.receipt(), interaction.receipt());
                prop_assert_eq!(&erased.clone().proven(&Stamp), &erased);
                let closed_by = |it: &Interaction| it.state.closed_by().map(str::to_owned);
                prop_assert_eq!(closed_by(&erased), closed_by(&interaction));
                let stored = format!("{:?}", journal.records);
                prop_assert!(!stored.contains(MARK), "{}", stored);
            }
            Err(refused) => {
                prop_assert_eq!(refused, Refused::CancelFirst);
                prop_assert!(interaction.state.is_pending());
            }
        }
        // Any bit of any payload, erased or not.
        let mut changed = journal.clone();
        let record = flip.0.get(&journal.records).seq as usize - 1;
        let mut payload = changed.records[record].payload.clone().into_bytes();
        let place = flip.1.index(payload.len());
        payload[place] = if payload[place] == b'x' { b'y' } else { b'x' };
        if let Ok(payload) = String::from_utf8(payload) {
            changed.records[record].payload = payload;
            prop_assert!(changed.audit().is_err());
        }
    }
}

#[test]
fn the_team_stays_and_may_be_called_otherwise_since() {
    let ids = Counter::default();
    let mut journal = Journal::default();
    let team = TeamRef {
        id: TeamId(uuid::Uuid::from_u128(1)),
        name: "Payments".into(),
    };
    let asked = request(body(Kind::Question));
    let opening = decide::open(
        asked,
        agent(),
        Some(team.clone()),
        None,
        None,
        None,
        at(&ids, 0),
    );
    journal.append(&opening);
    let closing = decide::cancel(&written(&opening), &admin(), None, None, at(&ids, 1)).unwrap();
    journal.append(&closing);
    let renamed = Interaction {
        team: Some(TeamRef {
            name: "Money".into(),
            ..team.clone()
        }),
        ..written(&closing)
    };
    let moved = Interaction {
        team: None,
        ..renamed.clone()
    };
    let refused = decide::erase(&journal.of(&moved), &admin(), at(&ids, 2));
    assert_eq!(refused, Err(Refused::Altered));
    let erasing = decide::erase(&journal.of(&renamed), &admin(), at(&ids, 2)).unwrap();
    assert_eq!(written(&erasing).team, renamed.team);
    journal.append(&erasing);
    journal.audit().unwrap();
    let first = journal.records[0].read().unwrap().payload;
    let Payload::Interaction(InteractionEvent::Requested { team: of, .. }) = first else {
        panic!("{first:?}");
    };
    assert_eq!(of, Some(team));
}

/// What is hashed apart from the rest has to be all that people and agents write: a new field has to be looked at.
#[test]
fn every_text_of_every_kind_is_blank_without_words() {
    let ids = Counter::default();
    for kind in Kind::ALL {
        let opening = opened(body(kind), None, &ids);
        let payload = &opening.events[0].payload;
        let blank = payload.without_words();
        assert_ne!(&blank, payload);
        assert_eq!(blank.without_words(), blank);
        let Payload::Interaction(
            InteractionEvent::Requested { request, .. }
            | InteractionEvent::Notified { request, .. },
        ) = &blank
        else {
            panic!("{blank:?}");
        };
        let asked = match &opening.events[0].payload {
            Payload::Interaction(
                InteractionEvent::Requested { request, .. }
                | InteractionEvent::Notified { request, .. },
            ) => request,
            other => panic!("{other:?}"),
        };
        assert_eq!(request.kind(), kind);
        assert_eq!(request.mode, asked.mode);
        assert_eq!(request.mode == Mode::Sync, kind != Kind::Notification);
        let text = serde_json::to_string(&request).unwrap();
        let whole = serde_json::to_string(&asked).unwrap();
        assert!(text.len() < whole.len() && text != whole);
        for word in [
            "Which port",
            "redis",
            "LRU",
            "make deploy",
            "1. Test",
            "Where?",
        ] {
            assert!(!text.contains(word), "{text}");
        }
    }
}
