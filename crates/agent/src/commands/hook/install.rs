//! `handraise hook install`: writes the hooks into Claude Code's settings. It shows the change first, keeps everything else
//! that is there, and changes nothing that it cannot read.

use std::{
    env, fs,
    io::{self, BufRead, IsTerminal, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, bail, ensure};
use clap::{Args, Subcommand};
use domain::json::AnyJson;
use serde::Serialize;
use serde_json::{Map, Value, json, ser::PrettyFormatter};
use similar::TextDiff;

use crate::{
    commands::{message, new_key, say},
    tool_name::{self, ToolName},
};

/// The tools that change something, and those that ask people.
const TOOLS: &str = "Bash|Write|Edit|MultiEdit|NotebookEdit|mcp__.*";
const ASKS: &str = "AskUserQuestion|ExitPlanMode";
/// Claude Code gives a hook so much more time than people have: one that it kills lets the tool run.
const MORE: u32 = 60;
/// No file of settings is longer.
const LONGEST: u64 = 4 * 1024 * 1024;

#[derive(Debug, Subcommand)]
pub enum InstallCommand {
    /// Writes the hooks into the settings of Claude Code, after it has shown the change and asked.
    ///
    /// Keeps other hooks and settings, and their order. A file that is no JSON is not touched (exit code 1). A second time
    /// changes nothing.
    #[command(
        after_help = "Examples:\n  handraise hook install claude-code --user\n  handraise hook install claude-code --except 'mcp__handraise__*'\n  handraise hook install claude-code --project --uninstall --yes"
    )]
    ClaudeCode(Install),
}

#[derive(Debug, Args)]
pub struct Install {
    /// Into .claude/settings.json of this folder, which is the default
    #[arg(long, conflicts_with = "user")]
    project: bool,
    /// Into ~/.claude/settings.json, for every project
    #[arg(long)]
    user: bool,
    /// Takes the hooks out again
    #[arg(long)]
    uninstall: bool,
    /// Does not ask
    #[arg(long)]
    yes: bool,
    /// How many seconds people have
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    timeout: u32,
    /// Tools that need no approval of the hook, such as those that ask people themselves
    #[arg(long, value_delimiter = ',', value_name = "NAME,...", value_parser = tool_name::excepted)]
    except: Vec<ToolName>,
}

impl InstallCommand {
    pub(super) fn run(self) -> ExitCode {
        let Self::ClaudeCode(command) = self;
        match command.write() {
            Ok(()) => ExitCode::SUCCESS,
            Err(fault) => {
                say(&message(&fault));
                ExitCode::FAILURE
            }
        }
    }
}

impl Install {
    fn write(self) -> anyhow::Result<()> {
        let place = self.place()?;
        let old = read(&place)?;
        let new = self.changed(old.as_deref(), &place)?;
        let shown = place.display();
        if old.as_deref().unwrap_or_default() == new {
            println!("{shown} is as it should be: nothing to change");
            return Ok(());
        }
        let diff = TextDiff::from_lines(old.as_deref().unwrap_or_default(), &new);
        let diff = diff.unified_diff().to_string();
        println!("{shown}:\n{}", visible::lines(&diff));
        if !self.yes && !agreed()? {
            println!("nothing was changed");
            return Ok(());
        }
        ensure!(
            read(&place)? == old,
            "{shown} was changed meanwhile, so it is left as it is: try again"
        );
        replace(&place, &new)?;
        println!("{shown} is written; Claude Code reads it when it starts");
        Ok(())
    }

    /// The file itself: a link to it stays one.
    fn place(&self) -> anyhow::Result<PathBuf> {
        let folder = match (self.user, env::var_os("CLAUDE_CONFIG_DIR")) {
            (true, Some(folder)) if !folder.is_empty() => PathBuf::from(folder),
            (true, _) => env::home_dir()
                .context("it is not known where the home folder is")?
                .join(".claude"),
            (false, _) => PathBuf::from(".claude"),
        };
        let place = folder.join("settings.json");
        match place.is_symlink() {
            true => fs::canonicalize(&place)
                .with_context(|| format!("{} is a link that leads nowhere", place.display())),
            false => Ok(place),
        }
    }

    fn changed(&self, old: Option<&str>, place: &Path) -> anyhow::Result<String> {
        let is_none = old.is_none_or(|old| old.trim().is_empty());
        if is_none && self.uninstall {
            return Ok(old.unwrap_or_default().to_owned());
        }
        let shown = place.display();
        let before = match old {
            Some(old) if !is_none => {
                let read: AnyJson = serde_json::from_str(old).with_context(|| {
                    format!(
                        "{shown} is no JSON that can be read in one way, so it is left as it is"
                    )
                })?;
                read.0
            }
            _ => json!({}),
        };
        let mut settings = before.clone();
        self.change(&mut settings)
            .with_context(|| format!("{shown} is left as it is"))?;
        if settings == before && !is_none {
            return Ok(old.unwrap_or_default().to_owned());
        }
        written(&settings, &indent(old.unwrap_or_default()))
    }

    fn change(&self, settings: &mut Value) -> anyhow::Result<()> {
        let settings = settings.as_object_mut().context("it is no JSON object")?;
        if !settings.contains_key("hooks") {
            if self.uninstall {
                return Ok(());
            }
            settings.insert("hooks".to_owned(), json!({}));
        }
        let hooks = settings.get_mut("hooks").and_then(Value::as_object_mut);
        let hooks = hooks.context("hooks is no JSON object")?;
        let wanted = match self.uninstall {
            true => Vec::new(),
            false => wanted(self.timeout, &self.except),
        };
        for (event, groups) in hooks.iter_mut() {
            let groups = groups.as_array_mut();
            let groups = groups.with_context(|| format!("hooks.{event} is no list"))?;
            let ours = wanted.iter().filter(|(of, _)| of == event);
            put(groups, ours.map(|(_, group)| group.clone()).collect());
        }
        for (event, group) in &wanted {
            if !hooks.contains_key(*event) {
                hooks.insert((*event).to_owned(), json!([]));
            }
            if let Some(groups) = hooks.get_mut(*event).and_then(Value::as_array_mut)
                && !groups.contains(group)
            {
                groups.push(group.clone());
            }
        }
        if self.uninstall {
            hooks.retain(|_, groups| groups != &json!([]));
            if hooks.is_empty() {
                settings.shift_remove("hooks");
            }
        }
        Ok(())
    }
}

/// The groups of hooks, by event.
fn wanted(timeout: u32, except: &[ToolName]) -> Vec<(&'static str, Value)> {
    let group = |matcher: Option<&str>, command: String, timeout: u32| {
        let mut group = Map::new();
        if let Some(matcher) = matcher {
            group.insert("matcher".to_owned(), matcher.into());
        }
        let hook = json!({ "type": "command", "command": command, "timeout": timeout });
        group.insert("hooks".to_owned(), json!([hook]));
        Value::from(group)
    };
    let names: Vec<_> = except.iter().map(ToString::to_string).collect();
    let except = match names.join(",") {
        none if none.is_empty() => none,
        names => format!(" --except '{names}'"),
    };
    let decides = || format!("handraise hook claude-code --timeout {timeout}{except} || exit 2");
    // Exit code 2 would keep Claude Code from stopping.
    let tells = || format!("handraise hook claude-code{except} || exit 1");
    let asks = format!("{ASKS}|{TOOLS}");
    vec![
        ("PreToolUse", group(Some(&asks), decides(), timeout + MORE)),
        ("PermissionRequest", group(None, decides(), timeout + MORE)),
        ("PostToolUse", group(Some(TOOLS), tells(), 30)),
        ("PostToolUseFailure", group(Some(TOOLS), tells(), 30)),
        ("Notification", group(None, tells(), 30)),
        ("Stop", group(None, tells(), 30)),
        ("SessionEnd", group(None, tells(), 30)),
    ]
}

/// Puts ours in the place where ours were, and leaves every other hook where it is.
fn put(groups: &mut Vec<Value>, ours: Vec<Value>) {
    let mut ours = ours.into_iter();
    let mut kept = Vec::with_capacity(groups.len());
    for mut group in std::mem::take(groups) {
        let hooks = group.get_mut("hooks").and_then(Value::as_array_mut);
        let Some(hooks) = hooks else {
            kept.push(group);
            continue;
        };
        let before = hooks.len();
        hooks.retain(|hook| !is_ours(hook));
        let (had, has) = (hooks.len() < before, !hooks.is_empty());
        if has || !had {
            kept.push(group);
        }
        if had {
            kept.extend(ours.next());
        }
    }
    *groups = kept;
}

fn is_ours(hook: &Value) -> bool {
    let command = hook["command"].as_str();
    command.is_some_and(|it| it.contains("handraise") && it.contains(" hook claude-code"))
}

/// As the file is indented already.
fn indent(old: &str) -> String {
    let indented = old.lines().find(|line| line.starts_with([' ', '\t']));
    let indent: Option<String> =
        indented.map(|line| line.chars().take_while(|c| " \t".contains(*c)).collect());
    indent.unwrap_or_else(|| "  ".to_owned())
}

fn written(settings: &Value, indent: &str) -> anyhow::Result<String> {
    let mut out = Vec::new();
    let formatter = PrettyFormatter::with_indent(indent.as_bytes());
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, formatter);
    settings.serialize(&mut serializer)?;
    out.push(b'\n');
    Ok(String::from_utf8(out)?)
}

/// `None` where there is no file.
fn read(place: &Path) -> anyhow::Result<Option<String>> {
    let shown = place.display();
    match fs::metadata(place) {
        Ok(it) if it.len() > LONGEST => bail!("{shown} is too long to be settings"),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("cannot read {shown}")),
    }
    let text = fs::read_to_string(place);
    Ok(Some(text.with_context(|| format!("cannot read {shown}"))?))
}

/// Whole or not at all, with the rights that the file has.
fn replace(place: &Path, text: &str) -> anyhow::Result<()> {
    let shown = place.display();
    let folder = place.parent().context("the settings are in no folder")?;
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let beside = folder.join(format!(".settings.json.{}", new_key()));
    let done = (|| {
        let mut file = fs::File::create_new(&beside)?;
        if let Ok(old) = fs::metadata(place) {
            file.set_permissions(old.permissions())?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&beside, place)
    })();
    if done.is_err() {
        let _ = fs::remove_file(&beside);
    }
    done.with_context(|| format!("cannot write {shown}, so it is as it was"))
}

fn agreed() -> anyhow::Result<bool> {
    ensure!(
        io::stdin().is_terminal(),
        "there is no terminal to ask at: say --yes, and it is written"
    );
    print!("Write it? [y/N] ");
    io::stdout().flush()?;
    let mut said = String::new();
    io::stdin().lock().read_line(&mut said)?;
    Ok(["y", "yes"].contains(&said.trim().to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn install(uninstall: bool) -> Install {
        Install {
            project: true,
            user: false,
            uninstall,
            yes: true,
            timeout: 300,
            except: Vec::new(),
        }
    }

    fn changed(old: Option<&str>, uninstall: bool) -> anyhow::Result<String> {
        install(uninstall).changed(old, Path::new("settings.json"))
    }

    const OTHER: &str = "{\n\t\"zebra\": 1,\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{\n\t\t\t\t\"hooks\": [\n\t\t\t\t\t{\n\t\t\t\t\t\t\"type\": \"command\",\n\t\t\t\t\t\t\"command\": \"beep\"\n\t\t\t\t\t}\n\t\t\t\t]\n\t\t\t}\n\t\t]\n\t},\n\t\"apple\": 2\n}\n";

    #[test]
    fn what_is_there_is_kept_and_comes_back_when_the_hooks_are_taken_out() {
        let with = changed(Some(OTHER), false).unwrap();
        let read: Value = serde_json::from_str(&with).unwrap();
        let names: Vec<&String> = read.as_object().unwrap().keys().collect();
        assert_eq!(names, ["zebra", "hooks", "apple"]);
        assert_eq!(read["hooks"]["Stop"][0]["hooks"][0]["command"], "beep");
        assert!(is_ours(&read["hooks"]["Stop"][1]["hooks"][0]));
        assert_eq!(changed(Some(&with), false).unwrap(), with);
        assert_eq!(changed(Some(&with), true).unwrap(), OTHER);
        assert_eq!(changed(Some(OTHER), true).unwrap(), OTHER);
    }

    #[test]
    fn only_a_hook_that_decides_blocks_and_claude_code_gives_it_more_time_than_people_have() {
        for (event, group) in wanted(300, &[]) {
            let hook = &group["hooks"][0];
            let decides = ["PreToolUse", "PermissionRequest"].contains(&event);
            let command = hook["command"].as_str().unwrap();
            assert_eq!(command.ends_with("|| exit 2"), decides, "{event}");
            assert!(
                !decides || hook["timeout"].as_u64().unwrap() >= 310,
                "{event}"
            );
        }
    }

    #[test]
    fn exceptions_stand_in_every_hook_as_one_word() {
        let except = ["mcp__handraise__*", "Read"].map(|it| tool_name::excepted(it).unwrap());
        for (event, group) in wanted(300, &except) {
            let command = group["hooks"][0]["command"].as_str().unwrap();
            let words = " --except 'mcp__handraise__*,Read' || exit ";
            assert!(command.contains(words), "{event}: {command}");
        }
    }

    #[test]
    fn an_older_hook_of_ours_is_replaced_in_its_place() {
        let ours = json!({"type": "command", "command": "handraise hook claude-code --timeout 9 || exit 2"});
        let beep = json!({"type": "command", "command": "beep"});
        let old = json!({"hooks": {"PreToolUse": [{"hooks": [ours, beep]}, {"hooks": [ours]}, {"hooks": [beep]}]}});
        let new = changed(Some(&old.to_string()), false).unwrap();
        let new: Value = serde_json::from_str(&new).unwrap();
        let groups = new["hooks"]["PreToolUse"].as_array().unwrap();
        assert_eq!(groups.len(), 3, "{groups:?}");
        assert_eq!(groups[0]["hooks"], json!([beep]));
        assert!(is_ours(&groups[1]["hooks"][0]));
        assert_eq!(groups[2]["hooks"], json!([beep]));
    }

    #[test]
    fn settings_that_cannot_be_read_in_one_way_are_refused() {
        for broken in [
            "{",
            "[]",
            "{\"a\": 1, \"a\": 2}",
            "{\"hooks\": []}",
            "{\"hooks\": {\"Stop\": {}}}",
            "// no",
        ] {
            assert!(changed(Some(broken), false).is_err(), "{broken}");
        }
        for none in [None, Some(""), Some("\n")] {
            assert!(changed(none, false).unwrap().contains("PreToolUse"));
            assert_eq!(changed(none, true).unwrap(), none.unwrap_or_default());
        }
    }

    #[test]
    fn a_file_is_replaced_with_the_rights_it_has_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("new/settings.json");
        replace(&place, "{}\n").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&place, fs::Permissions::from_mode(0o600)).unwrap();
            replace(&place, "{ }\n").unwrap();
            assert_eq!(
                fs::metadata(&place).unwrap().permissions().mode() & 0o777,
                0o600
            );
        }
        assert_eq!(fs::read_dir(folder.path().join("new")).unwrap().count(), 1);
        assert!(read(&place).unwrap().is_some());
        assert!(read(&folder.path().join("none")).unwrap().is_none());
    }
}
