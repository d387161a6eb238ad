//! The key and the checkpoints it signed: both there, and made for each other.

use std::path::Path;

use signing::Keyring;
use store::Content;

use super::{Report, disk};
use crate::{config::Config, journal::CheckpointFile};

const KEY: &str = "key";
const CHECKPOINTS: &str = "checkpoints";

pub(super) fn examine(config: &Config, content: Option<&Content>, report: &mut Report) {
    let (key, checkpoints) = (config.key_file(), config.checkpoint_file());
    if key.exists() {
        match Keyring::load(&key) {
            Ok(signs) => {
                let public = signs.verifying_key();
                report.ok(KEY, format!("{}, public key {public}", key.display()));
                examine_owner(config, &key, report);
                let name = config.key_name.clone();
                let public = signs.verifying_keys();
                let file = CheckpointFile::new(checkpoints.clone(), name, public);
                examine_last(&file, content, report);
            }
            Err(error) => report.problem(
                KEY,
                format!(
                    "{error:#}; it must be a key that only the user who runs the server may read"
                ),
            ),
        }
    } else if checkpoints.exists() {
        report.problem(
            KEY,
            format!(
                "there is no {}, and the checkpoints in {} were signed; put the key back, or move them away",
                key.display(),
                checkpoints.display()
            ),
        );
    } else if let Some(why) = disk::unwritable(&key).or_else(|| disk::unwritable_folder(&key)) {
        report.problem(KEY, why);
    } else {
        let key = key.display();
        report.ok(
            KEY,
            format!("there is no {key} yet; `handraise serve` makes it"),
        );
    }
    let unwritable = match checkpoints.exists() {
        true => disk::unwritable(&checkpoints),
        false => disk::unwritable(&checkpoints).or_else(|| disk::unwritable_folder(&checkpoints)),
    };
    if let Some(why) = unwritable {
        report.problem(CHECKPOINTS, why);
    }
    if disk::others_may_read(&checkpoints) {
        let checkpoints = checkpoints.display();
        report.warning(
            CHECKPOINTS,
            format!("other users may open {checkpoints}; run `chmod 600 {checkpoints}`"),
        );
    }
}

/// The user who made the database made the key, unless one was copied or the program ran as another user.
fn examine_owner(config: &Config, key: &Path, report: &mut Report) {
    let database = store::database_file(config.database_url.reveal());
    let (Some(database), Some(owner)) = (database, disk::owner(key)) else {
        return;
    };
    if let Some(other) = disk::owner(&database)
        && other != owner
    {
        let (key, database) = (key.display(), database.display());
        report.warning(
            KEY,
            format!(
                "user {owner} owns {key} and user {other} owns {database}; \
                 let the user who runs the server own both"
            ),
        );
    }
}

fn examine_last(file: &CheckpointFile, content: Option<&Content>, report: &mut Report) {
    let place = file.path().display();
    match (file.last(), content) {
        (Err(error), _) => report.problem(
            CHECKPOINTS,
            format!(
                "{error:#}; put the key back that signed them, or move the file away and keep it with \
                 its public key"
            ),
        ),
        (Ok(None), _) => report.ok(CHECKPOINTS, format!("none in {place} yet")),
        (Ok(Some(last)), Some(content)) if last.size > content.last_seq => report.problem(
            CHECKPOINTS,
            format!(
                "{} events were signed in {place}, and the journal has {}: an older database was put back, \
                 or its end was cut off; `handraise journal continue` goes on after a backup, and `handraise journal verify` says more",
                last.size, content.last_seq
            ),
        ),
        (Ok(Some(last)), _) => {
            report.ok(CHECKPOINTS, format!("the last in {place} is over {} events", last.size));
        }
    }
}
