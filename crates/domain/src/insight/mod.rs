//! Looking back: what ended, how, by whom and after how long, as counts without words.
//!
//! Counts are kept by the day on which it was asked, so that all numbers of a period are about the same questions. How long it
//! took is kept as a [`Span`], of which medians can be made for any period.

mod span;
mod tally;

pub use span::Span;
pub use tally::{By, Count, End, Ended, Hour, Tally};
