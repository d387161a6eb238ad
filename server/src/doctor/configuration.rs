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
    let config = &loaded.config;
    for (setting, is_secret) in [
        ("database_url", config.database_url.has_password()),
        ("slack_bot_token", config.slack_bot_token.is_some()),
        ("slack_app_token", config.slack_app_token.is_some()),
        (
            "slack_signing_secret",
            config.slack_signing_secret.is_some(),
        ),
        ("slack_webhook_url", config.slack_webhook_url.is_some()),
    ] {
        if is_secret {
            examine_secret(setting, loaded.origin(setting), report);
        }
    }
}

fn examine_secret(setting: &str, origin: &Origin, report: &mut Report) {
    match origin {
        Origin::Flag(flag) => report.warning(
            ABOUT,
            format!(
                "everybody on this machine can see the password in {flag}; \
                 set HANDRAISE_DATABASE_URL or HANDRAISE_DATABASE_URL_FILE instead"
            ),
        ),
        Origin::File(file, _) if disk::others_may_read(file) => {
            let file = file.display();
            let what = match setting {
                "database_url" => "a password",
                setting => setting,
            };
            report.warning(
                ABOUT,
                format!("others may read {file}, which has {what} in it; run `chmod 600 {file}`"),
            );
        }
        Origin::File(..) | Origin::Variable(_) | Origin::Default => {}
    }
}
