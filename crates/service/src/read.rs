//! Reading, as far as the caller may.

use domain::{
    AgentId, Audience, Event, Interaction, InteractionId, Principal, fault::is_name,
    interaction::Brief, limits,
};
use store::{EventPage, InteractionQuery, Page, WaitingCounts};

use super::{Service, ServiceError};

/// The agents whose things a list shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Everybody's.
    All,
    /// One agent's.
    One(AgentId),
}

impl From<Scope> for Option<AgentId> {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::All => None,
            Scope::One(agent) => Some(agent),
        }
    }
}

impl Service {
    /// One interaction.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`], also for one the caller may not read; [`domain::Refused::Altered`], for those who may
    /// answer it.
    pub async fn interaction(
        &self,
        id: InteractionId,
        reader: &Principal,
    ) -> Result<Interaction, ServiceError> {
        let interaction = self.store.interaction(id).await?;
        let audience = reader.audience();
        let interaction = interaction.filter(|it| audience.includes(it.agent.id, it.team_id()));
        let interaction = interaction.ok_or(ServiceError::NotFound)?;
        if interaction.state.is_pending() && matches!(reader, Principal::Agent(_)) {
            self.note_asked_after(id);
        }
        // A person answers what is read here.
        if interaction.state.is_pending() && !matches!(reader, Principal::Agent(_)) {
            let told = self.interaction_as_told(id).await?;
            // It may have been moved meanwhile.
            return match audience.includes(told.agent.id, told.team_id()) {
                true => Ok(told),
                false => Err(ServiceError::NotFound),
            };
        }
        Ok(interaction)
    }

    /// Interactions, newest first, as many as fit on a page.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn interactions(
        &self,
        query: &InteractionQuery,
    ) -> Result<Page<Interaction, InteractionId>, ServiceError> {
        Ok(self.store.interactions(query).await?)
    }

    /// The same as lists show them, all that are asked for.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn briefs(&self, query: &InteractionQuery) -> Result<Vec<Brief>, ServiceError> {
        Ok(self.store.briefs(query).await?)
    }

    /// The agents whose things a list shows; `None` when there is no such agent, or the reader may
    /// not see its things.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn narrowed(
        &self,
        name: Option<String>,
        reader: &Principal,
    ) -> Result<Option<Scope>, ServiceError> {
        let own = scope(reader);
        let Some(name) = name else {
            return Ok(Some(own.map_or(Scope::All, Scope::One)));
        };
        let named = self.agent_named(&name).await?;
        Ok(named
            .filter(|named| own.is_none_or(|own| own == *named))
            .map(Scope::One))
    }

    /// The agent of this name.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn agent_named(&self, name: &str) -> Result<Option<AgentId>, ServiceError> {
        if !is_name(name, limits::LINE_CHARS) {
            return Ok(None);
        }
        Ok(self.store.agent_named(name).await?)
    }

    /// Events after `after` in order that the reader hears of, as many as fit on a page. A decision that its receipt does
    /// not prove is left out (rule 12).
    ///
    /// # Errors
    /// When the database fails.
    pub async fn events(
        &self,
        after: i64,
        limit: u32,
        reader: &Principal,
    ) -> Result<EventPage<Event>, ServiceError> {
        self.note_listening(reader);
        let audience = reader.audience();
        let page = self.store.events_after(after, &audience, limit).await?;
        let store = self.store.clone();
        Ok(page.retain(move |event| {
            let is_proven = store.proves(event);
            if !is_proven {
                tracing::error!(
                    event.seq,
                    "an event says of a decision what no receipt proves: nobody is told"
                );
            }
            is_proven
        }))
    }

    /// How many blockers wait, of all teams.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn waiting_counts(&self) -> Result<WaitingCounts, ServiceError> {
        Ok(self.store.waiting_counts(&Audience::All).await?)
    }

    /// The number of the newest event.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn last_seq(&self) -> Result<i64, ServiceError> {
        Ok(self.store.last_seq().await?)
    }
}

/// `None` for those who see everything.
pub(super) fn scope(reader: &Principal) -> Option<AgentId> {
    match reader {
        Principal::Agent(agent) => Some(agent.id),
        Principal::Person { .. }
        | Principal::Script { .. }
        | Principal::SlackUser { .. }
        | Principal::Operator { .. } => None,
    }
}
