//! Policies: what an admin has decided about actions before anybody asks (rule 14). A rule forbids, asks people, or allows;
//! the strictest of all that apply wins, over grants too.
//!
//! The two directions are read in two ways. What allows is a [`Matcher`], as grants have it: it says yes only to what
//! certainly is meant. What forbids or asks is [`When`]: it says yes to whatever could be meant, and where that cannot be told
//! a person looks.

mod check;
mod recovery;
mod ruling;
mod set;
#[cfg(test)]
mod tests;
mod text;
mod when;
mod write;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use check::{Surroundings, TeamThere};
pub use ruling::{InForce, Question, Ruling, rule, under};
pub use set::{PolicySet, PolicyTerms, Source};
pub use when::{Condition, Has, Holds, When};
pub use write::PolicyWrite;

use crate::{
    digest,
    interaction::{Action, QuorumDraft, Then},
    json::AnyJson,
    matcher::Matcher,
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
        self.holds_for(asked, &text::Texts::of(asked.action))
    }

    /// As [`Self::holds`], where the texts of the action are known: there may be many rules.
    fn holds_for(&self, asked: &Question<'_>, texts: &text::Texts) -> Holds {
        let named = |names: &[String], name: Option<&str>| {
            let is_it = |one: &String| name.is_some_and(|name| same_name(one, name));
            names.is_empty() || names.iter().any(is_it)
        };
        if !named(&self.agents, Some(asked.agent)) || !named(&self.teams, asked.team) {
            return Holds::No;
        }
        match (&self.when, &self.matcher) {
            (Some(when), None) => when.holds(asked.action, texts),
            (None, Some(matcher)) => match matcher.matches(asked.action) {
                true => Holds::Yes,
                false => Holds::No,
            },
            // Neither passes the check; of what was stored otherwise nothing can be told.
            (Some(_), Some(_)) | (None, None) => Holds::Unclear,
        }
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
}

/// Names of agents and teams are the same in small letters.
fn same_name(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}
