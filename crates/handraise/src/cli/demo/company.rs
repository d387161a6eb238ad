//! The company as it is written in `company.toml`: who there is, what was asked, and what is asked next.

use std::collections::BTreeMap;

use anyhow::Context;
use domain::{
    Role,
    interaction::{AnswerDraft, Draft, ReportDraft},
    policy::Policies,
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value};

const WRITTEN: &str = include_str!("company.toml");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Company {
    pub(super) teams: Vec<TeamOf>,
    pub(super) people: Vec<PersonOf>,
    pub(super) agents: Vec<AgentOf>,
    pub(super) policies: Policies,
    pub(super) past: Vec<Past>,
    pub(super) now: Vec<Scene>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TeamOf {
    pub(super) name: String,
    /// Who answers in it.
    pub(super) answers: Vec<String>,
    /// Who only reads.
    #[serde(default)]
    pub(super) reads: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PersonOf {
    pub(super) name: String,
    pub(super) role: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AgentOf {
    pub(super) name: String,
    /// The team that it asks; everyone without.
    #[serde(default)]
    pub(super) team: Option<String>,
    #[serde(default)]
    pub(super) owner: Option<String>,
}

/// Something that was asked, once or again and again.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Past {
    pub(super) agent: String,
    #[serde(default = "once")]
    pub(super) times: usize,
    /// What differs from time to time: `{name}` in a text is the next of these.
    #[serde(default)]
    pub(super) vary: BTreeMap<String, Vec<String>>,
    pub(super) ask: Value,
    /// The next of these each time; without any the deadline passes.
    #[serde(default)]
    pub(super) answers: Vec<Said>,
    /// The agent takes it back, for this reason.
    #[serde(default)]
    pub(super) taken_back: Option<String>,
    /// What came of it, the next of these each time.
    #[serde(default)]
    pub(super) reports: Vec<ReportDraft>,
    /// The first to approve it lets the next ones run that differ in what may vary.
    #[serde(default)]
    pub(super) grant: bool,
    /// It was asked so many minutes ago, and waits.
    #[serde(default)]
    pub(super) waits_since: Option<i64>,
}

/// What a person says.
#[derive(Debug, Deserialize)]
pub(super) struct Said {
    pub(super) by: String,
    /// How many minutes later: in the month behind. In the present: seconds.
    pub(super) after: i64,
    /// Another person says the same, where it takes two.
    #[serde(default)]
    pub(super) and: Option<String>,
    #[serde(flatten)]
    answer: Map<String, Value>,
}

/// What an agent is about to do from now on: it asks, and goes on by how it ended.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scene {
    pub(super) agent: String,
    #[serde(default)]
    pub(super) vary: BTreeMap<String, Vec<String>>,
    pub(super) begin: Step,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    pub(super) ask: Value,
    /// Whoever of the company answers, if nobody else has by then.
    #[serde(default)]
    pub(super) colleague: Option<Said>,
    /// What the agent says came of it.
    #[serde(default)]
    pub(super) report: Option<ReportDraft>,
    /// By outcome; `otherwise` is any other one.
    #[serde(default)]
    pub(super) then: BTreeMap<String, Step>,
}

fn once() -> usize {
    1
}

impl Company {
    pub(super) fn read() -> anyhow::Result<Self> {
        toml::from_str(WRITTEN).context("the company cannot be read")
    }
}

impl PersonOf {
    pub(super) fn role(&self) -> anyhow::Result<Role> {
        Role::from_name(&self.role).with_context(|| format!("{}: no such role", self.name))
    }
}

impl Past {
    pub(super) fn draft(&self, time: usize) -> anyhow::Result<Draft> {
        filled(&self.ask, &nth(&self.vary, time, time))
    }

    pub(super) fn said(&self, time: usize) -> Option<&Said> {
        self.answers.get(time.checked_rem(self.answers.len())?)
    }

    pub(super) fn report(&self, time: usize) -> Option<&ReportDraft> {
        self.reports.get(time.checked_rem(self.reports.len())?)
    }
}

impl Said {
    pub(super) fn draft(&self, vary: &BTreeMap<String, String>) -> anyhow::Result<AnswerDraft> {
        filled(&Value::Object(self.answer.clone()), vary)
    }
}

impl Step {
    pub(super) fn draft(&self, vary: &BTreeMap<String, String>) -> anyhow::Result<Draft> {
        filled(&self.ask, vary)
    }

    pub(super) fn next(&self, outcome: &str) -> Option<&Self> {
        self.then
            .get(outcome)
            .or_else(|| self.then.get("otherwise"))
    }
}

/// What the names stand for at this time; `{n}` is its number.
pub(super) fn nth(
    vary: &BTreeMap<String, Vec<String>>,
    time: usize,
    number: usize,
) -> BTreeMap<String, String> {
    let of = |values: &Vec<String>| values.get(time.checked_rem(values.len())?).cloned();
    vary.iter()
        .filter_map(|(name, values)| Some((name.clone(), of(values)?)))
        .chain([("n".to_owned(), number.to_string())])
        .collect()
}

fn filled<T: DeserializeOwned>(form: &Value, vary: &BTreeMap<String, String>) -> anyhow::Result<T> {
    let mut form = form.clone();
    fill(&mut form, vary);
    serde_json::from_value(form.clone()).with_context(|| format!("not of the form: {form}"))
}

fn fill(value: &mut Value, vary: &BTreeMap<String, String>) {
    match value {
        Value::String(text) => {
            for (name, stands) in vary {
                *text = text.replace(&format!("{{{name}}}"), stands);
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| fill(value, vary)),
        Value::Object(fields) => fields.values_mut().for_each(|value| fill(value, vary)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
