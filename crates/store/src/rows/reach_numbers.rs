//! How people are reached, as rows.

use chrono::{DateTime, Utc};
use domain::delivery::ReachKind;
use sqlx::FromRow;

use super::time;
use crate::{MessagesBy, Reaching, Result, WaysBy};

#[derive(FromRow)]
pub(crate) struct MessagesByRow {
    kind: String,
    within_second: i64,
    within_minute: i64,
    arrived: i64,
    under_way: i64,
    not_needed: i64,
    dead: i64,
}

/// One of a later version is nothing that this one knows.
pub(crate) fn messages_by(rows: Vec<MessagesByRow>) -> Vec<MessagesBy> {
    let rows = rows.into_iter().filter_map(|row| {
        Some(MessagesBy {
            by: ReachKind::from_name(&row.kind)?,
            within_second: count(row.within_second),
            within_minute: count(row.within_minute - row.within_second),
            later: count(row.arrived - row.within_minute),
            under_way: count(row.under_way),
            not_needed: count(row.not_needed),
            not_reached: count(row.dead - row.not_needed),
        })
    });
    rows.collect()
}

#[derive(FromRow)]
pub(crate) struct ReachingRow {
    created_at: i64,
    rung: i64,
    state: String,
    closed_at: Option<i64>,
    reached_at: Option<i64>,
    seen_at: Option<i64>,
}

/// Turns rows into how far blockers got.
pub(crate) fn reaching(rows: Vec<ReachingRow>) -> Result<Vec<Reaching>> {
    let rows = rows.into_iter().map(|row| {
        let at = |millis: i64| -> Result<DateTime<Utc>> { time(millis, "interactions", millis) };
        let answered = row.closed_at.filter(|_| row.state == "resolved");
        Ok(Reaching {
            asked_at: at(row.created_at)?,
            rungs: u32::try_from(row.rung).unwrap_or(u32::MAX),
            reached_at: row.reached_at.map(at).transpose()?,
            seen_at: row.seen_at.map(at).transpose()?,
            answered_at: answered.map(at).transpose()?,
        })
    });
    rows.collect()
}

/// Turns counts into ways.
pub(crate) fn ways_by(rows: Vec<(String, i64, i64)>) -> Vec<WaysBy> {
    let rows = rows.into_iter().filter_map(|(kind, ways, failing)| {
        Some(WaysBy {
            by: ReachKind::from_name(&kind)?,
            ways: count(ways),
            failing: count(failing),
        })
    });
    rows.collect()
}

fn count(stored: i64) -> u64 {
    u64::try_from(stored).unwrap_or_default()
}
