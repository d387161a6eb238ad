//! What waits for one person, read as the desk reads it: its order, its groups, and what is seen by whom (rule 18).

use std::collections::{HashMap, HashSet};

use app::{
    desk::{
        WAITING_ROWS,
        place::{items, shared_words},
    },
    view::Row,
};
use chrono::{DateTime, Utc};
use domain::{
    InteractionId, PersonId, Principal,
    interaction::{Brief, Mode, Priority},
};
use service::{Service, ServiceError, TeamDuty};
use slack::blocks::{Line, OnDuty, OnIt, Target, Waiting};

/// How many are looked through, as on the desk.
pub const TAKEN: u32 = WAITING_ROWS;

/// What waits for somebody and may be answered by them, without what they have put off.
///
/// # Errors
/// When the database fails.
pub async fn waiting(service: &Service, sees: &Principal) -> Result<Waiting, ServiceError> {
    let now = service.now();
    let audience = sees.audience();
    let store = service.store();
    let all = store.waiting(&audience, TAKEN).await?;
    let counts = store.waiting_counts(&audience).await?;
    let me = match sees {
        Principal::Person { id, .. } => Some(*id),
        _ => None,
    };
    let snoozed: HashSet<InteractionId> = match me {
        Some(me) => service
            .snoozed(me)
            .await?
            .into_iter()
            .map(|one| one.interaction)
            .collect(),
        None => HashSet::new(),
    };
    let may_answer = |one: &&Brief| sees.responder_for(one.team.as_ref()).is_ok();
    let mine: Vec<&Brief> = all.iter().filter(may_answer).collect();
    let shown = mine.iter().copied();
    let shown: Vec<&Brief> = shown.filter(|one| !snoozed.contains(&one.id)).collect();
    let by_id: HashMap<_, _> = shown.iter().map(|one| (one.id, *one)).collect();
    let lines = items(shown.iter().map(|one| Row::from(*one)))
        .into_iter()
        .filter_map(|item| {
            let alike = item.rows.iter().filter_map(|row| by_id.get(&row.id));
            line(&alike.copied().collect::<Vec<_>>(), sees, now)
        });
    let in_all = usize::try_from(counts.sync + counts.not_sync).unwrap_or_default();
    let is_responder = sees.responder().is_ok();
    Ok(Waiting {
        notice: None,
        duty: duty(service, sees).await?,
        lines: lines.collect(),
        // Whether they may answer all of these is not known here.
        beyond: match is_responder {
            true => in_all.saturating_sub(all.len()),
            false => 0,
        },
        snoozed: mine.len() - shown.len(),
        can_snooze: me.is_some(),
    })
}

/// Who is on duty in somebody's teams.
///
/// # Errors
/// When the database fails.
pub async fn duty(service: &Service, sees: &Principal) -> Result<Vec<OnDuty>, ServiceError> {
    let own = service.own_duty(sees).await?;
    Ok(own.iter().filter_map(|duty| on_duty(duty, sees)).collect())
}

fn on_duty(duty: &TeamDuty, reader: &Principal) -> Option<OnDuty> {
    let shift = duty.shifts.first()?;
    let follows = duty.shifts.iter().find(|next| next.person != shift.person);
    Some(OnDuty {
        team: duty.team.name.clone(),
        name: shift.person.map(|person| duty.name(person)),
        is_you: shift.person.is_some_and(|person| reader.is_person(person)),
        until: follows.map_or(shift.until, |next| next.from),
    })
}

/// One line for what is the same.
fn line(alike: &[&Brief], reader: &Principal, now: DateTime<Utc>) -> Option<Line> {
    let (first, others) = alike.split_first()?;
    let newest = alike.iter().map(|one| one.id).max()?;
    let target = match first.fingerprint.filter(|_| !others.is_empty()) {
        Some(fingerprint) => Target::Alike(fingerprint, newest),
        None => Target::One(first.id),
    };
    let words: Vec<&str> = alike.iter().map(|one| asks(one)).collect();
    let abouts: Option<Vec<&str>> = alike.iter().map(|one| one.about.as_deref()).collect();
    Some(Line {
        target,
        count: alike.len(),
        kind: first.kind,
        urgent: first.priority == Priority::Urgent,
        stopped: first.mode == Mode::Sync,
        agent: first.agent.name.clone(),
        and_others: others.iter().any(|one| one.agent.id != first.agent.id),
        team: first.team.as_ref().map(|team| team.name.clone()),
        words: shared_words(&words),
        about: abouts.map(|abouts| shared_words(&abouts)),
        expires_at: alike.iter().filter_map(|one| one.expires_at).min(),
        on_it: on_it(alike, reader, now),
    })
}

fn asks(one: &Brief) -> &str {
    one.title.as_deref().unwrap_or(&one.prompt)
}

/// Who is on all of them; of several that are, the first.
fn on_it(alike: &[&Brief], reader: &Principal, now: DateTime<Utc>) -> OnIt {
    let claims: Option<Vec<_>> = alike
        .iter()
        .map(|one| one.claim.as_ref().filter(|claim| claim.holds(now)))
        .collect();
    let Some(claims) = claims else {
        return OnIt::Nobody;
    };
    let is_mine = |by: uuid::Uuid| match reader {
        Principal::SlackUser { id, .. } => *id == by,
        reader => reader.is_person(PersonId(by)),
    };
    let Some(first) = claims.first() else {
        return OnIt::Nobody;
    };
    let until = claims.iter().map(|claim| claim.until).min();
    let until = until.unwrap_or(first.until);
    match claims.iter().find(|claim| !is_mine(claim.by.id)) {
        None => OnIt::You(until),
        Some(other) => OnIt::Other(other.by.name.clone(), other.until),
    }
}
