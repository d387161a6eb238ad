//! `handraise run`: Claude Code, which need not live while it waits for people. The hook puts a call off, the program ends, and
//! here it is started again when there is an answer.
//!
//! Nothing is known here that is not in the run's [`Folder`]: killed at any moment and started again, it goes on.

mod command_line;
mod folder;
mod keeper;

use std::{
    env,
    fs::File,
    io::{self, Write},
    process::{ExitCode, Stdio},
    time::Duration,
};

use anyhow::{Context, bail, ensure};
use clap::Args;
use domain::limits;
use futures::future::join_all;
use tokio::{process::Command, task::spawn_blocking, time::timeout};

use super::{Server, message, new_key, say};
use crate::client::Client;
use command_line::{CommandLine, How};
use folder::Begun;

pub(super) use folder::{Asked, Folder, VARIABLE, Waiting};
pub use keeper::KeepCommand;

/// How long the program may take to say its version.
const SAYING_VERSION: Duration = Duration::from_secs(60);
/// How long the server may take to hear that the session is over.
const ENDING: Duration = Duration::from_secs(10);

/// Runs Claude Code without a terminal, and starts it again whenever people have answered.
#[derive(Debug, Args)]
pub struct RunCommand {
    /// How many seconds people have for what it waits for; a week if absent
    #[arg(long, value_name = "SECONDS", default_value_t = 604_800, hide_default_value = true,
        value_parser = clap::value_parser!(u32).range(1..=limits::TIMEOUT_SECONDS))]
    timeout: u32,
    /// Names it, where the same command is to run several times at once in one folder
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    #[command(flatten)]
    server: Server,
    /// Claude Code with `-p`. No shell reads it
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Goes on with what `handraise run` has left.
#[derive(Debug, Args)]
pub struct ResumeCommand {
    /// Which one; all of them if absent
    #[arg(value_name = "ID")]
    id: Option<String>,
    #[command(flatten)]
    server: Server,
}

impl RunCommand {
    /// # Errors
    /// When the program cannot be run so, or cannot be waited for.
    pub async fn run(self) -> anyhow::Result<ExitCode> {
        let line = CommandLine::read(&self.command)?;
        let here = env::current_dir().context("the working directory is gone")?;
        let folder = Folder::of(&self.command, &here, self.name.as_deref())?;
        let client = self.server.clone().client()?;
        let lock = folder.lock()?;
        match folder.begun()? {
            Some(_) => say(&format!(
                "goes on with the run {}, which was left",
                folder.id()
            )),
            None => {
                is_new_enough(line.program()).await?;
                let session = new_key();
                let begun = Begun::new(self.command.clone(), here, session, self.timeout);
                folder.begin(&begun)?;
            }
        }
        let code = go_on(&folder, &client, &self.server, &lock).await?;
        Ok(ExitCode::from(code))
    }
}

impl ResumeCommand {
    /// # Errors
    /// When one of them cannot be gone on with.
    pub async fn run(self) -> anyhow::Result<ExitCode> {
        let client = self.server.clone().client()?;
        let folders = match &self.id {
            Some(id) => {
                let folder = Folder::named(id)?;
                ensure!(folder.begun()?.is_some(), "there is no run {id}");
                vec![folder]
            }
            None => Folder::all()?,
        };
        let mut locked = Vec::with_capacity(folders.len());
        for folder in folders {
            match folder.lock() {
                Ok(lock) => locked.push((folder, lock)),
                Err(error) if self.id.is_some() => return Err(error),
                // That one is looked after already.
                Err(_) => {}
            }
        }
        if locked.is_empty() {
            say("there is nothing to go on with");
            return Ok(ExitCode::SUCCESS);
        }
        let runs = locked
            .iter()
            .map(|(folder, lock)| go_on(folder, &client, &self.server, lock));
        let mut codes = Vec::with_capacity(locked.len());
        for (done, (folder, _)) in join_all(runs).await.into_iter().zip(&locked) {
            codes.push(done.unwrap_or_else(|error| {
                say(&format!("the run {}: {}", folder.id(), message(&error)));
                1
            }));
        }
        Ok(ExitCode::from(match &codes[..] {
            [one] => *one,
            several => u8::from(several.iter().any(|it| *it != 0)),
        }))
    }
}

/// How the program is to be started next; `None` when it has ended by itself.
fn next(folder: &Folder) -> anyhow::Result<Option<How>> {
    let begun = folder.begun()?.context("the run is gone")?;
    let Some(attempt) = folder.attempt()? else {
        return Ok(Some(How::Begin));
    };
    let ended = folder.ended()?.filter(|it| it.number == attempt.number);
    let waiting = folder.waiting()?.filter(|it| it.deferred);
    Ok(match (ended, waiting) {
        (_, Some(waiting)) if waiting.attempt == attempt.number => Some(How::Answered),
        // It was started with the answer, and the hook was not called: the program says why.
        (Some(_), _) => None,
        // It was cut off before the hook was called again.
        (None, Some(_)) => Some(How::Answered),
        (None, None) if command_line::transcript(&begun.session_id).is_some() => Some(How::GoOn),
        // It has said nothing yet.
        (None, None) => Some(How::Begin),
    })
}

/// Until the program has ended by itself. Passes on what it printed the last time, and returns its exit code.
async fn go_on(
    folder: &Folder,
    client: &Client,
    server: &Server,
    _locked: &File,
) -> anyhow::Result<u8> {
    loop {
        // The program of a `run` that was killed may live still.
        let of_this = folder.clone();
        let free = spawn_blocking(move || of_this.lock_program().map(drop));
        free.await.context("the program cannot be waited for")??;
        let Some(how) = next(folder)? else {
            return end(folder, client).await;
        };
        let session = folder.begun()?.context("the run is gone")?.session_id;
        match how {
            How::Begin => {}
            How::Answered => wait(folder, client).await?,
            // What it had asked, it asks again under another name.
            How::GoOn => drop(client.end_session(&session).await?),
        }
        keep(folder, server).await?;
    }
}

async fn keep(folder: &Folder, server: &Server) -> anyhow::Result<()> {
    let before = folder.attempt()?.map_or(0, |it| it.number);
    let program = env::current_exe().context("this program does not know where it is")?;
    let mut keeper = Command::new(program);
    keeper
        .args(["keep-program", &folder.id(), &(before + 1).to_string()])
        .env("HANDRAISE_URL", server.address()?)
        .stdout(Stdio::null());
    let done = keeper.status().await;
    done.context("the program cannot be started")?;
    let after = folder.attempt()?.map_or(0, |it| it.number);
    ensure!(after > before, "the program could not be started");
    Ok(())
}

/// Until people have answered what it has put off. What they said, the hook sees to.
async fn wait(folder: &Folder, client: &Client) -> anyhow::Result<()> {
    let waiting = folder.waiting()?.unwrap_or_default();
    let Some(Asked { id: Some(id), .. }) = waiting.asked.last() else {
        bail!(
            "the run {} waits for something that was not asked",
            folder.id()
        );
    };
    let begun: crate::client::Interaction = client.get(&format!("interactions/{id}")).await?;
    if begun.is_pending() {
        say(&format!(
            "Claude Code has ended until people answer at {}",
            begun.dashboard_url
        ));
    }
    client.wait(id).await.map(drop)
}

async fn end(folder: &Folder, client: &Client) -> anyhow::Result<u8> {
    let ended = folder.ended()?.context("the program has not ended")?;
    let begun = folder.begun()?.context("the run is gone")?;
    let told = timeout(ENDING, client.end_session(&begun.session_id)).await;
    if let Err(error) = told.map_err(anyhow::Error::from).flatten() {
        say(&format!(
            "the server could not be told that the session has ended: {}",
            message(&error)
        ));
    }
    let mut output = File::open(folder.output()).context("the program's output is gone")?;
    let mut out = io::stdout().lock();
    let written = io::copy(&mut output, &mut out).and_then(|_| out.flush());
    written.context("the program's output cannot be written to standard output")?;
    folder.remove()?;
    Ok(ended.code)
}

async fn is_new_enough(program: &[String]) -> anyhow::Result<()> {
    let shown = &program[0];
    let mut command = Command::new(shown);
    command
        .args(&program[1..])
        .arg("--version")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    let said = timeout(SAYING_VERSION, command.output()).await;
    let said = said.with_context(|| format!("`{shown} --version` does not end"))?;
    let said = said.with_context(|| format!("cannot start {shown:?}"))?;
    command_line::is_new_enough(&String::from_utf8_lossy(&said.stdout), shown)
}
