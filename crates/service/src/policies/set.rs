//! Policies are put in force: by a server that reads its file, by the page, the command line and the API.

use std::sync::Arc;

use domain::{
    Changeset, Fault, PolicyId, Principal, Refused, Write,
    decide::policy::{self as rules, Before},
    policy::{Policies, PolicySet, PolicyWrite, Source, Surroundings, TeamThere},
};

use crate::{Service, ServiceError};

impl Service {
    /// A server puts the policies of its file in force. What they ask for that nobody could give as things are is a fault
    /// when it is loaded while people look (`strictly`), and else comes back: a server has to start after a team was deleted.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`Refused::Unproven`], [`Refused::Invalid`], [`Refused::NoKey`]. Those before them stay in force.
    pub async fn load_policies(
        &self,
        policies: Policies,
        strictly: bool,
        by: &Principal,
    ) -> Result<Vec<Fault>, ServiceError> {
        // Also where nothing is changed: then these come into force on this server.
        by.proven_admin(self.now())?;
        let surroundings = self.surroundings().await?;
        let lacking = policies
            .check_among(&surroundings)
            .err()
            .unwrap_or_default();
        if strictly && !lacking.is_empty() {
            // With all else that is wrong.
            let mut faults = policies.check().err().unwrap_or_default();
            faults.extend(lacking);
            return Err(faults.into());
        }
        loop {
            let id = self.store.last_policies(Source::File).await?;
            let set = self.readable(id).await?;
            let before = Before {
                id,
                set: set.as_deref(),
            };
            let loaded = rules::load(before, policies.clone(), by, self.moment());
            match (loaded, set) {
                // Another server, or this one before it was restarted, has read the same.
                (Err(Refused::Unchanged), Some(set)) => {
                    self.policies.put_file(set);
                    return Ok(lacking);
                }
                (loaded, _) => {
                    let changeset = loaded?;
                    let set = set_of(&changeset).ok_or(ServiceError::NotFound)?;
                    if self.is_first(changeset).await? {
                        self.policies.put_file(Arc::new(set));
                        return Ok(lacking);
                    }
                }
            }
        }
    }

    /// These are in force here from now on, on all servers: when this returns, nothing is decided under those before them.
    /// `replaces` are those that were looked at, where that is known.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`], [`Refused::Unproven`], [`Refused::Invalid`], [`Refused::NoKey`].
    pub async fn set_policies(
        &self,
        policies: Policies,
        replaces: Option<Option<PolicyId>>,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        let surroundings = self.surroundings().await?;
        self.change_policies(|before| {
            if replaces.is_some_and(|known| known != before.id) {
                let why = "others are in force by now: look at them first";
                return Err(vec![Fault::new("replaces", why)].into());
            }
            let set = rules::set(before, policies.clone(), &surroundings, by, self.moment());
            Ok(set?)
        })
        .await
    }

    /// These rules are in force from now on, beside those that are. One that stands there as it is stays as it is: who has lost
    /// the reply adds them once more.
    ///
    /// # Errors
    /// As [`Service::set_policies`]; [`Refused::NotAResponder`] for agents.
    pub async fn add_policies(&self, added: Policies, by: &Principal) -> Result<(), ServiceError> {
        by.responder().map(drop).or_else(|_| by.admin().map(drop))?;
        let surroundings = self.surroundings().await?;
        self.change_policies(|before| {
            let added = rules::add(before, &added, &surroundings, by, self.moment());
            Ok(added?)
        })
        .await
    }

    async fn change_policies(
        &self,
        next: impl Fn(Before<'_>) -> Result<Changeset, ServiceError> + Send + Sync,
    ) -> Result<(), ServiceError> {
        loop {
            let id = self.store.last_policies(Source::Here).await?;
            let set = self.readable(id).await?;
            let before = Before {
                id,
                set: set.as_deref(),
            };
            match next(before) {
                Err(ServiceError::Refused(Refused::Unchanged)) => return Ok(()),
                changed => {
                    if self.is_first(changed?).await? {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// All that is wrong with policies, as if they were put in force now.
    ///
    /// # Errors
    /// [`Refused::NotAResponder`] for agents, [`Refused::Invalid`].
    pub async fn check_policies(
        &self,
        policies: &Policies,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        by.responder().map(drop).or_else(|_| by.admin().map(drop))?;
        let mut surroundings = self.surroundings().await?;
        // Rule 18: of a team that it does not see a program learns nothing, not even that it is there.
        if let Principal::Script { teams, .. } = by {
            surroundings.teams.retain(|team| teams.sees(team.id));
        }
        rules::checked(policies, &surroundings)?;
        Ok(())
    }

    /// Who could answer, here and in each team.
    async fn surroundings(&self) -> Result<Surroundings, ServiceError> {
        let people = self.store.answerers(None).await?.len();
        let mut teams = Vec::new();
        for record in self.store.teams().await? {
            let answerers = self.store.answerers(Some(record.team.id)).await?;
            let members = answerers.iter().filter(|one| one.is_of_team).count();
            let admins = answerers
                .iter()
                .filter(|one| !one.is_of_team && one.person.role == domain::Role::Admin)
                .count();
            teams.push(TeamThere {
                id: record.team.id,
                name: record.team.profile.name,
                members,
                all: members + admins,
            });
        }
        Ok(Surroundings { people, teams })
    }
}

/// The set that a changeset puts in force.
fn set_of(changeset: &Changeset) -> Option<PolicySet> {
    changeset.writes.iter().find_map(|write| match write {
        Write::Policy(PolicyWrite::Set { set, .. }) => Some((**set).clone()),
        _ => None,
    })
}
