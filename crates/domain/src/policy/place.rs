//! The places that texts name, each followed to where it leads.

use std::collections::BTreeSet;

use super::Holds;

/// The longest path that a system takes, in bytes.
const LONGEST: usize = 4_096;
/// How many places of an action are looked at.
const MOST: usize = 1_000;

/// The places that texts name.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Absolute, in small letters, without `.` and `..`.
    known: BTreeSet<String>,
    /// Whether there may be others.
    some_unknown: bool,
}

impl Places {
    /// Those of a text in small letters, as seen from where it runs. Whether it matters which cannot be told is `counts`.
    pub(super) fn add<'a>(
        &mut self,
        lower: &'a str,
        words: impl Iterator<Item = &'a str>,
        cwd: Option<&str>,
        counts: bool,
    ) {
        let whole = Some(lower.trim()).filter(|whole| whole.len() <= LONGEST);
        for text in whole.into_iter().chain(words) {
            // What follows a `?` in an address leads nowhere else.
            let text = match text.split_once("://") {
                Some(_) => text.split(['?', '#']).next().unwrap_or(text),
                None => text,
            };
            // `--file=/etc/x` and `host:/etc/x` were parted or lead elsewhere too.
            for part in text.split([':', '@']) {
                let place = part.replace('\\', "/");
                if !place.contains('/') && place != ".." && !place.starts_with('~') {
                    continue;
                }
                let found = (self.known.len() < MOST)
                    .then(|| resolved(&place, cwd))
                    .flatten();
                match found {
                    Some(place) => {
                        self.known.insert(place);
                    }
                    None => self.some_unknown |= counts,
                }
            }
        }
    }

    /// Whether one of them is this folder, or below it.
    pub(super) fn are_below(&self, folder: &str) -> Holds {
        let folder = folder.to_lowercase();
        let is_below = |place: &String| {
            let inside = place.strip_prefix(&*folder);
            inside.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        match self.known.iter().any(is_below) {
            true => Holds::Yes,
            false if self.some_unknown => Holds::Unclear,
            false => Holds::No,
        }
    }
}

/// Where something runs, as places are compared; `None` where that cannot be told.
pub(super) fn of_folder(cwd: &str) -> Option<String> {
    resolved(&cwd.to_lowercase().replace('\\', "/"), None)
}

/// Where a path leads; `None` where that cannot be told.
fn resolved(place: &str, cwd: Option<&str>) -> Option<String> {
    if place.len() > LONGEST || place.starts_with('~') || place.contains(['%', '$', '*', '?', '`'])
    {
        return None;
    }
    let mut names: Vec<&str> = match place.starts_with('/') {
        true => Vec::new(),
        false => cwd?.split('/').collect(),
    };
    for name in place.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    names.retain(|name| !name.is_empty());
    Some(format!("/{}", names.join("/")))
}
