//! The kind of a string, by the tool, its key and the fields beside it, as the tools of agents name
//! them.

use serde_json::{Map, Value};

use super::{
    language::{self, by_first_line, language, path, shell},
    patch, plan,
    statement::is_sql,
};

/// Where a string stands.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    /// The tool's folded name.
    pub(super) tool: &'a str,
    /// The folded key; empty in an array.
    pub(super) key: &'a str,
    /// The object it stands in.
    pub(super) object: Option<&'a Map<String, Value>>,
    /// The thing it follows, in a list.
    pub(super) follows: Follows,
}

/// The thing before an item of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Follows {
    /// Nothing we know.
    #[default]
    Nothing,
    /// `bash -c`: a script comes.
    Shell,
    /// `apply_patch`: a patch comes.
    Patcher,
}

/// The kind of a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// Nothing we know.
    Nothing,
    /// A program, and its language if there is no doubt of it.
    Code(Option<String>),
    /// The content a file will hold, in the language of its name.
    Written(Option<String>),
    /// A patch.
    Patch,
    /// A plan of Terraform.
    Plan,
}

/// The kind of a string. A tool that runs one language takes no other from the fields beside it: its program
/// would be drawn as a comment.
pub(super) fn known(text: &str, place: Place<'_>) -> Known {
    match of_place(text, place) {
        Known::Code(Some(language))
            if place.follows != Follows::Shell && !language::may_be(place.tool, &language) =>
        {
            Known::Code(None)
        }
        known => known,
    }
}

fn of_place(text: &str, place: Place<'_>) -> Known {
    let code = |language: &str| Known::Code(Some(language.to_owned()));
    // Any text that looks like one: a line of YAML begins with `-` too.
    if is_patcher(place) && patch::is_one(text) {
        return Known::Patch;
    }
    if plans(place.tool, place.key) && plan::is_one(text) {
        return Known::Plan;
    }
    if place.follows == Follows::Shell {
        return code("bash");
    }
    match place.key {
        "command" | "cmd" | "commandline" | "shellcommand" | "bash" | "shell" => {
            Known::Code(shell(place.tool).map(str::to_owned))
        }
        "script" | "run" | "input" if shell(place.tool).is_some() => {
            Known::Code(shell(place.tool).map(str::to_owned))
        }
        "sql" | "statement" | "statements" | "ddl" | "sqlquery" => code("sql"),
        "query" | "q" | "input" | "text" | "body" if is_sql(text) => code("sql"),
        "query"
            if ["query ", "mutation ", "subscription "]
                .iter()
                .any(|start| text.starts_with(start)) =>
        {
            code("graphql")
        }
        "code" | "source" | "program" | "script" | "newsource" | "expression" => {
            match language(place) {
                Some(language) => Known::Code(Some(language)),
                None if language::is_named(place) => Known::Code(None),
                None => shebang(text),
            }
        }
        "content" | "contents" | "filetext" | "text" | "data" | "newcontent" | "newcontents"
            if path(place).is_some() =>
        {
            let language = language(place);
            let writes = ["write", "create", "save", "put", "append", "add", "new"];
            match language {
                _ if writes.iter().any(|word| place.tool.contains(word)) => {
                    Known::Written(language)
                }
                Some(language) => Known::Code(Some(language)),
                None => Known::Nothing,
            }
        }
        _ if place.tool.contains("sql") && is_sql(text) => code("sql"),
        _ => shebang(text),
    }
}

fn shebang(text: &str) -> Known {
    by_first_line(text).map_or(Known::Nothing, |language| {
        Known::Code(Some(language.to_owned()))
    })
}

/// Whether the tool, or the key, says that a patch comes.
fn is_patcher(place: Place<'_>) -> bool {
    let says = |name: &str| {
        let name = name.replace("dispatch", "");
        name.contains("patch") || name.starts_with("diff") || name.ends_with("diff")
    };
    place.follows == Follows::Patcher || says(place.tool) || says(place.key)
}

/// Whether the tool, or the key, says that a plan of Terraform comes.
pub(super) fn plans(tool: &str, key: &str) -> bool {
    let says = |name: &str| name.starts_with("plan") || name.ends_with("plan");
    let is_for_plans = ["terraform", "tofu", "terragrunt", "tfplan"];
    let names = |name: &str| says(name) || is_for_plans.iter().any(|word| name.contains(word));
    names(tool) || names(key)
}

/// The thing that the next item follows, in a list that begins so.
pub(super) fn follows(before: &[Value]) -> Follows {
    if let [.., program] = before
        && matches!(program.as_str(), Some("apply_patch" | "applypatch"))
    {
        return Follows::Patcher;
    }
    let [.., program, flags] = before else {
        return Follows::Nothing;
    };
    let (Some(program), Some(flags)) = (program.as_str(), flags.as_str()) else {
        return Follows::Nothing;
    };
    let program = program.rsplit('/').next().unwrap_or(program);
    let is_shell = matches!(program, "bash" | "sh" | "zsh" | "dash" | "ksh" | "ash");
    match is_shell && flags.starts_with('-') && flags.contains('c') {
        true => Follows::Shell,
        false => Follows::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::shape::folded;

    fn of(tool: &str, key: &str, object: Value) -> Known {
        let object = object.as_object().unwrap();
        let text = object[key].as_str().unwrap();
        let place = Place {
            tool: &folded(tool),
            key: &folded(key),
            object: Some(object),
            follows: Follows::Nothing,
        };
        known(text, place)
    }

    #[test]
    fn tools_of_agents_are_known() {
        let code = |language: &str| Known::Code(Some(language.to_owned()));
        for (tool, key, object, expected) in [
            ("Bash", "command", json!({"command": "ls"}), code("bash")),
            (
                "run_terminal_cmd",
                "command",
                json!({"command": "ls"}),
                code("bash"),
            ),
            (
                "redis",
                "command",
                json!({"command": "EVAL"}),
                Known::Code(None),
            ),
            (
                "execute_js",
                "cmd",
                json!({"cmd": "--i"}),
                Known::Code(None),
            ),
            (
                "mcp__db__run_sql",
                "q",
                json!({"q": "DROP TABLE a CASCADE"}),
                code("sql"),
            ),
            (
                "search",
                "query",
                json!({"query": "select a good name"}),
                Known::Nothing,
            ),
            (
                "postgres",
                "query",
                json!({"query": "-- why\nDELETE FROM a"}),
                code("sql"),
            ),
            (
                "Write",
                "content",
                json!({"file_path": "a/b.rs", "content": "fn"}),
                Known::Written(Some("rs".to_owned())),
            ),
            (
                "execute",
                "code",
                json!({"language": "Python", "code": "1"}),
                code("python"),
            ),
            (
                "apply_patch",
                "input",
                json!({"input": "*** Begin Patch\n*** End Patch"}),
                Known::Patch,
            ),
            (
                "note",
                "words",
                json!({"words": "#!/usr/bin/env python3\nprint()"}),
                code("py"),
            ),
        ] {
            assert_eq!(of(tool, key, object), expected, "{tool}");
        }
    }

    #[test]
    fn a_patch_is_drawn_only_where_the_tool_or_the_key_says_so() {
        let patch = "steps:\n- run: rm\ndiff --git a b\n";
        for (tool, key, is_patch) in [
            ("apply_patch", "input", true),
            ("edit", "patch", true),
            ("git_apply", "unified_diff", true),
            ("Write", "content", false),
            ("workflow_dispatch", "inputs", false),
            ("Bash", "command", false),
        ] {
            let mut object = json!({"file_path": "ci.yaml"});
            object[key] = patch.into();
            let found = of(tool, key, object);
            assert_eq!(found == Known::Patch, is_patch, "{tool} {key}");
        }
        let call = [json!("apply_patch")];
        assert_eq!(follows(&call), Follows::Patcher);
    }

    #[test]
    fn a_plan_is_drawn_only_where_the_tool_or_the_key_says_so() {
        let text = "  # a.b will be destroyed\n  - gone\n";
        for (tool, key, is_plan) in [
            ("terraform_apply", "text", true),
            ("approve", "plan", true),
            ("Write", "content", false),
            ("explain", "words", false),
        ] {
            let found = of(tool, key, json!({"file_path": "a.txt", key: text}));
            assert_eq!(found == Known::Plan, is_plan, "{tool} {key}");
        }
    }

    #[test]
    fn a_language_that_is_not_the_tools_own_colours_nothing() {
        let code = |language: &str| Known::Code(Some(language.to_owned()));
        for (tool, object, expected) in [
            (
                "python",
                json!({"language": "sql", "code": "x = 1 --rm()"}),
                Known::Code(None),
            ),
            (
                "python",
                json!({"language": "Python3", "code": "x"}),
                code("python3"),
            ),
            (
                "execute",
                json!({"language": "sql", "file": "a.py", "code": "x"}),
                Known::Code(None),
            ),
            (
                "execute",
                json!({"language": "sql", "code": "x"}),
                code("sql"),
            ),
            ("run_python", json!({"code": "#!/bin/sh\nx"}), code("py")),
        ] {
            assert_eq!(of(tool, "code", object.clone()), expected, "{object}");
        }
        let command = json!({"command": "x = 1 # y"});
        assert_eq!(of("python", "command", command), Known::Code(None));
        let query = json!({"input": "select a from b -- c"});
        assert_eq!(of("node_eval", "input", query), Known::Code(None));
    }
}
