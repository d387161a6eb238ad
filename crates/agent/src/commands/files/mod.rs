//! The files that a command names: the text of a script that is run is as much a part of the action as its name. They
//! are looked for generously. A word that happens to be a file is shown once too often; a script that is not found is
//! run unseen. A command of plain words is looked into; of everything else people are told that it is more than that.

mod bytes;
mod doubts;
mod named;
mod pieces;
mod places;
mod plain;
#[cfg(test)]
mod tests;
mod words;

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, ensure};
use domain::{
    interaction::{Action, Operand},
    limits,
};

use bytes::{LARGEST, hash};
use places::{Folders, Place, is_absent, is_absolute, path_of, paths_of, resolved};
use words::{MOST_WORDS, Words};

pub(super) use named::Named;

/// Nor more than so much together.
const LARGEST_TOGETHER: u64 = 256 * 1024 * 1024;
/// In how many folders a relative name is looked for: a command may change to one.
const MOST_FOLDERS: usize = 16;

/// The files that a shell's command names, as they are now.
pub(super) fn of_command(folder: &Path, command: &str) -> Named {
    let mut found = of_words(folder, Words::of_command(command));
    found.leave_out_what_a_shell_completes(command);
    found.is_more |= !plain::is_plain(command);
    found.is_searched = true;
    found
}

/// Every text of a command that may be the name of a file, and whether all that there are were certainly found.
#[cfg(feature = "testing")]
pub(crate) fn names_in(command: &str) -> (BTreeSet<String>, bool) {
    let words = Words::of_command(command);
    let is_certain = plain::is_plain(command) && words.doubts.is_empty() && !words.is_cut;
    (words.all, is_certain)
}

/// Those that the arguments of a program name.
pub(super) fn of_arguments(folder: &Path, argv: &[String]) -> Named {
    of_argv(folder, Words::of_arguments(argv), argv)
}

/// And the program itself, which the system has found there. A file of the folder that bears its name is another.
pub(super) fn of_program(folder: &Path, program: Option<&str>, arguments: &[String]) -> Named {
    let mut words = Words::of_arguments(arguments);
    program.into_iter().for_each(|it| words.add(it));
    of_argv(folder, words, arguments)
}

fn of_argv(folder: &Path, words: Words, argv: &[String]) -> Named {
    let mut found = of_words(folder, words);
    // It may be a shell that is given them.
    for argument in argv {
        found.leave_out_what_a_shell_completes(argument);
        found.is_more |= !plain::is_plain_argument(argument);
    }
    found.is_searched = true;
    found
}

/// Those that the texts of a tool's input name.
pub(super) fn of_texts(folder: &Path, texts: &[&str]) -> Named {
    let mut found = of_words(folder, Words::of_texts(texts.iter().copied()));
    found.is_more |= !texts.iter().all(|text| plain::is_plain_text(text));
    found.is_searched = true;
    found
}

/// These alone, if they are files.
pub(super) fn of_paths<'a>(folder: &Path, paths: impl Iterator<Item = &'a str>) -> Named {
    of_words(folder, Words::of_paths(paths))
}

fn of_words(folder: &Path, words: Words) -> Named {
    let mut found = Named {
        folder: Some(Place::of(folder)),
        is_more: words.is_more,
        ..Named::default()
    };
    let doubts = words.doubts.into_iter().map(str::to_owned);
    found.left_out.extend(doubts);
    if words.is_cut || words.all.len() > MOST_WORDS {
        found.left_out.push("what its last words name".to_owned());
    }
    let inner: BTreeSet<String> = words.inner.difference(&words.all).cloned().collect();
    let all: BTreeSet<String> = words.all.into_iter().take(MOST_WORDS).collect();
    let mut looked_at = Folders::default();
    let folders = folders(folder, &all, &mut looked_at, &mut found);
    let mut search = Search {
        folder,
        looked_at,
        known: BTreeSet::new(),
        files: BTreeMap::new(),
        found,
    };
    for base in &folders {
        // A word's own name comes first, where two lead to one file.
        for name in all.iter().chain(&inner) {
            search.look(base, name);
        }
    }
    let Search {
        files, mut found, ..
    } = search;
    found.read(files);
    found
}

/// Where relative names may lead: the folder, and those that the command names, one in another. Their content is left
/// out.
fn folders(
    folder: &Path,
    names: &BTreeSet<String>,
    looked_at: &mut Folders,
    found: &mut Named,
) -> Vec<PathBuf> {
    let mut folders = vec![folder.to_owned()];
    let mut known: BTreeSet<PathBuf> = [resolved(folder)].into();
    let mut next = 0;
    while let Some(base) = folders.get(next).cloned() {
        for name in names.iter().filter(|it| next == 0 || !is_absolute(it)) {
            for path in paths_of(&base, name) {
                if looked_at.nothing(&path).is_some() || !path.is_dir() {
                    continue;
                }
                // Where it runs is said anyway.
                if next == 0 && !matches!(&**name, "." | "./") {
                    found.leave_out(name, "a folder");
                }
                if !known.insert(resolved(&path)) {
                    continue;
                }
                match folders.len() {
                    MOST_FOLDERS => found.leave_out(&shown(folder, &path), "too many folders"),
                    _ => folders.push(path),
                }
            }
        }
        next += 1;
    }
    folders
}

fn shown(folder: &Path, path: &Path) -> String {
    let inner = path.strip_prefix(folder).unwrap_or(path);
    inner.display().to_string()
}

/// For regular files, in the first of the folders or in another, each once.
struct Search<'a> {
    folder: &'a Path,
    looked_at: Folders,
    known: BTreeSet<PathBuf>,
    files: BTreeMap<String, PathBuf>,
    found: Named,
}

impl Search<'_> {
    fn look(&mut self, base: &Path, name: &str) {
        if base != self.folder && is_absolute(name) {
            return;
        }
        for (n, path) in paths_of(base, name).into_iter().enumerate() {
            let name = match base == self.folder && n == 0 {
                true => name.to_owned(),
                false => shown(self.folder, &path),
            };
            if let Some(place) = self.looked_at.nothing(&path) {
                self.found.places.insert(name, place);
                continue;
            }
            match fs::metadata(&path) {
                Ok(it) if is_device(&path, &it) => continue,
                Ok(it) if it.is_file() => {
                    // Two names of one file are one file.
                    if self.known.insert(resolved(&path)) {
                        self.files.insert(name.clone(), path.clone());
                    }
                }
                Ok(it) if it.is_dir() => {}
                Ok(_) => self.found.leave_out(&name, "no regular file"),
                Err(error) if is_absent(&error) => {}
                Err(_) => self.found.leave_out(&name, "it cannot be looked at"),
            }
            self.found.places.insert(name, Place::of(&path));
        }
    }
}

/// `/dev/null` and its like are in many commands, and hold no script. A terminal may.
#[cfg(unix)]
fn is_device(path: &Path, metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let names = ["null", "zero", "full", "random", "urandom"];
    let is_one = |name: &&str| path == Path::new("/dev").join(name);
    names.iter().any(is_one) && metadata.file_type().is_char_device()
}

#[cfg(not(unix))]
fn is_device(_: &Path, _: &fs::Metadata) -> bool {
    false
}

impl Named {
    fn read(&mut self, files: BTreeMap<String, PathBuf>) {
        let mut together = 0;
        for (name, path) in files {
            if self.operands.len() == limits::OPERANDS {
                self.too_many = true;
                return;
            }
            let room = LARGEST.min(LARGEST_TOGETHER - together);
            let (found, read) = hash(&path, room);
            // Reads in vain took time all the same.
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

    fn leave_out_what_a_shell_completes(&mut self, command: &str) {
        for word in doubts::completed(command) {
            self.leave_out(word, "a shell makes something else of it");
        }
        for change in doubts::changes_unseen(command) {
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
        let (found, read) = hash(&path_of(&folder, name), *size);
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
