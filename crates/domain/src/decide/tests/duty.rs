//! Who changes a team's duty, and what is refused.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::{
    AbsenceId, Changeset, OverrideId, Part, Parts, Payload, Person, PersonId, Principal, Refused,
    Role, SecretHash, Team, TeamId, Write,
    access::Access,
    decide::duty::{self as decide, Standing},
    duty::{Absence, AbsenceDraft, Duty, Given, Override, OverrideDraft, RotaDraft},
    event::DutyEvent,
    limits::{DUTY_EXCEPTIONS, DUTY_KEPT},
    team::Profile,
    testing::{Counter, at, epoch},
};

fn team() -> Team {
    Team {
        id: TeamId(Uuid::from_u128(1)),
        version: 1,
        profile: Profile {
            name: "Payments".into(),
            ..Profile::default()
        },
        created_at: epoch(),
        deleted_at: None,
    }
}

fn person(n: u128, name: &str) -> Person {
    Person {
        id: PersonId(Uuid::from_u128(n)),
        version: 1,
        name: name.into(),
        role: Role::Responder,
        invited_at: epoch(),
        disabled_at: None,
        slack_id: None,
    }
}

fn members() -> Vec<Person> {
    vec![person(8, "Ana"), person(9, "Ben"), person(10, "Cem")]
}

fn admin() -> Principal {
    Principal::Operator {
        name: "root".into(),
    }
}

fn signed_in(person: &Person, part: Option<Part>) -> Principal {
    Principal::Person {
        id: person.id,
        name: person.name.clone(),
        role: person.role,
        proven_at: epoch(),
        teams: part
            .map(|part| (team().id, part))
            .into_iter()
            .collect::<Parts>(),
    }
}

fn daily(people: &[&str]) -> RotaDraft {
    RotaDraft {
        people: people.iter().map(|name| (*name).to_owned()).collect(),
        every: "day".into(),
        at: "09:00".into(),
        zone: "UTC".into(),
        starts: None,
    }
}

fn given(text: &str) -> Option<Given> {
    Some(Given::parse("from", text).unwrap())
}

/// A day some days after the epoch of the tests.
fn day(n: i64) -> String {
    (epoch() + chrono::TimeDelta::days(n))
        .format("%Y-%m-%d")
        .to_string()
}

fn instead(name: &str, from: i64, until: i64) -> OverrideDraft {
    OverrideDraft {
        person: name.into(),
        from: given(&day(from)),
        until: given(&day(until)),
    }
}

fn away(name: &str, from: i64, until: i64, delegate: Option<&str>) -> AbsenceDraft {
    AbsenceDraft {
        person: name.into(),
        from: given(&day(from)),
        until: given(&day(until)),
        delegate: delegate.map(str::to_owned),
    }
}

/// A team whose duty changes.
struct Desk {
    team: Team,
    members: Vec<Person>,
    version: i64,
    duty: Option<Duty>,
    ids: Counter,
}

impl Desk {
    fn new() -> Self {
        Self {
            team: team(),
            members: members(),
            version: 0,
            duty: None,
            ids: Counter::default(),
        }
    }

    fn with_rota() -> Self {
        let mut desk = Self::new();
        let set = decide::set_rota(
            desk.standing(),
            &daily(&["Ana", "Ben"]),
            &admin(),
            desk.now(),
        );
        desk.take(set.unwrap());
        desk
    }

    fn standing(&self) -> Standing<'_> {
        Standing {
            team: &self.team,
            version: self.version,
            duty: self.duty.as_ref(),
            members: &self.members,
        }
    }

    fn now(&self) -> crate::Moment<'_> {
        at(&self.ids, 0)
    }

    /// What the store keeps of it, which is what its event tells.
    fn take(&mut self, changeset: Changeset) {
        let [Write::Access(Access::Duty { version, duty, .. })] = &changeset.writes[..] else {
            panic!("{changeset:?}");
        };
        let [event] = &changeset.events[..] else {
            panic!("{changeset:?}");
        };
        let Payload::Duty(told) = &event.payload else {
            panic!("{event:?}");
        };
        assert_eq!(&Duty::after(self.duty.clone(), told, event.at), duty);
        let read = Payload::read(event.payload.event_type(), &event.payload.stored().unwrap());
        assert_eq!(read.unwrap(), event.payload);
        assert_eq!(*version, self.version + 1);
        (self.version, self.duty) = (*version, duty.clone());
    }
}

fn faults(refused: Result<Changeset, Refused>) -> Vec<(String, String)> {
    match refused.unwrap_err() {
        Refused::Invalid(faults) => faults
            .into_iter()
            .map(|fault| (fault.path, fault.message))
            .collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_rota_comes_changes_and_goes_with_all_that_belongs_to_it() {
    let mut desk = Desk::with_rota();
    let again = decide::set_rota(
        desk.standing(),
        &daily(&["Ana", "Ben"]),
        &admin(),
        desk.now(),
    );
    assert_eq!(again.unwrap_err(), Refused::Unchanged);
    let added = decide::add_override(desk.standing(), &instead("Cem", 1, 1), &admin(), desk.now());
    desk.take(added.unwrap());
    let gone = decide::set_away(
        desk.standing(),
        &away("Ana", 3, 5, Some("Cem")),
        &admin(),
        desk.now(),
    );
    desk.take(gone.unwrap());
    // Another rota leaves them.
    let set = decide::set_rota(
        desk.standing(),
        &daily(&["Ben", "Cem"]),
        &admin(),
        desk.now(),
    );
    desk.take(set.unwrap());
    let duty = desk.duty.clone().unwrap();
    assert_eq!((duty.overrides.len(), duty.absences.len()), (1, 1));
    let removed =
        decide::remove_override(desk.standing(), duty.overrides[0].id, &admin(), desk.now());
    desk.take(removed.unwrap());
    let back = decide::remove_away(desk.standing(), duty.absences[0].id, &admin(), desk.now());
    desk.take(back.unwrap());
    let cleared = decide::clear_rota(desk.standing(), &admin(), desk.now());
    desk.take(cleared.unwrap());
    assert_eq!(desk.duty, None);
    let again = decide::clear_rota(desk.standing(), &admin(), desk.now());
    assert_eq!(again.unwrap_err(), Refused::Unchanged);
    let late = decide::add_override(desk.standing(), &instead("Cem", 1, 1), &admin(), desk.now());
    assert_eq!(
        faults(late),
        [("team".into(), "has no rota; set one first".into())]
    );
}

#[test]
fn a_rota_names_members_who_can_come_in() {
    let mut desk = Desk::new();
    desk.members[1].disabled_at = Some(epoch());
    let set = decide::set_rota(
        desk.standing(),
        &daily(&["Ana", "Ben", "Dana"]),
        &admin(),
        desk.now(),
    );
    let found = faults(set);
    assert_eq!(found[0].0, "people[1]");
    assert!(found[0].1.contains("disabled"), "{found:?}");
    assert_eq!(found[1].0, "people[2]");
    assert!(
        found[1].1.contains("name a member of the team"),
        "{found:?}"
    );
}

#[test]
fn two_overrides_at_once_are_refused_and_the_same_again_changes_nothing() {
    let mut desk = Desk::with_rota();
    let added = decide::add_override(desk.standing(), &instead("Cem", 2, 3), &admin(), desk.now());
    desk.take(added.unwrap());
    let again = decide::add_override(desk.standing(), &instead("Cem", 2, 3), &admin(), desk.now());
    assert_eq!(again.unwrap_err(), Refused::Unchanged);
    let clash = decide::add_override(desk.standing(), &instead("Ben", 3, 3), &admin(), desk.now());
    let clash = faults(clash);
    assert_eq!(clash[0].0, "from");
    let (first, last) = (day(2), day(4));
    assert_eq!(
        clash[0].1,
        format!(
            "overlaps another override, from {first} 09:00 to {last} 09:00; remove one of them first"
        )
    );
    // Of a file all is taken, or nothing; what is there already is passed over.
    let kept = desk.duty.as_ref().unwrap().overrides[0].clone();
    let mut other = kept.clone();
    other.id = OverrideId(Uuid::from_u128(77));
    other.from = kept.until;
    other.until = kept.until + chrono::TimeDelta::days(1);
    let mut third = other.clone();
    third.person = PersonId(Uuid::from_u128(9));
    let file = |all: &[&Override]| {
        let numbered = all.iter().enumerate();
        numbered
            .map(|(n, one)| (format!("events[{n}].dtstart"), (*one).clone()))
            .collect::<Vec<_>>()
    };
    let clash = decide::add_overrides(
        desk.standing(),
        file(&[&other, &third]),
        &admin(),
        desk.now(),
    );
    assert_eq!(faults(clash)[0].0, "events[1].dtstart");
    let added = decide::add_overrides(
        desk.standing(),
        file(&[&kept, &other]),
        &admin(),
        desk.now(),
    );
    desk.take(added.unwrap());
    assert_eq!(desk.duty.as_ref().unwrap().overrides.len(), 2);
    // So much is kept, and no more.
    let many: Vec<_> = (0..DUTY_EXCEPTIONS as i64)
        .map(|n| {
            let mut one = other.clone();
            one.from = other.until + chrono::TimeDelta::hours(n);
            one.until = one.from + chrono::TimeDelta::hours(1);
            one
        })
        .collect();
    let many: Vec<_> = many.iter().collect();
    let added = decide::add_overrides(desk.standing(), file(&many), &admin(), desk.now());
    assert!(faults(added)[0].1.contains("one too many"));
}

#[test]
fn people_say_themselves_that_they_are_away_and_nobody_says_it_for_others() {
    let mut desk = Desk::with_rota();
    let (ana, ben) = (desk.members[0].clone(), desk.members[1].clone());
    let ana = signed_in(&ana, Some(Part::Answers));
    let set = decide::set_away(
        desk.standing(),
        &away("ana", 2, 4, Some("Ben")),
        &ana,
        desk.now(),
    );
    let set = set.unwrap();
    assert_eq!(set.events[0].actor.name(), Some("Ana"));
    desk.take(set);
    let again = decide::set_away(
        desk.standing(),
        &away("Ana", 2, 4, Some("Ben")),
        &ana,
        desk.now(),
    );
    assert_eq!(again.unwrap_err(), Refused::Unchanged);
    let clash = decide::set_away(desk.standing(), &away("Ana", 4, 6, None), &ana, desk.now());
    assert!(
        faults(clash)[0]
            .1
            .contains("overlaps another time of theirs")
    );
    let own = desk.duty.as_ref().unwrap().absences[0].id;
    let for_ben = decide::set_away(desk.standing(), &away("Ben", 2, 4, None), &ana, desk.now());
    assert_eq!(for_ben.unwrap_err(), Refused::NotAnAdmin);
    let ben_in = signed_in(&ben, Some(Part::Answers));
    let by_ben = decide::remove_away(desk.standing(), own, &ben_in, desk.now());
    assert_eq!(by_ben.unwrap_err(), Refused::NotAnAdmin);
    // Whoever is not in the team learns nothing, not even whether there is a rota.
    for desk in [&desk, &Desk::new()] {
        let stranger = signed_in(&ben, None);
        let told = decide::set_away(
            desk.standing(),
            &away("Ben", 2, 4, None),
            &stranger,
            desk.now(),
        );
        assert_eq!(told.unwrap_err(), Refused::NotSeen);
        let told = decide::remove_away(desk.standing(), own, &stranger, desk.now());
        assert_eq!(told.unwrap_err(), Refused::NotSeen);
    }
    let back = decide::remove_away(desk.standing(), own, &ana, desk.now());
    desk.take(back.unwrap());
    let again = decide::remove_away(desk.standing(), own, &admin(), desk.now());
    assert_eq!(faults(again)[0].0, "id");
}

#[test]
fn all_else_is_the_admins() {
    let desk = Desk::with_rota();
    let hash = SecretHash([1; 32]);
    let ana = desk.members[0].clone();
    let responder = signed_in(&ana, Some(Part::Answers));
    let id = OverrideId(Uuid::nil());
    let (standing, now) = (desk.standing(), || desk.now());
    for refused in [
        decide::set_rota(standing, &daily(&["Ana"]), &responder, now()),
        decide::clear_rota(standing, &responder, now()),
        decide::add_override(standing, &instead("Ben", 1, 1), &responder, now()),
        decide::add_overrides(standing, Vec::new(), &responder, now()),
        decide::remove_override(standing, id, &responder, now()),
        decide::open_calendar(standing, &ana, Some(Part::Answers), hash, &responder, now()),
        decide::close_calendar(standing, &ana, true, &responder, now()),
    ] {
        assert_eq!(refused.unwrap_err(), Refused::NotAnAdmin);
    }
}

#[test]
fn an_address_of_the_calendar_is_for_whoever_sees_the_team() {
    let desk = Desk::with_rota();
    let hash = SecretHash([1; 32]);
    let (standing, now) = (desk.standing(), || desk.now());
    let dana = person(11, "Dana");
    let opened = decide::open_calendar(standing, &dana, Some(Part::Reads), hash, &admin(), now());
    let opened = opened.unwrap();
    assert!(matches!(
        &opened.events[0].payload,
        Payload::Duty(DutyEvent::CalendarOpened { .. })
    ));
    let root = Person {
        role: Role::Admin,
        ..dana.clone()
    };
    assert!(decide::open_calendar(standing, &root, None, hash, &admin(), now()).is_ok());
    let refused = decide::open_calendar(standing, &dana, None, hash, &admin(), now());
    assert_eq!(faults(refused)[0].0, "person");
    let disabled = Person {
        disabled_at: Some(epoch()),
        ..dana.clone()
    };
    let refused = decide::open_calendar(
        standing,
        &disabled,
        Some(Part::Answers),
        hash,
        &admin(),
        now(),
    );
    assert_eq!(refused.unwrap_err(), Refused::Disabled);
    let none = Desk::new();
    let refused = decide::open_calendar(
        none.standing(),
        &dana,
        Some(Part::Answers),
        hash,
        &admin(),
        none.now(),
    );
    assert_eq!(faults(refused)[0].0, "team");
    let refused = decide::close_calendar(standing, &dana, false, &admin(), now());
    assert_eq!(refused.unwrap_err(), Refused::Unchanged);
    assert!(decide::close_calendar(standing, &dana, true, &admin(), now()).is_ok());
}

#[test]
fn what_was_over_long_ago_is_kept_no_longer() {
    let mut desk = Desk::with_rota();
    let added = decide::add_override(desk.standing(), &instead("Cem", 0, 0), &admin(), desk.now());
    desk.take(added.unwrap());
    let until: DateTime<Utc> = desk.duty.as_ref().unwrap().overrides[0].until;
    let kept = |after| {
        let later = crate::Moment {
            at: until + DUTY_KEPT + after,
            ..desk.now()
        };
        let from = (later.at + chrono::TimeDelta::days(2)).format("%Y-%m-%d");
        let other = OverrideDraft {
            person: "Ben".into(),
            from: given(&from.to_string()),
            until: None,
        };
        let added = decide::add_override(desk.standing(), &other, &admin(), later).unwrap();
        match added.writes.into_iter().next() {
            Some(Write::Access(Access::Duty { duty, .. })) => duty.unwrap().overrides.len(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(kept(chrono::TimeDelta::zero()), 2);
    assert_eq!(kept(chrono::TimeDelta::seconds(1)), 1);
}

#[test]
fn what_was_over_long_ago_leaves_room_for_what_is_ahead() {
    let mut desk = Desk::with_rota();
    let ana = desk.members[0].id;
    let duty = desk.duty.as_mut().unwrap();
    for n in 0..DUTY_EXCEPTIONS as i64 {
        let from = epoch() + chrono::TimeDelta::minutes(n);
        let until = from + chrono::TimeDelta::minutes(1);
        let id = Uuid::from_u128(n as u128);
        duty.overrides.push(Override {
            id: OverrideId(id),
            person: ana,
            from,
            until,
        });
        duty.absences.push(Absence {
            id: AbsenceId(id),
            person: ana,
            from,
            until,
            delegate: None,
        });
    }
    let all_over = duty.overrides.last().unwrap().until;
    for (late, fits) in [(DUTY_KEPT / 2, false), (DUTY_KEPT * 2, true)] {
        let now = || crate::Moment {
            at: all_over + late,
            ..desk.now()
        };
        let day = (now().at + chrono::TimeDelta::days(2)).format("%Y-%m-%d");
        let from = given(&day.to_string());
        let one = OverrideDraft {
            person: "Cem".into(),
            from,
            until: None,
        };
        let away = AbsenceDraft {
            person: "Ana".into(),
            from,
            until: None,
            delegate: None,
        };
        let read = Override {
            id: OverrideId(Uuid::from_u128(7_777)),
            person: ana,
            from: now().at,
            until: now().at + chrono::TimeDelta::hours(1),
        };
        let read = vec![("events[0].dtstart".to_owned(), read)];
        for added in [
            decide::add_override(desk.standing(), &one, &admin(), now()),
            decide::add_overrides(desk.standing(), read, &admin(), now()),
            decide::set_away(desk.standing(), &away, &admin(), now()),
        ] {
            assert_eq!(added.is_ok(), fits, "{added:?}");
        }
    }
}
