//! What foreign input may and may not do, as properties: a function for each parser of it, which takes any bytes and panics
//! where a promise is broken.
//!
//! `tests/corpus.rs` tries every input of `corpus/` with the other tests; `libfuzzer/` looks for new ones (`cargo xtask fuzz`,
//! README.md). Begin with `draft.rs`.

#![expect(clippy::unwrap_used, reason = "what does not hold here ends the run")]

mod a2a;
mod action;
mod address;
mod amendment;
mod answer;
mod attachment;
mod body;
mod calendar;
mod checkpoint;
mod command;
mod draft;
mod form;
mod hook;
mod identifier;
mod known;
mod line;
mod markdown;
mod mcp;
mod oidc;
mod policy;
mod proof;
mod receipt;
mod record;
mod settings;
mod shown;
mod slack_action;
mod slack_card;
mod slack_event;
mod slack_signature;
mod traceparent;
mod webhook;
mod words;

/// Largest input that is tried, in bytes.
pub const LARGEST: usize = 64 * 1024;

macro_rules! targets {
    ($($name:ident)*) => {
        $(pub use $name::$name;)*

        /// Each by its name.
        pub const TARGETS: &[(&str, fn(&[u8]))] = &[$((stringify!($name), $name)),*];
    };
}

targets! {
    a2a action address amendment answer attachment body calendar checkpoint command draft form hook identifier line markdown mcp
    oidc policy proof receipt record settings shown slack_action slack_card slack_event slack_signature traceparent webhook words
}
