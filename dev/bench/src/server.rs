//! A server of our own: the real program on an empty database, killed when dropped.

use std::env;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};

use crate::Bench;
use crate::client::Client;
use crate::database::Database;

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    /// The token of an agent.
    pub(crate) agent: String,
    /// The token of a script that answers.
    pub(crate) responder: String,
    process: Process,
    // After the process, so that the server no longer has it open when it goes.
    database: Arc<Database>,
}

/// Killed when dropped.
pub(crate) struct Process(Child);

impl Process {
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        command.spawn().map(Self)
    }

    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Server {
    /// A server with a token of each kind.
    pub(crate) fn start(bench: &Bench) -> Result<Self> {
        Self::start_with(bench, |_| ())
    }

    /// The same, in an environment that is changed before.
    pub(crate) fn start_with(bench: &Bench, change: impl FnOnce(&mut Command)) -> Result<Self> {
        let mut server = Self::start_changed(bench, Arc::new(Database::create(bench)?), change)?;
        server.agent = server.create_token(bench, "agent", "bench")?;
        server.responder = server.create_token(bench, "responder", "bench")?;
        Ok(server)
    }

    /// A server without tokens, as soon as it says where it listens.
    pub(crate) fn start_on(bench: &Bench, database: Database) -> Result<Self> {
        Self::start_changed(bench, Arc::new(database), |_| ())
    }

    /// Another one on the same database, with the same tokens.
    pub(crate) fn beside(&self, bench: &Bench) -> Result<Self> {
        Ok(Self {
            agent: self.agent.clone(),
            responder: self.responder.clone(),
            ..Self::start_changed(bench, Arc::clone(&self.database), |_| ())?
        })
    }

    fn start_changed(
        bench: &Bench,
        database: Arc<Database>,
        change: impl FnOnce(&mut Command),
    ) -> Result<Self> {
        let log = database.directory().join("server.log");
        let mut command = handraise(bench, &database);
        change(&mut command);
        command
            .args([
                "serve",
                "--addr",
                "127.0.0.1:0",
                "--database",
                &database.url,
            ])
            .stdout(Stdio::piped())
            .stderr(File::create(&log)?);
        let mut process = Process::start(&mut command).context("cannot start the server")?;
        let stdout = process
            .0
            .stdout
            .take()
            .context("the server has no output")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let Some((_, address)) = line.trim().split_once("http://") else {
            let log = fs::read_to_string(&log).unwrap_or_default();
            bail!("the server did not start: {line}{log}");
        };
        Ok(Self {
            address: address.parse()?,
            agent: String::new(),
            responder: String::new(),
            process,
            database,
        })
    }

    /// The same database and tokens, in a process that has done nothing yet.
    pub(crate) fn restarted(self, bench: &Bench) -> Result<Self> {
        self.changed_at_rest(bench, |_| Ok(()))
    }

    /// The same, and meanwhile the file is changed.
    pub(crate) fn changed_at_rest(
        self,
        bench: &Bench,
        change: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<Self> {
        let Self {
            agent,
            responder,
            process,
            database,
            ..
        } = self;
        drop(process);
        change(&database.directory().join("bench.db"))?;
        Ok(Self {
            agent,
            responder,
            ..Self::start_changed(bench, database, |_| ())?
        })
    }

    pub(crate) fn create_token(&self, bench: &Bench, kind: &str, name: &str) -> Result<String> {
        let output = handraise(bench, &self.database)
            .args(["token", "create", "--kind", kind, "--name", name])
            .args(["--database", &self.database.url])
            .stderr(Stdio::inherit())
            .output()
            .context("cannot make a token")?;
        ensure!(output.status.success(), "the token was not made");
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }

    /// The one-time link of an admin.
    pub(crate) fn invite_admin(&self, bench: &Bench) -> Result<String> {
        let output = handraise(bench, &self.database)
            .args(["user", "invite", "--name", "operator", "--role", "admin"])
            .args(["--addr", &self.address.to_string()])
            .args(["--database", &self.database.url])
            .stderr(Stdio::inherit())
            .output()
            .context("cannot invite anybody")?;
        ensure!(output.status.success(), "nobody was invited");
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    pub(crate) fn database(&self) -> &Database {
        &self.database
    }

    /// Goes over all of the journal, beside the server.
    pub(crate) fn verify_journal(&self, bench: &Bench) -> Result<()> {
        let output = handraise(bench, &self.database)
            .args(["journal", "verify", "--database", &self.database.url])
            .output()
            .context("cannot verify the journal")?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "the journal does not hold: {said}");
        Ok(())
    }

    pub(crate) async fn agents(&self, count: usize) -> Result<Vec<Client>> {
        let mut clients = Vec::with_capacity(count);
        for _ in 0..count {
            clients.push(self.connect_agent().await?);
        }
        Ok(clients)
    }

    pub(crate) async fn connect_agent(&self) -> Result<Client> {
        Client::connect(self.address, &self.agent).await
    }

    pub(crate) async fn connect_responder(&self) -> Result<Client> {
        Client::connect(self.address, &self.responder).await
    }
}

/// The program with the settings of the benchmark and no others.
fn handraise(bench: &Bench, database: &Database) -> Command {
    let mut command = Command::new(&bench.server);
    command.current_dir(database.directory());
    for (name, _) in env::vars_os() {
        if name.to_string_lossy().starts_with("HANDRAISE_") {
            command.env_remove(name);
        }
    }
    command
        .env_remove("RUST_LOG")
        .env("HANDRAISE_MAX_PENDING_PER_AGENT", "0")
        .env("HANDRAISE_AGENT_BYTES_PER_DAY", "0")
        .env("HANDRAISE_RATE_LIMIT_PER_MINUTE", "0")
        // Receivers are on this machine.
        .env("HANDRAISE_OUTBOUND_ALLOW", "127.0.0.1")
        // Everybody is the same agent here.
        .env("HANDRAISE_LIMITS_HELD_PER_TOKEN", "0")
        .stdin(Stdio::null());
    command
}
