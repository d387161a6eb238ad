//! Where cards go in Slack.

use std::collections::BTreeMap;

/// Where cards go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channels {
    /// Where everything goes that has no place of its own.
    pub default: String,
    /// Where urgent questions go.
    pub urgent: Option<String>,
    /// Where the questions of a session go, urgent or not.
    pub sessions: BTreeMap<String, String>,
}

impl Channels {
    /// The channel for an interaction. A session may have a channel of its own to keep it among few,
    /// so that comes before urgency.
    pub fn channel_for(&self, session: Option<&str>, is_urgent: bool) -> &str {
        let own = session.and_then(|session| self.sessions.get(session));
        let urgent = self.urgent.as_ref().filter(|_| is_urgent);
        own.or(urgent).unwrap_or(&self.default)
    }

    /// Every channel with the setting that names it first.
    pub fn all(&self) -> BTreeMap<&str, &'static str> {
        let sessions = self
            .sessions
            .values()
            .map(|id| (&**id, "slack_session_overrides"));
        let urgent = self.urgent.iter().map(|id| (&**id, "slack_urgent_channel"));
        let default = [(&*self.default, "slack_default_channel")];
        sessions.chain(urgent).chain(default).collect()
    }
}
