//! Logs: to stderr, for people or machines, never bodies or secrets. Beside them, spans for a collector of traces.

use std::io::IsTerminal;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use service::spans::TARGET;
use tracing_subscriber::{EnvFilter, Layer, fmt, layer::SubscriberExt, util::SubscriberInitExt};

use crate::spans::Spans;

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

/// Starts logging, and sends spans where there is a place for them. `RUST_LOG` narrows or widens the log alone.
pub fn start(format: LogFormat, spans: Option<&Spans>) {
    start_at("info,sqlx=warn", format, spans);
}

/// The same where a person reads other lines on the same screen: warnings alone.
pub fn start_quietly(format: LogFormat, spans: Option<&Spans>) {
    start_at("warn", format, spans);
}

fn start_at(level: &str, format: LogFormat, spans: Option<&Spans>) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    let not_logged = format!("{TARGET}=off");
    let filter = [QUIET, &not_logged]
        .into_iter()
        .filter_map(|directive| directive.parse().ok())
        .fold(filter, EnvFilter::add_directive);
    let lines = fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    let lines = match format {
        LogFormat::Text => lines.with_target(false).boxed(),
        LogFormat::Json => lines
            .json()
            .flatten_event(true)
            .with_span_list(false)
            .boxed(),
    };
    let log = tracing_subscriber::registry().with(lines.with_filter(filter));
    // A layer that is not there would want everything.
    match spans {
        None => log.init(),
        Some(spans) => log.with(spans.layer()).init(),
    }
}
