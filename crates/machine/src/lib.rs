//! The services a process asks of the machine it runs on: the time and new ids, whose certificates it trusts, and
//! when it is to stop. Rules and use cases get all of it handed in.
//!
//! Uses `domain` only. Begin with [`clock`].

pub mod clock;
mod stop;
pub mod tls;

pub use stop::asked_to_stop;
