//! Teams (rule 18): made by admins, who say who is in them and which agents ask them.

use domain::{
    AgentRef, Audience, Changeset, InteractionId, Membership, Moment, Part, Person, PersonId,
    Principal, Refused, Team, TeamId, Write,
    access::Access,
    decide::{interaction, team as decide},
    fault::is_name,
    limits,
    team::Profile,
};
use store::{InteractionQuery, TeamRecord, TeamUse};

use super::{Service, ServiceError};

/// How many are read at once.
const PAGE: u32 = 200;

impl Service {
    /// Every team with its members and agents, by name.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`].
    pub async fn teams(&self, by: &Principal) -> Result<Vec<TeamRecord>, ServiceError> {
        by.admin()?;
        Ok(self.store.teams().await?)
    }

    /// The teams that the reader is in, by name: each member may know who else is.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn own_teams(&self, person: PersonId) -> Result<Vec<TeamRecord>, ServiceError> {
        let parts = self.store.parts(person).await?;
        if parts.teams().next().is_none() {
            return Ok(Vec::new());
        }
        let mut teams = self.store.teams().await?;
        teams.retain(|record| parts.sees(record.team.id));
        Ok(teams)
    }

    /// One team, and what keeps it from being deleted; `None` when it is no more.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`].
    pub async fn team_in_use(
        &self,
        id: TeamId,
        by: &Principal,
    ) -> Result<Option<(TeamRecord, TeamUse)>, ServiceError> {
        let mut teams = self.teams(by).await?.into_iter();
        let Some(record) = teams.find(|record| record.team.id == id) else {
            return Ok(None);
        };
        let keeps = self.store.team_use(id).await?;
        Ok(Some((record, keeps)))
    }

    /// The team of this name.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`ServiceError::NotFound`].
    pub async fn team_named(&self, name: &str, by: &Principal) -> Result<Team, ServiceError> {
        by.admin()?;
        let team = self.store.team_named(&Person::name_key(name)).await?;
        team.ok_or(ServiceError::NotFound)
    }

    /// The team of this name, if the reader sees what belongs to it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn seen_team(
        &self,
        name: &str,
        reader: &Principal,
    ) -> Result<Option<Team>, ServiceError> {
        if !is_name(name, limits::LINE_CHARS) {
            return Ok(None);
        }
        let team = self.store.team_named(&Person::name_key(name)).await?;
        Ok(team.filter(|team| reader.audience().sees_all(&[team.id])))
    }

    /// Makes a team.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`Refused::TeamNameTaken`], [`Refused::Invalid`].
    pub async fn create_team(
        &self,
        profile: Profile,
        by: &Principal,
    ) -> Result<Team, ServiceError> {
        let created = decide::create(profile, by, self.moment())?;
        let team = created.writes.iter().find_map(|write| match write {
            Write::Access(Access::Team(team)) => Some(team.clone()),
            _ => None,
        });
        let team = team.ok_or(ServiceError::NotFound)?;
        match self.is_first(created).await? {
            true => Ok(team),
            false => Err(Refused::TeamNameTaken.into()),
        }
    }

    /// Gives a team another name, channel or deadlines.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`Refused::Unproven`], [`Refused::TeamNameTaken`], [`Refused::Invalid`],
    /// [`Refused::TeamDeleted`], [`ServiceError::NotFound`]; [`Refused::Invalid`] also where a policy names the team that is to be called
    /// otherwise.
    pub async fn change_team(
        &self,
        id: TeamId,
        profile: Profile,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        by.admin()?;
        let key = Person::name_key(&profile.name);
        loop {
            let team = self.known_team(id).await?;
            let namesake = self.store.team_named(&key).await?;
            if namesake.is_some_and(|namesake| namesake.id != id) {
                return Err(Refused::TeamNameTaken.into());
            }
            let mut changed = decide::change(&team, profile.clone(), by, self.moment());
            if let Ok(changed) = &mut changed
                && Person::name_key(&team.profile.name) != key
            {
                changed.writes.push(self.no_policy_names(&team).await?);
            }
            if self.is_so(changed).await? {
                return Ok(());
            }
        }
    }

    /// Deletes a team. What waits for it, and the agents whose home it is, go to `move_to`; without that they keep it
    /// from being deleted, and so does what came or could not go meanwhile: deleting it again goes on.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`Refused::Unproven`], [`Refused::TeamInUse`], [`Refused::TeamDeleted`],
    /// [`ServiceError::NotFound`]; [`Refused::Invalid`] where a policy names it.
    pub async fn delete_team(
        &self,
        id: TeamId,
        move_to: Option<TeamId>,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        by.admin()?;
        // Before anything is moved.
        self.no_policy_names(&self.known_team(id).await?).await?;
        if let Some(other) = move_to {
            self.may_take(id, other, by).await?;
        }
        loop {
            if let Some(other) = move_to {
                self.empty_team(id, other, by).await?;
            }
            let team = self.known_team(id).await?;
            let TeamUse { pending, agents } = self.store.team_use(id).await?;
            let mut deleted = decide::delete(&team, pending, agents, by, self.moment())?;
            deleted.writes.push(self.no_policy_names(&team).await?);
            if self.is_first(deleted).await? {
                self.access_ended.send_replace(());
                return Ok(());
            }
        }
    }

    /// Whether `other` may take what is asked of a team. Said before anything is moved: none of it is to be half done.
    async fn may_take(
        &self,
        id: TeamId,
        other: TeamId,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        if id == other {
            return Err(Refused::Unchanged.into());
        }
        by.proven_admin(self.now())?;
        match self.known_team(other).await?.deleted_at {
            None => Ok(()),
            Some(_) => Err(Refused::TeamDeleted.into()),
        }
    }

    /// First no agent asks it any more, then what was asked goes.
    async fn empty_team(
        &self,
        id: TeamId,
        other: TeamId,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        let to = self.known_team(other).await?;
        let teams = self.store.teams().await?;
        if let Some(record) = teams.into_iter().find(|record| record.team.id == id) {
            for agent in &record.homes {
                self.set_home(agent, Some(other), by).await?;
            }
            for agent in &record.askers {
                self.set_open(id, agent, false, by).await?;
            }
        }
        let query = InteractionQuery {
            audience: Audience::Teams(vec![id]),
            state: Some("pending".to_owned()),
            limit: PAGE,
            ..InteractionQuery::default()
        };
        let mut before = None;
        loop {
            let query = InteractionQuery {
                before,
                ..query.clone()
            };
            let page = self.store.briefs(&query).await?;
            let Some(last) = page.last() else {
                return Ok(());
            };
            if before.is_some_and(|before| last.id >= before) {
                return Ok(());
            }
            before = Some(last.id);
            for brief in page {
                self.move_from(brief.id, id, &to, by).await?;
            }
        }
    }

    /// Moves it if it belongs to that team and is open.
    async fn move_from(
        &self,
        interaction: InteractionId,
        team: TeamId,
        to: &Team,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        let moved = self.change_as_told(interaction, |interaction, _, now| {
            match interaction.team_id() == Some(team) {
                true => interaction::move_to(interaction, to, by, now),
                false => Err(Refused::Unchanged),
            }
        });
        match moved.await {
            Err(ServiceError::Refused(Refused::Closed { .. } | Refused::Unchanged)) => Ok(()),
            moved => moved.map(|_| ()),
        }
    }

    /// Makes a person a member, or gives them another part. From then on no provider takes it back by what it said before.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`Refused::Unproven`], [`Refused::TeamDeleted`], [`Refused::Disabled`],
    /// [`ServiceError::NotFound`].
    pub async fn set_member(
        &self,
        id: TeamId,
        person: PersonId,
        part: Part,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        self.change_member(id, person, |team, person, now_is, now| {
            decide::set_member(team, person, now_is, part, by, now)
        })
        .await
    }

    /// Takes a person out of a team: from now on they see and answer nothing of it.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`Refused::TeamDeleted`], [`ServiceError::NotFound`].
    pub async fn remove_member(
        &self,
        id: TeamId,
        person: PersonId,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        self.change_member(id, person, |team, person, now_is, now| {
            let now_is = now_is.map(|one| one.part);
            decide::remove_member(team, person, now_is, by, now)
        })
        .await
    }

    async fn change_member(
        &self,
        id: TeamId,
        person: PersonId,
        decide: impl Fn(&Team, &Person, Option<&Membership>, Moment<'_>) -> Result<Changeset, Refused>
        + Send
        + Sync,
    ) -> Result<(), ServiceError> {
        let person = self.store.person(person).await?;
        let person = person.ok_or(ServiceError::NotFound)?;
        loop {
            let team = self.known_team(id).await?;
            let theirs = self.store.memberships(person.id).await?;
            let now_is = theirs.iter().find(|one| one.team.id == id);
            let changed = decide(&team, &person, now_is, self.moment());
            if self.is_so(changed).await? {
                break;
            }
        }
        self.access_ended.send_replace(());
        Ok(())
    }

    /// Gives an agent a home; `None` = everyone. What it asked before stays where it is.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`Refused::Unproven`], [`Refused::TeamDeleted`], [`ServiceError::NotFound`].
    pub async fn set_home(
        &self,
        agent: &AgentRef,
        team: Option<TeamId>,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        by.admin()?;
        loop {
            let home = self.store.asker(agent.id).await?.home;
            let home = home.map(|team| team.id);
            let team = match team {
                Some(team) => Some(self.known_team(team).await?),
                None => None,
            };
            let set = decide::set_home(agent, home, team.as_ref(), by, self.moment());
            if self.is_so(set).await? {
                return Ok(());
            }
        }
    }

    /// Lets an agent ask a team that is not its home, or no more.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`Refused::TeamDeleted`], [`ServiceError::NotFound`].
    pub async fn set_open(
        &self,
        id: TeamId,
        agent: &AgentRef,
        open: bool,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        by.admin()?;
        loop {
            let team = self.known_team(id).await?;
            let asker = self.store.asker(agent.id).await?;
            let was = asker.open.iter().any(|team| team.id == id);
            let set = decide::set_open(&team, agent, was, open, by, self.moment());
            if self.is_so(set).await? {
                return Ok(());
            }
        }
    }

    /// The agent of this name.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`].
    pub async fn known_agent(&self, name: &str) -> Result<AgentRef, ServiceError> {
        let id = self.agent_named(name).await?;
        Ok(AgentRef {
            id: id.ok_or(ServiceError::NotFound)?,
            name: name.to_owned(),
        })
    }

    pub(super) async fn known_team(&self, id: TeamId) -> Result<Team, ServiceError> {
        self.store.team(id).await?.ok_or(ServiceError::NotFound)
    }

    /// Whether what was decided is so from now on: a change that is made already counts as done. `false` when the team
    /// changed meanwhile, so that it has to be decided anew.
    async fn is_so(&self, decided: Result<Changeset, Refused>) -> Result<bool, ServiceError> {
        match decided {
            Err(Refused::Unchanged) => Ok(true),
            decided => self.is_first(decided?).await,
        }
    }
}
