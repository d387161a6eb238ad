//! Tools of coding agents that search: they read, and lead nowhere but below the folder that they name, or else where they
//! run.

use super::path;

/// Their names.
const SEARCHES: &[&str] = &["Glob", "Grep"];
/// What names with wildcards may hold besides letters and digits.
const IN_NAMES: &str = "_-/*";

pub(super) fn is_search(tool: &str) -> bool {
    SEARCHES.contains(&tool)
}

/// Whether a search certainly stays in `folder`: at `path`, or else where it runs.
pub(super) fn is_in(path: Option<&str>, runs_in: Option<&str>, folder: &str) -> bool {
    let is_in = |path: &str| path == folder || path::is_below(path, folder);
    let place = match (path, runs_in) {
        (Some(path), _) if path.starts_with('/') => path.to_owned(),
        (Some(path), Some(runs_in)) => format!("{runs_in}/{path}"),
        (None, Some(runs_in)) => runs_in.to_owned(),
        (_, None) => return false,
    };
    path::fault(folder).is_none() && is_in(&place)
}

/// Whether these names with wildcards go down from the folder that is searched, and lead to nothing hidden by its name.
pub(super) fn goes_down(pattern: &str) -> bool {
    let is_fit = |c: char| c.is_ascii_alphanumeric() || IN_NAMES.contains(c);
    let mut chars = pattern.chars().peekable();
    let mut before = '/';
    let mut is_choice = false;
    while let Some(c) = chars.next() {
        let fits = match c {
            // In the middle of a name alone: no `..`, and nothing hidden, whichever of several is chosen.
            '.' => {
                let after = chars.peek().copied().unwrap_or('/');
                let begins = |c: char| c.is_ascii_alphanumeric() || c == '*';
                begins(before) && (begins(after) || after == '{') && !is_choice
            }
            '/' => before != '/' && !is_choice,
            '{' => !std::mem::replace(&mut is_choice, true),
            '}' => std::mem::replace(&mut is_choice, false),
            ',' => is_choice,
            c => is_fit(c),
        };
        if !fits {
            return false;
        }
        before = c;
    }
    // A name, and no folder: that ends with `/`.
    before != '/' && !is_choice
}
