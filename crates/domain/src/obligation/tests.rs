//! The destinations events oblige us to tell, and the texts agents get.

use serde_json::json;
use uuid::Uuid;

use super::{CallbackKind, Destination, News, obligations};
use crate::{
    Changeset, DeliveryId, DestinationId, EventId, Role, TeamId,
    decide::interaction,
    delivery::{CallbackPlace, Filter, Lane, Listener, SlackChannel, Topic},
    interaction::Kind,
    testing::{
        Counter, agent, at, body, epoch, given, journalled, opened, person, shown_in, with,
        written as changed,
    },
};

fn team(n: u128) -> TeamId {
    TeamId(Uuid::from_u128(n))
}

fn destination(n: u128) -> DestinationId {
    DestinationId(Uuid::from_u128(n))
}

fn listener(n: u128, topics: &[Topic], sync_only: bool) -> Listener {
    Listener {
        id: destination(n),
        filter: Filter {
            topics: topics.to_vec(),
            sync_only,
            teams: vec![team(1)],
        },
    }
}

#[test]
fn an_event_obliges_to_tell_those_who_want_to_hear_of_it() {
    let listeners = [
        listener(1, &[], false),
        listener(2, &[Topic::Requested], true),
        listener(3, &[Topic::Notified], false),
    ];
    let news = |seq, topic, stops| News {
        seq,
        event: EventId(Uuid::from_u128(seq as u128)),
        at: epoch(),
        topic,
        stops,
        team: None,
    };
    let told = |news: &[News]| {
        let owed = listeners.iter().flat_map(|one| one.owed(news, 2));
        let told = owed.map(|one| (one.destination.id().0.as_u128(), one.event_seq));
        told.collect::<Vec<_>>()
    };
    assert_eq!(told(&[news(7, Topic::Requested, true)]), [(1, 7), (2, 7)]);
    assert_eq!(told(&[news(7, Topic::Requested, false)]), [(1, 7)]);
    assert_eq!(told(&[news(7, Topic::Notified, true)]), [(1, 7), (3, 7)]);
    // Rule 18: of its teams, and of no other.
    let of = |n| News {
        team: Some(team(n)),
        ..news(7, Topic::Requested, true)
    };
    assert_eq!(told(&[of(1)]), [(1, 7), (2, 7)]);
    assert_eq!(told(&[of(2)]), []);
    // Those that take two get the oldest two.
    let many: Vec<_> = (5..9)
        .map(|seq| news(seq, Topic::Requested, true))
        .collect();
    assert_eq!(told(&many), [(1, 5), (1, 6), (2, 5), (2, 6)]);
    let owed = listeners[0].owed(&many[..1], 2).remove(0);
    assert_eq!(owed.id, DeliveryId::of(many[0].event, destination(1)));
}

#[test]
fn an_agent_is_called_back_about_the_end_and_what_is_said_after_it() {
    let ids = Counter::default();
    let body = json!({"callback_url": "https://Agent.example:8443/a?b", "timeout_seconds": 60});
    let opening = opened(with(Kind::Question, body), None, &ids);
    let asked = changed(&opening);
    let calls = |changeset: Changeset| {
        let writes = changeset.writes.clone();
        obligations(&journalled(changeset), &writes)
    };
    assert_eq!(calls(opening), []);
    let ana = person(Role::Responder);
    let said = given(json!({"text": "  80\n"}));
    let answer = interaction::answer(&asked, said, &ana, None, at(&ids, 1)).unwrap();
    let answered = changed(&answer);
    let more = interaction::follow_up(&answered, "or 81".into(), &ana, at(&ids, 2)).unwrap();
    let collect = interaction::collect(&answered, &agent(), at(&ids, 2)).unwrap();
    assert_eq!(calls(collect), []);
    let cancel = interaction::cancel(&asked, &ana, Some("found it".into()), None, at(&ids, 1));
    let expire = interaction::expire(&asked, None, at(&ids, 60)).unwrap();
    let place = CallbackPlace {
        agent: agent().id,
        origin: "https://agent.example:8443".into(),
    };
    for (changeset, kind, message) in [
        (
            answer,
            CallbackKind::Answer,
            "Answer to your question ('Which port?'):   80\n",
        ),
        (
            more,
            CallbackKind::FollowUp,
            "Follow-up to your question ('Which port?'): or 81",
        ),
        (
            cancel.unwrap(),
            CallbackKind::Cancelled,
            "Your question ('Which port?') was cancelled: found it",
        ),
        (
            expire,
            CallbackKind::Timeout,
            "Nobody answered your question ('Which port?') in time. There is no answer: do not take it for a yes.",
        ),
    ] {
        assert_eq!(CallbackKind::of(&changeset.events[0].payload), Some(kind));
        assert_eq!(kind.message(&changed(&changeset)), message);
        let owed = calls(changeset);
        assert_eq!(owed.len(), 1);
        assert_eq!(owed[0].destination, Destination::Callback(place.clone()));
    }
}

#[test]
fn a_message_quotes_the_beginning_of_a_question_on_one_line() {
    let ids = Counter::default();
    let prompt = format!("Which\n\nport? {}", "ü".repeat(300));
    let fields = json!({"prompt": prompt, "fallback": "80", "timeout_seconds": 60});
    let asked = changed(&opened(with(Kind::Question, fields), None, &ids));
    let expired = changed(&interaction::expire(&asked, None, at(&ids, 60)).unwrap());
    let message = CallbackKind::Timeout.message(&expired);
    let quoted = format!("Which port? {}…", "ü".repeat(188));
    assert_eq!(
        message,
        format!("Nobody answered your question ('{quoted}') in time. Go on with your fallback: 80")
    );
}

#[test]
fn the_id_of_a_delivery_follows_from_event_and_destination() {
    let event = EventId(Uuid::from_u128(0x0192_0000_0000_7000_8000_0000_0000_0001));
    let other = EventId(Uuid::from_u128(0x0192_0000_0000_7000_8000_0000_0000_0002));
    let id = DeliveryId::of(event, destination(1));
    assert_eq!(id, DeliveryId::of(event, destination(1)));
    assert_ne!(id, DeliveryId::of(event, destination(2)));
    assert_ne!(id, DeliveryId::of(other, destination(1)));
    assert_eq!(id.0.get_version_num(), 8);
    assert_eq!(id.0.as_bytes()[..6], event.0.as_bytes()[..6]);
}

#[test]
fn a_channel_is_owed_what_changes_the_card_and_a_webhook_only_what_is_new() {
    let ids = Counter::default();
    for (channel, told) in [
        (Some("C0MAIN"), [true, true, true]),
        (Some(SlackChannel::OF_WEBHOOK), [true, true, false]),
        (None, [false; 3]),
    ] {
        let asking = shown_in(channel.map(str::to_owned), body(Kind::Question), &ids);
        let answer = interaction::answer(
            &changed(&asking),
            given(json!({"text": "80"})),
            &person(Role::Responder),
            None,
            at(&ids, 1),
        );
        let answer = answer.unwrap();
        let collected = interaction::collect(&changed(&answer), &agent(), at(&ids, 2)).unwrap();
        let lanes = match channel {
            Some(SlackChannel::OF_WEBHOOK) => [Lane::Asks; 3],
            _ => [Lane::Asks, Lane::Changes, Lane::Changes],
        };
        let all = [asking, answer, collected].into_iter().zip(lanes);
        for ((changeset, lane), told) in all.zip(told) {
            let writes = changeset.writes.clone();
            let events = journalled(changeset);
            let owed = obligations(&events, &writes);
            let channels: Vec<_> = owed.iter().map(|one| &one.destination).collect();
            let expected =
                channel.map(|name| Destination::Slack(SlackChannel(name.to_owned()), lane));
            let expected: Vec<_> = expected.iter().filter(|_| told).collect();
            assert_eq!(channels, expected, "{events:?}");
        }
    }
}
