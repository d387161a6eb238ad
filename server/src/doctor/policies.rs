//! Whether the file of policies is one that the server would start with.

use super::Report;
use crate::{config::Config, policies::read_file};

/// Looks at it, where there is one. Whether its teams and people are there, only a server can tell.
pub(super) fn examine(config: &Config, report: &mut Report) {
    let Some(file) = &config.policies else {
        return;
    };
    let read = match read_file(file) {
        Ok(policies) => policies,
        Err(error) => return report.problem("policies", error.to_string()),
    };
    match read.check() {
        Ok(()) => {
            let count = read.rules.len();
            report.ok("policies", format!("{count} in {}", file.display()));
        }
        Err(faults) => {
            for fault in faults {
                let what = format!("{}: {} {}", file.display(), fault.path, fault.message);
                report.problem("policies", what);
            }
        }
    }
}
