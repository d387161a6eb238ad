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
    Fingerprint, InteractionId, PersonId, Principal,
    interaction::{Brief, Mode, Priority},
};
use service::{Service, ServiceError, TeamDuty};
use slack::blocks::{Line, OnDuty, OnIt, Target, Waiting};

/// How many are looked through, as on the desk.
const MOST_WAITING: u32 = WAITING_ROWS;

/// What waits for a person and may be answered by them.
struct Mine {
    /// Without what they have put off.
    shown: Vec<Brief>,
    snoozed: usize,
    /// How many were looked through.
    read: usize,
}

async fn mine(service: &Service, sees: &Principal) -> Result<Mine, ServiceError> {
    let store = service.store();
    let mut shown = store.waiting(&sees.audience(), MOST_WAITING).await?;
    let read = shown.len();
    shown.retain(|one| sees.responder_for(one.team.as_ref()).is_ok());
    let before = shown.len();
    if let Principal::Person { id, .. } = sees {
        let snoozed = service.snoozed(*id).await?;
        let snoozed: HashSet<_> = snoozed.into_iter().map(|one| one.interaction).collect();
        shown.retain(|one| !snoozed.contains(&one.id));
    }
    Ok(Mine {
        snoozed: before - shown.len(),
        shown,
        read,
    })
}

/// What waits for a person and may be answered by them, without what they have put off.
///
/// # Errors
/// When the database fails.
pub async fn waiting(service: &Service, sees: &Principal) -> Result<Waiting, ServiceError> {
    let now = service.now();
    let mine = mine(service, sees).await?;
    let counts = service.store().waiting_counts(&sees.audience()).await?;
    let by_id: HashMap<_, _> = mine.shown.iter().map(|one| (one.id, one)).collect();
    let lines: Vec<_> = items(mine.shown.iter().map(Row::from))
        .into_iter()
        .filter_map(|item| {
            let alike = item.rows.iter().filter_map(|row| by_id.get(&row.id));
            line(&alike.copied().collect::<Vec<_>>(), sees, now)
        })
        .collect();
    let in_all = usize::try_from(counts.sync + counts.not_sync).unwrap_or_default();
    let is_responder = sees.responder().is_ok();
    Ok(Waiting {
        notice: None,
        duty: duty(service, sees).await?,
        lines,
        // Whether they may answer all of these is not known here.
        beyond: match is_responder {
            true => in_all.saturating_sub(mine.read),
            false => 0,
        },
        snoozed: mine.snoozed,
        can_snooze: matches!(sees, Principal::Person { .. }),
    })
}

/// Of what waits for a person on their home, those that are the same, up to the newest that they were shown.
///
/// # Errors
/// When the database fails.
pub async fn of_group(
    service: &Service,
    sees: &Principal,
    fingerprint: Fingerprint,
    newest: InteractionId,
) -> Result<Vec<InteractionId>, ServiceError> {
    let shown = mine(service, sees).await?.shown.into_iter();
    let alike = shown.filter(|one| one.fingerprint == Some(fingerprint) && one.id <= newest);
    Ok(alike.map(|one| one.id).collect())
}

/// Who is on duty in a person's teams.
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
    let abouts: Vec<&str> = alike
        .iter()
        .filter_map(|one| one.about.as_deref())
        .collect();
    let about = (!abouts.is_empty()).then(|| shared_words(&abouts));
    // As on the desk: the words of an approval are its agent's own, for each other ones.
    let words = match (others.is_empty(), &about) {
        (true, _) | (_, None) => shared_words(&words),
        (false, Some(_)) => String::new(),
    };
    let team = |one: &Brief| one.team.as_ref().map(|team| team.name.clone());
    let team = match others.iter().all(|other| team(other) == team(first)) {
        true => team(first),
        false => Some("several teams".to_owned()),
    };
    let to = |one: &Brief| Some(one.to.as_ref()?.person()?.1.to_owned());
    let to = to(first).filter(|name| {
        let mut others = others.iter();
        others.all(|other| to(other).as_ref() == Some(name))
    });
    Some(Line {
        target,
        count: alike.len(),
        kind: first.kind,
        urgent: alike.iter().any(|one| one.priority == Priority::Urgent),
        stopped: alike.iter().any(|one| one.mode == Mode::Sync),
        agent: first.agent.name.clone(),
        and_others: others.iter().any(|one| one.agent.id != first.agent.id),
        team,
        to,
        words,
        about,
        expires_at: alike.iter().filter_map(|one| one.expires_at).min(),
        on_it: on_it(alike, reader, now),
    })
}

fn asks(one: &Brief) -> &str {
    one.title.as_deref().unwrap_or(&one.prompt)
}

/// Who is on them: of several people, the first; of those that are the reader's, until the first one runs out.
fn on_it(alike: &[&Brief], reader: &Principal, now: DateTime<Utc>) -> OnIt {
    let claims = alike.iter().filter_map(|one| one.claim.as_ref());
    let claims: Vec<_> = claims.filter(|claim| claim.holds(now)).collect();
    let is_mine = |by: uuid::Uuid| match reader {
        Principal::SlackUser { id, .. } => *id == by,
        reader => reader.is_person(PersonId(by)),
    };
    let (Some(first), Some(until)) = (claims.first(), claims.iter().map(|claim| claim.until).min())
    else {
        return OnIt::NoOne;
    };
    if claims.len() < alike.len() {
        return OnIt::PartOfThem(claims.len(), first.by.name.clone());
    }
    match claims.iter().find(|claim| !is_mine(claim.by.id)) {
        None => OnIt::You(until),
        Some(other) => OnIt::Other(other.by.name.clone(), other.until),
    }
}
