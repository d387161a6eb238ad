//! `handraise openapi`: the description of the API for machines.

use std::io::{Write, stdout};

use anyhow::Context;
use server::api::openapi;

pub(super) fn run() -> anyhow::Result<()> {
    // Whole or not at all: it is often sent into a file.
    stdout()
        .write_all(openapi::json().as_bytes())
        .context("cannot print the document")
}
