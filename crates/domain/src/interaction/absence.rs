//! Whether the agent that asked is still there.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::Mode;
use crate::limits;

/// Why a blocker was taken back, where nobody simply did that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CancelCode {
    /// A person dismissed it while its agent was offline.
    AgentOffline,
    /// The agent's session ended, and it had asked for this.
    SessionEnded,
}

impl CancelCode {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::AgentOffline, Self::SessionEnded];

    /// The name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::AgentOffline => "agent_offline",
            Self::SessionEnded => "session_ended",
        }
    }
}

/// When an agent gave which sign of life, as far as that says something of one interaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signs {
    /// It asked after this very interaction.
    pub asked_after: Option<DateTime<Utc>>,
    /// It read the events, or waited for them: so it would have heard of the answer.
    pub listened: Option<DateTime<Utc>>,
    /// It called at all.
    pub called: Option<DateTime<Utc>>,
    /// Whether it wants to be called back: then nobody expects it to come.
    pub is_called_back: bool,
}

/// What can have been heard of agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hearing {
    /// Nothing before that: the server was not there.
    pub since: DateTime<Utc>,
    /// How long an agent that has stopped may be silent; `None` = for ever, and then all agents may be.
    pub silence: Option<TimeDelta>,
}

impl Hearing {
    fn silence_of(&self, mode: Mode) -> Option<TimeDelta> {
        let silence = self.silence?;
        Some(match mode {
            Mode::Sync => silence,
            Mode::Async => silence.max(TimeDelta::hours(limits::ASYNC_SILENCE_HOURS)),
        })
    }
}

/// Whether the agent is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentPresence {
    /// When the last sign of life was that counts here.
    pub seen_at: DateTime<Utc>,
    /// Whether that is too long ago.
    pub offline: bool,
}

impl Signs {
    /// What they say at `now` of an agent that asked at `asked_at`.
    ///
    /// One that has stopped for the answer asks after it, so once it has done that its other calls say nothing: they are
    /// another process's, with the same token. One that goes on meanwhile shows by any call that it is there. A server
    /// that was down has heard nobody, so the silence counts from its start on.
    pub fn presence(
        &self,
        mode: Mode,
        asked_at: DateTime<Utc>,
        hearing: Hearing,
        now: DateTime<Utc>,
    ) -> AgentPresence {
        let called = match (mode, self.asked_after) {
            (Mode::Sync, Some(_)) => None,
            (Mode::Sync, None) | (Mode::Async, _) => self.called,
        };
        let signs = [self.asked_after, self.listened, called];
        let seen_at = signs.into_iter().flatten().fold(asked_at, DateTime::max);
        let silent_for = now - seen_at.max(hearing.since);
        let silence = hearing.silence_of(mode);
        let is_too_long = silence.is_some_and(|silence| silent_for >= silence);
        AgentPresence {
            seen_at,
            offline: is_too_long && !self.is_called_back,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::minutes(minute)
    }

    fn hearing(since: i64, minutes: i64) -> Hearing {
        Hearing {
            since: at(since),
            silence: Some(TimeDelta::minutes(minutes)),
        }
    }

    /// Asked at 0, of a server that has run for long.
    fn presence(signs: Signs, mode: Mode, now: i64) -> (DateTime<Utc>, bool) {
        let presence = signs.presence(mode, at(0), hearing(-100, 10), at(now));
        (presence.seen_at, presence.offline)
    }

    #[test]
    fn an_agent_that_has_stopped_is_offline_once_it_asks_no_more() {
        let silent = Signs::default();
        assert_eq!(presence(silent, Mode::Sync, 9), (at(0), false));
        assert_eq!(presence(silent, Mode::Sync, 10), (at(0), true));
        let asks = Signs {
            asked_after: Some(at(5)),
            ..silent
        };
        assert_eq!(presence(asks, Mode::Sync, 14), (at(5), false));
        assert_eq!(presence(asks, Mode::Sync, 15), (at(5), true));
        // Another process has its token.
        let others_call = Signs {
            called: Some(at(14)),
            ..asks
        };
        assert_eq!(presence(others_call, Mode::Sync, 15), (at(5), true));
        // It hears of the answer by the events.
        let listens = Signs {
            listened: Some(at(14)),
            ..asks
        };
        assert_eq!(presence(listens, Mode::Sync, 15), (at(14), false));
        // It never asked after this one, so it may wait in another way.
        let calls = Signs {
            called: Some(at(14)),
            ..silent
        };
        assert_eq!(presence(calls, Mode::Sync, 15), (at(14), false));
    }

    #[test]
    fn an_agent_that_goes_on_is_there_while_it_calls_at_all() {
        let asked_once = Signs {
            asked_after: Some(at(1)),
            ..Signs::default()
        };
        assert_eq!(presence(asked_once, Mode::Async, 360), (at(1), false));
        assert_eq!(presence(asked_once, Mode::Async, 361), (at(1), true));
        let calls = Signs {
            called: Some(at(300)),
            ..asked_once
        };
        assert_eq!(presence(calls, Mode::Async, 361), (at(300), false));
    }

    #[test]
    fn nobody_expects_an_agent_that_is_called_back() {
        let signs = Signs {
            is_called_back: true,
            ..Signs::default()
        };
        assert_eq!(presence(signs, Mode::Sync, 100_000), (at(0), false));
    }

    #[test]
    fn how_long_is_too_long_is_a_setting() {
        let offline = |mode, hearing, now| {
            let presence = Signs::default().presence(mode, at(0), hearing, at(now));
            presence.offline
        };
        assert!(!offline(Mode::Sync, hearing(0, 30), 29));
        assert!(offline(Mode::Sync, hearing(0, 30), 30));
        // What goes on is never silent too early.
        assert!(!offline(Mode::Async, hearing(0, 600), 599));
        assert!(offline(Mode::Async, hearing(0, 600), 600));
        let for_ever = Hearing {
            since: at(0),
            silence: None,
        };
        assert!(!offline(Mode::Sync, for_ever, 100_000));
    }

    #[test]
    fn a_server_that_was_down_has_heard_nobody() {
        let presence =
            |now| Signs::default().presence(Mode::Sync, at(0), hearing(100, 10), at(now));
        assert_eq!(
            (presence(109).seen_at, presence(109).offline),
            (at(0), false)
        );
        assert!(presence(110).offline);
    }
}
