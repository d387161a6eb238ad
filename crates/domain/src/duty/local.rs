//! What a clock on the wall shows, as a moment.
//!
//! A time that comes twice is the first of the two; one that does not exist is read as if the clock had not been put
//! forward yet. RFC 5545 (3.3.5) reads them so, and calendars that subscribe do too.

use chrono::{
    DateTime, MappedLocalTime, NaiveDate, NaiveDateTime, Offset, TimeDelta, TimeZone, Utc,
};
use chrono_tz::{GapInfo, Tz};

use super::{Hour, Rota, Zone};

impl Zone {
    /// The moment at which the clocks of this zone show `local`.
    pub fn moment(&self, local: NaiveDateTime) -> DateTime<Utc> {
        moment(self.clocks(), local)
    }

    /// What the clocks of this zone show.
    pub fn local(&self, at: DateTime<Utc>) -> NaiveDateTime {
        at.with_timezone(&self.clocks()).naive_local()
    }
}

impl Rota {
    /// What the clocks on its wall show, as people read it.
    pub fn on_the_wall(&self, at: DateTime<Utc>) -> String {
        self.zone.local(at).format("%Y-%m-%d %H:%M").to_string()
    }

    /// When it hands over on this day, or would if a turn ended on it.
    pub fn hand_over_on(&self, day: NaiveDate) -> DateTime<Utc> {
        let (hour, minute) = self.at.parts();
        self.zone.moment(at_hour(day, hour, minute))
    }

    /// When this day begins, at midnight.
    pub fn midnight_of(&self, day: NaiveDate) -> DateTime<Utc> {
        self.zone.moment(at_hour(day, 0, 0))
    }
}

impl Hour {
    /// This time on a day.
    pub fn on(self, day: NaiveDate) -> NaiveDateTime {
        let (hour, minute) = self.parts();
        at_hour(day, hour, minute)
    }
}

fn at_hour(day: NaiveDate, hour: u32, minute: u32) -> NaiveDateTime {
    let since_midnight = TimeDelta::minutes(i64::from(hour * 60 + minute));
    let midnight = day.and_time(chrono::NaiveTime::MIN);
    midnight
        .checked_add_signed(since_midnight)
        .unwrap_or(midnight)
}

fn moment(zone: Tz, local: NaiveDateTime) -> DateTime<Utc> {
    match zone.from_local_datetime(&local) {
        MappedLocalTime::Single(at) | MappedLocalTime::Ambiguous(at, _) => at.with_timezone(&Utc),
        MappedLocalTime::None => {
            let before = GapInfo::new(&local, &zone).and_then(|gap| gap.begin);
            let offset = before.map_or(0, |(_, offset)| offset.fix().local_minus_utc());
            local.and_utc() - TimeDelta::seconds(offset.into())
        }
    }
}
