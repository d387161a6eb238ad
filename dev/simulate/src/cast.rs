//! Who is there: people of a team and of none, agents with their owners, and a way to reach each person.

use anyhow::{Context, Result, bail};
use domain::{
    AgentRef, DestinationId, Ids, Moment, Part, Person, PersonId, Principal, Role, TeamId,
    access::{Lifetime, PersonRef},
    decide::reach::{self, NewReach},
    delivery::{ReachKind, SealedSecret},
    team::Profile,
};
use machine::clock::Clock;
use service::Service;

use crate::time::Time;

/// The team that some agents may ask.
pub(crate) const TEAM: &str = "Operations";

/// A person.
pub(crate) struct Someone {
    pub(crate) person: PersonRef,
    pub(crate) reach: DestinationId,
}

/// Everybody.
pub(crate) struct Cast {
    pub(crate) people: Vec<Someone>,
    pub(crate) agents: Vec<AgentRef>,
    pub(crate) team: TeamId,
}

/// Their names and roles, and whether they answer in the team from the beginning.
const PEOPLE: [(&str, Role, bool); 6] = [
    ("Ana", Role::Admin, false),
    ("Ben", Role::Responder, false),
    ("Cleo", Role::Responder, true),
    ("Dan", Role::Responder, true),
    ("Eve", Role::Responder, true),
    ("Finn", Role::Viewer, false),
];

/// Their names, and who owns them, by place.
const AGENTS: [(&str, usize); 3] = [("builder", 1), ("deployer", 2), ("helper", 3)];

/// Who is disabled now and then, whose role changes, who comes into the team and goes.
pub(crate) const DISABLED: usize = 3;
pub(crate) const ROLE_CHANGES: usize = 4;
pub(crate) const TEAM_CHANGES: usize = 1;

pub(crate) fn operator() -> Principal {
    Principal::Operator {
        name: "root".to_owned(),
    }
}

impl Cast {
    pub(crate) async fn gather(service: &Service, time: &Time) -> Result<Self> {
        let root = operator();
        let mut found = Vec::new();
        for (name, role, _) in PEOPLE {
            service.invite(name, role, &root).await?;
            let account = service.store().account(&Person::name_key(name)).await?;
            found.push(account.context("who was invited is not there")?.person);
        }
        let profile = Profile {
            name: TEAM.to_owned(),
            ..Profile::default()
        };
        let team = service.create_team(profile, &root).await?.id;
        let mut people = Vec::new();
        for (person, (_, _, is_member)) in found.iter().zip(PEOPLE) {
            if is_member {
                service
                    .set_member(team, person.id, Part::Answers, &root)
                    .await?;
            }
            people.push(Someone {
                person: person.into(),
                reach: reach_of(service, time, person).await?,
            });
        }
        let mut agents = Vec::new();
        for (name, owner) in AGENTS {
            let owner = found.get(owner).context("an owner is nobody")?;
            let made = service.create_owned_token(name, owner.id, None, Lifetime::Never, &root);
            made.await?;
            let agent = service.known_agent(name).await?;
            service.set_open(team, &agent, true, &root).await?;
            agents.push(agent);
        }
        Ok(Self {
            people,
            agents,
            team,
        })
    }

    pub(crate) fn name(&self, person: PersonId) -> &str {
        let mut people = self.people.iter();
        let found = people.find(|one| one.person.id == person);
        found.map_or("nobody", |one| &one.person.name)
    }

    /// Whose agent this is, from the beginning to the end.
    pub(crate) fn owner(&self, agent: usize) -> PersonId {
        self.people[AGENTS[agent].1].person.id
    }
}

/// Adds a browser, by which a person is reached.
async fn reach_of(service: &Service, time: &Time, person: &Person) -> Result<DestinationId> {
    let id = DestinationId(time.next());
    let new = NewReach {
        id,
        kind: ReachKind::Push,
        label: "Telephone".to_owned(),
        address: SealedSecret(b"an address".to_vec()),
        browser: None,
    };
    let by = service.principal_for(person).await?;
    let now = Moment {
        at: time.now(),
        ids: time,
        signer: None,
    };
    let (_, added) = reach::add(new, &[], &[], &by, now)?;
    if let Err(error) = service.store().commit(added).await {
        bail!("a reach cannot be added: {error}");
    }
    Ok(id)
}
