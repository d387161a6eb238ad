//! Who is on duty in a person's own teams.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::wire;

/// [`DutyNow`] as text. The first part of the program carries it and does not read it: that is up to the part which
/// shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DutyText(String);

/// Who is on duty, team by team.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DutyNow {
    /// When that was so, in milliseconds since 1970.
    pub as_of: i64,
    /// A line for each of their teams that has a rota.
    pub lines: Vec<DutyLine>,
}

/// Who of one team is on duty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DutyLine {
    /// The team's name.
    pub team: String,
    /// The person's; none when nobody can be.
    pub person: Option<String>,
    /// Whether that is who looks.
    pub is_you: bool,
    /// Until when, in milliseconds since 1970.
    pub until: i64,
    /// Who follows then.
    pub next: Option<String>,
}

impl DutyText {
    /// Nothing where there are no lines.
    pub fn new(now: &DutyNow) -> Self {
        let text = (!now.lines.is_empty()).then(|| serde_json::to_string(now).ok());
        Self(text.flatten().unwrap_or_default())
    }

    /// Whether there is nobody to name, and no gap to tell of.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What it says.
    pub fn read(&self) -> DutyNow {
        wire::read(&self.0).unwrap_or_default()
    }
}

impl DutyNow {
    /// When that was so.
    pub fn at(&self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.as_of).unwrap_or_default()
    }
}

impl DutyLine {
    /// Until when.
    pub fn ends(&self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.until).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_comes_back_as_it_was_and_without_lines_there_is_nothing() {
        assert!(DutyText::new(&DutyNow::default()).is_empty());
        assert_eq!(DutyText::default().read(), DutyNow::default());
        let now = DutyNow {
            as_of: 1_800_000_000_000,
            lines: vec![DutyLine {
                team: "Pay\"ments".to_owned(),
                person: None,
                is_you: false,
                until: 1_800_003_600_000,
                next: Some("Ana".to_owned()),
            }],
        };
        let text = DutyText::new(&now);
        assert!(!text.is_empty());
        assert_eq!(text.read(), now);
    }
}
