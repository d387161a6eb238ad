//! Cards and modals of every kind and state: as they are (`dev/fixtures/slack`), and whatever is written in them.

mod attached;
mod equals;
mod erased;
mod given;
mod home;
mod limits;
mod mentions;
mod notes;
mod people;
mod pressing;
mod properties;
mod ruled;
mod samples;
mod snapshots;
mod whole;
