//! Logs: to stderr, for people or machines, never bodies or secrets.

use std::io::IsTerminal;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use tracing_subscriber::EnvFilter;

/// How log lines look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// tower-sessions warns of every cookie that has ended or is not of its form, which any stranger can send; and it begins a span of
/// its own, which would keep the names of callers from that of the request.
const QUIET: &str = "tower_sessions=error";

/// Starts logging. `RUST_LOG` narrows or widens it.
pub fn start(format: LogFormat) {
    start_at("info,sqlx=warn", format);
}

/// The same where a person reads other lines on the same screen: warnings alone.
pub fn start_quietly(format: LogFormat) {
    start_at("warn", format);
}

fn start_at(level: &str, format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    let filter = QUIET
        .parse()
        .into_iter()
        .fold(filter, EnvFilter::add_directive);
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    match format {
        LogFormat::Text => lines.with_target(false).init(),
        LogFormat::Json => lines
            .json()
            .flatten_event(true)
            .with_span_list(false)
            .init(),
    }
}
