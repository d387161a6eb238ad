//! The turns of a rota, one after the other without a gap.

use chrono::{DateTime, Days, Utc};

use super::Rota;

/// The time of one person of the rota.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    /// 0 for the first.
    pub(super) number: u64,
    /// Since when.
    pub(super) from: DateTime<Utc>,
    /// Until when.
    pub(super) until: DateTime<Utc>,
}

impl Rota {
    /// The turn at this moment; `None` before the first.
    pub(super) fn turn_at(&self, at: DateTime<Utc>) -> Option<Turn> {
        let today = self.zone.local(at).date();
        let days = (today - self.starts).num_days();
        let about = days.div_euclid(self.every.days());
        // The hand-over of today may be ahead, and a zone may skip a day or have one twice: so look around.
        let around = (about - 2..=about + 2).rev();
        let begun = around.filter_map(|number| u64::try_from(number).ok());
        let mut begun = begun.filter_map(|number| Some((number, self.begins(number)?)));
        let (number, from) = begun.find(|(_, from)| *from <= at)?;
        let until = self.begins(number + 1)?;
        Some(Turn {
            number,
            from,
            until,
        })
    }

    /// The turns from this one on. One on a day that did not exist has no time, and is left out.
    pub(super) fn turns_from(&self, first: Turn) -> impl Iterator<Item = Turn> {
        std::iter::successors(Some(first), |turn| {
            let number = turn.number + 1;
            let until = self.begins(number + 1)?;
            Some(Turn {
                number,
                from: turn.until,
                until,
            })
        })
        .filter(|turn| turn.from < turn.until)
    }

    /// The first turn of all.
    pub(super) fn first_turn(&self) -> Option<Turn> {
        Some(Turn {
            number: 0,
            from: self.begins(0)?,
            until: self.begins(1)?,
        })
    }

    fn begins(&self, number: u64) -> Option<DateTime<Utc>> {
        let days = number.checked_mul(self.every.days().unsigned_abs())?;
        let day = self.starts.checked_add_days(Days::new(days))?;
        Some(self.hand_over_on(day))
    }
}
