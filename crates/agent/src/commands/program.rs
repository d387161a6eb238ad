//! `handraise ask --report -- COMMAND`: runs the approved command, and reports the result.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf, is_separator},
    process::{Command, ExitCode, ExitStatus},
    time::Duration,
};

use anyhow::{Context, bail, ensure};
use domain::{
    interaction::{Action, Kind, ReportOutcome},
    json::AnyJson,
};
use serde_json::{Map, Value, json};
use tokio::time::timeout;

use super::{
    files::{self, Named},
    put, say,
};
use crate::client::Client;

/// The name that a person sees as the tool.
const TOOL: &str = "exec";
/// How long the server may take to hear the result.
const REPORTING: Duration = Duration::from_secs(60);

/// A command with its arguments, as it will be run: no shell reads it again.
pub(super) struct Program {
    argv: Vec<String>,
    by: By,
    folder: PathBuf,
    /// Those that it names, when it was asked about.
    files: Named,
}

/// The rule by which a command's first word leads to a program.
enum By {
    /// It is a path.
    Path,
    /// PATH has led to this file.
    Search(String),
    /// PATH will lead to some file.
    System,
}

impl Program {
    /// In the folder that this program was started in.
    pub(super) fn here(argv: Vec<String>) -> anyhow::Result<Self> {
        let folder = env::current_dir().context("the working directory is gone")?;
        folder.to_str().context(
            "the name of the working directory is no UTF-8, so people could not be shown it",
        )?;
        let by = By::of(&folder, &argv, env::var_os("PATH"))?;
        Ok(Self {
            files: by.files(&folder, &argv),
            argv,
            by,
            folder,
        })
    }

    /// The action that people approve.
    fn action(&self) -> Action {
        let arguments = json!({ "argv": self.argv, "cwd": self.folder });
        Action {
            tool: TOOL.to_owned(),
            arguments: AnyJson(arguments),
            operands: self.files.operands.clone(),
            attachments: Vec::new(),
        }
    }

    /// Makes a request the one to run it.
    pub(super) fn describe(&self, body: &mut Map<String, Value>) -> anyhow::Result<()> {
        let prompt = body["prompt"].as_str().unwrap_or_default();
        let prompt = format!("{prompt}{}", self.by.told(&self.argv));
        let prompt = self.files.told_after(&prompt)?;
        put(body, "prompt", Some(prompt));
        put(body, "kind", Some(Kind::Approval.name()));
        put(body, "action", Some(serde_json::to_value(self.action())?));
        Ok(())
    }

    /// Whether it would still do the act asked about.
    pub(super) fn unchanged(&self) -> anyhow::Result<()> {
        // It runs where this program is, and that folder may bear another name by now, or none.
        let here = env::current_dir().context("the working directory is gone")?;
        ensure!(
            here == self.folder,
            "the working directory was {} and is {}, so it must not run",
            self.folder.display(),
            here.display()
        );
        let now = self.by.files(&self.folder, &self.argv);
        match now.differs_from(&self.files) {
            Some(name) => bail!("{name} has changed since it was approved, so it must not run"),
            None => Ok(()),
        }
    }

    /// Runs it, if it is unchanged, and ends as it does.
    pub(super) async fn run(
        &self,
        unchanged: anyhow::Result<()>,
        id: &str,
        client: &Client,
    ) -> anyhow::Result<ExitCode> {
        let ended = unchanged.and_then(|()| self.execute());
        let (outcome, text) = match &ended {
            Ok(status) if status.success() => (ReportOutcome::Done, None),
            Ok(status) => (
                ReportOutcome::Failed,
                Some(format!("it ended with {status}")),
            ),
            Err(why) => (ReportOutcome::Failed, Some(format!("{why:#}"))),
        };
        let body: Value = json!({ "outcome": outcome, "text": text });
        // It has run, even if the server does not hear of it.
        match timeout(REPORTING, client.report(id, &body)).await {
            Ok(Ok(_)) => {}
            Ok(Err(why)) => say(&format!("what came of it is not reported: {why:#}")),
            Err(_) => say("what came of it is not reported: there is no answer from the server"),
        }
        let code = ended?.code().and_then(|code| u8::try_from(code).ok());
        Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
    }

    fn execute(&self) -> anyhow::Result<ExitStatus> {
        let Some((program, arguments)) = self.argv.split_first() else {
            bail!("there is no command");
        };
        // In the folder where this program is already: to go there by its name may lead elsewhere.
        let status = self.by.command(program).args(arguments).status();
        status.with_context(|| format!("{program} cannot be run"))
    }
}

impl By {
    /// By this value of PATH. What people approve is the file that it leads to now.
    fn of(folder: &Path, argv: &[String], path: Option<OsString>) -> anyhow::Result<Self> {
        let name = argv.first().context("there is no command")?;
        if name.chars().any(is_separator) {
            return Ok(Self::Path);
        }
        if !cfg!(unix) {
            return Ok(Self::System);
        }
        let path = path.unwrap_or_default();
        let mut files = env::split_paths(&path).map(|it| folder.join(it).join(name));
        let found = files.find(|it| is_program(it));
        let found = found.with_context(|| format!("PATH leads to no program {name:?}"))?;
        let found = found.into_os_string().into_string().ok();
        let found = found.with_context(|| {
            format!(
                "the place of the program {name:?} is no UTF-8, so people could not be shown it"
            )
        })?;
        Ok(Self::Search(found))
    }

    /// The files that a command names, as they are now.
    fn files(&self, folder: &Path, argv: &[String]) -> Named {
        let arguments = argv.get(1..).unwrap_or_default();
        match self {
            Self::Path => files::of_arguments(folder, argv),
            Self::Search(program) => files::of_program(folder, Some(program), arguments),
            Self::System => files::of_program(folder, None, arguments),
        }
    }

    /// For people, who see a name alone otherwise.
    fn told(&self, argv: &[String]) -> String {
        let name = argv
            .first()
            .map_or_else(String::new, |it| it.replace('`', "'"));
        match self {
            Self::Path => String::new(),
            Self::Search(program) => {
                let program = program.replace('`', "'");
                format!("\n\n`{name}` is `{program}`, which PATH leads to.")
            }
            Self::System => {
                format!("\n\nPATH decides which program `{name}` is, and it was not looked into.")
            }
        }
    }

    /// That runs the file that was found, whatever PATH leads to by then, under the name that was given.
    fn command(&self, name: &str) -> Command {
        match self {
            Self::Path | Self::System => Command::new(name),
            Self::Search(program) => {
                let mut command = Command::new(program);
                #[cfg(unix)]
                std::os::unix::process::CommandExt::arg0(&mut command, name);
                command
            }
        }
    }
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use rustix::fs::{Access, access};
    file.is_file() && access(file, Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn program(folder: PathBuf, argv: &[&str]) -> Program {
        let argv: Vec<String> = argv.iter().map(|&it| it.to_owned()).collect();
        let by = By::of(&folder, &argv, env::var_os("PATH")).unwrap();
        Program {
            files: by.files(&folder, &argv),
            argv,
            by,
            folder,
        }
    }

    #[test]
    fn a_command_runs_where_this_program_is_or_not_at_all() {
        let here = env::current_dir().unwrap();
        program(here, &["true"]).unchanged().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let refused = program(elsewhere.path().to_owned(), &["true"]).unchanged();
        let refused = refused.unwrap_err().to_string();
        assert!(
            refused.starts_with("the working directory was "),
            "{refused}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_command_does_not_go_to_its_folder_by_name() {
        let elsewhere = tempfile::tempdir().unwrap();
        let out = elsewhere.path().join("out");
        let script = format!("pwd -P > '{}'", out.display());
        let program = program(elsewhere.path().to_owned(), &["sh", "-c", &script]);
        assert!(program.execute().unwrap().success());
        let ran = PathBuf::from(fs::read_to_string(out).unwrap().trim());
        let here = fs::canonicalize(env::current_dir().unwrap()).unwrap();
        assert_eq!(ran, here);
    }

    #[test]
    fn what_cannot_be_told_is_not_asked() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a\tb.sh"), "").unwrap();
        let mut body = Map::new();
        put(&mut body, "prompt", Some("May it?"));
        let refused = program(folder.path().to_owned(), &["sh", "a\tb.sh"]).describe(&mut body);
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("\"a\\tb.sh\""), "{refused}");
    }
}
