//! The database: there, of the right schema, writable, with room to grow, and with an admin in it.

use std::path::Path;

use store::{Content, Inspection, Schema};

use super::{Report, disk};
use crate::{config::Config, providers::ways_in};

const ABOUT: &str = "database";
/// Below this much room a busy day may fill the disk.
const LITTLE: u64 = 1_000_000_000;
/// Below this much there may be no room for the next batch and its log.
const NONE: u64 = 50_000_000;

/// Days. Below this there is little time to make room, and above that nothing to say.
const MONTH: u64 = 30;
const YEAR: u64 = 365;

pub(super) async fn examine(config: &Config, report: &mut Report) -> Option<Inspection> {
    let url = config.database_url.reveal();
    let file = store::database_file(url);
    let found = match store::inspect(url).await {
        Ok(found) => found,
        Err(error) => {
            report.problem(
                ABOUT,
                format!("{error}; make it reachable, or correct database_url"),
            );
            return None;
        }
    };
    match (&found, &file) {
        (Some(found), _) => describe(found, report),
        (None, Some(file)) => report.ok(
            ABOUT,
            format!(
                "there is no {} yet; `handraise serve` makes it",
                file.display()
            ),
        ),
        (None, None) => report.warning(
            ABOUT,
            "it is in memory, so everything is gone when the server stops; set database_url",
        ),
    }
    if let Some(file) = &file {
        let content = found.as_ref().and_then(|found| found.content.as_ref());
        examine_disk(file, content, report);
        examine_rights(file, report);
    }
    if let Some(why) = store::unverified_server(url) {
        report.warning(ABOUT, why);
    }
    if let Some(content) = found.as_ref().and_then(|found| found.content.as_ref()) {
        match content.admins_by(&ways_in(config)) {
            0 if content.has_admin() => report.warning(
                "people",
                "no admin can sign in by what the settings leave open (passwords, providers); \
                 `handraise user link --name NAME` makes a link for one",
            ),
            0 => report.warning(
                "people",
                "no admin can sign in; `handraise serve` prints a link for one",
            ),
            1 => report.ok("people", "one admin can sign in"),
            admins => report.ok("people", format!("{admins} admins can sign in")),
        }
    }
    found
}

fn describe(found: &Inspection, report: &mut Report) {
    let named = format!("{}, {}", found.engine, found.place);
    match &found.schema {
        Schema::Absent => {
            report.ok(
                ABOUT,
                format!("{named}: no tables yet; `handraise serve` makes them"),
            );
        }
        Schema::Current(version) => {
            report.ok(ABOUT, format!("{named}: schema {version}, up to date"));
        }
        Schema::Older { found, known } => report.warning(
            ABOUT,
            format!(
                "{named}: schema {found}, and this program needs {known}; \
                 make a copy, then run `handraise migrate`"
            ),
        ),
        Schema::Newer { found, known } => report.problem(
            ABOUT,
            format!(
                "{named}: schema {found}, and this program knows {known}; run a newer handraise"
            ),
        ),
        Schema::Broken { version, why } => report.problem(
            ABOUT,
            format!("{named}: its migration {version} does not fit: {why}; put a backup back"),
        ),
    }
    for hindrance in &found.hindrances {
        report.problem(ABOUT, hindrance);
    }
    for remark in &found.remarks {
        report.warning(ABOUT, remark);
    }
}

/// Requests of agents and answers of people are in all three.
fn examine_rights(file: &Path, report: &mut Report) {
    for end in ["", "-wal", "-shm"] {
        let mut name = file.as_os_str().to_owned();
        name.push(end);
        if disk::others_may_read(Path::new(&name)) {
            let name = name.display();
            report.warning(
                ABOUT,
                format!("other users may open {name}; run `chmod 600 {name}`"),
            );
        }
    }
}

fn examine_disk(file: &Path, content: Option<&Content>, report: &mut Report) {
    // The log of what is being written stands beside the database.
    if let Some(why) = disk::unwritable(file).or_else(|| disk::unwritable_folder(file)) {
        report.problem("disk", why);
        return;
    }
    let folder = disk::folder(file);
    let Some(free) = disk::free_bytes(&folder) else {
        return;
    };
    let megabytes = free / 1_000_000;
    let what = format!("{megabytes} MB are free in {}", folder.display());
    let days = content.and_then(|content| days_left(free, file.metadata().ok()?.len(), content));
    let what = match days {
        Some(days @ 0..YEAR) => {
            format!("{what}; at the pace of last week that is enough for {days} days")
        }
        _ => what,
    };
    match free {
        ..NONE => report.problem("disk", format!("{what}; make room, or move the database")),
        NONE..LITTLE => report.warning("disk", format!("{what}; make room")),
        LITTLE.. if days.is_some_and(|days| days < MONTH) => {
            report.warning("disk", format!("{what}; make room"));
        }
        LITTLE.. => report.ok("disk", what),
    }
}

/// For how many days there is room, if the database grows as in the week before its last event; what was asked takes all its
/// room. Of a few interactions nothing can be told.
fn days_left(free: u64, size: u64, content: &Content) -> Option<u64> {
    const FEW: i64 = 1_000;
    let of_week = u64::try_from(content.interactions_of_week).ok();
    let of_week = of_week.filter(|_| content.interactions_of_week >= FEW)?;
    let all = u64::try_from(content.interactions).ok()?;
    let a_day = u128::from(size) * u128::from(of_week) / u128::from(all) / 7;
    u64::try_from(u128::from(free).checked_div(a_day)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_told_in_days_of_last_week() {
        let content = |interactions, interactions_of_week| Content {
            interactions,
            interactions_of_week,
            ..Content::default()
        };
        // 100,000 take 700 MB, and 10,000 of them came in seven days: 10 MB a day.
        let (free, size) = (1_000_000_000, 700_000_000);
        assert_eq!(days_left(free, size, &content(100_000, 10_000)), Some(100));
        assert_eq!(days_left(free, size, &content(100_000, 999)), None);
        assert_eq!(days_left(free, 0, &content(100_000, 10_000)), None);
    }
}
