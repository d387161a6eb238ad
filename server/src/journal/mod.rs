//! The journal as evidence outside of the database: checkpoints, exports, and going over either.

mod access;
mod checkpoint_file;
mod checkpoints;
mod export;
mod grants;
mod ladders;
mod memories;
mod policies;
mod rows;
mod teams;
mod verify;

pub use checkpoint_file::CheckpointFile;
pub use checkpoints::Checkpoints;
pub use export::export;
pub use rows::{Differs, RowsDiffer};
pub use verify::{Source, verify};
