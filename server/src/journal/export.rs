//! The journal as a file: NDJSON, one event a line, with every stored column.

use std::io::Write;

use anyhow::Context;
use store::{Store, StoreError, walk_journal};

/// Writes every event as a line, page by page, and returns how many there are.
///
/// # Errors
/// When the database fails, an event cannot be read, or `to` cannot be written.
pub async fn export(store: &dyn Store, mut to: impl Write) -> anyhow::Result<i64> {
    let mut events = 0;
    let mut failed = None;
    let walked = walk_journal(store, i64::MIN, |record| {
        let written = serde_json::to_writer(&mut to, &record)
            .map_err(anyhow::Error::from)
            .and_then(|()| Ok(to.write_all(b"\n")?));
        if let Err(error) = written {
            failed = Some(error);
            // Any error ends the walk; this one is not the store's.
            return Err(StoreError::Stopped);
        }
        events += 1;
        Ok(())
    })
    .await;
    if let Some(error) = failed {
        return Err(error.context("cannot write the export"));
    }
    walked?;
    to.flush().context("cannot write the export")?;
    Ok(events)
}
