//! Messages to people: looked at in the moment in which they are sent, and then carried by what their kind needs.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{
    DeliveryId, DestinationId,
    delivery::{Cause, Health, TryResult},
};
use service::{About, Message, Service};
use store::Claimed;

use super::courier::{Courier, Sent};
use crate::hub::presence::Presence;

pub mod words;

/// How long a message waits while its person has the question before them, and for how long after it was made: a page
/// that is open is no reader, and whoever reads for longer may have left.
const LOOKS: TimeDelta = TimeDelta::seconds(15);
const LOOKS_AT_MOST: TimeDelta = TimeDelta::seconds(60);
/// How much longer a lease is than carrying may take.
const MARKED_WITHIN: Duration = Duration::from_secs(5);

/// Carries a message where its address leads.
#[async_trait]
pub trait Carrier: Send + Sync {
    /// How long that may take.
    fn in_time(&self) -> Duration;

    /// See [`Courier::at_once`].
    fn at_once(&self) -> usize {
        usize::MAX
    }

    /// Sends it. `id` is the same at every try.
    async fn carry(&self, message: &Message, id: DeliveryId) -> Sent;
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

    async fn attempt(&self, claimed: &Claimed) -> Option<Sent> {
        match self.service.prepare_message(claimed).await {
            Ok(Ok(message)) if self.is_before_them(&message, claimed) => {
                Some(Sent::nothing(TryResult::Postponed {
                    why: "the person has the question before them".to_owned(),
                    wait: LOOKS,
                }))
            }
            Ok(Ok(message)) => Some(self.carrier.carry(&message, claimed.delivery.id).await),
            Ok(Err(why)) => Some(Sent::nothing(why)),
            Err(error) => {
                tracing::error!(%error, delivery.id = %claimed.delivery.id, "a message cannot be prepared");
                None
            }
        }
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
        TimeDelta::from_std(self.carrier.in_time() + MARKED_WITHIN).unwrap_or(TimeDelta::MAX)
    }

    /// What takes a message away follows the message.
    fn in_turn(&self) -> bool {
        true
    }

    fn most(&self, _: DestinationId, _: Health, under_way: u32) -> u32 {
        u32::from(under_way == 0)
    }

    fn at_once(&self) -> usize {
        self.carrier.at_once()
    }

    async fn send(&self, claimed: Vec<Claimed>) -> Vec<(Claimed, Option<Sent>)> {
        let mut sent = Vec::with_capacity(claimed.len());
        for one in claimed {
            let outcome = self.attempt(&one).await;
            sent.push((one, outcome));
        }
        sent
    }
}
