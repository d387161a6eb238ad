//! Reaches as stored.

use domain::{
    DestinationId, EventId, InteractionId, PersonId, SecretHash,
    delivery::{Reach, ReachEnd, ReachEnded, ReachKind, SealedSecret},
};
use sqlx::FromRow;
use uuid::Uuid;

use super::{outbox::HealthRow, time};
use crate::{ReachRecord, Result, StoreError, Told, ToldPage};

const TABLE: &str = "reaches";

#[derive(FromRow)]
pub(crate) struct ReachRow {
    id: Uuid,
    version: i64,
    person_id: Uuid,
    kind: String,
    label: String,
    address: Vec<u8>,
    browser: Option<Vec<u8>>,
    created_at: i64,
    proven_at: Option<i64>,
    digest: bool,
    ended_at: Option<i64>,
    ended_why: Option<String>,
    #[sqlx(flatten)]
    health: HealthRow,
    arrived_at: Option<i64>,
    error: Option<String>,
}

impl TryFrom<ReachRow> for ReachRecord {
    type Error = StoreError;

    fn try_from(row: ReachRow) -> Result<Self> {
        let at = |millis| time(millis, TABLE, row.id);
        let wrong = |column, what: &str| StoreError::inconsistent(TABLE, column, row.id, what);
        let ended = match (row.ended_at, row.ended_why.as_deref()) {
            (Some(since), Some(why)) => Some(ReachEnded {
                at: at(since)?,
                why: ReachEnd::from_name(why).ok_or_else(|| wrong("ended_why", why))?,
            }),
            _ => None,
        };
        let browser = row.browser.map(|bytes| {
            let bytes = bytes.try_into();
            bytes
                .map(SecretHash)
                .map_err(|_| wrong("browser", "not 32 bytes"))
        });
        Ok(Self {
            health: row.health.health(row.id)?,
            arrived_at: row.arrived_at.map(at).transpose()?,
            reach: Reach {
                id: DestinationId(row.id),
                version: row.version,
                person: PersonId(row.person_id),
                kind: ReachKind::from_name(&row.kind).ok_or_else(|| wrong("kind", &row.kind))?,
                label: row.label,
                address: SealedSecret(row.address),
                browser: browser.transpose()?,
                created_at: at(row.created_at)?,
                proven_at: row.proven_at.map(at).transpose()?,
                digest: row.digest,
                ended,
            },
            error: row.error,
        })
    }
}

/// Turns rows into reaches.
pub(crate) fn reaches(rows: Vec<ReachRow>) -> Vec<ReachRecord> {
    super::readable(rows.into_iter().map(ReachRecord::try_from))
}

#[derive(FromRow)]
pub(crate) struct ToldRow {
    seq: i64,
    id: Uuid,
    at: i64,
    event_type: String,
    interaction_id: Option<Uuid>,
}

impl ToldRow {
    fn told(&self) -> Result<Option<Told>> {
        let closes = matches!(
            &*self.event_type,
            "interaction.resolved" | "interaction.expired" | "interaction.cancelled"
        );
        let Some(interaction) = self.interaction_id.filter(|_| closes) else {
            return Ok(None);
        };
        Ok(Some(Told {
            seq: self.seq,
            event: EventId(self.id),
            at: time(self.at, "events", self.seq)?,
            interaction: InteractionId(interaction),
        }))
    }
}

/// Finds what was closed by the `limit` events after `after`.
pub(crate) fn told(rows: Vec<ToldRow>, after: i64, limit: u32) -> Result<ToldPage> {
    Ok(ToldPage {
        up_to: rows.last().map_or(after, |last| last.seq),
        more: rows.len() >= limit as usize,
        told: rows
            .iter()
            .filter_map(|row| row.told().transpose())
            .collect::<Result<_>>()?,
    })
}
