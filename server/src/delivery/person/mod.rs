//! Messages to people: looked at in the moment in which they are sent, and then carried by what their kind needs.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use domain::{
    DeliveryId, DestinationId,
    access::PersonRef,
    delivery::{Cause, Health, TryResult},
    interaction::Priority,
};
use service::{About, Message, Service};
use store::Claimed;
use tokio::time::Instant;

use super::courier::{Courier, Sent};
use crate::hub::presence::Presence;

pub mod words;

/// How long a message waits while its person has the question before them, and for how long after it was made: a page
/// that is open is no reader, and whoever reads for longer may have left.
const LOOKS: TimeDelta = TimeDelta::seconds(15);
const LOOKS_AT_MOST: TimeDelta = TimeDelta::seconds(60);
/// No further message to the same place is begun after this long.
const BEGUN_WITHIN: Duration = Duration::from_secs(2);
/// How much longer a lease is than all of that may take.
const MARKED_WITHIN: Duration = Duration::from_secs(5);
/// How far apart messages are that tell of all that can wait.
const DIGESTS_EVERY: TimeDelta = TimeDelta::hours(1);

/// Carries a message where its address leads.
#[async_trait]
pub trait Carrier: Send + Sync {
    /// How long that may take.
    fn in_time(&self) -> Duration;

    /// See [`Courier::at_once`].
    fn at_once(&self) -> usize {
        usize::MAX
    }

    /// Whether anything may be begun there now. Who hears yes begins one thing, if there is one.
    fn may_begin(&self) -> bool {
        true
    }

    /// Sends it. `id` is the same at every try.
    async fn carry(&self, message: &Message, id: DeliveryId) -> Sent;

    /// How many it takes for one place at once.
    fn together(&self) -> u32 {
        1
    }

    /// Sends several to one place as one.
    async fn carry_together(&self, _: &[Message], _: DeliveryId) -> Sent {
        let why = "they come one by one there".to_owned();
        Sent::nothing(TryResult::Invalid(why))
    }
}

/// What is said of messages of a kind that this server has no settings for.
#[derive(Debug)]
pub struct NotSetUp(pub &'static str);

#[async_trait]
impl Carrier for NotSetUp {
    fn in_time(&self) -> Duration {
        Duration::ZERO
    }

    async fn carry(&self, _: &Message, _: DeliveryId) -> Sent {
        Sent::nothing(TryResult::Parked(format!("{} is not set up", self.0)))
    }
}

/// Messages of one kind.
pub struct Messages<C> {
    service: Service,
    presence: Arc<Presence>,
    carrier: C,
}

impl<C: Carrier> Messages<C> {
    /// Messages that this carrier takes.
    pub fn new(service: Service, presence: Arc<Presence>, carrier: C) -> Self {
        Self {
            service,
            presence,
            carrier,
        }
    }

    /// The message, if it is to be sent now; otherwise what becomes of it.
    async fn prepare(&self, claimed: &Claimed) -> Result<Message, Option<Sent>> {
        let postponed = |why: &str, wait| {
            let why = why.to_owned();
            Err(Some(Sent::nothing(TryResult::Postponed { why, wait })))
        };
        match self.service.prepare_message(claimed).await {
            Ok(Ok(message)) if self.is_before_them(&message, claimed) => {
                postponed("the person has the question before them", LOOKS)
            }
            Ok(Ok(message)) => match self.gathered(&message, claimed) {
                Some(wait) if wait > TimeDelta::zero() => {
                    postponed("it comes with others at the full hour", wait)
                }
                _ => Ok(*message),
            },
            Ok(Err(why)) => Err(Some(Sent::nothing(why))),
            Err(error) => {
                tracing::error!(%error, delivery.id = %claimed.delivery.id, "a message cannot be prepared");
                Err(None)
            }
        }
    }

    /// How long a message waits for others, if it comes with them; not longer than its question waits.
    fn gathered(&self, message: &Message, claimed: &Claimed) -> Option<TimeDelta> {
        let Some(About::Waits(interaction)) = &message.about else {
            return None;
        };
        let can_wait = message.reach.digest
            && matches!(message.cause, Cause::Rung(_))
            && interaction.request.priority != Priority::Urgent;
        let at = next_digest(claimed.delivery.created_at).filter(|_| can_wait)?;
        let waits = interaction.expires_at.is_none_or(|deadline| at < deadline);
        waits.then(|| at - self.service.now())
    }

    /// Whoever reads the question needs no message about it, unless it waits still when they have left.
    fn is_before_them(&self, message: &Message, claimed: &Claimed) -> bool {
        let Some(About::Waits(interaction)) = &message.about else {
            return false;
        };
        if self.service.now() - claimed.delivery.created_at >= LOOKS_AT_MOST {
            return false;
        }
        let place = format!("/blockers/{}", interaction.id);
        matches!(message.cause, Cause::Rung(_)) && self.presence.is_at(message.person.id, &place)
    }
}

#[async_trait]
impl<C: Carrier> Courier for Messages<C> {
    fn lease(&self) -> TimeDelta {
        let most = match self.carrier.together() {
            1 => self.carrier.in_time(),
            _ => BEGUN_WITHIN + self.carrier.in_time(),
        };
        TimeDelta::from_std(most + MARKED_WITHIN).unwrap_or(TimeDelta::MAX)
    }

    fn most(&self, _: DestinationId, _: Health, under_way: u32) -> u32 {
        match under_way {
            0 if self.carrier.may_begin() => self.carrier.together(),
            _ => 0,
        }
    }

    fn at_once(&self) -> usize {
        self.carrier.at_once()
    }

    async fn send(&self, mut claimed: Vec<Claimed>) -> Vec<(Claimed, Option<Sent>)> {
        let begun = Instant::now();
        claimed.sort_by_key(|one| one.delivery.id);
        let mut outcomes = Vec::with_capacity(claimed.len());
        let (mut held, mut gathered) = (Vec::new(), Vec::new());
        for one in claimed {
            if begun.elapsed() > BEGUN_WITHIN {
                outcomes.push((one, Some(waits_for_its_turn())));
                continue;
            }
            match self.prepare(&one).await {
                Ok(message) if self.gathered(&message, &one).is_some() => {
                    gathered.push(message);
                    held.push(one);
                }
                Ok(message) => {
                    let mut sent = self.carrier.carry(&message, one.delivery.id).await;
                    sent.to = Some(Box::new(PersonRef::from(&message.person)));
                    outcomes.push((one, Some(sent)));
                }
                Err(outcome) => outcomes.push((one, outcome)),
            }
        }
        if let Some(first) = held.first() {
            let sent = match begun.elapsed() > BEGUN_WITHIN {
                true => waits_for_its_turn(),
                false => {
                    let id = first.delivery.id;
                    let mut sent = self.carrier.carry_together(&gathered, id).await;
                    // All that comes together leads to one place, which is one person's.
                    let to = gathered.first().map(|one| PersonRef::from(&one.person));
                    sent.to = to.map(Box::new);
                    sent
                }
            };
            outcomes.extend(held.into_iter().map(|one| (one, Some(sent.clone()))));
        }
        outcomes
    }
}

fn waits_for_its_turn() -> Sent {
    Sent::nothing(TryResult::Postponed {
        why: "it waits for its turn".to_owned(),
        wait: TimeDelta::zero(),
    })
}

/// When what was made at this time is told with the rest.
fn next_digest(made: DateTime<Utc>) -> Option<DateTime<Utc>> {
    Some(made.duration_trunc(DIGESTS_EVERY).ok()? + DIGESTS_EVERY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_wait_is_told_at_the_next_full_hour() {
        let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        for (made, told) in [
            ("2027-01-15T08:00:00Z", "2027-01-15T09:00:00Z"),
            ("2027-01-15T08:59:59.999Z", "2027-01-15T09:00:00Z"),
            ("2027-01-15T23:10:00Z", "2027-01-16T00:00:00Z"),
        ] {
            assert_eq!(next_digest(at(made)), Some(at(told)), "{made}");
        }
    }
}
