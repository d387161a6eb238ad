//! Facts found about the files that an action names: for the action itself, for the people, and to compare.

use std::{
    collections::BTreeMap,
    path::{Component, Path},
};

use anyhow::{bail, ensure};
use domain::{fault::is_name, interaction::Operand, limits};

use super::{places::Place, plain};

/// More than any prompt could name.
const MOST_LEFT_OUT: usize = 2_000;
/// How much of a name is shown.
const LONGEST_SHOWN: usize = 120;

/// The facts found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::commands) struct Named {
    /// By name.
    pub(in crate::commands) operands: Vec<Operand>,
    /// The folder that names are looked for in.
    pub(super) folder: Option<Place>,
    /// The place each name stands for, also that of a file that is still to be written.
    pub(super) places: BTreeMap<String, Place>,
    /// Files that were not read, and why.
    pub(super) left_out: Vec<String>,
    /// Whether names were looked for in more than paths.
    pub(super) is_searched: bool,
    /// Whether it may name more than was found.
    pub(super) is_more: bool,
    /// Whether there are more files than an approval can hold.
    pub(super) too_many: bool,
}

impl Named {
    /// The names that do not lead where they seem to, and where they lead: links are on the way. What goes up is seen to.
    pub(in crate::commands) fn links(&self, folder: &Path) -> BTreeMap<String, String> {
        let Some(base) = self.folder.as_ref().map(Place::leads) else {
            return BTreeMap::new();
        };
        let goes_up = |name: &str| {
            let mut parts = Path::new(name).components();
            parts.any(|part| part == Component::ParentDir)
        };
        let straight = |name: &str| match Path::new(name).strip_prefix(folder) {
            Ok(inside) => base.join(inside),
            Err(_) => base.join(name),
        };
        // A home is a shell's to know: what begins with it is never taken for something else.
        let places = self
            .places
            .iter()
            .filter(|(name, _)| !goes_up(name) && !name.starts_with('~'));
        let elsewhere = places.filter(|(name, place)| place.leads() != straight(name));
        let shown = |place: &Place| place.leads().display().to_string();
        elsewhere
            .map(|(name, place)| (name.clone(), shown(place)))
            .collect()
    }

    /// A prompt, and the parts people cannot rely on.
    ///
    /// # Errors
    /// When not all of it can be approved, or told: an action people were not told of must not run.
    pub(in crate::commands) fn told_after(&self, prompt: &str) -> anyhow::Result<String> {
        ensure!(
            !self.too_many,
            "it names more than {} files, and one approval can hold no more: let it be done in parts",
            limits::OPERANDS
        );
        for Operand { name, .. } in &self.operands {
            ensure!(
                is_name(name, limits::OPERAND_CHARS),
                "it names the file {name:?}, and no approval can hold that name (a tab, a line break, or nothing to see is in it): call the file something else"
            );
        }
        let told = format!("{prompt}{}", self.not_covered());
        let chars = told.chars().count();
        if self.left_out.len() >= MOST_LEFT_OUT || chars > limits::TEXT_CHARS {
            bail!(
                "it names {} things that cannot be looked into, and people can be told no more than {} characters: let it be done in parts",
                self.left_out.len(),
                limits::TEXT_CHARS
            );
        }
        Ok(told)
    }

    /// The files that the approval does not cover. People are always told, so that no silence has to be
    /// relied on.
    pub(super) fn not_covered(&self) -> String {
        let mut said = String::new();
        if self.is_more {
            said += &format!("\n\n{}", plain::MORE);
        } else if self.is_searched {
            said += &format!("\n\n{}", plain::LISTED);
        }
        if !self.left_out.is_empty() {
            said += "\n\nNot looked into, so they may change before it runs: ";
            said += &self.left_out.join(", ");
        }
        said
    }

    /// The first file that is not as it was before.
    pub(in crate::commands) fn differs_from(&self, before: &Self) -> Option<String> {
        if self.folder != before.folder {
            return Some("the folder that it runs in".to_owned());
        }
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

    pub(super) fn leave_out(&mut self, name: &str, why: &str) {
        let shown: String = name.chars().take(LONGEST_SHOWN).collect();
        let more = if shown.len() < name.len() { "…" } else { "" };
        let shown = shown.replace('`', "'");
        let said = format!("`{shown}{more}` ({why})");
        if self.left_out.len() < MOST_LEFT_OUT && !self.left_out.contains(&said) {
            self.left_out.push(said);
        }
    }
}
