//! The keeper of a program: starts it once, and writes down how it ended. It is a process of its own, so that neither is lost
//! with `handraise run`, whose orphan it becomes then.

use std::{
    fs,
    process::{Command, ExitCode, ExitStatus},
};

use anyhow::Context;
use clap::Args;

use super::{
    command_line::{self, CommandLine, How},
    folder::{Attempt, Begun, Ended, Folder, VARIABLE},
};

/// For `handraise run` alone.
#[derive(Debug, Args)]
pub struct KeepCommand {
    id: String,
    /// The attempt that it is for.
    number: u64,
}

impl KeepCommand {
    /// Its own exit code says nothing: the file does.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let folder = Folder::named(&self.id)?;
        // As long as this process lives.
        let _lock = folder.lock_program()?;
        let (Some(begun), Some(how)) = (folder.begun()?, super::next(&folder)?) else {
            return Ok(ExitCode::SUCCESS);
        };
        let before = folder.attempt()?;
        let last = before.as_ref().map_or(0, |it| it.number);
        // Another keeper was faster: `run` was killed when it had started that one, and started again.
        if last >= self.number {
            return Ok(ExitCode::SUCCESS);
        }
        let mut command = command(&folder, &begun, how)?;
        folder.put_attempt(&Attempt {
            number: self.number,
        })?;
        let program = &begun.command[0];
        let ended = match command.status() {
            Ok(ended) => ended,
            Err(error) => {
                // It may be there tomorrow.
                folder.take_attempt_back(before.as_ref())?;
                return Err(error).with_context(|| format!("cannot start {program:?}"));
            }
        };
        folder.put_ended(&Ended {
            number: self.number,
            code: code(ended),
        })?;
        Ok(ExitCode::SUCCESS)
    }
}

fn command(folder: &Folder, begun: &Begun, how: How) -> anyhow::Result<Command> {
    let said = match (how, command_line::transcript(&begun.session_id)) {
        (How::Answered | How::GoOn, Some(place)) => command_line::said(&place)?,
        _ => None,
    };
    let line = CommandLine::read(&begun.command)?;
    let words = line.words(how, &begun.session_id, said.as_deref());
    let mut command = Command::new(&words[0]);
    command
        .args(&words[1..])
        .current_dir(&begun.folder)
        .env(VARIABLE, folder.path())
        .stdout(folder.new_output()?);
    if how != How::Begin {
        // Its prompt was read at the first time.
        command.stdin(std::process::Stdio::null());
    }
    let there = fs::metadata(&begun.folder);
    there.with_context(|| format!("{} is gone", begun.folder.display()))?;
    Ok(command)
}

/// As shells say it.
fn code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status).map(|it| it + 128);
    #[cfg(not(unix))]
    let signal = None;
    let code = status.code().or(signal).unwrap_or(1);
    u8::try_from(code).unwrap_or(1)
}
