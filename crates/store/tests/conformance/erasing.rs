//! Rule 19: what is erased is gone from wherever it stood, and the journal still holds.

use std::{
    str::FromStr,
    time::{Duration, Instant},
};

use chrono::TimeDelta;
use domain::{
    AgentId, AgentRef, Audience, Changeset, Interaction, InteractionId, MessageId, Parts,
    Principal, Refused, Role, Write,
    decide::{interaction as decide, team},
    delivery::Next,
    digest,
    idempotency::IdempotencyKey,
    interaction::{AnswerDraft, Draft, Kind, Posted},
    journal::Record,
    slack::{Message, OnCard},
    task::Work,
    team::Profile,
};
use serde_json::json;
use sqlx::{ConnectOptions, sqlite::SqliteConnectOptions};
use store::{
    AttemptEnd, CommitError, InteractionQuery, Mark, NewMessage, OfTeams, Store, WithWords,
    verify_journal,
};
use uuid::Uuid;

use crate::database::{Database, ana, epoch, operator, written};

store::on_both_databases!(
    of_what_is_erased_nothing_is_left_in_the_database,
    an_erased_one_reads_as_its_events_tell_and_is_erased_once,
    what_happened_since_the_decision_makes_it_a_conflict,
    nothing_is_told_of_what_is_erased,
    a_reply_that_comes_after_the_erasure_is_not_kept,
    who_reads_for_long_keeps_nobody_from_writing,
    cards_of_what_is_erased_leave_room_for_what_is_new,
    what_comes_from_slack_after_the_erasure_is_not_kept,
    of_many_events_all_become_blank,
    a_database_that_is_written_anew_has_nothing_between_its_rows,
    a_journal_of_the_old_form_is_carried_on_and_its_words_can_be_erased,
    the_journal_takes_no_other_change_than_an_erasure,
    what_has_words_is_found_by_its_age,
    what_has_words_is_found_by_its_team,
    the_words_of_a_task_stay_as_long_as_one_of_its_interactions_has_them,
    of_the_last_two_of_a_task_at_once_one_takes_its_words_along,
);

/// Stands in every text. A word of its own, so that it would be found in the index, too.
const MARK: &str = "xyzzyplugh";
/// The name of a card that was there twice.
const TWIN: &str = "1.000009";

fn draft(fields: serde_json::Value) -> Draft {
    let mut all = json!({"kind": "approval", "prompt": MARK, "action": {"tool": MARK, "arguments": {MARK: MARK}}});
    for (name, value) in fields.as_object().unwrap() {
        all[name] = value.clone();
    }
    serde_json::from_value(all).unwrap()
}

fn given(answer: serde_json::Value) -> AnswerDraft {
    serde_json::from_value(answer).unwrap()
}

impl Database {
    async fn commit(&self, store: &dyn Store, changeset: Changeset) -> Interaction {
        let interaction = written(&changeset);
        store.commit(changeset).await.unwrap();
        interaction
    }

    async fn erasing(&self, store: &dyn Store, id: InteractionId) -> Changeset {
        let known = store.erasable(id).await.unwrap().unwrap();
        decide::erase(&known, &operator(), self.at(100)).unwrap()
    }

    async fn erase(&self, store: &dyn Store, id: InteractionId) -> Interaction {
        let erasing = self.erasing(store, id).await;
        self.commit(store, erasing).await
    }

    async fn has(&self, text: &str) -> bool {
        let all = self.place.contents().await.unwrap();
        all.windows(text.len()).any(|part| part == text.as_bytes())
    }

    /// A message below the card that is named so.
    fn message(&self, ts: &str) -> NewMessage {
        NewMessage {
            id: MessageId(domain::Ids::next(&self.ids)),
            event_id: None,
            message: Message {
                channel: "C0MAIN".into(),
                ts: ts.into(),
                thread_ts: "1.000001".into(),
                user: "U0ANA".into(),
                team: None,
                client_msg_id: None,
                text: MARK.into(),
                edited: None,
            },
            received_at: epoch(),
        }
    }

    /// The same, below a card that was there twice.
    fn below_twin(&self, ts: &str) -> NewMessage {
        let mut message = self.message(ts);
        message.message.thread_ts = TWIN.into();
        message
    }

    /// A notification, which is closed from the beginning.
    async fn told(&self, store: &dyn Store, agent: &AgentRef, seconds: i64) -> Interaction {
        let draft = Draft {
            kind: Some("notification".into()),
            prompt: Some(MARK.into()),
            ..Draft::default()
        };
        let opened = self.opened(agent, draft, None, seconds);
        self.commit(store, opened).await
    }
}

fn found(search: &str) -> InteractionQuery {
    InteractionQuery {
        audience: Audience::All,
        search: Some(search.into()),
        limit: 10,
        ..InteractionQuery::default()
    }
}

async fn of_what_is_erased_nothing_is_left_in_the_database(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    // Another one, whose words stay, and which share pages with those that go.
    let neighbour = draft(json!({"prompt": "neighbouring", "action": {"tool": "x"}}));
    let neighbour = database.opened(&agent, neighbour, None, 0);
    let neighbour = database.commit(&*store, neighbour).await;
    let asked = draft(json!({
        "title": MARK, "session_id": MARK, "metadata": {MARK: MARK}, "callback_url": format!("https://cb.example/{MARK}"),
        "task": {"id": "T-1", "title": MARK, "description": MARK, "step": MARK},
    }));
    let key = IdempotencyKey::new(MARK, asked.fingerprint()).unwrap();
    let request = asked.check(|_| None).unwrap();
    let channel = Some("C0MAIN".to_owned());
    let opening = decide::open(
        request,
        agent.clone(),
        None,
        Some(key),
        None,
        channel,
        database.at(0),
    );
    let mut one = database.commit(&*store, opening).await;
    let posted = Posted {
        ts: "1.000001".into(),
        permalink: None,
    };
    one = database
        .commit(
            &*store,
            decide::posted(&one, posted, database.at(1)).unwrap(),
        )
        .await;
    store.put_twin(one.id, "C0MAIN", TWIN).await.unwrap();
    let messages = [
        database.message("1.000002"),
        database.below_twin("1.000010"),
    ];
    assert_eq!(store.keep_messages(&messages).await.unwrap(), 2);
    let work: Option<Work> = store.work(agent.id, "T-1").await.unwrap();
    let said = given(json!({"approved": true, "text": MARK}));
    let answer = decide::answer(&one, said, &ana(), work.as_ref(), database.at(2)).unwrap();
    one = database.commit(&*store, answer).await;
    let late = given(json!({"approved": false, "text": MARK}));
    let outcome = one.state.outcome().unwrap();
    let late = decide::reject_answer(&one, late, outcome, &ana(), database.at(3)).unwrap();
    store.commit(late).await.unwrap();
    let run = decide::consume(&one, &agent, MARK.into(), database.at(4)).unwrap();
    one = database.commit(&*store, run).await;
    let more = decide::follow_up(&one, MARK.into(), &ana(), database.at(5)).unwrap();
    one = database.commit(&*store, more).await;
    let report = serde_json::from_value(json!({"outcome": "done", "text": MARK})).unwrap();
    let report = decide::report(&one, &agent, report, database.at(6)).unwrap();
    one = database.commit(&*store, report).await;
    // What is owed was tried, and the receivers replied with what they were sent.
    let now = epoch() + TimeDelta::seconds(20);
    let ready = store.ready(now).await.unwrap();
    let wanted: Vec<_> = ready.iter().map(|one| (one.destination, 1)).collect();
    let later = now + TimeDelta::minutes(1);
    let claimed = store.claim(&wanted, now, later).await.unwrap();
    assert_eq!(claimed.len(), 3, "a card, its changes, a callback");
    let marks: Vec<Mark> = claimed
        .iter()
        .map(|claimed| Mark {
            delivery: claimed.delivery.id,
            destination: claimed.delivery.destination,
            lease: claimed.lease,
            at: now,
            end: AttemptEnd {
                latency: 1,
                status: Some(500),
                error: Some("answered 500".into()),
                body: MARK.into(),
                may_have_arrived: false,
            },
            next: Next::Dead,
            counts: true,
            health: None,
        })
        .collect();
    store.mark(&marks).await.unwrap();
    let before = store.briefs(&found(MARK)).await.unwrap();
    assert_eq!(before.len(), 1);
    assert!(database.has(MARK).await);

    let erased = database.erase(&*store, one.id).await;
    assert!(store.scrub().await.unwrap());
    assert!(!database.has(MARK).await, "some of it is left");
    assert!(database.has("neighbouring").await);
    assert_eq!(store.briefs(&found(MARK)).await.unwrap(), []);
    let neighbours = store.briefs(&found("neighbouring")).await.unwrap();
    assert_eq!(neighbours[0].id, neighbour.id);
    assert_eq!(store.asked_under(agent.id, MARK).await.unwrap(), None);
    for claimed in claimed {
        let id = claimed.delivery.id;
        assert_eq!(store.attempts(id).await.unwrap(), []);
        assert_eq!(store.delivery(id).await.unwrap(), None);
    }
    // The messages from Slack are known, so that they do not come again.
    assert_eq!(store.waiting_messages().await.unwrap(), 2);
    let task = store.task(agent.id, "T-1").await.unwrap().unwrap();
    assert_eq!((task.title, task.step), (None, None));
    let row = store.stored_after(Some(neighbour.id), 1).await.unwrap();
    assert_eq!(row, [erased]);
    assert_eq!(store.strays_after(None, 10).await.unwrap(), []);
    verify_journal(&*store).await.unwrap();
}

async fn an_erased_one_reads_as_its_events_tell_and_is_erased_once(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let told = database.told(&*store, &agent, 0).await;
    let erased = database.erase(&*store, told.id).await;
    let by = erased.erased.clone().unwrap();
    assert_eq!(by.by_whom(), "root");
    assert_eq!(
        store.interaction(told.id).await.unwrap(),
        Some(erased.clone())
    );
    let events = store::history_of(&*store, told.id, i64::MAX).await.unwrap();
    assert_eq!(Interaction::replay(&events), Some(erased.clone()));
    let briefs = store.recently_closed(&Audience::All, 10).await.unwrap();
    assert!(briefs.iter().all(|it| it.prompt != MARK));
    let newest = InteractionQuery {
        audience: Audience::All,
        limit: 1,
        ..InteractionQuery::default()
    };
    let briefs = store.briefs(&newest).await.unwrap();
    assert_eq!(briefs[0].erased, Some(by));
    let known = store.erasable(told.id).await.unwrap().unwrap();
    let again = decide::erase(&known, &operator(), database.at(200));
    assert_eq!(again, Err(Refused::Unchanged));
    let nobody = InteractionId(Uuid::from_u128(1));
    assert!(store.erasable(nobody).await.unwrap().is_none());
    // What happens to it later without words is written as before.
    let collecting = decide::collect(&erased, &agent, database.at(201)).unwrap();
    let collected = database.commit(&*store, collecting).await;
    assert_eq!(store.interaction(told.id).await.unwrap(), Some(collected));
    verify_journal(&*store).await.unwrap();
}

async fn what_happened_since_the_decision_makes_it_a_conflict(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let asked = database.asked(&*store, &agent, Draft::default()).await;
    let answering = database.answer(&asked, "80");
    let closed = database.commit(&*store, answering).await;
    let late = |text: &str| {
        let draft = given(json!({"text": text}));
        let outcome = closed.state.outcome().unwrap();
        decide::reject_answer(&closed, draft, outcome, &ana(), database.at(20)).unwrap()
    };
    // Before it,
    let erasing = database.erasing(&*store, closed.id).await;
    store.commit(late(MARK)).await.unwrap();
    let outcome = store.commit(erasing).await;
    assert!(matches!(outcome, Err(CommitError::Conflict)));
    assert!(database.has(MARK).await);
    // in the same transaction, whichever comes first,
    for _ in 0..20 {
        let erasing = database.erasing(&*store, closed.id).await;
        let (late, erased) = tokio::join!(store.commit(late(MARK)), store.commit(erasing));
        match (late, erased) {
            (Ok(_), Err(CommitError::Conflict)) => {}
            (Err(CommitError::Conflict), Ok(_)) => break,
            (Ok(_), Ok(_)) => panic!("words came to what is erased, or were left"),
            (late, erased) => panic!("{late:?} {erased:?}"),
        }
    }
    // and of two at once one erases.
    let other = database.told(&*store, &agent, 1).await;
    let (one, two) = (
        database.erasing(&*store, other.id).await,
        database.erasing(&*store, other.id).await,
    );
    let (one, two) = tokio::join!(store.commit(one), store.commit(two));
    assert!(one.is_ok() != two.is_ok());
    verify_journal(&*store).await.unwrap();
}

async fn nothing_is_told_of_what_is_erased(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let asked = database.asked(&*store, &agent, Draft::default()).await;
    let answering = database.answer(&asked, "80");
    let closed = database.commit(&*store, answering).await;
    // Decided before it was erased.
    let outcome = closed.state.outcome().unwrap();
    let late = given(json!({"text": MARK}));
    let late = decide::reject_answer(&closed, late, outcome, &ana(), database.at(20)).unwrap();
    let more = decide::follow_up(&closed, MARK.into(), &ana(), database.at(20)).unwrap();
    database.erase(&*store, closed.id).await;
    for changeset in [late, more] {
        let outcome = store.commit(changeset).await;
        assert!(matches!(outcome, Err(CommitError::Conflict)));
    }
    assert!(!database.has(MARK).await);
    verify_journal(&*store).await.unwrap();
}

/// Also to an event that has no words itself: what was sent is all of the interaction.
async fn a_reply_that_comes_after_the_erasure_is_not_kept(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    for (n, reason) in [None, Some(MARK.to_owned())].into_iter().enumerate() {
        let asked = draft(json!({
            "kind": "question", "action": null, "callback_url": "https://cb.example/",
        }));
        let opening = database.opened(&agent, asked, None, 0);
        let asked = database.commit(&*store, opening).await;
        let closing = decide::cancel(&asked, &ana(), reason, None, database.at(1)).unwrap();
        let closed = database.commit(&*store, closing).await;
        let now = epoch() + TimeDelta::seconds(10 + i64::try_from(n).unwrap());
        let ready = store.ready(now).await.unwrap();
        let wanted: Vec<_> = ready.iter().map(|one| (one.destination, 1)).collect();
        let claimed = store.claim(&wanted, now, now + TimeDelta::minutes(1)).await;
        let claimed = claimed.unwrap().pop().unwrap();
        // The request is on its way.
        database.erase(&*store, closed.id).await;
        let mark = Mark {
            delivery: claimed.delivery.id,
            destination: claimed.delivery.destination,
            lease: claimed.lease,
            at: now,
            end: AttemptEnd {
                latency: 1,
                status: Some(200),
                error: None,
                body: MARK.into(),
                may_have_arrived: false,
            },
            next: Next::Delivered,
            counts: true,
            health: None,
        };
        assert_eq!(store.mark(&[mark]).await.unwrap(), [true]);
        let attempts = store.attempts(claimed.delivery.id).await.unwrap();
        let end = attempts[0].end.as_ref().unwrap();
        assert_eq!((end.status, &*end.body), (Some(200), ""));
        assert!(store.scrub().await.unwrap());
        assert!(!database.has(MARK).await, "{n}");
    }
    verify_journal(&*store).await.unwrap();
}

/// A program that copies the log elsewhere reads for as long as it runs.
async fn who_reads_for_long_keeps_nobody_from_writing(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let told = database.told(&*store, &agent, 0).await;
    if !database.place.url.starts_with("sqlite") {
        // The server's own vacuum waits by itself.
        database.erase(&*store, told.id).await;
        assert!(store.scrub().await.unwrap());
        return;
    }
    let reading = SqliteConnectOptions::from_str(&database.place.url).unwrap();
    let mut reader = reading.connect().await.unwrap();
    for sql in ["BEGIN", "SELECT COUNT(*) FROM events"] {
        sqlx::query(sql).fetch_all(&mut reader).await.unwrap();
    }
    database.erase(&*store, told.id).await;
    let begun = Instant::now();
    let (scrubbed, _) = tokio::join!(store.scrub(), database.told(&*store, &agent, 1));
    assert!(!scrubbed.unwrap(), "somebody reads what was there before");
    assert!(begun.elapsed() < Duration::from_secs(3));
    sqlx::query("COMMIT").execute(&mut reader).await.unwrap();
    assert!(store.scrub().await.unwrap());
}

async fn cards_of_what_is_erased_leave_room_for_what_is_new(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let mut closed = Vec::new();
    for _ in 0..4 {
        let asked = database.asked_in(&*store, &agent, "C0MAIN", 0).await;
        let closing = decide::cancel(&asked, &ana(), None, None, database.at(1)).unwrap();
        closed.push(database.commit(&*store, closing).await.id);
    }
    // Three are kept no longer, and a person erases the last, all at the same moment.
    let urgent = closed.pop().unwrap();
    let mut erased = Vec::new();
    for id in closed {
        let known = store.erasable(id).await.unwrap().unwrap();
        let erasing = decide::erase_old(&known, database.at(100)).unwrap();
        database.commit(&*store, erasing).await;
        erased.push(store.last_seq().await.unwrap());
    }
    database.erase(&*store, urgent).await;
    let urgent = store.last_seq().await.unwrap();
    // And this a second later.
    database.asked_in(&*store, &agent, "C0MAIN", 101).await;
    let new = store.last_seq().await.unwrap();
    let due = async |seconds| {
        let now = epoch() + TimeDelta::seconds(seconds);
        let ready = store.ready(now).await.unwrap();
        let wanted: Vec<_> = ready.iter().map(|one| (one.destination, 10)).collect();
        let later = now + TimeDelta::minutes(1);
        let claimed = store.claim(&wanted, now, later).await.unwrap();
        let marks: Vec<Mark> = claimed
            .iter()
            .map(|claimed| Mark {
                delivery: claimed.delivery.id,
                destination: claimed.delivery.destination,
                lease: claimed.lease,
                at: now,
                end: AttemptEnd::default(),
                next: Next::Delivered,
                counts: true,
                health: None,
            })
            .collect();
        store.mark(&marks).await.unwrap();
        let claimed = claimed.iter();
        let mut due: Vec<_> = claimed.map(|one| one.delivery.event_seq).collect();
        due.sort_unstable();
        due
    };
    assert_eq!(due(101).await, [erased[0], urgent, new]);
    assert_eq!(due(103).await, [erased[1]]);
    assert_eq!(due(110).await, [erased[2]]);
}

async fn what_comes_from_slack_after_the_erasure_is_not_kept(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let asked = database.asked_in(&*store, &agent, "C0MAIN", 0).await;
    let posted = Posted {
        ts: "1.000001".into(),
        permalink: None,
    };
    let posting = decide::posted(&asked, posted, database.at(1)).unwrap();
    let posted = database.commit(&*store, posting).await;
    let closing = decide::cancel(&posted, &ana(), None, None, database.at(2)).unwrap();
    let closed = database.commit(&*store, closing).await;
    database.erase(&*store, closed.id).await;
    // A card was being changed as it was before.
    let on_card = OnCard {
        question: MARK.into(),
        since: epoch(),
    };
    store
        .put_question_on_card(closed.id, &on_card)
        .await
        .unwrap();
    assert_eq!(store.question_on_card(closed.id).await.unwrap(), None);
    // Somebody writes below it, and below the other message that shows it.
    store.put_twin(closed.id, "C0MAIN", TWIN).await.unwrap();
    let messages = [
        database.message("1.000002"),
        database.below_twin("1.000010"),
    ];
    assert_eq!(store.keep_messages(&messages).await.unwrap(), 2);
    for message in &messages {
        let aside = store.set_message_aside(message.id, epoch(), "refused");
        assert!(aside.await.unwrap());
    }
    assert!(store.scrub().await.unwrap());
    assert!(!database.has(MARK).await);
    // They do not come again.
    assert_eq!(store.keep_messages(&messages).await.unwrap(), 0);
}

/// More of them than one statement takes.
async fn of_many_events_all_become_blank(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let asked = database.asked(&*store, &agent, Draft::default()).await;
    let answering = database.answer(&asked, "80");
    let closed = database.commit(&*store, answering).await;
    let outcome = closed.state.outcome().unwrap();
    for _ in 0..70 {
        let late = given(json!({"text": MARK}));
        let late = decide::reject_answer(&closed, late, outcome, &ana(), database.at(20));
        store.commit(late.unwrap()).await.unwrap();
    }
    database.erase(&*store, closed.id).await;
    assert!(store.scrub().await.unwrap());
    assert!(!database.has(MARK).await);
    let records = store.records_after(0, 100).await.unwrap();
    let erased = records.iter().filter(|record| record.erased_by.is_some());
    // The question, its answer, and those that came too late.
    assert_eq!(erased.count(), 72);
    verify_journal(&*store).await.unwrap();
}

/// Rows that grow are moved, and what they leave behind is not overwritten with them.
async fn a_database_that_is_written_anew_has_nothing_between_its_rows(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let mut asked = Vec::new();
    for n in 1..40 {
        let more = format!("{MARK} ").repeat(7 * n % 60 + 1);
        let question = json!({"kind": "question", "action": null, "prompt": more});
        let opening = database.opened(&agent, draft(question), None, 0);
        asked.push(database.commit(&*store, opening).await);
    }
    let neighbour = json!({"kind": "question", "action": null, "prompt": "neighbouring"});
    let opening = database.opened(&agent, draft(neighbour), None, 0);
    let neighbour = database.commit(&*store, opening).await;
    let mut closed = Vec::new();
    for (n, one) in asked.iter().enumerate() {
        let answering = database.answer(one, &format!("{MARK} ").repeat(11 * n % 80 + 1));
        closed.push(database.commit(&*store, answering).await);
    }
    for one in closed {
        database.erase(&*store, one.id).await;
    }
    store.rewrite().await.unwrap();
    assert!(store.scrub().await.unwrap());
    assert!(!database.has(MARK).await);
    assert!(database.has("neighbouring").await);
    let found = store.briefs(&found("neighbouring")).await.unwrap();
    assert_eq!(found[0].id, neighbour.id);
    verify_journal(&*store).await.unwrap();
}

/// Bytes as a literal of this database: an id, or a hash.
fn literal(database: &Database, bytes: &[u8]) -> String {
    let hex = digest::hex(bytes);
    match database.place.url.starts_with("sqlite") {
        true => format!("X'{hex}'"),
        false if bytes.len() == 16 => format!("'{}'::uuid", Uuid::from_slice(bytes).unwrap()),
        false => format!("'\\x{hex}'::bytea"),
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Rows as programs wrote them before words had digests of their own, in a database of theirs.
async fn write_old(database: &Database, agent: AgentId) -> (InteractionId, Vec<Record>) {
    let agent = AgentRef {
        id: agent,
        name: "backend".into(),
    };
    database.place.migrate_to(19).await.unwrap();
    let asked = draft(json!({"kind": "question", "action": null, "timeout_seconds": 60}));
    let request = asked.check(|_| None).unwrap();
    let opening = decide::open(
        request,
        agent.clone(),
        None,
        None,
        None,
        None,
        database.at(0),
    );
    let pending = written(&opening);
    let said = given(json!({"text": MARK}));
    let answering = decide::answer(&pending, said, &ana(), None, database.at(1)).unwrap();
    let row = written(&answering);
    let mut records: Vec<Record> = Vec::new();
    for event in opening.events.iter().chain(&answering.events) {
        let prev = records.last().map_or([0; 32], |last: &Record| last.hash);
        let mut record = Record::of(event, records.len() as i64 + 1, prev).unwrap();
        (record.kept, record.salt) = (None, None);
        record.hash = record.computed_hash();
        records.push(record);
    }
    let (id, of) = (
        literal(database, row.id.0.as_bytes()),
        literal(database, agent.id.0.as_bytes()),
    );
    let urgent = match database.place.url.starts_with("sqlite") {
        true => "0",
        false => "false",
    };
    let request = quoted(&serde_json::to_string(&row.request).unwrap());
    let detail = quoted(&serde_json::to_string(&row.state).unwrap());
    let (created, closed) = (
        row.created_at.timestamp_millis(),
        row.state.closed_at().unwrap().timestamp_millis(),
    );
    let expires = row.expires_at.unwrap().timestamp_millis();
    let mut sql = format!(
        "INSERT INTO agents (id, name, created_at) VALUES ({of}, 'backend', 0);
         INSERT INTO interactions (id, version, agent_id, kind, mode, urgent, request, state, outcome, detail,
            created_at, expires_at, closed_at)
         VALUES ({id}, 2, {of}, 'question', 'sync', {urgent}, {request}, 'resolved', 'answered', {detail},
            {created}, {expires}, {closed});"
    );
    for record in &records {
        let values = [
            record.seq.to_string(),
            literal(database, record.id.0.as_bytes()),
            record.at.to_string(),
            quoted(&record.event_type),
            of.clone(),
            id.clone(),
            quoted(&record.actor),
            quoted(&record.payload),
            literal(database, &record.prev_hash),
            literal(database, &record.hash),
        ];
        sql += &format!(
            "INSERT INTO events (seq, id, at, type, agent_id, interaction_id, actor, payload, prev_hash, hash)
             VALUES ({});",
            values.join(", ")
        );
    }
    database.place.execute(&sql).await.unwrap();
    (row.id, records)
}

async fn a_journal_of_the_old_form_is_carried_on_and_its_words_can_be_erased(database: Database) {
    let agent = AgentId(Uuid::from_u128(77));
    let (old, records) = write_old(&database, agent).await;
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let new = database.told(&*store, &agent, 5).await;
    // Of both forms, in one chain.
    let seen = store.records_after(0, 10).await.unwrap();
    assert_eq!(seen[..2], records);
    assert!(seen[0].kept.is_none() && seen[3].kept.is_some());
    let end = verify_journal(&*store).await.unwrap();
    assert_eq!(end.seq, 4);
    let erased = database.erase(&*store, old).await;
    assert_eq!(erased.erased.as_ref().unwrap().by_whom(), "root");
    database.erase(&*store, new.id).await;
    assert!(store.scrub().await.unwrap());
    assert!(!database.has(MARK).await);
    // Each keeps its hash, and what a checkpoint was signed over stays.
    let now = store.records_after(0, 10).await.unwrap();
    let hashes = |records: &[Record]| records.iter().map(|it| it.hash).collect::<Vec<_>>();
    assert_eq!(hashes(&now[..4]), hashes(&seen));
    assert_eq!(verify_journal(&*store).await.unwrap().seq, 6);
    assert_eq!(store.interaction(old).await.unwrap(), Some(erased));
}

/// What stands in the way of somebody who owns the database.
async fn disarm(database: &Database) {
    for sql in [
        "DROP TRIGGER events_no_update",
        "DROP TRIGGER events_no_change ON events",
    ] {
        // Each of the databases knows one kind.
        let _ = database.place.execute(sql).await;
    }
}

async fn the_journal_takes_no_other_change_than_an_erasure(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let kept = database.told(&*store, &agent, 0).await;
    let other = database.told(&*store, &agent, 1).await;
    database.erase(&*store, other.id).await;
    let harms = [
        // Nobody has erased it, or what says so came before, or is no erasure.
        "UPDATE events SET payload = kept, salt = NULL, digest = hash, erased_by = 9 WHERE seq = 2",
        "UPDATE events SET payload = kept, salt = NULL, digest = hash, erased_by = 1 WHERE seq = 2",
        "UPDATE events SET payload = kept, salt = NULL, digest = hash, erased_by = 3 WHERE seq = 2",
        // Something else is written with it, or without it.
        "UPDATE events SET payload = '{}', salt = NULL, digest = hash, erased_by = 4 WHERE seq = 2",
        "UPDATE events SET payload = kept, kept = kept || ' ', salt = NULL, digest = hash, erased_by = 4 WHERE seq = 2",
        "UPDATE events SET payload = kept, digest = hash, erased_by = 4 WHERE seq = 2",
        "UPDATE events SET payload = kept, salt = NULL, erased_by = 4 WHERE seq = 2",
        "UPDATE events SET payload = kept, salt = NULL, digest = hash, erased_by = 4, at = 0 WHERE seq = 2",
        "UPDATE events SET payload = kept, salt = NULL, digest = hash WHERE seq = 2",
        "UPDATE events SET salt = NULL WHERE seq = 2",
        // It was another one that was erased, and no event of an agent's access.
        "UPDATE events SET payload = kept, salt = NULL, digest = hash, erased_by = 4 WHERE seq = 2",
        "UPDATE events SET payload = '{}', erased_by = 4 WHERE seq = 1",
        // What is erased is not erased again.
        "UPDATE events SET payload = '{}' WHERE seq = 3",
        "UPDATE events SET erased_by = NULL WHERE seq = 3",
        "DELETE FROM events WHERE seq = 3",
    ];
    for harm in harms {
        let refused = database.place.execute(harm).await.unwrap_err();
        assert!(
            refused.to_string().contains("append-only"),
            "{harm}: {refused}"
        );
    }
    verify_journal(&*store).await.unwrap();
    // Whoever takes the triggers away first is found by the chain.
    disarm(&database).await;
    let harm =
        "UPDATE events SET payload = kept, salt = NULL, digest = hash, erased_by = 4 WHERE seq = 2";
    database.place.execute(harm).await.unwrap();
    let broken = verify_journal(&*store).await.unwrap_err();
    assert!(broken.to_string().contains("at event 2"), "{broken}");
    drop(kept);
}

async fn what_has_words_is_found_by_its_age(database: Database) {
    let store = database.store().await;
    let (one, two) = (
        database.agent(&*store, "backend").await,
        database.agent(&*store, "devops").await,
    );
    let first = database.told(&*store, &one, 0).await;
    let second = database.told(&*store, &two, 10).await;
    let third = database.told(&*store, &one, 20).await;
    let asked = database.asked(&*store, &one, Draft::default()).await;
    let closing = decide::cancel(&asked, &ana(), None, None, database.at(5)).unwrap();
    let asked = database.commit(&*store, closing).await;
    database.asked(&*store, &one, Draft::default()).await;
    let ask = |seconds, agent, kind| WithWords {
        closed_before: epoch() + TimeDelta::seconds(seconds),
        agent,
        kind,
        of: OfTeams::All,
    };
    let cases = [
        (
            ask(100, None, None),
            vec![first.id, asked.id, second.id, third.id],
        ),
        (ask(10, None, None), vec![first.id, asked.id]),
        (ask(100, Some(two.id), None), vec![second.id]),
        (ask(100, None, Some(Kind::Question)), vec![asked.id]),
        (ask(0, None, None), vec![]),
    ];
    for (query, expected) in cases {
        assert_eq!(
            store.with_words(&query, 10).await.unwrap(),
            expected,
            "{query:?}"
        );
    }
    let all = ask(100, None, None);
    assert_eq!(
        store.with_words(&all, 2).await.unwrap(),
        [first.id, asked.id]
    );
    database.erase(&*store, first.id).await;
    assert_eq!(
        store.with_words(&all, 2).await.unwrap(),
        [asked.id, second.id]
    );
}

async fn what_has_words_is_found_by_its_team(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let profile = Profile {
        name: "Payments".into(),
        ..Profile::default()
    };
    let made = team::create(profile, &operator(), database.at(0)).unwrap();
    store.commit(made).await.unwrap();
    let payments = store.team_named("payments").await.unwrap().unwrap();
    let told = json!({"kind": "notification", "action": null});
    let request = draft(told).check(|_| None).unwrap();
    let named = Some(payments.named());
    let now = database.at(0);
    let theirs = decide::open(request, agent.clone(), named, None, None, None, now);
    let theirs = database.commit(&*store, theirs).await.id;
    let nobodys = database.told(&*store, &agent, 1).await.id;
    for (of, expected) in [
        (OfTeams::All, vec![theirs, nobodys]),
        (OfTeams::NoneOf(Vec::new()), vec![theirs, nobodys]),
        (OfTeams::Only(payments.id), vec![theirs]),
        (OfTeams::NoneOf(vec![payments.id]), vec![nobodys]),
        (OfTeams::Nobodys, vec![nobodys]),
    ] {
        let query = WithWords {
            closed_before: epoch() + TimeDelta::seconds(10),
            agent: None,
            kind: Some(Kind::Notification),
            of,
        };
        let found = store.with_words(&query, 10).await.unwrap();
        assert_eq!(found, expected, "{query:?}");
    }
}

/// Two notifications of T-1, which are closed at once.
async fn two_of_a_task(
    database: &Database,
    store: &dyn Store,
    agent: &AgentRef,
) -> [InteractionId; 2] {
    let mut ids = Vec::new();
    for seconds in [0, 1] {
        let asked =
            json!({"kind": "notification", "action": null, "task": {"id": "T-1", "title": MARK}});
        let task = store.task(agent.id, "T-1").await.unwrap();
        let opening = database.opened(agent, draft(asked), task.as_ref(), seconds);
        ids.push(database.commit(store, opening).await.id);
    }
    [ids[0], ids[1]]
}

async fn the_words_of_a_task_stay_as_long_as_one_of_its_interactions_has_them(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let ids = two_of_a_task(&database, &*store, &agent).await;
    let erasing = database.erasing(&*store, ids[0]).await;
    assert!(matches!(&erasing.writes[..], [Write::Erase(_)]));
    store.commit(erasing).await.unwrap();
    let task = store.task(agent.id, "T-1").await.unwrap().unwrap();
    assert_eq!(task.title.as_deref(), Some(MARK));
    // Something new in the task comes between.
    let erasing = database.erasing(&*store, ids[1]).await;
    let again = database.opened(
        &agent,
        draft(json!({"kind": "question", "action": null, "task": {"id": "T-1", "title": MARK}})),
        Some(&task),
        3,
    );
    let asked = database.commit(&*store, again).await;
    let outcome = store.commit(erasing).await;
    assert!(matches!(outcome, Err(CommitError::Conflict)));
    let known = store.erasable(asked.id).await.unwrap().unwrap();
    let admin = Principal::Person {
        id: domain::PersonId(Uuid::from_u128(9)),
        name: "Bo".into(),
        role: Role::Admin,
        proven_at: epoch(),
        teams: Parts::default(),
    };
    let refused = decide::erase(&known, &admin, database.at(9));
    assert_eq!(refused, Err(Refused::CancelFirst));
    let work = store.work(agent.id, "T-1").await.unwrap();
    let closing = decide::cancel(&asked, &ana(), None, work.as_ref(), database.at(10)).unwrap();
    store.commit(closing).await.unwrap();
    for id in [ids[1], asked.id] {
        database.erase(&*store, id).await;
    }
    assert!(store.scrub().await.unwrap());
    assert!(!database.has(MARK).await);
    verify_journal(&*store).await.unwrap();
}

async fn of_the_last_two_of_a_task_at_once_one_takes_its_words_along(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let ids = two_of_a_task(&database, &*store, &agent).await;
    // Each decided while the other still had its words.
    let [one, other] = [ids[0], ids[1]].map(|id| database.erasing(&*store, id));
    let (one, other) = (one.await, other.await);
    let both = [one, other].map(|erasing| {
        let store = store.clone();
        tokio::spawn(async move { store.commit(erasing).await })
    });
    let mut conflicts = 0;
    for done in both {
        match done.await.unwrap() {
            Ok(_) => {}
            Err(CommitError::Conflict) => conflicts += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(
        conflicts, 1,
        "the second of them was not the last when it was decided"
    );
    for id in ids {
        let left = store.erasable(id).await.unwrap().unwrap();
        if left.interaction.erased.is_none() {
            database.erase(&*store, id).await;
        }
    }
    let task = store.task(agent.id, "T-1").await.unwrap().unwrap();
    assert_eq!(task.title, None);
    assert!(store.scrub().await.unwrap());
    assert!(!database.has(MARK).await);
    verify_journal(&*store).await.unwrap();
}
