//! A message to a person, looked at in the moment in which it is sent: what waits no more, or is not theirs any more, is
//! not told.

use chrono::DateTime;
use domain::{
    DestinationId, Interaction, InteractionId, Person, Principal, Refused,
    decide::reach as decide,
    delivery::{Cause, DestinationKind, Next, Reach, ReachEnd, ReachKind, TryResult},
};
use store::{Claimed, Mark};

use super::{
    super::{Service, ServiceError},
    Address,
};

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

/// The interaction that a message is about.
#[derive(Clone, Debug)]
pub enum About {
    /// It waits for an answer.
    Waits(Box<Interaction>),
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
        let withdrawn = |why: &str| Ok(Err(TryResult::Withdrawn(why.to_owned())));
        let found = self.store.reach(claimed.delivery.destination).await?;
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
        let event = self.store.event(claimed.delivery.event_seq).await?;
        let cause = event.as_ref().and_then(|event| Cause::of(&event.payload));
        let (Some(event), Some(cause)) = (event, cause) else {
            return withdrawn("its event is nothing that people are told of");
        };
        let about = match (cause, event.interaction_id) {
            (Cause::Test | Cause::Proof, _) => None,
            (Cause::Withdrawal, Some(id)) => Some(About::Closed(id)),
            (Cause::Rung(_) | Cause::Summary { .. }, Some(id)) => {
                match self.waiting_for(id, &person).await? {
                    Ok(interaction) => Some(About::Waits(Box::new(interaction))),
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
            return Ok(Err(TryResult::Failed(why.to_owned())));
        };
        Ok(Ok(Box::new(Message {
            reach,
            address,
            person,
            cause,
            about,
        })))
    }

    /// The interaction, if it waits for an answer that this person may give.
    async fn waiting_for(
        &self,
        id: InteractionId,
        person: &Person,
    ) -> Result<Result<Interaction, &'static str>, ServiceError> {
        let reader = Principal::Person {
            id: person.id,
            name: person.name.clone(),
            role: person.role,
            proven_at: DateTime::UNIX_EPOCH,
            teams: self.store.parts(person.id).await?,
        };
        let interaction = match self.interaction(id, &reader).await {
            Ok(interaction) => interaction,
            Err(ServiceError::NotFound) => return Ok(Err("the person may not see it any more")),
            Err(ServiceError::Refused(Refused::Altered)) => {
                return Ok(Err("the database holds another request than was asked"));
            }
            Err(error) => return Err(error),
        };
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

    /// The consequences of a try: what has arrived is told with it, and a way that leads nowhere ends. `mark` is brought
    /// in line with it.
    pub(in super::super) async fn message_tried(
        &self,
        claimed: &Claimed,
        reply: &TryResult,
        mark: &mut Mark,
    ) -> Result<(), ServiceError> {
        if mark.next == Next::Delivered {
            return self.message_arrived(claimed).await;
        }
        let hopeless = mark
            .health
            .is_some_and(|health| health.is_hopeless(mark.at));
        let ends = match reply.is_gone_from(claimed.kind) {
            // A mail server and a topic that do not take one message may take another.
            true if claimed.kind == DestinationKind::Push => Some(ReachEnd::Gone),
            _ if hopeless => Some(ReachEnd::Failing),
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
        let event = self.store.event(claimed.delivery.event_seq).await?;
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

    async fn message_arrived(&self, claimed: &Claimed) -> Result<(), ServiceError> {
        let event = self.store.event(claimed.delivery.event_seq).await?;
        let Some(event) = event else { return Ok(()) };
        let (Some(Cause::Rung(rung) | Cause::Summary { rung, .. }), Some(id)) =
            (Cause::of(&event.payload), event.interaction_id)
        else {
            return Ok(());
        };
        let reach = self.store.reach(claimed.delivery.destination).await?;
        let interaction = self.store.interaction(id).await?;
        let (Some(reach), Some(interaction)) = (reach, interaction) else {
            return Ok(());
        };
        let reach = reach.reach;
        let person = self.known_person(reach.person).await?;
        let message = (claimed.delivery.id, claimed.lease);
        let now = self.moment();
        let reached = decide::reached(&interaction, &person, &reach, rung, message, now);
        // Where it is not kept, another worker has the message, and tells of it.
        self.is_first(reached).await.map(drop)
    }
}
