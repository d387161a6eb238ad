//! Endpoints, deliveries and their tries as stored.

use domain::{
    Delivery, DeliveryId, DestinationId, Endpoint, EventId, InteractionId, TeamId,
    delivery::{
        DeliveryState, DestinationKind, Disabled, DisabledWhy, Filter, Format, Health, Listener,
        SealedSecret, Topic,
    },
    interaction::Mode,
    obligation::News,
};
use sqlx::FromRow;
use uuid::Uuid;

use super::{team_ids, time};
use crate::{
    Attempt, AttemptEnd, Claimed, DeliveryRecord, EndpointRecord, Follower, NewsPage, Ready,
    Result, Stopped, StoreError, StuckChannel,
};

/// The names of topics with commas between them.
pub(crate) fn topics(filter: &Filter) -> String {
    let names: Vec<&str> = filter.topics.iter().map(|topic| topic.name()).collect();
    names.join(",")
}

fn filter(id: Uuid, topics: &str, sync_only: bool, teams: Option<&str>) -> Result<Filter> {
    let named = topics.split(',').filter(|name| !name.is_empty());
    let topics = named.map(|name| {
        Topic::from_name(name)
            .ok_or_else(|| StoreError::inconsistent("webhook_endpoints", "topics", id, name))
    });
    Ok(Filter {
        topics: topics.collect::<Result<_>>()?,
        sync_only,
        teams: team_ids(teams, "webhook_endpoints", id)?,
    })
}

#[derive(Debug, FromRow)]
pub(crate) struct HealthRow {
    failures: i64,
    failing_since: Option<i64>,
    resume_at: Option<i64>,
}

impl HealthRow {
    pub(super) fn health(&self, id: Uuid) -> Result<Health> {
        let at = |millis| time(millis, "destinations", id);
        Ok(Health {
            failures: u32::try_from(self.failures).unwrap_or(u32::MAX),
            failing_since: self.failing_since.map(at).transpose()?,
            resume_at: self.resume_at.map(at).transpose()?,
        })
    }
}

#[derive(Debug, FromRow)]
pub(crate) struct ReadyRow {
    id: Uuid,
    kind: String,
    due: i64,
    #[sqlx(flatten)]
    health: HealthRow,
}

impl TryFrom<ReadyRow> for Ready {
    type Error = StoreError;

    fn try_from(row: ReadyRow) -> Result<Self> {
        Ok(Self {
            destination: DestinationId(row.id),
            kind: kind(row.id, &row.kind)?,
            due: u32::try_from(row.due).unwrap_or(u32::MAX),
            health: row.health.health(row.id)?,
        })
    }
}

#[derive(Debug, FromRow)]
pub(crate) struct StuckChannelRow {
    id: Uuid,
    channel: String,
    failing_since: i64,
    last_error: String,
}

/// Each channel once, by the first of its lanes that is stuck.
pub(crate) fn stuck_channels(rows: Vec<StuckChannelRow>) -> Result<Vec<StuckChannel>> {
    let mut channels: Vec<StuckChannel> = Vec::new();
    for row in rows {
        if channels.iter().all(|known| known.channel != row.channel) {
            channels.push(row.try_into()?);
        }
    }
    Ok(channels)
}

impl TryFrom<StuckChannelRow> for StuckChannel {
    type Error = StoreError;

    fn try_from(row: StuckChannelRow) -> Result<Self> {
        Ok(Self {
            destination: DestinationId(row.id),
            channel: row.channel,
            since: time(row.failing_since, "destinations", row.id)?,
            error: row.last_error,
        })
    }
}

#[derive(Debug, FromRow)]
pub(crate) struct FollowerRow {
    id: Uuid,
    topics: String,
    sync_only: bool,
    teams: Option<String>,
    made_up_to: i64,
    stopped_after: Option<i64>,
    stopped_at: Option<i64>,
    #[sqlx(flatten)]
    health: HealthRow,
}

impl TryFrom<FollowerRow> for Follower {
    type Error = StoreError;

    fn try_from(row: FollowerRow) -> Result<Self> {
        let stopped = match (row.stopped_after, row.stopped_at) {
            (Some(after), Some(at)) => Some(Stopped {
                after,
                at: time(at, "webhook_endpoints", row.id)?,
            }),
            _ => None,
        };
        Ok(Self {
            listener: Listener {
                id: DestinationId(row.id),
                filter: filter(row.id, &row.topics, row.sync_only, row.teams.as_deref())?,
            },
            health: row.health.health(row.id)?,
            made_up_to: row.made_up_to,
            stopped,
        })
    }
}

/// Turns rows into those who follow the journal. One that cannot be read must not keep news from others.
pub(crate) fn followers(rows: Vec<FollowerRow>) -> Vec<Follower> {
    super::readable(rows.into_iter().map(Follower::try_from))
}

#[derive(Debug, FromRow)]
pub(crate) struct NewsRow {
    seq: i64,
    id: Uuid,
    at: i64,
    event_type: String,
    interaction_id: Option<Uuid>,
    mode: Option<String>,
    answers_itself: bool,
    team_id: Option<Uuid>,
}

impl NewsRow {
    fn news(&self) -> Result<Option<News>> {
        let Some(topic) = Topic::from_name(&self.event_type) else {
            return Ok(None);
        };
        // Whoever decided it ahead, by a grant or a policy, or answered it before, wants to hear of none: an endpoint may wake
        // people.
        if self.answers_itself {
            return Ok(None);
        }
        Ok(Some(News {
            seq: self.seq,
            event: EventId(self.id),
            at: time(self.at, "events", self.seq)?,
            topic,
            stops: self.interaction_id.is_none() || self.mode.as_deref() == Some(Mode::Sync.name()),
            team: self.team_id.map(TeamId),
        }))
    }
}

/// Turns the `limit` events after `after` into the news for endpoints.
pub(crate) fn news(rows: Vec<NewsRow>, after: i64, limit: u32) -> Result<NewsPage> {
    Ok(NewsPage {
        up_to: rows.last().map_or(after, |last| last.seq),
        more: rows.len() >= limit as usize,
        news: rows
            .iter()
            .filter_map(|row| row.news().transpose())
            .collect::<Result<_>>()?,
    })
}

#[derive(FromRow)]
pub(crate) struct EndpointRow {
    id: Uuid,
    version: i64,
    name: String,
    url: String,
    topics: String,
    sync_only: bool,
    teams: Option<String>,
    format: String,
    secret: Vec<u8>,
    previous_secret: Option<Vec<u8>>,
    previous_until: Option<i64>,
    created_at: i64,
    disabled_at: Option<i64>,
    disabled_why: Option<String>,
    deleted_at: Option<i64>,
    #[sqlx(flatten)]
    health: HealthRow,
}

impl TryFrom<EndpointRow> for EndpointRecord {
    type Error = StoreError;

    fn try_from(row: EndpointRow) -> Result<Self> {
        const TABLE: &str = "webhook_endpoints";
        let at = |millis| time(millis, TABLE, row.id);
        let disabled = match (row.disabled_at, row.disabled_why.as_deref()) {
            (Some(since), Some(why)) => Some(Disabled {
                at: at(since)?,
                why: DisabledWhy::from_name(why)
                    .ok_or_else(|| StoreError::inconsistent(TABLE, "disabled_why", row.id, why))?,
            }),
            _ => None,
        };
        let previous = match (row.previous_secret, row.previous_until) {
            (Some(secret), Some(until)) => Some((SealedSecret(secret), at(until)?)),
            _ => None,
        };
        Ok(Self {
            health: row.health.health(row.id)?,
            endpoint: Endpoint {
                id: DestinationId(row.id),
                version: row.version,
                name: row.name,
                url: row.url,
                filter: filter(row.id, &row.topics, row.sync_only, row.teams.as_deref())?,
                format: Format::from_name(&row.format).ok_or_else(|| {
                    StoreError::inconsistent(TABLE, "format", row.id, &row.format)
                })?,
                secret: SealedSecret(row.secret),
                previous,
                created_at: at(row.created_at)?,
                disabled,
                deleted_at: row.deleted_at.map(at).transpose()?,
            },
        })
    }
}

/// Turns rows into endpoints.
pub(crate) fn endpoints(rows: Vec<EndpointRow>) -> Vec<EndpointRecord> {
    super::readable(rows.into_iter().map(EndpointRecord::try_from))
}

#[derive(Debug, FromRow)]
pub(crate) struct DeliveryRow {
    id: Uuid,
    destination_id: Uuid,
    event_seq: i64,
    state: String,
    tries: i64,
    next_at: i64,
    created_at: i64,
    ended_at: Option<i64>,
    last_error: Option<String>,
}

impl TryFrom<DeliveryRow> for Delivery {
    type Error = StoreError;

    fn try_from(row: DeliveryRow) -> Result<Self> {
        let at = |millis| time(millis, "outbox", row.id);
        Ok(Self {
            id: DeliveryId(row.id),
            destination: DestinationId(row.destination_id),
            event_seq: row.event_seq,
            state: DeliveryState::from_name(&row.state)
                .ok_or_else(|| StoreError::inconsistent("outbox", "state", row.id, &row.state))?,
            tries: u32::try_from(row.tries).unwrap_or(u32::MAX),
            next_at: at(row.next_at)?,
            created_at: at(row.created_at)?,
            ended_at: row.ended_at.map(at).transpose()?,
            last_error: row.last_error,
        })
    }
}

#[derive(Debug, FromRow)]
pub(crate) struct ClaimedRow {
    #[sqlx(flatten)]
    delivery: DeliveryRow,
    kind: String,
    lease: i64,
}

impl TryFrom<ClaimedRow> for Claimed {
    type Error = StoreError;

    fn try_from(row: ClaimedRow) -> Result<Self> {
        Ok(Self {
            kind: kind(row.delivery.destination_id, &row.kind)?,
            lease: row.lease,
            delivery: row.delivery.try_into()?,
        })
    }
}

/// Turns rows into claims. A row that cannot be read comes up again when its lease ends.
pub(crate) fn claimed(rows: Vec<ClaimedRow>) -> Vec<Claimed> {
    super::readable(rows.into_iter().map(Claimed::try_from))
}

#[derive(Debug, FromRow)]
pub(crate) struct DeliveryRecordRow {
    #[sqlx(flatten)]
    delivery: DeliveryRow,
    kind: String,
    name: Option<String>,
    event_type: String,
    interaction_id: Option<Uuid>,
}

impl TryFrom<DeliveryRecordRow> for DeliveryRecord {
    type Error = StoreError;

    fn try_from(row: DeliveryRecordRow) -> Result<Self> {
        Ok(Self {
            kind: kind(row.delivery.destination_id, &row.kind)?,
            name: row.name.unwrap_or_default(),
            event_type: row.event_type,
            interaction_id: row.interaction_id.map(InteractionId),
            delivery: row.delivery.try_into()?,
        })
    }
}

/// Turns rows into a list of deliveries.
pub(crate) fn deliveries(rows: Vec<DeliveryRecordRow>) -> Vec<DeliveryRecord> {
    super::readable(rows.into_iter().map(DeliveryRecord::try_from))
}

fn kind(id: Uuid, name: &str) -> Result<DestinationKind> {
    DestinationKind::from_name(name)
        .ok_or_else(|| StoreError::inconsistent("destinations", "kind", id, name))
}

#[derive(Debug, FromRow)]
pub(crate) struct AttemptRow {
    number: i64,
    started_at: i64,
    latency: Option<i64>,
    status: Option<i64>,
    error: Option<String>,
    body: Option<String>,
    may_have_arrived: bool,
    called: bool,
}

impl TryFrom<AttemptRow> for Attempt {
    type Error = StoreError;

    fn try_from(row: AttemptRow) -> Result<Self> {
        Ok(Self {
            number: row.number,
            started_at: time(row.started_at, "delivery_attempts", row.number)?,
            end: row.latency.map(|latency| AttemptEnd {
                latency,
                status: row.status.and_then(|status| u16::try_from(status).ok()),
                error: row.error,
                body: row.body.unwrap_or_default(),
                may_have_arrived: row.may_have_arrived,
            }),
            called: row.called,
        })
    }
}
