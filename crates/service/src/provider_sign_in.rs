//! People come in by a provider that has said who they are, and connect it to the account that they have here.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use domain::{
    Changeset, Identity, Part, Person, PersonId, Principal, Refused, Role,
    access::{NewSession, WaysIn, factor::FactorKind},
    decide::identity::{self as decide, Arrival, Departure, GivenTeams},
    limits::{LINE_CHARS, PROOF_LASTS},
};
use store::IdentityRecord;

use super::{Browser, Service, ServiceError, SignedIn, TRIES};
use crate::secret::Secret;

/// Room in a name for what tells it from another.
const SUFFIX_CHARS: usize = 60;

/// Somebody whom a provider has shown.
#[derive(Clone, Debug)]
pub struct Shown {
    /// Who it is.
    pub identity: Identity,
    /// The provider's name, as people read it.
    pub provider: String,
    /// The role that the provider gives; `None` where it says nothing of roles.
    pub role: Option<Role>,
    /// The teams that the provider gives; `None` where it says nothing of teams.
    pub teams: Option<ShownTeams>,
    /// When they last showed it who they are, if it says that.
    pub shown_at: Option<DateTime<Utc>>,
}

/// The teams of somebody, as a provider names them.
#[derive(Clone, Debug, Default)]
pub struct ShownTeams {
    /// Theirs, with their part in each.
    pub given: BTreeMap<String, Part>,
    /// All that it could give.
    pub named: Vec<String>,
}

/// How somebody was received who came by a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Received {
    /// They are in.
    In,
    /// Nobody here knows them, and they do not come in as a newcomer.
    Unknown,
    /// They were given a team that is not there. Nothing was done.
    NoTeam(String),
}

/// What becomes of somebody whom nobody here knows.
#[derive(Clone, Debug)]
pub struct Newcomer {
    /// Their name, if the provider says one.
    pub name: Option<String>,
    /// Their role.
    pub role: Role,
}

impl Service {
    /// How somebody who comes by a provider would be received. Only who comes in needs another cookie.
    ///
    /// # Errors
    /// As [`Service::come_by_provider`].
    pub async fn would_receive(
        &self,
        shown: &Shown,
        newcomer: Option<&Newcomer>,
        browser: &Browser,
        ways: &WaysIn,
    ) -> Result<Received, ServiceError> {
        let session = self.new_session(&Secret::link(), browser);
        let decided = self.receive(shown, newcomer, session, ways).await?;
        Ok(decided.err().unwrap_or(Received::In))
    }

    /// A person comes in by a provider, with the role and the teams that it gives. Nobody here knows them? Then they
    /// come in as `newcomer`. `ways` are those by which another admin could come in.
    ///
    /// # Errors
    /// [`Refused::Disabled`], [`Refused::LastAdmin`], [`ServiceError::Busy`] when others were faster again and again.
    pub async fn come_by_provider(
        &self,
        shown: &Shown,
        newcomer: Option<&Newcomer>,
        cookie: &Secret,
        browser: &Browser,
        ways: &WaysIn,
    ) -> Result<Received, ServiceError> {
        for _ in 0..TRIES {
            let session = self.new_session(cookie, browser);
            match self.receive(shown, newcomer, session, ways).await? {
                Err(received) => return Ok(received),
                Ok(came) => {
                    if self.is_first(came).await? {
                        tracing::info!(client.address = %browser.address, "signed in by a provider");
                        return Ok(Received::In);
                    }
                }
            }
        }
        Err(ServiceError::Busy)
    }

    /// The provider says of this person that they have no role: they are out everywhere, and have nothing by it any
    /// more. Whom nobody knows has nothing to lose. `named` are all the teams that the provider could give; `None` where it says
    /// nothing of teams.
    ///
    /// # Errors
    /// [`Refused::LastAdmin`], [`ServiceError::Busy`].
    pub async fn turn_away(
        &self,
        shown: &Shown,
        named: Option<&[String]>,
        ways: &WaysIn,
    ) -> Result<(), ServiceError> {
        for _ in 0..TRIES {
            let Some(person) = self.store.person_known_as(&shown.identity).await? else {
                return Ok(());
            };
            let teams = match named {
                Some(named) => Some(GivenTeams {
                    given: Vec::new(),
                    named: keys(named),
                    until_now: self.store.memberships(person.id).await?,
                }),
                None => None,
            };
            let sessions = self.store.sessions(person.id, self.now()).await?;
            let departure = Departure {
                identity: shown.identity.clone(),
                provider: shown.provider.clone(),
                teams,
                sessions: sessions.into_iter().map(|one| one.id).collect(),
            };
            let another_admin = self
                .store
                .another_admin(Some(person.id), Some(ways))
                .await?;
            let away = decide::turn_away(&person, departure, another_admin, ways, self.moment());
            match away {
                Err(Refused::Unchanged) => return Ok(()),
                away => {
                    if self.is_first(away?).await? {
                        self.access_ended.send_replace(());
                        return Ok(());
                    }
                }
            }
        }
        Err(ServiceError::Busy)
    }

    /// The names of teams that are not there, of those that are named.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn missing_teams(
        &self,
        names: BTreeSet<&str>,
    ) -> Result<BTreeSet<String>, ServiceError> {
        let mut missing = BTreeSet::new();
        for name in names {
            let team = self.store.team_named(&Person::name_key(name)).await?;
            if team.is_none() {
                missing.insert(name.to_owned());
            }
        }
        Ok(missing)
    }

    /// What it takes to let them in; or how else they are received.
    async fn receive(
        &self,
        shown: &Shown,
        newcomer: Option<&Newcomer>,
        session: NewSession,
        ways: &WaysIn,
    ) -> Result<Result<Changeset, Received>, ServiceError> {
        let known = self.store.person_known_as(&shown.identity).await?;
        if known.is_none() && newcomer.is_none() {
            return Ok(Err(Received::Unknown));
        }
        let teams = match &shown.teams {
            None => None,
            Some(teams) => match self.given_teams(teams, known.as_ref()).await? {
                Ok(given) => Some(given),
                Err(missing) => return Ok(Err(Received::NoTeam(missing))),
            },
        };
        let leaves = match &known {
            Some(person) => {
                let next = shown.role.unwrap_or(person.role);
                self.short_of_a_factor(person, next).await?
            }
            None => None,
        };
        let arrival = Arrival {
            identity: shown.identity.clone(),
            provider: shown.provider.clone(),
            role: shown.role,
            teams,
            leaves,
            session,
            proven_at: shown.shown_at.unwrap_or(DateTime::UNIX_EPOCH),
        };
        let came = match (known, newcomer) {
            (Some(person), _) => {
                let but = Some(person.id);
                let another_admin = self.store.another_admin(but, Some(ways)).await?;
                decide::come_in(&person, &arrival, another_admin, ways, self.moment())?
            }
            (None, Some(newcomer)) => {
                let name = self.free_name(newcomer, &shown.provider).await?;
                decide::come_first(&name, newcomer.role, &arrival, self.moment())?
            }
            (None, None) => return Ok(Err(Received::Unknown)),
        };
        Ok(Ok(came))
    }

    /// With the teams that there are; or the name of one that is not.
    async fn given_teams(
        &self,
        shown: &ShownTeams,
        person: Option<&Person>,
    ) -> Result<Result<GivenTeams, String>, ServiceError> {
        let until_now = match person {
            Some(person) => self.store.memberships(person.id).await?,
            None => Vec::new(),
        };
        let mut given = Vec::with_capacity(shown.given.len());
        for (name, part) in &shown.given {
            match self.store.team_named(&Person::name_key(name)).await? {
                Some(team) => given.push((team.named(), *part)),
                None => return Ok(Err(name.clone())),
            }
        }
        Ok(Ok(GivenTeams {
            given,
            named: keys(&shown.named),
            until_now,
        }))
    }

    /// From now on the person who is signed in comes in by this identity, too.
    ///
    /// # Errors
    /// [`Refused::Unproven`](domain::Refused::Unproven),
    /// [`Refused::IdentityTaken`](domain::Refused::IdentityTaken),
    /// [`Refused::IdentityKept`](domain::Refused::IdentityKept),
    /// [`Refused::Unchanged`](domain::Refused::Unchanged), [`Refused::Disabled`](domain::Refused::Disabled).
    pub async fn connect_identity(
        &self,
        who: &SignedIn,
        identity: &Identity,
    ) -> Result<(), ServiceError> {
        for _ in 0..TRIES {
            let person = self.store.person(who.person.id).await?;
            let person = person.ok_or(ServiceError::NotFound)?;
            let holder = self.store.person_known_as(identity).await?;
            let other = self.identity_at(person.id, &identity.issuer).await?;
            let connected = decide::connect(
                &person,
                identity,
                holder.as_ref(),
                other.as_ref(),
                who.proven_at + PROOF_LASTS,
                self.moment(),
            )?;
            if self.is_first(connected).await? {
                return Ok(());
            }
        }
        Err(ServiceError::Busy)
    }

    /// A person comes in by this provider no more. One who did not stays as they are. `ways` are those that are open here.
    ///
    /// # Errors
    /// [`Refused::NotAnAdmin`](domain::Refused::NotAnAdmin), [`Refused::OnlyWay`](domain::Refused::OnlyWay),
    /// [`ServiceError::Busy`] when others were faster again and again.
    pub async fn disconnect_identity(
        &self,
        person: PersonId,
        issuer: &str,
        ways: &WaysIn,
        by: &Principal,
    ) -> Result<(), ServiceError> {
        for _ in 0..TRIES {
            let all = self.store.identities_of(person).await?;
            // Another may have been faster to do the same.
            let Some(theirs) = all.iter().find(|one| one.identity.issuer == issuer) else {
                return Ok(());
            };
            let person = self.known_person(person).await?;
            let account = self.store.account(&Person::name_key(&person.name)).await?;
            let account = account.filter(|account| account.person.id == person.id);
            let has_password = account.is_some_and(|account| account.password.is_some());
            let mut factors = self.store.factors(person.id).await?.into_iter();
            let has_passkey =
                self.has_passkeys() && factors.any(|one| one.secret.kind() == FactorKind::Passkey);
            let others = all.iter().map(|one| &*one.identity.issuer);
            let others = others.filter(|other| *other != issuer);
            let another_way = ways.lead_in(has_password || has_passkey, others);
            let now = self.moment();
            let gone = decide::disconnect(&person, &theirs.identity, another_way, ways, by, now)?;
            if self.is_first(gone).await? {
                return Ok(());
            }
        }
        Err(ServiceError::Busy)
    }

    /// The person who is signed in has just shown a provider who they are: for a while they may do the acts that
    /// need it. `false` when the provider has shown somebody else.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn prove_by_provider(
        &self,
        who: &SignedIn,
        shown: &Shown,
    ) -> Result<bool, ServiceError> {
        let holder = self.store.person_known_as(&shown.identity).await?;
        let is_theirs = holder.is_some_and(|holder| holder.id == who.person.id);
        let Some(shown_at) = shown.shown_at.filter(|_| is_theirs) else {
            return Ok(false);
        };
        self.store.session_proven(who.session, shown_at).await?;
        Ok(true)
    }

    /// The providers that a person is connected to.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn identities_of(
        &self,
        person: PersonId,
    ) -> Result<Vec<IdentityRecord>, ServiceError> {
        Ok(self.store.identities_of(person).await?)
    }

    async fn identity_at(
        &self,
        person: PersonId,
        issuer: &str,
    ) -> Result<Option<Identity>, ServiceError> {
        let all = self.store.identities_of(person).await?.into_iter();
        let mut theirs = all.map(|record| record.identity);
        Ok(theirs.find(|one| one.issuer == issuer))
    }

    /// A name that nobody has yet: names are how people tell each other apart here, and a provider may know two
    /// Anas.
    async fn free_name(&self, newcomer: &Newcomer, provider: &str) -> Result<String, ServiceError> {
        let given = newcomer.name.as_deref().unwrap_or_default();
        let plain = given.chars().filter(|c| !c.is_control());
        let plain: String = plain.take(LINE_CHARS - SUFFIX_CHARS).collect();
        let name = match domain::fault::is_name(&plain, LINE_CHARS) {
            true => plain.trim().to_owned(),
            false => "Somebody".to_owned(),
        };
        let provider: String = provider.chars().take(SUFFIX_CHARS / 2).collect();
        let mut wanted = name.clone();
        let mut n = 1_u32;
        while self
            .store
            .account(&Person::name_key(&wanted))
            .await?
            .is_some()
        {
            wanted = match n {
                1 => format!("{name} ({provider})"),
                _ => format!("{name} ({provider} {n})"),
            };
            n += 1;
        }
        Ok(wanted)
    }
}

/// Of the names of teams.
fn keys(names: &[String]) -> BTreeSet<String> {
    names.iter().map(|name| Person::name_key(name)).collect()
}
