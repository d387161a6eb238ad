//! What the server may rely on, case by case, on SQLite and on Postgres.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod commits;
mod credentials;
mod database;
mod opening;
mod reading;
mod tasks;
