//! Reads of how people are reached, in numbers.

use chrono::{DateTime, Utc};
use domain::delivery::ReachKind;

/// What became of the messages of one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessagesBy {
    /// The way.
    pub by: ReachKind,
    /// They arrived within a second of their rung.
    pub within_second: u64,
    /// Within a minute, but not within a second.
    pub within_minute: u64,
    /// They arrived after that.
    pub later: u64,
    /// They are due, or being sent.
    pub under_way: u64,
    /// They were given up after their question had been closed: nobody needed them any more.
    pub not_needed: u64,
    /// They were given up while their question waited.
    pub not_reached: u64,
}

/// How far one blocker got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reaching {
    /// When it was asked.
    pub asked_at: DateTime<Utc>,
    /// How many rungs were told, since it was asked or last handed over.
    pub rungs: u32,
    /// When somebody was reached first.
    pub reached_at: Option<DateTime<Utc>>,
    /// When somebody who was not at it already opened it first.
    pub seen_at: Option<DateTime<Utc>>,
    /// When a person answered.
    pub answered_at: Option<DateTime<Utc>>,
}

/// The ways of one kind by which people can be reached now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaysBy {
    /// The kind.
    pub by: ReachKind,
    /// How many there are.
    pub ways: u64,
    /// How many of them have done nothing but fail lately.
    pub failing: u64,
}
