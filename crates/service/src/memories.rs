//! Answers that stand: what was answered before to a question like one that waits, letting an answer stand for the same
//! question, and ending that.

use std::collections::HashMap;

use chrono::TimeDelta;
use domain::{
    AgentRef, Audience, Changeset, Interaction, InteractionId, Memory, MemoryId, Principal,
    Refused, TeamId, Write,
    decide::{
        interaction::{self as decide, AskedOf},
        memory as rules,
    },
    grant::Holder,
    interaction::{Request, beginning},
    limits,
    memory::{MemoryDraft, MemoryRecord, MemoryWrite, earlier, words_to_find},
};
use store::{EarlierQuery, MemoryQuery, MemoryUse};

use super::{Service, ServiceError, TRIES};

/// How many uses of one are shown.
const USES: u32 = 200;
/// What is told of the uses of one.
const WEEK: TimeDelta = TimeDelta::days(7);

/// An answer that stands, and how it was used.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryShown {
    /// The answer.
    pub record: MemoryRecord,
    /// How often in the last seven days.
    pub this_week: u64,
    /// Whether it answers something at this moment, as far as can be said without using it.
    pub in_force: bool,
}

impl Service {
    /// What was answered to questions like this one, which waits: of the same team, the most alike first. Nothing for an
    /// agent, which gets an earlier answer only where a person lets it stand.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn earlier_answers(
        &self,
        asked: &Interaction,
        reader: &Principal,
    ) -> Result<Vec<Interaction>, ServiceError> {
        if !asked.state.is_pending() || !sees(reader, asked.team_id()) {
            return Ok(Vec::new());
        }
        for words in words_to_find(&asked.request) {
            let query = EarlierQuery {
                before: asked.id,
                team: asked.team_id(),
                kind: asked.request.kind(),
                words,
                limit: limits::EARLIER_LOOKS_AT,
            };
            let found = self.store.earlier_questions(&query).await?;
            let like: Vec<_> = earlier(asked, &found).into_iter().cloned().collect();
            if !like.is_empty() {
                return Ok(like);
            }
        }
        Ok(Vec::new())
    }

    /// Lets the answer to a question stand, for whoever asks exactly the same.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`]; [`Refused::NotAResponder`], [`Refused::NotInTeam`], [`Refused::NothingToKeep`],
    /// [`Refused::NotYourAnswer`], [`Refused::Erased`], [`Refused::Invalid`].
    pub async fn keep_answer(
        &self,
        id: InteractionId,
        draft: MemoryDraft,
        by: &Principal,
    ) -> Result<MemoryShown, ServiceError> {
        by.responder()?;
        for _ in 0..TRIES {
            // Whose answer it is, is what the journal says, whatever stands in the row.
            let read = self.interaction(id, by).await?;
            let answered = match read.state.is_pending() {
                true => read,
                false => self.interaction_as_told(id).await?,
            };
            let now = self.moment();
            let in_force = match holder(by) {
                Some(holder) => self.store.count_memories(holder, now.at).await?,
                None => 0,
            };
            let in_force = usize::try_from(in_force).unwrap_or(usize::MAX);
            let changeset = rules::keep(&answered, draft, by, in_force, now)?;
            let memory = made(&changeset).ok_or(ServiceError::NotFound)?.terms.id;
            if self.is_first(changeset).await? {
                return self.memory(memory, by).await;
            }
        }
        // The rights that they came with have ended meanwhile.
        Err(Refused::NotAResponder.into())
    }

    /// Ends one, on all nodes: when this returns, nothing is answered by it any more.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`]; [`Refused::NotAResponder`], [`Refused::NotInTeam`].
    pub async fn revoke_memory(
        &self,
        id: MemoryId,
        by: &Principal,
    ) -> Result<MemoryShown, ServiceError> {
        by.responder()?;
        loop {
            let shown = self.memory(id, by).await?;
            let changeset = match rules::revoke(&shown.record, by, self.moment()) {
                Ok(changeset) => changeset,
                // It has ended already, which is what was wanted.
                Err(Refused::Unchanged) => return Ok(shown),
                Err(refused) => return Err(refused.into()),
            };
            if self.is_first(changeset).await? {
                return self.memory(id, by).await;
            }
        }
    }

    /// One.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`], also for one that the reader may not see.
    pub async fn memory(
        &self,
        id: MemoryId,
        reader: &Principal,
    ) -> Result<MemoryShown, ServiceError> {
        let record = self.store.memory(id).await?.ok_or(ServiceError::NotFound)?;
        if !sees(reader, team_of(&record)) {
            return Err(ServiceError::NotFound);
        }
        let since = self.now() - WEEK;
        let counts = self.store.count_memory_uses(&[id], since).await?;
        Ok(self.shown_memory(record, &counts))
    }

    /// Those that the reader may see, the newest first: all, or those that stood lately.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn memories(
        &self,
        before: Option<MemoryId>,
        all: bool,
        limit: u32,
        reader: &Principal,
    ) -> Result<Vec<MemoryShown>, ServiceError> {
        let query = MemoryQuery {
            before,
            open_since: (!all).then(|| self.now() - WEEK),
            limit,
        };
        let records = self.store.memories(&reader.audience(), query).await?;
        self.counted(records).await
    }

    /// Those that were made of one interaction, as far as the reader may see them.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn memories_of(
        &self,
        id: InteractionId,
        reader: &Principal,
    ) -> Result<Vec<MemoryShown>, ServiceError> {
        let mut records = self.store.memories_of(id).await?;
        records.retain(|record| sees(reader, team_of(record)));
        self.counted(records).await
    }

    /// What one answered in the last seven days, the newest first, each with the agent that asked and the beginning of its
    /// prompt.
    ///
    /// # Errors
    /// As [`Service::memory`].
    pub async fn memory_uses(
        &self,
        id: MemoryId,
        reader: &Principal,
    ) -> Result<Vec<(MemoryUse, Option<(AgentRef, String)>)>, ServiceError> {
        self.memory(id, reader).await?;
        let since = self.now() - WEEK;
        let uses = self.store.memory_uses(id, since, USES).await?;
        let audience = reader.audience();
        let mut shown = Vec::new();
        for one in uses {
            let interaction = self.store.interaction(one.interaction).await?;
            // It may belong to another team by now.
            let seen = interaction.filter(|it| audience.includes(it.agent.id, it.team_id()));
            shown.push((
                one,
                seen.map(|it| (it.agent, beginning(&it.request.prompt))),
            ));
        }
        Ok(shown)
    }

    /// The answer that stands for what is asked, if one does.
    pub(super) async fn memory_for(
        &self,
        request: &Request,
        agent: &AgentRef,
        of: &AskedOf,
    ) -> Result<Option<MemoryRecord>, ServiceError> {
        let Some(asked) = decide::repeated(request, agent, of) else {
            return Ok(None);
        };
        let Ok(digest) = asked.question.digest() else {
            return Ok(None);
        };
        let now = self.moment();
        let records = self
            .store
            .memories_in_force(asked.team, asked.agent, &digest, now.at)
            .await?;
        let is_proven = |memory: &Memory| {
            let proven = self.store.proves_memory(memory);
            if !proven {
                tracing::error!(memory.id = %memory.terms.id, "a stored answer is not signed: it answers nothing");
            }
            proven
        };
        Ok(rules::recalled(&records, &asked, &is_proven, now).cloned())
    }

    async fn counted(&self, records: Vec<MemoryRecord>) -> Result<Vec<MemoryShown>, ServiceError> {
        let ids: Vec<_> = records.iter().map(|one| one.memory.terms.id).collect();
        let since = self.now() - WEEK;
        let counts = self.store.count_memory_uses(&ids, since).await?;
        let shown = records
            .into_iter()
            .map(|record| self.shown_memory(record, &counts));
        Ok(shown.collect())
    }

    fn shown_memory(&self, record: MemoryRecord, counts: &HashMap<MemoryId, u64>) -> MemoryShown {
        let id = record.memory.terms.id;
        MemoryShown {
            this_week: counts.get(&id).copied().unwrap_or_default(),
            in_force: record.is_in_force(self.now()) && self.store.proves_memory(&record.memory),
            record,
        }
    }
}

fn team_of(record: &MemoryRecord) -> Option<TeamId> {
    record.memory.terms.team.as_ref().map(|team| team.id)
}

/// Rule 18: who sees what this team was asked. No agent does: what stands for all of them is none's own.
fn sees(reader: &Principal, team: Option<TeamId>) -> bool {
    match reader.audience() {
        Audience::All => true,
        Audience::Teams(teams) => team.is_none_or(|team| teams.contains(&team)),
        Audience::Agent(_) => false,
    }
}

fn holder(by: &Principal) -> Option<Holder> {
    match by {
        Principal::Person { id, .. } => Some(Holder::Person(*id)),
        Principal::Script { id, .. } => Some(Holder::Token(*id)),
        Principal::Agent(_) | Principal::SlackUser { .. } | Principal::Operator { .. } => None,
    }
}

/// What a changeset lets stand.
fn made(changeset: &Changeset) -> Option<&Memory> {
    changeset.writes.iter().find_map(|write| match write {
        Write::Memory(MemoryWrite::Keep(memory)) => Some(&**memory),
        _ => None,
    })
}
