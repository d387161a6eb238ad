//! Files as calendars write them, and what we write read back.

use std::sync::atomic::{AtomicU64, Ordering};

use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use domain::{
    Fault, Ids, OverrideId, Person, PersonId, Role, Salt,
    duty::{Duty, Every, Hour, Override, Rota, Shift, Why, Zone, shifts},
    limits::CALENDAR_EVENTS,
};
use proptest::prelude::*;
use uuid::Uuid;

use super::{CalendarRead, read_overrides, write_shifts};

#[derive(Default)]
struct Counter(AtomicU64);

impl Ids for Counter {
    fn next(&self) -> Uuid {
        Uuid::from_u128(self.0.fetch_add(1, Ordering::Relaxed).into())
    }

    fn salt(&self) -> Salt {
        [0; 16]
    }
}

fn utc(text: &str) -> DateTime<Utc> {
    let naive = NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%MZ");
    naive.unwrap().and_utc()
}

fn who(n: u128) -> PersonId {
    PersonId(Uuid::from_u128(n))
}

fn now() -> DateTime<Utc> {
    utc("2026-11-24T10:00Z")
}

fn members() -> Vec<Person> {
    let names = ["Ana", "Ben, Dr", "Cem", "Dov"];
    let people = (1..).zip(names).map(|(n, name)| Person {
        id: who(n),
        version: 1,
        name: name.into(),
        role: Role::Responder,
        invited_at: now(),
        disabled_at: (name == "Dov").then(now),
        slack_id: None,
    });
    people.collect()
}

fn rota() -> Rota {
    Rota {
        people: vec![who(1), who(2)],
        every: Every::Week,
        at: Hour::parse("09:00").unwrap(),
        zone: Zone::parse("Europe/Berlin").unwrap(),
        starts: "2026-11-23".parse().unwrap(),
    }
}

fn read(text: &str) -> Result<CalendarRead, Vec<Fault>> {
    read_overrides(text, &rota(), &members(), &Counter::default(), now())
}

/// A file of these lines of events, as a calendar ends lines.
fn file(events: &[&[&str]]) -> String {
    let mut lines = vec!["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Example//EN"];
    for event in events {
        lines.push("BEGIN:VEVENT");
        lines.extend(*event);
        lines.push("END:VEVENT");
    }
    lines.push("END:VCALENDAR");
    lines.join("\r\n") + "\r\n"
}

fn times(read: &CalendarRead) -> Vec<(PersonId, DateTime<Utc>, DateTime<Utc>)> {
    let overrides = read.overrides.iter();
    overrides
        .map(|one| (one.person, one.from, one.until))
        .collect()
}

#[test]
fn times_are_read_however_they_name_their_zone() {
    let table: &[(&[&str], &str, &str)] = &[
        (
            &[
                "SUMMARY:Cem",
                "DTSTART:20261224T170000Z",
                "DTEND:20261224T200000Z",
            ],
            "2026-12-24T17:00Z",
            "2026-12-24T20:00Z",
        ),
        // By the rota's clocks.
        (
            &[
                "SUMMARY:cem",
                "DTSTART:20261224T180000",
                "DTEND:20261224T210000",
            ],
            "2026-12-24T17:00Z",
            "2026-12-24T20:00Z",
        ),
        (
            &[
                "SUMMARY:On duty: Cem",
                "DTSTART;TZID=America/New_York:20261224T180000",
                "DTEND;TZID=Europe/Berlin:20261225T060000",
            ],
            "2026-12-24T23:00Z",
            "2026-12-25T05:00Z",
        ),
        // As Outlook names zones.
        (
            &[
                "SUMMARY:ON DUTY:  Cem ",
                "DTSTART;TZID=\"W. Europe Standard Time\":20261224T180000",
                "DTEND;TZID=W. Europe Standard Time:20261224T190000",
            ],
            "2026-12-24T17:00Z",
            "2026-12-24T18:00Z",
        ),
        // As Evolution does.
        (
            &[
                "SUMMARY:Cem",
                "DTSTART;TZID=/freeassociation.sourceforge.net/Asia/Kolkata:20261224T180000",
                "DURATION:PT1H30M",
            ],
            "2026-12-24T12:30Z",
            "2026-12-24T14:00Z",
        ),
        (
            &[
                "SUMMARY:Cem",
                "DTSTART;TZID=/citadel.org/20260101_1/Europe/Berlin:20261224T180000",
                "DURATION:PT1H",
            ],
            "2026-12-24T17:00Z",
            "2026-12-24T18:00Z",
        ),
        // A whole day goes from hand-over to hand-over, and the day of the end is not part of it.
        (
            &["SUMMARY:Cem", "DTSTART;VALUE=DATE:20261224"],
            "2026-12-24T08:00Z",
            "2026-12-25T08:00Z",
        ),
        (
            &[
                "SUMMARY:Cem",
                "DTSTART;VALUE=DATE:20270327",
                "DTEND;VALUE=DATE:20270329",
            ],
            "2027-03-27T08:00Z",
            "2027-03-29T07:00Z",
        ),
        (
            &["SUMMARY:Cem", "DTSTART;VALUE=DATE:20261224", "DURATION:P1W"],
            "2026-12-24T08:00Z",
            "2026-12-31T08:00Z",
        ),
        // An hour that does not exist, and one that comes twice.
        (
            &[
                "SUMMARY:Cem",
                "DTSTART:20270328T023000",
                "DTEND:20271031T023000",
            ],
            "2027-03-28T01:30Z",
            "2027-10-31T00:30Z",
        ),
    ];
    for (event, from, until) in table {
        let read = read(&file(&[event])).unwrap();
        assert_eq!(times(&read), [(who(3), utc(from), utc(until))], "{event:?}");
    }
}

#[test]
fn a_zone_that_the_file_describes_is_known_by_what_it_says_of_itself() {
    let calendar = |location: &str| {
        format!(
            "BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VTIMEZONE\nTZID:Office\n{location}BEGIN:STANDARD\n\
             DTSTART:19700101T000000\nTZOFFSETFROM:+0530\nTZOFFSETTO:+0530\nEND:STANDARD\nEND:VTIMEZONE\n\
             BEGIN:VEVENT\nUID:1\nSUMMARY:Ana\nDTSTART;TZID=Office:20261224T180000\n\
             DTEND;TZID=Office:20261224T190000\nEND:VEVENT\nEND:VCALENDAR\n"
        )
    };
    let known = read(&calendar("X-LIC-LOCATION:Asia/Kolkata\n")).unwrap();
    let expected = (who(1), utc("2026-12-24T12:30Z"), utc("2026-12-24T13:30Z"));
    assert_eq!(times(&known), [expected]);
    // Nothing is guessed from a name that nobody knows.
    let faults = read(&calendar("")).unwrap_err();
    assert_eq!(faults[0].path, "events[0].dtstart");
    assert!(
        faults[0].message.contains("\"Office\", which is not known"),
        "{faults:?}"
    );
}

#[test]
fn lines_are_unfolded_and_names_unescaped() {
    let text = "\u{feff}BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nSUMMARY:On duty: Be\r\n n\\, Dr\r\n\
                DTSTART:20261224T170000Z\r\nDTEND:2026122\r\n 4T200000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    assert_eq!(times(&read(text).unwrap())[0].0, who(2));
}

#[test]
fn what_is_over_or_called_off_is_passed_over() {
    let over = [
        "SUMMARY:Somebody who has left",
        "DTSTART;VALUE=DATE:20261101",
    ];
    let off = [
        "SUMMARY:Cem",
        "STATUS:CANCELLED",
        "DTSTART;VALUE=DATE:20261224",
    ];
    let good = ["SUMMARY:Cem", "DTSTART;VALUE=DATE:20261225"];
    let read = read(&file(&[&over, &off, &good])).unwrap();
    assert_eq!((read.overrides.len(), read.passed_over), (1, 2));
}

#[test]
fn every_fault_names_its_event_and_nothing_is_read_in_part() {
    let table: &[(&[&str], &str, &str)] = &[
        (
            &["SUMMARY:Eve", "DTSTART;VALUE=DATE:20261224"],
            "summary",
            "nobody who can be on duty",
        ),
        (
            &["SUMMARY:Dov", "DTSTART;VALUE=DATE:20261224"],
            "summary",
            "is disabled",
        ),
        (
            &["DTSTART;VALUE=DATE:20261224"],
            "summary",
            "must name a person",
        ),
        (&["SUMMARY:Cem"], "dtstart", "is required"),
        (
            &["SUMMARY:Cem", "DTSTART:tomorrow"],
            "dtstart",
            "is no time",
        ),
        (
            &["SUMMARY:Cem", "DTSTART;VALUE=DATE:20261340"],
            "dtstart",
            "is no time",
        ),
        (
            &["SUMMARY:Cem", "DTSTART:20261224T180000"],
            "dtend",
            "is required",
        ),
        (
            &[
                "SUMMARY:Cem",
                "DTSTART:20261224T180000",
                "DTEND;VALUE=DATE:20261225",
            ],
            "dtend",
            "must be a day where the start is one",
        ),
        (
            &[
                "SUMMARY:Cem",
                "DTSTART:20261224T180000",
                "DTEND:20261224T170000",
            ],
            "dtend",
            "must be later than its start",
        ),
        (
            &[
                "SUMMARY:Cem",
                "DTSTART;VALUE=DATE:20261224",
                "DURATION:PT1H",
            ],
            "duration",
            "no time that has an end",
        ),
        (
            &[
                "SUMMARY:Cem",
                "DTSTART;TZID=Moon/Base:20261224T180000",
                "DURATION:PT1H",
            ],
            "dtstart",
            "\"Moon/Base\", which is not known here",
        ),
        (
            &[
                "SUMMARY:Cem",
                "DTSTART;VALUE=DATE:20261224",
                "RRULE:FREQ=WEEKLY",
            ],
            "rrule",
            "write each time as an event of its own",
        ),
        (
            &[
                "SUMMARY:Cem",
                "DTSTART;VALUE=DATE:20261224",
                "RDATE;VALUE=DATE:20261226",
            ],
            "rdate",
            "that repeats",
        ),
        (
            &[
                "SUMMARY:Cem",
                "DTSTART;VALUE=DATE:20261224",
                "RECURRENCE-ID;VALUE=DATE:20261226",
            ],
            "recurrence-id",
            "that repeats",
        ),
    ];
    let good = ["SUMMARY:Cem", "DTSTART;VALUE=DATE:20261225"];
    for (event, property, words) in table {
        let faults = read(&file(&[&good, event])).unwrap_err();
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert_eq!(faults[0].path, format!("events[1].{property}"), "{event:?}");
        assert!(faults[0].message.contains(words), "{faults:?}");
    }
    let two = read(&file(&[table[0].0, &good, table[3].0])).unwrap_err();
    let paths: Vec<_> = two.iter().map(|fault| &*fault.path).collect();
    assert_eq!(paths, ["events[0].summary", "events[2].dtstart"]);
}

#[test]
fn what_is_no_calendar_is_told_so() {
    let whole = file(&[&["SUMMARY:Cem", "DTSTART;VALUE=DATE:20261224"]]);
    let cut = whole.replace("END:VCALENDAR\r\n", "");
    for text in [
        "",
        "hello",
        "BEGIN:VCARD\nFN:Ana\nEND:VCARD\n",
        "BEGIN:VEVENT\nSUMMARY:Cem\nDTSTART;VALUE=DATE:20261224\nEND:VEVENT\n",
        "<html></html>",
        &cut,
        &format!("{whole}hello"),
    ] {
        let faults = read(text).unwrap_err();
        assert_eq!(faults[0].path, "calendar", "{text}");
        assert!(
            faults[0].message.contains("no iCalendar file"),
            "{faults:?}"
        );
    }
    let empty = read(&file(&[])).unwrap_err();
    assert_eq!(empty, [Fault::new("calendar", "has no events")]);
    let event: &[&str] = &["SUMMARY:Cem", "DTSTART;VALUE=DATE:20261224"];
    let many = read(&file(&vec![event; CALENDAR_EVENTS + 1])).unwrap_err();
    assert!(many[0].message.contains("more than"), "{many:?}");
}

fn duty() -> Duty {
    Duty {
        rota: rota(),
        overrides: vec![Override {
            id: OverrideId(Uuid::nil()),
            person: who(3),
            from: utc("2026-12-01T12:00Z"),
            until: utc("2026-12-02T12:00Z"),
        }],
        absences: Vec::new(),
    }
}

fn name_of(person: PersonId) -> String {
    let members = members();
    let member = members.into_iter().find(|one| one.id == person);
    member.unwrap().name
}

fn listed() -> Vec<Shift> {
    let duty = duty();
    shifts(&duty, &|_| true, now(), now() + TimeDelta::days(20))
}

#[test]
fn what_is_written_is_read_back_as_it_was() {
    let listed = listed();
    let text = write_shifts("Büro, night", "team-1", &listed, name_of, now());
    let read = read(&text).unwrap();
    let written: Vec<_> = listed
        .iter()
        .map(|shift| (shift.person.unwrap(), shift.from, shift.until))
        .collect();
    assert_eq!(times(&read), written);
    assert_eq!(written.len(), 6);
}

#[test]
fn a_calendar_is_what_others_subscribe_to() {
    let mut listed = listed();
    listed.truncate(2);
    listed[1].person = None;
    listed[0].why = Why::For(who(2));
    let text = write_shifts("Night, shift", "team-1", &listed, name_of, now());
    let expected = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Handraise//Duty//EN",
        "METHOD:PUBLISH",
        "NAME:Night\\, shift",
        "X-WR-CALNAME:Night\\, shift",
        "X-PUBLISHED-TTL:PT1H",
        "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
        "BEGIN:VEVENT",
        "UID:1795420800-team-1@handraise",
        "DTSTAMP:20261124T100000Z",
        "DTSTART:20261123T080000Z",
        "DTEND:20261130T080000Z",
        "SUMMARY:On duty: Ana",
        "DESCRIPTION:For Ben\\, Dr",
        "TRANSP:TRANSPARENT",
        "END:VEVENT",
        "BEGIN:VEVENT",
        "UID:1796025600-team-1@handraise",
        "DTSTAMP:20261124T100000Z",
        "DTSTART:20261130T080000Z",
        "DTEND:20261201T120000Z",
        "SUMMARY:Nobody is on duty",
        "TRANSP:TRANSPARENT",
        "END:VEVENT",
        "END:VCALENDAR",
        "",
    ];
    assert_eq!(text, expected.join("\r\n"));
}

#[test]
fn long_names_are_folded_and_no_name_adds_a_line() {
    let name = |_| format!("{}\r\nEND:VCALENDAR", "ü".repeat(100));
    let text = write_shifts(
        "x\r\nATTACH:http://x",
        "team-1",
        &listed()[..1],
        name,
        now(),
    );
    for line in text.split("\r\n") {
        assert!(line.len() <= 75, "{line}");
        assert!(!line.contains(['\r', '\n']), "{line:?}");
        assert!(!line.starts_with("ATTACH"), "{line}");
    }
    assert_eq!(text.matches("\r\nEND:VCALENDAR").count(), 1);
}

proptest! {
    #[test]
    fn no_file_brings_the_program_down(
        cut in 0..2_000_usize,
        put in "[A-Z:;=\\r\\n\" 0-9\\\\,]{0,12}",
        value in "\\PC{0,40}",
    ) {
        let mut text = file(&[
            &["SUMMARY:Cem", "DTSTART;TZID=W. Europe Standard Time:20261224T180000", "DURATION:P1DT2H"],
            &["SUMMARY:Ana", "DTSTART;VALUE=DATE:20261224", "RRULE:FREQ=DAILY;COUNT=3;BYDAY=MO"],
            &["SUMMARY:x", &format!("DTSTART:{value}"), &format!("DURATION:{value}")],
        ]);
        let at = (0..=cut % text.len()).rev().find(|at| text.is_char_boundary(*at));
        text.insert_str(at.unwrap_or(0), &put);
        let _ = read(&text);
    }
}
