//! The task that an interaction belongs to.

use serde::{Deserialize, Serialize};

use crate::{fault::Faults, limits};

/// A task as an interaction names it. An absent field stays as it is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskRef {
    /// The agent's own id for it.
    pub id: String,
    /// See [`Task::title`].
    pub title: Option<String>,
    /// See [`Task::description`].
    pub description: Option<String>,
    /// See [`Task::step`].
    pub step: Option<String>,
}

impl TaskRef {
    /// Notes its faults; `at` turns a field into its path.
    pub(crate) fn check(self, at: impl Fn(&str) -> String, faults: &mut Faults) -> Self {
        if let Some(description) = &self.description {
            faults.length(&at("description"), description, limits::DESCRIPTION_CHARS);
        }
        Self {
            id: faults
                .line(&at("id"), Some(self.id), limits::SESSION_ID_CHARS)
                .unwrap_or_default(),
            title: faults.line(&at("title"), self.title, limits::TITLE_CHARS),
            description: self.description,
            step: faults.line(&at("step"), self.step, limits::LINE_CHARS),
        }
    }
}
