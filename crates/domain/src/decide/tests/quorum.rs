//! Rule 16: different people. Each state of an approval that takes several × each command, and what holds for any sequence.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use proptest::prelude::*;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    Changeset, Event, Interaction, InteractionEvent, Part, Parts, Payload, PersonId, Principal,
    Refused, Role, Team, TeamId, TokenId, Uncounted, Write,
    decide::interaction::{self as decide, Voters},
    interaction::{Brief, Draft, Kind, Outcome, Quorum, State, Unproven, people},
    ladder::LadderWrite,
    team::Profile,
    testing::{
        Counter, Stamp, agent, at, body, draft, epoch, given, human, journalled, opened, request,
        with, written,
    },
};

const TEAM: TeamId = TeamId(Uuid::from_u128(50));
const NAMES: [&str; 4] = ["Ana", "Bo", "Cy", "Di"];

fn team(n: u128) -> Team {
    Team {
        id: TeamId(Uuid::from_u128(n)),
        version: 1,
        profile: Profile {
            name: format!("team {n}"),
            ..Profile::default()
        },
        created_at: epoch(),
        deleted_at: None,
    }
}

fn id(n: usize) -> PersonId {
    PersonId(Uuid::from_u128(20 + n as u128))
}

/// Somebody who is a member of both teams, or of neither.
fn somebody(n: usize, role: Role, is_member: bool) -> Principal {
    let parts = [TEAM, TeamId(Uuid::from_u128(51))];
    Principal::Person {
        id: id(n),
        name: NAMES[n].into(),
        role,
        proven_at: epoch(),
        teams: match is_member {
            true => parts
                .map(|team| (team, Part::Answers))
                .into_iter()
                .collect(),
            false => Parts::default(),
        },
    }
}

fn member(n: usize) -> Principal {
    somebody(n, Role::Responder, true)
}

/// All four answer, and the last one owns the agent.
fn all() -> Voters {
    Voters {
        people: (0..NAMES.len()).map(member).collect(),
        owners: vec![id(3)],
        lapsed: Vec::new(),
    }
}

fn pending(approvals: Value, ids: &Counter) -> Interaction {
    let fields = json!({"timeout_seconds": 60, "approvals": approvals});
    written(&decide::open(
        request(with(Kind::Approval, fields)),
        agent(),
        Some(team(50).named()),
        None,
        None,
        None,
        at(ids, 0),
    ))
}

fn says(
    interaction: &Interaction,
    by: &Principal,
    approved: bool,
    voters: &Voters,
    ids: &Counter,
    seconds: i64,
) -> Result<Changeset, Refused> {
    let draft = given(json!({"approved": approved, "text": "so"}));
    decide::answer_counted(interaction, draft, by, voters, None, at(ids, seconds))
}

#[derive(Clone, Copy, Debug)]
enum Command {
    Approve(usize),
    Deny(usize),
    Expire,
    Cancel,
    Move,
    HandToTeam,
    HandToBo,
    Claim,
    Collect,
    Consume,
}

const COMMANDS: [Command; 14] = [
    Command::Approve(0),
    Command::Approve(1),
    Command::Approve(3),
    Command::Deny(0),
    Command::Deny(1),
    Command::Deny(3),
    Command::Expire,
    Command::Cancel,
    Command::Move,
    Command::HandToTeam,
    Command::HandToBo,
    Command::Claim,
    Command::Collect,
    Command::Consume,
];

fn run(
    command: Command,
    interaction: &Interaction,
    voters: &Voters,
    ids: &Counter,
    seconds: i64,
) -> Result<Changeset, Refused> {
    let now = at(ids, seconds);
    let admin = somebody(2, Role::Admin, true);
    match command {
        Command::Approve(n) => says(interaction, &member(n), true, voters, ids, seconds),
        Command::Deny(n) => says(interaction, &member(n), false, voters, ids, seconds),
        Command::Expire => decide::expire(interaction, None, now),
        Command::Cancel => decide::cancel(interaction, &member(0), None, None, now),
        Command::Move => decide::move_to(interaction, &team(51), &admin, now),
        Command::HandToTeam => {
            let to = team(51);
            decide::hand_over(
                interaction,
                decide::Receiver::Team(Some(&to)),
                None,
                &member(0),
                now,
            )
        }
        Command::HandToBo => {
            let bo = human(21, "Bo", Role::Responder);
            let parts: Parts = [(TEAM, Part::Answers)].into_iter().collect();
            let to = decide::Receiver::Person(Some((&bo, &parts)));
            decide::hand_over(interaction, to, None, &member(0), now)
        }
        Command::Claim => decide::claim(interaction, 1, &member(0), now),
        Command::Collect => decide::collect(interaction, &agent(), now),
        Command::Consume => decide::consume(interaction, &agent(), "run 1".into(), now),
    }
}

/// The state a command leads to with the number of approvals in it, or why it is refused.
fn outcome(result: &Result<Changeset, Refused>) -> String {
    match result {
        Ok(changeset) => {
            let next = written(changeset);
            let state = next.state.outcome().map_or("pending", Outcome::name);
            format!("{state} {}", next.votes().len())
        }
        Err(Refused::Closed { outcome, .. }) => format!("closed: {}", outcome.name()),
        Err(Refused::HasApproved { missing, .. }) => format!("has approved, {missing} missing"),
        Err(Refused::NotCounted(why)) => why.code().to_owned(),
        Err(Refused::NotDue) => "not due".to_owned(),
        Err(Refused::StillPending) => "still pending".to_owned(),
        Err(other) => other.to_string(),
    }
}

#[test]
fn every_command_on_every_state_of_an_approval_that_takes_two() {
    let ids = Counter::default();
    let asked = pending(json!({"needed": 2, "of": "team", "four_eyes": true}), &ids);
    let next = |from: &Interaction, command, seconds| {
        written(&run(command, from, &all(), &ids, seconds).unwrap())
    };
    let one = next(&asked, Command::Approve(0), 1);
    let approved = next(&one, Command::Approve(1), 2);
    let denied = next(&one, Command::Deny(1), 2);
    let cancelled = next(&one, Command::Cancel, 2);
    let expired = next(&one, Command::Expire, 60);
    let no = "this was not approved";
    for (name, from, expected) in [
        (
            "none has approved",
            &asked,
            [
                "pending 1",
                "pending 1",
                "owns_the_agent",
                "denied 0",
                "denied 0",
                "denied 0",
                "not due",
                "cancelled 0",
                "pending 0",
                "pending 0",
                "pending 0",
                "pending 0",
                "still pending",
                no,
            ],
        ),
        (
            "Ana has approved",
            &one,
            [
                "has approved, 1 missing",
                "approved 1",
                "owns_the_agent",
                "denied 1",
                "denied 1",
                "denied 1",
                "not due",
                "cancelled 0",
                "pending 0",
                "pending 0",
                "pending 1",
                "pending 1",
                "still pending",
                no,
            ],
        ),
    ] {
        for (command, expected) in COMMANDS.into_iter().zip(expected) {
            let found = outcome(&run(command, from, &all(), &ids, 30));
            assert_eq!(found, expected, "{name}, {command:?}");
        }
    }
    for (from, name) in [
        (&approved, "approved"),
        (&denied, "denied"),
        (&cancelled, "cancelled"),
        (&expired, "expired"),
    ] {
        for command in COMMANDS {
            let votes = from.votes().len();
            let expected = match command {
                Command::Collect => format!("{name} {votes}"),
                Command::Consume if name == "approved" => format!("{name} {votes}"),
                Command::Consume => no.to_owned(),
                _ => format!("closed: {name}"),
            };
            let found = outcome(&run(command, from, &all(), &ids, 61));
            assert_eq!(found, expected, "{name}, {command:?}");
        }
        assert_eq!(from.approved(), Some(name == "approved"));
        assert_eq!(&from.clone().proven(&Stamp), from);
    }
    // After the deadline nobody's approval is the last one.
    let late = run(Command::Approve(1), &one, &all(), &ids, 60);
    assert_eq!(outcome(&late), "closed: expired");
}

#[test]
fn one_receipt_names_all_who_approved() {
    let ids = Counter::default();
    let mut one = pending(json!({"needed": 3}), &ids);
    for n in 0..3 {
        assert_eq!(one.approved(), Some(false));
        assert!(one.receipt().is_none());
        one = written(&says(&one, &member(n), true, &all(), &ids, n as i64 + 1).unwrap());
    }
    assert_eq!(one.approved(), Some(true));
    let decision = &one.receipt().unwrap().decision;
    let named: Vec<_> = decision
        .approvers
        .iter()
        .map(|it| &*it.responder.name)
        .collect();
    assert_eq!(named, ["Ana", "Bo", "Cy"]);
    assert_eq!(decision.approvers[0].at, epoch() + TimeDelta::seconds(1));
    assert_eq!(decision.responder.name, "Cy");
    let texts: Vec<_> = one
        .votes()
        .iter()
        .map(|vote| vote.text.as_deref())
        .collect();
    assert_eq!(texts, [Some("so"); 2]);
    let signed = String::from_utf8(decision.signed_bytes().unwrap()).unwrap();
    let first = r#""approvers":[{"at":"2023-11-14T22:13:21Z","id":"00000000-0000-0000-0000-000000000014","name":"Ana","via":"dashboard"},"#;
    assert!(signed.contains(first), "{signed}");
    let blank = serde_json::to_string(&one.without_words().state).unwrap();
    assert!(!blank.contains("so\""), "{blank}");
    // One approval of its own is as it was.
    let plain = written(&opened(body(Kind::Approval), None, &ids));
    let plain = written(&says(&plain, &member(0), true, &Voters::default(), &ids, 1).unwrap());
    assert_eq!(plain.receipt().unwrap().decision.approvers, []);
}

#[test]
fn nothing_counts_that_may_be_somebody_who_counts_already() {
    let ids = Counter::default();
    let asked = pending(json!({"needed": 2}), &ids);
    let teams: Parts = [(TEAM, Part::Answers)].into_iter().collect();
    let script = Principal::Script {
        id: TokenId(Uuid::from_u128(9)),
        name: "night desk".into(),
        teams: teams.clone(),
    };
    let in_slack = |id: Uuid| Principal::SlackUser {
        id,
        name: "Ana".into(),
        role: Role::Responder,
        teams: teams.clone(),
    };
    let stranger = in_slack(Uuid::from_u128(99));
    for by in [&script, &stranger] {
        let refused = says(&asked, by, true, &all(), &ids, 1);
        assert_eq!(
            refused,
            Err(Refused::NotCounted(Uncounted::Nobody)),
            "{by:?}"
        );
        // No is no, whoever may say it.
        let denied = written(&says(&asked, by, false, &all(), &ids, 1).unwrap());
        assert_eq!(denied.state.outcome(), Some(Outcome::Denied));
    }
    // Ana on the page and Ana in Slack are one.
    let one = written(&says(&asked, &member(0), true, &all(), &ids, 1).unwrap());
    let again = says(&one, &in_slack(id(0).0), true, &all(), &ids, 2);
    assert_eq!(outcome(&again), "has approved, 1 missing");
    let both = written(&says(&one, &in_slack(id(1).0), true, &all(), &ids, 2).unwrap());
    assert_eq!(both.approved(), Some(true));
    // Where nothing is known of people, none of them counts.
    let unknown = says(&asked, &member(0), true, &Voters::default(), &ids, 1);
    assert_eq!(unknown, Err(Refused::NotCounted(Uncounted::Nobody)));
}

#[test]
fn who_does_not_count_is_told_why() {
    let ids = Counter::default();
    let both = json!({"needed": 2, "of": "team", "four_eyes": true});
    let of_team = json!({"of": "team"});
    let four_eyes = json!({"four_eyes": true});
    let admin = somebody(2, Role::Admin, false);
    let with_admin = Voters {
        people: vec![admin.clone()],
        ..all()
    };
    let no_owner = Voters {
        owners: Vec::new(),
        ..all()
    };
    for (approvals, by, voters, expected) in [
        (&both, member(3), all(), "owns_the_agent"),
        (&four_eyes, member(3), all(), "owns_the_agent"),
        (&four_eyes, member(0), all(), "approved 0"),
        (
            &four_eyes,
            member(0),
            no_owner.clone(),
            "agent_without_owner",
        ),
        (&of_team, admin.clone(), with_admin.clone(), "not_counted"),
        (&of_team, member(3), no_owner, "approved 0"),
        (&json!({"needed": 1}), admin, with_admin, "approved 0"),
    ] {
        let asked = pending(approvals.clone(), &ids);
        let found = outcome(&says(&asked, &by, true, &voters, &ids, 1));
        assert_eq!(found, expected, "{approvals}, {by:?}");
    }
}

#[test]
fn whose_agent_it_was_when_it_asked_does_not_count_either() {
    let ids = Counter::default();
    let mut of_ana = request(with(
        Kind::Approval,
        json!({"approvals": {"four_eyes": true}}),
    ));
    of_ana.owners = vec![id(0)];
    let of_ana = written(&decide::open(
        of_ana,
        agent(),
        None,
        None,
        None,
        None,
        at(&ids, 0),
    ));
    // Given to Di meanwhile, by a new token or by another word.
    let found = |n, voters: &Voters| outcome(&says(&of_ana, &member(n), true, voters, &ids, 1));
    assert_eq!(found(0, &all()), "owns_the_agent");
    assert_eq!(found(3, &all()), "owns_the_agent");
    assert_eq!(found(1, &all()), "approved 0");
    // Nor does it help that it was somebody's where nobody knows whose it is now.
    let nobody = Voters {
        owners: Vec::new(),
        ..all()
    };
    assert_eq!(found(1, &nobody), "agent_without_owner");
    let json = serde_json::to_value(&of_ana.request).unwrap();
    assert_eq!(json["owners"], json!([id(0)]));
    assert_eq!(of_ana.request.without_words().owners, [id(0)]);
}

#[test]
fn where_no_team_is_asked_nobody_is_a_member_of_it() {
    let ids = Counter::default();
    let fields = json!({"approvals": {"of": "team"}});
    let asked = written(&opened(with(Kind::Approval, fields), None, &ids));
    for by in [member(0), somebody(0, Role::Admin, true)] {
        let known = Voters {
            people: vec![by.clone()],
            ..all()
        };
        let found = outcome(&says(&asked, &by, true, &known, &ids, 1));
        assert_eq!(found, "not_counted");
        let denied = outcome(&says(&asked, &by, false, &known, &ids, 1));
        assert_eq!(denied, "denied 0");
    }
}

#[test]
fn who_may_not_answer_any_more_has_not_approved() {
    let ids = Counter::default();
    let asked = pending(json!({"needed": 2}), &ids);
    let one = written(&says(&asked, &member(0), true, &all(), &ids, 1).unwrap());
    let gone = Voters {
        people: vec![member(1)],
        ..all()
    };
    let viewer = Voters {
        people: vec![somebody(0, Role::Viewer, true), member(1)],
        ..all()
    };
    let left = Voters {
        people: vec![somebody(0, Role::Responder, false), member(1)],
        ..all()
    };
    for voters in [gone, viewer, left] {
        let next = written(&says(&one, &member(1), true, &voters, &ids, 2).unwrap());
        assert!(next.state.is_pending(), "{voters:?}");
        let named: Vec<_> = next.votes().iter().map(|it| &*it.responder.name).collect();
        assert_eq!(named, ["Bo"]);
    }
}

#[test]
fn who_lost_their_rights_and_has_them_again_approves_anew() {
    let ids = Counter::default();
    let asked = pending(json!({"needed": 2}), &ids);
    let one = written(&says(&asked, &member(0), true, &all(), &ids, 1).unwrap());
    let lapsed = Voters {
        lapsed: vec![id(0)],
        ..all()
    };
    let by_bo = written(&says(&one, &member(1), true, &lapsed, &ids, 2).unwrap());
    assert!(by_bo.state.is_pending());
    let named: Vec<_> = by_bo.votes().iter().map(|it| it.responder.id).collect();
    assert_eq!(named, [id(1).0]);
    let again = written(&says(&one, &member(0), true, &lapsed, &ids, 2).unwrap());
    assert_eq!((again.votes().len(), again.approved()), (1, Some(false)));
    let both = written(&says(&again, &member(1), true, &all(), &ids, 3).unwrap());
    assert_eq!(both.approved(), Some(true));
}

#[test]
fn another_team_approves_anew() {
    let ids = Counter::default();
    let asked = pending(json!({"needed": 2}), &ids);
    let one = written(&says(&asked, &member(0), true, &all(), &ids, 1).unwrap());
    for command in [Command::Move, Command::HandToTeam] {
        let moved = written(&run(command, &one, &all(), &ids, 2).unwrap());
        assert_eq!(moved.votes(), [], "{command:?}");
        let next = written(&says(&moved, &member(1), true, &all(), &ids, 3).unwrap());
        assert_eq!(next.votes().len(), 1);
        assert!(next.state.is_pending());
    }
}

#[test]
fn who_has_approved_is_on_it_no_longer_and_others_hear_of_it() {
    let ids = Counter::default();
    let asked = pending(json!({"needed": 2}), &ids);
    let resumes = |changeset: &Changeset| {
        let is = |write: &Write| matches!(write, Write::Ladder(LadderWrite::Resume { .. }));
        changeset.writes.iter().any(is)
    };
    let claimed = written(&run(Command::Claim, &asked, &all(), &ids, 1).unwrap());
    let own = says(&claimed, &member(0), true, &all(), &ids, 2).unwrap();
    assert_eq!(written(&own).claim, None);
    assert!(resumes(&own));
    let other = says(&claimed, &member(1), true, &all(), &ids, 2).unwrap();
    assert_eq!(written(&other).claim, claimed.claim);
    assert!(!resumes(&other));
    assert!(!own.events[0].payload.closes());
    let brief = Brief::from(&written(&own));
    let progress = brief.form.unwrap();
    assert_eq!((progress.answered, progress.of), (1, 2));
    let both = written(&says(&written(&own), &member(1), true, &all(), &ids, 3).unwrap());
    assert_eq!(Brief::from(&both).form, None);
    // Nothing that counts people is decided together with others, and what may be changed first with the like of it.
    let alike = |fields: Value| {
        let asked = written(&opened(with(Kind::Approval, fields), None, &ids));
        Brief::from(&asked).fingerprint
    };
    assert_eq!(alike(json!({"approvals": {"needed": 2}})), None);
    assert_eq!(alike(json!({"approvals": {"four_eyes": true}})), None);
    let (plain, amendable) = (alike(json!({})), alike(json!({"amendable": true})));
    assert!(plain.is_some() && amendable.is_some());
    assert_ne!(plain, amendable);
    assert_eq!(amendable, alike(json!({"amendable": true})));
}

#[test]
fn an_approval_that_somebody_wrote_into_the_database_counts_for_nothing() {
    let ids = Counter::default();
    let asked = pending(json!({"needed": 2}), &ids);
    let other = pending(json!({"needed": 2}), &ids);
    let one = written(&says(&asked, &member(0), true, &all(), &ids, 1).unwrap());
    let two = written(&says(&one, &member(1), true, &all(), &ids, 2).unwrap());
    let of_other = written(&says(&other, &member(1), true, &all(), &ids, 1).unwrap());
    let why = |of: &Interaction, change: &dyn Fn(&mut Value)| {
        let mut stored = serde_json::to_value(&of.state).unwrap();
        change(&mut stored);
        let row = Interaction {
            state: serde_json::from_value(stored).unwrap(),
            ..of.clone()
        };
        match row.proven(&Stamp).state {
            State::Void { why, .. } => Some(why),
            _ => None,
        }
    };
    let foreign = serde_json::to_value(of_other.votes()).unwrap();
    let renamed = |row: &mut Value| {
        let mut bo = row["votes"][0].clone();
        bo["responder"]["id"] = json!(id(1).0);
        row["votes"].as_array_mut().unwrap().push(bo);
    };
    for change in [
        &renamed as &dyn Fn(&mut Value),
        &|row| {
            let twice = row["votes"][0].clone();
            row["votes"].as_array_mut().unwrap().push(twice);
        },
        &|row| row["votes"] = foreign.clone(),
        &|row| row["votes"][0]["at"] = "2030-01-01T00:00:00Z".into(),
        &|row| row["votes"][0]["action_digest"] = "sha256:00".into(),
        &|row| row["votes"][0]["signature"] = "".into(),
    ] {
        assert_eq!(why(&one, change), Some(Unproven::OtherVote));
    }
    for change in [
        &(|row: &mut Value| row["answer"]["votes"] = json!([])) as &dyn Fn(&mut Value),
        &|row| row["answer"]["receipt"]["approvers"] = json!([]),
        &|row| row["answer"]["receipt"]["approvers"][0]["name"] = "Eve".into(),
        &|row| row["answer"]["votes"] = foreign.clone(),
    ] {
        assert_eq!(why(&two, change), Some(Unproven::OtherApprovers));
    }
    // One person's receipt does not do where two are needed.
    let mut alone = pending(json!({"needed": 1}), &ids);
    alone = written(&says(&alone, &member(0), true, &all(), &ids, 1).unwrap());
    let row = Interaction {
        request: asked.request.clone(),
        ..alone
    };
    assert_eq!(why(&row, &|_| {}), Some(Unproven::OtherApprovers));
    // What is passed on as an event is signed as well.
    let event = |of: Changeset| journalled(of).remove(0);
    let honest = event(says(&asked, &member(0), true, &all(), &ids, 1).unwrap());
    assert!(honest.is_proven(&Stamp));
    let Payload::Interaction(InteractionEvent::Approved { votes }) = &honest.payload else {
        panic!("{honest:?}");
    };
    let mut votes = votes.clone();
    votes[0].responder.name = "Eve".into();
    let forged = Event {
        payload: InteractionEvent::Approved { votes }.into(),
        ..honest
    };
    assert!(!forged.is_proven(&Stamp));
}

#[test]
fn how_many_it_takes_is_said_well_or_refused_with_its_place() {
    for (approvals, expected) in [
        (json!({"needed": 2}), Ok((2, false))),
        (json!({"needed": 2.0, "of": "team"}), Ok((2, false))),
        (json!({"four_eyes": true}), Ok((1, true))),
        (json!({}), Ok((1, false))),
        (json!({"needed": 10}), Ok((10, false))),
        (json!({"needed": 0}), Err("approvals.needed")),
        (json!({"needed": 11}), Err("approvals.needed")),
        (json!({"needed": -1}), Err("approvals.needed")),
        (
            json!({"needed": 4_294_967_297_i64}),
            Err("approvals.needed"),
        ),
    ] {
        let body = with(Kind::Approval, json!({"approvals": approvals}));
        let checked = draft(body).check(|_| None);
        let found = match &checked {
            Ok(request) => {
                let ask = serde_json::to_value(&request.ask).unwrap();
                let quorum: Quorum = serde_json::from_value(ask["approvals"].clone()).unwrap();
                Ok((quorum.needed, quorum.four_eyes))
            }
            Err(faults) => Err(&*faults[0].path),
        };
        assert_eq!(found, expected, "{approvals}");
    }
    for unreadable in [
        json!(2),
        json!({"need": 2}),
        json!({"of": "payments"}),
        json!({"needed": "2"}),
    ] {
        let body = with(Kind::Approval, json!({"approvals": unreadable}));
        assert!(
            serde_json::from_value::<Draft>(body).is_err(),
            "{unreadable}"
        );
    }
    for kind in Kind::ALL {
        let body = with(kind, json!({"approvals": {"needed": 2}}));
        assert_eq!(draft(body).check(|_| None).is_ok(), kind == Kind::Approval);
    }
}

/// What may happen to one approval.
#[derive(Clone, Debug)]
enum Step {
    Says {
        who: usize,
        approves: bool,
        in_slack: bool,
    },
    Leaves(usize),
    Comes(usize),
    Move,
    Other(Command),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0usize..4, prop::bool::weighted(0.9), any::<bool>())
            .prop_map(|(who, approves, in_slack)| Step::Says { who, approves, in_slack }),
        1 => (0usize..4).prop_map(Step::Leaves),
        1 => (0usize..4).prop_map(Step::Comes),
        1 => Just(Step::Move),
        2 => prop::sample::select(vec![
            Command::Claim, Command::HandToBo, Command::HandToTeam, Command::Collect, Command::Consume, Command::Expire,
        ]).prop_map(Step::Other),
    ]
}

proptest! {
    #[test]
    fn approved_is_only_what_enough_different_people_approved_who_count(
        needed in 1u32..4,
        of_team in any::<bool>(),
        four_eyes in any::<bool>(),
        steps in prop::collection::vec((step(), 0i64..70), 1..24),
    ) {
        let ids = Counter::default();
        let of = if of_team { "team" } else { "anyone" };
        let asked = json!({"needed": needed, "of": of, "four_eyes": four_eyes});
        let opening = decide::open(
            request(with(Kind::Approval, json!({"timeout_seconds": 60, "approvals": asked}))),
            agent(),
            Some(team(50).named()),
            None, None, None,
            at(&ids, 0),
        );
        let mut now = written(&opening);
        let mut events = journalled(opening);
        let mut there: BTreeSet<usize> = (0..4).collect();
        // Who has said yes since it belongs to its team, by the test's own account.
        let mut yes: BTreeSet<usize> = BTreeSet::new();
        for (step, seconds) in steps {
            let voters = Voters {
                people: there.iter().map(|n| member(*n)).collect(),
                owners: vec![id(3)],
                lapsed: Vec::new(),
            };
            let result = match &step {
                Step::Says { who, approves, in_slack } => {
                    let by = match in_slack {
                        false => member(*who),
                        true => Principal::SlackUser {
                            id: id(*who).0,
                            name: NAMES[*who].into(),
                            role: Role::Responder,
                            teams: [TEAM, TeamId(Uuid::from_u128(51))]
                                .map(|team| (team, Part::Answers)).into_iter().collect(),
                        },
                    };
                    says(&now, &by, *approves, &voters, &ids, seconds)
                }
                Step::Leaves(who) => { there.remove(who); continue }
                Step::Comes(who) => { there.insert(*who); continue }
                Step::Move => run(Command::Move, &now, &voters, &ids, seconds),
                Step::Other(command) => run(*command, &now, &voters, &ids, seconds),
            };
            let before = now.clone();
            let Ok(changeset) = result else { continue };
            prop_assert_eq!(changeset.events.len(), 1);
            now = written(&changeset);
            prop_assert!(changeset.events[0].actor.name().is_some() || before.state.is_pending());
            events.extend(journalled(changeset));
            match step {
                Step::Says { who, approves: true, .. } => {
                    yes.retain(|who| there.contains(who));
                    prop_assert!(yes.insert(who), "counted twice");
                    prop_assert!(there.contains(&who));
                    prop_assert!(!four_eyes || who != 3);
                    prop_assert_eq!(now.approved() == Some(true), yes.len() == needed as usize);
                    if now.state.is_pending() {
                        prop_assert_eq!(now.votes().len(), yes.len());
                    }
                }
                Step::Says { approves: false, .. } => {
                    prop_assert_eq!(now.state.outcome(), Some(Outcome::Denied));
                }
                _ if before.team != now.team => yes.clear(),
                _ => {}
            }
            let replayed = Interaction::replay(&events);
            prop_assert_eq!(replayed.as_ref(), Some(&now));
            prop_assert_eq!(&now.clone().proven(&Stamp), &now);
            let json = serde_json::to_string(&now.state).unwrap();
            prop_assert_eq!(&serde_json::from_str::<State>(&json).unwrap(), &now.state);
            if now.approved() == Some(true) {
                let approvers = &now.receipt().unwrap().decision.approvers;
                prop_assert_eq!(people(approvers), needed as usize);
                prop_assert_eq!(approvers.len(), needed as usize);
            }
        }
    }
}

/// What a rule has a team decide that is not there.
fn for_admins(approvals: Value, ids: &Counter) -> Interaction {
    let fields = json!({"timeout_seconds": 60, "approvals": approvals});
    let mut asked = request(with(Kind::Approval, fields));
    asked.ruled = Some(Box::default());
    let team = Some(team(50).named());
    let asked = asked.asked_of_admins();
    written(&decide::open(
        asked,
        agent(),
        team,
        None,
        None,
        None,
        at(ids, 0),
    ))
}

#[test]
fn where_the_team_of_a_rule_is_not_there_only_admins_approve() {
    let ids = Counter::default();
    let (ana, bo) = (
        somebody(0, Role::Admin, false),
        somebody(1, Role::Admin, false),
    );
    let voters = Voters {
        people: vec![ana.clone(), bo.clone(), member(2)],
        owners: vec![id(3)],
        lapsed: Vec::new(),
    };
    let script = Principal::Script {
        id: TokenId(Uuid::from_u128(70)),
        name: "ci".into(),
        teams: [(TEAM, Part::Answers)].into_iter().collect(),
    };
    let one = for_admins(Value::Null, &ids);
    let several = for_admins(json!({"needed": 2, "of": "team", "four_eyes": true}), &ids);
    let says = |asked: &Interaction, approved: bool, by: &Principal, n| {
        let draft = given(json!({"approved": approved}));
        decide::answer_counted(asked, draft, by, &voters, None, at(&ids, n))
    };
    for by in [&member(2), &script] {
        assert_eq!(says(&one, true, by, 1), Err(Refused::NotAnAdmin));
        // A no needs nobody more.
        assert!(says(&one, false, by, 1).is_ok());
        assert!(says(&several, true, by, 1).is_err());
    }
    let given = says(&one, true, &ana, 1).unwrap();
    assert_eq!(written(&given).approved(), Some(true));
    let standing = |changeset: &Changeset| {
        let mut writes = changeset.writes.iter();
        writes.find_map(|write| match write {
            Write::Counted(standing) => Some((
                standing.people.clone(),
                standing.admins_only,
                standing.members_only,
            )),
            _ => None,
        })
    };
    assert_eq!(standing(&given), Some((vec![id(0)], true, false)));
    let first = says(&several, true, &ana, 1).unwrap();
    let waits = written(&first);
    assert!(waits.state.is_pending());
    let last = says(&waits, true, &bo, 2).unwrap();
    assert_eq!(written(&last).approved(), Some(true));
    assert_eq!(standing(&last), Some((vec![id(0), id(1)], true, false)));
    let said = one.ruled().unwrap().lines();
    assert!(said[0].contains("only admins can approve it"), "{said:?}");
}
