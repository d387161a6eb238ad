//! The journal as a file: NDJSON, one event a line, with every stored column.

use std::io::{self, Write};

use anyhow::Context;
use domain::journal::Record;
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use store::{Store, StoreError, walk_journal};
use visible::is_hidden;

/// Writes every event as a line, page by page, and returns how many there are.
///
/// # Errors
/// When the database fails, an event cannot be read, or `to` cannot be written.
pub async fn export(store: &dyn Store, mut to: impl Write) -> anyhow::Result<i64> {
    let mut events = 0;
    let mut failed = None;
    let walked = walk_journal(store, i64::MIN, |record| {
        let written = write_line(&mut to, &record);
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

fn write_line(mut to: impl Write, record: &Record) -> anyhow::Result<()> {
    record.serialize(&mut Serializer::with_formatter(&mut to, Legible))?;
    Ok(to.write_all(b"\n")?)
}

/// JSON in which every character that hides or steers a terminal is an escape: the same strings to a program, and
/// harmless to a reader.
struct Legible;

impl Formatter for Legible {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        to: &mut W,
        text: &str,
    ) -> io::Result<()> {
        let mut rest = text;
        while let Some(place) = rest.find(is_hidden) {
            let (before, from) = rest.split_at(place);
            to.write_all(before.as_bytes())?;
            let mut chars = from.chars();
            for unit in chars.next().into_iter().flat_map(units) {
                write!(to, "\\u{unit:04x}")?;
            }
            rest = chars.as_str();
        }
        to.write_all(rest.as_bytes())
    }
}

/// A character as JSON escapes it: in UTF-16.
fn units(c: char) -> Vec<u16> {
    c.encode_utf16(&mut [0; 2]).to_vec()
}
