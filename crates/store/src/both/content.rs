//! What is in a database, for whoever only looks at it.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta};
use domain::InteractionId;

use super::{Connection, identities};
use crate::{
    NODE_IS_HEARD,
    inspect::{AdminWays, Content, Failing},
};

pub(super) async fn content(connection: &mut Connection) -> sqlx::Result<Content> {
    let (last_seq, last_event_at): (i64, Option<i64>) = sqlx::query_as(
        "SELECT (SELECT COALESCE(MAX(seq), 0) FROM events),
            (SELECT at FROM events ORDER BY seq DESC LIMIT 1)",
    )
    .fetch_one(&mut *connection)
    .await?;
    let mut admins: BTreeMap<_, AdminWays> = BTreeMap::new();
    for (admin, of_their_own, issuer) in identities::admins(connection, None).await? {
        let theirs = admins.entry(admin).or_default();
        theirs.of_their_own = of_their_own;
        theirs.issuers.extend(issuer);
    }
    let teams =
        sqlx::query_scalar("SELECT name_key FROM teams WHERE deleted_at IS NULL ORDER BY name_key")
            .fetch_all(&mut *connection)
            .await?;
    let last_event_at = last_event_at.and_then(DateTime::from_timestamp_millis);
    let week = last_event_at.unwrap_or_default() - TimeDelta::days(7);
    let (interactions, interactions_of_week) = sqlx::query_as(
        "SELECT (SELECT COUNT(*) FROM interactions), (SELECT COUNT(*) FROM interactions WHERE id >= $1)",
    )
    .bind(InteractionId::earliest(week).0)
    .fetch_one(&mut *connection)
    .await?;
    let ending: Vec<(String, i64)> = sqlx::query_as(
        "SELECT name, expires_at FROM tokens
         WHERE revoked_at IS NULL AND expires_at IS NOT NULL ORDER BY expires_at, name",
    )
    .fetch_all(&mut *connection)
    .await?;
    let failing: Vec<(String, i64, Option<i64>)> = sqlx::query_as(
        "SELECT kind, COUNT(*), MIN(failing_since) FROM destinations
         WHERE failures > 0 GROUP BY kind ORDER BY kind",
    )
    .fetch_all(&mut *connection)
    .await?;
    let nodes: Vec<(String, i64)> = sqlx::query_as(
        "SELECT version, COUNT(*) FROM nodes
         WHERE seen_at >= (SELECT MAX(seen_at) FROM nodes) - $1 GROUP BY version",
    )
    .bind(NODE_IS_HEARD.num_milliseconds())
    .fetch_all(connection)
    .await?;
    let time = DateTime::from_timestamp_millis;
    Ok(Content {
        last_seq,
        last_event_at,
        admins: admins.into_values().collect(),
        teams,
        interactions,
        interactions_of_week,
        ending_tokens: ending
            .into_iter()
            .filter_map(|(name, at)| Some((name, time(at)?)))
            .collect(),
        failing: failing
            .into_iter()
            .map(|(kind, destinations, since)| Failing {
                kind,
                destinations,
                since: since.and_then(time),
            })
            .collect(),
        nodes: nodes.into_iter().collect(),
    })
}
