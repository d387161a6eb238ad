//! Overrides out of a calendar file: each event puts the person whom its summary names on duty for its time.

use calcard::{
    Entry, Parser,
    common::{PartialDateTime, timezone::Tz},
    icalendar::{
        ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarDuration, ICalendarEntry,
        ICalendarProperty, ICalendarStatus, ICalendarValue, timezone::TzResolver,
    },
};
use chrono::{DateTime, Days, NaiveDate, NaiveDateTime, Utc};
use domain::{
    Fault, Ids, OverrideId, Person,
    duty::{Given, Override, OverrideDraft, Rota, Zone},
    limits::CALENDAR_EVENTS,
};

use super::ON_DUTY;

/// What a file said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalendarRead {
    /// In the order of the file.
    pub overrides: Vec<Override>,
    /// The place of each in the file, such as `events[3]`.
    pub places: Vec<String>,
    /// How many of its events are over, or were called off; they were passed over.
    pub passed_over: usize,
}

/// Reads a file. An event of whole days goes from hand-over to hand-over; a time without a zone is by the clocks of the
/// rota's.
///
/// # Errors
/// All that is wrong: events that repeat, name nobody, or are in a zone that is not known. Then nothing of it counts.
pub fn read_overrides(
    text: &str,
    rota: &Rota,
    members: &[Person],
    ids: &dyn Ids,
    now: DateTime<Utc>,
) -> Result<CalendarRead, Vec<Fault>> {
    let calendars = calendars(text).map_err(|fault| vec![fault])?;
    let mut read = CalendarRead {
        overrides: Vec::new(),
        places: Vec::new(),
        passed_over: 0,
    };
    let (mut faults, mut number) = (Vec::new(), 0);
    for calendar in &calendars {
        let zones = calendar.build_tz_resolver();
        for event in events(calendar) {
            let path = format!("events[{number}]");
            number += 1;
            if number > CALENDAR_EVENTS {
                let most = format!("has more than {CALENDAR_EVENTS} events");
                return Err(vec![Fault::new("calendar", most)]);
            }
            let time = match time_of(event, &zones, rota, &path) {
                Ok(time) => time,
                Err(fault) => {
                    faults.push(fault);
                    continue;
                }
            };
            if event.status() == Some(&ICalendarStatus::Cancelled) || time.is_over(rota, now) {
                read.passed_over += 1;
                continue;
            }
            let draft = OverrideDraft {
                person: named(event),
                from: Some(time.from),
                until: Some(time.until),
            };
            match draft.check(OverrideId(ids.next()), rota, members, now) {
                Ok(one) => {
                    read.overrides.push(one);
                    read.places.push(path);
                }
                Err(found) => faults.extend(found.into_iter().map(|fault| placed(&path, fault))),
            }
        }
    }
    match (faults.is_empty(), number) {
        (true, 0) => Err(vec![Fault::new("calendar", "has no events")]),
        (true, _) => Ok(read),
        (false, _) => Err(faults),
    }
}

fn calendars(text: &str) -> Result<Vec<ICalendar>, Fault> {
    let no_calendar = || {
        let how =
            "is no iCalendar file: it has to begin with BEGIN:VCALENDAR and end with END:VCALENDAR";
        Fault::new("calendar", how)
    };
    // Half a file reads well to the parser.
    let last = text.trim_end().lines().next_back().unwrap_or_default();
    if !last.trim().eq_ignore_ascii_case("END:VCALENDAR") {
        return Err(no_calendar());
    }
    let mut parser = Parser::new(text);
    let mut calendars = Vec::new();
    loop {
        match parser.entry() {
            Entry::ICalendar(calendar) if is_calendar(&calendar) => calendars.push(calendar),
            Entry::Eof if !calendars.is_empty() => return Ok(calendars),
            Entry::InvalidLine(line) if line.trim().is_empty() && !calendars.is_empty() => {}
            _ => return Err(no_calendar()),
        }
    }
}

fn is_calendar(calendar: &ICalendar) -> bool {
    let root = calendar.components.first();
    root.is_some_and(|root| root.component_type == ICalendarComponentType::VCalendar)
}

fn events(calendar: &ICalendar) -> impl Iterator<Item = &ICalendarComponent> {
    let components = calendar.components.iter();
    components.filter(|one| one.component_type == ICalendarComponentType::VEvent)
}

/// The person's name: the summary, without the words that we write before it.
fn named(event: &ICalendarComponent) -> String {
    let summary = event.property(&ICalendarProperty::Summary);
    let text = summary.and_then(|entry| entry.values.first()?.as_text());
    let text = text.unwrap_or_default().trim();
    let start = text.get(..ON_DUTY.len());
    match start.is_some_and(|start| start.eq_ignore_ascii_case(ON_DUTY)) {
        true => text[ON_DUTY.len()..].trim().to_owned(),
        false => text.to_owned(),
    }
}

/// Where in the file a fault of an override is.
fn placed(path: &str, fault: Fault) -> Fault {
    let property = match &*fault.path {
        "person" => "summary",
        "from" => "dtstart",
        _ => "dtend",
    };
    let message = match property {
        "dtend" => fault.message.replace("`from`", "its start"),
        _ => fault.message,
    };
    Fault::new(format!("{path}.{property}"), message)
}

/// When an event is.
struct Time {
    from: Given,
    until: Given,
}

impl Time {
    fn is_over(&self, rota: &Rota, now: DateTime<Utc>) -> bool {
        let end = match self.until {
            Given::Day(day) => rota.hand_over_on(day.succ_opt().unwrap_or(day)),
            Given::Local(local) => rota.zone.moment(local),
            Given::Exact(at) => at,
        };
        end <= now
    }
}

fn time_of(
    event: &ICalendarComponent,
    zones: &TzResolver<&str>,
    rota: &Rota,
    path: &str,
) -> Result<Time, Fault> {
    let repeats = [
        (ICalendarProperty::Rrule, "rrule"),
        (ICalendarProperty::Rdate, "rdate"),
        (ICalendarProperty::Exrule, "exrule"),
        (ICalendarProperty::RecurrenceId, "recurrence-id"),
    ];
    for (property, name) in repeats {
        if event.has_property(&property) {
            let how = "belongs to an event that repeats: what repeats is the rota's; write each time as an event of its own";
            return Err(Fault::new(format!("{path}.{name}"), how));
        }
    }
    let (start, end) = (format!("{path}.dtstart"), format!("{path}.dtend"));
    let from = match event.property(&ICalendarProperty::Dtstart) {
        Some(entry) => given(entry, zones, &start)?,
        None => return Err(Fault::required(&start)),
    };
    let duration = event.property(&ICalendarProperty::Duration);
    let until = match (event.property(&ICalendarProperty::Dtend), duration, from) {
        (Some(entry), ..) => given(entry, zones, &end)?,
        (None, Some(entry), _) => after(from, entry, rota)
            .ok_or_else(|| Fault::new(format!("{path}.duration"), "is no time that has an end"))?,
        (None, None, Given::Day(day)) => Given::Day(next(day)),
        (None, None, _) => return Err(Fault::required(&end)),
    };
    // The day on which an event of days ends is the first that does not belong to it.
    let until = match (from, until) {
        (Given::Day(_), Given::Day(day)) => Given::Day(day.pred_opt().unwrap_or(day)),
        (Given::Day(_), _) | (_, Given::Day(_)) => {
            let how = "must be a day where the start is one, and a time where it is a time";
            return Err(Fault::new(end, how));
        }
        (_, until) => until,
    };
    Ok(Time { from, until })
}

/// The value of a property: a day, a time by the rota's clocks, or a moment.
fn given(entry: &ICalendarEntry, zones: &TzResolver<&str>, path: &str) -> Result<Given, Fault> {
    let Some(ICalendarValue::PartialDateTime(value)) = entry.values.first() else {
        return Err(no_time(path));
    };
    let read = value.to_date_time().ok_or_else(|| no_time(path))?;
    if !value.has_time() {
        return Ok(Given::Day(read.date_time.date()));
    }
    match (read.offset, entry.tz_id()) {
        (Some(_), _) => exact(value).ok_or_else(|| no_time(path)),
        (None, None) => Ok(Given::Local(read.date_time)),
        (None, Some(name)) => {
            let moment = in_named_zone(read.date_time, name, zones);
            moment.ok_or_else(|| {
                let name: String = name.chars().filter(|c| !c.is_control()).take(60).collect();
                Fault::new(
                    path,
                    format!("is in a zone \"{name}\", which is not known here; name one such as Europe/Berlin"),
                )
            })
        }
    }
}

fn no_time(path: &str) -> Fault {
    Fault::new(
        path,
        "is no time; write it like 20301224, 20301224T180000 or 20301224T170000Z",
    )
}

fn exact(value: &PartialDateTime) -> Option<Given> {
    let read = value.to_date_time()?;
    let at = read.date_time.and_local_timezone(read.offset?).single()?;
    Some(Given::Exact(at.to_utc()))
}

/// Some programs write a registry before the name: `/citadel.org/20260101_1/Europe/Berlin`.
fn in_named_zone(local: NaiveDateTime, name: &str, zones: &TzResolver<&str>) -> Option<Given> {
    if let Some(zone) = zones.resolve(name) {
        return in_zone(local, zone);
    }
    let slashes = name.strip_prefix('/')?.match_indices('/');
    let mut names = slashes.filter_map(|(at, _)| name.get(at + 2..));
    let zone = names.find_map(|name| Zone::parse(name).ok())?;
    Some(Given::Exact(zone.moment(local)))
}

fn in_zone(local: NaiveDateTime, zone: Tz) -> Option<Given> {
    Some(match zone {
        Tz::Floating => Given::Local(local),
        Tz::Fixed(offset) => Given::Exact(local.and_local_timezone(offset).single()?.to_utc()),
        Tz::Tz(zone) => Given::Exact(Zone::parse(zone.name()).ok()?.moment(local)),
    })
}

/// The end of an event that says how long it takes.
fn after(from: Given, entry: &ICalendarEntry, rota: &Rota) -> Option<Given> {
    let Some(ICalendarValue::Duration(duration)) = entry.values.first() else {
        return None;
    };
    let span = duration.to_time_delta()?;
    Some(match from {
        Given::Day(day) => Given::Day(day.checked_add_days(whole_days(duration)?)?),
        Given::Local(local) => Given::Exact(rota.zone.moment(local).checked_add_signed(span)?),
        Given::Exact(at) => Given::Exact(at.checked_add_signed(span)?),
    })
}

fn whole_days(duration: &ICalendarDuration) -> Option<Days> {
    let parts = (duration.hours, duration.minutes, duration.seconds);
    let has_parts = duration.neg || parts != (0, 0, 0);
    let days = u64::from(duration.weeks) * 7 + u64::from(duration.days);
    (!has_parts && days > 0).then_some(Days::new(days))
}

fn next(day: NaiveDate) -> NaiveDate {
    day.succ_opt().unwrap_or(day)
}
