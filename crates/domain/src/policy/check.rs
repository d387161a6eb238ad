//! What is wrong with a set of policies. All of it is said at once, each fault with its place, and nothing of a set with a
//! fault is put in force.

use std::collections::BTreeSet;

use super::{Example, Has, Holds, Policies, PolicyRule, Question, When, recovery, same_name};
use crate::{
    fault::{Fault, Faults, is_name},
    ids::TeamId,
    interaction::{Counted, Then},
    limits,
};

/// Who and what is there, so that a rule does not ask for what nobody can give.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// How many people may answer what belongs to no team.
    pub people: usize,
    /// Each team.
    pub teams: Vec<TeamThere>,
}

/// A team, and how many people may answer what it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TeamThere {
    /// Its id.
    pub id: TeamId,
    /// Its name.
    pub name: String,
    /// Its members who answer.
    pub members: usize,
    /// These and the admins, each once.
    pub all: usize,
}

impl Policies {
    /// What is wrong with them by themselves.
    ///
    /// # Errors
    /// Every fault, with its path.
    pub fn check(&self) -> Result<(), Vec<Fault>> {
        let mut faults = Faults::default();
        let count = self.rules.len();
        if count > limits::POLICY_RULES {
            let most = limits::POLICY_RULES;
            faults.add(
                "rules",
                format!("has {count} rules, at most {most} are allowed"),
            );
            return faults.into_result(());
        }
        let size = serde_json::to_vec(self).map_or(usize::MAX, |bytes| bytes.len());
        if size > limits::POLICY_BYTES || self.digest().is_err() {
            let most = limits::POLICY_BYTES;
            faults.add("$", format!("has {size} bytes, at most {most} are allowed"));
            return faults.into_result(());
        }
        let mut names = BTreeSet::new();
        for (n, rule) in self.rules.iter().enumerate() {
            let place = format!("rules[{n}]");
            if !names.insert(rule.name.to_lowercase()) {
                faults.add(&format!("{place}.name"), "is the name of another rule, too");
            }
            rule.check(&place, &mut faults);
        }
        faults.into_result(())
    }

    /// What they ask for that nobody could give as things are.
    ///
    /// # Errors
    /// Every fault, with its path.
    pub fn check_among(&self, surroundings: &Surroundings) -> Result<(), Vec<Fault>> {
        let mut faults = Faults::default();
        for (n, rule) in self.rules.iter().enumerate() {
            rule.check_among(surroundings, &format!("rules[{n}]"), &mut faults);
        }
        faults.into_result(())
    }
}

impl PolicyRule {
    fn check(&self, place: &str, faults: &mut Faults) {
        let at = |field: &str| format!("{place}.{field}");
        if !is_name(&self.name, limits::LABEL_CHARS) {
            let most = limits::LABEL_CHARS;
            faults.add(
                &at("name"),
                format!("must be one line of 1 to {most} characters"),
            );
        }
        match &self.reason {
            Some(reason) => {
                faults.line(&at("reason"), Some(reason.clone()), limits::LINE_CHARS);
            }
            None if self.then == Some(Then::Forbid) => faults.add(
                &at("reason"),
                "is required where a rule forbids: the agent and people are told it",
            ),
            None if self.destructive => faults.add(
                &at("reason"),
                "is required where a rule says that something is destructive: people see it with the question",
            ),
            None => {}
        }
        if self.then.is_none() && !self.destructive {
            faults.add(
                &at("then"),
                "must be `forbid`, `ask` or `allow`, unless the rule says that something is `destructive`",
            );
        }
        if self.then == Some(Then::Allow) && self.destructive {
            faults.add(
                &at("destructive"),
                "is no part of a rule that allows: whatever else allows it would not count any more",
            );
        }
        names(&self.agents, &at("agents"), faults);
        names(&self.teams, &at("teams"), faults);
        self.check_ask(&at, faults);
        self.check_scope(&at, faults);
        if let Some(command) = recovery::forbidden_by(self) {
            faults.add(
                &at("then"),
                format!(
                    "would forbid `{command}` to every agent, by which an admin takes this rule back: let it ask, or name the agents that it is for"
                ),
            );
        }
        self.check_examples(&self.r#match, true, &at("match"), faults);
        self.check_examples(&self.not_match, false, &at("not_match"), faults);
    }

    /// How it asks, which no other rule does.
    fn check_ask(&self, at: &dyn Fn(&str) -> String, faults: &mut Faults) {
        for (is_there, field) in [
            (self.approvals.is_some(), "approvals"),
            (self.team.is_some(), "team"),
            (self.deadline_seconds.is_some(), "deadline_seconds"),
        ] {
            if is_there && self.then != Some(Then::Ask) {
                faults.add(&at(field), "belongs to a rule that asks");
            }
        }
        if let Some(approvals) = &self.approvals {
            let mut found = Faults::default();
            approvals.check(&mut found);
            let found = found.into_result(()).err().unwrap_or_default();
            for fault in found {
                faults.add(&at(&fault.path), fault.message);
            }
        }
        if let Some(team) = &self.team
            && !is_name(team, limits::LINE_CHARS)
        {
            faults.add(&at("team"), "must be the name of a team");
        }
        if let Some(seconds) = self.deadline_seconds
            && !(1..=limits::TIMEOUT_SECONDS).contains(&seconds)
        {
            let most = limits::TIMEOUT_SECONDS;
            faults.add(
                &at("deadline_seconds"),
                format!("must be from 1 to {most} (400 days)"),
            );
        }
    }

    /// What it applies to.
    fn check_scope(&self, at: &dyn Fn(&str) -> String, faults: &mut Faults) {
        let allows = self.then == Some(Then::Allow);
        match (&self.when, &self.matcher) {
            (None, Some(matcher)) if allows => {
                let found = matcher.check_alone().err().unwrap_or_default();
                for fault in found {
                    faults.add(&at(&fault.path), fault.message);
                }
            }
            (_, None) if allows => faults.add(
                &at("matcher"),
                "is required where a rule allows: as for a grant, it says yes only to what certainly is meant",
            ),
            (Some(when), None) => {
                when.check(&at("when"), faults);
                let is_narrowed = !self.agents.is_empty() || !self.teams.is_empty();
                if when.is_everything() && !(is_narrowed && self.then != Some(Then::Forbid)) {
                    faults.add(
                        &at("when"),
                        "would match everything: name tools, or what their arguments have",
                    );
                }
            }
            (None, None) => faults.add(
                &at("when"),
                "is required: it says what the rule applies to, as widely as it could be meant",
            ),
            (_, Some(_)) if allows => {
                faults.add(&at("when"), "is for rules that forbid or ask");
            }
            (_, Some(_)) => faults.add(
                &at("matcher"),
                "is for rules that allow: it would let through whatever only looks a little different",
            ),
        }
    }

    fn check_examples(&self, examples: &[Example], has_to: bool, place: &str, faults: &mut Faults) {
        let most = limits::POLICY_EXAMPLES;
        if !(1..=most).contains(&examples.len()) {
            let what = match has_to {
                true => "that the rule applies to",
                false => "that it does not apply to",
            };
            faults.add(place, format!("must have 1 to {most} actions {what}"));
        }
        for (n, example) in examples.iter().enumerate().take(most) {
            let (agent, team) = (example.agent.as_ref(), example.team.as_ref());
            let action = example.action();
            let asked = Question {
                agent: agent.or(self.agents.first()).map_or("", |name| name),
                team: team.or(self.teams.first()).map(|name| &**name),
                action: &action,
            };
            let said = match (self.holds(&asked), has_to) {
                (Holds::Yes, true) | (Holds::No, false) => continue,
                (Holds::No, true) => "is not matched by the rule",
                (Holds::Yes, false) => "is matched by the rule",
                (Holds::Unclear, _) => {
                    "cannot be told from what the rule says: something in it is hidden, or is no text"
                }
            };
            faults.add(&format!("{place}[{n}]"), said);
        }
    }

    fn check_among(&self, surroundings: &Surroundings, place: &str, faults: &mut Faults) {
        let known = |name: &str| {
            let mut teams = surroundings.teams.iter();
            teams.find(|team| same_name(&team.name, name))
        };
        for (n, team) in self.teams.iter().enumerate() {
            if known(team).is_none() {
                faults.add(&format!("{place}.teams[{n}]"), "is no team here");
            }
        }
        let asked = self.team.as_ref().map(|name| (name, known(name)));
        if let Some((_, None)) = asked {
            faults.add(&format!("{place}.team"), "is no team here");
        }
        let Some(approvals) = &self.approvals else {
            return;
        };
        let needed = approvals.needed.unwrap_or(1);
        let counted_in_team = approvals.of == Some(Counted::Team);
        let there = match asked {
            Some((_, Some(team))) if counted_in_team => team.members,
            Some((_, Some(team))) => team.all,
            _ => surroundings.people,
        };
        if usize::try_from(needed).is_ok_and(|needed| needed > there) {
            faults.add(
                &format!("{place}.approvals.needed"),
                format!("is more than could ever approve: {there} may answer there"),
            );
        }
    }
}

impl When {
    fn check(&self, place: &str, faults: &mut Faults) {
        if self.tools.len() > limits::POLICY_NAMED || self.arguments.len() > limits::POLICY_NAMED {
            let most = limits::POLICY_NAMED;
            faults.add(
                place,
                format!("may name {most} tools and {most} conditions at most"),
            );
        }
        for (n, tool) in self.tools.iter().enumerate() {
            let inside = tool.strip_suffix('*').unwrap_or(tool);
            if inside.contains('*') || !is_name(tool, limits::TITLE_CHARS) {
                faults.add(
                    &format!("{place}.tools[{n}]"),
                    "must be the name of a tool; a `*` may stand at its end alone",
                );
            }
        }
        for (n, condition) in self.arguments.iter().enumerate() {
            let at = format!("{place}.arguments[{n}]");
            let names = &condition.at;
            let fits = names.len() <= limits::MATCHER_DEPTH
                && names.iter().all(|name| name.len() <= limits::TITLE_CHARS);
            if !fits {
                faults.add(
                    &format!("{at}.at"),
                    "must be the names that lead to an argument",
                );
            }
            if let Some((field, what)) = condition.has.fault(names.is_empty()) {
                faults.add(&format!("{at}.has.{field}"), what);
            }
        }
    }

    /// Whether it says nothing about what it applies to.
    fn is_everything(&self) -> bool {
        let is_any = |tool: &String| {
            tool.strip_suffix('*')
                .is_some_and(|beginning| beginning.chars().count() < 2)
        };
        let is_any_tool = self.tools.is_empty() || self.tools.iter().any(is_any);
        is_any_tool && self.arguments.is_empty() && !self.looks_destructive
    }
}

impl Has {
    fn fault(&self, is_anywhere: bool) -> Option<(&'static str, &'static str)> {
        let is_word = |word: &String| {
            is_name(word, limits::POLICY_WORD_CHARS)
                && !word.contains(char::is_whitespace)
                && !word.contains([
                    '\'', '"', '\\', ';', '|', '&', '(', ')', '{', '}', '<', '>', '=', ',',
                ])
        };
        let says_something = |word: &String| word.chars().any(char::is_alphanumeric);
        match self {
            Self::Words(words) if !(1..=limits::POLICY_NAMED).contains(&words.len()) => Some((
                "words",
                "must have at least one word: without, it would match everything",
            )),
            Self::Words(words) if !words.iter().all(is_word) => Some((
                "words",
                "must be single words, without quotes and the signs that part words",
            )),
            Self::Words(words) if !words.iter().any(says_something) => {
                Some(("words", "must have a word with letters or digits"))
            }
            Self::Below(folder) => {
                let mut names = folder.split('/').skip(1);
                let is_plain = |name: &str| !name.is_empty() && name != "." && name != "..";
                let fits = folder.starts_with('/')
                    && folder.chars().count() <= limits::POLICY_WORD_CHARS
                    && names.all(is_plain);
                (!fits).then_some((
                    "below",
                    "must be an absolute path that names a folder, with no `.` or `..` and no `/` at the end",
                ))
            }
            Self::Host(host) => {
                let is_label = |label: &str| {
                    !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-')
                };
                let fits = host.chars().count() <= limits::POLICY_WORD_CHARS
                    && host.split('.').all(is_label)
                    && (host.contains('.') || host == "localhost");
                (!fits).then_some((
                    "host",
                    "must be the name of a host with a dot in it, without scheme and port; hosts below it are meant too",
                ))
            }
            Self::Is(values) if !(1..=limits::POLICY_NAMED).contains(&values.len()) => {
                Some(("is", "must have at least one value"))
            }
            Self::Is(_) if is_anywhere => Some(("is", "needs the place of the argument, in `at`")),
            Self::Words(_) | Self::Is(_) => None,
        }
    }
}

fn names(names: &[String], place: &str, faults: &mut Faults) {
    let most = limits::POLICY_NAMED;
    if names.len() > most {
        faults.add(place, format!("may have {most} names at most"));
    }
    for (n, name) in names.iter().enumerate().take(most) {
        if !is_name(name, limits::LINE_CHARS) {
            faults.add(&format!("{place}[{n}]"), "must be a name of one line");
        }
    }
}
