//! What is wrong with a matcher. The narrow way is the only one: whatever is not known to be harmless may not vary.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{
    Matcher, Pattern, Rule, host, path,
    propose::{FOLDER, INPUT},
    search,
};
use crate::{
    fault::{Fault, Faults},
    interaction::Action,
    limits,
};

/// What is said about a call of these tools, what is looked for in what they read, or how much of it is wanted. Of other tools
/// nobody knows what it does there.
const SAID: &[(&str, &[&str])] = &[
    ("Bash", &["description", "timeout"]),
    (
        "Grep",
        &[
            "-A",
            "-B",
            "-C",
            "-i",
            "-n",
            "context",
            "head_limit",
            "multiline",
            "offset",
            "output_mode",
            "pattern",
            "type",
        ],
    ),
    ("Read", &["limit", "offset"]),
    ("WebFetch", &["prompt"]),
];
/// What goes to an address and to no file.
const ANYWHERE: &[&str] = &["WebFetch"];
/// What is prose by its name, whatever the tool.
const PROSE: &[&str] = &["description", "explanation", "message", "prompt", "title"];
/// What is written into a file, or how.
const WRITTEN: &[&str] = &[
    "cell_id",
    "cell_type",
    "content",
    "edit_mode",
    "edits",
    "new_source",
    "new_string",
    "old_string",
    "replace_all",
];
impl Matcher {
    /// What is wrong with it, each with its path from `matcher` on. `made_from` is the action that a person approved.
    ///
    /// # Errors
    /// Every fault.
    pub fn check(&self, made_from: &Action) -> Result<(), Vec<Fault>> {
        let mut faults = Faults::default();
        if let Err(found) = self.check_alone() {
            found
                .into_iter()
                .for_each(|fault| faults.add(&fault.path, fault.message));
        }
        if !self.is_exact()
            && let Some(why) = super::destructive(made_from)
        {
            faults.add(
                "matcher",
                format!(
                    "the action is destructive ({why}), so only exactly this can be approved ahead"
                ),
            );
        }
        faults.into_result(())?;
        match self.matches(made_from) {
            true => Ok(()),
            false => Err(vec![Fault::new(
                "matcher",
                "does not match the action that it is made from",
            )]),
        }
    }

    /// What is wrong with it, whatever it is made from, each with its path from `matcher` on.
    ///
    /// # Errors
    /// Every fault.
    pub(crate) fn check_alone(&self) -> Result<(), Vec<Fault>> {
        let mut faults = Faults::default();
        let size = serde_json::to_vec(self).map_or(usize::MAX, |bytes| bytes.len());
        if size > limits::MATCHER_BYTES {
            let most = limits::MATCHER_BYTES;
            faults.add(
                "matcher",
                format!("has {size} bytes, at most {most} are allowed"),
            );
        }
        if let Self::Like(pattern) = self
            && let Err(found) = pattern.check()
        {
            found
                .into_iter()
                .for_each(|fault| faults.add(&fault.path, fault.message));
        }
        faults.into_result(())
    }
}

impl Pattern {
    /// What is wrong with it by itself.
    pub(super) fn check(&self) -> Result<(), Vec<Fault>> {
        let mut faults = Faults::default();
        let count = self.varies.len();
        if !(1..=limits::MATCHER_VARIES).contains(&count) {
            let most = limits::MATCHER_VARIES;
            faults.add(
                "matcher.like.varies",
                format!("must name 1 to {most} arguments"),
            );
        }
        if !self.like.0.is_object() {
            faults.add("matcher.like.like", "must be an object");
        }
        for (n, varying) in self.varies.iter().enumerate().take(limits::MATCHER_VARIES) {
            let place = format!("matcher.like.varies[{n}]");
            let at = &varying.at;
            let fits = (1..=limits::MATCHER_DEPTH).contains(&at.len())
                && at.iter().all(|name| name.len() <= limits::TITLE_CHARS);
            if !fits {
                faults.add(
                    &format!("{place}.at"),
                    "must be the names that lead to an argument",
                );
            }
            if found(&self.like.0, at).is_some() {
                faults.add(
                    &format!("{place}.at"),
                    "stands in `like` too, where it could not vary",
                );
            }
            let mut others = self.varies.iter().take(n);
            if others.any(|other| other.at.starts_with(at) || at.starts_with(&other.at)) {
                faults.add(&format!("{place}.at"), "overlaps with another one");
            }
            self.check_rule(
                &varying.at,
                &varying.by,
                &format!("{place}.by"),
                &mut faults,
            );
        }
        let narrows = |rule: &Rule| !matches!(rule, Rule::Any | Rule::Folders(_));
        if !self.varies.iter().any(|varying| narrows(&varying.by)) {
            faults.add(
                "matcher.like.varies",
                "would match everything: at least one argument has to be narrowed down by `words`, `commands`, `below`, `names` or `host`",
            );
        }
        faults.into_result(())
    }

    fn check_rule(&self, at: &[String], rule: &Rule, place: &str, faults: &mut Faults) {
        match rule {
            Rule::Words(words) => {
                for (field, fault) in words.faults() {
                    faults.add(&format!("{place}.words.{field}"), fault);
                }
            }
            Rule::Commands(all) => {
                if !(1..=limits::MATCHER_COMMANDS).contains(&all.len()) {
                    let most = limits::MATCHER_COMMANDS;
                    faults.add(
                        &format!("{place}.commands"),
                        format!("must name 1 to {most} commands"),
                    );
                }
                for (n, words) in all.iter().enumerate().take(limits::MATCHER_COMMANDS) {
                    for (field, fault) in words.faults() {
                        faults.add(&format!("{place}.commands[{n}].{field}"), fault);
                    }
                }
            }
            Rule::Folders(folders) => {
                if at != [FOLDER] || !(1..=limits::MATCHER_VARIES).contains(&folders.len()) {
                    let most = limits::MATCHER_VARIES;
                    faults.add(
                        place,
                        format!("may only be `folders` at `{FOLDER}`, where it runs, and name 1 to {most}"),
                    );
                }
                for (n, fault) in folders.iter().map(|folder| path::fault(folder)).enumerate() {
                    if let Some(fault) = fault {
                        faults.add(&format!("{place}.folders[{n}]"), fault);
                    }
                }
            }
            Rule::Names => {
                if !search::is_search(&self.tool) {
                    faults.add(
                        place,
                        "may only be `names` where a tool searches by them: `Glob`, `Grep`",
                    );
                }
            }
            Rule::Below(folder) => {
                if let Some(fault) = path::fault(folder) {
                    faults.add(&format!("{place}.below"), fault);
                }
            }
            Rule::Host(origin) => {
                if let Some(fault) = host::fault(origin) {
                    faults.add(&format!("{place}.host"), fault);
                }
            }
            Rule::Any => {
                let by = |is_it: fn(&Rule) -> bool| self.varies.iter().any(|one| is_it(&one.by));
                let name = at.last().map_or("", |name| name);
                let of_no_matter = at == [FOLDER]
                    && self.varies.iter().any(|one| {
                        let way = one.at.split_last().map_or(&[][..], |(_, way)| way);
                        is_anywhere(&self.tool, way, &one.by)
                    });
                let is_harmless = of_no_matter
                    || said_of(&self.tool).contains(&name)
                    || (WRITTEN.contains(&name) && by(|rule| matches!(rule, Rule::Below(_))));
                if !is_harmless {
                    faults.add(
                        place,
                        "may not be `any`: only what is said about an action, or written below a folder, may be anything",
                    );
                }
            }
        }
    }
}

fn said_of(tool: &str) -> &'static [&'static str] {
    let found = SAID.iter().find(|(known, _)| *known == tool);
    found.map_or(&[], |(_, said)| said)
}

/// Whether it does not matter in which folder a hook's call runs: it goes to an address, and touches no file. A path matters even where
/// it is absolute, since the folder itself may be a link, and what is below it is then elsewhere.
pub(super) fn is_anywhere(tool: &str, way: &[String], rule: &Rule) -> bool {
    ANYWHERE.contains(&tool) && way == [INPUT] && matches!(rule, Rule::Host(_))
}

/// Arguments of a tool that may be anything beside this rule.
pub(super) fn harmless_beside(tool: &str, rule: &Rule) -> BTreeSet<&'static str> {
    let more: &[&str] = match rule {
        Rule::Below(_) if !search::is_search(tool) => WRITTEN,
        Rule::Below(_)
        | Rule::Words(_)
        | Rule::Commands(_)
        | Rule::Names
        | Rule::Folders(_)
        | Rule::Host(_)
        | Rule::Any => &[],
    };
    said_of(tool).iter().chain(more).copied().collect()
}

/// Whether an argument of this name, in small letters, is said about an action or written by it, and no command or place.
pub(crate) fn is_said_or_written(name: &str) -> bool {
    PROSE.contains(&name) || WRITTEN.contains(&name)
}

/// The value that these names lead to.
pub(super) fn found<'a>(value: &'a Value, at: &[String]) -> Option<&'a Value> {
    at.iter().try_fold(value, |here, name| {
        here.as_object().and_then(|map: &Map<_, _>| map.get(name))
    })
}
