//! The rules of access: admins let people and programs in, and people keep their own password.

use crate::{
    access::{
        Access, Lifetime, NewLink, NewSession, PasswordBy, PasswordHash, Person, PersonRef,
        SecretHash, SlackId, Token, TokenKind,
    },
    changeset::{Changeset, Write},
    event::{NewEvent, Payload, PersonEvent, TokenEvent},
    fault::{Fault, Faults},
    ids::{AgentId, EventId, Moment, PersonId, SessionId, TokenId},
    limits,
    principal::{Actor, Principal, Role},
    refused::Refused,
    team::Team,
};

/// A new person, who comes in by the link.
///
/// # Errors
/// [`Refused::NotAnAdmin`], [`Refused::Unproven`], [`Refused::Invalid`].
pub fn invite(
    name: &str,
    role: Role,
    link: NewLink,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.proven_admin(now.at)?;
    let person = newcomer(name, role, now)?;
    let payload = Payload::Person(PersonEvent::Invited((&person).into()));
    let link = Access::Link {
        person: person.id,
        link,
        at: now.at,
        by: None,
    };
    let writes = vec![Access::Person(person), link];
    Ok(changeset(writes, actor, vec![payload], now))
}

/// A person who was not here before.
pub(super) fn newcomer(name: &str, role: Role, now: Moment<'_>) -> Result<Person, Refused> {
    Ok(Person {
        id: PersonId(now.ids.next()),
        version: 1,
        name: checked_name(name)?,
        role,
        invited_at: now.at,
        disabled_at: None,
        slack_id: None,
    })
}

/// A new link for a person who has lost their password, or the last link. Earlier ones end.
///
/// # Errors
/// [`Refused::NotAnAdmin`], [`Refused::Unproven`], [`Refused::Disabled`].
pub fn make_link(
    person: &Person,
    link: NewLink,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.proven_admin(now.at)?;
    if person.disabled_at.is_some() {
        return Err(Refused::Disabled);
    }
    let payload = Payload::Person(PersonEvent::Linked(person.into()));
    let link = Access::Link {
        person: person.id,
        link,
        at: now.at,
        by: Some(actor.clone()),
    };
    Ok(changeset(vec![link], actor, vec![payload], now))
}

/// Another name or role. No person changes their own role, so the last admin stays one.
///
/// # Errors
/// [`Refused::NotAnAdmin`], [`Refused::Yourself`], [`Refused::Invalid`]; [`Refused::Unproven`] for another role.
pub fn change(
    person: &Person,
    name: &str,
    role: Role,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.admin()?;
    if role != person.role && by.is_person(person.id) {
        return Err(Refused::Yourself);
    }
    if role != person.role {
        by.proven_admin(now.at)?;
    }
    let next = Person {
        version: person.version + 1,
        name: checked_name(name)?,
        role,
        ..person.clone()
    };
    let payload = Payload::Person(PersonEvent::Changed((&next).into()));
    let writes = vec![Access::Person(next)];
    Ok(changeset(writes, actor, vec![payload], now))
}

/// Keeps a person out, or lets them in again. No person keeps themselves out. `revoked` are tokens
/// that end with it, since this person may have kept them.
///
/// # Errors
/// [`Refused::NotAnAdmin`], [`Refused::Yourself`].
pub fn disable(
    person: &Person,
    disabled: bool,
    revoked: &[Token],
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.admin()?;
    if by.is_person(person.id) {
        return Err(Refused::Yourself);
    }
    let next = Person {
        version: person.version + 1,
        disabled_at: disabled.then(|| person.disabled_at.unwrap_or(now.at)),
        ..person.clone()
    };
    let about = PersonRef::from(&next);
    let payload = match disabled {
        true => Payload::Person(PersonEvent::Disabled(about)),
        false => Payload::Person(PersonEvent::Enabled(about)),
    };
    let ends = revoked.iter().map(|token| Access::Revoke {
        token: token.id,
        at: now.at,
    });
    let writes = [Access::Person(next)].into_iter().chain(ends).collect();
    let told = revoked
        .iter()
        .cloned()
        .map(|token| TokenEvent::Revoked(token).into());
    let payloads = [payload].into_iter().chain(told).collect();
    Ok(changeset(writes, actor, payloads, now))
}

/// Links a person to a user of Slack, or unlinks them. Admins do it for everybody; for oneself one
/// can only unlink, since a person's word does not prove which user of Slack they are. `holder` is
/// the person who has this Slack id, if there is one.
///
/// # Errors
/// [`Refused::NotAnAdmin`], [`Refused::SlackTaken`], [`Refused::Unchanged`].
pub fn link_slack(
    person: &Person,
    slack_id: Option<SlackId>,
    holder: Option<&Person>,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = match by.admin() {
        Ok(actor) => actor,
        Err(_) if slack_id.is_none() && by.is_person(person.id) => themselves(person),
        Err(refused) => return Err(refused),
    };
    with_slack(person, slack_id, holder, actor, now)
}

/// A person links their own user of Slack. That it is theirs was seen before: they came by the link
/// that only this user was shown.
///
/// # Errors
/// [`Refused::Disabled`], [`Refused::SlackTaken`], [`Refused::Unchanged`].
pub fn claim_slack(
    person: &Person,
    slack_id: SlackId,
    holder: Option<&Person>,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    if person.disabled_at.is_some() {
        return Err(Refused::Disabled);
    }
    with_slack(person, Some(slack_id), holder, themselves(person), now)
}

fn with_slack(
    person: &Person,
    slack_id: Option<SlackId>,
    holder: Option<&Person>,
    actor: Actor,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    if let Some(holder) = holder.filter(|holder| holder.id != person.id) {
        return Err(Refused::SlackTaken {
            by: holder.name.clone(),
        });
    }
    let about = PersonRef::from(person);
    let payload = match (&slack_id, &person.slack_id) {
        (new, old) if new == old => return Err(Refused::Unchanged),
        (Some(slack_id), _) => Payload::Person(PersonEvent::SlackLinked {
            person: about,
            slack_id: slack_id.clone(),
        }),
        (None, Some(slack_id)) => Payload::Person(PersonEvent::SlackUnlinked {
            person: about,
            slack_id: slack_id.clone(),
        }),
        (None, None) => return Err(Refused::Unchanged),
    };
    let next = Person {
        version: person.version + 1,
        slack_id,
        ..person.clone()
    };
    let writes = vec![Access::Person(next)];
    Ok(changeset(writes, actor, vec![payload], now))
}

/// A person who gave their password signs in.
pub fn sign_in(person: &Person, session: NewSession, now: Moment<'_>) -> Changeset {
    let payload = Payload::Person(PersonEvent::SignedIn {
        person: person.into(),
        session: session.id,
        issuer: None,
    });
    let session = Access::SignIn {
        person: person.id,
        version: person.version,
        session,
    };
    changeset(vec![session], themselves(person), vec![payload], now)
}

/// As [`sign_in`], by a password that was seen to fit a moment ago. One that was set meanwhile ends its way in.
pub fn sign_in_by_password(
    person: &Person,
    hash: PasswordHash,
    session: NewSession,
    now: Moment<'_>,
) -> Changeset {
    let mut changeset = sign_in(person, session, now);
    let person = person.id;
    let still = Access::PasswordIs { person, hash };
    changeset.writes.push(Write::Access(still));
    changeset
}

/// A wrong password for a person's name, or for a name no person has. `by` is the person who was
/// signed in where it was given.
pub fn fail_to_sign_in(person: Option<&Person>, by: Option<&Person>, now: Moment<'_>) -> Changeset {
    let payload = Payload::Person(PersonEvent::SignInFailed {
        person: person.map(PersonRef::from),
    });
    let actor = by.map_or(Actor::Stranger, themselves);
    changeset(Vec::new(), actor, vec![payload], now)
}

/// A person signs browsers of theirs out.
pub fn sign_out(person: &Person, sessions: Vec<SessionId>, now: Moment<'_>) -> Changeset {
    let payload = Payload::Person(PersonEvent::SignedOut {
        person: person.into(),
        sessions: sessions.clone(),
    });
    let ended = Access::SignOut {
        person: person.id,
        sessions,
    };
    changeset(vec![ended], themselves(person), vec![payload], now)
}

/// A person leaves all their browsers, of which `known` are those that there were when it was decided.
pub(super) fn sign_out_all(
    person: &Person,
    known: Vec<SessionId>,
    by: &Actor,
) -> (Access, Option<(Actor, Payload)>) {
    let told = (!known.is_empty()).then(|| {
        let payload = PersonEvent::SignedOut {
            person: person.into(),
            sessions: known,
        };
        (by.clone(), Payload::Person(payload))
    });
    (Access::SignOutAll { person: person.id }, told)
}

/// A person sets their own password. Whether it is a good one was seen before it was hashed.
pub fn set_password(
    person: &Person,
    hash: PasswordHash,
    by: PasswordBy,
    now: Moment<'_>,
) -> Changeset {
    let actor = themselves(person);
    let mut payloads = vec![Payload::Person(PersonEvent::PasswordSet(person.into()))];
    if let PasswordBy::Link { session, .. } = &by {
        payloads.push(Payload::Person(PersonEvent::SignedIn {
            person: person.into(),
            session: session.id,
            issuer: None,
        }));
    }
    let password = Access::Password {
        person: person.id,
        version: person.version,
        hash,
        by,
    };
    changeset(vec![password], actor, payloads, now)
}

/// What an admin says of a token that is to be made.
#[derive(Clone, Debug)]
pub struct NewToken<'a> {
    /// Whom it is to speak for.
    pub kind: TokenKind,
    /// The agent's or the script's name.
    pub name: &'a str,
    /// The agent of this name, if there is one.
    pub agent: Option<AgentId>,
    /// How long it is good.
    pub lifetime: Lifetime,
    /// The teams that it answers for, if it answers.
    pub teams: &'a [Team],
    /// The person whom the agent belongs to, if it belongs to one.
    pub owner: Option<&'a Person>,
}

/// A token.
///
/// # Errors
/// [`Refused::NotAnAdmin`], [`Refused::Unproven`], [`Refused::TeamDeleted`], [`Refused::Invalid`]; so also when the owner
/// is disabled, or a script's.
pub fn create_token(
    new: &NewToken<'_>,
    hash: SecretHash,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.proven_admin(now.at)?;
    if new.teams.iter().any(|team| team.deleted_at.is_some()) {
        return Err(Refused::TeamDeleted);
    }
    if new.kind == TokenKind::Agent && !new.teams.is_empty() {
        let fault = Fault::new(
            "team",
            "an agent's team is its home, which is set by itself",
        );
        return Err(Refused::Invalid(vec![fault]));
    }
    if new.kind == TokenKind::Responder && new.owner.is_some() {
        return Err(of_a_script());
    }
    let token = Token {
        id: TokenId(now.ids.next()),
        kind: new.kind,
        name: checked_name(new.name)?,
        agent_id: match new.kind {
            TokenKind::Agent => Some(new.agent.unwrap_or_else(|| AgentId(now.ids.next()))),
            TokenKind::Responder => None,
        },
        expires_at: new
            .lifetime
            .end(now.at)
            .map_err(|fault| Refused::Invalid(vec![fault]))?,
        teams: new.teams.iter().map(|team| team.id).collect(),
        owner: new.owner.map(checked_owner).transpose()?,
    };
    let payload = Payload::Token(TokenEvent::Created(token.clone()));
    let token = Access::Token {
        token,
        hash,
        at: now.at,
        by: actor.clone(),
    };
    Ok(changeset(vec![token], actor, vec![payload], now))
}

/// Gives an agent's token another owner, or none. Rule 16 will rest on owners, so an open browser is not enough.
///
/// # Errors
/// [`Refused::NotAnAdmin`], [`Refused::Unproven`], [`Refused::Unchanged`]; [`Refused::Invalid`] when the
/// token is a script's, or the owner disabled.
pub fn change_owner(
    token: &Token,
    owner: Option<&Person>,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.proven_admin(now.at)?;
    if token.kind == TokenKind::Responder {
        return Err(of_a_script());
    }
    if owner.map(|person| person.id) == token.owner {
        return Err(Refused::Unchanged);
    }
    let owner = owner.map(checked_owner).transpose()?;
    let token = Token {
        owner,
        ..token.clone()
    };
    let owned = Access::Own {
        token: token.id,
        owner,
    };
    let payload = Payload::Token(TokenEvent::OwnerChanged(token));
    Ok(changeset(vec![owned], actor, vec![payload], now))
}

fn checked_owner(owner: &Person) -> Result<PersonId, Refused> {
    match owner.disabled_at {
        None => Ok(owner.id),
        Some(_) => Err(owner_fault("is disabled; name a person who can come in")),
    }
}

fn of_a_script() -> Refused {
    owner_fault("is for tokens of agents: a script belongs to nobody")
}

fn owner_fault(message: &str) -> Refused {
    Refused::Invalid(vec![Fault::new("owner", message)])
}

/// A token's end.
///
/// # Errors
/// [`Refused::NotAnAdmin`].
pub fn revoke_token(token: &Token, by: &Principal, now: Moment<'_>) -> Result<Changeset, Refused> {
    let actor = by.admin()?;
    let payload = Payload::Token(TokenEvent::Revoked(token.clone()));
    let revoked = Access::Revoke {
        token: token.id,
        at: now.at,
    };
    Ok(changeset(vec![revoked], actor, vec![payload], now))
}

pub(super) fn themselves(person: &Person) -> Actor {
    Actor::Person {
        id: person.id,
        name: person.name.clone(),
    }
}

/// A name others will see, trimmed.
pub(super) fn checked_name(name: &str) -> Result<String, Refused> {
    let mut faults = Faults::default();
    let name = faults.line("name", Some(name.trim().to_owned()), limits::LINE_CHARS);
    faults
        .into_result(name.unwrap_or_default())
        .map_err(Refused::Invalid)
}

pub(super) fn changeset(
    writes: Vec<Access>,
    actor: Actor,
    payloads: Vec<Payload>,
    now: Moment<'_>,
) -> Changeset {
    let events = payloads.into_iter().map(|payload| NewEvent {
        id: EventId(now.ids.next()),
        salt: now.ids.salt(),
        at: now.at,
        actor: actor.clone(),
        agent_id: None,
        interaction_id: None,
        task_id: None,
        payload,
    });
    Changeset {
        writes: writes.into_iter().map(Write::Access).collect(),
        events: events.collect(),
        key: None,
        quota: None,
    }
}
