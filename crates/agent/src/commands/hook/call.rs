//! Claude Code's message on standard input, as far as it matters, and the approval that is made of it.

use std::{
    env,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail, ensure};
use domain::{
    interaction::{Action, ReportOutcome},
    json::AnyJson,
    limits,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::difference::Difference;
use crate::commands::{
    files::{self, Named},
    new_key,
};

/// How every run's name begins.
const RUN: &str = "claude-code ";
/// How long a key is.
const KEY_CHARS: usize = 36;
/// How much of a call's id has room in a run's name.
const RUN_ID_CHARS: usize = limits::RUN_CHARS - RUN.len() - " ".len() - KEY_CHARS;

/// One call of a tool.
#[derive(Debug, Deserialize)]
pub(super) struct Call {
    pub(super) hook_event_name: String,
    pub(super) tool_name: String,
    pub(super) tool_input: AnyJson,
    pub(super) session_id: Option<String>,
    pub(super) cwd: Option<String>,
    tool_use_id: Option<String>,
    /// Where the session is written down.
    pub(super) transcript_path: Option<PathBuf>,
    pub(super) permission_mode: Option<String>,
    /// After it has failed.
    pub(super) error: Option<String>,
}

/// The message at the end of a session.
#[derive(Debug, Deserialize)]
pub(super) struct SessionEnd {
    #[expect(dead_code, reason = "it has this one value, or it is another message")]
    pub(super) hook_event_name: SessionEndName,
    pub(super) session_id: String,
}

/// The name of the event.
#[derive(Debug, Deserialize)]
pub(super) enum SessionEndName {
    SessionEnd,
}

/// When the hook is called.
pub(super) enum Event {
    /// May it run?
    Before,
    /// Claude Code would show its own dialog: may it run?
    Permission,
    /// It has run.
    After(ReportOutcome),
}

impl Call {
    pub(super) fn event(&self) -> anyhow::Result<Event> {
        Ok(match &*self.hook_event_name {
            "PreToolUse" => Event::Before,
            "PermissionRequest" => Event::Permission,
            "PostToolUse" => Event::After(ReportOutcome::Done),
            "PostToolUseFailure" => Event::After(ReportOutcome::Failed),
            other => bail!(
                "this is a hook for PreToolUse, PermissionRequest, PostToolUse, PostToolUseFailure, Notification, Stop and SessionEnd, not for {other}"
            ),
        })
    }

    /// Claude Code's id of this call, if people could read it.
    pub(super) fn tool_use_id(&self) -> Option<&str> {
        let id = self.tool_use_id.as_deref()?.trim();
        let fits = !id.is_empty() && id.len() <= 100 && id.chars().all(|c| c.is_ascii_graphic());
        fits.then_some(id)
    }

    /// A new name for the run that the approval is for. It must stay unknown before: a program that knows it could use
    /// the approval under it, and have the tool run on that.
    pub(super) fn new_run(&self) -> String {
        format!(
            "{}{}",
            self.run_prefix().unwrap_or_else(|| RUN.to_owned()),
            new_key()
        )
    }

    /// Whether a run is this call's. Another process has named it; the MCP tool `approve_tool_use` of older servers gives it no key.
    pub(super) fn is_run(&self, run: &str) -> bool {
        let with_key = |prefix: String| run.strip_prefix(&*prefix).is_some_and(is_key);
        let is_named = |id: &str| run.strip_prefix(RUN) == Some(id);
        self.run_prefix().is_some_and(with_key) || self.tool_use_id().is_some_and(is_named)
    }

    fn run_prefix(&self) -> Option<String> {
        let id = self.tool_use_id()?;
        // No character of it has several bytes.
        let id = id.get(..RUN_ID_CHARS).unwrap_or(id);
        Some(format!("{RUN}{id} "))
    }

    /// An id of another agent may be longer than ours may be.
    pub(super) fn session(&self) -> Option<&str> {
        let id = self.session_id.as_deref();
        id.filter(|id| id.chars().count() <= limits::SESSION_ID_CHARS)
    }

    /// The files that it names, as they are now.
    pub(super) fn files(&self) -> anyhow::Result<Named> {
        let folder = PathBuf::from(self.folder()?);
        let argument = |name: &str| self.tool_input.0.get(name)?.as_str();
        Ok(match &*self.tool_name {
            "Bash" if argument("command").is_some() => {
                files::of_command(&folder, argument("command").unwrap_or_default())
            }
            "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => {
                let paths = ["file_path", "notebook_path"].into_iter();
                files::of_paths(&folder, paths.filter_map(argument))
            }
            _ => files::of_texts(&folder, &texts(&self.tool_input.0)),
        })
    }

    /// What it changes in a file, as far as people can be shown it.
    pub(super) fn difference(&self) -> Option<Difference> {
        let folder = self.folder().ok()?;
        Difference::of(&self.tool_name, &self.tool_input.0, Path::new(&folder))
    }

    /// Whether it writes the plan that Claude Code keeps for itself in plan mode. People see that when it is shown to them, and
    /// in that mode Claude Code lets nothing else be written.
    pub(super) fn is_of_plan_mode(&self) -> bool {
        let is_write = ["Write", "Edit"].contains(&&*self.tool_name);
        let place = self.tool_input.0["file_path"].as_str().map(Path::new);
        // CONFIG/projects/PROJECT/SESSION.jsonl
        let config = self
            .transcript_path
            .as_deref()
            .and_then(|it| it.ancestors().nth(3));
        let (Some(place), Some(config)) = (place, config) else {
            return false;
        };
        is_write
            && self.permission_mode.as_deref() == Some("plan")
            && config.is_absolute()
            && place.parent() == Some(&config.join("plans"))
            && place.extension().is_some_and(|it| it == "md")
            && !place.is_symlink()
    }

    /// Where it would run.
    fn folder(&self) -> anyhow::Result<String> {
        if let Some(cwd) = &self.cwd {
            return Ok(cwd.clone());
        }
        let here = env::current_dir().context("it is not known where the tool would run")?;
        let here = here.to_str().map(str::to_owned);
        here.context("the name of the folder where the tool would run is not text")
    }

    /// The action about to run, its folder and these files. The same command means something else in another
    /// folder.
    pub(super) fn action(&self, files: &Named) -> anyhow::Result<Action> {
        ensure!(
            self.tool_input.0.is_object(),
            "the input of the tool is no JSON object"
        );
        let folder = self.folder()?;
        let links = files.links(Path::new(&folder));
        let mut arguments = json!({ "cwd": folder, "input": self.tool_input });
        // Who looks at a path alone, as a standing approval does, cannot see that it leads elsewhere.
        if !links.is_empty() {
            arguments["leads_to"] = json!(links);
        }
        Ok(Action {
            tool: self.tool_name.clone(),
            arguments: AnyJson(arguments),
            operands: files.operands.clone(),
            attachments: Vec::new(),
        })
    }

    /// The body of the request.
    ///
    /// # Errors
    /// When people cannot be told all that they must know.
    pub(super) fn body(
        &self,
        action: &Action,
        files: &Named,
        difference: Option<&Difference>,
        seconds: u32,
    ) -> anyhow::Result<Value> {
        let place = self.cwd.as_ref();
        let place = place.map_or_else(String::new, |cwd| format!(" in `{cwd}`"));
        let about = self.tool_input.0.get("description").and_then(Value::as_str);
        let about = about.map_or_else(String::new, |about| format!("\n\n{about}"));
        let asks = format!("May `{}` run{place}?{about}", self.tool_name);
        // Where there is no room for both, the files that are approved come first.
        let told = difference.and_then(|it| it.told(&files.operands));
        let with = told.and_then(|it| files.told_after(&format!("{asks}\n\n{it}")).ok());
        let prompt = match with {
            Some(prompt) => prompt,
            None => files.told_after(&asks)?,
        };
        let mut body = json!({
            "kind": "approval", "title": "Claude Code asks before it runs a tool",
            "prompt": prompt,
            "action": action,
        });
        self.put_in(&mut body, seconds);
        Ok(body)
    }

    /// What every question about a call says.
    pub(super) fn put_in(&self, body: &mut Value, seconds: u32) {
        body["mode"] = "sync".into();
        body["session_id"] = self.session().into();
        body["timeout_seconds"] = seconds.into();
        body["metadata"] = self
            .tool_use_id()
            .map(|id| json!({ "tool_use_id": id }))
            .into();
        body["withdraw_on_disconnect"] = self.session().is_some().into();
    }
}

fn is_key(text: &str) -> bool {
    text.len() == KEY_CHARS && text.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
}

/// Every text in a tool's input, wherever it stands: as a name too.
fn texts(input: &Value) -> Vec<&str> {
    match input {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(fields) => {
            let names = fields.keys().map(String::as_str);
            names.chain(fields.values().flat_map(texts)).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_folder_is_a_part_of_what_is_approved() {
        let call = |cwd: &str| -> Call {
            serde_json::from_value(json!({
                "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "make"}, "cwd": cwd,
            }))
            .unwrap()
        };
        let action = |cwd: &str| call(cwd).action(&Named::default()).unwrap();
        let arguments = json!({"cwd": "/srv/a", "input": {"command": "make"}});
        assert_eq!(action("/srv/a").arguments.0, arguments);
        let mut other = call("/srv/a");
        other.tool_input = AnyJson(json!("rm"));
        assert!(other.action(&Named::default()).is_err());
        assert_ne!(
            action("/srv/a").digest().unwrap(),
            action("/srv/b").digest().unwrap()
        );
    }

    fn used(id: &str) -> Call {
        serde_json::from_value(json!({
            "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}, "tool_use_id": id,
        }))
        .unwrap()
    }

    #[test]
    fn nobody_knows_a_run_before_and_another_process_finds_it() {
        let long = "x".repeat(100);
        for id in ["toolu_1", &long] {
            let run = used(id).new_run();
            assert_ne!(run, used(id).new_run());
            assert!(run.starts_with(&format!("claude-code {}", &id[..7])));
            assert!(run.chars().count() <= limits::RUN_CHARS, "{run}");
            assert!(used(id).is_run(&run), "{run}");
            assert!(!used("toolu_2").is_run(&run));
        }
        // One id may begin another.
        assert!(!used("toolu_1").is_run(&used("toolu_12").new_run()));
        assert!(!used("toolu_1").is_run("claude-code toolu_1 x"));
        assert!(used("toolu_1").is_run("claude-code toolu_1"));
        assert!(!used("").is_run(&used("").new_run()));
    }

    #[test]
    fn names_of_fields_and_what_may_be_more_than_words_count_in_any_input() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.sh"), "a").unwrap();
        let prompt = |input: Value| {
            let call: Call = serde_json::from_value(json!({
                "hook_event_name": "PreToolUse", "tool_name": "mcp__sh__exec", "tool_input": input,
                "cwd": folder.path(),
            }))
            .unwrap();
            let files = call.files().unwrap();
            let names = files.operands.iter().map(|it| it.name.clone());
            let names: Vec<String> = names.collect();
            let body = call.body(&call.action(&files).unwrap(), &files, None, 9);
            let prompt = body.unwrap()["prompt"].as_str().unwrap().to_owned();
            (names, prompt.contains("more than plain words"))
        };
        assert_eq!(
            prompt(json!({"run": {"a.sh": 1}})),
            (vec!["a.sh".to_owned()], false)
        );
        for more in [
            "x *.sh", "x?", "[x]", "$X", "`x`", "it's", "\"x\"", "a\\ b", "{a,b}",
        ] {
            assert!(prompt(json!({"cmd": more})).1, "{more}");
            assert!(prompt(json!({more: 1})).1, "{more}");
        }
    }

    #[test]
    fn only_the_plan_that_claude_code_keeps_for_itself_is_written_unasked() {
        let call = |tool: &str, path: &str, mode: &str, transcript: Value| -> Call {
            serde_json::from_value(json!({
                "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": {"file_path": path},
                "permission_mode": mode, "transcript_path": transcript,
            }))
            .unwrap()
        };
        let transcript = || json!("/home/a/.claude/projects/p/s.jsonl");
        let plan = "/home/a/.claude/plans/a-plan.md";
        for tool in ["Write", "Edit"] {
            assert!(call(tool, plan, "plan", transcript()).is_of_plan_mode());
        }
        for (tool, path, mode, transcript) in [
            ("Bash", plan, "plan", transcript()),
            ("Write", plan, "default", transcript()),
            ("Write", plan, "plan", Value::Null),
            ("Write", plan, "plan", json!("s.jsonl")),
            (
                "Write",
                "/home/a/.claude/plans/../settings.md",
                "plan",
                transcript(),
            ),
            (
                "Write",
                "/home/a/.claude/plans/x/a.md",
                "plan",
                transcript(),
            ),
            ("Write", "/home/a/.claude/plans/a.sh", "plan", transcript()),
            ("Write", "plans/a.md", "plan", transcript()),
        ] {
            assert!(
                !call(tool, path, mode, transcript).is_of_plan_mode(),
                "{tool} {path} {mode}"
            );
        }
    }

    #[test]
    fn the_files_of_a_call_are_those_that_its_tool_would_use() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.sh", "b.ipynb", "c.txt"] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        for (tool, input, expected) in [
            (
                "Bash",
                json!({"command": "sh a.sh", "description": "c.txt"}),
                &["a.sh"][..],
            ),
            (
                "Edit",
                json!({"file_path": "c.txt", "old_string": "a.sh"}),
                &["c.txt"],
            ),
            ("MultiEdit", json!({"file_path": "c.txt"}), &["c.txt"]),
            ("Write", json!({"file_path": "new", "content": "a.sh"}), &[]),
            (
                "NotebookEdit",
                json!({"notebook_path": "b.ipynb"}),
                &["b.ipynb"],
            ),
            (
                "mcp__sh__exec",
                json!({"args": [{"cmd": "bash a.sh"}]}),
                &["a.sh"],
            ),
            ("mcp__db__query", json!({"sql": "SELECT 1"}), &[]),
        ] {
            let call: Call = serde_json::from_value(json!({
                "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input,
                "cwd": folder.path(),
            }))
            .unwrap();
            let files = call.files().unwrap().operands.into_iter();
            let names: Vec<String> = files.map(|file| file.name).collect();
            assert_eq!(names, expected, "{tool}");
        }
    }
}
