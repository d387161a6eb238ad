//! PostgreSQL for the tests: the server that `TEST_POSTGRES_URL` names, or a cluster of our own that
//! lives as long as this program.

use std::env;
use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::{apt, command};

pub(crate) const VARIABLE: &str = "TEST_POSTGRES_URL";

/// Where Linux keeps files in memory.
const MEMORY: &str = "/dev/shm";
/// A container often has 64 MB there, which is too little; the write-ahead log alone may take one gigabyte.
const MEMORY_GB: u32 = 6;

/// Reads until this program closes the pipe, by intention or by dying of any cause, then clears
/// away the cluster. `$1` is its directory, the rest is the command that stops it.
const GUARD: &str = "read -r _; dir=$1; shift; \"$@\"; rm -rf \"$dir\"";

pub(crate) struct Postgres {
    pub(crate) url: String,
    /// For the temporary files of tests, where these may be in memory. It goes when the cluster goes.
    pub(crate) temporary: Option<PathBuf>,
    guard: Option<Child>,
}

impl Postgres {
    pub(crate) fn ready() -> Result<Self> {
        if let Ok(url) = env::var(VARIABLE) {
            return Ok(Self {
                url,
                temporary: None,
                guard: None,
            });
        }
        let programs = match find_programs() {
            Some(programs) => programs,
            None => {
                let advice = "install PostgreSQL's server, with its programs `initdb` and \
                     `pg_ctl` on PATH, or set TEST_POSTGRES_URL to one that may be used";
                apt::install("PostgreSQL", &["postgresql"], advice)?;
                find_programs().context("the package postgresql brought no `initdb`")?
            }
        };
        Self::start(&programs)
    }

    fn start(programs: &Path) -> Result<Self> {
        let owner = Owner::find();
        let in_memory = has_memory();
        let place = if in_memory { MEMORY } else { "/tmp" };
        let directory = command::read(
            owner
                .command("mktemp")
                .args(["-d", &format!("{place}/handraise-postgres.XXXXXX")]),
        )?;
        // Browsers under test keep their files in it too, and those parts of Chromium that have given up the rights of
        // root must pass through.
        fs::set_permissions(&directory, Permissions::from_mode(0o711))?;
        let data = format!("{directory}/data");
        let log = format!("{directory}/log");
        let pg_ctl = programs.join("pg_ctl");

        let mut stop = owner.command(&pg_ctl);
        stop.args(["stop", "-m", "immediate", "-D", &data]);
        let guard = spawn_guard(&directory, &stop)?;

        let mut initdb = owner.command(programs.join("initdb"));
        initdb
            .args(["-D", &data, "-U", "postgres", "--auth=trust"])
            .args(["--encoding=UTF8", "--locale=C", "--no-sync"]);
        command::read(&mut initdb)?;

        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let options = format!(
            "-c listen_addresses=127.0.0.1 -c port={port} \
             -c unix_socket_directories={directory} -c max_connections=300"
        );
        let mut start = owner.command(&pg_ctl);
        start.args(["start", "-w", "-D", &data, "-l", &log, "-o", &options]);
        if let Err(error) = command::read(&mut start) {
            let log = fs::read_to_string(log).unwrap_or_default();
            bail!("{error:#}\n{log}");
        }
        let temporary = in_memory.then(|| Path::new(&directory).join("tests"));
        if let Some(temporary) = &temporary {
            fs::create_dir(temporary)?;
        }
        Ok(Self {
            url: format!("postgres://postgres@127.0.0.1:{port}/postgres"),
            temporary,
            guard: Some(guard),
        })
    }
}

/// Whether the cluster may live in memory. Each test makes a database of its own, which is 300 files: on ext4, making and
/// removing them took a quarter of all the time that both processors had.
fn has_memory() -> bool {
    if !Path::new(MEMORY).is_dir() {
        return false;
    }
    let mut df = Command::new("df");
    let free = command::read(df.args(["--output=avail", "--block-size=1G", MEMORY]));
    let free = free.unwrap_or_default();
    let gigabytes = free
        .lines()
        .last()
        .and_then(|line| line.trim().parse().ok());
    gigabytes.is_some_and(|free: u32| free >= MEMORY_GB)
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if let Some(guard) = &mut self.guard {
            drop(guard.stdin.take());
            let _ = guard.wait();
        }
    }
}

fn spawn_guard(directory: &str, stop: &Command) -> Result<Child> {
    let mut guard = Command::new("sh");
    guard
        .args(["-c", GUARD, "sh", directory])
        .arg(stop.get_program())
        .args(stop.get_args())
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // Ctrl-C is sent to the whole process group; the guard has to outlive it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut guard, 0);
    guard.spawn().context("cannot start `sh`")
}

/// PostgreSQL refuses to run as root.
enum Owner {
    Us,
    Account(&'static str),
}

impl Owner {
    fn find() -> Self {
        if !command::is_root() {
            return Self::Us;
        }
        let exists = |account: &str| {
            let mut id = Command::new("id");
            id.arg(account).stdout(Stdio::null()).stderr(Stdio::null());
            id.status().is_ok_and(|status| status.success())
        };
        Self::Account(if exists("postgres") {
            "postgres"
        } else {
            "nobody"
        })
    }

    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = match self {
            Self::Us => Command::new(program),
            Self::Account(account) => {
                let mut command = Command::new("runuser");
                command.args(["-u", account, "--"]).arg(program);
                command
            }
        };
        // The account may not be allowed where we are.
        command.current_dir("/");
        command
    }
}

/// The directory of `initdb` and `pg_ctl`; Debian keeps them off PATH.
fn find_programs() -> Option<PathBuf> {
    if let Some(initdb) = command::find_on_path(&["initdb"]) {
        return Some(fs::canonicalize(initdb).ok()?.parent()?.to_path_buf());
    }
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?.flatten();
    let newest = versions
        .filter(|entry| entry.path().join("bin/initdb").exists())
        .max_by_key(|entry| entry.file_name().to_string_lossy().parse().unwrap_or(0_u32))?;
    Some(newest.path().join("bin"))
}
