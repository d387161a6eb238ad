//! Whom agents belong to.

use chrono::TimeDelta;
use uuid::Uuid;

use crate::{
    AgentId, Changeset, Parts, Payload, PersonId, Principal, Refused, Role, TokenEvent, TokenId,
    Write,
    access::{Access, Lifetime, Person, SecretHash, Token, TokenKind},
    decide::access::{self as decide, NewToken},
    fault::Fault,
    limits::PROOF_LASTS,
    testing::{Counter, at, epoch},
};

fn person(n: u128) -> Person {
    Person {
        id: PersonId(Uuid::from_u128(n)),
        version: 1,
        name: "Ben".into(),
        role: Role::Viewer,
        invited_at: epoch(),
        disabled_at: None,
        slack_id: None,
    }
}

fn disabled(n: u128) -> Person {
    Person {
        disabled_at: Some(epoch()),
        ..person(n)
    }
}

fn admin() -> Principal {
    Principal::Person {
        id: PersonId(Uuid::from_u128(9)),
        name: "Ana".into(),
        role: Role::Admin,
        proven_at: epoch(),
        teams: Parts::default(),
    }
}

fn token(owner: Option<PersonId>) -> Token {
    Token {
        id: TokenId(Uuid::from_u128(5)),
        kind: TokenKind::Agent,
        name: "backend".into(),
        agent_id: Some(AgentId(Uuid::from_u128(6))),
        expires_at: None,
        teams: Vec::new(),
        owner,
    }
}

fn created(kind: TokenKind, owner: &Person) -> Result<Changeset, Refused> {
    let new = NewToken {
        kind,
        name: "backend",
        agent: None,
        lifetime: Lifetime::Never,
        teams: &[],
        owner: Some(owner),
    };
    let ids = Counter::default();
    decide::create_token(&new, SecretHash([2; 32]), &admin(), at(&ids, 1))
}

#[test]
fn a_token_and_its_event_name_the_same_owner() {
    let ben = person(8);
    let made = created(TokenKind::Agent, &ben).unwrap();
    let [Write::Access(Access::Token { token, .. })] = &made.writes[..] else {
        panic!("{made:?}");
    };
    assert_eq!((token.owner, token.kind), (Some(ben.id), TokenKind::Agent));
    assert!(token.agent_id.is_some());
    assert_eq!(
        made.events[0].payload,
        Payload::Token(TokenEvent::Created(token.clone()))
    );
}

#[test]
fn an_owner_is_changed_and_taken_away_and_the_journal_says_so() {
    let (ids, ben) = (Counter::default(), person(8));
    for (before, after) in [
        (None, Some(&ben)),
        (Some(PersonId(Uuid::from_u128(7))), Some(&ben)),
        (Some(ben.id), None),
    ] {
        let before = token(before);
        let changed = decide::change_owner(&before, after, &admin(), at(&ids, 1)).unwrap();
        let owner = after.map(|person| person.id);
        let [Write::Access(Access::Own { token, owner: now })] = &changed.writes[..] else {
            panic!("{changed:?}");
        };
        assert_eq!((*token, *now), (before.id, owner));
        let event = &changed.events[0].payload;
        assert_eq!(event.event_type(), "token.owner_changed");
        assert_eq!(
            *event,
            Payload::Token(TokenEvent::OwnerChanged(Token { owner, ..before }))
        );
        let written = serde_json::to_value(event).unwrap();
        let read = Payload::read("token.owner_changed", &written["payload"].to_string());
        assert_eq!(read.unwrap(), *event);
    }
}

#[test]
fn who_cannot_come_in_owns_nothing_new_and_scripts_belong_to_nobody() {
    let ids = Counter::default();
    let fault = |refused: Result<Changeset, Refused>| match refused.unwrap_err() {
        Refused::Invalid(faults) => faults[0].clone(),
        other => panic!("{other:?}"),
    };
    let gone = "is disabled; name a person who can come in";
    assert_eq!(
        fault(created(TokenKind::Agent, &disabled(8))),
        Fault::new("owner", gone)
    );
    let (agents, by) = (token(None), admin());
    let refused = decide::change_owner(&agents, Some(&disabled(8)), &by, at(&ids, 1));
    assert_eq!(fault(refused), Fault::new("owner", gone));
    // From somebody who has left it can be taken.
    let left = token(Some(disabled(8).id));
    decide::change_owner(&left, None, &by, at(&ids, 1)).unwrap();
    let made = created(TokenKind::Responder, &person(8));
    assert!(fault(made).message.contains("a script belongs to nobody"));
    let script = Token {
        kind: TokenKind::Responder,
        agent_id: None,
        ..token(None)
    };
    for owner in [None, Some(&person(8))] {
        let refused = decide::change_owner(&script, owner, &by, at(&ids, 1));
        assert_eq!(fault(refused).path, "owner");
    }
}

#[test]
fn what_is_so_already_and_an_open_browser_change_no_owner() {
    let ids = Counter::default();
    let (ben, by) = (person(8), admin());
    let owned = token(Some(ben.id));
    let same = decide::change_owner(&owned, Some(&ben), &by, at(&ids, 1));
    assert_eq!(same, Err(Refused::Unchanged));
    let same = decide::change_owner(&token(None), None, &by, at(&ids, 1));
    assert_eq!(same, Err(Refused::Unchanged));
    let late = (PROOF_LASTS + TimeDelta::seconds(1)).num_seconds();
    let late = decide::change_owner(&owned, None, &by, at(&ids, late));
    assert_eq!(late, Err(Refused::Unproven));
}

#[test]
fn a_token_from_before_owners_reads_as_one_without() {
    let (old, owned) = (token(None), token(Some(person(8).id)));
    let text = serde_json::to_string(&old).unwrap();
    assert!(!text.contains("owner"), "{text}");
    for token in [old, owned] {
        let text = serde_json::to_string(&token).unwrap();
        assert_eq!(serde_json::from_str::<Token>(&text).unwrap(), token);
    }
}
