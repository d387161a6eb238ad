//! How long it took, to three in a hundred: counts of spans can be added up, and have a median; times cannot.

use chrono::TimeDelta;

/// So many spans to each doubling of the time.
const PARTS: u64 = 1 << PARTS_LOG2;
const PARTS_LOG2: u32 = 4;

/// A span of times. Each is at most a sixteenth as wide as it is long, so its middle is at most a thirty-second away from any time
/// in it; below 32 ms there is one for every millisecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(u16);

impl Span {
    /// The span that this time is in. A clock that was set back makes no time negative.
    pub fn of(time: TimeDelta) -> Self {
        let millis = u64::try_from(time.num_milliseconds()).unwrap_or_default();
        if millis < PARTS {
            return Self::at(millis);
        }
        let doubling = u64::from(millis.ilog2() - PARTS_LOG2);
        let part = (millis >> doubling) - PARTS;
        Self::at((doubling + 1) * PARTS + part)
    }

    /// At most 16 × 60, since no time has more than 64 bits.
    fn at(place: u64) -> Self {
        Self(u16::try_from(place).unwrap_or(u16::MAX))
    }

    /// The span of this place; the shorter ones come first.
    pub fn from_place(place: u16) -> Self {
        Self(place)
    }

    /// Its place.
    pub fn place(self) -> u16 {
        self.0
    }

    /// The time in its middle.
    pub fn middle(self) -> TimeDelta {
        let place = u64::from(self.0);
        if place < PARTS {
            return millis(place);
        }
        let doubling = place / PARTS - 1;
        let Some(width) = u32::try_from(doubling)
            .ok()
            .and_then(|doubling| 1_u64.checked_shl(doubling))
        else {
            return TimeDelta::MAX;
        };
        let from = (PARTS + place % PARTS).saturating_mul(width);
        millis(from.saturating_add(width / 2))
    }
}

fn millis(millis: u64) -> TimeDelta {
    let millis = i64::try_from(millis).ok();
    millis
        .and_then(TimeDelta::try_milliseconds)
        .unwrap_or(TimeDelta::MAX)
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use proptest::prelude::*;

    use super::Span;

    fn span(millis: i64) -> Span {
        Span::of(TimeDelta::milliseconds(millis))
    }

    #[test]
    fn spans_begin_with_single_milliseconds_and_double() {
        assert_eq!(span(-5), span(0));
        for millis in 0..32 {
            assert_eq!(span(millis).place(), u16::try_from(millis).unwrap());
            assert_eq!(span(millis).middle(), TimeDelta::milliseconds(millis));
        }
        assert_eq!(span(32), span(33));
        assert_eq!(span(34).place(), 33);
        // A day.
        assert_eq!(span(86_400_000).place(), 372);
    }

    #[test]
    fn a_place_from_elsewhere_has_a_middle_too() {
        assert_eq!(Span::from_place(u16::MAX).middle(), TimeDelta::MAX);
    }

    proptest! {
        #[test]
        fn the_middle_is_within_a_thirty_second(millis in 0_i64..=100_000_000_000_000) {
            let middle = span(millis).middle().num_milliseconds();
            prop_assert!((middle - millis).abs() * 32 <= millis, "{millis}: {middle}");
            prop_assert_eq!(span(middle), span(millis));
        }

        #[test]
        fn longer_times_have_later_spans(millis in 0_i64..=i64::MAX / 2, more in 0_i64..=1_000_000) {
            prop_assert!(span(millis) <= span(millis + more));
        }
    }
}
