//! Duty: who of a team is on it, changed by admins, and by people who say that they are away.

use std::collections::{BTreeMap, BTreeSet};

use chrono::TimeDelta;
use domain::{
    AbsenceId, Changeset, DutyEvent, Fault, Moment, OverrideId, Part, Payload, Person, PersonId,
    Principal, Refused, Team, TeamId, TeamRef,
    decide::duty::{self as decide, Standing},
    duty::{
        AbsenceDraft, Duty, OverrideDraft, RotaDraft, Shift, can_be_on_duty, first_gap, shifts,
    },
    fault::is_name,
    limits,
};
use store::DutyRecord;

use super::{
    Service, ServiceError,
    calendar::{CalendarRead, read_overrides, write_shifts},
    secret::Secret,
};

/// How many shifts are told of: the one that runs, and those that follow.
const TOLD: usize = 6;
/// In how many turns they are looked for.
const TOLD_TURNS: i32 = 6;
/// What a calendar shows of the past.
const SHOWN_BEFORE: TimeDelta = TimeDelta::days(30);
/// And of what is ahead.
const SHOWN_AHEAD: TimeDelta = TimeDelta::days(180);

/// Who of a team is on duty, for whoever may know.
#[derive(Clone, Debug)]
pub struct TeamDuty {
    /// The team.
    pub team: TeamRef,
    /// All that decides it; `None` when the team has no rota.
    pub duty: Option<Duty>,
    /// The shift that runs first, then those that follow.
    pub shifts: Vec<Shift>,
    /// Whoever has an address of its calendar.
    pub calendars: Vec<PersonId>,
    names: BTreeMap<PersonId, String>,
}

/// What came of reading a file in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Imported {
    /// How many overrides are new.
    pub added: usize,
    /// How many were there already.
    pub known: usize,
    /// How many events of the file are over, or were called off.
    pub passed_over: usize,
}

impl TeamDuty {
    /// The name of somebody in it.
    pub fn name(&self, person: PersonId) -> String {
        let name = self.names.get(&person).cloned();
        name.unwrap_or_else(|| "somebody who is not here any more".to_owned())
    }
}

impl Service {
    /// Who is on duty in the team with this id or name, for readers who see what belongs to it.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`], also for all other readers.
    pub async fn team_duty(
        &self,
        team: &str,
        reader: &Principal,
    ) -> Result<TeamDuty, ServiceError> {
        let record = self.seen_duty(team, reader).await?;
        let now = self.clock.now();
        let told = match &record.duty {
            Some(duty) => {
                let until = now + TimeDelta::days(duty.rota.every.days()) * TOLD_TURNS;
                let mut told = shifts(duty, &here(&record), now, until);
                told.truncate(TOLD);
                told
            }
            None => Vec::new(),
        };
        self.with_names(record, told).await
    }

    /// The calendar of a team.
    ///
    /// # Errors
    /// As [`Service::team_duty`].
    pub async fn duty_calendar(
        &self,
        team: &str,
        reader: &Principal,
    ) -> Result<String, ServiceError> {
        let record = self.seen_duty(team, reader).await?;
        let now = self.clock.now();
        let changed = record.changed_at.unwrap_or(record.team.created_at);
        let shown = match &record.duty {
            Some(duty) => {
                let (from, to) = (now - SHOWN_BEFORE, now + SHOWN_AHEAD);
                shifts(duty, &here(&record), from, to)
            }
            None => Vec::new(),
        };
        let told = self.with_names(record, shown).await?;
        let name = format!("{} on duty", told.team.name);
        let key = told.team.id.to_string();
        let name_of = |person| told.name(person);
        Ok(write_shifts(&name, &key, &told.shifts, name_of, changed))
    }

    /// The same, for whoever knows a person's secret address of it, as long as that person sees the team.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`].
    pub async fn secret_duty_calendar(
        &self,
        team: &str,
        secret: &Secret,
    ) -> Result<String, ServiceError> {
        let owner = self.store.calendar_owner(&secret.hash()).await?;
        let (id, owner) = owner.ok_or(ServiceError::NotFound)?;
        if team.parse::<TeamId>() != Ok(id) {
            return Err(ServiceError::NotFound);
        }
        let person = self.store.person(owner).await?;
        let person = person.filter(|person| person.disabled_at.is_none());
        let person = person.ok_or(ServiceError::NotFound)?;
        let reader = self.principal_for(&person).await?;
        self.duty_calendar(team, &reader).await
    }

    /// Who is on duty in the reader's own teams now, by the names of the teams. Teams without a rota are left out.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn own_duty(&self, reader: &Principal) -> Result<Vec<TeamDuty>, ServiceError> {
        let Principal::Person { teams, .. } = reader else {
            return Ok(Vec::new());
        };
        let own: Vec<_> = teams.teams().collect();
        let mut all = Vec::new();
        for team in self.store.with_rota(&own).await? {
            match self.team_duty(&team.to_string(), reader).await {
                Ok(duty) => all.push(duty),
                // Deleted meanwhile.
                Err(ServiceError::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        all.sort_by_key(|one| Person::name_key(&one.team.name));
        Ok(all)
    }

    /// Gives a team a rota, in place of the one it has.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`Refused::Invalid`], [`ServiceError::NotFound`].
    pub async fn set_rota(
        &self,
        team: TeamId,
        rota: &RotaDraft,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        by.admin()?;
        self.change_duty(team, |standing, now| {
            decide::set_rota(standing, rota, by, now)
        })
        .await
    }

    /// Takes a team's rota away, with all that belongs to it.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`ServiceError::NotFound`].
    pub async fn clear_rota(&self, team: TeamId, by: &Principal) -> Result<(), ServiceError> {
        by.admin()?;
        self.change_duty(team, |standing, now| decide::clear_rota(standing, by, now))
            .await
    }

    /// Puts another person on duty than the rota says, for a while.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`Refused::Invalid`], [`ServiceError::NotFound`].
    pub async fn add_override(
        &self,
        team: TeamId,
        one: &OverrideDraft,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        by.admin()?;
        self.change_duty(team, |standing, now| {
            decide::add_override(standing, one, by, now)
        })
        .await
    }

    /// Takes an override back.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`Refused::Invalid`], [`ServiceError::NotFound`].
    pub async fn remove_override(
        &self,
        team: TeamId,
        id: OverrideId,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        by.admin()?;
        self.change_duty(team, |standing, now| {
            decide::remove_override(standing, id, by, now)
        })
        .await
    }

    /// Reads overrides out of a calendar file: all of them, or none.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`Refused::Invalid`] with all that is wrong in the file, [`ServiceError::NotFound`].
    pub async fn import_overrides(
        &self,
        team: TeamId,
        file: &str,
        by: &Principal,
    ) -> Result<Imported, ServiceError> {
        by.admin()?;
        let bytes = u64::try_from(file.len()).unwrap_or(u64::MAX);
        if bytes > limits::CALENDAR_BYTES {
            let most = limits::CALENDAR_BYTES;
            let fault = Fault::new("calendar", format!("has more than {most} bytes"));
            return Err(vec![fault].into());
        }
        loop {
            let record = self.known_duty(team).await?;
            let members = can_be(&record);
            let standing = standing(&record, &members);
            let duty = standing.rota()?;
            let now = self.moment();
            let read = read_overrides(file, &duty.rota, &members, now.ids, now.at)?;
            let CalendarRead {
                overrides,
                places,
                passed_over,
            } = read;
            let many = overrides.len();
            let starts = places.into_iter().map(|place| format!("{place}.dtstart"));
            let read = starts.zip(overrides).collect();
            let added = match decide::add_overrides(standing, read, by, now) {
                Err(Refused::Unchanged) => 0,
                added => {
                    let added = added?;
                    let new = added_by(&added);
                    if !self.is_first(added).await? {
                        // Somebody else changed it meanwhile.
                        continue;
                    }
                    new
                }
            };
            return Ok(Imported {
                added,
                known: many - added,
                passed_over,
            });
        }
    }

    /// Notes that a person is out of office. Returns when nobody is on duty by that, if there is such a time.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`] for another person, [`Refused::Invalid`], [`ServiceError::NotFound`].
    pub async fn set_away(
        &self,
        team: TeamId,
        absence: &AbsenceDraft,
        by: &Principal,
    ) -> Result<Option<Fault>, ServiceError> {
        self.change_duty(team, |standing, now| {
            decide::set_away(standing, absence, by, now)
        })
        .await?;
        let record = self.known_duty(team).await?;
        let now = self.clock.now();
        Ok(record
            .duty
            .as_ref()
            .and_then(|duty| first_gap(duty, &here(&record), now)))
    }

    /// Notes that a person is not out of office after all.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`] for another person, [`Refused::Invalid`], [`ServiceError::NotFound`].
    pub async fn remove_away(
        &self,
        team: TeamId,
        id: AbsenceId,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        self.change_duty(team, |standing, now| {
            decide::remove_away(standing, id, by, now)
        })
        .await
    }

    /// Makes a person's address of a team's calendar, and returns its secret. Their last one ends.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`Refused::Disabled`], [`Refused::Invalid`], [`ServiceError::NotFound`].
    pub async fn open_calendar(
        &self,
        team: TeamId,
        person: PersonId,
        by: &Principal,
    ) -> Result<Secret, ServiceError> {
        by.admin()?;
        let secret = Secret::calendar();
        let hash = secret.hash();
        loop {
            // They may have been disabled meanwhile, and then there is none for them.
            let person = self.known_person(person).await?;
            let record = self.known_duty(team).await?;
            let part = part(&record, person.id);
            let members = can_be(&record);
            let standing = standing(&record, &members);
            let opened = decide::open_calendar(standing, &person, part, hash, by, self.moment())?;
            if self.is_first(opened).await? {
                return Ok(secret);
            }
        }
    }

    /// Ends a person's address of a team's calendar.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`ServiceError::NotFound`].
    pub async fn close_calendar(
        &self,
        team: TeamId,
        person: PersonId,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        by.admin()?;
        let person = self.store.person(person).await?;
        let person = person.ok_or(ServiceError::NotFound)?;
        loop {
            let record = self.known_duty(team).await?;
            let has_one = record.calendars.contains(&person.id);
            let members = can_be(&record);
            let standing = standing(&record, &members);
            match decide::close_calendar(standing, &person, has_one, by, self.moment()) {
                Err(Refused::Unchanged) => return Ok(()),
                closed => {
                    if self.is_first(closed?).await? {
                        return Ok(());
                    }
                }
            }
        }
    }

    async fn known_duty(&self, team: TeamId) -> Result<DutyRecord, ServiceError> {
        self.store.duty(team).await?.ok_or(ServiceError::NotFound)
    }

    /// Rule 18: what belongs to a team is there for its readers alone.
    async fn seen_duty(&self, team: &str, reader: &Principal) -> Result<DutyRecord, ServiceError> {
        let team = self.team_seen_by(team, reader).await?;
        self.known_duty(team.id).await
    }

    /// The team with this id or name, for those who see what belongs to it.
    pub(super) async fn team_seen_by(
        &self,
        team: &str,
        reader: &Principal,
    ) -> Result<Team, ServiceError> {
        let id = match team.parse::<TeamId>() {
            Ok(id) => Some(id),
            Err(_) if is_name(team, limits::LINE_CHARS) => {
                let named = self.store.team_named(&Person::name_key(team)).await?;
                named.map(|team| team.id)
            }
            Err(_) => None,
        };
        let id = id.ok_or(ServiceError::NotFound)?;
        if !reader.audience().sees_all(&[id]) {
            return Err(ServiceError::NotFound);
        }
        let team = self.store.team(id).await?;
        let team = team.filter(|team| team.deleted_at.is_none());
        team.ok_or(ServiceError::NotFound)
    }

    /// With the names of all in it. Some are not in the team any more.
    async fn with_names(
        &self,
        record: DutyRecord,
        shifts: Vec<Shift>,
    ) -> Result<TeamDuty, ServiceError> {
        let members = record.members.iter();
        let mut names: BTreeMap<_, _> = members
            .map(|(person, _)| (person.id, person.name.clone()))
            .collect();
        let everybody: BTreeSet<_> = record.duty.as_ref().map(named).unwrap_or_default();
        for person in everybody
            .into_iter()
            .chain(record.calendars.iter().copied())
        {
            if !names.contains_key(&person)
                && let Some(person) = self.store.person(person).await?
            {
                names.insert(person.id, person.name);
            }
        }
        Ok(TeamDuty {
            team: record.team.named(),
            duty: record.duty,
            shifts,
            calendars: record.calendars,
            names,
        })
    }

    /// Decides on the duty as it is.
    async fn change_duty(
        &self,
        team: TeamId,
        decide: impl Fn(Standing<'_>, Moment<'_>) -> Result<Changeset, Refused> + Send + Sync,
    ) -> Result<(), ServiceError> {
        loop {
            let record = self.known_duty(team).await?;
            let members = can_be(&record);
            match decide(standing(&record, &members), self.moment()) {
                // Doing it twice does no harm.
                Err(Refused::Unchanged) => return Ok(()),
                decided => {
                    if self.is_first(decided?).await? {
                        return Ok(());
                    }
                }
            }
        }
    }
}

fn standing<'a>(record: &'a DutyRecord, members: &'a [Person]) -> Standing<'a> {
    Standing {
        team: &record.team,
        version: record.version,
        duty: record.duty.as_ref(),
        members,
    }
}

/// Those who can be on duty, the disabled among them.
fn can_be(record: &DutyRecord) -> Vec<Person> {
    let members = record.members.iter();
    let can_be = members.filter(|(person, part)| can_be_on_duty(person, *part));
    can_be.map(|(person, _)| person.clone()).collect()
}

/// Whether a person can be on duty now.
pub(super) fn here(record: &DutyRecord) -> impl Fn(PersonId) -> bool + use<> {
    let can_be = can_be(record).into_iter();
    let here: BTreeSet<_> = can_be
        .filter(|person| person.disabled_at.is_none())
        .map(|person| person.id)
        .collect();
    move |person| here.contains(&person)
}

fn part(record: &DutyRecord, person: PersonId) -> Option<Part> {
    let mut members = record.members.iter();
    let member = members.find(|(one, _)| one.id == person);
    member.map(|(_, part)| *part)
}

/// Everybody whom a duty names.
fn named(duty: &Duty) -> BTreeSet<PersonId> {
    let instead = duty.overrides.iter().map(|one| one.person);
    let away = duty.absences.iter();
    let away = away.flat_map(|one| [Some(one.person), one.delegate]);
    let people = duty.rota.people.iter().copied();
    people.chain(instead).chain(away.flatten()).collect()
}

/// How many overrides a changeset adds.
fn added_by(changeset: &Changeset) -> usize {
    let mut events = changeset.events.iter();
    let added = events.find_map(|event| match &event.payload {
        Payload::Duty(DutyEvent::Overridden { overrides, .. }) => Some(overrides.len()),
        _ => None,
    });
    added.unwrap_or_default()
}
