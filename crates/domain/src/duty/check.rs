//! Rotas, overrides and absences as people write them, and what is wrong with them.

use std::ops::RangeInclusive;

use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveDateTime, TimeDelta, Utc};
use serde::Deserialize;

use super::{Absence, Duty, Every, Hour, Override, Rota, Zone, shifts};
use crate::{
    access::Person,
    fault::{Fault, Faults},
    ids::{AbsenceId, OverrideId, PersonId},
    limits::{AWAY_DAYS, DUTY_LOOKED_AHEAD, ROTA_PEOPLE},
};

/// A rota as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RotaDraft {
    /// The names of people, in order.
    pub people: Vec<String>,
    /// `day` or `week`.
    pub every: String,
    /// A time of day such as `09:00`.
    pub at: String,
    /// A time zone such as `Europe/Berlin`.
    pub zone: String,
    /// The day of the first turn such as `2030-01-07`; today when it is left out, which only a daily rota may.
    pub starts: Option<String>,
}

/// Somebody else's turn as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OverrideDraft {
    /// The name of the person on duty instead.
    pub person: String,
    /// From then on.
    pub from: Option<Given>,
    /// Until then; without it, the day `from`.
    pub until: Option<Given>,
}

/// Being away as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AbsenceDraft {
    /// The name of the person.
    pub person: String,
    /// From then on.
    pub from: Option<Given>,
    /// Until then; without it, the day `from`.
    pub until: Option<Given>,
    /// The name of the person who stands in.
    pub delegate: Option<String>,
}

/// A moment as people write it. A day counts whole, the last one too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// A day.
    Day(NaiveDate),
    /// What the clocks of the rota's zone show.
    Local(NaiveDateTime),
    /// A moment that is the same everywhere.
    Exact(DateTime<Utc>),
}

/// The years that calendars and RFC 3339 write with four digits, but for the last: what begins in one ends in the next. Near
/// the first and last day that can be reckoned with, the clocks of a zone show none.
const YEARS: RangeInclusive<i32> = 1..=9_998;

fn day_of(text: &str) -> Option<NaiveDate> {
    let read = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok();
    read.filter(|day| YEARS.contains(&day.year()))
}

impl Given {
    /// Reads `2030-12-24`, `2030-12-24T18:00`, or RFC 3339 as in `2030-12-24T18:00:00+01:00`.
    ///
    /// # Errors
    /// When it is nothing of these.
    pub fn parse(path: &str, text: &str) -> Result<Self, Fault> {
        let text = text.trim();
        let day = day_of(text).map(Self::Day);
        let local = || {
            let forms = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"];
            let mut read = forms
                .iter()
                .filter_map(|form| NaiveDateTime::parse_from_str(text, form).ok())
                .filter(|local| YEARS.contains(&local.year()));
            read.next().map(Self::Local)
        };
        let exact = || {
            let read = DateTime::parse_from_rfc3339(text).ok()?.to_utc();
            YEARS.contains(&read.year()).then_some(Self::Exact(read))
        };
        let read = day.or_else(local).or_else(exact);
        read.ok_or_else(|| {
            Fault::new(
                path,
                "must be a day like 2030-12-24, or a time like 2030-12-24T18:00 or 2030-12-24T18:00:00+01:00",
            )
        })
    }
}

impl RotaDraft {
    /// The rota. `members` are those who can be on duty, disabled ones among them; `duty_of` is what else decides who is.
    ///
    /// # Errors
    /// Everything that is wrong, each with its path.
    pub fn check(
        &self,
        members: &[Person],
        duty_of: impl FnOnce(Rota) -> Duty,
        now: DateTime<Utc>,
    ) -> Result<Rota, Vec<Fault>> {
        let mut faults = Faults::default();
        let people = self.checked_people(members, &mut faults);
        let every = Every::from_name(self.every.trim());
        if every.is_none() {
            faults.add("every", "must be day or week");
        }
        let mut noted = |fault: Fault| faults.add(&fault.path, fault.message);
        let at = Hour::parse(&self.at).map_err(&mut noted).ok();
        let zone = Zone::parse(&self.zone).map_err(&mut noted).ok();
        let starts = self.checked_start(every, at, zone.as_ref(), now);
        let starts = starts.map_err(&mut noted).ok();
        let (Some(every), Some(at), Some(zone), Some(starts)) = (every, at, zone, starts) else {
            return faults.into_result(()).and(Err(Vec::new()));
        };
        let rota = faults.into_result(Rota {
            people,
            every,
            at,
            zone,
            starts,
        })?;
        let duty = duty_of(rota);
        let here = |person| is_here(members, person);
        match first_gap(&duty, &here, now) {
            None => Ok(duty.rota),
            Some(fault) => Err(vec![fault]),
        }
    }

    fn checked_people(&self, members: &[Person], faults: &mut Faults) -> Vec<PersonId> {
        if self.people.is_empty() {
            faults.add("people", "must name somebody: the rota is empty");
        }
        if self.people.len() > ROTA_PEOPLE {
            let count = self.people.len();
            faults.add(
                "people",
                format!("names {count} people, at most {ROTA_PEOPLE} are allowed"),
            );
            return Vec::new();
        }
        let people = self.people.iter().enumerate();
        let people = people.filter_map(|(n, name)| {
            let found = found(members, &format!("people[{n}]"), name);
            found
                .map_err(|fault| faults.add(&fault.path, fault.message))
                .ok()
        });
        people.collect()
    }

    fn checked_start(
        &self,
        every: Option<Every>,
        at: Option<Hour>,
        zone: Option<&Zone>,
        now: DateTime<Utc>,
    ) -> Result<NaiveDate, Fault> {
        let path = "starts";
        let today = zone.map(|zone| zone.local(now).date());
        let Some(text) = self.starts.as_deref() else {
            if every == Some(Every::Week) {
                let why = "is required: a weekly rota hands over on its day of the week";
                return Err(Fault::new(path, why));
            }
            // The turn that runs, so that somebody is on duty at once.
            let begun = zone.zip(at).zip(today).map(|((zone, at), today)| {
                match zone.moment(at.on(today)) <= now {
                    true => today,
                    false => today.pred_opt().unwrap_or(today),
                }
            });
            return Ok(begun.unwrap_or_default());
        };
        let day =
            day_of(text.trim()).ok_or_else(|| Fault::new(path, "must be a day like 2030-01-07"))?;
        let years_ago = today.and_then(|today| today.checked_sub_days(Days::new(3_660)));
        if years_ago.is_some_and(|first| day < first) {
            return Err(Fault::new(path, "must not be more than ten years ago"));
        }
        let begins = zone.zip(at).map(|(zone, at)| zone.moment(at.on(day)));
        match begins.is_some_and(|begins| begins > now) {
            false => Ok(day),
            true => Err(Fault::new(
                path,
                "is ahead, which leaves a gap: nobody would be on duty until then; name a day on which it has handed over already",
            )),
        }
    }
}

impl OverrideDraft {
    /// The override. A day goes from hand-over to hand-over.
    ///
    /// # Errors
    /// Everything that is wrong, each with its path.
    pub fn check(
        &self,
        id: OverrideId,
        rota: &Rota,
        members: &[Person],
        now: DateTime<Utc>,
    ) -> Result<Override, Vec<Fault>> {
        let mut faults = Faults::default();
        let person = found(members, "person", &self.person)
            .map_err(|fault| faults.add(&fault.path, fault.message));
        let starts = |day| rota.hand_over_on(day);
        let (from, until) = interval(self.from, self.until, rota, &starts, now, &mut faults);
        faults.into_result(Override {
            id,
            person: person.unwrap_or(PersonId(id.0)),
            from,
            until,
        })
    }
}

impl AbsenceDraft {
    /// The absence. A day goes from midnight to midnight, by the clocks of the rota's zone.
    ///
    /// # Errors
    /// Everything that is wrong, each with its path.
    pub fn check(
        &self,
        id: AbsenceId,
        rota: &Rota,
        members: &[Person],
        now: DateTime<Utc>,
    ) -> Result<Absence, Vec<Fault>> {
        let mut faults = Faults::default();
        let mut noted = |fault: Fault| faults.add(&fault.path, fault.message);
        let person = found(members, "person", &self.person).map_err(&mut noted);
        let delegate = self.delegate.as_deref();
        let delegate = delegate.map(|name| found(members, "delegate", name));
        let delegate = delegate.transpose().map_err(&mut noted);
        if let (Ok(person), Ok(Some(delegate))) = (person, delegate)
            && person == delegate
        {
            faults.add(
                "delegate",
                "must be another person than the one who is away",
            );
        }
        let starts = |day| rota.midnight_of(day);
        let (from, until) = interval(self.from, self.until, rota, &starts, now, &mut faults);
        faults.into_result(Absence {
            id,
            person: person.unwrap_or(PersonId(id.0)),
            from,
            until,
            delegate: delegate.unwrap_or_default(),
        })
    }
}

/// The first time ahead at which nobody is on duty, as a fault of the rota.
pub fn first_gap(
    duty: &Duty,
    here: &dyn Fn(PersonId) -> bool,
    now: DateTime<Utc>,
) -> Option<Fault> {
    let ahead = shifts(duty, here, now, now + DUTY_LOOKED_AHEAD).into_iter();
    let gap = ahead.into_iter().find(|shift| shift.person.is_none())?;
    let words = |at| duty.rota.on_the_wall(at);
    let (from, until) = (words(gap.from.max(now)), words(gap.until));
    Some(Fault::new(
        "people",
        format!(
            "leaves a gap: from {from} to {until} everybody is away and nobody stands in; name one more person, or a delegate"
        ),
    ))
}

fn is_here(members: &[Person], person: PersonId) -> bool {
    let mut members = members.iter();
    members.any(|one| one.id == person && one.disabled_at.is_none())
}

fn found(members: &[Person], path: &str, name: &str) -> Result<PersonId, Fault> {
    let key = Person::name_key(name);
    let member = members
        .iter()
        .find(|one| Person::name_key(&one.name) == key);
    match member {
        _ if key.is_empty() => Err(Fault::new(path, "must name a person")),
        None => Err(Fault::new(
            path,
            "is nobody who can be on duty here; name a member of the team who answers",
        )),
        Some(person) if person.disabled_at.is_some() => Err(Fault::new(
            path,
            "is disabled; name a person who can come in",
        )),
        Some(person) => Ok(person.id),
    }
}

/// Both ends, or faults. `starts` says when a day begins.
fn interval(
    from: Option<Given>,
    until: Option<Given>,
    rota: &Rota,
    starts: &dyn Fn(NaiveDate) -> DateTime<Utc>,
    now: DateTime<Utc>,
    faults: &mut Faults,
) -> (DateTime<Utc>, DateTime<Utc>) {
    let Some(from) = faults.present("from", from) else {
        return (now, now);
    };
    let until = match (until, from) {
        (Some(until), _) => until,
        (None, Given::Day(_)) => from,
        (None, _) => {
            faults.add("until", "is required, unless `from` is a day");
            return (now, now);
        }
    };
    let begin = match from {
        Given::Day(day) => starts(day),
        Given::Local(local) => rota.zone.moment(local),
        Given::Exact(at) => at,
    };
    let end = match until {
        Given::Day(day) => starts(day.succ_opt().unwrap_or(day)),
        Given::Local(local) => rota.zone.moment(local),
        Given::Exact(at) => at,
    };
    if end <= begin {
        faults.add("until", "must be later than `from`");
    } else if end <= now {
        faults.add("until", "is over already");
    } else if end - begin > TimeDelta::days(AWAY_DAYS) {
        faults.add(
            "until",
            format!("must be within {AWAY_DAYS} days of `from`"),
        );
    }
    (begin, end)
}
