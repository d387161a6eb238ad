//! The settings themselves: they were read, so only what is unwise is left.

use super::{Report, disk};
use crate::config::{Loaded, Origin};

const ABOUT: &str = "configuration";

pub(super) fn examine(loaded: &Loaded, report: &mut Report) {
    match &loaded.file {
        Some(file) => report.ok(ABOUT, format!("read from {}", file.display())),
        None => report.ok(ABOUT, "no file, so defaults, environment and flags alone"),
    }
    for unknown in &loaded.unknown_variables {
        report.warning(ABOUT, unknown);
    }
    if !loaded.config.database_url.has_password() {
        return;
    }
    match loaded.origin("database_url") {
        Origin::Flag(flag) => report.warning(
            ABOUT,
            format!(
                "everybody on this machine can see the password in {flag}; \
                 set HANDRAISE_DATABASE_URL or HANDRAISE_DATABASE_URL_FILE instead"
            ),
        ),
        Origin::File(file, _) if disk::others_may_read(file) => {
            let file = file.display();
            report.warning(
                ABOUT,
                format!(
                    "others may read {file}, which has a password in it; run `chmod 600 {file}`"
                ),
            );
        }
        Origin::File(..) | Origin::Variable(_) | Origin::Default => {}
    }
}
