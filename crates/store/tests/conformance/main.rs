//! What the server may rely on, case by case, on SQLite and on Postgres.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod access;
mod attachments;
mod bounds;
mod cards;
mod claims;
mod commits;
mod connections;
mod database;
mod duties;
mod erasing;
mod factors;
mod grants;
mod identities;
mod inbox;
mod insights;
mod inspecting;
mod journal;
mod ladders;
mod memories;
mod nodes;
mod opening;
mod outbox;
mod owners;
mod plans;
mod policies;
mod proof;
mod quorums;
mod reach_numbers;
mod reaches;
mod reading;
mod searching;
mod signs;
mod slack_files;
mod slack_homes;
mod suggestions;
mod tasks;
mod teams;
