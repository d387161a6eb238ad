//! Deliveries, as people see them: looked at, and tried again.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    DeliveryId, DestinationId, Principal,
    access::PersonRef,
    decide::delivery as decide,
    delivery::{DestinationKind, TryResult},
};
use store::{Attempt, Claimed, DeliveryQuery, DeliveryRecord, Mark, StuckChannel};

use super::{Service, ServiceError};

/// How long deliveries can be looked at after they ended: nobody asks for longer what a receiver said to it.
const KEPT: TimeDelta = TimeDelta::days(90);
/// How many are forgotten in one transaction: agents that ask wait for it.
const TOGETHER: u32 = 500;
/// And how many times that in one turn.
const TURNS: usize = 100;

impl Service {
    /// Forgets deliveries that ended long ago, with their tries. The journal still tells what happened.
    ///
    /// # Errors
    /// The database's.
    pub async fn forget_deliveries(&self) -> Result<u64, ServiceError> {
        let mut forgotten = 0;
        for _ in 0..TURNS {
            let ended_before = self.now() - KEPT;
            match self.store.forget_deliveries(ended_before, TOGETHER).await? {
                0 => break,
                some => forgotten += some,
            }
        }
        Ok(forgotten)
    }

    /// Deliveries, those of the newest events first, as far as the caller sees what they tell of.
    ///
    /// # Errors
    /// [`domain::Refused::NotAResponder`], [`domain::Refused::NotAnAdmin`].
    pub async fn deliveries(
        &self,
        query: &DeliveryQuery,
        by: &Principal,
    ) -> Result<Vec<DeliveryRecord>, ServiceError> {
        by.outbound()?;
        let query = DeliveryQuery {
            audience: by.audience(),
            ..query.clone()
        };
        Ok(self.store.deliveries(&query).await?)
    }

    /// Rule 18: a delivery is there for those who see what it tells of.
    async fn see_delivery(&self, id: DeliveryId, by: &Principal) -> Result<(), ServiceError> {
        let query = DeliveryQuery {
            id: Some(id),
            limit: 1,
            ..DeliveryQuery::default()
        };
        match self.deliveries(&query, by).await?.is_empty() {
            false => Ok(()),
            true => Err(ServiceError::NotFound),
        }
    }

    /// Channels of Slack that nothing can be posted to while something waits for it.
    ///
    /// # Errors
    /// As [`Service::deliveries`].
    pub async fn stuck_channels(&self, by: &Principal) -> Result<Vec<StuckChannel>, ServiceError> {
        by.outbound()?;
        Ok(self.store.stuck_channels().await?)
    }

    /// The tries of one delivery, first to last.
    ///
    /// # Errors
    /// As [`Service::deliveries`].
    pub async fn attempts(
        &self,
        id: DeliveryId,
        by: &Principal,
    ) -> Result<Vec<Attempt>, ServiceError> {
        match self.see_delivery(id, by).await {
            Err(ServiceError::NotFound) => Ok(Vec::new()),
            seen => {
                seen?;
                Ok(self.store.attempts(id).await?)
            }
        }
    }

    /// Has one delivery tried again now, with its whole schedule before it.
    ///
    /// # Errors
    /// As [`Service::deliveries`]; [`domain::Refused::EndpointDisabled`], [`domain::Refused::NotToRetry`],
    /// [`ServiceError::NotFound`].
    pub async fn retry_delivery(&self, id: DeliveryId, by: &Principal) -> Result<(), ServiceError> {
        self.see_delivery(id, by).await?;
        loop {
            let delivery = self.store.delivery(id).await?;
            let delivery = delivery.ok_or(ServiceError::NotFound)?;
            let endpoint = self.store.endpoint(delivery.destination).await?;
            let endpoint = endpoint.map(|found| found.endpoint);
            let retried = decide::retry(&delivery, endpoint.as_ref(), by, self.moment())?;
            if self.is_first(retried).await? {
                return Ok(());
            }
        }
    }

    /// Has everything tried again that was made since then and given up; `destination` = only
    /// deliveries to it.
    ///
    /// # Errors
    /// As [`Service::deliveries`].
    pub async fn retry_deliveries(
        &self,
        since: DateTime<Utc>,
        destination: Option<DestinationId>,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        loop {
            let retried = decide::retry_since(since, destination, by, self.moment())?;
            if self.is_first(retried).await? {
                return Ok(());
            }
        }
    }

    /// The consequences of a try, kept before the try is marked; a message went `to` a person. `mark` is brought in line
    /// with it.
    ///
    /// # Errors
    /// When the database fails: then the delivery has to be tried again, and it follows again.
    pub async fn delivery_tried(
        &self,
        claimed: &Claimed,
        reply: &TryResult,
        to: Option<PersonRef>,
        mark: &mut Mark,
    ) -> Result<(), ServiceError> {
        match claimed.kind {
            DestinationKind::Webhook => self.endpoint_tried(claimed, reply, mark).await,
            DestinationKind::Callback => self.callback_tried(claimed, mark).await,
            // Where a card is was kept as soon as Slack said so.
            DestinationKind::Slack => self.mention_tried(claimed, mark).await,
            DestinationKind::Push
            | DestinationKind::Mail
            | DestinationKind::Ntfy
            | DestinationKind::Direct => self.message_tried(claimed, reply, to, mark).await,
        }
    }
}
