//! The pages about webhooks and deliveries, for the person who is signed in. Who may do what is for the rules to
//! say.

use app::{
    backend::OutboundPages,
    error::UiError,
    view::{
        Again, DeliveryPage, DeliveryQuery, DeliveryRow, DeliveryStory, Destination, NoticeLines,
        Notices, Since, StuckChannel, TeamName, Try, TryEnd, VoidDecision, WebhookList, WebhookRow,
        WebhookStanding, WebhookWish,
    },
};
use async_trait::async_trait;
use domain::{
    DeliveryId, DestinationId, Endpoint, Fault, Principal, Refused, TeamId,
    delivery::{DeliveryState, DestinationKind, DisabledWhy, EndpointRef, Filter, SlackChannel},
};
use service::{CONFIGURED, ServiceError, WishedEndpoint};
use store::{Attempt, DeliveryRecord, EndpointRecord};

use super::backend::{ForPerson, failed, told};

/// How many rows a page of the deliveries holds.
const DELIVERY_ROWS: u32 = 50;

impl ForPerson {
    async fn webhook(
        &self,
        record: EndpointRecord,
        teams: &[TeamName],
        by: &Principal,
    ) -> Result<WebhookRow, UiError> {
        let EndpointRecord { endpoint, health } = record;
        let arrived = store::DeliveryQuery {
            state: Some(DeliveryState::Delivered),
            destination: Some(endpoint.id),
            limit: 1,
            ..store::DeliveryQuery::default()
        };
        let service = &self.state.service;
        let arrived = service.deliveries(&arrived, by).await.map_err(told)?;
        let now = service.now();
        let previous = endpoint.previous.as_ref().map(|(_, until)| *until);
        Ok(WebhookRow {
            id: endpoint.id,
            host: EndpointRef::from(&endpoint).host,
            standing: match (endpoint.disabled, health.failing_since) {
                (Some(disabled), _) => WebhookStanding::Disabled(disabled.why, disabled.at),
                (None, Some(since)) => WebhookStanding::Failing(since),
                (None, None) => WebhookStanding::Enabled,
            },
            name: endpoint.name,
            topics: endpoint.filter.topics,
            sync_only: endpoint.filter.sync_only,
            teams: teams
                .iter()
                .filter(|team| endpoint.filter.teams.contains(&team.id))
                .cloned()
                .collect(),
            format: endpoint.format,
            created_at: endpoint.created_at,
            delivered_at: arrived.first().and_then(|newest| newest.delivery.ended_at),
            previous_until: previous.filter(|until| now < *until),
            configured: endpoint.id == CONFIGURED,
        })
    }

    async fn all_webhooks(
        &self,
        teams: &[TeamName],
        by: &Principal,
    ) -> Result<Vec<WebhookRow>, UiError> {
        let records = self.state.service.endpoints(by).await.map_err(told)?;
        let mut rows = Vec::new();
        for record in records {
            rows.push(self.webhook(record, teams, by).await?);
        }
        Ok(rows)
    }

    /// These teams, each of which is there.
    async fn known_teams(&self, teams: Vec<TeamId>) -> Result<Vec<TeamId>, UiError> {
        let known = match teams.is_empty() {
            true => Vec::new(),
            false => self.team_names().await?,
        };
        match teams
            .iter()
            .all(|id| known.iter().any(|team| team.id == *id))
        {
            true => Ok(teams),
            false => Err(UiError::Invalid(
                "One of these teams is no more. Load the page anew and choose again.".to_owned(),
            )),
        }
    }
}

#[async_trait]
impl OutboundPages for ForPerson {
    async fn notices(&self) -> Result<Notices, UiError> {
        let by = self.principal()?;
        let mut given_up = Vec::new();
        let mut stuck = Vec::new();
        let mut void = Vec::new();
        let mut ending = Vec::new();
        let mut links = self.own_link().await?.into_iter().collect::<Vec<_>>();
        let for_admin = by.outbound().is_ok();
        if for_admin {
            let teams = self.team_names().await?;
            given_up = self.all_webhooks(&teams, &by).await?;
            given_up.retain(|row| match row.standing {
                WebhookStanding::Disabled(why, _) => why != DisabledWhy::ByHand,
                WebhookStanding::Enabled | WebhookStanding::Failing(_) => false,
            });
            let found = self.state.service.stuck_channels(&by).await;
            stuck = found
                .map_err(told)?
                .into_iter()
                .map(stuck_channel)
                .collect();
            void = self.state.service.store().void();
            ending = self.ending_tokens(&by).await?;
            links.extend(self.links_of_others(&by).await?);
        }
        let lines = NoticeLines {
            given_up,
            stuck,
            void: void
                .into_iter()
                .map(|(id, why)| VoidDecision {
                    id,
                    why: why.to_string(),
                })
                .collect(),
            ending,
            links,
        };
        Ok(Notices::of(&lines, for_admin, self.state.service.now()))
    }

    async fn deliveries(&self, query: DeliveryQuery) -> Result<DeliveryPage, UiError> {
        let by = self.principal()?;
        let service = &self.state.service;
        let query = store::DeliveryQuery {
            state: query.state,
            destination: query.destination,
            before: query.before,
            // One more than shown tells whether there is a next page.
            limit: DELIVERY_ROWS + 1,
            ..store::DeliveryQuery::default()
        };
        let mut found = service.deliveries(&query, &by).await.map_err(told)?;
        let more = found.len() > DELIVERY_ROWS as usize;
        found.truncate(DELIVERY_ROWS as usize);
        let rows: Vec<DeliveryRow> = found.into_iter().map(delivery_row).collect();
        let endpoints = service.endpoints(&by).await.map_err(told)?;
        let mut destinations: Vec<Destination> = endpoints
            .into_iter()
            .map(|record| Destination {
                id: record.endpoint.id,
                name: record.endpoint.name,
            })
            .collect();
        for row in &rows {
            if destinations.iter().all(|one| one.id != row.destination.id) {
                destinations.push(row.destination.clone());
            }
        }
        Ok(DeliveryPage {
            next: rows.last().filter(|_| more).map(|last| last.id),
            rows,
            destinations,
            as_of: service.now(),
        })
    }

    async fn delivery(&self, id: DeliveryId) -> Result<DeliveryStory, UiError> {
        let by = self.principal()?;
        let service = &self.state.service;
        let only = store::DeliveryQuery {
            id: Some(id),
            limit: 1,
            ..store::DeliveryQuery::default()
        };
        let mut found = service.deliveries(&only, &by).await.map_err(told)?;
        let record = found.pop().ok_or(UiError::NotFound)?;
        let attempts = service.attempts(id, &by).await.map_err(told)?;
        let destination = record.delivery.destination;
        let endpoint = service.store().endpoint(destination).await;
        let endpoint = endpoint.map_err(failed)?.map(|found| found.endpoint);
        let kept = endpoint.as_ref().filter(|one| one.deleted_at.is_none());
        Ok(DeliveryStory {
            webhook: kept.map(|endpoint| endpoint.id),
            again: again(&record, endpoint.as_ref()),
            row: delivery_row(record),
            tries: attempts.into_iter().rev().map(one_try).collect(),
            as_of: service.now(),
        })
    }

    async fn retry_delivery(&self, id: DeliveryId) -> Result<(), UiError> {
        let by = self.principal()?;
        let retried = self.state.service.retry_delivery(id, &by).await;
        retried.map_err(told)
    }

    async fn retry_deliveries(
        &self,
        since: Since,
        destination: Option<DestinationId>,
    ) -> Result<(), UiError> {
        let by = self.principal()?;
        let service = &self.state.service;
        let since = service.now() - since.span();
        let retried = service.retry_deliveries(since, destination, &by).await;
        retried.map_err(told)
    }

    async fn webhooks(&self) -> Result<WebhookList, UiError> {
        let (by, teams) = (self.principal()?, self.team_names().await?);
        Ok(WebhookList {
            rows: self.all_webhooks(&teams, &by).await?,
            teams,
            as_of: self.state.service.now(),
        })
    }

    async fn create_webhook(&self, wish: WebhookWish) -> Result<String, UiError> {
        let by = self.principal()?;
        by.outbound().map_err(|refused| told(refused.into()))?;
        let wished = WishedEndpoint {
            name: wish.name,
            url: wish.address,
            filter: Filter {
                topics: wish.topics,
                sync_only: wish.sync_only,
                teams: self.known_teams(wish.teams).await?,
            },
            format: wish.format,
        };
        match self.state.service.create_endpoint(wished, &by).await {
            Ok((_, secret)) => Ok(secret.reveal()),
            Err(ServiceError::Refused(Refused::Invalid(faults))) => {
                let faults = faults.into_iter().map(as_on_the_page).collect();
                Err(told(Refused::Invalid(faults).into()))
            }
            Err(error) => Err(told(error)),
        }
    }

    async fn test_webhook(&self, id: DestinationId) -> Result<DeliveryId, UiError> {
        let by = self.principal()?;
        let tested = self.state.service.test_endpoint(id, &by).await;
        tested.map_err(told)
    }

    async fn rotate_secret(&self, id: DestinationId) -> Result<String, UiError> {
        let by = self.principal()?;
        let secret = self.state.service.rotate_endpoint(id, &by).await;
        Ok(secret.map_err(told)?.reveal())
    }

    async fn set_webhook_teams(
        &self,
        id: DestinationId,
        teams: Vec<TeamId>,
    ) -> Result<(), UiError> {
        let by = self.principal()?;
        by.outbound().map_err(|refused| told(refused.into()))?;
        let teams = self.known_teams(teams).await?;
        let set = self.state.service.set_endpoint_teams(id, &teams, &by).await;
        set.map_err(told)
    }

    async fn disable_webhook(&self, id: DestinationId, disabled: bool) -> Result<(), UiError> {
        let by = self.principal()?;
        let changed = self.state.service.disable_endpoint(id, disabled, &by).await;
        changed.map_err(told)
    }

    async fn delete_webhook(&self, id: DestinationId) -> Result<(), UiError> {
        let by = self.principal()?;
        by.outbound().map_err(|refused| told(refused.into()))?;
        if id == CONFIGURED {
            let why = "A setting makes this webhook: take HANDRAISE_WEBHOOK_URL away and restart.";
            return Err(UiError::Invalid(why.to_owned()));
        }
        let deleted = self.state.service.delete_endpoint(id, &by).await;
        deleted.map_err(told)
    }
}

fn delivery_row(record: DeliveryRecord) -> DeliveryRow {
    let delivery = record.delivery;
    DeliveryRow {
        id: delivery.id,
        destination: Destination {
            id: delivery.destination,
            name: match record.kind {
                DestinationKind::Slack => channel_words(record.name),
                DestinationKind::Webhook | DestinationKind::Callback => record.name,
                DestinationKind::Push => format!("{} by push", record.name),
                DestinationKind::Mail => format!("{} by mail", record.name),
                DestinationKind::Ntfy => format!("{} by ntfy", record.name),
                DestinationKind::Direct => format!("{} in Slack", record.name),
            },
        },
        kind: record.kind,
        event_type: record.event_type,
        interaction: record.interaction_id,
        state: delivery.state,
        tries: delivery.tries,
        created_at: delivery.created_at,
        next_at: Some(delivery.next_at).filter(|_| delivery.ended_at.is_none()),
        ended_at: delivery.ended_at,
        error: delivery.last_error,
    }
}

/// The words people have for a channel: its name changes, so it is not asked for.
fn channel_words(channel: String) -> String {
    let channel = SlackChannel(channel);
    match channel.is_of_webhook() {
        true => "Slack's incoming webhook".to_owned(),
        false => format!("Slack channel {}", channel.0),
    }
}

fn stuck_channel(found: store::StuckChannel) -> StuckChannel {
    StuckChannel {
        destination: Destination {
            id: found.destination,
            name: channel_words(found.channel),
        },
        since: found.since,
        error: found.error,
    }
}

fn again(record: &DeliveryRecord, endpoint: Option<&Endpoint>) -> Again {
    match endpoint {
        _ if !record.delivery.can_be_retried() => Again::Needless,
        Some(endpoint) if endpoint.deleted_at.is_some() => Again::Deleted,
        Some(endpoint) if endpoint.disabled.is_some() => Again::Disabled,
        Some(_) | None => Again::Possible,
    }
}

fn one_try(attempt: Attempt) -> Try {
    Try {
        number: attempt.number,
        started_at: attempt.started_at,
        end: attempt.end.map(|end| TryEnd {
            latency: end.latency,
            status: end.status,
            error: end.error,
            answer: visible::isolated(&visible::unhidden(&end.body)),
        }),
    }
}

/// The fields have other names there than in the API.
fn as_on_the_page(fault: Fault) -> Fault {
    let field = match &*fault.path {
        "target_url" => "the address",
        "name" => "the name",
        other => other,
    };
    Fault::new(field, fault.message)
}
