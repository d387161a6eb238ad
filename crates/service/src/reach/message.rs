//! A message to a person, looked at in the moment in which it is sent: what waits no more, or is not theirs any more, is
//! not told.

use std::sync::Arc;

use domain::{
    DestinationId, Event, Interaction, InteractionEvent, InteractionId, Payload, Person, Refused,
    access::PersonRef,
    decide::reach as decide,
    delivery::{Cause, DestinationKind, Next, Reach, ReachEnd, ReachKind, TryResult},
    limits::SUMMED_UP,
};
use store::{Claimed, Mark, StoreError};
use tokio::sync::Semaphore;
use uuid::Uuid;

use super::{
    super::{Service, ServiceError},
    Address,
    recent::Recent,
};

/// How many messages are read for at once: agents that ask read too, and do not wait behind a whole team's messages.
const AT_ONCE: usize = 2;

/// What is read for messages.
#[derive(Debug)]
pub(crate) struct Reading {
    turns: Semaphore,
    events: Recent<i64, Option<Arc<Event>>>,
    /// As their events tell of them, by version: what has changed since is never told of.
    interactions: Recent<(InteractionId, i64), Arc<Interaction>>,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            turns: Semaphore::new(AT_ONCE),
            events: Recent::default(),
            interactions: Recent::default(),
        }
    }
}

/// What a person is told, and where.
#[derive(Clone, Debug)]
pub struct Message {
    /// The way it takes.
    pub reach: Reach,
    /// Where that leads.
    pub address: Address,
    /// The person.
    pub person: Person,
    /// Why.
    pub cause: Cause,
    /// The interaction that waits for them, or waited; none when it is about the way itself.
    pub about: Option<About>,
}

impl Message {
    /// What it is about, as one among others: what comes later about the same takes its place. A summary is about all that
    /// waits for its person.
    pub fn subject(&self) -> Uuid {
        match (&self.about, self.cause) {
            (Some(About::Waits(_)), Cause::Summary { others, .. }) if others > 0 => {
                self.person.id.0
            }
            (Some(About::Waits(interaction)), _) => interaction.id.0,
            (Some(About::Closed(id)), _) => id.0,
            (None, _) => self.reach.id.0,
        }
    }
}

/// The interaction that a message is about.
#[derive(Clone, Debug)]
pub enum About {
    /// It waits for an answer.
    Waits(Arc<Interaction>),
    /// It waits no more.
    Closed(InteractionId),
}

/// A message that can be sent, or why not.
pub type Prepared = Result<Box<Message>, TryResult>;

impl Service {
    /// The message of a delivery, as it is to be sent now.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn prepare_message(&self, claimed: &Claimed) -> Result<Prepared, ServiceError> {
        let _turn = self.reading.turns.acquire().await;
        let withdrawn = |why: &str| Ok(Err(TryResult::Withdrawn(why.to_owned())));
        let (found, event) = tokio::try_join!(
            self.store.reach(claimed.delivery.destination),
            self.event_told(claimed),
        )?;
        let Some(reach) = found.map(|record| record.reach) else {
            return withdrawn("there is no such way to reach a person");
        };
        if reach.ended.is_some() {
            return withdrawn("this way to reach the person has ended");
        }
        let person = self.store.person(reach.person).await?;
        let Some(person) = person.filter(|person| person.disabled_at.is_none()) else {
            return withdrawn("the person is disabled");
        };
        let cause = event.as_ref().and_then(|event| Cause::of(&event.payload));
        let (Some(event), Some(mut cause)) = (event, cause) else {
            return withdrawn("its event is nothing that people are told of");
        };
        let about = match (cause, event.interaction_id) {
            (Cause::Test | Cause::Proof, _) => None,
            (Cause::Withdrawal, Some(id)) => Some(About::Closed(id)),
            (Cause::Summary { rung, others }, Some(id)) if others > 0 => {
                let Some((first, others)) = self.still_in(&event, others, id, &person).await?
                else {
                    return withdrawn("nothing of it waits for an answer any more");
                };
                cause = Cause::Summary { rung, others };
                Some(About::Waits(first))
            }
            (Cause::Rung(_) | Cause::Summary { .. }, Some(id)) => {
                match self.waiting_for(id, &person).await? {
                    Ok(interaction) => Some(About::Waits(interaction)),
                    Err(why) => return withdrawn(why),
                }
            }
            (Cause::Withdrawal | Cause::Rung(_) | Cause::Summary { .. }, None) => {
                return withdrawn("its event is about no interaction");
            }
        };
        if !reach.is_working() && cause != Cause::Proof {
            return withdrawn("the address is not proven");
        }
        let Some(address) = Address::open(&reach.address, self.outbound()?, reach.id) else {
            let why = "this server's key does not open the address; the person has to add it anew";
            // The push service was not asked: that says nothing of the browser, and the key may come back.
            return Ok(Err(TryResult::Parked(why.to_owned())));
        };
        Ok(Ok(Box::new(Message {
            reach,
            address,
            person,
            cause,
            about,
        })))
    }

    /// The event that a message tells of.
    async fn event_told(&self, claimed: &Claimed) -> Result<Option<Arc<Event>>, StoreError> {
        let seq = claimed.delivery.event_seq;
        let read = async { Ok(self.store.event(seq).await?.map(Arc::new)) };
        self.reading.events.get(&*self.clock, seq, read).await
    }

    /// What still waits of a summary, what presses most first, and how many others: its events stand one after another.
    async fn still_in(
        &self,
        event: &Event,
        others: u32,
        first: InteractionId,
        person: &Person,
    ) -> Result<Option<(Arc<Interaction>, u32)>, ServiceError> {
        let all = i64::from(others) + 1;
        let named = all.min(i64::try_from(SUMMED_UP).unwrap_or(i64::MAX));
        let mut found = None;
        // Those that are not named one by one may wait, for all that is known here.
        let mut waiting = all - named;
        for seq in event.seq..event.seq + named {
            let id = match seq == event.seq {
                true => Some(first),
                false => self
                    .store
                    .event(seq)
                    .await?
                    .and_then(|event| event.interaction_id),
            };
            let Some(id) = id else { continue };
            if let Ok(interaction) = self.waiting_for(id, person).await? {
                waiting += 1;
                found.get_or_insert(interaction);
            }
        }
        let others = u32::try_from(waiting - 1).unwrap_or_default();
        Ok(found.map(|found| (found, others)))
    }

    /// The interaction, if it waits for an answer that this person may give.
    pub(in super::super) async fn waiting_for(
        &self,
        id: InteractionId,
        person: &Person,
    ) -> Result<Result<Arc<Interaction>, &'static str>, ServiceError> {
        const NOT_SEEN: &str = "the person may not see it any more";
        let reader = self.principal_for(person).await?;
        let Some(now) = self.store.interaction(id).await? else {
            return Ok(Err(NOT_SEEN));
        };
        let read = async { Ok(Arc::new(self.interaction_as_told(id).await?)) };
        let recent = &self.reading.interactions;
        let interaction = match recent.get(&*self.clock, (id, now.version), read).await {
            Ok(interaction) => interaction,
            Err(ServiceError::NotFound) => return Ok(Err(NOT_SEEN)),
            Err(ServiceError::Refused(Refused::Altered)) => {
                return Ok(Err("the database holds another request than was asked"));
            }
            Err(error) => return Err(error),
        };
        let audience = reader.audience();
        if !audience.includes(interaction.agent.id, interaction.team_id()) {
            return Ok(Err(NOT_SEEN));
        }
        let now = self.now();
        let is_open = interaction.state.is_pending()
            && interaction.expires_at.is_none_or(|deadline| now < deadline);
        if !is_open {
            return Ok(Err("it does not wait for an answer any more"));
        }
        if reader.responder_for(interaction.team.as_ref()).is_err() {
            return Ok(Err("the person may not answer it any more"));
        }
        Ok(Ok(interaction))
    }

    /// The consequences of a try, which went `to` a person unless nothing was sent: what has arrived is told with it, and a
    /// way that leads nowhere ends. `mark` is brought in line with it.
    pub(in super::super) async fn message_tried(
        &self,
        claimed: &Claimed,
        reply: &TryResult,
        to: Option<PersonRef>,
        mark: &mut Mark,
    ) -> Result<(), ServiceError> {
        if mark.next == Next::Delivered {
            return match to {
                Some(to) => self.message_arrived(claimed, to).await,
                None => Ok(()),
            };
        }
        // A mail server and a topic that do not take one message may take another, and what fails there is the operator's
        // server, not this person's address.
        let is_browser = claimed.kind == DestinationKind::Push;
        let was_asked = !matches!(reply, TryResult::Refused(_) | TryResult::Parked(_));
        let hopeless = mark
            .health
            .is_some_and(|health| health.is_hopeless_after_many(mark.at));
        let ends = match reply.is_gone_from(claimed.kind) {
            true if is_browser => Some(ReachEnd::Gone),
            _ if is_browser && was_asked && hopeless => Some(ReachEnd::Failing),
            _ => None,
        };
        if ends.is_some() {
            mark.next = Next::Dead;
        }
        if mark.next == Next::Dead && !matches!(reply, TryResult::Withdrawn(_)) {
            self.message_given_up(claimed).await?;
        }
        match ends {
            Some(why) => self.end_reach(claimed.delivery.destination, why).await,
            None => Ok(()),
        }
    }

    /// It is counted where it told of a question.
    async fn message_given_up(&self, claimed: &Claimed) -> Result<(), ServiceError> {
        let event = self.event_told(claimed).await?;
        let cause = event.and_then(|event| Cause::of(&event.payload));
        if let (Some(Cause::Rung(_) | Cause::Summary { .. }), Some(by)) =
            (cause, ReachKind::of(claimed.kind))
        {
            self.metrics.not_reached(by);
        }
        Ok(())
    }

    async fn end_reach(&self, id: DestinationId, why: ReachEnd) -> Result<(), ServiceError> {
        let ended = self.change_reach(id, |reach, now| Ok(decide::end(reach, why, now)));
        match ended.await {
            Err(ServiceError::NotFound) => Ok(()),
            other => other,
        }
    }

    /// A person on duty was mentioned beside a card, if that is what was told.
    pub(in super::super) async fn mention_tried(
        &self,
        claimed: &Claimed,
        mark: &Mark,
    ) -> Result<(), ServiceError> {
        if mark.next != Next::Delivered {
            return Ok(());
        }
        let Some(event) = self.event_told(claimed).await? else {
            return Ok(());
        };
        let Payload::Interaction(InteractionEvent::Climbed { rung, told, .. }) = &event.payload
        else {
            return Ok(());
        };
        let Some(mentioned) = told.iter().find(|one| one.mentioned_in.is_some()) else {
            return Ok(());
        };
        let message = (claimed.delivery.id, claimed.lease);
        let (by, now) = (ReachKind::Slack, self.moment());
        let reached = decide::reached(&event, mentioned.person.clone(), by, *rung, message, now);
        // Where it is not kept, another worker has the message, and tells of it.
        self.is_first(reached).await.map(drop)
    }

    async fn message_arrived(&self, claimed: &Claimed, to: PersonRef) -> Result<(), ServiceError> {
        let (Some(event), Some(by)) =
            (self.event_told(claimed).await?, ReachKind::of(claimed.kind))
        else {
            return Ok(());
        };
        let Some(Cause::Rung(rung) | Cause::Summary { rung, .. }) = Cause::of(&event.payload)
        else {
            return Ok(());
        };
        let message = (claimed.delivery.id, claimed.lease);
        let reached = decide::reached(&event, to, by, rung, message, self.moment());
        // Where it is not kept, another worker has the message, and tells of it.
        self.is_first(reached).await.map(drop)
    }
}
