//! Duty as calendars write it (iCalendar, RFC 5545): a rota's shifts to subscribe to, and overrides from a file.

mod read;
#[cfg(test)]
mod tests;
mod write;

pub use read::{CalendarRead, read_overrides};
pub use write::write_shifts;

/// How the summary of a shift begins. A file may leave it out.
const ON_DUTY: &str = "On duty: ";
