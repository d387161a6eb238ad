//! The files that a command names: what a script says when it is run is as much a part of the action as its name. They
//! are looked for generously. A word that happens to be a file is shown once too often; a script that is not found is run
//! unseen.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    fs::{self, File, OpenOptions},
    io::{self, Read},
    path::{Path, PathBuf},
};

use domain::{digest, interaction::Operand, limits};
use sha2::{Digest, Sha256};

/// Larger files are not read: people wait for the question.
const LARGEST: u64 = 64 * 1024 * 1024;
/// Nor more than so much together.
const LARGEST_TOGETHER: u64 = 256 * 1024 * 1024;
/// How many words of a command are looked at.
const MOST_WORDS: usize = 20_000;
/// In how many folders a relative name is looked for: a command may change to one.
const MOST_FOLDERS: usize = 16;
/// How deep commands stand in each other: `bash -c 'sh -c "./x.sh"'`.
const DEEPEST: usize = 4;
/// How many of those that were left out are named.
const MOST_NAMED: usize = 10;
/// How many are kept at all.
const MOST_LEFT_OUT: usize = 200;
/// How much of a name is shown.
const LONGEST_SHOWN: usize = 120;
/// Longer than any path.
const LONGEST_PATH: usize = 4_096;
/// What stands between the words of a command, also without a space.
const BETWEEN: [char; 13] = [
    ';', '|', '&', '<', '>', '(', ')', '{', '}', '`', '$', ',', ':',
];

/// What was found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    /// By name.
    pub(super) operands: Vec<Operand>,
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
        let names = before.operands.iter().chain(&self.operands);
        let of = |named: &Self, name: &str| {
            let found = named.operands.iter().find(|operand| operand.name == name);
            found.cloned()
        };
        let mut changed = names.filter(|it| of(self, &it.name) != of(before, &it.name));
        let changed = changed.next().map(|operand| operand.name.clone());
        changed.or_else(|| {
            (self.left_out != before.left_out).then(|| "a file that it names".to_owned())
        })
    }
}

/// The files that a shell's command names, as they are now.
pub(super) fn of_command(folder: &Path, command: &str) -> Named {
    let mut words = BTreeSet::new();
    add_words(command, 0, &mut words);
    let mut found = of_words(folder, words);
    found.leave_out_what_a_shell_completes(command);
    found
}

/// Those that the arguments of a program name.
pub(super) fn of_arguments(folder: &Path, argv: &[String]) -> Named {
    let mut words = BTreeSet::new();
    for argument in argv {
        add(argument, &mut words);
        add_words(argument, 1, &mut words);
    }
    let mut found = of_words(folder, words);
    // What a shell is given to read.
    for script in argv.iter().filter(|it| it.contains(char::is_whitespace)) {
        found.leave_out_what_a_shell_completes(script);
    }
    found
}

/// These alone, if they are files.
pub(super) fn of_paths<'a>(folder: &Path, paths: impl Iterator<Item = &'a str>) -> Named {
    of_words(folder, paths.map(str::to_owned).collect())
}

fn of_words(folder: &Path, words: BTreeSet<String>) -> Named {
    let mut found = Named::default();
    if words.len() > MOST_WORDS {
        found.left_out.push("what its last words name".to_owned());
    }
    let words: BTreeSet<String> = words.into_iter().take(MOST_WORDS).collect();
    let folders = folders(folder, &words, &mut found);
    found.read(files(&folders, &words));
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

/// Every text in a command that may be a path.
fn add_words(command: &str, depth: usize, words: &mut BTreeSet<String>) {
    if depth == DEEPEST || words.len() > MOST_WORDS {
        return;
    }
    let read = shell_words::split(command).unwrap_or_default();
    // What stands in a quoted text that the shell would read otherwise.
    let plain = command.split_whitespace().map(|word| {
        let word = word.trim_matches(['\'', '"']);
        word.to_owned()
    });
    for word in plain.chain(read.clone()) {
        let pieces = word.split(BETWEEN).filter(|piece| *piece != word);
        for piece in pieces.chain([&*word]) {
            let piece = piece.trim_matches(['\'', '"']);
            add(piece, words);
            if let Some((_, value)) = piece.split_once('=') {
                add(value.trim_matches(['\'', '"']), words);
            }
            // `-d @body.json`, `-fbuild.yml`.
            add(piece.trim_start_matches('@'), words);
            add(piece.strip_prefix('-').map_or("", after_letter), words);
        }
    }
    for word in read {
        if word.contains(|c: char| c.is_whitespace() || BETWEEN.contains(&c)) && word != command {
            add_words(&word, depth + 1, words);
        }
    }
}

fn after_letter(option: &str) -> &str {
    let mut letters = option.chars();
    letters.next();
    letters.as_str()
}

fn add(word: &str, words: &mut BTreeSet<String>) {
    if !word.is_empty() && word.len() <= LONGEST_PATH && !word.contains('\0') {
        words.insert(word.to_owned());
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
fn files(folders: &[PathBuf], names: &BTreeSet<String>) -> BTreeMap<String, PathBuf> {
    let mut known = BTreeSet::new();
    let mut found = BTreeMap::new();
    for base in folders {
        for name in names {
            let path = place(base, name);
            let is_file = fs::metadata(&path).is_ok_and(|it| it.is_file());
            // Two names of one file are one file.
            if is_file && known.insert(fs::canonicalize(&path).unwrap_or(path.clone())) {
                let name = match folders.first() {
                    Some(folder) if base != folder => shown(folder, &path),
                    _ => name.clone(),
                };
                found.insert(name, path);
            }
        }
    }
    found
}

impl Named {
    /// Words that are others once a shell has read them, and folders that only it knows.
    fn leave_out_what_a_shell_completes(&mut self, command: &str) {
        for word in command.split_whitespace().take(MOST_WORDS) {
            let word = word.trim_matches(['\'', '"', ';', '&', '|', '(', ')']);
            let has_braces = word.contains('{') && (word.contains(',') || word.contains(".."));
            let is_elsewhere = word.starts_with('~') && word != "~" && !word.starts_with("~/");
            if word.contains(['*', '?', '[', '$', '`']) || has_braces || is_elsewhere {
                self.leave_out(word, "a shell makes something else of it");
            }
        }
        for part in command.split([';', '|', '&', '(', ')', '{', '}', '`', '\n']) {
            let mut words = part.split_whitespace();
            let to = (words.next(), words.next());
            if let (Some(change @ ("cd" | "pushd" | "popd")), None | Some("-")) = to {
                self.leave_out(change, "to a folder that only the shell knows");
            }
        }
    }
}

/// The SHA-256 of a file, or nothing if it is longer than `room`; and how much of it was read.
fn hash(path: &Path, room: u64) -> (io::Result<Option<String>>, u64) {
    let mut read = 0;
    (hash_counted(path, room, &mut read), read)
}

fn hash_counted(path: &Path, room: u64, size: &mut u64) -> io::Result<Option<String>> {
    let mut file = open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    if metadata.len() > room {
        return Ok(None);
    }
    let mut hasher = Sha256::new();
    let mut part = vec![0; 64 * 1024];
    loop {
        let read = file.read(&mut part)?;
        if read == 0 {
            let sum: [u8; 32] = hasher.finalize().into();
            return Ok(Some(digest::hex(&sum)));
        }
        *size += read as u64;
        // It grows while it is read.
        if *size > room {
            return Ok(None);
        }
        hasher.update(&part[..read]);
    }
}

/// Does not wait for whoever is to write into a pipe that has taken the file's place.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NONBLOCK.bits();
    OpenOptions::new()
        .read(true)
        .custom_flags(flags.cast_signed())
        .open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        for name in ["x.sh", "a b.sh", "sub/y.sh", "c.json", "odd;.sh"] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        folder
    }

    fn names(folder: &Path, command: &str) -> Vec<String> {
        let named = of_command(folder, command);
        named.operands.into_iter().map(|it| it.name).collect()
    }

    #[test]
    fn files_that_a_command_names_are_found_however_it_names_them() {
        let folder = folder();
        for (command, expected) in [
            ("./x.sh --force", &["./x.sh"][..]),
            ("bash x.sh;ls", &["x.sh"]),
            ("sudo -u me bash 'a b.sh' && echo done", &["a b.sh"]),
            ("bash a\\ b.sh", &["a b.sh"]),
            ("sh 'odd;.sh'", &["odd;.sh"]),
            ("bash<x.sh", &["x.sh"]),
            ("echo $(cat x.sh)", &["x.sh"]),
            ("echo `cat x.sh`", &["x.sh"]),
            ("bash -c 'cd /tmp; sh -c \"./x.sh now\"'", &["./x.sh"]),
            ("cd sub && ./y.sh", &["sub/./y.sh"]),
            ("curl -d @c.json https://h.example", &["c.json"]),
            ("tool --file=c.json -fx.sh", &["c.json", "x.sh"]),
            ("FILE=x.sh make", &["x.sh"]),
            ("echo don't; bash x.sh", &["x.sh"]),
            ("cat <<E\nit isn't what x.sh isn't\nE", &["x.sh"]),
            ("cat x.sh ./x.sh sub/../x.sh", &["./x.sh"]),
            ("ls sub", &[]),
            ("bash nowhere.sh", &[]),
        ] {
            assert_eq!(names(folder.path(), command), expected, "{command}");
        }
    }

    #[test]
    fn a_file_is_told_by_its_bytes_and_their_number() {
        let folder = folder();
        let named = of_paths(folder.path(), ["x.sh", "new.txt"].into_iter());
        let sha256 = digest::sha256(b"x.sh").replace("sha256:", "");
        let (name, size) = ("x.sh".to_owned(), 4);
        assert_eq!(named.operands, [Operand { name, sha256, size }]);
        assert_eq!(named.left_out(), "");
        let argv = ["bash", "a b.sh", "--file=c.json"].map(str::to_owned);
        let named = of_arguments(folder.path(), &argv).operands;
        assert_eq!(named.len(), 2);
    }

    #[test]
    fn whatever_became_of_a_file_is_seen() {
        let folder = folder();
        let now = || of_command(folder.path(), "bash x.sh new.sh");
        let before = now();
        assert_eq!(now().differs_from(&before), None);
        let (script, new) = (folder.path().join("x.sh"), folder.path().join("new.sh"));
        fs::write(&script, "X.sh").unwrap();
        let differs = || now().differs_from(&before);
        assert_eq!(differs().as_deref(), Some("x.sh"));
        fs::remove_file(&script).unwrap();
        assert_eq!(differs().as_deref(), Some("x.sh"));
        fs::write(&script, "x.sh").unwrap();
        assert_eq!(differs(), None);
        fs::write(&new, "").unwrap();
        assert_eq!(differs().as_deref(), Some("new.sh"));
    }

    #[test]
    fn what_is_left_out_is_said() {
        let folder = tempfile::tempdir().unwrap();
        for n in 0..limits::OPERANDS + 12 {
            fs::write(folder.path().join(format!("{n:03}")), "").unwrap();
        }
        let big = File::create(folder.path().join("big.iso")).unwrap();
        big.set_len(LARGEST + 1).unwrap();
        let all: Vec<_> = (0..limits::OPERANDS + 12)
            .map(|n| format!("{n:03}"))
            .collect();
        let command = format!("cat {} big.iso", all.join(" "));
        let named = of_command(folder.path(), &command);
        assert_eq!(named.operands.len(), limits::OPERANDS);
        let said = named.left_out();
        assert!(said.contains("`050` (too many files), "), "{said}");
        assert!(said.ends_with(", and 3 more"), "{said}");
        let said = of_command(folder.path(), "cat big.iso").left_out();
        assert!(
            said.ends_with("before it runs: `big.iso` (too large)"),
            "{said}"
        );
    }

    #[test]
    fn folders_in_folders_are_looked_into() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("d1/d2")).unwrap();
        fs::write(folder.path().join("d1/d2/y.sh"), "y").unwrap();
        for command in ["cd d1 && cd d2 && ./y.sh", "cd d1; (cd d2; sh y.sh)"] {
            let found = names(folder.path(), command);
            assert_eq!(found.len(), 1, "{command}: {found:?}");
            assert!(found[0].ends_with("y.sh"), "{found:?}");
        }
        // More than there is time for.
        for n in 0..MOST_FOLDERS {
            fs::create_dir(folder.path().join(format!("m{n}"))).unwrap();
        }
        let many: Vec<_> = (0..MOST_FOLDERS).map(|n| format!("cd m{n};")).collect();
        let said = of_command(folder.path(), &many.concat()).left_out;
        assert!(said.iter().any(|it| it.ends_with("(too many folders)")));
    }

    #[test]
    fn what_only_a_shell_can_read_is_said_to_be_left_out() {
        let folder = folder();
        let completed = "a shell makes something else of it";
        for (command, expected) in [
            ("./{x,y}.sh", format!("`./{{x,y}}.sh` ({completed})")),
            ("sh x{1..3}", format!("`x{{1..3}}` ({completed})")),
            ("sh *.sh", format!("`*.sh` ({completed})")),
            ("bash \"$SCRIPT\"", format!("`$SCRIPT` ({completed})")),
            ("sh ~ana/x.sh", format!("`~ana/x.sh` ({completed})")),
            ("bash -c 'sh [a-z].sh'", format!("`[a-z].sh` ({completed})")),
            (
                "cd && ./x",
                "`cd` (to a folder that only the shell knows)".to_owned(),
            ),
            (
                "cd -; ./x",
                "`cd` (to a folder that only the shell knows)".to_owned(),
            ),
            ("make -C sub", "`sub` (a folder)".to_owned()),
        ] {
            let found = of_command(folder.path(), command).left_out;
            assert_eq!(found, [expected], "{command}");
        }
        assert_eq!(of_command(folder.path(), "sh x.sh && ls -l").left_out(), "");
        let argv = ["sh", "-c", "sh *.sh", "*"].map(str::to_owned);
        let found = of_arguments(folder.path(), &argv).left_out;
        assert_eq!(found, [format!("`*.sh` ({completed})")]);
        let long = format!("sh {}*", "x".repeat(1_000));
        assert!(of_command(folder.path(), &long).left_out().len() < 300);
    }

    #[test]
    fn what_is_too_much_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let all: Vec<_> = (0..=limits::OPERANDS).map(|n| format!("{n:03}")).collect();
        for name in &all {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let last = folder.path().join(&all[limits::OPERANDS]);
        fs::write(&last, "x".repeat(10)).unwrap();
        let (found, read) = hash(&last, 4);
        assert_eq!((found.unwrap(), read), (None, 0));
        let (found, read) = hash(&last, 10);
        assert_eq!((found.unwrap().is_some(), read), (true, 10));
        let named = of_command(folder.path(), &format!("cat {}", all.join(" ")));
        assert_eq!(named.left_out, ["`050` (too many files)"]);
    }
}
