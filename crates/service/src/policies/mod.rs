//! Policies (rule 14): those of this server's file and those that were set here, put in force, and asked about what is asked.

mod in_force;
mod look_up;
mod replay;
mod set;
mod show;

pub(crate) use in_force::PolicyBook;
pub(crate) use look_up::LookedUp;
pub use show::{PoliciesShown, Set};
