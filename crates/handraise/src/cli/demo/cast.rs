//! The people, teams and agents of the company, as they come in.

use std::{collections::HashMap, net::Ipv4Addr};

use anyhow::{Context, bail};
use domain::{
    AgentRef, Part, Person, PersonId, Principal, Role, SecretHash, TeamId, TokenKind,
    access::Lifetime, team::Profile,
};
use service::{Browser, Service, secret::Secret};

use super::{
    super::{operator, said},
    company::{AgentOf, Company},
};

/// Syllables of a password: this many are beyond guessing for as long as anybody plays.
const SYLLABLES: usize = 10;

pub(super) struct Cast {
    people: HashMap<String, Person>,
    /// Each by its token.
    agents: HashMap<String, SecretHash>,
    /// Of each of them.
    pub(super) password: String,
}

impl Cast {
    /// Everybody comes in as they would anywhere: invited, by a link, with a password of their own.
    pub(super) async fn arrive(service: &Service, company: &Company) -> anyhow::Result<Self> {
        let (password, by) = (password(), operator());
        let mut people = HashMap::new();
        for one in &company.people {
            let person = arrive(service, &one.name, one.role()?, &password).await?;
            people.insert(one.name.clone(), person);
        }
        let id = |name: &str| -> anyhow::Result<PersonId> {
            let person = people.get(name);
            Ok(person
                .with_context(|| format!("nobody is called {name}"))?
                .id)
        };
        let mut teams = HashMap::new();
        for one in &company.teams {
            let profile = Profile {
                name: one.name.clone(),
                ..Profile::default()
            };
            let team = service.create_team(profile, &by).await;
            let team = team.map_err(said)?.id;
            let answer = one.answers.iter().map(|name| (name, Part::Answers));
            let read = one.reads.iter().map(|name| (name, Part::Reads));
            for (name, part) in answer.chain(read) {
                let joined = service.set_member(team, id(name)?, part, &by);
                joined.await.map_err(said)?;
            }
            teams.insert(one.name.clone(), team);
        }
        let mut agents = HashMap::new();
        for one in &company.agents {
            let owner = one.owner.as_deref().map(id).transpose()?;
            let token = begin(service, one, owner, &teams).await?;
            agents.insert(one.name.clone(), token.hash());
        }
        let set = service.set_policies(company.policies.clone(), None, &by);
        set.await.map_err(said)?;
        Ok(Self {
            people,
            agents,
            password,
        })
    }

    /// An agent, which comes with its token each time.
    pub(super) async fn agent(&self, service: &Service, name: &str) -> anyhow::Result<AgentRef> {
        let token = self.agents.get(name);
        let token = token.with_context(|| format!("no agent is called {name}"))?;
        let holder = service.token_holder(token).await.map_err(said)?;
        match holder.map(|holder| holder.principal) {
            Some(Principal::Agent(agent)) => Ok(agent),
            _ => bail!("the token of {name} is none"),
        }
    }

    /// A person, with the rights that they have now.
    pub(super) async fn person(&self, service: &Service, name: &str) -> anyhow::Result<Principal> {
        let person = self.people.get(name);
        let person = person.with_context(|| format!("nobody is called {name}"))?;
        Ok(service.principal_for(person).await?)
    }
}

async fn arrive(
    service: &Service,
    name: &str,
    role: Role,
    password: &str,
) -> anyhow::Result<Person> {
    let link = service.invite(name, role, &operator()).await;
    let link = link.map_err(said)?;
    let person = service.sign_in_link(&link).await.map_err(said)?;
    let known = service.come_by_link(&link, None, password).await;
    let known = known.map_err(said)?.context("a link lets nobody in")?;
    let browser = Browser {
        name: "the demo".to_owned(),
        address: Ipv4Addr::LOCALHOST.into(),
        host: super::OWN_NAME.to_owned(),
    };
    // Its cookie is nobody's: what counts is that the link is used up and the password stands.
    let begun = service.begin_session(known, &Secret::link(), browser).await;
    anyhow::ensure!(begun.map_err(said)?, "{name} could not come in");
    person.with_context(|| format!("{name} was not invited"))
}

/// An agent gets its token, which nobody ever sees: it asks from within.
async fn begin(
    service: &Service,
    agent: &AgentOf,
    owner: Option<PersonId>,
    teams: &HashMap<String, TeamId>,
) -> anyhow::Result<Secret> {
    let home = match &agent.team {
        Some(name) => {
            let team = teams.get(name).copied();
            Some(team.with_context(|| format!("no team is called {name}"))?)
        }
        None => None,
    };
    let (name, kept, by) = (&agent.name, Lifetime::default(), operator());
    let token = match owner {
        Some(owner) => {
            service
                .create_owned_token(name, owner, home, kept, &by)
                .await
        }
        None => {
            service
                .create_token(TokenKind::Agent, name, kept, &[], &by)
                .await
        }
    };
    let token = token.map_err(said)?;
    if let (None, Some(home)) = (owner, home) {
        let known = service.known_agent(name).await.map_err(said)?;
        let homed = service.set_home(&known, Some(home), &by).await;
        homed.map_err(said)?;
    }
    Ok(token)
}

fn password() -> String {
    const BEGIN: &[u8; 16] = b"bdfghklmnprstvwz";
    const END: &[u8; 5] = b"aeiou";
    let bytes: [u8; 2 * SYLLABLES] = rand::random();
    let mut password = String::new();
    for (n, pair) in bytes.chunks(2).enumerate() {
        if n > 0 && n % 2 == 0 {
            password.push('-');
        }
        for (byte, among) in pair.iter().zip([&BEGIN[..], &END[..]]) {
            let one = among.get(usize::from(*byte) % among.len());
            password.extend(one.map(|one| char::from(*one)));
        }
    }
    password
}
