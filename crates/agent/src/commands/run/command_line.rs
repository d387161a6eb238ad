//! The command line of Claude Code: as it was said, and as the same session is gone on with.

use std::{
    env, fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
};

use anyhow::{Context, bail, ensure};
use serde_json::Value;

/// Said to a session that was cut off in its work, as Claude Code itself says it.
const GO_ON: &str = "Continue from where you left off.";
/// With these Claude Code ends at once, has no hooks, keeps no session, or chooses one by itself.
const UNFIT: [&str; 10] = [
    "-c",
    "--continue",
    "-r",
    "--resume",
    "--session-id",
    "--fork-session",
    "--no-session-persistence",
    "--bare",
    "--bg",
    "--background",
];

/// How the program is to be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// For the first time.
    Begin,
    /// With the answer to what it has put off.
    Answered,
    /// Where it was cut off.
    GoOn,
}

/// A command that can be gone on with.
#[derive(Debug)]
pub(super) struct CommandLine<'a> {
    words: &'a [String],
    /// Where `-p` stands.
    print: usize,
}

impl<'a> CommandLine<'a> {
    /// # Errors
    /// When it cannot be gone on with.
    pub(super) fn read(words: &'a [String]) -> anyhow::Result<Self> {
        let end = words.iter().position(|it| it == "--");
        let options = &words[..end.unwrap_or(words.len())];
        let print = options.iter().rposition(|it| it == "-p" || it == "--print");
        let print = print.filter(|at| *at > 0).context(
            "this runs Claude Code without a terminal: write `handraise run -- claude -p 'what to do'`",
        )?;
        for word in options {
            let name = word.split('=').next().unwrap_or(word);
            ensure!(
                !UNFIT.contains(&name),
                "{name} does not go together with `handraise run`, which begins a session of its own and goes on with it"
            );
        }
        ensure!(
            !options
                .windows(2)
                .any(|it| it[0] == "--input-format" && it[1] != "text")
                && !options
                    .iter()
                    .any(|it| it.starts_with("--input-format=") && it != "--input-format=text"),
            "only --input-format text can be gone on with: nobody is there to say the rest"
        );
        Ok(Self { words, print })
    }

    /// The program, and what stands before `-p`.
    pub(super) fn program(&self) -> &'a [String] {
        &self.words[..self.print]
    }

    /// All its words.
    pub(super) fn words(&self, how: How, session_id: &str, said: Option<&str>) -> Vec<String> {
        let mut words = self.program().to_vec();
        let rest = &self.words[self.print..];
        let session = match how {
            How::Begin => "--session-id",
            How::Answered | How::GoOn => "--resume",
        };
        words.extend([session, session_id].map(str::to_owned));
        if how == How::Begin {
            words.extend(rest.iter().cloned());
            return words;
        }
        // Said a second time, the prompt would be one more, and what was put off would never be run.
        let prompt = prompt_of(rest, said);
        let rest = rest.iter().enumerate();
        let rest = rest.filter(|(at, _)| Some(*at) != prompt);
        words.extend(rest.map(|(_, it)| it.clone()));
        if words.last().is_some_and(|it| it == "--") {
            words.pop();
        }
        if how == How::GoOn {
            words.extend(["--", GO_ON].map(str::to_owned));
        }
        words
    }
}

/// Where the prompt stands, if it is no part of standard input. `said` is the prompt as the session has it.
fn prompt_of(rest: &[String], said: Option<&str>) -> Option<usize> {
    if let Some(end) = rest.iter().position(|it| it == "--") {
        return (end + 1 < rest.len()).then_some(end + 1);
    }
    if rest.get(1).is_some_and(|it| !it.starts_with('-')) {
        return Some(1);
    }
    let said = said?;
    let is_it = |it: &&String| {
        let with = |rest: Option<&str>, edge: fn(&str) -> bool| rest.is_some_and(edge);
        !it.starts_with('-')
            && (*it == said
                || with(said.strip_prefix(&***it), |rest| rest.starts_with('\n'))
                || with(said.strip_suffix(&***it), |rest| rest.ends_with('\n')))
    };
    // Options come before it more often than after it.
    rest.iter().rposition(|it| is_it(&it))
}

/// The file in which Claude Code keeps a session, if it does.
pub(super) fn transcript(session_id: &str) -> Option<PathBuf> {
    let named = |name: &str| env::var_os(name).filter(|path| !path.is_empty());
    let config = named("CLAUDE_CONFIG_DIR").map(PathBuf::from);
    let config = config.or_else(|| Some(env::home_dir()?.join(".claude")))?;
    let file = format!("{session_id}.jsonl");
    let projects = fs::read_dir(config.join("projects")).ok()?;
    projects
        .filter_map(|project| Some(project.ok()?.path().join(&file)))
        .find(|it| it.is_file())
}

/// The first prompt of a session.
pub(super) fn said(transcript: &Path) -> anyhow::Result<Option<String>> {
    let file = fs::File::open(transcript).context("the session cannot be read")?;
    for line in BufReader::new(file).lines() {
        let line = line.context("the session cannot be read")?;
        // The last line may be a half of one.
        let line: Value = serde_json::from_str(&line).unwrap_or_default();
        if line["type"] == "queue-operation" && line["operation"] == "enqueue" {
            return Ok(line["content"].as_str().map(str::to_owned));
        }
        if line["type"] == "user" {
            return Ok(line["message"]["content"].as_str().map(str::to_owned));
        }
    }
    Ok(None)
}

/// Whether this version can put a call off.
///
/// # Errors
/// When it cannot, or is another program.
pub(super) fn is_new_enough(printed: &str, program: &str) -> anyhow::Result<()> {
    /// Older ones do not know `defer`, and run the tool.
    const FIRST: [u32; 3] = [2, 1, 89];
    let Some(version) = printed.trim().strip_suffix(" (Claude Code)") else {
        bail!(
            "`{program} --version` says {:?}, so it is no Claude Code: `handraise run` knows no other program",
            printed.trim().chars().take(100).collect::<String>()
        );
    };
    let numbers = version.split('-').next().unwrap_or_default().split('.');
    let numbers: Vec<u32> = numbers.map_while(|it| it.parse().ok()).collect();
    ensure!(
        numbers.len() == FIRST.len() && numbers[..] >= FIRST[..],
        "`{program}` is Claude Code {version}, which cannot put a call off (`defer`); update it to {}.{}.{} or newer",
        FIRST[0],
        FIRST[1],
        FIRST[2]
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        shell_words::split(line).unwrap()
    }

    fn started(line: &str, how: How, said: Option<&str>) -> String {
        let words = words(line);
        let line = CommandLine::read(&words).unwrap();
        shell_words::join(line.words(how, "S", said))
    }

    #[test]
    fn the_same_session_is_gone_on_with_and_the_prompt_is_said_once() {
        for (line, prompt, again) in [
            (
                "claude -p 'do it' --model opus",
                Some("do it"),
                "claude --resume S -p --model opus",
            ),
            (
                "claude -p --model opus 'do it'",
                Some("do it"),
                "claude --resume S -p --model opus",
            ),
            (
                "claude -p --model opus opus",
                Some("opus"),
                "claude --resume S -p --model opus",
            ),
            (
                "claude -p 'do it' --model 'do it'",
                Some("do it"),
                "claude --resume S -p --model 'do it'",
            ),
            (
                "claude --model opus --print -- '-v'",
                Some("-v"),
                "claude --model opus --resume S --print",
            ),
            // The prompt is standard input, or goes with it.
            (
                "claude -p --model opus",
                Some("do it"),
                "claude --resume S -p --model opus",
            ),
            (
                "claude -p --model opus sum",
                Some("sum\n1 2"),
                "claude --resume S -p --model opus",
            ),
            (
                "claude -p --model opus sum",
                Some("1 2\nsum"),
                "claude --resume S -p --model opus",
            ),
            ("node cli.js -p go", Some("go"), "node cli.js --resume S -p"),
        ] {
            assert_eq!(started(line, How::Answered, prompt), again, "{line}");
            let on = format!("{again} -- '{GO_ON}'");
            assert_eq!(started(line, How::GoOn, prompt), on, "{line}");
        }
        assert_eq!(
            started("claude --model opus -p go", How::Begin, None),
            "claude --model opus --session-id S -p go"
        );
    }

    #[test]
    fn what_cannot_be_gone_on_with_is_refused() {
        for line in [
            "claude",
            "claude 'do it'",
            "-p go",
            "claude -- -p",
            "claude -p go --continue",
            "claude -p go --resume=x",
            "claude --session-id x -p go",
            "claude --bare -p go",
            "claude -p --input-format stream-json",
            "claude -p --input-format=stream-json",
        ] {
            assert!(CommandLine::read(&words(line)).is_err(), "{line}");
        }
        assert!(CommandLine::read(&words("claude -p go --input-format text")).is_ok());
    }

    #[test]
    fn only_a_version_that_can_put_a_call_off_is_started() {
        for new in [
            "2.1.89 (Claude Code)\n",
            "2.1.332 (Claude Code)",
            "3.0.0-beta.1 (Claude Code)",
        ] {
            assert!(is_new_enough(new, "claude").is_ok(), "{new}");
        }
        for old in [
            "2.1.88 (Claude Code)",
            "1.0.128 (Claude Code)",
            "2.1 (Claude Code)",
            "10.8.2",
            "",
        ] {
            assert!(is_new_enough(old, "claude").is_err(), "{old}");
        }
    }
}
