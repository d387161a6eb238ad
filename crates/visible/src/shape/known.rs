//! What a string is, by the tool, its key and what is beside it, as the tools of agents name them.

use serde_json::{Map, Value};

use super::{patch, plan, sibling};
use crate::Reader;

/// Where a string stands.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    /// The tool's folded name.
    pub(super) tool: &'a str,
    /// The folded key; empty in an array.
    pub(super) key: &'a str,
    /// The object it stands in.
    pub(super) object: Option<&'a Map<String, Value>>,
    /// Whether it follows `bash -c` in a list.
    pub(super) after_shell: bool,
}

/// What it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// Nothing we know.
    Nothing,
    /// A program in a language.
    Code(String),
    /// What a file will hold, in the language of its name.
    Written(Option<String>),
    /// A patch.
    Patch,
    /// A plan of Terraform.
    Plan,
}

const PATHS: [&str; 8] = [
    "filepath",
    "path",
    "file",
    "filename",
    "notebookpath",
    "targetfile",
    "relativepath",
    "absolutepath",
];

/// Files that people write for people, by the ends of their names.
const PROSE: [&str; 8] = ["md", "markdown", "mdx", "txt", "text", "rst", "adoc", "org"];

/// Who reads texts in a language.
pub(super) fn reader(language: Option<&str>, texts: &[&str]) -> Reader {
    match language {
        Some(language) if PROSE.contains(&language) => Reader::person(texts),
        _ => Reader::program(texts),
    }
}

/// What statements begin with.
const SQL: [&str; 22] = [
    "select", "insert", "update", "delete", "drop", "alter", "create", "with", "truncate", "grant",
    "revoke", "merge", "begin", "explain", "copy", "vacuum", "pragma", "replace", "do", "call",
    "set", "lock",
];

/// What a string is.
pub(super) fn known(text: &str, place: Place<'_>) -> Known {
    if patch::is_one(text) {
        return Known::Patch;
    }
    if plan::is_one(text) {
        return Known::Plan;
    }
    if place.after_shell {
        return Known::Code("bash".to_owned());
    }
    match place.key {
        "command" | "cmd" | "commandline" | "shellcommand" | "bash" | "shell" => {
            Known::Code(shell(place.tool))
        }
        "script" | "run" | "input" if is_shell(place.tool) => Known::Code(shell(place.tool)),
        "sql" | "statement" | "statements" | "ddl" | "sqlquery" => Known::Code("sql".to_owned()),
        "query" | "q" | "input" | "text" | "body" if is_sql(text) => Known::Code("sql".to_owned()),
        "query"
            if ["query ", "mutation ", "subscription "]
                .iter()
                .any(|start| text.starts_with(start)) =>
        {
            Known::Code("graphql".to_owned())
        }
        "code" | "source" | "program" | "script" | "newsource" | "expression" => {
            match language(place) {
                Some(language) => Known::Code(language),
                None => by_first_line(text),
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
                Some(language) => Known::Code(language),
                None => Known::Nothing,
            }
        }
        _ if place.tool.contains("sql") && is_sql(text) => Known::Code("sql".to_owned()),
        _ => by_first_line(text),
    }
}

/// The language of what stands at a place, by what stands beside it.
pub(super) fn language(place: Place<'_>) -> Option<String> {
    let named = place
        .object
        .and_then(|object| sibling(object, &["language", "lang", "kernel", "runtime"]));
    if let Some(named) = named {
        return Some(named.to_lowercase());
    }
    if let Some(path) = path(place) {
        let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let end = file.rsplit_once('.').map_or(file, |(_, end)| end);
        return Some(end.to_owned()).filter(|end| !end.is_empty());
    }
    [
        ("python", "py"),
        ("node", "js"),
        ("javascript", "js"),
        ("ruby", "rb"),
        ("sql", "sql"),
    ]
    .into_iter()
    .find(|(tool, _)| place.tool.contains(tool))
    .map(|(_, language)| language.to_owned())
}

fn path<'a>(place: Place<'a>) -> Option<&'a str> {
    place.object.and_then(|object| sibling(object, &PATHS))
}

fn by_first_line(text: &str) -> Known {
    let first = text.lines().next().unwrap_or_default();
    if !first.starts_with("#!") || !text.contains('\n') {
        return Known::Nothing;
    }
    let interpreters = [
        ("python", "py"),
        ("node", "js"),
        ("ruby", "rb"),
        ("sh", "bash"),
    ];
    interpreters
        .iter()
        .find(|(name, _)| first.contains(name))
        .map_or(Known::Nothing, |(_, language)| {
            Known::Code((*language).to_owned())
        })
}

/// Whether a list begins as a call of a shell does: its next item is a script.
pub(super) fn calls_a_shell(before: &[Value]) -> bool {
    let [.., program, flags] = before else {
        return false;
    };
    let (Some(program), Some(flags)) = (program.as_str(), flags.as_str()) else {
        return false;
    };
    let program = program.rsplit('/').next().unwrap_or(program);
    matches!(program, "bash" | "sh" | "zsh" | "dash" | "ksh" | "ash")
        && flags.starts_with('-')
        && flags.contains('c')
}

fn is_shell(tool: &str) -> bool {
    [
        "bash",
        "shell",
        "terminal",
        "exec",
        "command",
        "powershell",
        "run",
    ]
    .iter()
    .any(|word| tool.contains(word))
}

fn shell(tool: &str) -> String {
    let windows = tool.contains("powershell") || tool.contains("pwsh");
    if windows { "powershell" } else { "bash" }.to_owned()
}

fn is_sql(text: &str) -> bool {
    let code = text.lines().map(str::trim_start);
    let mut code = code.filter(|line| !line.is_empty() && !line.starts_with("--"));
    let Some(line) = code.next() else {
        return false;
    };
    let word: String = line.chars().take_while(char::is_ascii_alphabetic).collect();
    let word = word.to_lowercase();
    // A word alone may begin a sentence.
    SQL.contains(&word.as_str()) && (text.contains('\n') || has_second_word(&word, line))
}

fn has_second_word(first: &str, line: &str) -> bool {
    let line = line.to_lowercase();
    let has = |word: &str| {
        line.split(|c: char| !c.is_alphanumeric())
            .any(|it| it == word)
    };
    match first {
        "select" | "delete" => has("from"),
        "with" | "explain" => has("select"),
        "insert" | "merge" | "replace" => has("into"),
        "update" => has("set"),
        "drop" | "alter" | "create" | "truncate" => {
            [
                "table", "index", "view", "database", "schema", "user", "role", "column",
                "function", "type",
            ]
            .iter()
            .any(|word| has(word))
                || first == "truncate"
        }
        "grant" | "revoke" => has("on") || has("to") || has("from"),
        _ => line.trim_end().ends_with(';'),
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
            after_shell: false,
        };
        known(text, place)
    }

    #[test]
    fn tools_of_agents_are_known() {
        let code = |language: &str| Known::Code(language.to_owned());
        for (tool, key, object, expected) in [
            ("Bash", "command", json!({"command": "ls"}), code("bash")),
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
}
