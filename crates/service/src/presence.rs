//! Whether the agents that asked are still there, and what a person does where one is not.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    AgentId, Interaction, InteractionId, Principal,
    decide::interaction as decide,
    interaction::{AgentPresence, Brief, Hearing, Mode},
};

use super::{Service, ServiceError, uses::NOTED_EVERY};

/// For so long it stays known who asked after what is closed: longer than another node may take to hear that it is.
const FORGOTTEN_AFTER: TimeDelta = TimeDelta::hours(1);

impl Service {
    /// Notes that an agent has asked after an interaction that waits.
    pub fn note_asked_after(&self, id: InteractionId) {
        self.asked_after
            .note_every(self.exactness(), id, self.now());
    }

    /// Notes that whoever reads the events, or waits for them, is there, if that is an agent.
    pub fn note_listening(&self, reader: &Principal) {
        if let Principal::Agent(agent) = reader {
            self.listened
                .note_every(self.exactness(), agent.id, self.now());
        }
    }

    /// A sign of life must not look older than it is when that counts.
    fn exactness(&self) -> TimeDelta {
        let silence = self.settings.agent_silence;
        silence.map_or(NOTED_EVERY, |silence| NOTED_EVERY.min(silence / 4))
    }

    /// Whether the agent is there that asked this; `None` when it waits no more.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn agent_presence(
        &self,
        interaction: &Interaction,
    ) -> Result<Option<AgentPresence>, ServiceError> {
        if !interaction.state.is_pending() {
            return Ok(None);
        }
        let asked = Asked {
            id: interaction.id,
            agent: interaction.agent.id,
            mode: interaction.request.mode,
            at: interaction.created_at,
        };
        let mut found = self.presences(&[asked]).await?;
        Ok(found.remove(&interaction.id))
    }

    /// The same of those of a list that wait.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn agents_present(
        &self,
        briefs: &[Brief],
    ) -> Result<HashMap<InteractionId, AgentPresence>, ServiceError> {
        let pending = briefs.iter().filter(|brief| brief.ending.is_none());
        let asked: Vec<_> = pending
            .map(|brief| Asked {
                id: brief.id,
                agent: brief.agent.id,
                mode: brief.mode,
                at: brief.created_at,
            })
            .collect();
        self.presences(&asked).await
    }

    async fn presences(
        &self,
        asked: &[Asked],
    ) -> Result<HashMap<InteractionId, AgentPresence>, ServiceError> {
        let ids: Vec<_> = asked.iter().map(|one| one.id).collect();
        let signs = self.store.signs(&ids).await?;
        let now = self.now();
        let hearing = Hearing {
            since: self.heard_since.at(now),
            silence: self.settings.agent_silence,
        };
        let presence = |one: &Asked| {
            let mut signs = *signs.get(&one.id)?;
            // Not everything is written yet.
            signs.asked_after = signs.asked_after.max(self.asked_after.last(one.id));
            signs.listened = signs.listened.max(self.listened.last(one.agent));
            let presence = signs.presence(one.mode, one.at, hearing, now);
            Some((one.id, presence))
        };
        Ok(asked.iter().filter_map(presence).collect())
    }

    /// A person dismisses what an agent has asked that is offline.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`]; [`domain::Refused::NotAResponder`], [`domain::Refused::NotInTeam`],
    /// [`domain::Refused::Closed`], [`domain::Refused::NotOffline`].
    pub async fn dismiss(
        &self,
        id: InteractionId,
        by: &Principal,
    ) -> Result<Interaction, ServiceError> {
        by.responder()?;
        let interaction = self.interaction(id, by).await?;
        // What is closed is refused as that.
        let presence = self.agent_presence(&interaction).await?;
        let presence = presence.unwrap_or(AgentPresence {
            seen_at: interaction.created_at,
            offline: false,
        });
        self.change_as_told(id, |interaction, work, now| {
            decide::dismiss(interaction, presence, by, work, now)
        })
        .await
    }

    /// Forgets who asked after what is closed, and returns how much that was.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn forget_signs(&self) -> Result<u64, ServiceError> {
        Ok(self
            .store
            .forget_signs(self.now() - FORGOTTEN_AFTER)
            .await?)
    }
}

/// What presence rests on besides the agent's signs of life.
struct Asked {
    id: InteractionId,
    agent: AgentId,
    mode: Mode,
    at: DateTime<Utc>,
}

/// Since when a sign of life of an agent can have been noticed: since the server's start, or since the database answers
/// again. `None` while it does not.
#[derive(Debug)]
pub(super) struct HeardSince(Mutex<Option<DateTime<Utc>>>);

impl HeardSince {
    pub(super) fn new(start: DateTime<Utc>) -> Self {
        Self(Mutex::new(Some(start)))
    }

    /// Whether the database answers.
    pub(super) fn note(&self, answers: bool, now: DateTime<Utc>) {
        let mut since = self.lock();
        *since = answers.then(|| since.unwrap_or(now));
    }

    fn at(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        self.lock().unwrap_or(now)
    }

    fn lock(&self) -> MutexGuard<'_, Option<DateTime<Utc>>> {
        // It is one value: a thread that panicked left a whole one behind.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn while_the_database_is_away_nobody_is_heard() {
        let at = |minute| DateTime::UNIX_EPOCH + TimeDelta::minutes(minute);
        let heard = HeardSince::new(at(0));
        heard.note(true, at(1));
        assert_eq!(heard.at(at(5)), at(0));
        heard.note(false, at(6));
        heard.note(false, at(7));
        assert_eq!(heard.at(at(8)), at(8));
        heard.note(true, at(9));
        heard.note(true, at(10));
        assert_eq!(heard.at(at(12)), at(9));
    }
}
