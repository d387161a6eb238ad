//! The services a process asks of the machine it runs on: the time and new ids, whose certificates it trusts, and
//! when it is to stop or to read files again. Rules and use cases get all of it handed in.
//!
//! Uses `domain` only. Begin with [`clock`].

pub mod clock;
mod hangup;
mod stop;
pub mod tls;

pub use hangup::Hangups;
pub use stop::asked_to_stop;
