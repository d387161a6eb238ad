//! Commands that begin with approved words. A command is taken apart only if every shell would take it apart in the same
//! way: words, single spaces or more between them, and simple quotes. What follows the approved words is held short too:
//! no option that was not approved, nothing that leads out of the folder, nothing hidden.

use serde::{Deserialize, Serialize};

use super::{
    Place,
    destructive::{DENY, denies_lints, is_destructive_word},
    line, path,
};
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

/// The beginnings that are known to do no more than they say, whatever follows: they read, note what is there already, or check
/// and build what the folder holds. A list of those that do more would never end, so all others are approved exactly.
const KNOWN: &[&str] = &[
    "basename",
    "cargo bench",
    "cargo build",
    "cargo check",
    "cargo clippy",
    "cargo doc",
    "cargo fmt",
    "cargo metadata",
    "cargo nextest run",
    "cargo test",
    "cargo tree",
    "cat",
    "df",
    "diff",
    "dotnet build",
    "dotnet test",
    "du",
    "eslint",
    "file",
    "gh issue list",
    "gh issue view",
    "gh pr checks",
    "gh pr diff",
    "gh pr list",
    "gh pr status",
    "gh pr view",
    "gh run list",
    "gh run view",
    "gh workflow list",
    "gh workflow view",
    "git add",
    "git blame",
    "git commit",
    "git describe",
    "git diff",
    "git fetch",
    "git grep",
    "git log",
    "git ls-files",
    "git rev-parse",
    "git shortlog",
    "git show",
    "git status",
    "git switch",
    "go build",
    "go doc",
    "go fmt",
    "go list",
    "go test",
    "go vet",
    "grep",
    "head",
    "jest",
    "ls",
    "mkdir",
    "mypy",
    "npm ls",
    "npm outdated",
    "npm run build",
    "npm run check",
    "npm run lint",
    "npm run test",
    "npm run typecheck",
    "npm test",
    "phpunit",
    "pnpm run build",
    "pnpm run check",
    "pnpm run lint",
    "pnpm run test",
    "pnpm run typecheck",
    "pnpm test",
    "pwd",
    "pytest",
    "realpath",
    "rg",
    "rspec",
    "ruff check",
    "shellcheck",
    "stat",
    "tail",
    "tree",
    "tsc",
    "vitest run",
    "wc",
    "which",
    "yarn run build",
    "yarn run check",
    "yarn run lint",
    "yarn run test",
    "yarn run typecheck",
    "yarn test",
];

/// What a word may hold besides letters and digits, outside of quotes.
const IN_WORDS: &str = "_-./:=@+,";
/// The same, inside of quotes.
const IN_QUOTES: &str = " _-./:,";
/// And inside of double quotes: some shells read these in single ones.
const IN_DOUBLE_QUOTES: &str = "()#+=@'";
/// Programs that name a part of what they check by `::`.
const WITH_ITEMS: &[&str] = &["cargo", "pytest"];

/// One word of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) is_quoted: bool,
}

/// The words of a command, if there is but one way to read it.
pub(super) fn split(command: &str) -> Option<Vec<Word<'_>>> {
    split_with(command, "")
}

/// The same where double quotes may hold these as well.
pub(super) fn split_with<'a>(command: &'a str, more: &str) -> Option<Vec<Word<'a>>> {
    if command.len() > limits::MATCHED_BYTES {
        return None;
    }
    let mut words = Vec::new();
    let mut rest = command.trim_matches(' ');
    while let Some(first) = rest.chars().next() {
        let (word, after) = match first {
            '\'' | '"' => {
                let (text, after) = rest[1..].split_once(first)?;
                let is_fit = |c: char| {
                    c.is_ascii_alphanumeric()
                        || IN_QUOTES.contains(c)
                        || (first == '"' && (IN_DOUBLE_QUOTES.contains(c) || more.contains(c)))
                };
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
                if !text.chars().all(is_fit) && !is_revision(text) {
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
    /// Whether a line certainly is one such command.
    pub(super) fn matches_line(&self, line: &str, place: &Place<'_>) -> bool {
        matches!(&*line::commands(line, place), [command] if self.matches(command))
    }

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
        if self.is_destructive(text) {
            return false;
        }
        if text.starts_with('-') {
            let is_approved = is_count(text) || self.options.iter().any(|option| option == text);
            return !word.is_quoted && is_approved;
        }
        if !word.is_quoted && self.names_a_part(text) {
            return true;
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

    fn is_destructive(&self, word: &str) -> bool {
        let is_lint = || word == DENY && denies_lints(&mut self.begin.iter().map(|word| &**word));
        is_destructive_word(word) && !is_lint()
    }

    /// Whether it is something that this program knows by itself, and no place.
    fn names_a_part(&self, text: &str) -> bool {
        match self.begin.first().map(|program| &**program) {
            Some("git") => is_revision(text) || is_range(text),
            Some(program) if WITH_ITEMS.contains(&program) => is_item(text),
            _ => false,
        }
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
        if words.any(|word| self.is_destructive(word)) {
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
        if program.contains('/') || program.contains('=') || program.starts_with('-') {
            return Some("must begin with the name of a program, not with a path or an assignment");
        }
        let is_known = |known: &str| {
            let mut begin = self.begin.iter();
            known
                .split(' ')
                .all(|word| begin.next().is_some_and(|found| found == word))
        };
        let known = KNOWN.iter().filter(|known| is_known(known));
        let Some(count) = known.map(|known| known.split(' ').count()).max() else {
            return Some(
                "is not known to do no more than it says whatever follows, so only exactly this can be approved",
            );
        };
        // What follows makes it another command where it is no plain word: an address, a folder elsewhere.
        let mut more = self.begin.iter().skip(count);
        let is_plain = |text: &String| {
            let is_quoted = false;
            text.starts_with('-') || self.may_follow(&Word { text, is_quoted })
        };
        (!more.all(is_plain)).then_some(
            "has a word that may be more than a name or a place below the folder, so only exactly this can be approved",
        )
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

    /// All that can be approved of one command, the narrowest first. `folder` is where it runs, if that is known.
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

/// Whether this is an option that says how many.
pub(super) fn is_count(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or_default();
    (1..=5).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Whether this is a part of a program, or of a file with tests: `orders::total`, `tests/test_total.py::test_rounds`.
fn is_item(text: &str) -> bool {
    let is_several = text.contains("::");
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    // `orders::` stands for all in it.
    let text = text.strip_suffix("::").unwrap_or(text);
    let mut names = text.split("::");
    is_several && names.next().is_some_and(is_inside) && names.all(is_name)
}

/// Whether these are lines of a file: `40,60`.
fn is_range(text: &str) -> bool {
    let is_number =
        |text: &str| (1..=7).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    text.split_once(',')
        .is_some_and(|(from, to)| is_number(from) && is_number(to))
}

/// Whether these are versions before another, or between two: `HEAD~2`, `main~1..topic`.
fn is_revision(text: &str) -> bool {
    let is_name = |name: &str| {
        let is_fit = |c: char| c.is_ascii_alphanumeric() || "_-/".contains(c);
        let ends_well = |c: char| c.is_ascii_alphanumeric();
        name.starts_with(ends_well) && name.ends_with(ends_well) && name.chars().all(is_fit)
    };
    let is_one = |text: &str| match text.split_once('~') {
        Some((name, count)) => is_name(name) && count.chars().all(|c| c.is_ascii_digit()),
        None => is_name(text),
    };
    match text.split_once("..") {
        Some((from, to)) => is_one(from) && is_one(to),
        None => is_one(text),
    }
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
