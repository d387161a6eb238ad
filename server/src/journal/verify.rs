//! Going over a journal, in its database or in an export, without any server.

use std::{
    collections::BTreeSet,
    fs::File,
    io::{BufRead, BufReader},
    path::PathBuf,
    sync::Arc,
};

use anyhow::Context;
use domain::journal::{Audit, Audited, Broken, Checkpoint, Record};
use store::{Store, walk_journal};

use super::{access::Known, rows, rows::RowsDiffer};

/// The events that open an interaction, by [`domain::Payload::event_type`].
const OPENING: [&str; 2] = ["interaction.requested", "notification.sent"];

/// Whether an interaction begins with it.
pub fn is_opening(record: &Record) -> bool {
    OPENING.contains(&&*record.event_type)
}

/// Where the journal is.
pub enum Source {
    /// In a database.
    Live(Arc<dyn Store>),
    /// In a file that [`super::export`] wrote.
    Export(PathBuf),
}

/// Goes over the whole journal and holds it against checkpoints whose signatures were checked; in a database then
/// every interaction, person and token against its events.
///
/// # Errors
/// [`Broken`] names the first event that does not fit, [`super::RowsDiffer`] the rows that do not say what their
/// events say. Or the source cannot be read.
pub async fn verify(source: Source, checkpoints: Vec<Checkpoint>) -> anyhow::Result<Audited> {
    let mut audit = Audit::new(checkpoints);
    match source {
        Source::Live(store) => {
            let mut opened = BTreeSet::new();
            let mut known = Known::default();
            walk_journal(&*store, i64::MIN, |record| {
                if is_opening(&record) {
                    opened.extend(record.interaction_id);
                }
                known.follow(&record);
                Ok(audit.follow(&record)?)
            })
            .await?;
            let audited = audit.finish()?;
            let mut differ = rows::compare(&*store, opened).await?;
            differ.extend(known.compare(&*store).await?);
            return match differ.is_empty() {
                true => Ok(audited),
                false => Err(RowsDiffer(differ).into()),
            };
        }
        Source::Export(path) => {
            let unreadable = || format!("cannot read the export {}", path.display());
            let file = File::open(&path).with_context(unreadable)?;
            let mut seq = 0;
            for (line, text) in (1..).zip(BufReader::new(file).split(b'\n')) {
                let record: Record = serde_json::from_slice(&text.with_context(unreadable)?)
                    .map_err(|error| {
                        let why = format!("line {line} of the export is not an event: {error}");
                        Broken::new(seq + 1, why)
                    })?;
                seq = record.seq;
                audit.follow(&record)?;
            }
        }
    }
    Ok(audit.finish()?)
}
