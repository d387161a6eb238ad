//! Ladders: how silence climbs, where each blocker stands, and what people are not told yet.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    Access, DestinationId, InteractionId, PersonId, TeamId,
    delivery::{ReachKind, ReachRef},
    ladder::{Held, HeldWhy, Ladder, LadderWrite, Message, Quiet, Reachable, Sent},
    limits::MESSAGES_WINDOW,
};
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::{Connection, Db, Store, snoozes, teams::is_there};
use crate::{Answerer, Climbing, HeldDue, LadderRecord, Ladders, Result, rows};

/// In one statement: a database takes only so many values.
const ROWS: usize = 500;

/// Asked every second.
pub(super) const CLIMBING: &str = "SELECT id, rung, next_rung_at FROM interactions
     WHERE state = 'pending' AND next_rung_at <= $1
       AND (claimed_until IS NULL OR claimed_until <= $1)
     ORDER BY next_rung_at LIMIT $2 OFFSET $3";

/// Writes one change of what climbs; `false` when it does not fit.
pub(super) async fn apply(connection: &mut Connection, write: &LadderWrite) -> Result<bool> {
    match write {
        LadderWrite::Climb {
            interaction,
            version,
            rung,
            next_at,
            told,
            held,
            at,
        } => {
            // Answered, claimed or told by another node meanwhile: then nobody hears of it by this one.
            let done = sqlx::query(
                "UPDATE interactions SET rung = $3 + 1, next_rung_at = $4
                 WHERE id = $1 AND version = $2 AND rung = $3 AND state = 'pending' AND next_rung_at IS NOT NULL",
            )
            .bind(interaction.0)
            .bind(version)
            .bind(i64::from(*rung))
            .bind(next_at.map(|at| at.timestamp_millis()))
            .execute(&mut *connection)
            .await?;
            if done.rows_affected() != 1 {
                return Ok(false);
            }
            let people: Vec<_> = told.iter().map(|message| message.person).collect();
            sent(connection, &people, *interaction, *at).await?;
            hold_back(connection, held).await?;
            fits(connection, told, *at).await
        }
        LadderWrite::Restart {
            interaction,
            at,
            wakes,
        } => {
            if let Some(person) = wakes {
                snoozes::forget(connection, *person, *interaction).await?;
            }
            let done = sqlx::query(
                "UPDATE interactions SET rung = 0, next_rung_at = $2 WHERE id = $1 AND state = 'pending'",
            )
            .bind(interaction.0)
            .bind(at.timestamp_millis())
            .execute(&mut *connection)
            .await?;
            sqlx::query("DELETE FROM held_back WHERE interaction_id = $1")
                .bind(interaction.0)
                .execute(connection)
                .await?;
            Ok(done.rows_affected() == 1)
        }
        LadderWrite::Resume { interaction, at } => {
            sqlx::query(
                "UPDATE interactions SET rung = rung - 1, next_rung_at = $2
                 WHERE id = $1 AND state = 'pending' AND next_rung_at IS NULL AND rung > 0",
            )
            .bind(interaction.0)
            .bind(at.timestamp_millis())
            .execute(connection)
            .await?;
            Ok(true)
        }
        LadderWrite::Seen {
            interaction,
            person,
            at,
        } => {
            let done = sqlx::query(
                "INSERT INTO seen_by (interaction_id, person_id, at) VALUES ($1, $2, $3)
                 ON CONFLICT DO NOTHING",
            )
            .bind(interaction.0)
            .bind(person.0)
            .bind(at.timestamp_millis())
            .execute(connection)
            .await?;
            Ok(done.rows_affected() == 1)
        }
        LadderWrite::SumUp {
            person,
            held,
            waiting,
            at,
        } => {
            for (interaction, version) in waiting {
                if !waits(connection, *interaction, *version).await? {
                    return Ok(false);
                }
            }
            for one in held {
                if !let_go(connection, one).await? {
                    return Ok(false);
                }
            }
            let Some((first, _)) = waiting.first() else {
                return Ok(false);
            };
            sent(connection, &[*person], *first, *at).await?;
            Ok(true)
        }
    }
}

async fn waits(
    connection: &mut Connection,
    interaction: InteractionId,
    version: i64,
) -> Result<bool> {
    let there: Option<i64> = sqlx::query_scalar(
        "SELECT version FROM interactions WHERE id = $1 AND version = $2 AND state = 'pending'",
    )
    .bind(interaction.0)
    .bind(version)
    .fetch_optional(connection)
    .await?;
    Ok(there.is_some())
}

/// Whether nobody has more messages now than they may: many rungs are decided at once, on all nodes.
async fn fits(connection: &mut Connection, told: &[Message], at: DateTime<Utc>) -> Result<bool> {
    let since: DateTime<Utc> = at - MESSAGES_WINDOW;
    let limits: BTreeSet<_> = told.iter().map(|message| message.most).collect();
    for most in limits {
        let people = told.iter().filter(|message| message.most == most);
        let people: Vec<_> = people.map(|message| message.person.0).collect();
        for people in people.chunks(ROWS) {
            let mut sql: QueryBuilder<Db> =
                QueryBuilder::new("SELECT COUNT(*) FROM messages_sent WHERE at > ");
            sql.push_bind(since.timestamp_millis());
            of_people(&mut sql, people);
            sql.push(" GROUP BY person_id HAVING COUNT(*) > ")
                .push_bind(i64::from(most))
                .push(" LIMIT 1");
            let too_many: Option<i64> = sql
                .build_query_scalar()
                .persistent(false)
                .fetch_optional(&mut *connection)
                .await?;
            if too_many.is_some() {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// `false` when it is not held back any more, or since another rung.
async fn let_go(connection: &mut Connection, held: &Held) -> Result<bool> {
    let done = sqlx::query(
        "DELETE FROM held_back
         WHERE person_id = $1 AND interaction_id = $2 AND until = $3 AND rung = $4",
    )
    .bind(held.person.0)
    .bind(held.interaction.0)
    .bind(held.until.timestamp_millis())
    .bind(i64::from(held.rung))
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

async fn sent(
    connection: &mut Connection,
    people: &[PersonId],
    interaction: InteractionId,
    at: DateTime<Utc>,
) -> Result<()> {
    for people in people.chunks(ROWS) {
        let mut sql: QueryBuilder<Db> =
            QueryBuilder::new("INSERT INTO messages_sent (person_id, at, interaction_id) ");
        sql.push_values(people, |mut row, person| {
            row.push_bind(person.0)
                .push_bind(at.timestamp_millis())
                .push_bind(interaction.0);
        });
        sql.build()
            .persistent(false)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// What is held back already comes at its own time, or sooner.
async fn hold_back(connection: &mut Connection, held: &[Held]) -> Result<()> {
    for held in held.chunks(ROWS) {
        let mut sql: QueryBuilder<Db> = QueryBuilder::new(
            "INSERT INTO held_back (person_id, interaction_id, rung, until, why) ",
        );
        sql.push_values(held, |mut row, one| {
            row.push_bind(one.person.0)
                .push_bind(one.interaction.0)
                .push_bind(i64::from(one.rung))
                .push_bind(one.until.timestamp_millis())
                .push_bind(one.why.name());
        });
        sql.push(
            " ON CONFLICT (person_id, interaction_id) DO UPDATE
              SET rung = excluded.rung, until = excluded.until, why = excluded.why
              WHERE excluded.until < held_back.until",
        );
        sql.build()
            .persistent(false)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// Writes one change of a ladder or of quiet hours; `false` when it does not fit.
pub(super) async fn set(connection: &mut Connection, access: &Access) -> Result<bool> {
    match access {
        Access::Ladder {
            team,
            version,
            ladder,
            at,
        } => {
            let is_set = is_there(connection, *team).await?
                && put_ladder(connection, *team, *version, ladder.as_ref(), *at).await?;
            if is_set {
                rejoin(connection, *team, *at).await?;
            }
            Ok(is_set)
        }
        Access::Quiet { person, quiet, at } => {
            put_quiet(connection, *person, quiet.as_ref(), *at).await
        }
        _ => Ok(false),
    }
}

async fn put_ladder(
    connection: &mut Connection,
    team: Option<TeamId>,
    version: i64,
    ladder: Option<&Ladder>,
    at: DateTime<Utc>,
) -> Result<bool> {
    let query = match version {
        1 => {
            "INSERT INTO ladders (owner_id, version, ladder, changed_at) VALUES ($1, $2, $3, $4)
             ON CONFLICT DO NOTHING"
        }
        _ => {
            "UPDATE ladders SET version = $2, ladder = $3, changed_at = $4
             WHERE owner_id = $1 AND version = $2 - 1"
        }
    };
    let owner = rows::ladder_owner(team);
    let done = sqlx::query(query)
        .bind(owner)
        .bind(version)
        .bind(rows::ladder_text(owner, ladder)?)
        .bind(at.timestamp_millis())
        .execute(connection)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// What has no rung to come may have one on another ladder: it looks.
async fn rejoin(
    connection: &mut Connection,
    team: Option<TeamId>,
    at: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "UPDATE interactions SET next_rung_at = $1
         WHERE state = 'pending' AND next_rung_at IS NULL AND ($2 IS NULL OR team_id = $2)",
    )
    .bind(at.timestamp_millis())
    .bind(team.map(|team| team.0))
    .execute(connection)
    .await?;
    Ok(())
}

async fn put_quiet(
    connection: &mut Connection,
    person: PersonId,
    quiet: Option<&Quiet>,
    at: DateTime<Utc>,
) -> Result<bool> {
    let done = match quiet {
        Some(quiet) => {
            sqlx::query(
                "INSERT INTO quiet_hours (person_id, quiet, changed_at)
                 SELECT id, $2, $3 FROM people WHERE id = $1 AND disabled_at IS NULL
                 ON CONFLICT (person_id) DO UPDATE
                 SET quiet = excluded.quiet, changed_at = excluded.changed_at",
            )
            .bind(person.0)
            .bind(rows::quiet_text(person.0, quiet)?)
            .bind(at.timestamp_millis())
            .execute(connection)
            .await?
        }
        None => {
            sqlx::query("DELETE FROM quiet_hours WHERE person_id = $1")
                .bind(person.0)
                .execute(connection)
                .await?
        }
    };
    Ok(done.rows_affected() == 1)
}

#[async_trait]
impl Ladders for Store {
    async fn ladder(&self, team: Option<TeamId>) -> Result<LadderRecord> {
        let row =
            sqlx::query_as("SELECT owner_id, version, ladder FROM ladders WHERE owner_id = $1")
                .bind(rows::ladder_owner(team))
                .fetch_optional(&self.read)
                .await?;
        rows::ladder(row)
    }

    async fn ladders(&self) -> Result<Vec<(Option<TeamId>, Ladder)>> {
        let all = sqlx::query_as("SELECT owner_id, version, ladder FROM ladders ORDER BY owner_id")
            .fetch_all(&self.read)
            .await?;
        rows::ladders(all)
    }

    async fn quiet_hours(&self, person: PersonId) -> Result<Option<Quiet>> {
        let row = sqlx::query_as("SELECT person_id, quiet FROM quiet_hours WHERE person_id = $1")
            .bind(person.0)
            .fetch_optional(&self.read)
            .await?;
        Ok(row.map(rows::quiet).transpose()?.map(|(_, quiet)| quiet))
    }

    async fn all_quiet_hours(&self) -> Result<Vec<(PersonId, Quiet)>> {
        let all: Vec<(Uuid, String)> =
            sqlx::query_as("SELECT person_id, quiet FROM quiet_hours ORDER BY person_id")
                .fetch_all(&self.read)
                .await?;
        all.into_iter().map(rows::quiet).collect()
    }

    async fn anybody_is_reached(&self) -> Result<bool> {
        // Who is on duty is mentioned in Slack.
        let anybody = sqlx::query_scalar(
            "SELECT EXISTS (
                 SELECT 1 FROM reaches r JOIN people p ON p.id = r.person_id
                 WHERE r.ended_at IS NULL AND r.proven_at IS NOT NULL
                   AND p.disabled_at IS NULL AND p.role IN ('responder', 'admin'))
             OR EXISTS (
                 SELECT 1 FROM people p
                 WHERE p.slack_id IS NOT NULL AND p.disabled_at IS NULL AND p.role IN ('responder', 'admin')
                   AND EXISTS (SELECT 1 FROM team_duty WHERE duty IS NOT NULL))",
        )
        .fetch_one(&self.read)
        .await?;
        Ok(anybody)
    }

    async fn climbing(&self, now: DateTime<Utc>, skip: u32, limit: u32) -> Result<Vec<Climbing>> {
        let due: Vec<(Uuid, i64, i64)> = sqlx::query_as(CLIMBING)
            .bind(now.timestamp_millis())
            .bind(i64::from(limit))
            .bind(i64::from(skip))
            .fetch_all(&self.read)
            .await?;
        due.into_iter().map(rows::climbing).collect()
    }

    async fn place_on_ladder(&self, id: InteractionId) -> Result<Option<Climbing>> {
        let row: Option<(Uuid, i64, i64)> = sqlx::query_as(
            "SELECT id, rung, next_rung_at FROM interactions
             WHERE id = $1 AND state = 'pending' AND next_rung_at IS NOT NULL",
        )
        .bind(id.0)
        .fetch_optional(&self.read)
        .await?;
        row.map(rows::climbing).transpose()
    }

    async fn leave_ladder(&self, climbing: Climbing) -> Result<()> {
        self.set_next_rung(climbing, None).await
    }

    async fn put_off_rung(&self, climbing: Climbing, at: DateTime<Utc>) -> Result<()> {
        self.set_next_rung(climbing, Some(at)).await
    }

    async fn join_ladder(&self, now: DateTime<Utc>) -> Result<u64> {
        let done = sqlx::query(
            "UPDATE interactions SET next_rung_at = $1
             WHERE state = 'pending' AND rung = 0 AND next_rung_at IS NULL",
        )
        .bind(now.timestamp_millis())
        .execute(&self.write)
        .await?;
        Ok(done.rows_affected())
    }

    async fn answerers(&self, team: Option<TeamId>) -> Result<Vec<Answerer>> {
        let all: Vec<(Uuid, String, String, bool)> = sqlx::query_as(
            "SELECT p.id, p.name, p.role,
                ($1 IS NULL OR EXISTS (
                    SELECT 1 FROM team_members m
                    WHERE m.team_id = $1 AND m.person_id = p.id AND m.part = 'answers')) AS is_of_team
             FROM people p
             WHERE p.disabled_at IS NULL AND p.role IN ('responder', 'admin')
                AND ($1 IS NULL OR p.role = 'admin' OR EXISTS (
                    SELECT 1 FROM team_members m
                    WHERE m.team_id = $1 AND m.person_id = p.id AND m.part = 'answers'))
             ORDER BY p.id",
        )
        .bind(team.map(|team| team.0))
        .fetch_all(&self.read)
        .await?;
        all.into_iter().map(rows::answerer).collect()
    }

    async fn reachable_people(
        &self,
        people: &[Answerer],
        about: Option<InteractionId>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Reachable>> {
        let mut all = Vec::new();
        for some in people.chunks(ROWS) {
            let ids: Vec<_> = some.iter().map(|one| one.person.id.0).collect();
            let mut ways = self.ways_of(&ids).await?;
            let mut quiet = self.quiet_of(&ids).await?;
            let sent = self.sent_to(&ids, now).await?;
            let snoozed = self.snoozed(&ids, about).await?;
            all.extend(some.iter().map(|one| {
                let id = one.person.id;
                Reachable {
                    person: one.person.clone(),
                    ways: ways.remove(&id).unwrap_or_default(),
                    quiet: quiet.remove(&id),
                    snoozed_until: snoozed.get(&id).copied(),
                    sent: sent.get(&id).copied().unwrap_or_default(),
                }
            }));
        }
        Ok(all)
    }

    async fn held_due(&self, now: DateTime<Utc>, limit: u32) -> Result<Vec<HeldDue>> {
        let many = HeldWhy::Many.name();
        let due = sqlx::query_as(
            "SELECT h.person_id, h.interaction_id, h.rung, h.until, h.why FROM held_back h
             WHERE (h.until <= $1 OR h.why = $2) AND h.person_id IN (
                SELECT person_id FROM held_back WHERE until <= $1 GROUP BY person_id
                ORDER BY MIN(until) LIMIT $3)
             ORDER BY h.person_id, h.interaction_id",
        )
        .bind(now.timestamp_millis())
        .bind(many)
        .bind(i64::from(limit))
        .fetch_all(&self.read)
        .await?;
        rows::held(due)
    }

    async fn hold_longer(&self, held: &[Held], until: DateTime<Utc>) -> Result<()> {
        let mut transaction = self.begin_write().await?;
        for one in held {
            sqlx::query(
                "UPDATE held_back SET until = $3, why = $4
                 WHERE person_id = $1 AND interaction_id = $2 AND until = $5 AND rung = $6",
            )
            .bind(one.person.0)
            .bind(one.interaction.0)
            .bind(until.timestamp_millis())
            .bind(HeldWhy::Quiet.name())
            .bind(one.until.timestamp_millis())
            .bind(i64::from(one.rung))
            .execute(&mut *transaction)
            .await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    async fn drop_held(&self, held: &[Held]) -> Result<()> {
        let mut transaction = self.begin_write().await?;
        for one in held {
            let_go(&mut transaction, one).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    async fn has_seen(&self, interaction: InteractionId, person: PersonId) -> Result<bool> {
        let at: Option<i64> = sqlx::query_scalar(
            "SELECT at FROM seen_by WHERE interaction_id = $1 AND person_id = $2",
        )
        .bind(interaction.0)
        .bind(person.0)
        .fetch_optional(&self.read)
        .await?;
        Ok(at.is_some())
    }

    async fn forget_sent(&self, before: DateTime<Utc>) -> Result<u64> {
        let done = sqlx::query("DELETE FROM messages_sent WHERE at < $1")
            .bind(before.timestamp_millis())
            .execute(&self.write)
            .await?;
        Ok(done.rows_affected())
    }
}

impl Store {
    async fn set_next_rung(&self, climbing: Climbing, at: Option<DateTime<Utc>>) -> Result<()> {
        sqlx::query(
            "UPDATE interactions SET next_rung_at = $1
             WHERE id = $2 AND rung = $3 AND next_rung_at = $4 AND state = 'pending'",
        )
        .bind(at.map(|at| at.timestamp_millis()))
        .bind(climbing.id.0)
        .bind(i64::from(climbing.place.rung))
        .bind(climbing.place.at.timestamp_millis())
        .execute(&self.write)
        .await?;
        Ok(())
    }

    async fn ways_of(&self, people: &[Uuid]) -> Result<BTreeMap<PersonId, Vec<ReachRef>>> {
        let mut sql: QueryBuilder<Db> = QueryBuilder::new(
            "SELECT id, kind, person_id FROM reaches
             WHERE ended_at IS NULL AND proven_at IS NOT NULL",
        );
        of_people(&mut sql, people);
        sql.push(" ORDER BY created_at, id");
        let rows: Vec<(Uuid, String, Uuid)> = sql
            .build_query_as()
            .persistent(false)
            .fetch_all(&self.read)
            .await?;
        let mut ways: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (id, kind, person) in rows {
            let person = PersonId(person);
            // One of a later version leads nowhere here.
            if let Some(kind) = ReachKind::from_name(&kind) {
                ways.entry(person).or_default().push(ReachRef {
                    id: DestinationId(id),
                    kind,
                    person,
                });
            }
        }
        Ok(ways)
    }

    async fn quiet_of(&self, people: &[Uuid]) -> Result<BTreeMap<PersonId, Quiet>> {
        let mut sql: QueryBuilder<Db> =
            QueryBuilder::new("SELECT person_id, quiet FROM quiet_hours WHERE TRUE");
        of_people(&mut sql, people);
        let rows: Vec<(Uuid, String)> = sql
            .build_query_as()
            .persistent(false)
            .fetch_all(&self.read)
            .await?;
        rows.into_iter().map(rows::quiet).collect()
    }

    async fn snoozed(
        &self,
        people: &[Uuid],
        about: Option<InteractionId>,
    ) -> Result<BTreeMap<PersonId, DateTime<Utc>>> {
        let Some(about) = about else {
            return Ok(BTreeMap::new());
        };
        let mut sql: QueryBuilder<Db> =
            QueryBuilder::new("SELECT person_id, until FROM snoozes WHERE interaction_id = ");
        sql.push_bind(about.0);
        of_people(&mut sql, people);
        let rows: Vec<(Uuid, i64)> = sql
            .build_query_as()
            .persistent(false)
            .fetch_all(&self.read)
            .await?;
        rows.into_iter().map(rows::snoozed).collect()
    }

    async fn sent_to(
        &self,
        people: &[Uuid],
        now: DateTime<Utc>,
    ) -> Result<BTreeMap<PersonId, Sent>> {
        let since: DateTime<Utc> = now - MESSAGES_WINDOW;
        let mut sql: QueryBuilder<Db> = QueryBuilder::new(
            "SELECT person_id, COUNT(*), MIN(at), MAX(at) FROM messages_sent WHERE at > ",
        );
        sql.push_bind(since.timestamp_millis());
        of_people(&mut sql, people);
        sql.push(" GROUP BY person_id");
        let rows: Vec<(Uuid, i64, i64, i64)> = sql
            .build_query_as()
            .persistent(false)
            .fetch_all(&self.read)
            .await?;
        let when = |at| now - TimeDelta::milliseconds(now.timestamp_millis() - at);
        let sent = rows.into_iter().map(|(person, messages, first, last)| {
            let sent = Sent {
                messages: u32::try_from(messages).unwrap_or(u32::MAX),
                first: Some(when(first)),
                last: Some(when(last)),
            };
            (PersonId(person), sent)
        });
        Ok(sent.collect())
    }
}

/// Adds that it is of one of these.
fn of_people(sql: &mut QueryBuilder<Db>, people: &[Uuid]) {
    sql.push(" AND person_id IN (");
    let mut list = sql.separated(", ");
    for person in people {
        list.push_bind(*person);
    }
    sql.push(")");
}
