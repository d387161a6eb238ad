//! `cargo xtask fuzz`: looks for inputs that break a promise of `dev/fuzz`, by libFuzzer.
//!
//! Counters of what ran are a matter of LLVM, so any toolchain does. AddressSanitizer is not: it needs a nightly one, and finds
//! what only `unsafe` code can do wrong, which is that of libraries.

use std::env;
use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use crate::progress::announce;
use crate::workspace::Workspace;
use crate::{command, server};

/// Largest input, as `fuzz::LARGEST`.
const LARGEST: &str = "65536";
/// How much of what was found is kept for one target, in bytes.
const KEPT: u64 = 9 * 1024;
/// And how many inputs a run may add.
const ADDED: usize = 40;
/// Counters of every edge, and of what is compared with what. No `cfg(fuzzing)`: libraries leave checks of signatures out by
/// it.
const COUNTED: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    // As in .cargo/config.toml.
    "--cfg=erase_components",
];

#[derive(Args)]
pub(crate) struct Options {
    /// Which targets [default: all]
    #[arg(value_name = "TARGET")]
    targets: Vec<String>,

    /// How many seconds each is fuzzed
    #[arg(long, value_name = "N", default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    seconds: u32,

    /// How many at once [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    at_once: Option<u8>,

    /// With AddressSanitizer, which needs a nightly toolchain
    #[arg(long)]
    address: bool,

    /// Keeps the smallest inputs that ran something new in dev/fuzz/corpus
    #[arg(long)]
    keep: bool,
}

/// What came of one target.
struct Ran {
    target: String,
    executions: u64,
    edges: u64,
    finding: Option<PathBuf>,
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let home = workspace.root.join("dev/fuzz");
    let known = targets(&home)?;
    let wanted = match &options.targets[..] {
        [] => known.clone(),
        named => named.to_vec(),
    };
    for target in &wanted {
        ensure!(
            known.contains(target),
            "there is no target `{target}`; there are {}",
            known.join(", ")
        );
    }
    let estimate = "ten minutes the first time";
    let programs = announce("building the targets", estimate, || {
        build(workspace, &home, &wanted, options.address)
    })?;
    let found = workspace.target.join("fuzz");
    let minutes = seconds_of(&wanted, options).div_ceil(60);
    let all = announce("fuzzing", &format!("about {minutes} min"), || {
        let one = |target: &String| {
            let program = programs.join(target);
            let ran = fuzz(&program, &home, &found, target, options.seconds)?;
            if options.keep && ran.finding.is_none() {
                keep(&program, &home, &found, target)?;
            }
            Ok(ran)
        };
        at_once(&wanted, options.at_once(), one)
    })?;
    tell(&all, options.seconds)
}

impl Options {
    fn at_once(&self) -> usize {
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        self.at_once.map_or_else(cores, usize::from)
    }
}

fn seconds_of(targets: &[String], options: &Options) -> usize {
    let turns = targets.len().div_ceil(options.at_once());
    turns * usize::try_from(options.seconds).unwrap_or_default()
}

/// Does it for each, so many at once; the results are in the order of the targets.
fn at_once<T: Send>(
    targets: &[String],
    count: usize,
    one: impl Fn(&String) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let Some(target) = targets.get(n) else {
                return done;
            };
            eprintln!("xtask: {target}");
            done.push((n, one(target)));
        }
    };
    let mut done = thread::scope(|scope| {
        let workers: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
        let done = workers.into_iter().map(|worker| {
            let done = worker.join();
            done.unwrap_or_else(|panic| resume_unwind(panic))
        });
        done.flatten().collect::<Vec<_>>()
    });
    done.sort_by_key(|(n, _)| *n);
    done.into_iter().map(|(_, done)| done).collect()
}

/// A file each.
fn targets(home: &Path) -> Result<Vec<String>> {
    let mut targets = Vec::new();
    for entry in fs::read_dir(home.join("libfuzzer/src/bin"))? {
        let path = entry?.path();
        let name = path.file_stem().and_then(|name| name.to_str());
        targets.extend(name.map(str::to_owned));
    }
    targets.sort();
    Ok(targets)
}

/// Builds the targets, and says where they are.
fn build(workspace: &Workspace, home: &Path, targets: &[String], address: bool) -> Result<PathBuf> {
    server::allow_missing_page(workspace)?;
    let package = home.join("libfuzzer");
    // The versions of the program, and one more crate.
    fs::copy(
        workspace.root.join("Cargo.lock"),
        package.join("Cargo.lock"),
    )
    .context("copying Cargo.lock")?;
    let mut flags: Vec<&str> = COUNTED.to_vec();
    let (mut cargo, directory) = if address {
        let nightly = Command::new("rustup")
            .args(["run", "nightly", "cargo", "--version"])
            .stdout(Stdio::null())
            .status();
        ensure!(
            nightly.is_ok_and(|it| it.success()),
            "AddressSanitizer needs a nightly toolchain, which is not there: `rustup toolchain install nightly` gets it. \
             Without --address any toolchain does"
        );
        flags.push("-Zsanitizer=address");
        let mut cargo = Command::new("rustup");
        cargo.args(["run", "nightly", "cargo"]);
        (cargo, "address")
    } else {
        let program = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        (Command::new(program), "counted")
    };
    let version = command::read(Command::new("rustc").arg("-vV"))?;
    let triple = version.lines().find_map(|line| line.strip_prefix("host: "));
    let triple = triple.context("rustc does not say for which machine it compiles")?;
    let target = workspace.target.join("libfuzzer").join(directory);
    cargo.current_dir(&package);
    // With a target the flags are not for build scripts and macros.
    cargo.args(["build", "--release", "--target", triple]);
    for target in targets {
        cargo.args(["--bin", target]);
    }
    cargo.arg("--target-dir").arg(&target);
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    command::run(&mut cargo)?;
    Ok(target.join(triple).join("release"))
}

/// Fuzzes one target, beginning with what is kept and what was found before.
fn fuzz(program: &Path, home: &Path, found: &Path, target: &str, seconds: u32) -> Result<Ran> {
    let new = found.join("corpus").join(target);
    let findings = found.join("findings");
    fs::create_dir_all(&new)?;
    fs::create_dir_all(&findings)?;
    let log = findings.join(format!("{target}.log"));
    let mut fuzzer = Command::new(program);
    fuzzer.arg(&new).arg(home.join("corpus").join(target));
    fuzzer.arg(format!("-max_total_time={seconds}"));
    fuzzer.arg(format!("-max_len={LARGEST}"));
    fuzzer.arg(format!("-dict={}", home.join("words.dict").display()));
    fuzzer.arg(format!("-artifact_prefix={}/{target}-", findings.display()));
    fuzzer.args(["-timeout=10", "-rss_limit_mb=4096", "-print_final_stats=1"]);
    let output = fuzzer
        .stderr(fs::File::create(&log)?)
        .stdout(Stdio::null())
        .status()
        .with_context(|| format!("cannot start {}", program.display()))?;
    let said = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
    let executions = number_after(&said, "stat::number_of_executed_units:");
    let finding = said.lines().rev().find_map(|line| {
        let (_, path) = line.split_once("Test unit written to ")?;
        Some(PathBuf::from(path))
    });
    if !output.success() && finding.is_none() {
        bail!("{target} did not run; {} says why", log.display());
    }
    Ok(Ran {
        target: target.to_owned(),
        executions,
        edges: number_after(&said, " cov:"),
        finding,
    })
}

/// The number behind the last of these words.
fn number_after(text: &str, words: &str) -> u64 {
    let rest = text.rsplit_once(words).map_or("", |(_, rest)| rest);
    let digits = rest
        .trim_start()
        .split(|c: char| !c.is_ascii_digit())
        .next();
    digits
        .and_then(|digits| digits.parse().ok())
        .unwrap_or_default()
}

/// Keeps the smallest inputs that together run as much as all that were found, as far as there is room.
fn keep(program: &Path, home: &Path, found: &Path, target: &str) -> Result<()> {
    let kept = home.join("corpus").join(target);
    let least = found.join("least").join(target);
    if least.exists() {
        fs::remove_dir_all(&least)?;
    }
    fs::create_dir_all(&least)?;
    let mut fuzzer = Command::new(program);
    fuzzer
        .arg("-merge=1")
        .arg(format!("-max_len={LARGEST}"))
        .arg(&least)
        .arg(&kept);
    fuzzer.arg(found.join("corpus").join(target));
    fuzzer.stderr(Stdio::null()).stdout(Stdio::null());
    command::run(&mut fuzzer)?;
    let mut room = KEPT.saturating_sub(size(&kept)?);
    let mut inputs = Vec::new();
    for entry in fs::read_dir(&least)? {
        let path = entry?.path();
        inputs.push((path.metadata()?.len(), path));
    }
    inputs.sort();
    // Of each size some: most are a few bytes long.
    let step = inputs.len().div_ceil(ADDED).max(1);
    for (size, path) in inputs.into_iter().step_by(step) {
        let Some(left) = room.checked_sub(size) else {
            break;
        };
        let name = path.file_name().unwrap_or_default();
        // What stands there already has a name of its own.
        let is_known = fs::read_dir(&kept)?
            .flatten()
            .any(|entry| fs::read(entry.path()).ok() == fs::read(&path).ok());
        if !is_known {
            fs::copy(&path, kept.join(name))?;
            room = left;
        }
    }
    Ok(())
}

fn size(folder: &Path) -> Result<u64> {
    let mut size = 0;
    for entry in fs::read_dir(folder)? {
        size += entry?.metadata()?.len();
    }
    Ok(size)
}

/// A table for README.md, and a failure where something was found.
fn tell(all: &[Ran], seconds: u32) -> Result<()> {
    println!("| target | executions | seconds | edges | findings |\n|---|---|---|---|---|");
    for ran in all {
        let finding = ran.finding.as_ref();
        let finding = finding.map_or_else(|| "none".to_owned(), |it| it.display().to_string());
        println!(
            "| `{}` | {} | {seconds} | {} | {finding} |",
            ran.target, ran.executions, ran.edges
        );
    }
    let broken = all.iter().filter(|ran| ran.finding.is_some()).count();
    ensure!(
        broken == 0,
        "{broken} of {} targets found an input that breaks a promise; it belongs into dev/fuzz/corpus, with the fix",
        all.len()
    );
    Ok(())
}
