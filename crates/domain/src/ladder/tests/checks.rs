//! What is refused, with its path; and that what is taken reads back as it was written.

use super::who;
use crate::{
    delivery::ReachKind,
    fault::Fault,
    ids::PersonId,
    ladder::{After, Circle, Class, Ladder, LadderDraft, QuietDraft, Rung, RungDraft},
};

fn ana(name: &str) -> Option<PersonId> {
    (name == "Ana Maria").then(|| who(1))
}

fn read(rungs: &[&str]) -> Result<Ladder, Vec<Fault>> {
    let rungs = rungs.iter().map(|rung| RungDraft((*rung).to_owned()));
    let draft = LadderDraft {
        sync: Some(rungs.collect()),
        ..LadderDraft::default()
    };
    draft.check(&ana)
}

#[test]
fn a_ladder_reads_back_as_it_was_written() {
    let written = [
        "0 duty by push",
        "90s team",
        "5m Ana Maria by push,mail x3",
        "2h admins",
        "half team x2",
        "1d Ana Maria",
    ];
    let ladder = read(&written).unwrap();
    let name = |person| {
        assert_eq!(person, who(1));
        "Ana Maria".to_owned()
    };
    let text: Vec<_> = ladder.sync.iter().map(|rung| rung.text(&name)).collect();
    assert_eq!(text, written);
    assert_eq!(ladder.urgent, Ladder::default().urgent, "left out, kept");
    let third = Rung {
        after: After::Seconds(300),
        whom: Circle::Person(who(1)),
        by: vec![ReachKind::Push, ReachKind::Mail],
        times: 3,
    };
    assert_eq!(ladder.sync[2], third);
    let stored = serde_json::to_string(&ladder).unwrap();
    assert_eq!(serde_json::from_str::<Ladder>(&stored).unwrap(), ladder);
}

#[test]
fn what_is_wrong_with_a_ladder_is_said_with_its_place() {
    let cases: [(&[&str], &str, &str); 14] = [
        (&["5m duty"], "sync[0]", "begin it with 0"),
        (&["0 duty x2"], "sync[0]", "repeat a later one"),
        (&["0 duty", "0 team"], "sync[1]", "how long after"),
        (&["0 duty", ""], "sync[1]", "must begin with 0, a time"),
        (
            &["0 duty", "5 team"],
            "sync[1]",
            "must begin with 0, a time",
        ),
        (
            &["0 duty", "-5m team"],
            "sync[1]",
            "must begin with 0, a time",
        ),
        (
            &["0 duty", "5µ team"],
            "sync[1]",
            "must begin with 0, a time",
        ),
        (
            &["0 duty", "99999999999999999999d team"],
            "sync[1]",
            "must begin with 0, a time",
        ),
        (
            &["0 duty", "29s team"],
            "sync[1]",
            "must wait from 30 s to 7 d",
        ),
        (
            &["0 duty", "8d team"],
            "sync[1]",
            "must wait from 30 s to 7 d",
        ),
        (&["0"], "sync[0]", "must say whom"),
        (
            &["0 Ben"],
            "sync[0]",
            "is not the name of a person who may answer here",
        ),
        (&["0 duty by pigeon"], "sync[0]", "must name ways out of"),
        (&["0 duty", "5m team x11"], "sync[1]", "from x1 to x10"),
    ];
    for (rungs, path, how) in cases {
        let faults = read(rungs).unwrap_err();
        assert_eq!(faults.len(), 1, "{rungs:?}: {faults:?}");
        assert_eq!(faults[0].path, path, "{rungs:?}");
        assert!(faults[0].message.contains(how), "{rungs:?}: {faults:?}");
    }
    let faults = read(&["0 duty"; 11]).unwrap_err();
    assert!(faults[0].message.contains("at most 10"), "{faults:?}");
    let both = read(&["5m duty", "0 team"]).unwrap_err();
    assert_eq!(both.len(), 2, "all at once");
}

#[test]
fn a_class_may_have_no_rungs_at_all() {
    let ladder = read(&[]).unwrap();
    assert!(ladder.rung(Class::Sync, 0).is_none());
    assert!(ladder.rung(Class::Async, 0).is_some());
}

fn hours(zone: &str, from: &str, until: &str, days: &[&str]) -> QuietDraft {
    QuietDraft {
        zone: zone.to_owned(),
        from: from.to_owned(),
        until: until.to_owned(),
        days: days.iter().map(|day| (*day).to_owned()).collect(),
        urgent: false,
    }
}

#[test]
fn what_is_wrong_with_quiet_hours_is_said_with_its_place() {
    let all = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    let cases = [
        (hours("Mars/Olympus", "22:00", "07:00", &[]), "zone"),
        (hours("", "22:00", "07:00", &[]), "zone"),
        (hours("UTC", "22:00", "", &[]), "until"),
        (hours("UTC", "", "07:00", &[]), "from"),
        (hours("UTC", "25:00", "07:00", &[]), "from"),
        (hours("UTC", "22:00", "7", &[]), "until"),
        (hours("UTC", "22:00", "22:00", &[]), "until"),
        (hours("UTC", "22:00", "07:00", &["Samstag"]), "days[0]"),
        (hours("UTC", "", "", &all), "days"),
    ];
    for (draft, path) in cases {
        let faults = draft.check().unwrap_err();
        assert_eq!(faults[0].path, path, "{draft:?}: {faults:?}");
    }
}

#[test]
fn quiet_hours_read_back_as_they_were_written_and_none_are_none() {
    assert_eq!(hours("", "", "", &[]).check(), Ok(None));
    let draft = hours("Europe/Berlin", "22:00", "07:00", &["sun", "sat", "sat"]);
    let quiet = draft.check().unwrap().unwrap();
    let again = QuietDraft::from(&quiet);
    assert_eq!(
        again,
        hours("Europe/Berlin", "22:00", "07:00", &["sat", "sun"])
    );
    let stored = serde_json::to_string(&quiet).unwrap();
    assert_eq!(
        serde_json::from_str::<crate::ladder::Quiet>(&stored).unwrap(),
        quiet
    );
}
