//! Interactions that are opened, as many as come one after the other: with one statement for each table, since a statement
//! costs more than its rows.

use std::collections::{BTreeSet, HashMap, HashSet};

use domain::{
    Changeset, IdempotencyKey, Interaction, Write,
    interaction::{Kind, Outcome, Priority, Request},
    quota,
};
use sqlx::QueryBuilder;
use uuid::Uuid;

use super::{Connection, Db};
use crate::{Result, outbox::in_powers, rows, writer::has_parts};

/// An interaction, and the key that its agent asked under.
type Opened<'a> = (&'a Interaction, Option<&'a IdempotencyKey>);

/// What a changeset opens, if it does nothing else: then nothing of it has to go again when it does not fit.
pub(super) fn only_opens(changeset: &Changeset) -> Option<&Interaction> {
    match &changeset.writes[..] {
        [Write::Open(interaction)] if !has_parts(changeset) => Some(interaction),
        _ => None,
    }
}

/// Opens what these changesets open, which do nothing else and have so many bytes each. Of each, whether it fits.
pub(super) async fn open_all(
    connection: &mut Connection,
    changesets: &[Changeset],
    bytes: &[i64],
) -> Result<Vec<bool>> {
    let mut fits = charge(connection, changesets, bytes).await?;
    let opened: Vec<Opened<'_>> = changesets
        .iter()
        .zip(&fits)
        .filter(|(_, fits)| **fits)
        .filter_map(|(changeset, _)| Some((only_opens(changeset)?, changeset.key.as_ref())))
        .collect();
    let mut placed = place(connection, &opened).await?.into_iter();
    for fits in fits.iter_mut().filter(|fits| **fits) {
        *fits = placed.next().unwrap_or_default();
    }
    Ok(fits)
}

/// Counts the bytes that agents have stored. Of each changeset, whether its agent had not had as much as it may before. If the
/// key of a request turns out to be taken, it is counted all the same.
pub(super) async fn charge(
    connection: &mut Connection,
    changesets: &[Changeset],
    bytes: &[i64],
) -> Result<Vec<bool>> {
    let charged = |changeset: &Changeset| {
        let (agent, day) = quota::charged(&changeset.events)?;
        Some((agent.0, day.0))
    };
    let mut sums: HashMap<(Uuid, i64), i64> = HashMap::new();
    for (changeset, bytes) in changesets.iter().zip(bytes) {
        if let Some(whose) = charged(changeset) {
            *sums.entry(whose).or_default() += bytes;
        }
    }
    let mut had = add(connection, &sums).await?;
    let mut refused: HashMap<(Uuid, i64), i64> = HashMap::new();
    let mut fits = Vec::with_capacity(changesets.len());
    for (changeset, bytes) in changesets.iter().zip(bytes) {
        let Some(whose) = charged(changeset) else {
            fits.push(true);
            continue;
        };
        let quota = changeset.quota.and_then(|quota| i64::try_from(quota).ok());
        let had = had.entry(whose).or_default();
        let has_room = *had < quota.unwrap_or(i64::MAX);
        *match has_room {
            true => had,
            false => refused.entry(whose).or_default(),
        } += bytes;
        fits.push(has_room);
    }
    for ((agent, day), bytes) in refused {
        sqlx::query("UPDATE agent_usage SET bytes = bytes - $1 WHERE agent_id = $2 AND day = $3")
            .bind(bytes)
            .bind(agent)
            .bind(day)
            .execute(&mut *connection)
            .await?;
    }
    Ok(fits)
}

/// Adds to what agents have had on a day. Returns how much that was before.
async fn add(
    connection: &mut Connection,
    sums: &HashMap<(Uuid, i64), i64>,
) -> Result<HashMap<(Uuid, i64), i64>> {
    // In one order, so that no two transactions wait for each other's rows.
    let mut sorted: Vec<_> = sums.iter().collect();
    sorted.sort_unstable();
    let mut before = HashMap::new();
    for slice in in_powers(&sorted) {
        let mut sql: QueryBuilder<Db> =
            QueryBuilder::new("INSERT INTO agent_usage (agent_id, day, bytes) ");
        sql.push_values(slice, |mut row, ((agent, day), bytes)| {
            row.push_bind(*agent).push_bind(*day).push_bind(**bytes);
        });
        sql.push(
            " ON CONFLICT (agent_id, day) DO UPDATE SET bytes = agent_usage.bytes + excluded.bytes
              RETURNING agent_id, day, bytes",
        );
        let now: Vec<(Uuid, i64, i64)> = sql.build_query_as().fetch_all(&mut *connection).await?;
        before.extend(now.into_iter().map(|(agent, day, bytes)| {
            let whose = (agent, day);
            (whose, bytes - sums.get(&whose).copied().unwrap_or_default())
        }));
    }
    Ok(before)
}

/// Takes their keys and writes their rows. Of each, whether its team is there, its key was free and its place, too.
pub(super) async fn place(connection: &mut Connection, opened: &[Opened<'_>]) -> Result<Vec<bool>> {
    let teams: BTreeSet<_> = opened.iter().filter_map(|(it, _)| it.team_id()).collect();
    let mut gone = HashSet::new();
    for team in teams {
        if !super::teams::is_there(connection, Some(team)).await? {
            gone.insert(team);
        }
    }
    let mut left: Vec<Opened<'_>> = opened.to_vec();
    left.retain(|(it, _)| it.team_id().is_none_or(|team| !gone.contains(&team)));
    // Two that were asked under one key within a millisecond have one id, too: the first has it.
    let mut taken = take_keys(connection, &left).await?;
    left.retain(|(it, key)| key.is_none() || taken.remove(&it.id.0));
    let mut placed = insert(connection, &left).await?;
    let fits = opened.iter().map(|(it, _)| placed.remove(&it.id.0));
    Ok(fits.collect())
}

/// The interactions whose keys were free.
async fn take_keys(connection: &mut Connection, opened: &[Opened<'_>]) -> Result<HashSet<Uuid>> {
    let keyed: Vec<_> = opened
        .iter()
        .filter_map(|(it, key)| Some((*it, (*key)?)))
        .collect();
    let mut taken = HashSet::new();
    for slice in in_powers(&keyed) {
        let mut sql = QueryBuilder::new("");
        push_keys(&mut sql, slice);
        sql.push(" ON CONFLICT (agent_id, key) DO NOTHING RETURNING interaction_id");
        let ids: Vec<Uuid> = sql.build_query_scalar().fetch_all(&mut *connection).await?;
        taken.extend(ids);
    }
    Ok(taken)
}

pub(super) fn push_keys(sql: &mut QueryBuilder<Db>, keyed: &[(&Interaction, &IdempotencyKey)]) {
    sql.push("INSERT INTO idempotency_keys (agent_id, key, fingerprint, interaction_id) ");
    sql.push_values(keyed, |mut row, (interaction, key)| {
        row.push_bind(interaction.agent.id.0)
            .push_bind(&key.name)
            .push_bind(key.fingerprint.as_slice())
            .push_bind(interaction.id.0);
    });
}

/// Those that were not there already, nor another plan that revises the same one.
async fn insert(connection: &mut Connection, opened: &[Opened<'_>]) -> Result<HashSet<Uuid>> {
    let rows = opened.iter().map(|(it, _)| Row::of(it));
    let rows: Vec<_> = rows.collect::<Result<_>>()?;
    let mut placed = HashSet::with_capacity(opened.len());
    for slice in in_powers(&rows) {
        let mut sql = QueryBuilder::new("");
        push_rows(&mut sql, slice);
        sql.push(" ON CONFLICT DO NOTHING RETURNING id");
        let ids: Vec<Uuid> = sql.build_query_scalar().fetch_all(&mut *connection).await?;
        placed.extend(ids);
    }
    Ok(placed)
}

/// An interaction, and what its row has as JSON.
pub(super) struct Row<'a>(&'a Interaction, rows::InteractionJson);

impl<'a> Row<'a> {
    pub(super) fn of(interaction: &'a Interaction) -> Result<Self> {
        Ok(Self(interaction, rows::InteractionJson::new(interaction)?))
    }
}

pub(super) fn push_rows(sql: &mut QueryBuilder<Db>, opened: &[Row<'_>]) {
    sql.push(
        "INSERT INTO interactions (id, version, agent_id, kind, mode, urgent, session_id, task_id,
                request, state, outcome, detail, created_at, expires_at, closed_at, card_channel, brief, weight,
                team_id, next_rung_at, addressee, has_callback, revises, alike) ",
    );
    sql.push_values(opened, |mut row, Row(interaction, json)| {
        let (asked, state) = (&interaction.request, &interaction.state);
        let created_at = interaction.created_at.timestamp_millis();
        row.push_bind(interaction.id.0)
            .push_bind(interaction.version)
            .push_bind(interaction.agent.id.0)
            .push_bind(asked.kind().name())
            .push_bind(asked.mode.name())
            .push_bind(asked.priority == Priority::Urgent)
            .push_bind(&asked.session_id)
            .push_bind(asked.task.as_ref().map(|task| &task.id))
            .push_bind(&json.request)
            .push_bind(state.name())
            .push_bind(state.outcome().map(Outcome::name))
            .push_bind(&json.detail)
            .push_bind(created_at)
            .push_bind(interaction.expires_at.map(|at| at.timestamp_millis()))
            .push_bind(state.closed_at().map(|at| at.timestamp_millis()))
            .push_bind(interaction.card.as_ref().map(|card| &card.channel))
            .push_bind(&json.brief)
            .push_bind(json.weight)
            .push_bind(interaction.team_id().map(|team| team.0))
            // Its first rung is at once (rule 17).
            .push_bind(state.is_pending().then_some(created_at))
            .push_bind(&json.addressee)
            .push_bind(asked.callback_url.is_some())
            .push_bind(asked.ask.revises().map(|earlier| earlier.0))
            .push_bind(alike_of(asked));
    });
}

/// Only approvals are counted by it.
fn alike_of(asked: &Request) -> Option<Uuid> {
    let alike = asked.alike().filter(|_| asked.kind() == Kind::Approval);
    alike.map(|alike| alike.0)
}
