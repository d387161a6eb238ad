//! Whether the last good backup is as young as the settings want it.

use std::path::Path;

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};

use super::{Report, disk};
use crate::{backup, config::Config};

const ABOUT: &str = "backup";

pub(super) async fn examine(config: &Config, now: DateTime<Utc>, report: &mut Report) {
    let is_in_a_file = store::database_file(config.database_url.reveal()).is_some();
    let Some(to) = &config.backup.to else {
        let how = match is_in_a_file {
            true => "`handraise backup` makes one, and `[backup]` has the server make them",
            false => "the database server has backups of its own, see docs/backup.md",
        };
        report.ok(ABOUT, format!("this server makes none by itself; {how}"));
        return;
    };
    let place = to.trim_end_matches('/');
    if !is_in_a_file {
        report.problem(
            ABOUT,
            "`backup.to` is for a database in a file; take it away, and back the database server up itself, see docs/backup.md",
        );
        return;
    }
    if let Some(why) = unwritable(to) {
        report.problem(ABOUT, why);
        return;
    }
    let hours = config.backup.every_hours.get();
    match backup::last(to).await {
        Err(error) => report.problem(ABOUT, format!("{error:#}")),
        Ok(None) => report.warning(
            ABOUT,
            format!("there is none in {place} yet; `handraise backup` makes one now"),
        ),
        Ok(Some((last, kept))) => {
            let at = last.made_at.to_rfc3339_opts(SecondsFormat::Secs, true);
            // One that is being made takes its time.
            let is_old = now - last.made_at > TimeDelta::hours(2 * i64::from(hours));
            match is_old {
                true => report.warning(
                    ABOUT,
                    format!(
                        "the last good one in {place} is of {at}, and there should be one every {hours} h; the server's log says why \
                         there is none since"
                    ),
                ),
                false => report.ok(ABOUT, format!("the last good one is of {at}; {kept} in {place}")),
            }
        }
    }
}

/// A bucket shows as it is read.
fn unwritable(to: &str) -> Option<String> {
    let folder = Path::new(to);
    match (backup::is_bucket(to), folder.exists()) {
        (true, _) => None,
        (false, true) => disk::unwritable_folder(&folder.join("backup")),
        (false, false) => disk::unwritable_folder(folder),
    }
}
