//! `cargo xtask run`: a server to try, with a token and a question ready to paste.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::workspace::Workspace;
use crate::{build, command};

const AGENT: &str = "try-it";

pub(crate) fn run(workspace: &Workspace, release: bool, arguments: &[OsString]) -> Result<()> {
    let program = build::program(workspace, !release)?;
    let token = agent_token(workspace, &program, arguments)?;
    let address = setting(arguments, "--addr", "HANDRAISE_ADDR")
        .unwrap_or_else(|| "127.0.0.1:3000".to_owned());
    println!("{}", instructions(&reachable(&address), &token));

    let mut serve = Command::new(program);
    serve.arg("serve").args(arguments);
    become_program(serve)
}

/// The setting `handraise serve` will use, as far as flags and the environment tell.
fn setting(arguments: &[OsString], flag: &str, variable: &str) -> Option<String> {
    passed(arguments, flag).or_else(|| env::var(variable).ok())
}

/// The value of a flag, in either spelling.
fn passed(arguments: &[OsString], flag: &str) -> Option<String> {
    let mut arguments = arguments.iter().filter_map(|argument| argument.to_str());
    while let Some(argument) = arguments.next() {
        if argument == flag {
            return arguments.next().map(str::to_owned);
        }
        let rest = argument.strip_prefix(flag);
        if let Some(value) = rest.and_then(|rest| rest.strip_prefix('=')) {
            return Some(value.to_owned());
        }
    }
    None
}

/// Makes a token, or takes the one of the last run if it was for the same database.
fn agent_token(workspace: &Workspace, program: &Path, arguments: &[OsString]) -> Result<String> {
    let memory = workspace.root.join("target/try-it.token");
    let database = database(arguments)?;
    if let Some(database) = &database
        && let Some(token) = remembered(&memory, database)
    {
        return Ok(token);
    }

    let mut create = Command::new(program);
    create.args(["token", "create", "--kind", "agent", "--name", AGENT]);
    for flag in ["--config", "--database"] {
        if let Some(value) = passed(arguments, flag) {
            create.args([flag, &value]);
        }
    }
    let token = command::read(&mut create)?;
    if let Some(database) = database {
        fs::write(&memory, format!("{token}\n{database}\n"))
            .with_context(|| format!("writing {}", memory.display()))?;
    }
    Ok(token)
}

/// The database the server will use: a path for SQLite, else the URL. Nothing is known of one that
/// only a configuration file names.
fn database(arguments: &[OsString]) -> Result<Option<String>> {
    let url = match setting(arguments, "--database", "HANDRAISE_DATABASE_URL") {
        Some(url) => url,
        None if passed(arguments, "--config").is_some() => return Ok(None),
        None => "sqlite://handraise.db".to_owned(),
    };
    Ok(Some(match sqlite_file(&url)? {
        Some(file) => file.display().to_string(),
        None => url,
    }))
}

/// The token of the last run, if it was made in this database and the database is still the same.
fn remembered(memory: &Path, database: &str) -> Option<String> {
    let text = fs::read_to_string(memory).ok()?;
    let (token, of) = text.trim_end().split_once('\n')?;
    let usable =
        of == database && (database.contains("://") || is_older(database.as_ref(), memory));
    usable.then(|| token.to_owned())
}

/// The file behind a `sqlite:` URL. Relative ones are relative to where the command was started.
fn sqlite_file(database: &str) -> Result<Option<PathBuf>> {
    let Some(rest) = database.strip_prefix("sqlite:") else {
        return Ok(None);
    };
    let rest = rest.strip_prefix("//").unwrap_or(rest);
    let path = rest.split('?').next().unwrap_or(rest);
    Ok(Some(env::current_dir()?.join(path)))
}

/// Whether the database existed when the token was written down; a newer one does not know it.
fn is_older(database: &Path, memory: &Path) -> bool {
    let Ok(about) = fs::metadata(database) else {
        return false;
    };
    let written = fs::metadata(memory).and_then(|memory| memory.modified());
    match (about.created(), written) {
        (Ok(created), Ok(written)) => created <= written,
        // Not every file system tells when a file was created.
        _ => true,
    }
}

/// An address to connect to, for one that says where to listen.
fn reachable(address: &str) -> String {
    address
        .replace("0.0.0.0:", "127.0.0.1:")
        .replace("[::]:", "[::1]:")
}

fn instructions(address: &str, token: &str) -> String {
    let interactions = format!("http://{address}/api/v1/interactions");
    format!(
        r#"
Token of the agent "{AGENT}": {token}

Ask a question, from another terminal. This waits for the answer and prints it:

  url={interactions} auth='Authorization: Bearer {token}'
  asked=$(curl -s "$url" -H "$auth" -H 'Content-Type: application/json' \
    -d '{{"kind": "question", "mode": "sync", "prompt": "What latency target should I optimise for?"}}')
  id=$(printf %s "$asked" | grep -o '"id":"[^"]*"' | head -n 1 | cut -d '"' -f 4)
  until answer=$(curl -sf -X POST "$url/$id/collect" -H "$auth"); do
    curl -sf "$url/$id" -H "$auth" -H 'Prefer: wait=60' -o /dev/null || {{ answer=$asked; break; }}
  done
  printf '%s\n' "$answer" | grep -o '"text":"[^"]*"' || printf '%s\n' "$answer"
"#
    )
}

/// Hands this process over to the program, so that Ctrl-C and the exit code are the program's own.
#[cfg(unix)]
fn become_program(mut command: Command) -> Result<()> {
    let error = std::os::unix::process::CommandExt::exec(&mut command);
    Err(error).with_context(|| format!("cannot start {}", command.get_program().display()))
}

#[cfg(not(unix))]
fn become_program(mut command: Command) -> Result<()> {
    let status = command.status()?;
    std::process::exit(status.code().unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read_in_both_spellings() {
        let arguments = ["--addr", "0.0.0.0:4000", "--database=sqlite://a.db"].map(OsString::from);
        let addr = passed(&arguments, "--addr").unwrap();
        assert_eq!(reachable(&addr), "127.0.0.1:4000");
        let database = passed(&arguments, "--database").unwrap();
        assert_eq!(database, "sqlite://a.db");
        assert_eq!(passed(&arguments, "--config"), None);
    }

    #[test]
    fn the_database_file_is_found_in_its_url() {
        let here = env::current_dir().unwrap();
        let file = |url| sqlite_file(url).unwrap();
        assert_eq!(file("sqlite://a.db?mode=rwc"), Some(here.join("a.db")));
        assert_eq!(file("sqlite:///srv/a.db"), Some("/srv/a.db".into()));
        assert_eq!(file("sqlite:a.db"), Some(here.join("a.db")));
        assert_eq!(file("postgres://db/handraise"), None);
    }
}
