//! Where files are kept that questions carry. A bucket is not looked at: that would take its credentials along.

use std::path::Path;

use attached::{Files, OpenError};

use super::{Report, disk};
use crate::config::Config;

const ABOUT: &str = "attachments";

pub(super) fn examine(config: &Config, report: &mut Report) {
    let Some(place) = config.attachments() else {
        report.ok(
            ABOUT,
            "none are kept, and agents that send one are told so; `attachments` says where they could be",
        );
        return;
    };
    if !Files::is_place(&place) {
        report.problem(ABOUT, OpenError::NoPlace.to_string());
        return;
    }
    if place.starts_with("s3://") {
        report.ok(ABOUT, format!("they are kept in {place}"));
        return;
    }
    let folder = Path::new(place.strip_prefix("file://").unwrap_or(&place));
    let inside = folder.join("file");
    let why = match folder.exists() {
        true => disk::unwritable(&inside).or_else(|| disk::unwritable_folder(&inside)),
        false => disk::unwritable_folder(folder),
    };
    match why {
        Some(why) => report.problem(ABOUT, why),
        None => report.ok(ABOUT, format!("they are kept in {}", folder.display())),
    }
}
