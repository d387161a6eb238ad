//! Whether the server would start and work as it is configured. Looks, and changes nothing.

mod address;
mod attachments;
mod backup;
mod configuration;
mod content;
mod database;
mod disk;
mod key;
mod policies;
mod providers;
mod reach;
mod time;

use std::fmt;

use machine::clock::Clock;

use crate::{config::Loaded, slack::check::examine_app};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As it should be.
    Ok,
    /// It works, and the operator should know.
    Warning,
    /// It does not work, or will not for long.
    Problem,
}

/// One line of the report.
#[derive(Clone, Debug)]
pub struct Finding {
    /// How bad it is.
    pub verdict: Verdict,
    /// Its subject.
    pub about: &'static str,
    /// The finding, and its remedy.
    pub what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match self.verdict {
            Verdict::Ok => "ok",
            Verdict::Warning => "warning",
            Verdict::Problem => "problem",
        };
        write!(f, "{verdict:<7}  {}: {}", self.about, self.what)
    }
}

/// Looks at everything the server needs.
pub async fn examine(loaded: &Loaded, clock: &dyn Clock) -> Vec<Finding> {
    let mut report = Report::default();
    configuration::examine(loaded, &mut report);
    let found = database::examine(&loaded.config, &mut report).await;
    time::examine(clock.now(), found.as_ref(), &mut report);
    let content = found.and_then(|found| found.content);
    key::examine(&loaded.config, content.as_ref(), &mut report);
    attachments::examine(&loaded.config, &mut report);
    backup::examine(&loaded.config, clock.now(), &mut report).await;
    policies::examine(&loaded.config, &mut report);
    address::examine(&loaded.config, clock.now(), &mut report).await;
    reach::examine(&loaded.config, &mut report).await;
    examine_app(&loaded.config, &mut report).await;
    let content = content.as_ref();
    if let Some(content) = content {
        content::examine(content, clock.now(), &mut report);
    }
    providers::examine(&loaded.config, content, clock.now(), &mut report).await;
    report.0
}

/// The findings so far.
#[derive(Default)]
pub(crate) struct Report(pub(crate) Vec<Finding>);

impl Report {
    pub(crate) fn ok(&mut self, about: &'static str, what: impl Into<String>) {
        self.add(Verdict::Ok, about, what.into());
    }

    pub(crate) fn warning(&mut self, about: &'static str, what: impl Into<String>) {
        self.add(Verdict::Warning, about, what.into());
    }

    pub(crate) fn problem(&mut self, about: &'static str, what: impl Into<String>) {
        self.add(Verdict::Problem, about, what.into());
    }

    fn add(&mut self, verdict: Verdict, about: &'static str, what: String) {
        self.0.push(Finding {
            verdict,
            about,
            what,
        });
    }
}
