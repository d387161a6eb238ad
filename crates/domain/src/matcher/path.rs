//! Paths below a folder. The server cannot look at the agent's disk, so a path matches only where every system reads it in
//! the same way: absolute, with plain names, and nothing that leads up, elsewhere or into hidden places.

/// The characters of a name besides letters and digits: nothing that a shell, an old file system or a wildcard has another
/// meaning for.
const IN_NAMES: &str = " _.,+@()[]=-";
/// Where a program's own settings or others' things are. No grant is for all of what is below them.
const OF_THE_SYSTEM: &[&str] = &[
    "bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "run", "sbin", "sys",
    "usr", "system", "library", "private",
];
/// Folders that hold the folders of people: their own ones are too much as well.
const OF_PEOPLE: &[&str] = &["home", "users"];
/// How many bytes a path may have.
const LONGEST: usize = 4_096;

/// Whether `path` certainly is a place below `folder`.
pub(super) fn is_below(path: &str, folder: &str) -> bool {
    let inside = path
        .strip_prefix(folder)
        .and_then(|rest| rest.strip_prefix('/'));
    path.len() <= LONGEST && fault(folder).is_none() && inside.is_some_and(is_plain_inside)
}

/// Whether these are names from a folder down, none of them hidden, with nothing left to read otherwise.
pub(super) fn is_plain_inside(inside: &str) -> bool {
    inside
        .split('/')
        .all(|name| is_plain_name(name) && !name.starts_with('.'))
}

/// Why a grant cannot be for this folder.
pub(super) fn fault(folder: &str) -> Option<&'static str> {
    let Some(inside) = folder.strip_prefix('/') else {
        return Some("must be an absolute path: it begins with `/`");
    };
    let names: Vec<_> = inside.split('/').collect();
    if folder.len() > LONGEST || !names.iter().all(|name| is_plain_name(name)) {
        return Some(
            "must have plain names: no `.` or `..`, no empty ones, no `/` at the end, and only letters, digits, spaces and `_.,+@()[]=-`",
        );
    }
    let first = names
        .first()
        .map_or_else(String::new, |name| name.to_lowercase());
    let fewest = match OF_PEOPLE.contains(&&*first) {
        true => 3,
        false => 2,
    };
    if OF_THE_SYSTEM.contains(&&*first) {
        return Some("belongs to the system");
    }
    (names.len() < fewest).then_some("is too much: name a folder further down")
}

fn is_plain_name(name: &str) -> bool {
    let is_fit = |c: char| c.is_ascii_alphanumeric() || IN_NAMES.contains(c);
    let ends_well = !name.ends_with(['.', ' ']) && !name.starts_with([' ', '-']);
    !name.is_empty() && ends_well && name.chars().all(is_fit)
}
