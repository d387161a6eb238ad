//! Messages from Slack: kept once, heard once.

use chrono::TimeDelta;
use domain::{
    Changeset, InteractionEvent, MessageId, Payload, Write,
    decide::interaction as decide,
    interaction::{Draft, Shown},
    slack::{Message, Reply, Seen},
};
use futures::future::join_all;
use store::{CommitError, NewMessage};

use crate::database::{Database, ana, epoch};

store::on_both_databases!(
    a_message_comes_back_as_it_was,
    whatever_comes_again_is_recognised,
    a_change_of_a_message_is_another,
    of_messages_kept_at_once_one_is_new,
    messages_wait_oldest_first_and_as_long_as_they_are_told_to,
    a_reply_counts_once_whoever_hears_it,
    what_is_set_aside_is_not_heard,
    only_what_was_heard_is_forgotten,
);

fn message(ts: &str) -> Message {
    Message {
        channel: "C0MAIN".into(),
        ts: ts.into(),
        thread_ts: "1.000001".into(),
        user: "U0ANA".into(),
        team: Some("T0".into()),
        client_msg_id: None,
        text: "&lt;b&gt; \"two\"\r\n\u{0} nul 🦀".into(),
        edited: None,
    }
}

fn new(database: &Database, event_id: Option<&str>, message: Message) -> NewMessage {
    NewMessage {
        id: MessageId(domain::Ids::next(&database.ids)),
        event_id: event_id.map(str::to_owned),
        message,
        received_at: epoch(),
    }
}

fn reply_to(message: MessageId, text: &str) -> Reply {
    Reply {
        message,
        text: text.into(),
        written_at: Some(epoch()),
        is_edit: false,
    }
}

/// A question has only one thing to see.
const SEEN: Seen = Seen {
    shown: Shown::Whole,
    on_card: None,
};

async fn a_message_comes_back_as_it_was(database: Database) {
    let store = database.store().await;
    let bare = Message {
        team: None,
        edited: Some("3.5".into()),
        ..message("1.2")
    };
    let full = Message {
        client_msg_id: Some("c1".into()),
        ..message("1.3")
    };
    let kept = [
        new(&database, None, bare),
        new(&database, Some("Ev1"), full),
    ];
    assert_eq!(store.keep_messages(&kept).await.unwrap(), 2);
    assert_eq!(store.waiting_messages().await.unwrap(), 2);
    let found = store.messages_to_hear(epoch(), 10).await.unwrap();
    assert_eq!(found.len(), 2);
    for (found, kept) in found.iter().zip(&kept) {
        assert_eq!(found.id, kept.id);
        assert_eq!(found.message, kept.message);
        assert_eq!((found.received_at, found.tries), (epoch(), 0));
    }
}

async fn whatever_comes_again_is_recognised(database: Database) {
    let store = database.store().await;
    let first = Message {
        client_msg_id: Some("c1".into()),
        ..message("1.2")
    };
    let keep = |event: Option<&'static str>, message: Message| {
        let (store, new) = (store.clone(), new(&database, event, message));
        async move { store.keep_messages(&[new]).await.unwrap() }
    };
    assert_eq!(keep(Some("Ev1"), first.clone()).await, 1);
    // The event again; the message read back; another event of it; the gesture under another name.
    assert_eq!(keep(Some("Ev1"), message("9.9")).await, 0);
    assert_eq!(keep(None, first.clone()).await, 0);
    assert_eq!(keep(Some("Ev2"), first.clone()).await, 0);
    let repeated = Message {
        ts: "1.4".into(),
        ..first.clone()
    };
    assert_eq!(keep(Some("Ev3"), repeated.clone()).await, 0);
    // Names count within a channel.
    let elsewhere = Message {
        channel: "C0URGENT".into(),
        ..first
    };
    assert_eq!(keep(Some("Ev4"), elsewhere).await, 1);
    let plain = [
        new(&database, None, message("1.5")),
        new(&database, None, message("1.6")),
    ];
    assert_eq!(store.keep_messages(&plain).await.unwrap(), 2);
    assert_eq!(store.waiting_messages().await.unwrap(), 4);
}

async fn a_change_of_a_message_is_another(database: Database) {
    let store = database.store().await;
    let first = Message {
        client_msg_id: Some("c1".into()),
        ..message("1.2")
    };
    let edit = |at: &str| Message {
        edited: Some(at.into()),
        ..first.clone()
    };
    let all = [
        new(&database, Some("Ev1"), first.clone()),
        new(&database, Some("Ev2"), edit("5.1")),
        new(&database, Some("Ev3"), edit("5.2")),
        new(&database, Some("Ev4"), edit("5.2")),
        new(&database, Some("Ev2"), edit("5.3")),
    ];
    assert_eq!(store.keep_messages(&all).await.unwrap(), 3);
}

async fn of_messages_kept_at_once_one_is_new(database: Database) {
    let (store, other) = (database.store().await, database.store().await);
    let keeping = (0..16).map(|n| {
        let store = if n % 2 == 0 {
            store.clone()
        } else {
            other.clone()
        };
        // In either order, so that whoever locks one of them may wait for the other.
        let mut both = vec![
            new(&database, Some("Ev1"), message("1.2")),
            new(&database, Some("Ev2"), message("1.3")),
        ];
        if n % 3 == 0 {
            both.reverse();
        }
        tokio::spawn(async move { store.keep_messages(&both).await.unwrap() })
    });
    let kept: u64 = join_all(keeping)
        .await
        .into_iter()
        .map(Result::unwrap)
        .sum();
    assert_eq!(kept, 2);
    assert_eq!(store.waiting_messages().await.unwrap(), 2);
}

async fn messages_wait_oldest_first_and_as_long_as_they_are_told_to(database: Database) {
    let store = database.store().await;
    let all = ["1.2", "1.3", "1.4"].map(|ts| new(&database, None, message(ts)));
    store.keep_messages(&all).await.unwrap();
    let later = epoch() + TimeDelta::seconds(2);
    store.postpone_message(all[0].id, later).await.unwrap();
    let waiting = async |now, limit| {
        let found = store.messages_to_hear(now, limit).await.unwrap();
        found
            .iter()
            .map(|one| (one.id, one.tries))
            .collect::<Vec<_>>()
    };
    assert_eq!(waiting(epoch(), 1).await, [(all[1].id, 0)]);
    assert_eq!(waiting(epoch(), 9).await, [(all[1].id, 0), (all[2].id, 0)]);
    assert_eq!(waiting(later, 1).await, [(all[0].id, 1)]);
    assert!(waiting(epoch() - TimeDelta::seconds(1), 9).await.is_empty());
}

async fn a_reply_counts_once_whoever_hears_it(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let [asked, other] = [
        database.asked(&*store, &agent, Draft::default()).await,
        database.asked(&*store, &agent, Draft::default()).await,
    ];
    let kept = new(&database, Some("Ev1"), message("1.2"));
    store
        .keep_messages(std::slice::from_ref(&kept))
        .await
        .unwrap();
    let reply = reply_to(kept.id, "8081");
    let decided =
        |asked| decide::reply(asked, &reply, &SEEN, &ana(), None, database.at(5)).unwrap();
    // Another interaction each, so that nothing but the message stands in the way.
    let both = [decided(&asked), decided(&other)].map(|changeset| {
        let store = store.clone();
        tokio::spawn(async move { store.commit(changeset).await })
    });
    let outcomes = join_all(both).await;
    let outcomes: Vec<_> = outcomes.into_iter().map(Result::unwrap).collect();
    let won = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    let lost = outcomes
        .iter()
        .filter(|outcome| matches!(outcome, Err(CommitError::Conflict)))
        .count();
    assert_eq!((won, lost), (1, 1));
    let mut answered = 0;
    for id in [asked.id, other.id] {
        let now = store.interaction(id).await.unwrap().unwrap();
        let events = store.events_of(id, 0, 1_000).await.unwrap().collect();
        answered += usize::from(!now.state.is_pending());
        // The loser left nothing behind.
        assert_eq!(events.len(), if now.state.is_pending() { 1 } else { 2 });
    }
    assert_eq!(answered, 1);
    assert!(store.is_message_heard(kept.id).await.unwrap());
    assert!(store.messages_to_hear(epoch(), 9).await.unwrap().is_empty());
    assert_eq!(store.waiting_messages().await.unwrap(), 0);
    // What comes again later is still recognised.
    assert_eq!(store.keep_messages(&[kept]).await.unwrap(), 0);
    // A message that nobody kept never counts.
    let unknown = reply_to(MessageId(domain::Ids::next(&database.ids)), "x");
    let pending = [asked, other];
    for one in &pending {
        let now = store.interaction(one.id).await.unwrap().unwrap();
        let changeset = decide::reply(&now, &unknown, &SEEN, &ana(), None, database.at(6)).unwrap();
        let outcome = store.commit(changeset).await;
        assert!(matches!(outcome, Err(CommitError::Conflict)));
    }
    store::verify_journal(&*store).await.unwrap();
}

async fn what_is_set_aside_is_not_heard(database: Database) {
    let store = database.store().await;
    let agent = database.agent(&*store, "backend").await;
    let asked = database.asked(&*store, &agent, Draft::default()).await;
    let kept = new(&database, None, message("1.2"));
    store
        .keep_messages(std::slice::from_ref(&kept))
        .await
        .unwrap();
    assert!(!store.is_message_heard(kept.id).await.unwrap());
    let at = epoch() + TimeDelta::seconds(1);
    assert!(
        store
            .set_message_aside(kept.id, at, "no card")
            .await
            .unwrap()
    );
    assert!(!store.set_message_aside(kept.id, at, "again").await.unwrap());
    store.postpone_message(kept.id, epoch()).await.unwrap();
    assert!(store.messages_to_hear(at, 9).await.unwrap().is_empty());
    // Not even by a changeset that writes nothing else.
    let edit = Changeset {
        writes: vec![Write::Heard {
            message: kept.id,
            at,
            note: "an edit".into(),
        }],
        ..decide::reply(
            &asked,
            &Reply {
                is_edit: true,
                ..reply_to(kept.id, "x")
            },
            &SEEN,
            &ana(),
            None,
            database.at(5),
        )
        .unwrap()
    };
    assert!(matches!(
        edit.events[0].payload,
        Payload::Interaction(InteractionEvent::ReplyEdited { .. })
    ));
    let outcome = store.commit(edit).await;
    assert!(matches!(outcome, Err(CommitError::Conflict)));
    assert_eq!(
        store
            .events_of(asked.id, 0, 1_000)
            .await
            .unwrap()
            .collect()
            .len(),
        1
    );
}

async fn only_what_was_heard_is_forgotten(database: Database) {
    let store = database.store().await;
    let all = ["1.2", "1.3", "1.4"].map(|ts| new(&database, None, message(ts)));
    store.keep_messages(&all).await.unwrap();
    let at = |seconds| epoch() + TimeDelta::seconds(seconds);
    store
        .set_message_aside(all[0].id, at(1), "x")
        .await
        .unwrap();
    store
        .set_message_aside(all[1].id, at(9), "x")
        .await
        .unwrap();
    assert_eq!(store.forget_messages(at(9)).await.unwrap(), 1);
    assert_eq!(store.forget_messages(at(9)).await.unwrap(), 0);
    // What was forgotten would be new; whoever waits stays.
    assert_eq!(store.keep_messages(&all).await.unwrap(), 1);
    assert_eq!(store.waiting_messages().await.unwrap(), 2);
}
