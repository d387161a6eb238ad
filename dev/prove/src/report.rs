//! What is told at the end: Markdown for people, JSON for programs.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::time::Duration;

use anyhow::Result;
use serde::Serialize;

use crate::campaign::Outcome;
use crate::check::readers::Read;
use crate::faults::Counts;
use crate::load::Played;
use crate::load::page::Page;
use crate::world::World;
use crate::world::receiver::Receiver;
use crate::world::slack::Slack;
use crate::{APART, Database, Options};

/// Everything that a campaign is known by.
#[derive(Debug, Serialize)]
pub(crate) struct Figures {
    program: String,
    database: String,
    nodes: usize,
    seed: u64,
    seconds: u64,
    cores: usize,
    memory_gb: u64,
    kernel: String,
    /// To make 4 KiB durable on the disk of the databases: the median and the 99th percentile.
    flush_us: (u128, u128),
    disk_could_fail: bool,
    clock_could_jump: bool,
    faults: BTreeMap<&'static str, usize>,
    connections_cut: usize,
    asks: usize,
    calls: usize,
    calls_without_a_reply: usize,
    answers: usize,
    races: usize,
    races_page_against_api: usize,
    races_with_slack: usize,
    against_slacks_rules: Vec<String>,
    histories: usize,
    interactions: usize,
    events: usize,
    events_read: usize,
    page_frames: usize,
    page_connections: usize,
    owed: usize,
    webhooks_and_callbacks: u64,
    journal: String,
    violations: usize,
}

/// What was counted by those who watched.
pub(crate) struct Seen<'a> {
    pub(crate) counts: Counts,
    pub(crate) reads: &'a [Read],
    pub(crate) pages: &'a [Page],
    pub(crate) events: usize,
    pub(crate) interactions: usize,
    pub(crate) owed: usize,
    pub(crate) verified: String,
    pub(crate) flushes: (Duration, Duration),
    pub(crate) lasted: Duration,
    pub(crate) violations: usize,
}

pub(crate) fn figures(
    world: &World,
    options: &Options,
    played: &Played,
    seen: &Seen<'_>,
) -> Result<Figures> {
    let memory = fs::read_to_string("/proc/meminfo")?;
    let memory = memory
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"));
    let memory = memory.and_then(|text| text.trim().trim_end_matches(" kB").parse::<u64>().ok());
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease")?;
    let receivers = world.webhooks.iter().chain(&world.callbacks);
    Ok(Figures {
        program: world.version.clone(),
        database: match &world.postgres {
            Some(postgres) => postgres.version()?,
            None => "SQLite, as the program has it".to_owned(),
        },
        nodes: options.nodes,
        seed: options.seed,
        seconds: seen.lasted.as_secs(),
        cores: std::thread::available_parallelism()?.get(),
        memory_gb: memory.unwrap_or_default() / 1_000_000,
        kernel: kernel.trim().to_owned(),
        flush_us: (seen.flushes.0.as_micros(), seen.flushes.1.as_micros()),
        disk_could_fail: world.disk.can_fail(),
        clock_could_jump: world.clock.is_some(),
        faults: seen
            .counts
            .iter()
            .map(|(fault, count)| (fault.name(), *count))
            .collect(),
        connections_cut: world.cuts(),
        asks: played.kept.len(),
        calls: played.calls,
        calls_without_a_reply: played.unknown,
        answers: played.answers,
        races: played.races,
        races_page_against_api: played.races_of_pages,
        races_with_slack: played.races_of_slack,
        against_slacks_rules: world
            .slack
            .as_ref()
            .map(Slack::violations)
            .unwrap_or_default(),
        histories: played.histories,
        interactions: seen.interactions,
        events: seen.events,
        events_read: seen.reads.iter().map(|read| read.events.len()).sum(),
        page_frames: seen.pages.iter().map(|page| page.changes.len()).sum(),
        page_connections: seen.pages.iter().map(|page| page.connections).sum(),
        owed: seen.owed,
        webhooks_and_callbacks: receivers.map(Receiver::requests).sum(),
        journal: seen.verified.clone(),
        violations: seen.violations,
    })
}

pub(crate) fn command(options: &Options) -> String {
    let database = match options.database {
        Database::Sqlite => "sqlite",
        Database::Postgres => "postgres",
    };
    let mut command = format!(
        "cargo xtask prove --minutes {} --seed {} --database {database} --nodes {}",
        options.minutes, options.seed, options.nodes
    );
    if let Some(kills) = options.kills {
        let _ = write!(command, " --kills {kills}");
    }
    if options.apart != APART {
        let _ = write!(command, " --apart {}", options.apart);
    }
    command
}

pub(crate) fn markdown(options: &Options, outcome: &Outcome) -> String {
    let figures = &outcome.figures;
    let mut text = format!("`{}`\n\n| what | |\n|---|---|\n", command(options));
    let mut row = |what: &str, value: String| {
        let _ = writeln!(text, "| {what} | {value} |");
    };
    row("program", figures.program.clone());
    row(
        "database",
        format!("{}; {} node(s)", figures.database, figures.nodes),
    );
    row(
        "machine",
        format!(
            "{} cores, {} GB, Linux {}",
            figures.cores, figures.memory_gb, figures.kernel
        ),
    );
    row(
        "4 KiB write and flush, median and p99",
        format!("{} and {} µs", figures.flush_us.0, figures.flush_us.1),
    );
    row("lasted", format!("{} s", figures.seconds));
    for (fault, count) in &figures.faults {
        row(fault, count.to_string());
    }
    row(
        "connections cut in the middle",
        figures.connections_cut.to_string(),
    );
    row("asks", figures.asks.to_string());
    row(
        "calls of them, without a reply that counts",
        format!("{}, {}", figures.calls, figures.calls_without_a_reply),
    );
    row("answers acknowledged", figures.answers.to_string());
    row(
        "races; page against API, with a press in Slack",
        format!(
            "{}; {}, {}",
            figures.races, figures.races_page_against_api, figures.races_with_slack
        ),
    );
    row(
        "histories checked for linearizability",
        figures.histories.to_string(),
    );
    row(
        "events in the journal, read by two readers",
        format!("{}, {}", figures.events, figures.events_read),
    );
    row(
        "frames to two open pages, over so many sockets",
        format!("{}, {}", figures.page_frames, figures.page_connections),
    );
    row(
        "webhooks and callbacks owed, requests that came",
        format!("{}, {}", figures.owed, figures.webhooks_and_callbacks),
    );
    row(
        "`handraise journal verify`",
        figures.journal.replace('\n', "; "),
    );
    row("**violations**", format!("**{}**", figures.violations));
    let rules = &figures.against_slacks_rules;
    row(
        "done against Slack's rules, as its fake keeps them",
        rules.len().to_string(),
    );
    let mut left_out = Vec::new();
    if !figures.disk_could_fail {
        left_out.push("a full and a read-only disk (this takes root)");
    }
    if !figures.clock_could_jump {
        left_out.push("a clock that jumps (this takes libfaketime)");
    }
    if !left_out.is_empty() {
        let _ = writeln!(text, "\nLeft out here: {}.", left_out.join(", "));
    }
    for violation in outcome.violations.iter().take(50) {
        let of = violation.interaction.as_deref().unwrap_or("no interaction");
        let _ = writeln!(
            text,
            "\n### {} ({of})\n\n{}\n",
            violation.promise.name(),
            violation.what
        );
        for line in &violation.history {
            let _ = writeln!(text, "- {}", line.replace('\n', "⏎"));
        }
    }
    text
}

#[derive(Serialize)]
struct Whole<'a> {
    command: String,
    figures: &'a Figures,
    violations: &'a [crate::check::Violation],
}

pub(crate) fn json(options: &Options, outcome: &Outcome) -> Result<String> {
    let whole = Whole {
        command: command(options),
        figures: &outcome.figures,
        violations: &outcome.violations,
    };
    Ok(serde_json::to_string_pretty(&whole)?)
}
