//! The time of day at which a rota hands over.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::fault::Fault;

/// A time of day to the minute, such as `09:00`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Hour {
    hour: u8,
    minute: u8,
}

impl Hour {
    /// Reads a time of day.
    ///
    /// # Errors
    /// When it is not from `00:00` to `23:59`.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let part = |digits: &str, below: u8| {
            let plain = matches!(digits.len(), 1 | 2) && digits.bytes().all(|b| b.is_ascii_digit());
            let number = digits.parse().ok().filter(|number| *number < below);
            number.filter(|_| plain)
        };
        let parts = text.trim().split_once(':');
        let read = parts.and_then(|(hour, minute)| {
            let minute = Some(minute).filter(|digits| digits.len() == 2);
            Some(Self {
                hour: part(hour, 24)?,
                minute: part(minute?, 60)?,
            })
        });
        read.ok_or_else(|| {
            Fault::new(
                "at",
                "must be a time of day like 09:00, from 00:00 to 23:59",
            )
        })
    }

    /// Hours and minutes since midnight.
    pub fn parts(self) -> (u32, u32) {
        (self.hour.into(), self.minute.into())
    }
}

impl fmt::Display for Hour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.hour, self.minute)
    }
}

impl TryFrom<String> for Hour {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).map_err(|fault| format!("`{text}` {}", fault.message))
    }
}

impl From<Hour> for String {
    fn from(hour: Hour) -> Self {
        hour.to_string()
    }
}
