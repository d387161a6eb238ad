//! The journal as evidence outside of the database: checkpoints, exports, and going over either.

mod access;
mod checkpoint_file;
mod checkpoints;
mod export;
mod grants;
mod ladders;
mod memories;
mod policies;
mod put_back;
mod rows;
mod teams;
mod verify;

pub use checkpoint_file::CheckpointFile;
pub use checkpoints::Checkpoints;
pub use export::export;
pub use put_back::{Behind, GoneOn, go_on};
pub use rows::{Differs, RowsDiffer};
pub use verify::{Source, is_opening, verify};
