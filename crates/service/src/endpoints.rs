//! Webhook endpoints: made and managed by admins and scripts, given up when they are gone.

use chrono::{DateTime, Utc};
use domain::{
    Changeset, DeliveryId, DestinationId, Endpoint, Fault, Moment, Principal, Refused, TeamId,
    decide::delivery::{self as decide, NewEndpoint},
    delivery::{DisabledWhy, Filter, Format, Next, SealedSecret, Topic, TryResult},
};
use store::{Claimed, EndpointRecord, Mark};
use uuid::Uuid;

use super::{Outbound, Service, ServiceError};
use crate::hook_secret::HookSecret;

/// The endpoint that the setting `webhook_url` makes. There is one at most.
pub const CONFIGURED: DestinationId = DestinationId(Uuid::from_u128(1));

/// An endpoint as a caller wishes for it.
#[derive(Clone, Debug, Default)]
pub struct WishedEndpoint {
    /// Its name for people; its host when absent.
    pub name: Option<String>,
    /// Where it is.
    pub url: String,
    /// The events it wants to hear of.
    pub filter: Filter,
    /// How it wants to hear it.
    pub format: Format,
}

impl Service {
    /// Makes an endpoint. Returns its secret as well, which cannot be read back later.
    ///
    /// # Errors
    /// [`Refused::NotAResponder`], [`Refused::NotAnAdmin`]; [`Refused::Invalid`] at `target_url` when the
    /// address may not be reached, or at `name`.
    pub async fn create_endpoint(
        &self,
        wished: WishedEndpoint,
        by: &Principal,
    ) -> Result<(Endpoint, HookSecret), ServiceError> {
        loop {
            let id = DestinationId(self.ids.next());
            if let Some(created) = self.create_endpoint_as(id, wished.clone(), by).await? {
                return Ok(created);
            }
        }
    }

    /// `None` when there is one of this id already.
    async fn create_endpoint_as(
        &self,
        id: DestinationId,
        wished: WishedEndpoint,
        by: &Principal,
    ) -> Result<Option<(Endpoint, HookSecret)>, ServiceError> {
        by.outbound()?;
        let outbound = self.outbound()?;
        let url = outbound
            .guard
            .check(&wished.url)
            .map_err(|why| vec![Fault::new("target_url", why.to_string())])?;
        let secret = HookSecret::random();
        let new = NewEndpoint {
            id,
            name: wished
                .name
                .unwrap_or_else(|| url.host_str().unwrap_or_default().to_owned()),
            url: url.into(),
            filter: wished.filter,
            format: wished.format,
            secret: seal(outbound, &secret, id)?,
        };
        let (endpoint, created) = decide::create(new, by, self.moment())?;
        let is_first = self.is_first(created).await?;
        Ok(is_first.then_some((endpoint, secret)))
    }

    /// Every endpoint whose teams the caller sees, oldest first.
    ///
    /// # Errors
    /// [`Refused::NotAResponder`], [`Refused::NotAnAdmin`].
    pub async fn endpoints(&self, by: &Principal) -> Result<Vec<EndpointRecord>, ServiceError> {
        by.outbound()?;
        let audience = by.audience();
        let mut endpoints = self.store.endpoints().await?;
        endpoints.retain(|one| audience.sees_all(&one.endpoint.filter.teams));
        Ok(endpoints)
    }

    /// Gives an endpoint another secret and returns it. For a day the one before signs as well.
    ///
    /// # Errors
    /// [`Refused::NotAResponder`], [`Refused::NotAnAdmin`], [`ServiceError::NotFound`].
    pub async fn rotate_endpoint(
        &self,
        id: DestinationId,
        by: &Principal,
    ) -> Result<HookSecret, ServiceError> {
        by.outbound()?;
        let secret = HookSecret::random();
        let sealed = seal(self.outbound()?, &secret, id)?;
        self.change_endpoint(id, |endpoint, now| {
            decide::rotate(endpoint, sealed.clone(), by, now).map(Some)
        })
        .await?;
        Ok(secret)
    }

    /// Sends nothing more to an endpoint, or sends again.
    ///
    /// # Errors
    /// [`Refused::NotAResponder`], [`Refused::NotAnAdmin`], [`ServiceError::NotFound`].
    pub async fn disable_endpoint(
        &self,
        id: DestinationId,
        disabled: bool,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        by.outbound()?;
        self.change_endpoint(id, |endpoint, now| {
            decide::disable(endpoint, disabled, by, now).map(Some)
        })
        .await
    }

    /// Says of which teams an endpoint hears, beside what belongs to none.
    ///
    /// # Errors
    /// [`Refused::NotAResponder`], [`Refused::NotAnAdmin`]; [`ServiceError::NotFound`], also for a team that the caller
    /// does not see.
    pub async fn set_endpoint_teams(
        &self,
        id: DestinationId,
        teams: &[TeamId],
        by: &Principal,
    ) -> Result<(), ServiceError> {
        by.outbound()?;
        for team in teams {
            self.known_team(*team).await?;
        }
        self.change_endpoint(id, |endpoint, now| {
            decide::set_teams(endpoint, teams.to_vec(), by, now).map(Some)
        })
        .await
    }

    /// Takes an endpoint away.
    ///
    /// # Errors
    /// [`Refused::NotAResponder`], [`Refused::NotAnAdmin`], [`ServiceError::NotFound`].
    pub async fn delete_endpoint(
        &self,
        id: DestinationId,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        by.outbound()?;
        self.change_endpoint(id, |endpoint, now| {
            decide::delete(endpoint, by, now).map(Some)
        })
        .await
    }

    /// Sends an endpoint something, to see whether it arrives. Returns the delivery of it.
    ///
    /// # Errors
    /// [`Refused::NotAResponder`], [`Refused::NotAnAdmin`], [`Refused::EndpointDisabled`],
    /// [`ServiceError::NotFound`].
    pub async fn test_endpoint(
        &self,
        id: DestinationId,
        by: &Principal,
    ) -> Result<DeliveryId, ServiceError> {
        by.outbound()?;
        loop {
            let found = self.store.endpoint(id).await?.map(|found| found.endpoint);
            let found = found.filter(|endpoint| endpoint.deleted_at.is_none());
            let tested = decide::test(&found.ok_or(ServiceError::NotFound)?, by, self.moment())?;
            let told = tested.events.first().ok_or(ServiceError::NotFound)?;
            let told = DeliveryId::of(told.id, id);
            if self.is_first(tested).await? {
                return Ok(told);
            }
        }
    }

    /// Brings the endpoint of the setting `webhook_url` in line with it: one address, flat bodies, for
    /// questions that stop their agent.
    ///
    /// # Errors
    /// [`Refused::Invalid`] when the address may not be reached.
    pub async fn configure_endpoint(
        &self,
        url: Option<&str>,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        let known = self.store.endpoint(CONFIGURED).await?;
        let known = known.map(|found| found.endpoint);
        match (url, known) {
            (None, None) => Ok(()),
            (None, Some(known)) if known.deleted_at.is_some() => Ok(()),
            (None, Some(_)) => self.delete_endpoint(CONFIGURED, by).await,
            (Some(url), None) => {
                let wished = WishedEndpoint {
                    name: Some("HANDRAISE_WEBHOOK_URL".to_owned()),
                    url: url.to_owned(),
                    filter: Filter {
                        topics: vec![Topic::Requested],
                        sync_only: true,
                        teams: Vec::new(),
                    },
                    format: Format::Flat,
                };
                // Another node may have made it at the same moment.
                self.create_endpoint_as(CONFIGURED, wished, by).await?;
                Ok(())
            }
            (Some(url), Some(_)) => {
                let url = self
                    .outbound()?
                    .guard
                    .check(url)
                    .map_err(|why| vec![Fault::new("target_url", why.to_string())])?;
                self.change_any_endpoint(CONFIGURED, |endpoint, now| {
                    if endpoint.url == url.as_str() && endpoint.deleted_at.is_none() {
                        return Ok(None);
                    }
                    Ok(Some(decide::move_to(endpoint, url.to_string(), by, now)?))
                })
                .await
            }
        }
    }

    /// The consequences of a try: an endpoint that is gone, or does nothing but fail, is disabled. `mark`
    /// is brought in line with it.
    pub(super) async fn endpoint_tried(
        &self,
        claimed: &Claimed,
        reply: &TryResult,
        mark: &mut Mark,
    ) -> Result<(), ServiceError> {
        let hopeless = mark
            .health
            .is_some_and(|health| health.is_hopeless(mark.at));
        let why = match reply.is_gone() {
            true => DisabledWhy::Gone,
            false if hopeless => DisabledWhy::Failing,
            false => return Ok(()),
        };
        mark.next = Next::Dead;
        let given_up = self.change_endpoint(claimed.delivery.destination, |endpoint, now| {
            Ok(decide::give_up(endpoint, why, now))
        });
        match given_up.await {
            // It was taken away meanwhile.
            Err(ServiceError::NotFound) => Ok(()),
            other => other,
        }
    }

    /// The secrets that sign for an endpoint at `now`.
    ///
    /// # Errors
    /// When this server's key is not the one that sealed them.
    pub fn open_secrets(
        &self,
        endpoint: &Endpoint,
        now: DateTime<Utc>,
    ) -> anyhow::Result<Vec<HookSecret>> {
        let outbound = self.outbound()?;
        let secrets = endpoint.secrets(now).into_iter().map(|sealed| {
            let opened = outbound.sealer.open(sealed, endpoint.id.0.as_bytes());
            opened.map(HookSecret::from_bytes).ok_or_else(|| {
                anyhow::anyhow!(
                    "this server's key does not open the endpoint's secret; make it a new one"
                )
            })
        });
        secrets.collect()
    }

    /// As [`Service::change_any_endpoint`], but for one that was deleted.
    async fn change_endpoint(
        &self,
        id: DestinationId,
        decide: impl Fn(&Endpoint, Moment<'_>) -> Result<Option<Changeset>, Refused> + Send + Sync,
    ) -> Result<(), ServiceError> {
        self.change_any_endpoint(id, |endpoint, now| match endpoint.deleted_at {
            Some(_) => Err(ServiceError::NotFound),
            None => Ok(decide(endpoint, now)?),
        })
        .await
    }

    /// Decides on the endpoint as it is.
    async fn change_any_endpoint(
        &self,
        id: DestinationId,
        decide: impl Fn(&Endpoint, Moment<'_>) -> Result<Option<Changeset>, ServiceError> + Send + Sync,
    ) -> Result<(), ServiceError> {
        loop {
            let found = self.store.endpoint(id).await?;
            let endpoint = found.ok_or(ServiceError::NotFound)?.endpoint;
            let Some(changed) = decide(&endpoint, self.moment())? else {
                return Ok(());
            };
            if self.is_first(changed).await? {
                return Ok(());
            }
        }
    }

    /// The parts that sending needs. Commands that only manage people have none of them.
    pub(super) fn outbound(&self) -> Result<&Outbound, Refused> {
        self.outbound.as_deref().ok_or(Refused::NoKey)
    }
}

fn seal(
    outbound: &Outbound,
    secret: &HookSecret,
    id: DestinationId,
) -> Result<SealedSecret, Refused> {
    let sealed = outbound.sealer.seal(secret.bytes(), id.0.as_bytes());
    sealed.ok_or(Refused::NoKey)
}
