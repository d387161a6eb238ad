//! What can be approved ahead, made from what was approved: exactly this first, then wider and wider.

use serde_json::Value;

use super::{
    Exactly, Matcher, Pattern, Place, Rule, Varying, Words, check, host, line, path, search, take,
};
use crate::{interaction::Action, json::AnyJson, limits};

/// What a command is called.
const COMMAND: &[&str] = &["command", "cmd"];
/// What a path is called.
const PATH: &[&str] = &["file_path", "notebook_path", "path"];
/// What an address is called.
const ADDRESS: &[&str] = &["url", "uri"];
/// Arguments stand in the action itself, or in what a hook wraps: its folder and the tool's input.
pub(super) const INPUT: &str = "input";
pub(super) const FOLDER: &str = "cwd";

/// All that a person can be offered for an action, the narrowest first. Each of them matches it.
pub fn propose(action: &Action) -> Vec<Matcher> {
    let Ok(digest) = action.digest() else {
        return Vec::new();
    };
    // It would cover nothing.
    if !action.attachments.is_empty() {
        return Vec::new();
    }
    let exactly = Matcher::Exactly(Exactly {
        tool: action.tool.clone(),
        digest,
    });
    let wider = rules(action)
        .into_iter()
        .map(|(at, rule)| pattern(action, at, rule));
    let fits = |matcher: &Matcher| matcher.check(action).is_ok();
    let all = std::iter::once(exactly).chain(wider.map(|pattern| Matcher::Like(Box::new(pattern))));
    all.filter(fits).take(limits::PROPOSALS).collect()
}

/// How an argument may vary, and where it stands.
fn rules(action: &Action) -> Vec<(Vec<String>, Rule)> {
    let arguments = &action.arguments.0;
    let folder = arguments.get(FOLDER).and_then(Value::as_str);
    let nested = arguments.get(INPUT).filter(|input| input.is_object());
    let (way, fields) = match nested {
        Some(input) => (vec![INPUT.to_owned()], input),
        None => (Vec::new(), arguments),
    };
    let mut rules = Vec::new();
    let texts = fields.as_object().into_iter().flatten();
    for (name, value) in texts {
        let Some(text) = value.as_str() else { continue };
        let mut at = way.clone();
        at.push(name.clone());
        let found: Vec<_> = match &**name {
            name if COMMAND.contains(&name) => of_line(text, &Place::of(action)),
            name if PATH.contains(&name) && search::is_search(&action.tool) => searched(text),
            "pattern" if action.tool == "Glob" => vec![Rule::Names],
            name if PATH.contains(&name) => folders_above(text)
                .map(|folder| Rule::Below(folder.to_owned()))
                .collect(),
            name if ADDRESS.contains(&name) => {
                let origin = host::origin(text).into_iter();
                origin.map(|origin| Rule::Host(origin.to_owned())).collect()
            }
            _ => Vec::new(),
        };
        rules.extend(found.into_iter().map(|rule| (at.clone(), rule)));
    }
    // It searches where it runs.
    if let Some(folder) = folder
        && action.tool == "Grep"
        && fields.get("path").is_none()
    {
        let at = way.into_iter().chain(["path".to_owned()]).collect();
        rules.push((at, Rule::Below(folder.to_owned())));
    }
    rules
}

/// What can be approved of a line of commands.
fn of_line(line: &str, place: &Place<'_>) -> Vec<Rule> {
    let commands = line::commands(line, place).into_iter();
    let mut all: Vec<_> = commands
        .map(|command| Words::of(command, place.folder))
        .collect();
    if let [one] = &mut *all {
        return std::mem::take(one).into_iter().map(Rule::Words).collect();
    }
    if all.is_empty() {
        return Vec::new();
    }
    let of_each = |which: fn(&[Words]) -> Option<&Words>| {
        let each: Option<Vec<_>> = all.iter().map(|some| which(some)).collect();
        let mut words: Vec<Words> = Vec::new();
        for one in each.unwrap_or_default() {
            if !words.contains(one) {
                words.push(one.clone());
            }
        }
        Rule::Commands(words)
    };
    let mut rules = vec![of_each(<[Words]>::first), of_each(<[Words]>::last)];
    rules.dedup();
    rules
}

/// The folder that is searched, and those above it.
fn searched(text: &str) -> Vec<Rule> {
    let itself = std::iter::once(text);
    let all = itself.chain(folders_above(text)).take(limits::PROPOSALS);
    all.map(|folder| Rule::Below(folder.to_owned())).collect()
}

/// The folders that a path is in, the nearest first, as far as a grant may be for them.
fn folders_above(text: &str) -> impl Iterator<Item = &str> {
    let cut = text.char_indices().rev().filter(|(_, c)| *c == '/');
    cut.filter_map(|(at, _)| text.get(..at))
        .filter(move |folder| path::is_below(text, folder))
        .take(limits::PROPOSALS)
}

/// The action with one argument that varies, and all beside it that is harmless then.
fn pattern(action: &Action, at: Vec<String>, rule: Rule) -> Pattern {
    let mut like = action.arguments.0.clone();
    let beside = check::harmless_beside(&action.tool, &rule);
    let mut varies = Vec::new();
    let way = at.split_last().map_or(&[][..], |(_, way)| way);
    for name in beside {
        let mut at_beside = way.to_vec();
        at_beside.push(name.to_owned());
        if at_beside != at {
            take(&mut like, &at_beside);
            varies.push(Varying {
                at: at_beside,
                by: Rule::Any,
            });
        }
    }
    let folder = [FOLDER.to_owned()];
    if check::is_anywhere(&action.tool, way, &rule) && take(&mut like, &folder).is_some() {
        varies.push(Varying {
            at: folder.to_vec(),
            by: Rule::Any,
        });
    }
    take(&mut like, &at);
    varies.insert(0, Varying { at, by: rule });
    let mut pattern = Pattern {
        tool: action.tool.clone(),
        like: AnyJson(like),
        varies,
        operands: Vec::new(),
    };
    pattern.operands = pattern.bound(action);
    pattern
}
