//! What is in a database, for whoever only looks at it.

use std::collections::BTreeMap;

use chrono::DateTime;

use super::{Connection, identities};
use crate::inspect::{AdminWays, Content};

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
            .fetch_all(connection)
            .await?;
    Ok(Content {
        last_seq,
        last_event_at: last_event_at.and_then(DateTime::from_timestamp_millis),
        admins: admins.into_values().collect(),
        teams,
    })
}
