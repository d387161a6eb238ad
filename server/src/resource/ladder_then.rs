//! Ladders and quiet hours as events tell of them.

use domain::{
    PersonId,
    ladder::{Class, Ladder, Quiet, QuietDraft},
};
use serde::Serialize;

/// A ladder, one rung a line, as `GET /ladder` has it; a person stands in it by their id.
#[derive(Serialize)]
pub(super) struct LadderThen {
    urgent: Vec<String>,
    sync: Vec<String>,
    r#async: Vec<String>,
}

impl From<&Ladder> for LadderThen {
    fn from(ladder: &Ladder) -> Self {
        let id = |person: PersonId| person.to_string();
        let lines = |class| {
            let rungs = ladder.rungs(class).iter();
            rungs.map(|rung| rung.text(&id)).collect()
        };
        Self {
            urgent: lines(Class::Urgent),
            sync: lines(Class::Sync),
            r#async: lines(Class::Async),
        }
    }
}

/// Quiet hours, as a person writes them.
#[derive(Serialize)]
pub(super) struct QuietThen {
    zone: String,
    from: String,
    until: String,
    days: Vec<String>,
    urgent: bool,
}

impl From<&Quiet> for QuietThen {
    fn from(quiet: &Quiet) -> Self {
        let QuietDraft {
            zone,
            from,
            until,
            days,
            urgent,
        } = QuietDraft::from(quiet);
        Self {
            zone,
            from,
            until,
            days,
            urgent,
        }
    }
}
