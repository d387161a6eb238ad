//! How people are reached: their ways, how silence climbs, and the numbers of it.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    DestinationId, InteractionId, PersonId, SecretHash, TeamId,
    delivery::{ReachKind, SealedSecret},
    ladder::{Held, Ladder, Quiet, Reachable as ReachablePerson},
    obligation::Obligation,
};

use crate::{
    Answerer, Climbing, HeldDue, LadderRecord, MessagesBy, ReachRecord, Reaching, Result, ToldPage,
    WaysBy,
};

/// The ways to get at people, which changesets change. A message to one is a delivery of the outbox, of the event that is
/// its [`Cause`](domain::delivery::Cause): put there by a [`Write::Tell`](domain::Write::Tell) in the commit of that event, or by
/// [`Reaches::tell`] after it.
#[async_trait]
pub trait Reaches: Send + Sync {
    /// One reach, also when it has ended.
    async fn reach(&self, id: DestinationId) -> Result<Option<ReachRecord>>;

    /// Those of a person that have not ended, first added first.
    async fn reaches_of(&self, person: PersonId) -> Result<Vec<ReachRecord>>;

    /// Those of a person that ended after `since` without being removed, last ended first, at most `limit`.
    async fn lost_reaches(
        &self,
        person: PersonId,
        since: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<ReachRecord>>;

    /// How many of this kind a person has added after `since`, those that have ended included.
    async fn reaches_added(
        &self,
        person: PersonId,
        kind: ReachKind,
        since: DateTime<Utc>,
    ) -> Result<u32>;

    /// The one of this browser that has not ended, whoever's it is.
    async fn reach_of_browser(&self, browser: &SecretHash) -> Result<Option<ReachRecord>>;

    /// The reaches that messages about this interaction went to, or may have gone to, where they can be taken away again.
    async fn told(&self, interaction: InteractionId) -> Result<Vec<DestinationId>>;

    /// The last event that people were told of, as far as any is.
    async fn told_up_to(&self) -> Result<i64>;

    /// What was closed by the `limit` events after `after`.
    async fn to_tell(&self, after: i64, limit: u32) -> Result<ToldPage>;

    /// Makes messages of what happened after `from`, and moves [`Reaches::told_up_to`] from there to `up_to`, in one
    /// transaction. `false`, and nothing is made, when it is not there any more.
    async fn tell(&self, from: i64, up_to: i64, messages: &[Obligation]) -> Result<bool>;

    /// The key by which push services know this server, sealed: the one that is kept, or this one from now on.
    async fn push_key(&self, fresh: &SealedSecret) -> Result<SealedSecret>;
}

/// How people are reached, in numbers.
#[async_trait]
pub trait ReachNumbers: Send + Sync {
    /// What became of the messages about blockers that were made since then, by way.
    async fn messages_since(&self, since: DateTime<Utc>) -> Result<Vec<MessagesBy>>;

    /// The newest `limit` blockers that were asked since then, newest first.
    async fn reaching_since(&self, since: DateTime<Utc>, limit: u32) -> Result<Vec<Reaching>>;

    /// The ways by which people can be reached now.
    async fn ways(&self) -> Result<Vec<WaysBy>>;
}

/// Ladders (rule 17): how silence climbs, where each blocker stands, and what people are not told yet. All but what is
/// told otherwise is changed by changesets.
#[async_trait]
pub trait Ladders: Send + Sync {
    /// The ladder of a team; without a team that of everyone.
    async fn ladder(&self, team: Option<TeamId>) -> Result<LadderRecord>;

    /// All that were set, that of everyone first.
    async fn ladders(&self) -> Result<Vec<(Option<TeamId>, Ladder)>>;

    /// The quiet hours of a person.
    async fn quiet_hours(&self, person: PersonId) -> Result<Option<Quiet>>;

    /// Those of everybody who has some.
    async fn all_quiet_hours(&self) -> Result<Vec<(PersonId, Quiet)>>;

    /// Whether there is anybody who can be told of anything.
    async fn anybody_is_reached(&self) -> Result<bool>;

    /// Blockers whose next rung is due at `now`, longest overdue first, without the first `skip`.
    async fn climbing(&self, now: DateTime<Utc>, skip: u32, limit: u32) -> Result<Vec<Climbing>>;

    /// Where a blocker stands, if a rung of its ladder is to come.
    async fn place_on_ladder(&self, id: InteractionId) -> Result<Option<Climbing>>;

    /// No rung is to come any more, unless it stands elsewhere by now. No changeset: it tells of nothing.
    async fn leave_ladder(&self, climbing: Climbing) -> Result<()>;

    /// The same rung comes at another time, unless it stands elsewhere by now. No changeset either.
    async fn put_off_rung(&self, climbing: Climbing, at: DateTime<Utc>) -> Result<()>;

    /// What waits and stands before its first rung with none to come is on its ladder at `now`: a server of an earlier
    /// version has asked it. Returns how much that was.
    async fn join_ladder(&self, now: DateTime<Utc>) -> Result<u64>;

    /// Everybody who can come in and may answer what belongs to this team, or to none: its members who answer, and admins.
    async fn answerers(&self, team: Option<TeamId>) -> Result<Vec<Answerer>>;

    /// What telling these people needs, as of `now`, of one interaction or of several.
    async fn reachable_people(
        &self,
        people: &[Answerer],
        about: Option<InteractionId>,
        now: DateTime<Utc>,
    ) -> Result<Vec<ReachablePerson>>;

    /// At most `limit` people from whom something was held back until `now`, with all of it that may be told by then.
    async fn held_due(&self, now: DateTime<Utc>, limit: u32) -> Result<Vec<HeldDue>>;

    /// Holds it back for longer, for quiet hours. No changeset: no one is told.
    async fn hold_longer(&self, held: &[Held], until: DateTime<Utc>) -> Result<()>;

    /// It is not held back any more, since nothing of it waits. No changeset: no one is told.
    async fn drop_held(&self, held: &[Held]) -> Result<()>;

    /// Whether a person has opened it.
    async fn has_seen(&self, interaction: InteractionId, person: PersonId) -> Result<bool>;

    /// Forgets messages that were sent before this moment, and returns how many these were.
    async fn forget_sent(&self, before: DateTime<Utc>) -> Result<u64>;
}
