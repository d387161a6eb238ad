//! Where a name leads, whichever links it goes by, and the thing there: also where a file would be that is still to
//! be written.

use std::{
    collections::HashMap,
    env,
    ffi::OsString,
    fs::{self, Metadata},
    io,
    path::{Component, Path, PathBuf},
};

/// As many links as Linux follows.
const MOST_LINKS: usize = 40;

/// The place a name stands for at one moment.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Without a link on the way, whether anything is there or not.
    leads: PathBuf,
    /// The target in the last part of the name, if it is a link: a file put in its place goes elsewhere than one
    /// written through it.
    link: Option<PathBuf>,
    is: Is,
}

#[derive(Debug, PartialEq, Eq)]
enum Is {
    Absent,
    File,
    /// This one: another that was put in its place has another number.
    Folder(Option<(u64, u64)>),
    Other,
}

impl Place {
    /// Without a link on the way.
    pub(super) fn leads(&self) -> &Path {
        &self.leads
    }

    pub(super) fn of(path: &Path) -> Self {
        let is = match fs::metadata(path) {
            Ok(it) if it.is_file() => Is::File,
            Ok(it) if it.is_dir() => Is::Folder(number(&it)),
            Err(error) if is_absent(&error) => Is::Absent,
            Ok(_) | Err(_) => Is::Other,
        };
        Self {
            leads: resolved(path),
            link: fs::read_link(path).ok(),
            is,
        }
    }
}

#[cfg(unix)]
fn number(folder: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((folder.dev(), folder.ino()))
}

#[cfg(not(unix))]
fn number(_: &Metadata) -> Option<(u64, u64)> {
    None
}

pub(super) fn is_absent(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidFilename, InvalidInput, NotADirectory, NotFound};
    [NotFound, NotADirectory, InvalidFilename, InvalidInput].contains(&error.kind())
}

/// Without links, as the kernel goes; where nothing is any more, as it is written. `canonicalize` knows no way to a
/// missing file.
pub(super) fn resolved(path: &Path) -> PathBuf {
    way(path).0
}

/// And whether anything may be there.
fn way(path: &Path) -> (PathBuf, bool) {
    let mut at = PathBuf::new();
    let (mut is_there, mut links) = (true, 0);
    let mut rest = reversed(path);
    while let Some(part) = rest.pop() {
        if part == ".." {
            at.pop();
            continue;
        }
        at.push(part);
        if !is_there {
            continue;
        }
        match fs::read_link(&at) {
            Ok(to) if links < MOST_LINKS => {
                links += 1;
                at.pop();
                rest.extend(reversed(&to));
            }
            // A name that is no link is an invalid input.
            Err(error) => {
                is_there = error.kind() == io::ErrorKind::InvalidInput || !is_absent(&error);
            }
            Ok(_) => {}
        }
    }
    (at, is_there)
}

/// The folders that were looked at: a command may have thousands of words, and most of them name nothing in few folders.
#[derive(Default)]
pub(super) struct Folders {
    known: HashMap<PathBuf, (PathBuf, bool)>,
}

impl Folders {
    /// The place a path stands for, if it is certain that nothing is there.
    pub(super) fn nothing(&mut self, path: &Path) -> Option<Place> {
        let (folder, name) = (path.parent()?, path.file_name()?);
        let known = self.known.get(folder);
        let (leads, is_there) = match known {
            Some(known) => known,
            None => self
                .known
                .entry(folder.to_owned())
                .or_insert_with(|| way(folder)),
        };
        let is_nothing =
            !is_there || fs::symlink_metadata(path).is_err_and(|error| is_absent(&error));
        is_nothing.then(|| Place {
            leads: leads.join(name),
            link: None,
            is: Is::Absent,
        })
    }
}

fn reversed(path: &Path) -> Vec<OsString> {
    let parts = path.components().filter(|part| *part != Component::CurDir);
    let mut parts: Vec<OsString> = parts.map(|part| part.as_os_str().to_owned()).collect();
    parts.reverse();
    parts
}

/// The path that a name is in a folder.
pub(super) fn path_of(folder: &Path, name: &str) -> PathBuf {
    let home = || env::var_os("HOME").map(PathBuf::from);
    let inner = match name {
        "~" => Some(""),
        _ => name.strip_prefix("~/"),
    };
    if let Some(path) = inner.and_then(|inner| Some(home()?.join(inner))) {
        return path;
    }
    // Not where this program is: where the command will be.
    for own in ["/proc/self/cwd", "/proc/thread-self/cwd"] {
        if let Ok(inner) = Path::new(name).strip_prefix(own) {
            return folder.join(inner);
        }
    }
    folder.join(name)
}

/// Whether a name is the same in every folder.
pub(super) fn is_absolute(name: &str) -> bool {
    let is_own = name.starts_with("/proc/");
    name == "~" || name.starts_with("~/") || (Path::new(name).is_absolute() && !is_own)
}

/// The paths that a name may be in a folder: a shell takes `..` for the folder before in the name, the kernel for the one
/// that the folder is in.
pub(super) fn paths_of(folder: &Path, name: &str) -> Vec<PathBuf> {
    let path = path_of(folder, name);
    let mut written = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(written.pop()),
            part => written.push(part),
        }
    }
    let has_parent = path.components().any(|part| part == Component::ParentDir);
    if has_parent && resolved(&written) != resolved(&path) {
        return vec![path, written];
    }
    vec![path]
}
