//! Files: named by who sent them, part of one thing, and gone with it.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    AgentId, AgentRef, AttachmentId, Changeset, Interaction, InteractionId, Principal, Write,
    attachment::{Attachment, Holder, Media, Part, Uploaded},
    decide::interaction as decide,
    digest,
    interaction::{AnswerDraft, Draft},
};
use serde_json::json;
use store::{CommitError, FileOf, NewFile, Store, verify_journal};
use uuid::Uuid;

use crate::database::{Database, ana, epoch, operator, written};

store::on_both_databases!(
    a_file_is_named_by_its_sender_once_it_is_there,
    an_ask_takes_its_files_along_or_is_not_kept,
    of_many_that_name_one_file_one_is_asked,
    a_file_that_is_not_as_it_was_makes_it_a_conflict,
    an_answer_takes_its_files_along,
    a_sender_has_so_many_that_are_part_of_nothing,
    what_is_part_of_nothing_goes_after_its_time_and_nothing_else,
    what_is_erased_has_no_file_and_no_name_of_one,
    what_an_agent_sends_counts_towards_its_day,
);

const MARK: &str = "xyzzyfile";
const MOST: u32 = 50;

fn at(seconds: i64) -> DateTime<Utc> {
    epoch() + TimeDelta::seconds(seconds)
}

fn file(database: &Database, holder: Holder, name: &str) -> NewFile {
    NewFile {
        id: AttachmentId(domain::Ids::next(&database.ids)),
        holder,
        attachment: Attachment {
            name: name.to_owned(),
            media: Media::Text,
            size: name.len() as u64,
            sha256: digest::sha256(name.as_bytes())[7..].to_owned(),
        },
        at: at(0),
    }
}

/// A file that is there.
async fn sent(database: &Database, store: &dyn Store, holder: Holder, name: &str) -> NewFile {
    let file = file(database, holder, name);
    assert!(store.expect_file(&file, MOST).await.unwrap());
    assert!(store.file_arrived(&file).await.unwrap());
    file
}

fn found(files: &[&NewFile]) -> Vec<Option<Uploaded>> {
    let found = files.iter().map(|file| {
        Some(Uploaded {
            id: file.id,
            attachment: file.attachment.clone(),
            part_of: None,
        })
    });
    found.collect()
}

fn ids(files: &[&NewFile]) -> Vec<AttachmentId> {
    files.iter().map(|file| file.id).collect()
}

fn asking(database: &Database, agent: &AgentRef, files: &[&NewFile]) -> Changeset {
    let body = json!({
        "kind": "approval", "prompt": "Go on?", "action": {"tool": "deploy"},
        "attachments": ids(files),
    });
    let draft = Draft {
        found: found(files),
        ..serde_json::from_value(body).unwrap()
    };
    let opened = database.opened(agent, draft, None, 0);
    decide::attach(opened, Holder::Agent(agent.id), &found(files)).unwrap()
}

async fn committed(store: &dyn Store, changeset: Changeset) -> Interaction {
    let interaction = written(&changeset);
    store.commit(changeset).await.unwrap();
    interaction
}

async fn a_file_is_named_by_its_sender_once_it_is_there(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let holder = Holder::Agent(agent.id);
    let coming = file(&database, holder, "coming");
    assert!(store.expect_file(&coming, MOST).await.unwrap());
    let there = sent(&database, &*store, holder, "there").await;
    let nowhere = AttachmentId(Uuid::from_u128(1));
    let all = [coming.id, there.id, nowhere, there.id];
    let expected = found(&[&there]).remove(0);
    assert_eq!(
        store.uploaded(holder, &all).await.unwrap(),
        [None, expected.clone(), None, expected]
    );
    for other in [
        Holder::Agent(AgentId(Uuid::from_u128(5))),
        // Of the same id.
        Holder::Person(domain::PersonId(agent.id.0)),
        Holder::Token(domain::TokenId(agent.id.0)),
    ] {
        let seen = store.uploaded(other, &[there.id]).await.unwrap();
        assert_eq!(seen, [None], "{other:?}");
    }
    let none = store.uploaded(holder, &[]).await.unwrap();
    assert_eq!(none, []);
    let unknown = NewFile {
        id: nowhere,
        ..file(&database, holder, "unknown")
    };
    assert!(!store.file_arrived(&unknown).await.unwrap());
    assert!(
        !store.file_arrived(&there).await.unwrap(),
        "it arrives once"
    );
}

async fn an_ask_takes_its_files_along_or_is_not_kept(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let holder = Holder::Agent(agent.id);
    let one = sent(&database, &*store, holder, "one").await;
    let two = sent(&database, &*store, holder, "two").await;
    let asked = committed(&*store, asking(&database, &agent, &[&two, &one])).await;
    let of = |file: &NewFile| FileOf {
        id: file.id,
        attachment: file.attachment.clone(),
    };
    assert_eq!(
        store.files_of(asked.id, Part::Ask).await.unwrap(),
        [of(&two), of(&one)]
    );
    assert_eq!(store.files_of(asked.id, Part::Answer).await.unwrap(), []);
    let read = store.interaction(asked.id).await.unwrap().unwrap();
    assert_eq!(read, asked);
    assert_eq!(
        read.request.attached(),
        [two.attachment.clone(), one.attachment.clone()]
    );
    let seen = store.uploaded(holder, &[one.id]).await.unwrap();
    assert_eq!(seen[0].as_ref().unwrap().part_of, Some(asked.id));
    // What is part of something is part of nothing else, and a file that has not arrived of nothing at all.
    let coming = file(&database, holder, "coming");
    store.expect_file(&coming, MOST).await.unwrap();
    let three = sent(&database, &*store, holder, "three").await;
    for files in [[&three, &one], [&three, &coming]] {
        let late = asking(&database, &agent, &files);
        let id = written(&late).id;
        let lost = store.commit(late).await;
        assert!(matches!(lost, Err(CommitError::Conflict)), "{lost:?}");
        assert!(store.interaction(id).await.unwrap().is_none());
        let free = store.uploaded(holder, &[three.id]).await.unwrap();
        assert_eq!(
            free[0].as_ref().unwrap().part_of,
            None,
            "nothing of it is kept"
        );
    }
    verify_journal(&*store).await.unwrap();
}

async fn of_many_that_name_one_file_one_is_asked(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let one = sent(&database, &*store, Holder::Agent(agent.id), "one").await;
    let commits = (0..16).map(|_| {
        let opening = asking(&database, &agent, &[&one]);
        let id = written(&opening).id;
        let store = store.clone();
        tokio::spawn(async move { (id, store.commit(opening).await) })
    });
    let mut won = Vec::new();
    for commit in commits.collect::<Vec<_>>() {
        match commit.await.unwrap() {
            (id, Ok(_)) => won.push(id),
            (_, Err(CommitError::Conflict)) => {}
            (_, Err(error)) => panic!("{error}"),
        }
    }
    assert_eq!(won.len(), 1);
    let of = store.files_of(won[0], Part::Ask).await.unwrap();
    assert_eq!(of.len(), 1);
}

async fn a_file_that_is_not_as_it_was_makes_it_a_conflict(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let holder = Holder::Agent(agent.id);
    let one = sent(&database, &*store, holder, "one").await;
    let changed = |change: &dyn Fn(&mut NewFile)| {
        let mut other = one.clone();
        change(&mut other);
        asking(&database, &agent, &[&other])
    };
    for late in [
        changed(&|file| file.attachment.sha256 = "0".repeat(64)),
        changed(&|file| file.attachment.size += 1),
        changed(&|file| file.attachment.name = "other".to_owned()),
        changed(&|file| file.attachment.media = Media::Diff),
        changed(&|file| file.id = AttachmentId(Uuid::from_u128(3))),
    ] {
        let lost = store.commit(late).await;
        assert!(matches!(lost, Err(CommitError::Conflict)), "{lost:?}");
    }
    let mut anothers = asking(&database, &agent, &[&one]);
    for write in &mut anothers.writes {
        if let Write::Attach(attaching) = write {
            attaching.holder = Holder::Agent(AgentId(Uuid::from_u128(9)));
        }
    }
    assert!(matches!(
        store.commit(anothers).await,
        Err(CommitError::Conflict)
    ));
    committed(&*store, asking(&database, &agent, &[&one])).await;
}

fn person() -> Holder {
    match ana() {
        Principal::Person { id, .. } => Holder::Person(id),
        other => panic!("{other:?}"),
    }
}

async fn an_answer_takes_its_files_along(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let asked = database.asked(&*store, &agent, Draft::default()).await;
    let log = sent(&database, &*store, person(), "log").await;
    let draft = AnswerDraft {
        text: Some("see there".to_owned()),
        attachments: Some(vec![log.id.to_string()]),
        found: found(&[&log]),
        ..AnswerDraft::default()
    };
    let answering = decide::answer(&asked, draft, &ana(), None, database.at(1)).unwrap();
    let answered = committed(&*store, answering).await;
    let of = store.files_of(asked.id, Part::Answer).await.unwrap();
    assert_eq!(of.len(), 1);
    assert_eq!((of[0].id, &of[0].attachment), (log.id, &log.attachment));
    let read = store.interaction(asked.id).await.unwrap().unwrap();
    assert_eq!(read, answered);
    assert_eq!(store.strays_after(None, 10).await.unwrap(), []);
    verify_journal(&*store).await.unwrap();
}

async fn a_sender_has_so_many_that_are_part_of_nothing(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let holder = Holder::Agent(agent.id);
    let expect = async |name: &str, holder| {
        let file = file(&database, holder, name);
        (store.expect_file(&file, 2).await.unwrap(), file)
    };
    let (first, one) = expect("one", holder).await;
    let (second, _) = expect("two", holder).await;
    let (third, refused) = expect("three", holder).await;
    assert_eq!((first, second, third), (true, true, false));
    assert!(
        !store.file_arrived(&refused).await.unwrap(),
        "nothing is noted of it"
    );
    let (others, _) = expect("three", person()).await;
    assert!(others);
    store.file_arrived(&one).await.unwrap();
    committed(&*store, asking(&database, &agent, &[&one])).await;
    let (fourth, four) = expect("three", holder).await;
    assert!(fourth);
    // One whose bytes could not be kept takes no room, and one that is part of something is not given up.
    assert!(!expect("five", holder).await.0);
    for given_up in [four.id, one.id] {
        store.give_up_file(given_up, at(1_000)).await.unwrap();
    }
    assert!(!store.file_arrived(&four).await.unwrap());
    // Its bytes may still be on their way.
    let early = store.files_to_remove(at(999), None, 10).await.unwrap();
    assert_eq!(early, []);
    assert_eq!(
        store.files_to_remove(at(1_000), None, 10).await.unwrap(),
        [four.id]
    );
    assert!(expect("five", holder).await.0);
}

async fn what_is_part_of_nothing_goes_after_its_time_and_nothing_else(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let holder = Holder::Agent(agent.id);
    let used = sent(&database, &*store, holder, "used").await;
    let asked = committed(&*store, asking(&database, &agent, &[&used])).await;
    let unused = sent(&database, &*store, holder, "unused").await;
    let coming = file(&database, holder, "coming");
    store.expect_file(&coming, MOST).await.unwrap();
    let young = NewFile {
        at: at(1_000),
        ..file(&database, holder, "young")
    };
    store.expect_file(&young, MOST).await.unwrap();
    assert_eq!(store.give_up_files(at(0), at(1_000)).await.unwrap(), 0);
    assert_eq!(store.give_up_files(at(1), at(1_000)).await.unwrap(), 2);
    assert_eq!(store.give_up_files(at(1), at(1_000)).await.unwrap(), 0);
    let mut expected = vec![unused.id, coming.id];
    expected.sort();
    let gone = store.files_to_remove(at(1_000), None, 10).await.unwrap();
    assert_eq!(gone, expected);
    // One that cannot be removed stands in nobody's way.
    for (after, limit, rest) in [
        (None, 1, &expected[..1]),
        (Some(expected[0]), 1, &expected[1..]),
        (Some(expected[1]), 1, &[]),
    ] {
        let gone = store
            .files_to_remove(at(1_000), after, limit)
            .await
            .unwrap();
        assert_eq!(gone, rest);
    }
    // Whoever comes too late with its bytes, or names it, learns that it is gone.
    assert!(!store.file_arrived(&coming).await.unwrap());
    assert_eq!(store.uploaded(holder, &[unused.id]).await.unwrap(), [None]);
    let late = store.commit(asking(&database, &agent, &[&unused])).await;
    assert!(matches!(late, Err(CommitError::Conflict)));
    // Only what was given up is forgotten, and that once.
    store
        .forget_files(&[unused.id, coming.id, used.id, young.id])
        .await
        .unwrap();
    assert_eq!(
        store.files_to_remove(at(1_000), None, 10).await.unwrap(),
        []
    );
    assert_eq!(store.files_of(asked.id, Part::Ask).await.unwrap().len(), 1);
    assert!(store.file_arrived(&young).await.unwrap());
}

async fn what_is_erased_has_no_file_and_no_name_of_one(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let one = sent(&database, &*store, Holder::Agent(agent.id), MARK).await;
    let asked = committed(&*store, asking(&database, &agent, &[&one])).await;
    let log = sent(&database, &*store, person(), &format!("{MARK} log")).await;
    let draft = AnswerDraft {
        approved: Some(false),
        attachments: Some(vec![log.id.to_string()]),
        found: found(&[&log]),
        ..AnswerDraft::default()
    };
    let answering = decide::answer(&asked, draft, &ana(), None, database.at(1)).unwrap();
    committed(&*store, answering).await;
    let known = store.erasable(asked.id).await.unwrap().unwrap();
    let erasing = decide::erase(&known, &operator(), database.at(100)).unwrap();
    committed(&*store, erasing).await;
    assert!(store.scrub().await.unwrap());
    let all = database.place.contents().await.unwrap();
    for word in [MARK, &*one.attachment.sha256] {
        let is_left = all.windows(word.len()).any(|part| part == word.as_bytes());
        assert!(!is_left, "{word} is left");
    }
    for part in [Part::Ask, Part::Answer] {
        assert_eq!(store.files_of(asked.id, part).await.unwrap(), []);
    }
    let mut gone = store.files_to_remove(at(1_000), None, 10).await.unwrap();
    gone.sort();
    let mut expected = vec![one.id, log.id];
    expected.sort();
    assert_eq!(gone, expected);
    store.forget_files(&gone).await.unwrap();
    assert_eq!(
        store.files_to_remove(at(1_000), None, 10).await.unwrap(),
        []
    );
    let unknown = InteractionId(Uuid::from_u128(1));
    assert_eq!(store.files_of(unknown, Part::Ask).await.unwrap(), []);
    assert_eq!(store.strays_after(None, 10).await.unwrap(), []);
    verify_journal(&*store).await.unwrap();
}

async fn what_an_agent_sends_counts_towards_its_day(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let day = domain::Day::of(at(0));
    let before = store.stored_by(agent.id, day).await.unwrap();
    // Of what did not arrive nothing is stored, however often it is sent again.
    let lost = file(&database, Holder::Agent(agent.id), "lost");
    store.expect_file(&lost, MOST).await.unwrap();
    store.give_up_file(lost.id, at(0)).await.unwrap();
    store.file_arrived(&lost).await.unwrap();
    assert_eq!(store.stored_by(agent.id, day).await.unwrap(), before);
    sent(&database, &*store, Holder::Agent(agent.id), "five5").await;
    assert_eq!(store.stored_by(agent.id, day).await.unwrap(), before + 5);
    sent(&database, &*store, person(), "six6!!").await;
    assert_eq!(store.stored_by(agent.id, day).await.unwrap(), before + 5);
}
