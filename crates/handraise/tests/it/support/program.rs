//! The program itself, run to its end, and what it said.

use std::process::{Command, Output};

/// Runs the program to its end.
pub(crate) fn handraise(arguments: &[&str]) -> Output {
    handraise_with(arguments, &[])
}

/// The same, with these in its environment.
pub(crate) fn handraise_with(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_handraise"))
        .args(arguments)
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

/// The one line a command says, when it ends with this code.
pub(crate) fn said(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    let (said, silent) = match code {
        0 => (&output.stdout, &output.stderr),
        _ => (&output.stderr, &output.stdout),
    };
    assert!(silent.is_empty(), "{output:?}");
    let said = String::from_utf8(said.clone()).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    said.trim_end().to_owned()
}
