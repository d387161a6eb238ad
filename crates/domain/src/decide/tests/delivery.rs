//! Who manages endpoints, and what may be tried again.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::{
    Actor, Changeset, DeliveryId, DestinationId, EndpointEvent, Parts, Payload, Principal, Refused,
    Role, TokenId, Write,
    decide::delivery::{self as decide, NewEndpoint},
    delivery::{
        Delivery, DeliveryState, Disabled, DisabledWhy, Endpoint, EndpointRef, Filter, Format,
        SealedSecret,
    },
    testing::{Counter, agent, at, epoch, person},
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

fn script() -> Principal {
    Principal::Script {
        id: TokenId(Uuid::from_u128(9)),
        name: "zapier".into(),
        teams: Parts::default(),
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
        Payload::Endpoint(EndpointEvent::Disabled { .. })
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
