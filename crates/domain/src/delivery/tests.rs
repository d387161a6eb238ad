//! When deliveries are tried again, whom events oblige us to tell, and who manages endpoints.

use chrono::{DateTime, TimeDelta, Utc};
use proptest::prelude::*;
use serde_json::json;
use uuid::Uuid;

use super::{
    CallbackKind, CallbackPlace, Delivery, DeliveryState, Destination, DestinationKind, Disabled,
    DisabledWhy, Endpoint, EndpointRef, Filter, Format, Health, Listener, News, Next, RETRIES,
    Reply, SealedSecret, SlackChannel, TRIES, Topic,
    decide::{self, NewEndpoint},
    obligations,
};
use crate::{
    Actor, AgentId, Changeset, DeliveryId, DestinationId, EventId, Payload, Principal, Refused,
    Role, TokenId, Write,
    interaction::{Kind, decide as interaction},
    testing::{
        Counter, agent, at, body, epoch, given, journalled, opened, person, shown_in, with,
        written as changed,
    },
};

fn delivery(tries: u32) -> Delivery {
    Delivery {
        id: DeliveryId(Uuid::from_u128(1)),
        destination: destination(1),
        event_seq: 1,
        state: DeliveryState::Sending,
        tries,
        next_at: epoch(),
        created_at: epoch(),
        ended_at: None,
        last_error: None,
    }
}

fn destination(n: u128) -> DestinationId {
    DestinationId(Uuid::from_u128(n))
}

fn status(code: u16) -> Reply {
    Reply::Status {
        code,
        retry_after: None,
    }
}

fn reply() -> impl Strategy<Value = Reply> {
    let asked = prop::option::of(0i64..10_000_000);
    prop_oneof![
        (100u16..600, asked).prop_map(|(code, asked)| Reply::Status {
            code,
            retry_after: asked.map(TimeDelta::seconds),
        }),
        Just(Reply::TimedOut),
        Just(Reply::Failed("no connection".into())),
        Just(Reply::Refused("a private address".into())),
    ]
}

proptest! {
    /// However a receiver behaves: only a 2xx is a delivery, a delivery ends after the last try, and a wait
    /// is never under 80 % of the schedule and never over twice of it (or a minute, for who is overloaded).
    #[test]
    fn a_delivery_ends_and_waits_stay_within_bounds(
        replies in prop::collection::vec((reply(), -1.0f64..=1.0), TRIES as usize),
    ) {
        let mut now = epoch();
        for (tries, (reply, jitter)) in (1..=TRIES).zip(replies) {
            match delivery(tries).after(DestinationKind::Webhook, &reply, now, jitter) {
                Next::Delivered => {
                    let accepted = matches!(reply, Reply::Status { code: 200..=299, .. });
                    prop_assert!(accepted);
                    return Ok(());
                }
                Next::Dead => {
                    prop_assert!(tries == TRIES || reply.is_gone());
                    return Ok(());
                }
                Next::Again(next) => {
                    prop_assert!(tries < TRIES && !reply.is_success());
                    let planned = RETRIES[tries as usize - 1];
                    prop_assert!(next - now >= planned * 4 / 5);
                    prop_assert!(next - now <= planned.max(TimeDelta::seconds(60)) * 2);
                    now = next;
                }
            }
        }
        prop_assert!(false, "it was tried {TRIES} times and neither arrived nor died");
    }

    /// Pauses grow, and one success ends them.
    #[test]
    fn a_destination_pauses_at_most_five_minutes(outcomes in prop::collection::vec(any::<bool>(), 1..60)) {
        let (mut health, mut now) = (Health::default(), epoch());
        let mut in_a_row = 0;
        for success in outcomes {
            now += TimeDelta::seconds(1);
            health = health.after(success, now);
            in_a_row = if success { 0 } else { in_a_row + 1 };
            prop_assert_eq!(health.failures, in_a_row);
            prop_assert_eq!(health.failing_since, (in_a_row > 0).then(|| now - TimeDelta::seconds(i64::from(in_a_row) - 1)));
            prop_assert_eq!(health.resume_at.is_some(), in_a_row > 2);
            let pause = health.resume_at.map_or(TimeDelta::zero(), |resume| resume - now);
            prop_assert!(pause <= TimeDelta::minutes(5));
            prop_assert_eq!(health.together(), if in_a_row > 2 { 1 } else { 4 });
        }
    }
}

fn waited(tries: u32, reply: &Reply, jitter: f64) -> i64 {
    match delivery(tries).after(DestinationKind::Webhook, reply, epoch(), jitter) {
        Next::Again(next) => (next - epoch()).num_milliseconds(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_schedule_is_the_designs() {
    let planned = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];
    for (tries, seconds) in (1..).zip(planned) {
        assert_eq!(waited(tries, &status(500), 0.0), seconds * 1_000);
        assert_eq!(waited(tries, &status(302), 1.0), seconds * 1_200);
        let failed = Reply::Failed(String::new());
        assert_eq!(waited(tries, &failed, -1.0), seconds * 800);
    }
    assert_eq!(
        delivery(8).after(DestinationKind::Webhook, &status(500), epoch(), 0.0),
        Next::Dead
    );
    // A lease that ran out counts as a try, so there may be more than planned.
    assert_eq!(
        delivery(9).after(DestinationKind::Webhook, &status(500), epoch(), 0.0),
        Next::Dead
    );
    assert_eq!(
        delivery(9).after(DestinationKind::Webhook, &status(204), epoch(), 0.0),
        Next::Delivered
    );
    assert_eq!(
        delivery(1).after(DestinationKind::Webhook, &status(410), epoch(), 0.0),
        Next::Dead
    );
}

#[test]
fn a_receiver_that_has_too_much_to_do_gets_a_minute_and_may_ask_for_twice_the_wait() {
    let asks = |code, seconds| Reply::Status {
        code,
        retry_after: Some(TimeDelta::seconds(seconds)),
    };
    assert_eq!(waited(1, &status(429), 0.0), 60_000);
    assert_eq!(waited(1, &Reply::TimedOut, 0.0), 60_000);
    assert_eq!(waited(2, &Reply::TimedOut, 0.0), 300_000);
    assert_eq!(waited(1, &asks(429, 90), 1.0), 90_000);
    assert_eq!(waited(1, &asks(429, 3_600), 0.0), 120_000);
    assert_eq!(waited(1, &asks(429, 1), 0.0), 60_000);
    assert_eq!(waited(1, &asks(503, 7), 0.0), 7_000);
    assert_eq!(waited(1, &asks(503, 3_600), 0.0), 10_000);
}

#[test]
fn five_days_of_nothing_but_failure_are_hopeless() {
    let mut health = Health::default().after(false, epoch());
    let later = |days| epoch() + TimeDelta::days(days);
    assert!(!health.is_hopeless(later(4)));
    assert!(health.is_hopeless(later(5)));
    health = health.after(true, later(5)).after(false, later(5));
    assert!(!health.is_hopeless(later(9)));
}

fn listener(n: u128, topics: &[Topic], sync_only: bool) -> Listener {
    let topics = topics.to_vec();
    Listener {
        id: destination(n),
        filter: Filter { topics, sync_only },
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
    };
    let told = |news: &[News]| {
        let owed = listeners.iter().flat_map(|one| one.owed(news, 2));
        let told = owed.map(|one| (one.destination.id().0.as_u128(), one.event_seq));
        told.collect::<Vec<_>>()
    };
    assert_eq!(told(&[news(7, Topic::Requested, true)]), [(1, 7), (2, 7)]);
    assert_eq!(told(&[news(7, Topic::Requested, false)]), [(1, 7)]);
    assert_eq!(told(&[news(7, Topic::Notified, true)]), [(1, 7), (3, 7)]);
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
fn an_agent_has_a_place_for_each_origin() {
    let of = |agent: u128, url: &str| CallbackPlace::of(AgentId(Uuid::from_u128(agent)), url);
    assert_eq!(of(1, "http://a.example").origin, "http://a.example");
    assert_eq!(of(1, "http://[::1]:1#x").origin, "http://[::1]:1");
    let same = of(1, "http://a.example/1").id();
    assert_eq!(same, of(1, "http://A.example/2?3").id());
    assert_ne!(same, of(2, "http://a.example/1").id());
    assert_ne!(same, of(1, "http://a.example:81/1").id());
    assert_ne!(same, of(1, "https://a.example/1").id());
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

fn script() -> Principal {
    Principal::Script {
        id: TokenId(Uuid::from_u128(9)),
        name: "zapier".into(),
    }
}

fn endpoint() -> Endpoint {
    let ids = Counter::default();
    decide::create(wished("Zapier"), &script(), at(&ids, 0))
        .unwrap()
        .0
}

fn wished(name: &str) -> NewEndpoint {
    NewEndpoint {
        id: destination(5),
        name: name.into(),
        url: "https://hooks.example:8443/secret?x".into(),
        filter: Filter::default(),
        format: Format::Flat,
        secret: SealedSecret(vec![1]),
    }
}

#[test]
fn agents_viewers_and_responders_do_not_manage_what_goes_out() {
    let ids = Counter::default();
    let now = at(&ids, 0);
    for (by, refused) in [
        (Principal::Agent(agent()), Refused::NotAResponder),
        (person(Role::Viewer), Refused::NotAnAdmin),
        (person(Role::Responder), Refused::NotAnAdmin),
    ] {
        let endpoint = endpoint();
        let secret = SealedSecret(vec![2]);
        let changes = [
            decide::create(wished("x"), &by, now).map(|(_, changeset)| changeset),
            decide::move_to(&endpoint, String::new(), &by, now),
            decide::rotate(&endpoint, secret, &by, now),
            decide::disable(&endpoint, true, &by, now),
            decide::disable(&endpoint, false, &by, now),
            decide::delete(&endpoint, &by, now),
            decide::test(&endpoint, &by, now),
            decide::retry(&delivery(8), None, &by, now),
            decide::retry_since(epoch(), None, &by, now),
        ];
        for change in changes {
            assert_eq!(change.unwrap_err(), refused);
        }
    }
    assert!(decide::create(wished(" "), &person(Role::Admin), now).is_err());
}

#[test]
fn an_event_names_the_host_of_an_endpoint_and_not_its_path() {
    let named = EndpointRef::from(&endpoint());
    assert_eq!(named.host, "hooks.example:8443");
    assert!(!serde_json::to_string(&named).unwrap().contains("secret"));
}

fn written(changeset: &Changeset) -> Endpoint {
    match &changeset.writes[..] {
        [Write::Endpoint(endpoint)] => endpoint.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn both_secrets_sign_for_a_day_after_a_rotation() {
    let ids = Counter::default();
    let old = endpoint();
    let new = decide::rotate(&old, SealedSecret(vec![2]), &script(), at(&ids, 60));
    let new = written(&new.unwrap());
    let secrets = |at: DateTime<Utc>| -> Vec<u8> {
        new.secrets(at).iter().map(|secret| secret.0[0]).collect()
    };
    let rotated = epoch() + TimeDelta::seconds(60);
    assert_eq!(secrets(rotated), [2, 1]);
    assert_eq!(secrets(rotated + TimeDelta::hours(23)), [2, 1]);
    assert_eq!(secrets(rotated + TimeDelta::hours(24)), [2]);
    assert_eq!(new.version, 2);
}

#[test]
fn an_endpoint_is_given_up_once_and_can_be_enabled_again() {
    let ids = Counter::default();
    let gone = decide::give_up(&endpoint(), DisabledWhy::Gone, at(&ids, 1)).unwrap();
    let endpoint = written(&gone);
    let why = DisabledWhy::Gone;
    let at_1 = epoch() + TimeDelta::seconds(1);
    assert_eq!(endpoint.disabled, Some(Disabled { at: at_1, why }));
    assert_eq!(gone.events[0].actor, Actor::Delivery);
    assert!(matches!(
        gone.events[0].payload,
        Payload::EndpointDisabled { .. }
    ));
    assert_eq!(decide::give_up(&endpoint, why, at(&ids, 2)), None);
    let tested = decide::test(&endpoint, &script(), at(&ids, 2));
    assert_eq!(tested.unwrap_err(), Refused::EndpointDisabled);
    let retried = decide::retry(&delivery(8), Some(&endpoint), &script(), at(&ids, 2));
    assert_eq!(retried.unwrap_err(), Refused::EndpointDisabled);
    let enabled = decide::disable(&endpoint, false, &script(), at(&ids, 3)).unwrap();
    assert!(written(&enabled).is_enabled());
}

#[test]
fn what_has_arrived_or_is_on_its_way_is_not_retried() {
    let ids = Counter::default();
    for state in DeliveryState::ALL {
        let delivery = Delivery {
            state,
            ..delivery(8)
        };
        let retried = decide::retry(&delivery, Some(&endpoint()), &script(), at(&ids, 1));
        let free = !matches!(state, DeliveryState::Delivered | DeliveryState::Sending);
        assert_eq!(retried.is_ok(), free, "{state:?}");
        assert_eq!(DeliveryState::from_name(state.name()), Some(state));
    }
}

#[test]
fn slack_is_tried_often_and_for_five_days_and_never_before_it_wants() {
    let after = |tries, age: TimeDelta, reply: &Reply| {
        let delivery = Delivery {
            created_at: epoch() - age,
            ..delivery(tries)
        };
        match delivery.after(DestinationKind::Slack, reply, epoch(), 0.0) {
            Next::Again(at) => Some((at - epoch()).num_seconds()),
            Next::Dead => None,
            Next::Delivered => Some(0),
        }
    };
    let young = TimeDelta::hours(1);
    for (tries, wait) in [(1, 5), (2, 10), (3, 20), (7, 300), (400, 300)] {
        assert_eq!(after(tries, young, &Reply::TimedOut), Some(wait));
    }
    assert_eq!(after(3, TimeDelta::days(5), &Reply::TimedOut), None);
    let limited = Reply::Status {
        code: 429,
        retry_after: Some(TimeDelta::seconds(1_000)),
    };
    assert_eq!(after(1, young, &limited), Some(1_000));
    let postponed = Reply::Postponed {
        why: "its card is not posted yet".into(),
        wait: TimeDelta::seconds(2),
    };
    assert_eq!(after(1, young, &postponed), Some(2));
    assert_eq!(
        after(1, young, &Reply::Parked("not_in_channel".into())),
        Some(60)
    );
    assert_eq!(
        after(1, young, &Reply::Invalid("invalid_blocks".into())),
        None
    );
    assert_eq!(after(1, young, &status(200)), Some(0));
}

#[test]
fn a_parked_destination_is_asked_once_a_minute() {
    let health = Health::default().parked(epoch());
    assert_eq!(health.resume_at, Some(epoch() + TimeDelta::seconds(60)));
    assert_eq!(health.failing_since, Some(epoch()));
    let reply = Reply::Parked("not_in_channel".into());
    assert!(reply.tells_of_health() && !reply.counts());
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
        for (changeset, told) in [asking, answer, collected].into_iter().zip(told) {
            let writes = changeset.writes.clone();
            let events = journalled(changeset);
            let owed = obligations(&events, &writes);
            let channels: Vec<_> = owed.iter().map(|one| &one.destination).collect();
            let expected = channel.map(|name| Destination::Slack(SlackChannel(name.to_owned())));
            let expected: Vec<_> = expected.iter().filter(|_| told).collect();
            assert_eq!(channels, expected, "{events:?}");
        }
    }
}

#[test]
fn channels_are_told_apart_and_stay_the_same() {
    let id = SlackChannel("C0MAIN".into()).id();
    assert_eq!(id, SlackChannel("C0MAIN".into()).id());
    assert_ne!(id, SlackChannel("C0URGENT".into()).id());
}
