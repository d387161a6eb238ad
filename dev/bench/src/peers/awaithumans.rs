//! awaithumans, a Python package, as its own documents deploy it: `awaithumans serve` on SQLite.

use std::fs::File;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;
use serde::Deserialize;
use serde_json::json;
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use crate::client::{Call, Client};
use crate::server::Process;

const TASKS: &str = "/api/tasks";
const TOKEN: &str = "bench";
/// It imports for some seconds before it listens.
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) struct Awaithumans {
    address: SocketAddr,
    process: Process,
    // After the process, so that it no longer has files open there when they go.
    _directory: TempDir,
}

impl Awaithumans {
    /// Its database is put into a folder of its own below `folder`.
    pub(super) async fn start(program: &Path, folder: &Path) -> Result<Self> {
        let directory = tempfile::Builder::new()
            .prefix("bench-")
            .tempdir_in(folder)?;
        // It cannot be told to take any free port and say which.
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let log = directory.path().join("server.log");
        let mut command = Command::new(program);
        command
            .args(["serve", "--host", "127.0.0.1", "--log-level", "warning"])
            .args(["--port", &address.port().to_string()])
            .current_dir(directory.path())
            .env("AWAITHUMANS_DB_PATH", directory.path().join("bench.db"))
            .env("AWAITHUMANS_PAYLOAD_KEY", URL_SAFE.encode([7; 32]))
            .env("AWAITHUMANS_ADMIN_API_TOKEN", TOKEN)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&log)?);
        let peer = Self {
            address,
            process: Process::start(&mut command).context("cannot start awaithumans")?,
            _directory: directory,
        };
        let begun = Instant::now();
        while Client::connect(address, TOKEN).await.is_err() {
            if begun.elapsed() > PATIENCE {
                bail!(
                    "awaithumans does not listen: {}",
                    std::fs::read_to_string(&log)?
                );
            }
            sleep(Duration::from_millis(100)).await;
        }
        Ok(peer)
    }

    pub(super) fn pid(&self) -> u32 {
        self.process.id()
    }

    pub(super) async fn agents(&self, count: usize) -> Result<Vec<Client>> {
        let mut clients = Vec::with_capacity(count);
        for _ in 0..count {
            clients.push(Client::connect(self.address, TOKEN).await?);
        }
        Ok(clients)
    }
}

/// The question that Handraise is asked too, in its words. Each has a key of its own, which it wants.
pub(super) fn question() -> Call {
    static ASKED: AtomicU64 = AtomicU64::new(0);
    let key = ASKED.fetch_add(1, Ordering::Relaxed);
    let body = json!({
        "task": "Latency target",
        "payload": {
            "prompt": "The cache can be tuned for throughput or for latency, and the ticket names \
                       neither. What latency target should I optimise for?",
        },
        "payload_schema": {"type": "object"},
        "response_schema": {"type": "object"},
        "timeout_seconds": 3_600,
        "idempotency_key": format!("bench {key}"),
    });
    Call::post(TASKS, &body)
}

/// Where the task is that was made.
pub(super) fn path(made: &[u8]) -> Result<String> {
    #[derive(Deserialize)]
    struct Task {
        id: String,
    }
    let task: Task = serde_json::from_slice(made).context("reading a task")?;
    Ok(format!("{TASKS}/{}", task.id))
}

/// Its long poll, and the answer.
pub(super) fn wait_and_answer(made: &[u8]) -> Result<(Call, Call)> {
    let path = path(made)?;
    let answer = json!({"response": {"text": "50 ms"}});
    Ok((
        Call::get(format!("{path}/poll?timeout=25")),
        Call::post(format!("{path}/complete"), &answer),
    ))
}
