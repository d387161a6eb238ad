//! The app's home, and what `/handraise` says: within Slack's limits, whatever is written, and without any decision.

use chrono::DateTime;
use domain::{
    Fingerprint, InteractionId,
    interaction::{Kind, Outcome},
};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    super::{
        Found, HomePress, Line, Note, OnDuty, OnIt, PutOff, Target, Waiting, command_help,
        duty_list, found_list, home, home_without, waiting_list,
    },
    limits,
};

const URL: &str = "https://handraise.example";
const HOSTILE: &str = "<!channel> *bold* <https://evil.example|x> \u{202e}&amp;\n```";

fn interaction(n: u128) -> InteractionId {
    InteractionId(Uuid::from_u128(n))
}

fn line(n: u128) -> Line {
    let at = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
    Line {
        target: Target::One(interaction(n)),
        count: 1,
        kind: Kind::Approval,
        urgent: true,
        stopped: true,
        agent: "backend".into(),
        and_others: false,
        team: Some("Payments".into()),
        to: None,
        words: "May I?".into(),
        about: Some("psql drop table".into()),
        expires_at: Some(at),
        on_it: OnIt::NoOne,
    }
}

fn longest(n: u128) -> Line {
    let at = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
    let long = HOSTILE.repeat(200);
    Line {
        target: Target::Alike(Fingerprint(Uuid::from_u128(n)), interaction(n)),
        count: 2,
        agent: long.clone(),
        and_others: true,
        team: Some(long.clone()),
        to: Some(long.clone()),
        words: long.clone(),
        about: Some(long.clone()),
        on_it: OnIt::Other(long, at),
        ..line(n)
    }
}

fn full() -> Waiting {
    let at = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
    let duty = OnDuty {
        team: HOSTILE.repeat(50),
        name: Some(HOSTILE.repeat(50)),
        is_you: false,
        until: at,
    };
    Waiting {
        notice: Some(HOSTILE.repeat(100)),
        duty: vec![duty; 9],
        lines: (0..200).map(longest).collect(),
        beyond: 7,
        snoozed: 3,
        can_snooze: true,
    }
}

fn json(waiting: &Waiting) -> Value {
    json!({ "type": "home", "blocks": home(waiting, URL).json_blocks() })
}

#[test]
fn the_longest_is_within_the_limits_and_says_what_it_leaves_out() {
    let longest_url = format!("{URL}/{}", "h".repeat(220));
    for url in [URL, &longest_url] {
        let view = home(&full(), url);
        assert_eq!(limits::of_home(&view), [""; 0]);
        let said = serde_json::to_string(&view).unwrap();
        assert!(said.contains("407 questions wait for you"), "{said}");
        // 29 lines of two each are shown.
        assert!(said.contains("349 more on the page."), "{said}");
        assert!(said.contains("3 put off."), "{said}");
        assert!(said.contains("4 more of your teams have a rota."), "{said}");
        assert_eq!(limits::of_card(&waiting_list(&full(), url)), [""; 0]);
        let found = Found {
            id: interaction(1),
            kind: Kind::PlanReview,
            agent: HOSTILE.repeat(100),
            words: HOSTILE.repeat(100),
            ending: Some((Outcome::ProceedDefault, Some(HOSTILE.repeat(100)))),
            asked_at: DateTime::UNIX_EPOCH,
        };
        let card = found_list(&HOSTILE.repeat(100), &vec![found; 30], true, url);
        assert_eq!(limits::of_card(&card), [""; 0]);
    }
    assert_eq!(limits::of_card(&duty_list(&full().duty)), [""; 0]);
    assert_eq!(limits::of_card(&duty_list(&[])), [""; 0]);
    assert_eq!(limits::of_card(&found_list("x", &[], false, URL)), [""; 0]);
    for why in [None, Some(&*HOSTILE.repeat(100))] {
        assert_eq!(limits::of_card(&command_help(why)), [""; 0]);
    }
    let empty = home(&Waiting::default(), URL);
    assert_eq!(limits::of_home(&empty), [""; 0]);
    let nobody = home_without(&Note::from(HOSTILE.repeat(100)));
    assert_eq!(limits::of_home(&nobody), [""; 0]);
}

#[test]
fn a_line_says_what_whose_and_until_when_and_leads_to_it() {
    let waiting = Waiting {
        lines: vec![line(1)],
        can_snooze: true,
        ..Waiting::default()
    };
    let home = json(&waiting);
    let id = interaction(1).to_string();
    assert_eq!(
        home["blocks"][0]["text"]["text"],
        "1 question waits for you"
    );
    assert_eq!(
        home["blocks"][1]["text"]["text"],
        "May I? · psql drop table"
    );
    let facts = &home["blocks"][2]["elements"];
    assert_eq!(
        facts[0]["text"],
        "Approval · backend · Payments · Urgent · SYNC"
    );
    let until = facts[1]["text"].as_str().unwrap();
    assert!(
        until.starts_with("Answer before <!date^1700000000^"),
        "{until}"
    );
    let controls = &home["blocks"][3]["elements"];
    assert_eq!(controls[0]["url"], format!("{URL}/q/{id}"));
    assert_eq!(controls[1]["action_id"], format!("home_claim:{id}"));
    assert_eq!(controls[2]["options"].as_array().unwrap().len(), 3);
    assert_eq!(controls[3], Value::Null);
}

#[test]
fn the_person_who_is_on_it_gives_it_up_and_others_only_look() {
    let at = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
    for (on_it, expected) in [
        (OnIt::NoOne, &["home_open", "home_claim"][..]),
        (OnIt::You(at), &["home_open", "home_release"]),
        (OnIt::Other("Ben".into(), at), &["home_open"]),
        (
            OnIt::PartOfThem(1, "Ben".into()),
            &["home_open", "home_claim"],
        ),
    ] {
        let waiting = Waiting {
            lines: vec![Line { on_it, ..line(1) }],
            ..Waiting::default()
        };
        let home = json(&waiting);
        let controls = home["blocks"][3]["elements"].as_array().unwrap().iter();
        let names = controls.map(|one| one["action_id"].as_str().unwrap());
        let names: Vec<_> = names.map(|name| name.split(':').next().unwrap()).collect();
        assert_eq!(names, expected);
    }
}

#[test]
fn a_group_says_what_holds_for_all_of_it_and_has_no_press_when_it_is_too_large() {
    let group = |count| Waiting {
        lines: vec![Line {
            target: Target::Alike(Fingerprint(Uuid::from_u128(7)), interaction(2)),
            count,
            words: String::new(),
            to: Some("Cem".into()),
            on_it: OnIt::PartOfThem(2, "Ben".into()),
            ..line(1)
        }],
        can_snooze: true,
        ..Waiting::default()
    };
    let home = json(&group(3));
    assert_eq!(home["blocks"][1]["text"]["text"], "3 × psql drop table");
    let facts = &home["blocks"][2]["elements"];
    assert_eq!(facts[2]["text"], "For Cem");
    assert_eq!(facts[3]["text"], "Claimed 2 of 3: Ben");
    assert_eq!(home["blocks"][3]["elements"].as_array().unwrap().len(), 3);
    let large = json(&group(101));
    let controls = large["blocks"][3]["elements"].as_array().unwrap();
    assert_eq!(controls.len(), 1, "{large}");
}

#[test]
fn only_presses_of_a_home_are_read() {
    let one = Target::One(interaction(1));
    let alike = Target::Alike(Fingerprint(Uuid::from_u128(7)), interaction(2));
    for target in [one, alike] {
        let waiting = Waiting {
            lines: vec![Line { target, ..line(1) }],
            can_snooze: true,
            ..Waiting::default()
        };
        let home = json(&waiting);
        let controls = &home["blocks"][3]["elements"];
        let name = |n: usize| controls[n]["action_id"].as_str().unwrap();
        assert_eq!(HomePress::parse(name(0), ""), None);
        assert_eq!(
            HomePress::parse(name(1), "x"),
            Some(HomePress::Claim(target))
        );
        let options = controls[2]["options"].as_array().unwrap().iter();
        let read = options.map(|one| HomePress::parse(name(2), one["value"].as_str().unwrap()));
        let expected = [PutOff::Minutes(15), PutOff::Minutes(60), PutOff::Morning];
        let expected = expected.map(|put_off| Some(HomePress::Snooze(target, put_off)));
        assert_eq!(read.collect::<Vec<_>>(), expected);
    }
    let id = interaction(1);
    for (name, value) in [
        ("home_claim", ""),
        ("home_claim:", ""),
        ("home_claim:x", ""),
        (&*format!("home_claim:{id}:"), ""),
        (&*format!("home_snooze:{id}"), "7"),
        (&*format!("approve:{id}"), ""),
        (&*format!("home_approve:{id}"), ""),
        ("approve", &*format!("whole:{id}")),
    ] {
        assert_eq!(HomePress::parse(name, value), None, "{name}");
    }
}
