//! Backups of a SQLite database, and putting one back.
//!
//! A backup is a folder: the database, the checkpoints that were signed over it, the attachments, and a manifest. It gets its name when
//! all of it is on the disk and was checked, and goes to a bucket only then. A Postgres server has backups of its own.

mod bucket;
mod files;
mod known;
mod make;
mod manifest;
mod place;
mod restore;
mod take;

pub use known::LastBackup;
pub use make::{Made, is_bucket, last, make};
pub use manifest::{Attachments, JournalEnd, Manifest};
pub use restore::{Restored, restore};
