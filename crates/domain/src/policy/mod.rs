//! Policies: what an admin has decided about actions before anybody asks (rule 14). A rule forbids, asks people, or allows;
//! the strictest of all that apply wins, over grants too.
//!
//! The two directions are read in two ways. What allows is a [`Matcher`], as grants have it: it says yes only to what
//! certainly is meant. What forbids or asks is [`When`]: it says yes to whatever could be meant, and where that cannot be told
//! a person looks.

mod check;
mod host;
mod place;
mod recovery;
mod ruling;
mod set;
#[cfg(test)]
mod tests;
mod text;
mod when;
mod words;
mod write;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

pub use check::{Surroundings, TeamThere};
pub(crate) use ruling::stricter;
pub use ruling::{InForce, Question, Ruling, rule, rule_among, under};
pub use set::{PolicySet, PolicyTerms, Source};
pub use when::{Condition, Has, Holds, When};
pub use write::PolicyWrite;

use crate::{
    digest,
    interaction::{Action, QuorumDraft, Then},
    json::{AnyJson, some_whole},
    matcher::{Held, Matcher},
};

/// A set of rules, as it is written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policies {
    /// The rules. Their order decides nothing but which is named first.
    #[serde(default)]
    pub rules: Vec<PolicyRule>,
}

/// One rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyRule {
    /// What it is called, wherever it decides something.
    pub name: String,
    /// Why, for the people who are asked and the agent that is denied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What it does; absent where it only says that something is destructive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<Then>,
    /// Whether what it applies to is destructive.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub destructive: bool,
    /// The agents that it is for, by name; all of them when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// The teams that are asked, by name; any, and none, when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub teams: Vec<String>,
    /// What it applies to, where it forbids or asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<When>,
    /// What it applies to, where it allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matcher: Option<Matcher>,
    /// Where it asks: how many people have to approve, and who counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approvals: Option<QuorumDraft>,
    /// Where it asks: the team that is asked in place of the agent's own, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// Where it asks: how long people have at most.
    #[serde(
        default,
        deserialize_with = "some_whole",
        skip_serializing_if = "Option::is_none"
    )]
    pub deadline_seconds: Option<i64>,
    /// Actions that it has to apply to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub r#match: Vec<Example>,
    /// Actions that it must not apply to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_match: Vec<Example>,
}

/// An action by which a rule is checked when it is loaded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// Its tool.
    pub tool: String,
    /// Its arguments by name.
    #[serde(default = "no_arguments")]
    pub arguments: AnyJson,
    /// Who asks; the first agent that the rule names when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The team that is asked; the first that the rule names when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
}

/// What is asked, as every rule looks at it. There may be many: the texts of the action are read, and its digest is made, once.
struct Considered<'a> {
    asked: &'a Question<'a>,
    texts: text::Texts,
    held: Held<'a>,
    /// The names of all teams, where that is known.
    teams: Option<&'a [String]>,
}

impl<'a> Considered<'a> {
    fn of(asked: &'a Question<'a>, teams: Option<&'a [String]>) -> Self {
        Self {
            asked,
            texts: text::Texts::of(asked.action),
            held: Held::of(asked.action),
            teams,
        }
    }
}

fn no_arguments() -> AnyJson {
    AnyJson(Value::Object(Map::new()))
}

impl Policies {
    /// `sha256:` and the hex of SHA-256 over the RFC 8785 form.
    ///
    /// # Errors
    /// When something in it has no RFC 8785 form.
    pub fn digest(&self) -> Result<String, serde_json::Error> {
        Ok(digest::sha256(&serde_json_canonicalizer::to_vec(self)?))
    }

    /// Whether these are those rules and more, none of which allows anything: whatever those forbid or ask about, these do.
    pub fn only_add_to(&self, before: &Self) -> bool {
        let kept = before.rules.iter().all(|rule| self.rules.contains(rule));
        let mut added = self.added_to(before);
        kept && added.all(|rule| rule.then != Some(Then::Allow))
    }

    /// A rule that names this team: it would be about another one, or none, if that were called otherwise.
    pub fn naming_team(&self, name: &str) -> Option<&PolicyRule> {
        self.rules.iter().find(|rule| {
            let mut named = rule.teams.iter().chain(&rule.team);
            named.any(|team| same_name(team, name))
        })
    }

    /// The rules that were not there before.
    pub fn added_to<'a>(&'a self, before: &'a Self) -> impl Iterator<Item = &'a PolicyRule> {
        self.rules
            .iter()
            .filter(|rule| !before.rules.contains(rule))
    }
}

impl PolicyRule {
    /// Whether it applies to what is asked.
    pub fn holds(&self, asked: &Question<'_>) -> Holds {
        self.holds_for(&Considered::of(asked, None))
    }

    /// As [`Self::holds`], of what several rules are held against.
    fn holds_for(&self, considered: &Considered<'_>) -> Holds {
        let Considered { asked, teams, .. } = *considered;
        let named = |names: &[String], name: Option<&str>| {
            let is_it = |one: &String| name.is_some_and(|name| same_name(one, name));
            names.is_empty() || names.iter().any(is_it)
        };
        // Two agents may differ in nothing but capitals: of what allows, the one that is meant.
        let is_other = self.then == Some(Then::Allow)
            && !self.agents.is_empty()
            && !self.agents.iter().any(|name| name == asked.agent);
        let is_gone = |name: &String| {
            teams.is_some_and(|teams| !teams.iter().any(|team| same_name(team, name)))
        };
        let of_team = match named(&self.teams, asked.team) {
            true => Holds::Yes,
            // Deleted, called otherwise, or mistyped in a file: nobody knows which was meant.
            false if self.teams.iter().any(is_gone) => Holds::Unclear,
            false => Holds::No,
        };
        if is_other || !named(&self.agents, Some(asked.agent)) || of_team == Holds::No {
            return Holds::No;
        }
        let of_action = match (&self.when, &self.matcher) {
            (Some(when), None) => when.holds(asked.action, &considered.texts),
            (None, Some(matcher)) => match matcher.covers(&considered.held) {
                true => Holds::Yes,
                false => Holds::No,
            },
            // Neither passes the check; of what was stored otherwise nothing can be told.
            (Some(_), Some(_)) | (None, None) => Holds::Unclear,
        };
        of_action.min(of_team)
    }
}

impl Example {
    fn action(&self) -> Action {
        Action {
            tool: self.tool.clone(),
            arguments: self.arguments.clone(),
            operands: Vec::new(),
            attachments: Vec::new(),
        }
    }

    /// The same as a coding agent's hook wraps it, unless it is written so, or says where it runs.
    fn wrapped(&self) -> Option<Action> {
        let arguments = &self.arguments.0;
        let is_alone =
            arguments.is_object() && WRAPPED.iter().all(|name| arguments.get(name).is_none());
        is_alone.then(|| Action {
            arguments: AnyJson(json!({ "cwd": SOMEWHERE, "input": arguments })),
            ..self.action()
        })
    }
}

/// What a hook's call has.
const WRAPPED: [&str; 2] = ["cwd", "input"];
/// A folder that no rule is about.
const SOMEWHERE: &str = "/folder-of-an-example";

/// Names of agents and teams are the same in small letters.
fn same_name(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}
