//! What the server may rely on, case by case, on SQLite and on Postgres.

mod commits;
mod credentials;
mod database;
mod opening;
mod reading;
