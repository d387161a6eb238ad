//! What is destructive: it deletes, overwrites for good, or goes out into the world. Only a person who has seen exactly this
//! decides about it (rule 15). In doubt it is.

use serde_json::Value;

use crate::interaction::Action;

/// Words that make a command, or a tool by its name, destructive.
const WORDS: &[&str] = &[
    "abort",
    "alter",
    "apply",
    "ban",
    "cancel",
    "charge",
    "clean",
    "clear",
    "clobber",
    "dd",
    "delete",
    "deletes",
    "deploy",
    "deployment",
    "destroy",
    "disable",
    "downgrade",
    "drop",
    "erase",
    "evict",
    "fdisk",
    "filter-branch",
    "flush",
    "force",
    "gc",
    "grant",
    "halt",
    "kill",
    "killall",
    "merge",
    "migrate",
    "mkfs",
    "nuke",
    "overwrite",
    "parted",
    "pay",
    "payment",
    "pkill",
    "poweroff",
    "promote",
    "prune",
    "publish",
    "purge",
    "push",
    "reboot",
    "rebase",
    "release",
    "remove",
    "reset",
    "restart",
    "revert",
    "revoke",
    "rm",
    "rmdir",
    "rollback",
    "send",
    "shred",
    "shutdown",
    "stop",
    "transfer",
    "truncate",
    "uninstall",
    "unlink",
    "unpublish",
    "wipe",
];
/// Options that do, however the program is called.
const OPTIONS: &[&str] = &[
    "--amend",
    "--delete",
    "--destroy",
    "--discard",
    "--discard-changes",
    "--fix",
    "--force",
    "--force-with-lease",
    "--hard",
    "--in-place",
    "--no-preserve-root",
    "--no-verify",
    "--output",
    "--overwrite",
    "--prune",
    "--purge",
    "--remove",
    "--write",
    "-D",
    "-delete",
    "-fr",
    "-rf",
];
/// Of these it is one that most programs delete by, and `cargo clippy` denies lints by.
pub(super) const DENY: &str = "-D";
/// Arguments that hold commands or statements.
const COMMANDS: &[&str] = &[
    "action",
    "args",
    "argv",
    "cmd",
    "code",
    "command",
    "executable",
    "method",
    "operation",
    "program",
    "query",
    "script",
    "shell",
    "sql",
    "statement",
    "subcommand",
];

/// The same in a tool's name, wherever they stand in it: `HTTPDelete`, `bulkdelete`.
const ANYWHERE: &[&str] = &[
    "delete",
    "deploy",
    "destroy",
    "publish",
    "shutdown",
    "terminate",
    "truncate",
    "uninstall",
];

/// Why an action is destructive, if it is.
pub fn destructive(action: &Action) -> Option<String> {
    let tool = action.tool.to_lowercase();
    if let Some(word) = ANYWHERE.iter().find(|word| tool.contains(**word)) {
        return Some(format!("its tool is one to {word}"));
    }
    if let Some(word) = words_of_name(&action.tool).find(|word| is_word(word)) {
        return Some(format!("its tool is one to {word}"));
    }
    in_arguments(&action.arguments.0, 0).map(|word| format!("it says `{word}`"))
}

/// Whether a word of a command makes it destructive.
pub(super) fn is_destructive_word(word: &str) -> bool {
    if word.starts_with('-') {
        let name = word.split('=').next().unwrap_or(word);
        return OPTIONS.contains(&name) || OPTIONS.contains(&&*name.to_lowercase());
    }
    // `npm run deploy:staging`, `bin/destroy`, `db.drop`: each part counts.
    let mut parts = word.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    parts.any(|part| is_word(&part.to_lowercase()))
        // `deployProd`
        || words_of_name(word).any(|part| is_word(&part))
        || word
            .split(['-', '_'])
            .any(|part| is_word(&part.to_lowercase()))
}

/// Whether an argument of this name holds a command or a statement.
pub(crate) fn is_command_name(name: &str) -> bool {
    COMMANDS.contains(&&*name.to_lowercase())
}

fn is_word(word: &str) -> bool {
    WORDS.contains(&word)
}

/// Of a value and all in it, as far as it is a command.
fn in_arguments(value: &Value, depth: usize) -> Option<String> {
    // Deeper than any request may be nested.
    if depth > crate::limits::JSON_DEPTH {
        return Some("…".to_owned());
    }
    let Value::Object(fields) = value else {
        return match value {
            Value::Array(items) => items.iter().find_map(|item| in_arguments(item, depth + 1)),
            _ => None,
        };
    };
    // `{"command": "git", "options": ["push"]}`
    let has_command = fields.keys().any(|name| is_command_name(name));
    fields.iter().find_map(|(name, value)| match value {
        Value::String(text) if is_command_name(name) => in_command(text),
        Value::Array(items) if has_command => items.iter().find_map(|item| {
            item.as_str()
                .and_then(in_command)
                .or_else(|| in_arguments(item, depth + 1))
        }),
        other => in_arguments(other, depth + 1),
    })
}

fn in_command(text: &str) -> Option<String> {
    let find = |text: &str| {
        let mut commands = text.split(|c: char| ";|&$(){}<>`\n\r".contains(c));
        commands.find_map(|command| {
            let words = command.split(|c: char| c.is_whitespace() || "'\"\\".contains(c));
            let is_lint = denies_lints(&mut command.split_whitespace());
            let mut found = words.filter(|word| is_destructive_word(word));
            found
                .find(|word| !is_lint || *word != DENY)
                .map(str::to_owned)
        })
    };
    // Quotes part words, or stand in the middle of one: `r''m`.
    let plain = || text.replace(['\'', '"', '\\'], "");
    find(text).or_else(|| find(&plain()))
}

/// Whether a command beginning with these words takes [`DENY`] for a lint that it denies, and deletes nothing by it.
pub(super) fn denies_lints(words: &mut dyn Iterator<Item = &str>) -> bool {
    words.next() == Some("cargo") && words.next() == Some("clippy")
}

/// The words of a tool's name, in small letters: of `mcp__db__dropTable` they are `mcp`, `db`, `drop` and `table`.
fn words_of_name(name: &str) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    let mut before_is_small = false;
    for c in name.chars() {
        let begins = !c.is_alphanumeric() || (c.is_uppercase() && before_is_small);
        if begins {
            words.push(String::new());
        }
        before_is_small = c.is_lowercase() || c.is_numeric();
        if c.is_alphanumeric()
            && let Some(last) = words.last_mut()
        {
            last.extend(c.to_lowercase());
        }
    }
    words.into_iter().filter(|word| !word.is_empty())
}
