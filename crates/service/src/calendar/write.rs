//! Shifts as a calendar to subscribe to.
//!
//! Times are written in UTC: every calendar shows them by its own clocks, and none has to know a zone.

use calcard::{
    common::PartialDateTime,
    icalendar::{
        ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarEntry, ICalendarParameter,
        ICalendarProperty, ICalendarTransparency, ICalendarValue, ICalendarValueType,
    },
};
use chrono::{DateTime, Utc};
use domain::{
    PersonId,
    duty::{Shift, Why},
};

use super::ON_DUTY;

const PRODUCT: &str = "-//Handraise//Duty//EN";
/// How often a calendar that subscribes should look again, in seconds.
const LOOK_AGAIN: i64 = 3_600;

/// The calendar of one team. `key` is what tells its shifts from those of others, and stays as it is; `changed` is when
/// its duty was changed last.
pub fn write_shifts(
    name: &str,
    key: &str,
    shifts: &[Shift],
    name_of: impl Fn(PersonId) -> String,
    changed: DateTime<Utc>,
) -> String {
    let mut calendar = ICalendarComponent::new(ICalendarComponentType::VCalendar);
    let mut said = |property, text: &str| calendar.add_property(property, text.to_owned());
    said(ICalendarProperty::Version, "2.0");
    said(ICalendarProperty::Prodid, PRODUCT);
    said(ICalendarProperty::Method, "PUBLISH");
    said(ICalendarProperty::Name, name);
    said(ICalendarProperty::Other("X-WR-CALNAME".to_owned()), name);
    let again = ICalendarValue::Duration(calcard::icalendar::ICalendarDuration::from_seconds(
        LOOK_AGAIN,
    ));
    let ttl = ICalendarProperty::Other("X-PUBLISHED-TTL".to_owned());
    calendar.add_property(ttl, again.clone());
    let duration = ICalendarParameter::value(ICalendarValueType::Duration);
    calendar.add_property_with_params(ICalendarProperty::RefreshInterval, [duration], again);
    let mut components = vec![calendar];
    for shift in shifts {
        let id = next_id(&components);
        components[0].component_ids.push(id);
        components.push(event(key, shift, &name_of, changed));
    }
    let mut text = String::new();
    // Writing into a text does not fail.
    let _ = ICalendar { components }.write_to(&mut text);
    text
}

fn next_id(components: &[ICalendarComponent]) -> u32 {
    u32::try_from(components.len()).unwrap_or(u32::MAX)
}

fn event(
    key: &str,
    shift: &Shift,
    name_of: &impl Fn(PersonId) -> String,
    changed: DateTime<Utc>,
) -> ICalendarComponent {
    let mut event = ICalendarComponent::new(ICalendarComponentType::VEvent);
    event.add_uid(&format!("{}-{key}@handraise", shift.from.timestamp()));
    event.add_dtstamp(time(changed));
    let moment = |at| ICalendarValue::PartialDateTime(Box::new(time(at)));
    event.add_property(ICalendarProperty::Dtstart, moment(shift.from));
    event.add_property(ICalendarProperty::Dtend, moment(shift.until));
    let summary = match shift.person {
        Some(person) => format!("{ON_DUTY}{}", name_of(person)),
        None => "Nobody is on duty".to_owned(),
    };
    event.add_property(ICalendarProperty::Summary, summary);
    let why = match (shift.person, shift.why) {
        (Some(_), Why::Override) => Some("Instead of the rota".to_owned()),
        (Some(_), Why::For(person)) => Some(format!("For {}", name_of(person))),
        _ => None,
    };
    if let Some(why) = why {
        event.add_property(ICalendarProperty::Description, why);
    }
    // Being on duty makes nobody busy.
    let free = ICalendarValue::Transparency(ICalendarTransparency::Transparent);
    let entry = ICalendarEntry::new(ICalendarProperty::Transp).with_value(free);
    event.entries.push(entry);
    event
}

fn time(at: DateTime<Utc>) -> PartialDateTime {
    PartialDateTime::from_utc_timestamp(at.timestamp())
}
