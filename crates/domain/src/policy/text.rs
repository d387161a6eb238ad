//! The texts of an action, read as widely as anything could read them: quotes that only hide a word are gone, small letters
//! and capitals are the same, and what is said in several arguments is one command too.

use std::cell::OnceCell;

use serde_json::Value;

use super::{
    Holds,
    place::{self, Places},
    words::{self, Wanted, Word},
};
use crate::{
    interaction::Action,
    matcher::{is_command_name, is_said_or_written},
};

/// Arguments that name a program, and those that name what it does: as one command they stand before the others.
const PROGRAMS: &[&str] = &[
    "bin",
    "binary",
    "cmd",
    "command",
    "exec",
    "executable",
    "interpreter",
    "program",
    "shell",
];
const DEEDS: &[&str] = &["action", "method", "operation", "subcommand", "verb"];
/// Arguments that say where it runs, and where links lead: no part of a command.
const WHERE: &[&str] = &["cwd", "leads_to"];

/// All texts of an action, or of an argument of it.
#[derive(Debug, Default)]
pub(super) struct Texts {
    all: Vec<Text>,
    /// What the arguments say together, where there are several.
    together: Option<Text>,
    /// Where it runs, if that is said.
    cwd: Option<String>,
    /// Whether something is there that is no text.
    some_unread: bool,
    places: OnceCell<Places>,
}

/// One text.
#[derive(Debug)]
struct Text {
    /// As it is, in small letters.
    lower: String,
    /// Its words, without quotes.
    words: Vec<Word>,
    /// Whether it matters what cannot be told of it: it is no prose.
    counts: bool,
    /// Whether it is a command by its name.
    is_command: bool,
    /// Whether it is a part of what the arguments say together.
    is_part: bool,
    /// Whether there may be more in it than can be read.
    hides: bool,
}

/// What is known of a value by the name that it stands under.
#[derive(Clone, Copy, Debug)]
struct Under {
    counts: bool,
    is_command: bool,
    is_part: bool,
}

impl Under {
    const NOTHING: Self = Self {
        counts: true,
        is_command: false,
        is_part: true,
    };

    fn name(self, name: &str) -> Self {
        let name = name.to_lowercase();
        let counts = !is_said_or_written(&name);
        Self {
            counts,
            is_command: is_command_name(&name),
            is_part: self.is_part && counts && !WHERE.contains(&&*name),
        }
    }
}

impl Texts {
    pub(super) fn of(action: &Action) -> Self {
        let arguments = &action.arguments.0;
        let mut texts = Self::default();
        let mut together = Vec::new();
        texts.collect(arguments, Under::NOTHING, &mut together);
        let operands = action.operands.iter();
        texts.all.extend(operands.map(|operand| {
            let is_part = false;
            Text::new(
                &operand.name,
                Under {
                    is_part,
                    ..Under::NOTHING
                },
            )
        }));
        if together.len() > 1 {
            let mut text = Text::new(&together.join(" "), Under::NOTHING);
            // Whatever a part of it hides is known of that part.
            text.hides = words::runs_what_is_not_read(&text.words, &text.lower);
            texts.together = Some(text);
        }
        let cwd = arguments.get("cwd").and_then(Value::as_str);
        texts.cwd = cwd.and_then(place::of_folder);
        texts
    }

    /// Of the values of one argument.
    pub(super) fn of_argument(found: &[&Value], whole: &Self) -> Self {
        let mut texts = Self {
            cwd: whole.cwd.clone(),
            ..Self::default()
        };
        for value in found {
            let is_plain = match value {
                Value::String(_) | Value::Null => true,
                Value::Array(items) => {
                    !items.iter().any(|item| item.is_array() || item.is_object())
                }
                Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
            };
            texts.some_unread |= !is_plain;
            texts.collect(value, Under::NOTHING, &mut Vec::new());
        }
        // It was named, so it counts, whatever stands around it.
        texts.all.iter_mut().for_each(|text| text.counts = true);
        texts
    }

    fn collect(&mut self, value: &Value, under: Under, together: &mut Vec<String>) {
        if under.is_part {
            together.extend(spelled(value));
        }
        match value {
            Value::String(text) => self.all.push(Text::new(text, under)),
            Value::Array(items) => {
                for item in items {
                    self.collect(item, under, together);
                }
                // `["git", "push"]` is one command.
                let said: Vec<_> = items.iter().filter_map(spelled).collect();
                if said.len() > 1 && items.iter().any(Value::is_string) {
                    let is_part = false;
                    let under = Under { is_part, ..under };
                    self.all.push(Text::new(&said.join(" "), under));
                }
            }
            Value::Object(fields) => {
                let mut fields: Vec<_> = fields.iter().collect();
                fields.sort_by_key(|(name, _)| place_in_command(name));
                for (name, value) in fields {
                    self.collect(value, under.name(name), together);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Whether these words stand in one of them, in this order; options anywhere.
    pub(super) fn have_words(&self, wanted: &[String]) -> Holds {
        let wanted = Wanted::of(wanted);
        let each = self.all.iter().chain(&self.together);
        let most = each.map(|text| text.has_words(&wanted)).max();
        self.at_least(most.unwrap_or(Holds::No))
            .max(match self.are_scattered(&wanted) {
                true => Holds::Unclear,
                false => Holds::No,
            })
    }

    /// Whether each of these words stands in some of them, and all in none: nobody knows what becomes of that.
    fn are_scattered(&self, wanted: &Wanted) -> bool {
        let parts = || self.all.iter().filter(|text| text.is_part);
        wanted.count() > 1
            && wanted
                .each()
                .all(|one| parts().any(|text| one.stands_among(&text.words)))
            && !parts().any(|text| wanted.each().all(|one| one.stands_among(&text.words)))
    }

    /// Whether one of these words stands in one of them.
    pub(super) fn have_one_of(&self, wanted: &[String]) -> bool {
        let wanted = Wanted::of(wanted);
        let mut all = self.all.iter();
        all.any(|text| wanted.each().any(|one| one.stands_among(&text.words)))
    }

    /// Whether this host stands in one of them, or one below it.
    pub(super) fn have_host(&self, host: &str) -> Holds {
        let host = host.to_lowercase();
        let each = self
            .all
            .iter()
            .map(|text| match super::host::is_in(&text.lower, &host) {
                Holds::No if text.hides => text.unclear(),
                Holds::Unclear => text.unclear(),
                is_in => is_in,
            });
        self.at_least(each.max().unwrap_or(Holds::No))
    }

    /// Whether one of them leads to this folder, or below it.
    pub(super) fn lead_below(&self, folder: &str) -> Holds {
        let places = self.places.get_or_init(|| {
            let mut places = Places::default();
            let cwd = self.cwd.as_deref();
            // What counts comes first: there is an end to how many are looked at.
            for counts in [true, false] {
                for text in self.all.iter().filter(|text| text.counts == counts) {
                    let words = text.words.iter().map(|word| &*word.lower);
                    places.add(&text.lower, words, cwd, counts);
                }
            }
            places
        });
        let hides = self.all.iter().any(|text| text.counts && text.hides);
        match places.are_below(folder) {
            Holds::No if hides => Holds::Unclear,
            leads => self.at_least(leads),
        }
    }

    /// Whether a command among them looks destructive, where [`destructive`](crate::matcher::destructive) sees nothing.
    pub(super) fn look_destructive(&self) -> Holds {
        let commands = || self.all.iter().filter(|text| text.is_command);
        if commands().any(|text| words::overwrites(&text.lower)) {
            return Holds::Yes;
        }
        match commands().any(|text| text.hides) {
            true => Holds::Unclear,
            false => Holds::No,
        }
    }

    fn at_least(&self, holds: Holds) -> Holds {
        match self.some_unread {
            true => holds.max(Holds::Unclear),
            false => holds,
        }
    }
}

impl Text {
    fn new(text: &str, under: Under) -> Self {
        let lower = text.to_lowercase();
        let words = words::of(text);
        Self {
            hides: words::hide(&words, &lower),
            lower,
            words,
            counts: under.counts,
            is_command: under.is_command,
            is_part: under.is_part,
        }
    }

    fn has_words(&self, wanted: &Wanted) -> Holds {
        match wanted.stand_in(&self.words) {
            Holds::Yes => Holds::Yes,
            Holds::No if !self.hides => Holds::No,
            Holds::Unclear | Holds::No => self.unclear(),
        }
    }

    fn unclear(&self) -> Holds {
        match self.counts {
            true => Holds::Unclear,
            false => Holds::No,
        }
    }
}

/// A value as it stands in a command.
fn spelled(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn place_in_command(name: &str) -> u8 {
    let name = name.to_lowercase();
    match () {
        () if PROGRAMS.contains(&&*name) => 0,
        () if DEEDS.contains(&&*name) => 1,
        () => 2,
    }
}
