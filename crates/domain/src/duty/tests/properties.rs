//! What holds in every zone and every week.

use chrono::{DateTime, TimeDelta, Utc};
use proptest::prelude::*;
use uuid::Uuid;

use super::{Absence, Duty, Every, Override, everybody, rota, who};
use crate::{
    duty::{Why, on_duty, shifts},
    ids::{AbsenceId, OverrideId},
};

fn moment(hours: i64) -> DateTime<Utc> {
    // From 1990 on, by hours.
    DateTime::from_timestamp(631_152_000 + hours * 3_600, 0).unwrap()
}

fn zones() -> impl Strategy<Value = &'static str> {
    let names: Vec<_> = chrono_tz::TZ_VARIANTS
        .iter()
        .map(|zone| zone.name())
        .collect();
    prop::sample::select(names)
}

prop_compose! {
    fn duties()(
        zone in zones(),
        people in prop::collection::vec(0..5_u128, 1..6),
        weekly in any::<bool>(),
        hour in 0..24,
        minute in 0..60,
        begins in 0..400_000_i64,
        overrides in prop::collection::vec((0..6_u128, -200..500_i64, 1..300_i64), 0..4),
        absences in prop::collection::vec((0..6_u128, -200..500_i64, 1..300_i64, prop::option::of(0..6_u128)), 0..8),
    ) -> (Duty, i64) {
        let every = if weekly { Every::Week } else { Every::Day };
        let starts = moment(begins).date_naive().to_string();
        let at = format!("{hour:02}:{minute:02}");
        let overrides = overrides.into_iter().map(|(person, from, hours)| Override {
            id: OverrideId(Uuid::nil()),
            person: who(person),
            from: moment(begins + from),
            until: moment(begins + from + hours),
        });
        let absences = absences.into_iter().map(|(person, from, hours, delegate)| Absence {
            id: AbsenceId(Uuid::nil()),
            person: who(person),
            from: moment(begins + from),
            until: moment(begins + from + hours),
            delegate: delegate.map(who),
        });
        let duty = Duty {
            rota: rota(&people, every, zone, &at, &starts),
            overrides: overrides.collect(),
            absences: absences.collect(),
        };
        (duty, begins)
    }
}

proptest! {
    #[test]
    fn shifts_follow_each_other_and_say_what_each_moment_says((duty, begins) in duties()) {
        let (from, to) = (moment(begins), moment(begins + 24 * 60));
        let listed = shifts(&duty, &everybody, from, to);
        prop_assert!(listed.last().unwrap().until >= to);
        for pair in listed.windows(2) {
            prop_assert_eq!(pair[0].until, pair[1].from);
        }
        for shift in &listed {
            prop_assert!(shift.from < shift.until);
            let middle = shift.from + (shift.until - shift.from) / 2;
            for at in [shift.from, middle, shift.until - TimeDelta::seconds(1)] {
                let now = on_duty(&duty, &everybody, at);
                prop_assert_eq!(now.as_ref(), Some(shift));
            }
        }
    }

    #[test]
    fn who_is_on_duty_is_there((duty, begins) in duties(), gone in 0..6_u128, hours in 0..1_000_i64) {
        let at = moment(begins + 48 + hours);
        let here = |person| person != who(gone);
        let shift = on_duty(&duty, &here, at).unwrap();
        if let Some(person) = shift.person {
            prop_assert!(here(person));
            let is_away = duty.absences.iter().any(|one| one.person == person && one.covers(at));
            prop_assert!(!is_away);
            prop_assert!(shift.why != Why::For(person));
        } else {
            // Nobody at all of the rota could have come.
            for person in &duty.rota.people {
                let is_away = duty.absences.iter().any(|one| one.person == *person && one.covers(at));
                prop_assert!(is_away || !here(*person));
            }
        }
    }
}
