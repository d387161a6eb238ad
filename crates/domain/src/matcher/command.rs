//! Commands that begin with approved words. A command is taken apart only if every shell would take it apart in the same
//! way: words, single spaces or more between them, and simple quotes. What follows the approved words is held short too:
//! no option that was not approved, nothing that leads out of the folder, nothing hidden.

use serde::{Deserialize, Serialize};

use super::{destructive::is_destructive_word, path};
use crate::limits;

/// A command that begins with these words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// The words it begins with, in order.
    pub begin: Vec<String>,
    /// The options that may follow them, as they were approved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// The folder that absolute paths after them have to be below; without it there may be none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<String>,
}

/// Programs that run, send or change whatever they are given: what follows them is all that matters, so of these only
/// whole commands are approved.
const CARRIERS: &[&str] = &[
    "ansible",
    "ansible-playbook",
    "at",
    "awk",
    "aws",
    "az",
    "bash",
    "batch",
    "builtin",
    "bun",
    "busybox",
    "cargo-script",
    "cd",
    "chroot",
    "cmake",
    "cmd",
    "command",
    "coproc",
    "cp",
    "crontab",
    "csh",
    "curl",
    "dash",
    "dd",
    "deno",
    "dig",
    "docker",
    "doas",
    "ed",
    "emacs",
    "env",
    "eval",
    "ex",
    "exec",
    "expect",
    "fd",
    "find",
    "fish",
    "flock",
    "gawk",
    "gcloud",
    "gdb",
    "helm",
    "ionice",
    "java",
    "ksh",
    "kubectl",
    "less",
    "ln",
    "lua",
    "make",
    "mawk",
    "more",
    "mv",
    "mysql",
    "nc",
    "ncat",
    "nice",
    "node",
    "nohup",
    "npx",
    "nsenter",
    "nslookup",
    "osascript",
    "parallel",
    "perl",
    "php",
    "pkexec",
    "podman",
    "powershell",
    "psql",
    "pwsh",
    "python",
    "rsync",
    "ruby",
    "scp",
    "script",
    "sed",
    "setsid",
    "sftp",
    "sh",
    "socat",
    "source",
    "sqlite",
    "ssh",
    "su",
    "sudo",
    "systemctl",
    "tar",
    "tcsh",
    "tee",
    "telnet",
    "terraform",
    "tmux",
    "vi",
    "vim",
    "wget",
    "xargs",
];
/// More of them, that run another program after their own options.
const MORE_CARRIERS: &[&str] = &[
    "chgrp",
    "chmod",
    "chown",
    "entr",
    "exit",
    "export",
    "gmake",
    "install",
    "nsd",
    "open",
    "pipx",
    "redis-cli",
    "screen",
    "stdbuf",
    "strace",
    "time",
    "timeout",
    "trap",
    "unshare",
    "uvx",
    "watch",
    "zsh",
];
/// Programs that only read, and for which one word is enough.
const READERS: &[&str] = &[
    "basename", "cat", "du", "file", "grep", "head", "ls", "pwd", "realpath", "rg", "stat", "tail",
    "tree", "wc", "which",
];
/// What Git can be approved to do with whatever follows: it reads, or notes what is there already.
const OF_GIT: &[&str] = &[
    "add",
    "blame",
    "commit",
    "describe",
    "diff",
    "grep",
    "log",
    "ls-files",
    "rev-parse",
    "shortlog",
    "show",
    "status",
];
/// Programs that fetch packages, and the words by which they do: a package runs what it likes.
const PACKAGERS: &[&str] = &[
    "apk", "apt", "apt-get", "brew", "cargo", "composer", "conda", "dnf", "gem", "go", "npm",
    "pacman", "pip", "pipenv", "pnpm", "poetry", "rustup", "uv", "yarn", "yum",
];
const FETCHES: &[&str] = &[
    "add", "create", "dlx", "exec", "generate", "get", "i", "in", "init", "install", "link",
    "require", "self", "tool", "up", "update", "x",
];
/// Words after which a program runs what the next word names, so that word is one of the approved.
const RUNS_THE_NEXT: &[&str] = &["run", "run-script", "task", "script", "workspace"];

/// What a word may hold besides letters and digits, outside of quotes.
const IN_WORDS: &str = "_-./:=@+,";
/// The same, inside of quotes.
const IN_QUOTES: &str = " _-./:,";

/// One word of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Word<'a> {
    text: &'a str,
    is_quoted: bool,
}

/// The words of a command, if there is but one way to read it.
fn split(command: &str) -> Option<Vec<Word<'_>>> {
    if command.len() > limits::MATCHED_BYTES {
        return None;
    }
    let mut words = Vec::new();
    let mut rest = command.trim_matches(' ');
    while let Some(first) = rest.chars().next() {
        let (word, after) = match first {
            '\'' | '"' => {
                let (text, after) = rest[1..].split_once(first)?;
                let is_fit = |c: char| c.is_ascii_alphanumeric() || IN_QUOTES.contains(c);
                // An empty one is nothing that anybody reads.
                if text.trim().is_empty() || !text.chars().all(is_fit) {
                    return None;
                }
                (text, after)
            }
            _ => {
                let end = rest.find(' ').unwrap_or(rest.len());
                let (text, after) = rest.split_at(end);
                let is_fit = |c: char| c.is_ascii_alphanumeric() || IN_WORDS.contains(c);
                if !text.chars().all(is_fit) {
                    return None;
                }
                (text, after)
            }
        };
        // A quote that ends in the middle of a word is none that everybody sees.
        if !after.is_empty() && !after.starts_with(' ') {
            return None;
        }
        words.push(Word {
            text: word,
            is_quoted: first == '\'' || first == '"',
        });
        rest = after.trim_start_matches(' ');
    }
    (!words.is_empty() && words.len() <= limits::MATCHED_WORDS).then_some(words)
}

impl Words {
    /// Whether the command certainly begins so, and nothing that follows is more than was approved.
    pub(super) fn matches(&self, command: &str) -> bool {
        let Some(words) = split(command) else {
            return false;
        };
        let (Some(begin), Some(after)) =
            (words.get(..self.begin.len()), words.get(self.begin.len()..))
        else {
            return false;
        };
        let begins = begin
            .iter()
            .zip(&self.begin)
            .all(|(word, approved)| word.text == approved && !word.is_quoted);
        begins && after.iter().all(|word| self.may_follow(word))
    }

    /// What a command names after the approved words.
    pub(super) fn names<'a>(&self, command: &'a str) -> Vec<&'a str> {
        let words = split(command).unwrap_or_default();
        let after = words.into_iter().skip(self.begin.len());
        after
            .map(|word| word.text)
            .filter(|text| !self.begin.iter().any(|approved| approved == text))
            .collect()
    }

    fn may_follow(&self, word: &Word<'_>) -> bool {
        let text = word.text;
        if is_destructive_word(text) {
            return false;
        }
        if text.starts_with('-') {
            return !word.is_quoted && self.options.iter().any(|option| option == text);
        }
        if word.is_quoted && text.contains(' ') {
            return is_prose(text);
        }
        if text.starts_with('/') {
            let below = self.below.as_deref();
            return below.is_some_and(|folder| path::is_below(text, folder));
        }
        // The folder itself, and places in it.
        text == "." || is_inside(text)
    }

    /// What is wrong with it.
    pub(super) fn faults(&self) -> Vec<(&'static str, &'static str)> {
        let mut faults = Vec::new();
        if self.begin.len() > limits::MATCHED_WORDS || self.options.len() > limits::MATCHED_WORDS {
            faults.push(("begin", "has too many words"));
        }
        let is_word = |text: &String| {
            let split = split(text);
            split.is_some_and(
                |words| matches!(&*words, [word] if word.text == text && !word.is_quoted),
            )
        };
        if !self.begin.iter().all(is_word) {
            faults.push(("begin", "must be single plain words"));
        } else if let Some(fault) = self.fault_of_beginning() {
            faults.push(("begin", fault));
        }
        if !self.options.iter().all(is_word) || !self.options.iter().all(|one| one.starts_with('-'))
        {
            faults.push((
                "options",
                "must be options: single plain words that begin with `-`",
            ));
        }
        let mut words = self.begin.iter().chain(&self.options);
        if words.any(|word| is_destructive_word(word)) {
            faults.push((
                "begin",
                "is destructive, so only exactly this can be approved",
            ));
        }
        if let Some(fault) = self.below.as_deref().and_then(path::fault) {
            faults.push(("below", fault));
        }
        faults
    }

    fn fault_of_beginning(&self) -> Option<&'static str> {
        let Some(program) = self.begin.first() else {
            return Some("must have at least one word: without, it would match everything");
        };
        let name = named(program);
        if program.contains('/') || program.contains('=') || program.starts_with('-') {
            return Some("must begin with the name of a program, not with a path or an assignment");
        }
        if CARRIERS.contains(&&*name) || MORE_CARRIERS.contains(&&*name) {
            return Some(
                "begins with a program that runs or changes whatever it is given, so only exactly this can be approved",
            );
        }
        if READERS.contains(&&*name) {
            return None;
        }
        let Some(second) = self.begin.get(1) else {
            return Some("must have at least two words: the program alone says too little");
        };
        if second.starts_with('-') {
            return Some("must name what the program does before its options");
        }
        if name == "git" && !OF_GIT.contains(&&**second) {
            return Some(
                "does more with Git than reading and noting, so only exactly this can be approved",
            );
        }
        if PACKAGERS.contains(&&*name) && FETCHES.contains(&&**second) {
            return Some(
                "fetches packages, which run what they like, so only exactly this can be approved",
            );
        }
        let third = self.begin.get(2).filter(|word| !word.starts_with('-'));
        if RUNS_THE_NEXT.contains(&&**second) && third.is_none() {
            return Some("must name what is run");
        }
        None
    }

    pub(super) fn in_words(&self) -> String {
        let mut words = format!("a command that begins with `{}`", self.begin.join(" "));
        if !self.options.is_empty() {
            words.push_str(&format!(
                ", with no options but `{}`",
                self.options.join("`, `")
            ));
        }
        words
    }

    /// All that can be approved of a command, the narrowest first. `folder` is where it runs, if that is known.
    pub(super) fn of(command: &str, folder: Option<&str>) -> Vec<Self> {
        let words = split(command).unwrap_or_default();
        let leading = words
            .iter()
            .take_while(|word| !word.is_quoted && !word.text.starts_with('-'))
            .count();
        let below = folder.filter(|folder| path::fault(folder).is_none());
        let of = |count: usize| {
            let (begin, after) = words.split_at(count);
            let text = |word: &Word<'_>| word.text.to_owned();
            let mut options = Vec::new();
            for word in after.iter().filter(|word| word.text.starts_with('-')) {
                if !options.iter().any(|option| option == word.text) {
                    options.push(word.text.to_owned());
                }
            }
            Self {
                begin: begin.iter().map(text).collect(),
                options,
                below: below.map(str::to_owned),
            }
        };
        let all = (1..=leading).rev().map(of);
        all.filter(|one| one.faults().is_empty() && one.matches(command))
            .take(limits::PROPOSALS)
            .collect()
    }
}

/// The name of a program as it is known: `Python3.12.exe` is Python.
fn named(program: &str) -> String {
    let name = program.to_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
        .to_owned()
}

/// Whether this is a name, or a path that goes down from here.
fn is_inside(text: &str) -> bool {
    let is_fit = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let inside = text.strip_prefix("./").unwrap_or(text);
    let inside = inside.strip_suffix('/').unwrap_or(inside);
    text.chars().all(is_fit) && path::is_plain_inside(inside)
}

/// Whether this is something said, as in a commit's message: several words, and a colon only before a space.
fn is_prose(text: &str) -> bool {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == ':' && chars.peek() != Some(&' ') {
            return false;
        }
    }
    text.split(' ').all(|word| {
        !word.starts_with(['-', '/', '.']) && !word.contains("..") && !is_destructive_word(word)
    })
}
