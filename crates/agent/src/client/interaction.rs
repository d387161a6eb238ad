//! An interaction, as much of it as an agent at the command line needs.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// As the API returns it; fields not named here are left out.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Interaction {
    /// Its id.
    pub id: String,
    /// `question`, `choice` and so on.
    pub kind: String,
    /// `pending`, `resolved`, `expired` or `cancelled`.
    pub state: String,
    /// How it ended; `None` while it is pending.
    pub outcome: Option<String>,
    /// For an approval: `true` only if a person approved it in time.
    pub approved: Option<bool>,
    /// For an approval: the arguments to go on with instead, as `{arguments, digest}`.
    #[serde(default)]
    pub amended: Option<Value>,
    /// Whether the answer is the agent's own fallback.
    pub fallback_used: bool,
    /// The answer to go on with.
    pub answer: Option<Answer>,
    /// The agent that asked, as `{id, name}`.
    pub agent: Value,
    /// The run that has used the approval, as `{at, run}`.
    #[serde(default)]
    pub consumed: Option<Value>,
    /// The metadata returned to it.
    #[serde(default)]
    pub metadata: Option<Value>,
    /// Where people answer it.
    pub dashboard_url: String,
    /// Who erased all that was written in it, and when, as `{at, by}`: then there is no answer any more.
    #[serde(default)]
    pub erased: Option<Value>,
}

/// Fields that do not belong to the kind are `None`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// Of a question; a comment on an approval.
    pub text: Option<String>,
    /// Of a choice.
    pub selected: Option<Vec<String>>,
    /// Of a form, by question.
    pub answers: Option<Value>,
    /// Of a plan review.
    pub decision: Option<String>,
    /// The changes wanted in the plan, comments included.
    pub feedback: Option<String>,
    /// The comments on lines of the plan. Servers from before there were any have none.
    #[serde(default)]
    pub comments: Option<Value>,
    /// The files that were sent with it. Servers from before there were any have none.
    #[serde(default)]
    pub attachments: Option<Value>,
    /// The responder; `None` when it is the fallback.
    pub responder: Option<Value>,
    /// Where the responder gave this answer to the same question before, as `{id, made_at, answered_at}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remembered: Option<Value>,
}

impl Interaction {
    /// The id of the agent that asked.
    pub(crate) fn agent_id(&self) -> Option<String> {
        self.agent["id"].as_str().map(str::to_owned)
    }

    /// Whether it waits for an answer.
    pub(crate) fn is_pending(&self) -> bool {
        self.state == "pending"
    }
}
