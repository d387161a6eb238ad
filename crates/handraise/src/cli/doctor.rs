//! `handraise doctor`: what keeps the server from working, and what to do about it.

use machine::clock::SystemClock;
use server::{
    config::LoadError,
    doctor::{self, Finding, Verdict},
};

use super::{ServerFlags, report};

pub(super) async fn run(flags: ServerFlags) -> anyhow::Result<()> {
    let findings = match flags.load() {
        Ok(loaded) => doctor::examine(&loaded, &SystemClock).await,
        // Nothing else can be looked at without settings.
        Err(LoadError::Wrong(faults)) => faults
            .into_iter()
            .map(|fault| Finding {
                verdict: Verdict::Problem,
                about: "configuration",
                what: fault.to_string(),
            })
            .collect(),
        Err(unreadable @ LoadError::Unreadable(..)) => return Err(unreadable.into()),
    };
    report(&findings)
}
