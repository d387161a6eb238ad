//! Reads of interactions, of what people snoozed, of agents' signs of life, and of tasks.

use std::{collections::HashMap, sync::Arc};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    AgentId, Audience, Event, Interaction, InteractionId, PersonId, Task, Verify,
    decide::interaction::{Snooze, Versions},
    interaction::{Brief, Signs, Unproven},
    task::Work,
};

use crate::{
    Counts, Due, InteractionQuery, Page, Result, TaskPlace, TaskQuery, Thread, WaitingCounts,
};

/// Reading interactions.
#[async_trait]
pub trait Interactions: Send + Sync {
    /// From now on decisions are read as far as these keys prove them (rule 12). Until it is called none is:
    /// all read as [`State::Void`](domain::State::Void). Only the first call counts.
    fn trust(&self, keys: Arc<dyn Verify>);

    /// This interaction, of wherever it was made, as far as its decision is proven: as [`Self::interaction`]
    /// would return it.
    fn proven(&self, interaction: Interaction) -> Interaction;

    /// Whether this event may be passed on: its word on a decision is proven by its receipt.
    fn proves(&self, event: &Event) -> bool;

    /// The decisions that were read since and are not proven, at most 1,000; each was logged as an error.
    fn void(&self) -> Vec<(InteractionId, Unproven)>;

    /// One interaction.
    async fn interaction(&self, id: InteractionId) -> Result<Option<Interaction>>;

    /// Interactions after `after` in the order of their ids, as they are stored: nothing of them is proven.
    /// For the check of the rows against the journal.
    ///
    /// # Errors
    /// Also when one of them cannot be read.
    async fn stored_after(
        &self,
        after: Option<InteractionId>,
        limit: u32,
    ) -> Result<Vec<Interaction>>;

    /// Of the same interactions those whose columns, by which they are found, say something else than their content.
    async fn strays_after(
        &self,
        after: Option<InteractionId>,
        limit: u32,
    ) -> Result<Vec<InteractionId>>;

    /// The interaction that this message in Slack shows; of several the first that waits, else the first.
    async fn interaction_of_card(&self, channel: &str, ts: &str) -> Result<Option<InteractionId>>;

    /// All that this message in Slack shows, in the order in which they were asked, `limit` at most.
    async fn interactions_of_card(
        &self,
        channel: &str,
        ts: &str,
        limit: u32,
    ) -> Result<Vec<Interaction>>;

    /// Those that wait, were asked since then by the agent of this one, are of its kind, and have a card in its channel
    /// already; the newest first, `limit` at most.
    async fn like_it_on_cards(
        &self,
        one: &Interaction,
        since: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Interaction>>;

    /// The threads under the cards of blockers that are pending, or were closed since then.
    async fn threads(&self, closed_since: DateTime<Utc>) -> Result<Vec<Thread>>;

    /// The interaction that this agent has asked under this idempotency key, and the fingerprint of
    /// the request.
    async fn asked_under(
        &self,
        agent: AgentId,
        key: &str,
    ) -> Result<Option<(InteractionId, [u8; 32])>>;

    /// Newest first; with words to search for, those that have a text (question, answer or follow-up)
    /// with a beginning of every word in it.
    async fn interactions(
        &self,
        query: &InteractionQuery,
    ) -> Result<Page<Interaction, InteractionId>>;

    /// The same as lists show them, all that are asked for.
    async fn briefs(&self, query: &InteractionQuery) -> Result<Vec<Brief>>;

    /// Pending blockers in the order people should see them: sync before async, urgent before
    /// normal, then oldest first.
    async fn waiting(&self, audience: &Audience, limit: u32) -> Result<Vec<Brief>>;

    /// Pending blockers of a task, oldest first.
    async fn waiting_in(
        &self,
        audience: &Audience,
        agent: AgentId,
        task: &str,
        limit: u32,
    ) -> Result<Vec<Brief>>;

    /// Closed interactions, last closed first.
    async fn recently_closed(&self, audience: &Audience, limit: u32) -> Result<Vec<Brief>>;

    /// The weight of all pending blockers of a task, as
    /// [`Request::weight`](domain::interaction::Request::weight) has it.
    async fn pending_weight(&self, agent: AgentId, task: &str) -> Result<i64>;

    /// How many blockers are pending.
    async fn waiting_counts(&self, audience: &Audience) -> Result<WaitingCounts>;

    /// Counts of blockers since `since`.
    async fn counts(&self, audience: &Audience, since: DateTime<Utc>) -> Result<Counts>;

    /// Where a plan stands among its versions; its number is 0 when there is no such interaction.
    async fn plan_versions(&self, id: InteractionId) -> Result<Versions>;

    /// Pending interactions whose deadline is at or before `now`, longest overdue first, without the first `skip`.
    async fn due(&self, now: DateTime<Utc>, skip: u32, limit: u32) -> Result<Vec<Due>>;

    /// Pending interactions, not past their deadline, whose claim ran out at or before `now`, the longest first, without
    /// the first `skip`.
    async fn claims_run_out(
        &self,
        now: DateTime<Utc>,
        skip: u32,
        limit: u32,
    ) -> Result<Vec<InteractionId>>;

    /// Pending interactions that are claimed at `now`, whose claim ends first before others, at most `limit`.
    async fn claimed(&self, now: DateTime<Utc>, limit: u32) -> Result<Vec<Brief>>;
}

/// Snoozes: blockers that a person has hidden for a while. They are each person's own: they stand beside the journal.
#[async_trait]
pub trait Snoozes: Send + Sync {
    /// Hides it until a time, also where another was chosen before.
    async fn snooze(&self, snooze: &Snooze) -> Result<()>;

    /// Ends that; `false` when it was not snoozed.
    async fn end_snooze(&self, person: PersonId, interaction: InteractionId) -> Result<bool>;

    /// What this person has snoozed until after `now` and is still pending, the next to come back first.
    async fn snoozes_of(&self, person: PersonId, now: DateTime<Utc>) -> Result<Vec<Snooze>>;

    /// Forgets what has come back by `now`.
    async fn forget_snoozes(&self, now: DateTime<Utc>) -> Result<u64>;
}

/// The signs of life of agents: to a minute, and beside the journal, since agents call far more often than anything changes.
#[async_trait]
pub trait SignsOfLife: Send + Sync {
    /// Notes when agents asked after interactions. An earlier time than the known one changes nothing.
    async fn asked_after(&self, asked: &[(InteractionId, DateTime<Utc>)]) -> Result<()>;

    /// Notes when agents read the events, or waited for them. An earlier time than the known one changes nothing.
    async fn listened(&self, agents: &[(AgentId, DateTime<Utc>)]) -> Result<()>;

    /// What is known of the agents of those of these interactions that are pending.
    async fn signs(&self, of: &[InteractionId]) -> Result<HashMap<InteractionId, Signs>>;

    /// Forgets who asked before that after what is closed, and returns how much that was.
    async fn forget_signs(&self, before: DateTime<Utc>) -> Result<u64>;
}

/// Reading tasks.
#[async_trait]
pub trait Tasks: Send + Sync {
    /// One task of an agent.
    async fn task(&self, agent: AgentId, id: &str) -> Result<Option<Task>>;

    /// A task with its pending blockers, as of one moment.
    ///
    /// # Errors
    /// Also when one of them cannot be read: a rule must not decide without it.
    async fn work(&self, agent: AgentId, id: &str) -> Result<Option<Work>>;

    /// Last changed first.
    async fn tasks(&self, query: &TaskQuery) -> Result<Page<Task, TaskPlace>>;
}
