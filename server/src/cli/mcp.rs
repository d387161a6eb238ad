//! `handraise mcp`: the bridge for clients that start a program instead of calling a server.

use anyhow::Context;
use secrecy::SecretString;

use crate::mcp::bridge::Bridge;

/// Passes messages on until standard input ends.
pub(super) async fn run() -> anyhow::Result<()> {
    let url = named(
        "HANDRAISE_URL",
        "the address of the server, such as http://127.0.0.1:3000",
    )?;
    let token = named(
        "HANDRAISE_TOKEN",
        "an agent's token; `handraise token create` makes one",
    )?;
    Bridge::new(&url, SecretString::from(token))?.run().await
}

fn named(variable: &str, what: &str) -> anyhow::Result<String> {
    let value = std::env::var(variable).ok();
    let value = value.filter(|value| !value.trim().is_empty());
    value.with_context(|| format!("{variable} is not set: it is {what}"))
}
