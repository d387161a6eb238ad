//! How long a token is good, as people say it.

use std::str::FromStr;

use chrono::{DateTime, Days, NaiveDate, NaiveTime, TimeDelta, Utc};

use crate::{
    fault::Fault,
    limits::{TOKEN_LIFETIME, TOKEN_LIFETIME_MAX},
};

const PATH: &str = "expires";
const HOW: &str = "must be like 90d or 12h, a date like 2030-12-31, or never";

/// How long a token is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// Until it is revoked.
    Never,
    /// This long.
    For(TimeDelta),
    /// To the end of this day, in UTC.
    Through(NaiveDate),
}

impl Default for Lifetime {
    fn default() -> Self {
        Self::For(TOKEN_LIFETIME)
    }
}

impl FromStr for Lifetime {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Self, Fault> {
        let text = text.trim();
        let number = |digits: &str| {
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse::<i64>().ok().filter(|_| plain)
        };
        let span = match (text.strip_suffix('d'), text.strip_suffix('h')) {
            (Some(days), _) => number(days).map(TimeDelta::try_days),
            (_, Some(hours)) => number(hours).map(TimeDelta::try_hours),
            _ if text == "never" => return Ok(Self::Never),
            _ => {
                let date = NaiveDate::parse_from_str(text, "%Y-%m-%d");
                return date.map(Self::Through).map_err(|_| Fault::new(PATH, HOW));
            }
        };
        match span {
            // So long that it does not fit is too long.
            Some(span) => Ok(Self::For(span.unwrap_or(TimeDelta::MAX))),
            None => Err(Fault::new(PATH, HOW)),
        }
    }
}

impl Lifetime {
    /// When a token that is made at `now` is good no more.
    ///
    /// # Errors
    /// When that is over already, or more than ten years away.
    pub fn end(self, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>, Fault> {
        let end = match self {
            Self::Never => return Ok(None),
            Self::For(span) => now.checked_add_signed(span),
            Self::Through(day) => day
                .checked_add_days(Days::new(1))
                .map(|next| next.and_time(NaiveTime::MIN).and_utc()),
        };
        match end {
            Some(end) if end <= now => Err(Fault::new(PATH, "must be in the future")),
            Some(end) if end <= now + TOKEN_LIFETIME_MAX => Ok(Some(end)),
            _ => Err(Fault::new(PATH, "must be within 3650d, or never")),
        }
    }
}
