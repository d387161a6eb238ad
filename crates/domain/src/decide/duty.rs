//! The rules of duty: admins say who of a team is on duty when, and members when they are away.

use chrono::{DateTime, Utc};

use super::access::changeset;
use crate::{
    access::{Access, Person, SecretHash},
    changeset::Changeset,
    duty::{Absence, AbsenceDraft, Duty, Override, OverrideDraft, RotaDraft},
    event::DutyEvent,
    fault::Fault,
    ids::{AbsenceId, Moment, OverrideId, PersonId},
    limits,
    principal::{Actor, Principal, Role},
    refused::Refused,
    team::{Part, Team},
};

/// A team and its duty, as they are. Of a deleted team nothing is read.
#[derive(Clone, Copy, Debug)]
pub struct Standing<'a> {
    /// The team.
    pub team: &'a Team,
    /// The version of its duty; 0 when it never had a rota.
    pub version: i64,
    /// Its duty, if it has a rota.
    pub duty: Option<&'a Duty>,
    /// Those of its members who [can be on duty](crate::duty::can_be_on_duty), the disabled among them.
    pub members: &'a [Person],
}

/// The team has this rota from now on; a turn begins by it, not by the last one.
///
/// # Errors
/// [`Refused::NotAnAdmin`], [`Refused::Unchanged`]; [`Refused::Invalid`] also when somebody of it
/// is disabled, and when it leaves a gap.
pub fn set_rota(
    standing: Standing<'_>,
    draft: &RotaDraft,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.admin()?;
    let with = |rota| Duty {
        rota,
        overrides: standing
            .duty
            .map_or_else(Vec::new, |it| it.overrides.clone()),
        absences: standing
            .duty
            .map_or_else(Vec::new, |it| it.absences.clone()),
    };
    let rota = draft.check(standing.members, with, now.at);
    let rota = rota.map_err(Refused::Invalid)?;
    if standing.duty.is_some_and(|duty| duty.rota == rota) {
        return Err(Refused::Unchanged);
    }
    let team = standing.team.named();
    Ok(standing.after(DutyEvent::RotaSet { team, rota }, actor, now))
}

/// The team has no rota any more: what belongs to it goes too.
///
/// # Errors
/// [`Refused::NotAnAdmin`], [`Refused::Unchanged`].
pub fn clear_rota(
    standing: Standing<'_>,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.admin()?;
    if standing.duty.is_none() {
        return Err(Refused::Unchanged);
    }
    let team = standing.team.named();
    Ok(standing.after(DutyEvent::RotaCleared(team), actor, now))
}

/// Another person than the rota says is on duty for a while.
///
/// # Errors
/// [`Refused::NotAnAdmin`], [`Refused::Unchanged`] when it is so already, [`Refused::Invalid`].
pub fn add_override(
    standing: Standing<'_>,
    draft: &OverrideDraft,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.admin()?;
    let duty = standing.rota()?.clone().kept(now.at);
    let id = OverrideId(now.ids.next());
    let one = draft.check(id, &duty.rota, standing.members, now.at);
    let one = one.map_err(Refused::Invalid)?;
    let added = standing.fitting(&duty, [("from".to_owned(), one)])?;
    standing.overridden(added, actor, now)
}

/// As [`add_override`], for several that were read out of a file, each with its place there. All of them count, or none.
///
/// # Errors
/// As [`add_override`]; [`Refused::Unchanged`] when none of them is new.
pub fn add_overrides(
    standing: Standing<'_>,
    read: Vec<(String, Override)>,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.admin()?;
    let duty = standing.rota()?.clone().kept(now.at);
    let added = standing.fitting(&duty, read)?;
    standing.overridden(added, actor, now)
}

/// An override does not hold any more.
///
/// # Errors
/// [`Refused::NotAnAdmin`], [`Refused::Invalid`].
pub fn remove_override(
    standing: Standing<'_>,
    id: OverrideId,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.admin()?;
    let found = standing.rota()?.overrides.iter().find(|one| one.id == id);
    let removed = found.ok_or_else(|| unknown("override"))?.clone();
    let team = standing.team.named();
    Ok(standing.after(DutyEvent::OverrideRemoved { team, removed }, actor, now))
}

/// A person is out of office. They say so themselves, or an admin does.
///
/// # Errors
/// [`Refused::NotSeen`] for who is not in the team, [`Refused::NotAnAdmin`] for another person, [`Refused::Invalid`].
pub fn set_away(
    standing: Standing<'_>,
    draft: &AbsenceDraft,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let named = Person::name_key(&draft.person);
    let person = standing
        .members
        .iter()
        .find(|one| Person::name_key(&one.name) == named);
    let actor = standing.speaks_for(person.map(|person| person.id), by)?;
    let duty = standing.rota()?.clone().kept(now.at);
    let id = AbsenceId(now.ids.next());
    let absence = draft.check(id, &duty.rota, standing.members, now.at);
    let absence = absence.map_err(Refused::Invalid)?;
    let mut theirs = duty.absences.iter();
    let clash = theirs.find(|one| {
        one.person == absence.person
            && overlap((one.from, one.until), (absence.from, absence.until))
    });
    if let Some(clash) = clash {
        if (clash.from, clash.until, clash.delegate)
            == (absence.from, absence.until, absence.delegate)
        {
            return Err(Refused::Unchanged);
        }
        let when = words(&duty, clash.from, clash.until);
        let how = format!("overlaps another time of theirs, {when}; remove that first");
        return Err(invalid("from", how));
    }
    if duty.absences.len() >= limits::DUTY_EXCEPTIONS {
        return Err(too_many("from"));
    }
    let team = standing.team.named();
    Ok(standing.after(DutyEvent::AwaySet { team, absence }, actor, now))
}

/// A person is not out of office after all, or is back.
///
/// # Errors
/// As [`set_away`].
pub fn remove_away(
    standing: Standing<'_>,
    id: AbsenceId,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let absences = standing.duty.map_or(&[][..], |duty| &duty.absences);
    let found: Option<&Absence> = absences.iter().find(|one| one.id == id);
    let actor = standing.speaks_for(found.map(|one| one.person), by)?;
    let removed = found.ok_or_else(|| unknown("absence"))?.clone();
    let team = standing.team.named();
    Ok(standing.after(DutyEvent::AwayRemoved { team, removed }, actor, now))
}

/// A person gets an address of the team's calendar, which opens without signing in. `part` is theirs in the team.
///
/// # Errors
/// [`Refused::NotAnAdmin`], [`Refused::Disabled`], [`Refused::Invalid`].
pub fn open_calendar(
    standing: Standing<'_>,
    person: &Person,
    part: Option<Part>,
    hash: SecretHash,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.admin()?;
    standing.rota()?;
    if person.disabled_at.is_some() {
        return Err(Refused::Disabled);
    }
    if part.is_none() && person.role != Role::Admin {
        let how = "is not in this team, and would see nothing of it; add them first";
        return Err(invalid("person", how));
    }
    let event = DutyEvent::CalendarOpened {
        team: standing.team.named(),
        person: person.into(),
    };
    let access = Access::Calendar {
        team: standing.team.id,
        person: person.id,
        hash: Some(hash),
        at: now.at,
    };
    Ok(changeset(vec![access], actor, vec![event.into()], now))
}

/// A person's address of the calendar opens no more. `has_one` says whether there is one.
///
/// # Errors
/// [`Refused::NotAnAdmin`], [`Refused::Unchanged`].
pub fn close_calendar(
    standing: Standing<'_>,
    person: &Person,
    has_one: bool,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.admin()?;
    if !has_one {
        return Err(Refused::Unchanged);
    }
    let event = DutyEvent::CalendarClosed {
        team: standing.team.named(),
        person: person.into(),
    };
    let access = Access::Calendar {
        team: standing.team.id,
        person: person.id,
        hash: None,
        at: now.at,
    };
    Ok(changeset(vec![access], actor, vec![event.into()], now))
}

impl Standing<'_> {
    /// The team's duty.
    ///
    /// # Errors
    /// [`Refused::Invalid`] when it has no rota.
    pub fn rota(&self) -> Result<&Duty, Refused> {
        self.duty
            .ok_or_else(|| invalid("team", "has no rota; set one first"))
    }

    /// Admins speak for everybody, others for themselves. Whoever is in no such team learns nothing of it.
    fn speaks_for(&self, person: Option<PersonId>, by: &Principal) -> Result<Actor, Refused> {
        match by {
            Principal::Person {
                id,
                name,
                role: Role::Viewer | Role::Responder,
                teams,
                ..
            } => match teams.sees(self.team.id) {
                false => Err(Refused::NotSeen),
                true if person == Some(*id) => Ok(Actor::Person {
                    id: *id,
                    name: name.clone(),
                }),
                true => Err(Refused::NotAnAdmin),
            },
            _ => by.admin(),
        }
    }

    /// Those that are not there already. Two at once would leave it open who is on duty.
    fn fitting(
        &self,
        duty: &Duty,
        read: impl IntoIterator<Item = (String, Override)>,
    ) -> Result<Vec<Override>, Refused> {
        let (mut all, mut faults) = (duty.overrides.clone(), Vec::new());
        for (path, one) in read {
            let when = (one.from, one.until);
            match all
                .iter()
                .find(|other| overlap((other.from, other.until), when))
            {
                Some(same)
                    if (same.person, same.from, same.until)
                        == (one.person, one.from, one.until) => {}
                Some(other) => {
                    let other = words(duty, other.from, other.until);
                    let how =
                        format!("overlaps another override, {other}; remove one of them first");
                    faults.push(Fault::new(path, how));
                }
                None => all.push(one),
            }
        }
        if all.len() > limits::DUTY_EXCEPTIONS && faults.is_empty() {
            return Err(too_many("from"));
        }
        match faults.is_empty() {
            true => Ok(all.split_off(duty.overrides.len())),
            false => Err(Refused::Invalid(faults)),
        }
    }

    fn overridden(
        &self,
        overrides: Vec<Override>,
        actor: Actor,
        now: Moment<'_>,
    ) -> Result<Changeset, Refused> {
        if overrides.is_empty() {
            return Err(Refused::Unchanged);
        }
        let team = self.team.named();
        Ok(self.after(DutyEvent::Overridden { team, overrides }, actor, now))
    }

    fn after(&self, event: DutyEvent, actor: Actor, now: Moment<'_>) -> Changeset {
        let access = Access::Duty {
            team: self.team.id,
            version: self.version + 1,
            duty: Duty::after(self.duty.cloned(), &event, now.at),
            at: now.at,
        };
        changeset(vec![access], actor, vec![event.into()], now)
    }
}

type Span = (DateTime<Utc>, DateTime<Utc>);

fn overlap(one: Span, other: Span) -> bool {
    one.0 < other.1 && other.0 < one.1
}

/// By the clocks of the rota.
fn words(duty: &Duty, from: DateTime<Utc>, until: DateTime<Utc>) -> String {
    let at = |moment| duty.rota.on_the_wall(moment);
    format!("from {} to {}", at(from), at(until))
}

fn invalid(path: &str, how: impl Into<String>) -> Refused {
    Refused::Invalid(vec![Fault::new(path, how)])
}

fn unknown(what: &str) -> Refused {
    invalid("id", format!("is no {what} of this team"))
}

fn too_many(path: &str) -> Refused {
    let most = limits::DUTY_EXCEPTIONS;
    invalid(
        path,
        format!("is one too many: {most} are kept at once; remove others first"),
    )
}
