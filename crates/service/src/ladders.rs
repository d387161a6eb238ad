//! How silence climbs, changed by admins; and when people are left alone, changed by them.

use std::collections::BTreeMap;

use domain::{
    PersonId, Principal, Refused, Team, TeamId, TeamRef,
    access::PersonRef,
    decide::ladder::{self as decide, Standing},
    ladder::{Class, Ladder, LadderDraft, Quiet, QuietDraft, RungDraft},
};
use store::{Answerer, LadderRecord};

use super::{Service, ServiceError};

/// How silence climbs in a team, or for everyone, for readers who may know.
#[derive(Clone, Debug)]
pub struct TeamLadder {
    /// The team; `None` = everyone.
    pub team: Option<TeamRef>,
    /// The ladder in force.
    pub ladder: Ladder,
    /// Whether it is this team's, or everyone's, own; else it is that of everyone or the default.
    pub is_own: bool,
    names: BTreeMap<PersonId, String>,
}

impl TeamLadder {
    /// The rungs for a class of questions, as they are written.
    pub fn rungs(&self, class: Class) -> Vec<String> {
        let name = |person| {
            let name = self.names.get(&person).cloned();
            name.unwrap_or_else(|| "a person who has left".to_owned())
        };
        let rungs = self.ladder.rungs(class).iter();
        rungs.map(|rung| rung.text(&name)).collect()
    }

    /// All of it, as it is written.
    pub fn draft(&self) -> LadderDraft {
        let rungs = |class| {
            let rungs = self.rungs(class).into_iter();
            Some(rungs.map(RungDraft).collect())
        };
        LadderDraft {
            urgent: rungs(Class::Urgent),
            sync: rungs(Class::Sync),
            later: rungs(Class::Async),
        }
    }
}

impl Service {
    /// The ladder of the team with this id or name, for readers who see what belongs to it; without one that of everyone.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`], also for all other readers.
    pub async fn team_ladder(
        &self,
        team: Option<&str>,
        reader: &Principal,
    ) -> Result<TeamLadder, ServiceError> {
        let team = match team {
            Some(team) => Some(self.team_seen_by(team, reader).await?),
            None => None,
        };
        let id = team.as_ref().map(|team| team.id);
        let own = self.store.ladder(id).await?.ladder;
        let is_own = own.is_some();
        let ladder = match own {
            Some(own) => own,
            None => self.ladder_in_force(id).await?,
        };
        let people = self.store.answerers(None).await?;
        let names = people
            .into_iter()
            .map(|one| (one.person.id, one.person.name));
        Ok(TeamLadder {
            team: team.as_ref().map(Team::named),
            ladder,
            is_own,
            names: names.collect(),
        })
    }

    /// Silence climbs by this ladder from now on, also for what waits already.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`Refused::Invalid`], [`ServiceError::NotFound`].
    pub async fn set_ladder(
        &self,
        team: Option<TeamId>,
        ladder: &LadderDraft,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        self.change_ladder(team, by, |standing, now| {
            decide::set_ladder(standing, ladder, by, now)
        })
        .await
    }

    /// Silence climbs as it does by default.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`ServiceError::NotFound`].
    pub async fn clear_ladder(
        &self,
        team: Option<TeamId>,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        self.change_ladder(team, by, |standing, now| {
            decide::clear_ladder(standing, by, now)
        })
        .await
    }

    async fn change_ladder(
        &self,
        team: Option<TeamId>,
        by: &Principal,
        decide: impl Fn(Standing<'_>, domain::Moment<'_>) -> Result<domain::Changeset, Refused>
        + Send
        + Sync,
    ) -> Result<(), ServiceError> {
        by.admin()?;
        loop {
            let known = match team {
                Some(team) => {
                    let known = self.store.team(team).await?;
                    Some(known.ok_or(ServiceError::NotFound)?)
                }
                None => None,
            };
            let LadderRecord { version, ladder } = self.store.ladder(team).await?;
            let people = named(self.store.answerers(team).await?);
            let standing = Standing {
                team: known.as_ref(),
                version,
                ladder: ladder.as_ref(),
                people: &people,
            };
            match decide(standing, self.moment()) {
                Err(Refused::Unchanged) => return Ok(()),
                changed => {
                    if self.is_first(changed?).await? {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// When a person is left alone.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] for all but themselves and admins.
    pub async fn quiet_hours(
        &self,
        person: PersonId,
        reader: &Principal,
    ) -> Result<Option<Quiet>, ServiceError> {
        if !reader.is_person(person) && reader.admin().is_err() {
            return Err(ServiceError::NotFound);
        }
        Ok(self.store.quiet_hours(person).await?)
    }

    /// A person is told only what cannot wait in these hours.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`] for another person, [`Refused::Invalid`], [`ServiceError::NotFound`].
    pub async fn set_quiet_hours(
        &self,
        person: PersonId,
        quiet: &QuietDraft,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        loop {
            let known = self.store.person(person).await?;
            let known = known.ok_or(ServiceError::NotFound)?;
            let before = self.store.quiet_hours(person).await?;
            let now = self.moment();
            match decide::set_quiet(&known, before.as_ref(), quiet, by, now) {
                Err(Refused::Unchanged) => return Ok(()),
                changed => {
                    if self.is_first(changed?).await? {
                        return Ok(());
                    }
                }
            }
        }
    }
}

/// Those who may be named in a ladder: the people who may answer by it.
fn named(answerers: Vec<Answerer>) -> Vec<PersonRef> {
    answerers.into_iter().map(|one| one.person).collect()
}
