//! When a person is offered a grant: after five equal approvals of theirs, and never of what is destructive.

use chrono::TimeDelta;
use proptest::prelude::*;
use serde_json::{Value, json};
use uuid::Uuid;

use super::sequences::bo;
use crate::{
    AgentId, AgentRef, Interaction, InteractionId, Parts, Principal, Role, TeamId, TeamRef,
    decide::{
        interaction::{self as decide, AskedOf},
        suggestion::{Suggestion, suggested, suggested_before},
    },
    interaction::{Ask, Request},
    limits::{SUGGESTED_AFTER, SUGGESTED_WITHIN},
    matcher::destructive,
    testing::{Counter, agent, at, epoch, given, person, request, written},
};

fn ana() -> Principal {
    person(Role::Responder)
}

fn another_person() -> Principal {
    Principal::Person {
        id: bo().id,
        name: bo().name,
        role: Role::Responder,
        proven_at: epoch(),
        teams: Parts::default(),
    }
}

fn asked(command: &str, more: Value) -> Request {
    let mut body = json!({
        "kind": "approval", "prompt": "May it run?", "timeout_seconds": null,
        "action": {"tool": "Bash", "arguments": {"command": command}},
    });
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    request(body)
}

fn pending(request: Request, agent: AgentRef, team: Option<TeamRef>, ids: &Counter) -> Interaction {
    let of = AskedOf { team, to: None };
    written(&decide::open_for(
        request,
        agent,
        of,
        None,
        None,
        None,
        at(ids, 0),
    ))
}

fn decided(
    command: &str,
    answer: Value,
    by: &Principal,
    seconds: i64,
    ids: &Counter,
) -> Interaction {
    let pending = pending(asked(command, json!({})), agent(), None, ids);
    written(&decide::answer(&pending, given(answer), by, None, at(ids, seconds)).unwrap())
}

fn approved(command: &str, seconds: i64, ids: &Counter) -> Interaction {
    decided(command, json!({"approved": true}), &ana(), seconds, ids)
}

/// As the program asks it before policies say more.
fn by_its_words(request: &Request) -> bool {
    match &request.ask {
        Ask::Approval { action, .. } => destructive(action).is_some(),
        _ => false,
    }
}

fn offered(equal: &[Interaction], seconds: i64, ids: &Counter) -> Option<Suggestion> {
    let newest = equal
        .iter()
        .max_by_key(|one| (one.state.closed_at(), one.id));
    suggested(newest?, equal, &ana(), &by_its_words, at(ids, seconds))
}

#[test]
fn after_five_equal_approvals_and_not_before() {
    let ids = Counter::default();
    let all: Vec<_> = (1..=6).map(|n| approved("cargo test", n, &ids)).collect();
    for count in 0..SUGGESTED_AFTER {
        assert_eq!(offered(&all[..count], 10, &ids), None, "{count}");
    }
    let found = offered(&all[..SUGGESTED_AFTER], 10, &ids).unwrap();
    assert_eq!((found.count, found.since), (5, at(&ids, 1).at));
    assert!(found.matcher.is_exact());
    // That it was offered before, the store knows.
    assert_eq!(offered(&all, 10, &ids).unwrap().since, at(&ids, 2).at);
    // Only after the newest.
    let fifth = &all[SUGGESTED_AFTER - 1];
    assert_eq!(
        suggested(fifth, &all, &ana(), &by_its_words, at(&ids, 10)),
        None
    );
}

#[test]
fn the_narrowest_that_covers_all_five_is_offered_or_nothing() {
    let ids = Counter::default();
    let each = |command: &dyn Fn(i64) -> String| {
        let all: Vec<_> = (1..=5).map(|n| approved(&command(n), n, &ids)).collect();
        offered(&all, 10, &ids)
    };
    let found = each(&|n| format!("cargo test case{n}")).unwrap();
    assert!(!found.matcher.is_exact());
    assert!(found.matcher.in_words().contains("cargo test"), "{found:?}");
    // The same to a person, and no grant is wide enough for all of them.
    assert_eq!(each(&|n| format!("tool{n} | sh")), None);
}

#[test]
fn what_is_no_plain_approval_of_theirs_does_not_count() {
    let ids = Counter::default();
    let yes = json!({"approved": true});
    let four =
        || -> Vec<Interaction> { (1..=4).map(|n| approved("cargo test", n, &ids)).collect() };
    let with = |one: Interaction| {
        let mut all = four();
        all.push(one);
        offered(&all, 10, &ids)
    };
    let other_agent = AgentRef {
        id: AgentId(Uuid::from_u128(99)),
        ..agent()
    };
    let shop = TeamRef {
        id: TeamId(Uuid::from_u128(5)),
        name: "shop".into(),
    };
    let of = |request: Request, agent: AgentRef, team: Option<TeamRef>, by: &Principal| {
        let pending = pending(request, agent, team, &ids);
        let answer = decide::answer(&pending, given(yes.clone()), by, None, at(&ids, 5));
        written(&answer.unwrap())
    };
    let plain = || asked("cargo test", json!({}));
    assert!(with(of(plain(), agent(), None, &ana())).is_some());
    assert_eq!(with(of(plain(), other_agent, None, &ana())), None);
    assert_eq!(
        with(of(plain(), agent(), Some(shop), &person(Role::Admin))),
        None
    );
    assert_eq!(with(of(plain(), agent(), None, &another_person())), None);
    assert_eq!(
        with(of(asked("cargo build", json!({})), agent(), None, &ana())),
        None
    );
    // Approved as it was asked, of what could be changed: another group.
    let amendable = asked("cargo test", json!({"amendable": true}));
    assert_eq!(with(of(amendable, agent(), None, &ana())), None);
    // Closed, and decided by nobody.
    let open = pending(plain(), agent(), None, &ids);
    let cancelled = decide::cancel(&open, &ana(), None, None, at(&ids, 5)).unwrap();
    assert_eq!(with(written(&cancelled)), None);
    // Only people are offered anything, and only what they may grant.
    let five: Vec<_> = (1..=5).map(|n| approved("cargo test", n, &ids)).collect();
    for by in [
        another_person(),
        person(Role::Viewer),
        Principal::Agent(agent()),
        Principal::SlackUser {
            id: Uuid::from_u128(8),
            name: "Ana".into(),
            role: Role::Responder,
            teams: Parts::default(),
        },
    ] {
        let found = suggested(&five[4], &five, &by, &by_its_words, at(&ids, 10));
        assert_eq!(found, None, "{by:?}");
    }
}

#[test]
fn one_denial_by_anybody_starts_the_count_anew() {
    let ids = Counter::default();
    for by in [ana(), another_person()] {
        let no = decided("cargo test", json!({"approved": false}), &by, 5, &ids);
        let mut all: Vec<_> = (1..=4).map(|n| approved("cargo test", n, &ids)).collect();
        all.push(no);
        for n in 6..=10 {
            assert_eq!(offered(&all, 20, &ids), None, "{n}");
            all.push(approved("cargo test", n, &ids));
        }
        assert_eq!(offered(&all, 20, &ids).unwrap().since, at(&ids, 6).at);
    }
}

#[test]
fn who_changes_something_first_starts_the_count_anew() {
    let ids = Counter::default();
    let amendable = |answer: Value, seconds| {
        let request = asked("cargo test", json!({"amendable": true}));
        let pending = pending(request, agent(), None, &ids);
        let answer = decide::answer(&pending, given(answer), &ana(), None, at(&ids, seconds));
        written(&answer.unwrap())
    };
    let yes = || json!({"approved": true});
    let changed = json!({"approved": true, "arguments": {"command": "cargo test -p domain"}});
    let mut all: Vec<_> = (1..=3).map(|n| amendable(yes(), n)).collect();
    all.push(amendable(changed, 4));
    all.extend((5..=8).map(|n| amendable(yes(), n)));
    assert_eq!(offered(&all, 20, &ids), None);
    all.push(amendable(yes(), 9));
    assert_eq!(offered(&all, 20, &ids).unwrap().since, at(&ids, 5).at);
}

#[test]
fn what_was_approved_by_a_grant_says_nothing() {
    let ids = Counter::default();
    let mut all: Vec<_> = (1..=4).map(|n| approved("cargo test", n, &ids)).collect();
    let draft = crate::grant::GrantDraft {
        expires_at: Some(epoch() + TimeDelta::days(1)),
        ..Default::default()
    };
    let made = crate::decide::grant::make(&all[3], draft, &ana(), 0, at(&ids, 4)).unwrap();
    let record = match &*made.writes {
        [crate::Write::Grant(crate::grant::GrantWrite::Make(grant))] => crate::grant::GrantRecord {
            grant: (**grant).clone(),
            uses: 0,
            last_used_at: None,
            ended: None,
        },
        other => panic!("{other:?}"),
    };
    let request = asked("cargo test", json!({}));
    let of = AskedOf::default();
    let used = decide::open_granted(request, agent(), of, None, None, &record, at(&ids, 5));
    all.push(written(&used.unwrap()));
    assert_eq!(offered(&all, 10, &ids), None);
    all.push(approved("cargo test", 6, &ids));
    assert_eq!(offered(&all, 10, &ids).unwrap().since, at(&ids, 1).at);
}

#[test]
fn what_is_destructive_is_never_offered() {
    let ids = Counter::default();
    for command in ["rm -rf build", "git push --force", "terraform apply"] {
        let all: Vec<_> = (1..=5).map(|n| approved(command, n, &ids)).collect();
        assert_eq!(offered(&all, 10, &ids), None, "{command}");
        assert!(suggested(&all[4], &all, &ana(), &|_| false, at(&ids, 10)).is_some());
    }
    // Whatever else says so.
    let all: Vec<_> = (1..=5).map(|n| approved("cargo test", n, &ids)).collect();
    assert_eq!(
        suggested(&all[4], &all, &ana(), &|_| true, at(&ids, 10)),
        None
    );
    // One of them is enough.
    let mut all: Vec<_> = (1..=5)
        .map(|n| approved(&format!("ls d{n}"), n, &ids))
        .collect();
    assert!(offered(&all, 10, &ids).is_some());
    let third = all.remove(2);
    let is_third = |request: &Request| *request == third.request;
    all.push(third.clone());
    let newest = all.iter().max_by_key(|one| one.state.closed_at()).unwrap();
    assert_eq!(
        suggested(newest, &all, &ana(), &is_third, at(&ids, 10)),
        None
    );
}

#[test]
fn who_goes_from_one_to_the_next_is_offered_it_there() {
    let ids = Counter::default();
    let all: Vec<_> = (1..=5)
        .map(|n| approved(&format!("cargo test case{n}"), n, &ids))
        .collect();
    let next = |command: &str| pending(asked(command, json!({})), agent(), None, &ids);
    let offered = |next: &Interaction, equal: &[Interaction], by: &Principal| {
        suggested_before(next, equal, by, &by_its_words, at(&ids, 10))
    };
    let sixth = next("cargo test case6");
    let (after, found) = offered(&sixth, &all, &ana()).unwrap();
    assert_eq!((after, found.count), (all[4].id, 5));
    assert_eq!(offered(&sixth, &all[1..], &ana()), None);
    assert_eq!(offered(&sixth, &all, &another_person()), None);
    // Of another kind, or not what the grant would cover.
    assert_eq!(offered(&next("cargo build"), &all, &ana()), None);
    assert_eq!(offered(&next("cargo test case6; ls"), &all, &ana()), None);
    // What is decided is offered after it, or not at all.
    assert_eq!(offered(&all[4], &all, &ana()), None);
    let mut denied = all.clone();
    let no = json!({"approved": false});
    denied.push(decided("cargo test case6", no, &another_person(), 6, &ids));
    assert_eq!(offered(&sixth, &denied, &ana()), None);
    let is_sixth = |request: &Request| *request == sixth.request;
    let by_policy = suggested_before(&sixth, &all, &ana(), &is_sixth, at(&ids, 10));
    assert_eq!(by_policy, None);
}

#[derive(Clone, Copy, Debug)]
enum Said {
    Yes,
    No,
    Another,
}

proptest! {
    /// Whatever was decided in whatever order: what is offered rests on five approvals of theirs with no denial after the
    /// first of them, within 30 days.
    #[test]
    fn an_offer_rests_on_five_in_a_row(
        said in proptest::collection::vec(
            (prop_oneof![5 => Just(Said::Yes), 1 => Just(Said::No), 1 => Just(Said::Another)], 1_i64..700_000), 1..12),
        later in 0_i64..3_000_000,
    ) {
        let ids = Counter::default();
        let mut now = 0;
        let mut all = Vec::new();
        let mut told = Vec::new();
        for (said, after) in said {
            now += after;
            all.push(match said {
                Said::Yes => approved("cargo test", now, &ids),
                Said::No => decided("cargo test", json!({"approved": false}), &ana(), now, &ids),
                Said::Another => decided("cargo test", json!({"approved": true}), &another_person(), now, &ids),
            });
            told.push((said, now));
        }
        now += later;
        let oldest = now - SUGGESTED_WITHIN.num_seconds();
        let streak: Vec<i64> = told
            .iter()
            .rev()
            .take_while(|(said, _)| !matches!(said, Said::No))
            .filter(|(said, at)| matches!(said, Said::Yes) && *at >= oldest)
            .map(|(_, at)| *at)
            .take(SUGGESTED_AFTER)
            .collect();
        let newest_is_theirs = matches!(told.last(), Some((Said::Yes, _)));
        let found = offered(&all, now, &ids);
        prop_assert_eq!(found.is_some(), newest_is_theirs && streak.len() == SUGGESTED_AFTER);
        if let Some(found) = found {
            prop_assert_eq!(found.since, at(&ids, streak[SUGGESTED_AFTER - 1]).at);
            let ids_of: Vec<InteractionId> = all.iter().map(|one| one.id).collect();
            prop_assert!(ids_of.len() >= SUGGESTED_AFTER);
        }
    }
}
