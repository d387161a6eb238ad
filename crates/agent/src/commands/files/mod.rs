//! The files that a command names: what a script says when it is run is as much a part of the action as its name. They
//! are looked for generously. A word that happens to be a file is shown once too often; a script that is not found is run
//! unseen.

mod bytes;
#[cfg(test)]
mod tests;
mod words;

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs, io,
    path::{Path, PathBuf},
};

use anyhow::{Context, ensure};
use domain::{
    interaction::{Action, Operand},
    limits,
};

use bytes::{LARGEST, hash};
use words::{MOST_WORDS, Words};

/// Nor more than so much together.
const LARGEST_TOGETHER: u64 = 256 * 1024 * 1024;
/// In how many folders a relative name is looked for: a command may change to one.
const MOST_FOLDERS: usize = 16;
/// How many of those that were left out are named.
const MOST_NAMED: usize = 10;
/// How many are kept at all.
const MOST_LEFT_OUT: usize = 200;
/// How much of a name is shown.
const LONGEST_SHOWN: usize = 120;

/// What was found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    /// By name.
    pub(super) operands: Vec<Operand>,
    /// Where each name leads, whichever links it goes by; also that of a file that is still to be written.
    places: BTreeMap<String, PathBuf>,
    /// Files that were not read, and why.
    left_out: Vec<String>,
}

impl Named {
    /// For people: what they cannot rely on.
    pub(super) fn left_out(&self) -> String {
        if self.left_out.is_empty() {
            return String::new();
        }
        let mut named: Vec<&str> = self.left_out.iter().map(String::as_str).collect();
        let more = named.len().saturating_sub(MOST_NAMED);
        named.truncate(MOST_NAMED);
        let more = match more {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        format!(
            "\n\nNot looked into, so they may change before it runs: {}{more}",
            named.join(", ")
        )
    }

    /// The first file that is not as it was before.
    pub(super) fn differs_from(&self, before: &Self) -> Option<String> {
        let of = |named: &Self, name: &str| {
            let found = named.operands.iter().find(|operand| operand.name == name);
            found.cloned()
        };
        let operands = before.operands.iter().chain(&self.operands);
        let changed = operands
            .map(|it| &it.name)
            .find(|it| of(self, it) != of(before, it));
        let moved = || {
            let mut names = before.places.keys().chain(self.places.keys());
            names.find(|it| self.places.get(*it) != before.places.get(*it))
        };
        changed.or_else(moved).cloned().or_else(|| {
            (self.left_out != before.left_out).then(|| "a file that it names".to_owned())
        })
    }
}

/// The files that a shell's command names, as they are now.
pub(super) fn of_command(folder: &Path, command: &str) -> Named {
    let mut found = of_words(folder, Words::of_command(command));
    found.leave_out_what_a_shell_completes(command);
    found
}

/// Those that the arguments of a program name.
pub(super) fn of_arguments(folder: &Path, argv: &[String]) -> Named {
    let mut found = of_words(folder, Words::of_arguments(argv));
    // It may be a shell that is given them.
    for argument in argv {
        found.leave_out_what_a_shell_completes(argument);
    }
    found
}

/// Those that the texts of a tool's input name.
pub(super) fn of_texts<'a>(folder: &Path, texts: impl Iterator<Item = &'a str>) -> Named {
    of_words(folder, Words::of_texts(texts))
}

/// These alone, if they are files.
pub(super) fn of_paths<'a>(folder: &Path, paths: impl Iterator<Item = &'a str>) -> Named {
    let all = paths.map(str::to_owned).collect();
    of_words(
        folder,
        Words {
            all,
            ..Words::default()
        },
    )
}

fn of_words(folder: &Path, words: Words) -> Named {
    let mut found = Named::default();
    let doubts = words.doubts.into_iter().map(str::to_owned);
    found.left_out.extend(doubts);
    if words.all.len() > MOST_WORDS {
        found.left_out.push("what its last words name".to_owned());
    }
    let words: BTreeSet<String> = words.all.into_iter().take(MOST_WORDS).collect();
    let folders = folders(folder, &words, &mut found);
    let files = files(&folders, &words, &mut found);
    found.read(files);
    found
}

impl Named {
    fn read(&mut self, files: BTreeMap<String, PathBuf>) {
        let mut together = 0;
        for (name, path) in files {
            if self.operands.len() == limits::OPERANDS {
                self.leave_out(&name, "too many files");
                continue;
            }
            let room = LARGEST.min(LARGEST_TOGETHER - together);
            let (found, read) = hash(&path, room);
            // What was read in vain took time all the same.
            together = LARGEST_TOGETHER.min(together + read);
            match found {
                Ok(Some(sha256)) => self.operands.push(Operand {
                    name,
                    sha256,
                    size: read,
                }),
                Ok(None) => self.leave_out(&name, "too large"),
                Err(_) => self.leave_out(&name, "it cannot be read"),
            }
        }
    }

    fn leave_out(&mut self, name: &str, why: &str) {
        let shown: String = name.chars().take(LONGEST_SHOWN).collect();
        let more = if shown.len() < name.len() { "…" } else { "" };
        let shown = shown.replace('`', "'");
        let said = format!("`{shown}{more}` ({why})");
        if self.left_out.len() < MOST_LEFT_OUT && !self.left_out.contains(&said) {
            self.left_out.push(said);
        }
    }
}

/// A name in a folder, or where it leads from there.
fn place(folder: &Path, name: &str) -> PathBuf {
    let home = || env::var_os("HOME").map(PathBuf::from);
    let inner = match name {
        "~" => Some(""),
        _ => name.strip_prefix("~/"),
    };
    match inner.and_then(|inner| Some(home()?.join(inner))) {
        Some(path) => path,
        None => folder.join(name),
    }
}

/// Where relative names may lead: the folder, and those that the command names, one in another. What is in them is left
/// out.
fn folders(folder: &Path, names: &BTreeSet<String>, found: &mut Named) -> Vec<PathBuf> {
    let mut folders = vec![folder.to_owned()];
    let mut known: BTreeSet<PathBuf> = fs::canonicalize(folder).into_iter().collect();
    let mut next = 0;
    while let Some(base) = folders.get(next).cloned() {
        for name in names {
            let path = place(&base, name);
            if !path.is_dir() {
                continue;
            }
            let is_new = known.insert(fs::canonicalize(&path).unwrap_or(path.clone()));
            // Where it runs is said anyway.
            if next == 0 && !matches!(&**name, "." | "./") {
                found.leave_out(name, "a folder");
            }
            if !is_new {
                continue;
            }
            if folders.len() == MOST_FOLDERS {
                found.leave_out(&shown(folder, &path), "too many folders");
                return folders;
            }
            folders.push(path);
        }
        next += 1;
    }
    folders
}

fn shown(folder: &Path, path: &Path) -> String {
    let inner = path.strip_prefix(folder).unwrap_or(path);
    inner.display().to_string()
}

/// Those that are regular files, in the first of the folders or in another, each once.
fn files(
    folders: &[PathBuf],
    names: &BTreeSet<String>,
    found: &mut Named,
) -> BTreeMap<String, PathBuf> {
    let mut known = BTreeSet::new();
    let mut files = BTreeMap::new();
    for base in folders {
        for name in names {
            let path = place(base, name);
            let name = match folders.first() {
                Some(folder) if base != folder => shown(folder, &path),
                _ => name.clone(),
            };
            match fs::metadata(&path) {
                Ok(it) if it.is_file() => {
                    let leads = fs::canonicalize(&path).unwrap_or(path.clone());
                    found.places.insert(name.clone(), leads.clone());
                    // Two names of one file are one file.
                    if known.insert(leads) {
                        files.insert(name, path);
                    }
                }
                Ok(it) if it.is_dir() => {
                    found
                        .places
                        .extend(fs::canonicalize(&path).map(|to| (name, to)));
                }
                Ok(it) if is_device(&path, &it) => {}
                Ok(_) => found.leave_out(&name, "no regular file"),
                Err(error) if is_absent(&error) => {
                    if name.contains('/') {
                        found.places.extend(leads(&path).map(|to| (name, to)));
                    }
                }
                Err(_) => found.leave_out(&name, "it cannot be looked at"),
            }
        }
    }
    files
}

/// Where a file would be that is still to be written.
fn leads(path: &Path) -> Option<PathBuf> {
    path.ancestors().skip(1).find_map(|folder| {
        let rest = path.strip_prefix(folder).ok()?;
        Some(fs::canonicalize(folder).ok()?.join(rest))
    })
}

/// `/dev/null` and its like are in many commands, and hold no script.
#[cfg(unix)]
fn is_device(path: &Path, metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    path.starts_with("/dev") && metadata.file_type().is_char_device()
}

#[cfg(not(unix))]
fn is_device(_: &Path, _: &fs::Metadata) -> bool {
    false
}

fn is_absent(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidFilename, InvalidInput, NotADirectory, NotFound};
    [NotFound, NotADirectory, InvalidFilename, InvalidInput].contains(&error.kind())
}

impl Named {
    fn leave_out_what_a_shell_completes(&mut self, command: &str) {
        for word in words::completed(command) {
            self.leave_out(word, "a shell makes something else of it");
        }
        for change in words::changes_unseen(command) {
            self.leave_out(change, "to a folder that only the shell knows");
        }
    }
}

/// Whether the files that are a part of an action are as they were approved.
///
/// # Errors
/// Names the first one that is not.
pub(super) fn unchanged(action: &Action) -> anyhow::Result<()> {
    let cwd = action.arguments.0.get("cwd").and_then(|it| it.as_str());
    let folder = match cwd {
        Some(cwd) => PathBuf::from(cwd),
        None => env::current_dir().context("the working directory is gone")?,
    };
    for Operand { name, sha256, size } in &action.operands {
        let (found, read) = hash(&place(&folder, name), *size);
        let found = found.with_context(|| {
            format!(
                "{name} is a part of the action and cannot be read (--no-files leaves files out)"
            )
        })?;
        ensure!(
            found.as_ref() == Some(sha256) && read == *size,
            "{name} is not as it was approved, so the action must not run"
        );
    }
    Ok(())
}
