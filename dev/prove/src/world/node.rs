//! The program, as many times as there are nodes: started, killed, stopped and let go on.

use std::fs::OpenOptions;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};

use super::clock;

/// A server that is not there again after that has broken a promise: what failed it may take as long as a lease.
const PATIENCE: Duration = Duration::from_secs(90);
const LOOK: Duration = Duration::from_secs(1);

/// How the program is started.
#[derive(Clone)]
pub(crate) struct Launch {
    pub(crate) program: PathBuf,
    pub(crate) database: String,
    /// Its key and its checkpoints: those of all nodes.
    pub(crate) folder: PathBuf,
    /// Where it keeps what it prints.
    pub(crate) logs: PathBuf,
}

impl Launch {
    /// The program with the settings of the campaign and no others.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("HANDRAISE_") {
                command.env_remove(name);
            }
        }
        command
            .current_dir(&self.logs)
            .env("HANDRAISE_KEY_FILE", self.folder.join("key"))
            .env("HANDRAISE_CHECKPOINT_FILE", self.folder.join("checkpoints"))
            .env("HANDRAISE_ATTACHMENTS", self.folder.join("attachments"))
            .env("HANDRAISE_MAX_PENDING_PER_AGENT", "0")
            .env("HANDRAISE_AGENT_BYTES_PER_DAY", "0")
            .env("HANDRAISE_RATE_LIMIT_PER_MINUTE", "0")
            .env("HANDRAISE_LIMITS_HELD_PER_TOKEN", "0")
            .env("HANDRAISE_MCP_HOLD_SECONDS", "0")
            .env("HANDRAISE_OUTBOUND_ALLOW", "127.0.0.1")
            .env("RUST_LOG", "warn")
            .stdin(Stdio::null());
        command
    }

    /// Runs one of the other commands, which has to succeed.
    pub(crate) async fn run(&self, arguments: &[&str]) -> Result<String> {
        let mut command = self.command();
        command.args(arguments).args(["--database", &self.database]);
        let output = tokio::process::Command::from(command).output().await?;
        let said = String::from_utf8_lossy(&output.stderr);
        let words = arguments.join(" ");
        ensure!(output.status.success(), "`handraise {words}`: {said}");
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }
}

/// One of them. What is done to it is done by one fault at a time.
pub(crate) struct Node {
    pub(crate) number: usize,
    pub(crate) port: u16,
    launch: Launch,
    environment: Vec<(String, String)>,
    child: Mutex<Option<Child>>,
    /// Whether requests may be sent to it now.
    is_up: AtomicBool,
}

impl Node {
    pub(crate) fn new(
        number: usize,
        port: u16,
        launch: Launch,
        environment: Vec<(String, String)>,
    ) -> Self {
        Self {
            number,
            port,
            launch,
            environment,
            child: Mutex::new(None),
            is_up: AtomicBool::new(false),
        }
    }

    pub(crate) fn is_up(&self) -> bool {
        self.is_up.load(Ordering::Relaxed)
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn spawn(&self) -> Result<Child> {
        let log = self.launch.logs.join(format!("node-{}.log", self.number));
        let log = OpenOptions::new().create(true).append(true).open(log)?;
        let address = format!("127.0.0.1:{}", self.port);
        let mut command = self.launch.command();
        for (name, value) in &self.environment {
            command.env(name, value);
        }
        command
            .args([
                "serve",
                "--addr",
                &address,
                "--database",
                &self.launch.database,
            ])
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .context("cannot start the program")
    }

    /// Starts it, again and again should it end by itself, until it takes requests.
    pub(crate) async fn start(&self) -> Result<()> {
        let mut child = self.child.lock().await;
        self.start_locked(&mut child).await
    }

    async fn start_locked(&self, child: &mut Option<Child>) -> Result<()> {
        let begun = Instant::now();
        loop {
            let has_ended = match child.as_mut() {
                Some(running) => running.try_wait()?.is_some(),
                None => true,
            };
            if has_ended {
                *child = Some(self.spawn()?);
            }
            if self.takes_requests().await {
                self.is_up.store(true, Ordering::Relaxed);
                return Ok(());
            }
            if begun.elapsed() > PATIENCE {
                let log = self.launch.logs.join(format!("node-{}.log", self.number));
                bail!("node {} does not come back: {}", self.number, log.display());
            }
            sleep(Duration::from_millis(15)).await;
        }
    }

    /// Whether it says that it is ready: it listens before that.
    async fn takes_requests(&self) -> bool {
        let asked = async {
            let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.ok()?;
            stream
                .write_all(b"GET /readyz HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n")
                .await
                .ok()?;
            let mut status = [0; 12];
            stream.read_exact(&mut status).await.ok()?;
            status.ends_with(b" 200").then_some(())
        };
        matches!(timeout(LOOK, asked).await, Ok(Some(())))
    }

    /// Starts it once, whatever comes of that.
    pub(crate) async fn try_start(&self) -> Result<()> {
        let mut child = self.child.lock().await;
        *child = Some(self.spawn()?);
        self.is_up.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// SIGKILL.
    pub(crate) async fn kill(&self) -> Result<()> {
        let mut child = self.child.lock().await;
        self.is_up.store(false, Ordering::Relaxed);
        if let Some(running) = child.take() {
            end(running)?;
        }
        Ok(())
    }

    /// SIGKILL, and another start on the same database after a while; `in_between` it is started and killed once more, so soon after
    /// that it may not be ready by then.
    pub(crate) async fn kill_and_restart(
        &self,
        away: Duration,
        in_between: Option<Duration>,
    ) -> Result<()> {
        let mut child = self.child.lock().await;
        self.is_up.store(false, Ordering::Relaxed);
        if let Some(running) = child.take() {
            end(running)?;
        }
        sleep(away).await;
        if let Some(after) = in_between {
            let running = self.spawn()?;
            sleep(after).await;
            end(running)?;
        }
        self.start_locked(&mut child).await
    }

    /// Stops it in the middle of whatever it does, and lets it go on as if no time had passed.
    pub(crate) async fn pause(&self, how_long: Duration) -> Result<()> {
        let child = self.child.lock().await;
        let Some(running) = child.as_ref() else {
            return Ok(());
        };
        let pid = Pid::from_child(running);
        // Clients do not know that it is stopped: they go on calling it.
        kill_process(pid, Signal::STOP)?;
        sleep(how_long).await;
        kill_process(pid, Signal::CONT)?;
        Ok(())
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        if let Some(running) = self.child.get_mut().take() {
            let _ = kill_process(Pid::from_child(&running), Signal::CONT);
            let _ = end(running);
        }
    }
}

/// SIGKILL.
fn end(mut running: Child) -> Result<()> {
    running.kill()?;
    running.wait()?;
    clock::tidy(running.id());
    Ok(())
}
