//! Which language a program is in: by its tool, by the fields beside it, and by its first line.

use super::{known::Place, sibling};
use crate::Reader;

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

/// The reader of texts in a language.
pub(super) fn reader(language: Option<&str>, texts: &[&str]) -> Reader {
    match language {
        Some(language) if PROSE.contains(&language) => Reader::person(texts),
        _ => Reader::program(),
    }
}

/// The language of the text at a place, by the fields beside it; none where they do not say the same.
pub(super) fn language(place: Place<'_>) -> Option<String> {
    let named = named(place).map(str::to_lowercase);
    let path = path(place).and_then(|path| {
        let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let end = file.rsplit_once('.').map_or(file, |(_, end)| end);
        Some(end.to_owned()).filter(|end| !end.is_empty())
    });
    let own = own(place.tool).map(str::to_owned);
    let mut said = [named, path, own].into_iter().flatten();
    let first = said.next()?;
    said.all(|other| family(&other) == family(&first))
        .then_some(first)
}

/// Whether a language is named beside a place.
pub(super) fn is_named(place: Place<'_>) -> bool {
    named(place).is_some()
}

fn named<'a>(place: Place<'a>) -> Option<&'a str> {
    let object = place.object?;
    sibling(object, &["language", "lang", "kernel", "runtime"])
}

/// Whether a tool may run this language: it has none of its own, or this one.
pub(super) fn may_be(tool: &str, language: &str) -> bool {
    own(tool).is_none_or(|own| family(own) == family(language))
}

/// The language that a tool says in its name.
fn own(tool: &str) -> Option<&'static str> {
    let languages = [
        ("python", "py"),
        ("node", "js"),
        ("javascript", "js"),
        ("ruby", "rb"),
        ("sql", "sql"),
        ("postgres", "sql"),
        ("powershell", "powershell"),
        ("pwsh", "powershell"),
        ("bash", "bash"),
        ("shell", "bash"),
    ];
    let found = languages.into_iter().find(|(word, _)| tool.contains(word));
    found.map(|(_, language)| language)
}

/// One name for a language that is called in several ways, and has the same comments.
fn family(language: &str) -> &str {
    match language {
        "py" | "python" | "python3" | "ipython" | "ipynb" => "py",
        "js" | "javascript" | "node" | "nodejs" | "mjs" | "cjs" | "jsx" | "ts" | "typescript"
        | "tsx" => "js",
        "rb" | "ruby" => "rb",
        "sql" | "postgres" | "postgresql" | "psql" | "sqlite" | "plpgsql" => "sql",
        "bash" | "sh" | "shell" | "zsh" | "ksh" | "dash" => "bash",
        "powershell" | "pwsh" | "ps1" => "powershell",
        other => other,
    }
}

/// The file that is named beside a place.
pub(super) fn path<'a>(place: Place<'a>) -> Option<&'a str> {
    place.object.and_then(|object| sibling(object, &PATHS))
}

/// The language of a script, by the program that runs it.
pub(super) fn by_first_line(text: &str) -> Option<&'static str> {
    let first = text.lines().next().unwrap_or_default();
    if !first.starts_with("#!") || !text.contains('\n') {
        return None;
    }
    let interpreters = [
        ("python", "py"),
        ("node", "js"),
        ("ruby", "rb"),
        ("sh", "bash"),
    ];
    let found = interpreters.iter().find(|(name, _)| first.contains(name));
    found.map(|(_, language)| *language)
}

/// The shell that runs a tool's commands, if its name says that one does: other programs have commands too.
pub(super) fn shell(tool: &str) -> Option<&'static str> {
    const WORDS: [&str; 3] = ["bash", "shell", "terminal"];
    const NAMES: [&str; 6] = [
        "command",
        "exec",
        "execcommand",
        "executecommand",
        "run",
        "runcommand",
    ];
    if tool.contains("powershell") || tool.contains("pwsh") {
        return Some("powershell");
    }
    let says = WORDS.iter().any(|word| tool.contains(word)) || NAMES.contains(&tool);
    (says && may_be(tool, "bash")).then_some("bash")
}
