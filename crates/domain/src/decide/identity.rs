//! The rules of signing in by a provider. Who it is the provider says, and was seen before; what they may do is
//! decided here, and one changeset lets them in, gives them their role and begins their session.

use chrono::{DateTime, Utc};

use super::access::{changeset, newcomer, sign_out_all, themselves};
use crate::{
    access::{Access, Identity, NewSession, Person, WaysIn},
    changeset::Changeset,
    event::{Payload, PersonEvent},
    ids::{Moment, SessionId},
    principal::{Actor, Principal, Role},
    refused::Refused,
};

pub use super::given::GivenTeams;

/// What a provider says of somebody who comes, as far as it matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Who it is.
    pub identity: Identity,
    /// The provider's name, as people read it.
    pub provider: String,
    /// The role that they have by it; `None` where the provider says nothing of roles.
    pub role: Option<Role>,
    /// The teams that they have by it; `None` where the provider says nothing of teams.
    pub teams: Option<GivenTeams>,
    /// Their browsers, where they need a second factor by the role that the provider gives and have none: all of these
    /// leave, and only the one that they come with is in.
    pub leaves: Option<Vec<SessionId>>,
    /// The browser that they come with.
    pub session: NewSession,
    /// When they last showed the provider who they are; long ago, where it does not say.
    pub proven_at: DateTime<Utc>,
}

impl Arrival {
    fn actor(&self) -> Actor {
        provider(&self.provider, &self.identity)
    }

    /// What makes the person's teams what the provider says, and tells of it.
    fn teams(&self, person: &Person) -> (Vec<Access>, Vec<(Actor, Payload)>) {
        teams(self.teams.as_ref(), person, &self.actor(), &self.identity)
    }

    fn begins(&self, person: &Person) -> Access {
        Access::ComeIn {
            person: person.id,
            version: person.version,
            identity: self.identity.clone(),
            session: self.session.clone(),
            proven_at: self.proven_at,
        }
    }

    fn came(&self, person: &Person) -> Payload {
        Payload::Person(PersonEvent::SignedIn {
            person: person.into(),
            session: self.session.id,
            issuer: Some(self.identity.issuer.clone()),
        })
    }
}

/// A person who is linked to the identity comes in, with the role and the teams that the provider gives them.
/// `another_admin` is whether there would still be an admin who can come in by `ways`, without this one.
///
/// # Errors
/// [`Refused::Disabled`], [`Refused::LastAdmin`].
pub fn come_in(
    person: &Person,
    arrival: &Arrival,
    another_admin: bool,
    ways: &WaysIn,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    if person.disabled_at.is_some() {
        return Err(Refused::Disabled);
    }
    let role = arrival.role.unwrap_or(person.role);
    let actor = arrival.actor();
    let (person, mut writes, mut events) = with_role(person, role, another_admin, ways, &actor)?;
    let (joined, told) = arrival.teams(&person);
    writes.extend(joined);
    events.extend(told);
    if let Some(known) = arrival.leaves.clone() {
        let (leaves, told) = sign_out_all(&person, known, &actor);
        writes.push(leaves);
        events.extend(told);
    }
    writes.push(arrival.begins(&person));
    events.push((themselves(&person), arrival.came(&person)));
    Ok(changeset_by(writes, events, now))
}

/// A person of whom a provider says that they have no role.
#[derive(Clone, Debug)]
pub struct Departure {
    /// Who it is.
    pub identity: Identity,
    /// The provider's name, as people read it.
    pub provider: String,
    /// The teams that they have by it, which are none; `None` where the provider says nothing of teams.
    pub teams: Option<GivenTeams>,
    /// Their browsers.
    pub sessions: Vec<SessionId>,
}

/// They do not come in, and are nowhere in any more: their browsers leave, their teams by the provider go, and of roles
/// they keep the least. `another_admin` and `ways` are as for [`come_in`].
///
/// # Errors
/// [`Refused::LastAdmin`]; [`Refused::Unchanged`] when it is so already.
pub fn turn_away(
    person: &Person,
    departure: Departure,
    another_admin: bool,
    ways: &WaysIn,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = provider(&departure.provider, &departure.identity);
    let (person, mut writes, mut events) =
        with_role(person, Role::Viewer, another_admin, ways, &actor)?;
    let given = departure.teams.as_ref();
    let (left, told) = teams(given, &person, &actor, &departure.identity);
    writes.extend(left);
    events.extend(told);
    if writes.is_empty() && departure.sessions.is_empty() {
        return Err(Refused::Unchanged);
    }
    let (leaves, told) = sign_out_all(&person, departure.sessions, &actor);
    writes.push(leaves);
    events.extend(told);
    Ok(changeset_by(writes, events, now))
}

type Changes = (Person, Vec<Access>, Vec<(Actor, Payload)>);

/// The person with this role, and what it takes to make it so.
fn with_role(
    person: &Person,
    role: Role,
    another_admin: bool,
    ways: &WaysIn,
    by: &Actor,
) -> Result<Changes, Refused> {
    if role == person.role {
        return Ok((person.clone(), Vec::new(), Vec::new()));
    }
    let next = Person {
        version: person.version + 1,
        role,
        ..person.clone()
    };
    let mut writes = Vec::new();
    if person.role == Role::Admin {
        if !another_admin {
            return Err(Refused::LastAdmin);
        }
        writes.push(Access::AdminRemains {
            but: person.id,
            ways: ways.clone(),
        });
    }
    writes.push(Access::Person(next.clone()));
    let changed = Payload::Person(PersonEvent::Changed((&next).into()));
    Ok((next, writes, vec![(by.clone(), changed)]))
}

fn provider(name: &str, identity: &Identity) -> Actor {
    Actor::Provider {
        name: name.to_owned(),
        issuer: identity.issuer.clone(),
    }
}

fn teams(
    given: Option<&GivenTeams>,
    person: &Person,
    by: &Actor,
    identity: &Identity,
) -> (Vec<Access>, Vec<(Actor, Payload)>) {
    let Some(given) = given else {
        return (Vec::new(), Vec::new());
    };
    let (writes, events) = given.changes(person, &identity.issuer);
    let events = events.into_iter();
    let told = events.map(|event| (by.clone(), Payload::from(event)));
    (writes, told.collect())
}

/// Somebody whom nobody here knew comes in under this name, because the settings let them.
///
/// # Errors
/// [`Refused::Invalid`] when the name is none.
pub fn come_first(
    name: &str,
    role: Role,
    arrival: &Arrival,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let person = newcomer(name, role, now)?;
    let invited = Payload::Person(PersonEvent::Invited((&person).into()));
    let (joined, told) = arrival.teams(&person);
    let mut events = vec![
        (arrival.actor(), invited),
        (arrival.actor(), linked(&person, &arrival.identity)),
    ];
    events.extend(told);
    events.push((themselves(&person), arrival.came(&person)));
    let link = Access::Identify {
        person: person.id,
        identity: arrival.identity.clone(),
        at: now.at,
    };
    let begins = arrival.begins(&person);
    let mut writes = vec![Access::Person(person), link];
    writes.extend(joined);
    writes.push(begins);
    Ok(changeset_by(writes, events, now))
}

/// A person who is signed in says that this identity is theirs: they have just come back from the provider with
/// it. `holder` is who has it so far, and `other` another identity of theirs at this provider.
///
/// # Errors
/// [`Refused::Disabled`], [`Refused::Unproven`], [`Refused::IdentityTaken`], [`Refused::IdentityKept`],
/// [`Refused::Unchanged`].
pub fn connect(
    person: &Person,
    identity: &Identity,
    holder: Option<&Person>,
    other: Option<&Identity>,
    proven_until: DateTime<Utc>,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    if person.disabled_at.is_some() {
        return Err(Refused::Disabled);
    }
    if now.at >= proven_until {
        return Err(Refused::Unproven);
    }
    match holder {
        Some(holder) if holder.id == person.id => return Err(Refused::Unchanged),
        Some(holder) => {
            return Err(Refused::IdentityTaken {
                by: holder.name.clone(),
            });
        }
        None => {}
    }
    if other.is_some() {
        return Err(Refused::IdentityKept);
    }
    let write = Access::Identify {
        person: person.id,
        identity: identity.clone(),
        at: now.at,
    };
    let events = vec![(themselves(person), linked(person, identity))];
    Ok(changeset_by(vec![write], events, now))
}

/// An identity is a person's no more. Admins do it for everybody, and each for themselves as long as they have
/// another way in, of the `ways` that are open here.
///
/// # Errors
/// [`Refused::NotAnAdmin`], [`Refused::OnlyWay`].
pub fn disconnect(
    person: &Person,
    identity: &Identity,
    another_way: bool,
    ways: &WaysIn,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let is_own = by.is_person(person.id);
    let actor = match is_own {
        true if !another_way => return Err(Refused::OnlyWay),
        true => themselves(person),
        false => by.admin()?,
    };
    let mut writes = vec![Access::Forget {
        person: person.id,
        identity: identity.clone(),
    }];
    if is_own {
        // The other way may be removed in the same moment.
        writes.push(Access::WayRemains {
            person: person.id,
            ways: ways.clone(),
        });
    }
    let payload = Payload::Person(PersonEvent::IdentityUnlinked {
        person: person.into(),
        identity: identity.clone(),
    });
    Ok(changeset_by(writes, vec![(actor, payload)], now))
}

fn linked(person: &Person, identity: &Identity) -> Payload {
    Payload::Person(PersonEvent::IdentityLinked {
        person: person.into(),
        identity: identity.clone(),
    })
}

/// One changeset whose events have causes of their own.
fn changeset_by(writes: Vec<Access>, events: Vec<(Actor, Payload)>, now: Moment<'_>) -> Changeset {
    let events = events
        .into_iter()
        .flat_map(|(actor, payload)| changeset(Vec::new(), actor, vec![payload], now).events);
    let events = events.collect();
    Changeset {
        events,
        ..changeset(writes, Actor::Stranger, Vec::new(), now)
    }
}
