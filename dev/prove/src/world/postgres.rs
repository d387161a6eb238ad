//! A PostgreSQL of the campaign's own, which it may kill. As shipped but for its address: every commit is flushed.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::process::{Pid, Signal, geteuid, kill_process};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::time::sleep;

const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct Postgres {
    programs: PathBuf,
    data: PathBuf,
    log: PathBuf,
    port: u16,
    owner: Option<(u32, u32)>,
    server: Mutex<Option<Child>>,
}

impl Postgres {
    /// Makes a cluster below this folder and starts it.
    pub(crate) async fn start(folder: &Path, logs: &Path, port: u16) -> Result<Self> {
        let home = folder.join("postgres");
        fs::create_dir(&home)?;
        let owner = match geteuid().is_root() {
            true => Some((id("-u")?, id("-g")?)),
            false => None,
        };
        if let Some((user, group)) = owner {
            chown(&home, Some(user), Some(group))?;
            // The owner has to get there.
            for place in folder
                .ancestors()
                .take_while(|place| place.parent().is_some())
            {
                let mode = fs::metadata(place)?.permissions().mode();
                if mode & 0o001 == 0 {
                    fs::set_permissions(place, fs::Permissions::from_mode(mode | 0o011))?;
                }
            }
        }
        let postgres = Self {
            programs: programs()?,
            data: home.join("data"),
            log: logs.join("postgres.log"),
            port,
            owner,
            server: Mutex::new(None),
        };
        let mut initdb = postgres.command("initdb");
        initdb
            .arg("-D")
            .arg(&postgres.data)
            .args(["-U", "postgres", "--auth=trust"])
            .args(["--encoding=UTF8", "--locale=C"])
            .stdout(Stdio::null());
        ensure!(initdb.status()?.success(), "`initdb` made no cluster");
        let mut server = postgres.server.lock().await;
        postgres.start_locked(&mut server).await?;
        drop(server);
        Ok(postgres)
    }

    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// What `postgres --version` says.
    pub(crate) fn version(&self) -> Result<String> {
        let output = self.command("postgres").arg("--version").output()?;
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        command.stdin(Stdio::null()).current_dir("/");
        if let Some((user, group)) = self.owner {
            command.uid(user).gid(group);
        }
        command
    }

    async fn start_locked(&self, server: &mut Option<Child>) -> Result<()> {
        let begun = Instant::now();
        loop {
            let has_ended = match server.as_mut() {
                Some(running) => running.try_wait()?.is_some(),
                None => true,
            };
            // It refuses to start while a process of the killed one still lives.
            if has_ended {
                *server = Some(self.spawn()?);
            }
            if TcpStream::connect(("127.0.0.1", self.port)).await.is_ok() && self.is_ready()? {
                return Ok(());
            }
            if begun.elapsed() > PATIENCE {
                bail!("PostgreSQL does not come back: {}", self.log.display());
            }
            sleep(Duration::from_millis(50)).await;
        }
    }

    fn spawn(&self) -> Result<Child> {
        let log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.log)?;
        let mut command = self.command("postgres");
        command
            .arg("-D")
            .arg(&self.data)
            .args(["-c", "listen_addresses=127.0.0.1", "-c"])
            .arg(format!("port={}", self.port))
            .args(["-c", "unix_socket_directories="])
            .args(["-c", "max_connections=200"])
            .stdout(log.try_clone()?)
            .stderr(log);
        command.spawn().context("cannot start PostgreSQL")
    }

    fn is_ready(&self) -> Result<bool> {
        let mut ask = self.command("pg_isready");
        ask.args(["-q", "-h", "127.0.0.1", "-p", &self.port.to_string()]);
        Ok(ask.status()?.success())
    }

    /// SIGKILL for all its processes, and another start.
    pub(crate) async fn kill_and_restart(&self, away: Duration) -> Result<()> {
        let mut server = self.server.lock().await;
        kill(&mut server)?;
        sleep(away).await;
        self.start_locked(&mut server).await
    }

    /// SIGKILL for all its processes.
    pub(crate) async fn stop(&self) -> Result<()> {
        kill(&mut *self.server.lock().await)
    }

    /// Starts it once, whatever comes of that.
    pub(crate) async fn try_start(&self) -> Result<()> {
        *self.server.lock().await = Some(self.spawn()?);
        Ok(())
    }

    /// Starts it should it have ended by itself, as it does when its disk is full.
    pub(crate) async fn revive(&self) -> Result<()> {
        let mut server = self.server.lock().await;
        self.start_locked(&mut server).await
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let _ = kill(self.server.get_mut());
    }
}

fn kill(server: &mut Option<Child>) -> Result<()> {
    let Some(mut running) = server.take() else {
        return Ok(());
    };
    // Each of them is in a session of its own.
    let children = children(running.id())?;
    running.kill()?;
    for child in children.into_iter().filter_map(Pid::from_raw) {
        // One that has ended meanwhile is what is wanted.
        let _ = kill_process(child, Signal::KILL);
    }
    running.wait()?;
    Ok(())
}

fn id(what: &str) -> Result<u32> {
    let output = Command::new("id").args([what, "postgres"]).output()?;
    let text = String::from_utf8(output.stdout)?;
    text.trim()
        .parse()
        .context("PostgreSQL refuses to run as root, and there is no user `postgres`")
}

/// Where the system keeps the programs of the newest version.
fn programs() -> Result<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    if let Ok(versions) = fs::read_dir("/usr/lib/postgresql") {
        let places = versions.flatten().map(|one| one.path().join("bin"));
        found.extend(places.filter(|bin| bin.join("initdb").exists()));
    }
    found.sort();
    let on_path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&on_path).find(|bin| bin.join("initdb").exists());
    found
        .pop()
        .or(on_path)
        .context("there is no `initdb`: install PostgreSQL's server")
}

/// The processes that this one has started.
fn children(parent: u32) -> Result<Vec<i32>> {
    let mut children = Vec::new();
    for entry in fs::read_dir("/proc")?.flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse::<i32>().ok()) else {
            continue;
        };
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        // The second field is a name in parentheses that may hold anything; the parent is the fourth.
        let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        let its_parent = after_name.split_whitespace().nth(1);
        if its_parent.and_then(|text| text.parse::<u32>().ok()) == Some(parent) {
            children.push(pid);
        }
    }
    Ok(children)
}
