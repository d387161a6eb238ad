//! Who may let whom in, as tables.

use crate::{
    Actor, AgentId, AgentRef, Changeset, Parts, PasswordHash, Payload, PersonEvent, PersonId,
    Principal, Refused, Role, SessionId, TokenEvent, TokenId, Write,
    access::{
        Access, Lifetime, NewLink, NewSession, PasswordBy, Person, SecretHash, SlackId, Token,
        TokenKind,
    },
    decide::access::{self as decide, NewToken},
    limits::{PROOF_LASTS, TOKEN_LIFETIME},
    testing::{Counter, at, epoch},
};
use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

fn person(n: u128, role: Role) -> Person {
    Person {
        id: PersonId(Uuid::from_u128(n)),
        version: 3,
        name: "Ben".into(),
        role,
        invited_at: epoch(),
        disabled_at: None,
        slack_id: None,
    }
}

fn principal(n: u128, role: Role) -> Principal {
    Principal::Person {
        id: PersonId(Uuid::from_u128(n)),
        name: "Ana".into(),
        role,
        proven_at: epoch(),
        teams: Parts::default(),
    }
}

fn everybody() -> [(Principal, bool); 6] {
    let agent = AgentRef {
        id: AgentId(Uuid::from_u128(1)),
        name: "backend".into(),
    };
    let script = Principal::Script {
        id: TokenId(Uuid::from_u128(2)),
        name: "night desk".into(),
        teams: Parts::default(),
    };
    let operator = Principal::Operator {
        name: "root".into(),
    };
    [
        (Principal::Agent(agent), false),
        (script, false),
        (principal(9, Role::Viewer), false),
        (principal(9, Role::Responder), false),
        (principal(9, Role::Admin), true),
        (operator, true),
    ]
}

fn new(kind: TokenKind, name: &str, agent: Option<AgentId>) -> NewToken<'_> {
    NewToken {
        kind,
        name,
        agent,
        lifetime: Lifetime::Never,
        teams: &[],
        owner: None,
    }
}

fn link() -> NewLink {
    NewLink {
        hash: SecretHash([1; 32]),
        expires_at: epoch() + TimeDelta::hours(24),
    }
}

fn session() -> NewSession {
    NewSession {
        id: SessionId(Uuid::from_u128(4)),
        hash: SecretHash([3; 32]),
        created_at: epoch(),
        expires_at: epoch(),
        browser: String::new(),
        address: String::new(),
        host: String::new(),
    }
}

fn slack_id(text: &str) -> SlackId {
    SlackId::parse(text).unwrap()
}

fn written(changeset: &Changeset) -> Vec<&Access> {
    let writes = changeset.writes.iter().map(|write| match write {
        Write::Access(access) => access,
        other => panic!("{other:?}"),
    });
    writes.collect()
}

#[test]
fn only_admins_and_operators_let_anybody_in_or_keep_them_out() {
    let ids = Counter::default();
    let ben = person(8, Role::Viewer);
    let token = Token {
        id: TokenId(Uuid::from_u128(5)),
        kind: TokenKind::Responder,
        name: "night desk".into(),
        agent_id: None,
        expires_at: None,
        teams: Vec::new(),
        owner: None,
    };
    let agent_token = Token {
        kind: TokenKind::Agent,
        agent_id: Some(AgentId(Uuid::from_u128(6))),
        ..token.clone()
    };
    for (by, may) in everybody() {
        let now = || at(&ids, 1);
        let hash = SecretHash([2; 32]);
        let outcomes = [
            decide::invite("Cem", Role::Viewer, link(), &by, now()),
            decide::make_link(&ben, link(), &by, now()),
            decide::change(&ben, "Ben", Role::Admin, &by, now()),
            decide::disable(&ben, true, &[], &by, now()),
            decide::disable(&ben, false, &[], &by, now()),
            decide::link_slack(&ben, Some(slack_id("U0BEN")), None, &by, now()),
            decide::create_token(&new(TokenKind::Responder, "desk", None), hash, &by, now()),
            decide::create_token(&new(TokenKind::Agent, "ci", None), hash, &by, now()),
            decide::change_owner(&agent_token, Some(&ben), &by, now()),
            decide::revoke_token(&token, &by, now()),
        ];
        for outcome in outcomes {
            match outcome {
                Ok(changeset) => {
                    assert!(may, "{by:?}");
                    assert_eq!(changeset.events.len(), 1);
                    let actor = &changeset.events[0].actor;
                    assert_eq!(*actor, by.admin().unwrap());
                    assert_eq!(changeset.events[0].agent_id, None);
                }
                Err(refused) => assert_eq!((refused, may), (Refused::NotAnAdmin, false), "{by:?}"),
            }
        }
    }
}

#[test]
fn an_invited_person_comes_in_by_a_link_and_by_nothing_else() {
    let ids = Counter::default();
    let by = principal(9, Role::Admin);
    let invited = decide::invite("  Cem ", Role::Responder, link(), &by, at(&ids, 1)).unwrap();
    let [
        Access::Person(cem),
        Access::Link {
            person,
            link: made,
            by: None,
            ..
        },
    ] = written(&invited)[..]
    else {
        panic!("{invited:?}");
    };
    assert_eq!(
        (&*cem.name, cem.version, cem.role),
        ("Cem", 1, Role::Responder)
    );
    assert_eq!((*person, made), (cem.id, &link()));
    assert!(
        matches!(&invited.events[0].payload, Payload::Person(PersonEvent::Invited(one)) if one.id == cem.id)
    );
    for name in ["", " \u{200b}", "two\nlines", &"n".repeat(301)] {
        let refused = decide::invite(name, Role::Viewer, link(), &by, at(&ids, 1));
        assert!(matches!(refused, Err(Refused::Invalid(_))), "{name:?}");
    }
}

#[test]
fn an_admin_cannot_take_their_own_rights_away() {
    let ids = Counter::default();
    let (me, by) = (person(9, Role::Admin), principal(9, Role::Admin));
    let now = || at(&ids, 1);
    for role in [Role::Viewer, Role::Responder] {
        let refused = decide::change(&me, "Ana", role, &by, now());
        assert_eq!(refused, Err(Refused::Yourself));
    }
    assert_eq!(
        decide::disable(&me, true, &[], &by, now()),
        Err(Refused::Yourself)
    );
    let renamed = decide::change(&me, "Ana B", Role::Admin, &by, now()).unwrap();
    assert!(matches!(
        written(&renamed)[..],
        [Access::Person(Person { version: 4, .. })]
    ));
    // The operator may: they have the machine.
    let operator = Principal::Operator {
        name: "root".into(),
    };
    decide::disable(&me, true, &[], &operator, now()).unwrap();
}

#[test]
fn who_is_disabled_stays_so_since_then_and_gets_no_link() {
    let ids = Counter::default();
    let by = principal(9, Role::Admin);
    let ben = person(8, Role::Responder);
    let after = |changeset: &Changeset| match written(changeset)[..] {
        [Access::Person(person)] => person.clone(),
        ref other => panic!("{other:?}"),
    };
    let disabled = after(&decide::disable(&ben, true, &[], &by, at(&ids, 1)).unwrap());
    let since = Some(epoch() + TimeDelta::seconds(1));
    assert_eq!((disabled.disabled_at, disabled.version), (since, 4));
    let again = after(&decide::disable(&disabled, true, &[], &by, at(&ids, 9)).unwrap());
    assert_eq!(again.disabled_at, since);
    let refused = decide::make_link(&disabled, link(), &by, at(&ids, 9));
    assert_eq!(refused, Err(Refused::Disabled));
    let enabled = after(&decide::disable(&again, false, &[], &by, at(&ids, 9)).unwrap());
    assert_eq!((enabled.disabled_at, enabled.version), (None, 6));
}

#[test]
fn a_password_is_its_owner_s_act_and_in_no_event() {
    let ids = Counter::default();
    let ben = person(8, Role::Viewer);
    let hash = PasswordHash("$argon2id$…".into());
    let session = session();
    let by_link = PasswordBy::Link {
        link: SecretHash([1; 32]),
        session: session.clone(),
    };
    for by in [by_link, PasswordBy::Session(session.id)] {
        let set = decide::set_password(&ben, hash.clone(), by.clone(), at(&ids, 1));
        let event = &set.events[0];
        assert!(matches!(&event.actor, Actor::Person { id, .. } if *id == ben.id));
        // Who comes by a link is in with it.
        let comes_in = matches!(by, PasswordBy::Link { .. });
        assert_eq!(set.events.len(), if comes_in { 2 } else { 1 });
        if comes_in {
            let payload = &set.events[1].payload;
            assert!(
                matches!(payload, Payload::Person(PersonEvent::SignedIn { session: id, .. }) if *id == session.id)
            );
        }
        let told = serde_json::to_string(&event.payload).unwrap();
        assert!(
            told.contains("person.password_set") && !told.contains("argon2"),
            "{told}"
        );
        let [Access::Password { by: how, .. }] = written(&set)[..] else {
            panic!("{set:?}");
        };
        assert_eq!(*how, by);
        assert!(!format!("{set:?}").contains("argon2"));
    }
}

#[test]
fn an_agent_keeps_its_id_and_a_script_has_none() {
    let ids = Counter::default();
    let by = principal(9, Role::Admin);
    let known = AgentId(Uuid::from_u128(77));
    for (kind, agent, expected) in [
        (TokenKind::Agent, Some(known), Some(known)),
        (TokenKind::Responder, Some(known), None),
    ] {
        let hash = SecretHash([2; 32]);
        let now = at(&ids, 1);
        let made = decide::create_token(&new(kind, "backend", agent), hash, &by, now).unwrap();
        let [Access::Token { token, .. }] = written(&made)[..] else {
            panic!("{made:?}");
        };
        assert_eq!(token.agent_id, expected);
        assert!(
            matches!(&made.events[0].payload, Payload::Token(TokenEvent::Created(told)) if told == token)
        );
    }
    let made = decide::create_token(
        &new(TokenKind::Agent, "new", None),
        SecretHash([2; 32]),
        &by,
        at(&ids, 1),
    );
    assert!(
        matches!(written(&made.unwrap())[..], [Access::Token { token, .. }] if token.agent_id.is_some())
    );
}

#[test]
fn a_browser_that_was_left_open_lets_nobody_in() {
    let ids = Counter::default();
    let ben = person(8, Role::Viewer);
    let hash = SecretHash([2; 32]);
    let kind = TokenKind::Agent;
    let outcomes = |by: &Principal, seconds| {
        let now = || at(&ids, seconds);
        [
            decide::invite("Cem", Role::Viewer, link(), by, now()),
            decide::make_link(&ben, link(), by, now()),
            decide::change(&ben, "Ben", Role::Admin, by, now()),
            decide::create_token(&new(kind, "ci", None), hash, by, now()),
        ]
    };
    let by = principal(9, Role::Admin);
    let end = PROOF_LASTS.num_seconds();
    assert!(outcomes(&by, end - 1).iter().all(Result::is_ok));
    for seconds in [end, end + 1, 9_000_000] {
        for outcome in outcomes(&by, seconds) {
            assert_eq!(outcome, Err(Refused::Unproven), "{seconds}");
        }
        // What takes rights away, and another name, do not wait for a password.
        let now = || at(&ids, seconds);
        decide::disable(&ben, true, &[], &by, now()).unwrap();
        decide::change(&ben, "Benedikt", ben.role, &by, now()).unwrap();
    }
    // Whoever has the machine is asked for none, and no role is won by one.
    let operator = Principal::Operator {
        name: "root".into(),
    };
    assert!(outcomes(&operator, end).iter().all(Result::is_ok));
    for outcome in outcomes(&principal(9, Role::Responder), end) {
        assert_eq!(outcome, Err(Refused::NotAnAdmin));
    }
}

#[test]
fn a_token_is_good_for_as_long_as_is_said() {
    let now: DateTime<Utc> = "2030-01-31T12:00:00Z".parse().unwrap();
    let end = |text: &str| text.parse::<Lifetime>().and_then(|said| said.end(now));
    for (text, expected) in [
        ("never", None),
        ("12h", Some("2030-02-01T00:00:00Z")),
        (" 90d ", Some("2030-05-01T12:00:00Z")),
        ("3650d", Some("2040-01-29T12:00:00Z")),
        ("2030-01-31", Some("2030-02-01T00:00:00Z")),
        ("2031-12-31", Some("2032-01-01T00:00:00Z")),
    ] {
        let expected = expected.map(|text| text.parse::<DateTime<Utc>>().unwrap());
        assert_eq!(end(text), Ok(expected), "{text}");
    }
    assert_eq!(Lifetime::default().end(now), Ok(Some(now + TOKEN_LIFETIME)));
    for text in [
        "",
        "d",
        "0d",
        "0h",
        "-1d",
        "+1d",
        "90",
        "90 d",
        "1.5d",
        "3651d",
        "99999999999999999999d",
        "9999999999999d",
        "2030-01-30",
        "2041-01-01",
        "2030-02-30",
        "31.12.2030",
        "Never",
        "soon",
    ] {
        let fault = end(text).unwrap_err();
        assert_eq!(fault.path, "expires", "{text}");
    }
}

#[test]
fn what_somebody_made_can_end_with_their_access() {
    let ids = Counter::default();
    let by = principal(9, Role::Admin);
    let token = |n| Token {
        id: TokenId(Uuid::from_u128(n)),
        kind: TokenKind::Responder,
        name: "night desk".into(),
        agent_id: None,
        expires_at: None,
        teams: Vec::new(),
        owner: None,
    };
    let made = [token(5), token(6)];
    let ben = person(8, Role::Admin);
    let disabled = decide::disable(&ben, true, &made, &by, at(&ids, 1)).unwrap();
    let [Access::Person(_), first, second] = written(&disabled)[..] else {
        panic!("{disabled:?}");
    };
    for (write, one) in [first, second].into_iter().zip(&made) {
        assert!(matches!(write, Access::Revoke { token, .. } if *token == one.id));
    }
    let told: Vec<_> = disabled
        .events
        .iter()
        .map(|one| one.payload.event_type())
        .collect();
    assert_eq!(told, ["person.disabled", "token.revoked", "token.revoked"]);
}

#[test]
fn of_a_name_that_nobody_has_nothing_is_kept() {
    let ids = Counter::default();
    let ben = person(8, Role::Viewer);
    let failed = decide::fail_to_sign_in(None, None, at(&ids, 1));
    assert_eq!((failed.writes.len(), failed.events.len()), (0, 1));
    let event = &failed.events[0];
    assert_eq!((&event.actor, event.agent_id), (&Actor::Stranger, None));
    let told = serde_json::to_value(&event.payload).unwrap();
    assert_eq!(told["type"], "person.sign_in_failed");
    assert_eq!(told["payload"], serde_json::json!({"person": null}));
    let failed = decide::fail_to_sign_in(Some(&ben), None, at(&ids, 1));
    let told = serde_json::to_value(&failed.events[0].payload).unwrap();
    assert_eq!(told["payload"]["person"]["id"], ben.id.to_string());
    assert_eq!(failed.events[0].actor, Actor::Stranger);
}

#[test]
fn who_comes_and_goes_is_told_by_the_id_of_the_browser_and_no_secret() {
    let ids = Counter::default();
    let ben = person(8, Role::Viewer);
    let session = session();
    let came = decide::sign_in(&ben, session.clone(), at(&ids, 1));
    let left = decide::sign_out(&ben, vec![session.id], at(&ids, 2));
    for (changeset, event_type) in [(&came, "person.signed_in"), (&left, "person.signed_out")] {
        let event = &changeset.events[0];
        assert!(matches!(&event.actor, Actor::Person { id, .. } if *id == ben.id));
        assert_eq!(event.agent_id, None);
        assert_eq!(event.payload.event_type(), event_type);
        let told = serde_json::to_string(&event.payload).unwrap();
        assert!(told.contains(&session.id.to_string()), "{told}");
    }
    assert!(left.events[0].payload.ends_access() && !came.events[0].payload.ends_access());
}

#[test]
fn names_that_differ_in_capitals_are_one() {
    assert_eq!(
        Person::name_key(" ÉMILE Zola "),
        Person::name_key("émile zola")
    );
}

#[test]
fn of_oneself_one_says_nothing_about_slack_but_that_it_is_over() {
    let ids = Counter::default();
    let now = || at(&ids, 1);
    let linked = Person {
        slack_id: Some(slack_id("U0BEN")),
        ..person(8, Role::Responder)
    };
    let ben = principal(8, Role::Responder);
    let other = Some(slack_id("U0ANA"));
    for id in [other.clone(), linked.slack_id.clone()] {
        let refused = decide::link_slack(&linked, id, None, &ben, now());
        assert_eq!(refused, Err(Refused::NotAnAdmin));
    }
    let unlinked = decide::link_slack(&linked, None, None, &ben, now()).unwrap();
    assert!(matches!(
        written(&unlinked)[..],
        [Access::Person(Person {
            version: 4,
            slack_id: None,
            ..
        })]
    ));
    let event = &unlinked.events[0];
    assert!(matches!(&event.actor, Actor::Person { id, .. } if *id == linked.id));
    let told = serde_json::to_value(&event.payload).unwrap();
    assert_eq!(told["type"], "person.slack_unlinked");
    assert_eq!(told["payload"]["slack_id"], "U0BEN");
    assert_eq!(told["payload"]["person"]["name"], "Ben");
    // Nor does anybody else take it from them.
    for by in [principal(9, Role::Responder), principal(9, Role::Viewer)] {
        let refused = decide::link_slack(&linked, None, None, &by, now());
        assert_eq!(refused, Err(Refused::NotAnAdmin));
    }
    // Whoever came by the link that this user was shown may.
    let claimed = decide::claim_slack(&linked, slack_id("U0ANA"), None, now()).unwrap();
    let [Access::Person(next)] = written(&claimed)[..] else {
        panic!("{claimed:?}");
    };
    assert_eq!((&next.slack_id, next.version), (&other, 4));
    assert!(matches!(
        &claimed.events[0].payload,
        Payload::Person(PersonEvent::SlackLinked { person, slack_id }) if person.id == linked.id && Some(slack_id) == other.as_ref()
    ));
    let disabled = Person {
        disabled_at: Some(epoch()),
        ..linked
    };
    let refused = decide::claim_slack(&disabled, slack_id("U0ANA"), None, now());
    assert_eq!(refused, Err(Refused::Disabled));
}

#[test]
fn a_user_of_slack_is_one_person() {
    let ids = Counter::default();
    let now = || at(&ids, 1);
    let by = principal(9, Role::Admin);
    let id = || slack_id("U0BEN");
    let ben = Person {
        slack_id: Some(id()),
        ..person(8, Role::Viewer)
    };
    let cem = person(7, Role::Responder);
    let taken = Err(Refused::SlackTaken { by: "Ben".into() });
    let linked = decide::link_slack(&cem, Some(id()), Some(&ben), &by, now());
    assert_eq!(linked, taken);
    assert_eq!(decide::claim_slack(&cem, id(), Some(&ben), now()), taken);
    // What is so already stays as it is.
    for (person, slack_id) in [(&ben, Some(id())), (&cem, None)] {
        let holder = Some(&ben).filter(|_| slack_id.is_some());
        let linked = decide::link_slack(person, slack_id, holder, &by, now());
        assert_eq!(linked, Err(Refused::Unchanged));
    }
    let again = decide::claim_slack(&ben, id(), Some(&ben), now());
    assert_eq!(again, Err(Refused::Unchanged));
}

#[test]
fn slack_ids_are_told_from_what_is_none() {
    let longest = format!("W{}", "Z9".repeat(15));
    for text in ["U0ANA", "W1", &longest] {
        assert_eq!(slack_id(text).as_str(), text);
        let json = serde_json::to_string(&slack_id(text)).unwrap();
        assert_eq!(
            serde_json::from_str::<SlackId>(&json).unwrap(),
            slack_id(text)
        );
    }
    for text in [
        "",
        "U",
        "u0ana",
        "U0ana",
        "C0MAIN",
        "@ana",
        " U0ANA",
        "U0ANA\n",
        "U0ANÄ",
        "U0-ANA",
        &format!("{longest}A"),
    ] {
        let fault = SlackId::parse(text).unwrap_err();
        assert_eq!(fault.path, "slack_id", "{text}");
        assert!(serde_json::from_value::<SlackId>(text.into()).is_err());
    }
    let id = slack_id("U0ANA").responder_id();
    assert_eq!(id, slack_id("U0ANA").responder_id());
    assert_ne!(id, slack_id("U0BEN").responder_id());
    assert_eq!(id.get_version_num(), 8);
}
