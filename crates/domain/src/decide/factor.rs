//! The rules of second factors: people add and remove their own, after they have given their password lately;
//! admins take away those of others, who have lost them.

use super::access::{changeset, checked_name, sign_out_all, themselves};
use crate::{
    access::{
        Access, Person, SecretHash, WaysIn,
        factor::{Factor, FactorChange, FactorKind, FactorSecret, Shown},
    },
    changeset::{Changeset, Write},
    event::{Payload, PersonEvent},
    fault::Fault,
    ids::{FactorId, Moment, SessionId},
    limits,
    principal::Principal,
    refused::Refused,
};

/// A factor that its owner has just shown to work.
#[derive(Clone, Debug)]
pub struct NewFactor {
    /// Its id: its secret was sealed for it.
    pub id: FactorId,
    /// What its owner calls it.
    pub name: String,
    /// What it is checked with.
    pub secret: FactorSecret,
    /// The step of the code by which an app was shown to work; it is used up by that.
    pub used: i64,
}

/// A person who is signed in adds a factor to those they have. `codes` are recovery codes, for the first one.
///
/// # Errors
/// [`Refused::Unproven`], [`Refused::Invalid`].
pub fn add(
    person: &Person,
    had: &[Factor],
    new: NewFactor,
    codes: Vec<SecretHash>,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    by.proven_as(person.id, now.at)?;
    added(person, had, new, codes, now)
}

/// A person who may come in only with a factor, and has none, adds the first.
///
/// # Errors
/// [`Refused::Unproven`] when they have one by now, [`Refused::Invalid`].
pub fn add_on_the_way_in(
    person: &Person,
    had: &[Factor],
    new: NewFactor,
    codes: Vec<SecretHash>,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    match had {
        [] => added(person, had, new, codes, now),
        _ => Err(Refused::Unproven),
    }
}

fn added(
    person: &Person,
    had: &[Factor],
    new: NewFactor,
    codes: Vec<SecretHash>,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    if had.len() >= limits::FACTORS {
        let fault = format!("you have {}, as many as one may have", had.len());
        return Err(Refused::Invalid(vec![Fault::new("$", fault)]));
    }
    let factor = Factor {
        id: new.id,
        person: person.id,
        name: checked_name(&new.name)?,
        secret: new.secret,
        used: new.used,
        added_at: now.at,
        used_at: None,
    };
    let mut payloads = vec![PersonEvent::FactorAdded {
        person: person.into(),
        factor: (&factor).into(),
    }];
    let first = had.is_empty();
    let mut changes = vec![FactorChange::Add { factor, first }];
    if first {
        payloads.push(PersonEvent::RecoveryCodesMade(person.into()));
        changes.push(FactorChange::Codes { codes });
    }
    Ok(changed(person, changes, payloads, themselves(person), now))
}

/// A factor that is to go, and what its owner has besides.
#[derive(Clone, Debug)]
pub struct Removal<'a> {
    /// Which.
    pub factor: &'a Factor,
    /// How many they have, with it.
    pub had: usize,
    /// Whether people of their role have to have one.
    pub needed: bool,
    /// Whether they could come in without it.
    pub another_way: bool,
    /// The ways in that are open here.
    pub ways: WaysIn,
}

/// A person removes a factor of theirs.
///
/// # Errors
/// [`Refused::Unproven`], [`Refused::FactorNeeded`], [`Refused::OnlyWay`].
pub fn remove(
    person: &Person,
    removal: Removal<'_>,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    by.proven_as(person.id, now.at)?;
    let Removal {
        factor,
        had,
        needed,
        another_way,
        ways,
    } = removal;
    if needed && had <= 1 {
        return Err(Refused::FactorNeeded);
    }
    if !another_way {
        return Err(Refused::OnlyWay);
    }
    let payload = PersonEvent::FactorRemoved {
        person: person.into(),
        factor: factor.into(),
    };
    let change = FactorChange::Remove { factor: factor.id };
    let actor = themselves(person);
    let mut removed = changed(person, vec![change], vec![payload], actor, now);
    // Others may be removed in the same moment, each decided while the others were there.
    let person = person.id;
    if needed {
        let rest = Access::FactorRemains { person };
        removed.writes.push(Write::Access(rest));
    }
    if factor.secret.kind() == FactorKind::Passkey {
        let rest = Access::WayRemains { person, ways };
        removed.writes.push(Write::Access(rest));
    }
    Ok(removed)
}

/// New recovery codes for a person, in place of those so far.
///
/// # Errors
/// [`Refused::Unproven`]; [`Refused::Unchanged`] when they have no factor to recover.
pub fn make_codes(
    person: &Person,
    had: &[Factor],
    codes: Vec<SecretHash>,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    by.proven_as(person.id, now.at)?;
    if had.is_empty() {
        return Err(Refused::Unchanged);
    }
    let payload = PersonEvent::RecoveryCodesMade(person.into());
    let change = FactorChange::Codes { codes };
    Ok(changed(
        person,
        vec![change],
        vec![payload],
        themselves(person),
        now,
    ))
}

/// Takes all factors of a person who has lost them away, and signs them out everywhere. Nobody does so for
/// themselves: they remove what they can show.
///
/// # Errors
/// [`Refused::NotAnAdmin`], [`Refused::Unproven`], [`Refused::Yourself`]; [`Refused::Unchanged`] when they have none.
pub fn reset(
    person: &Person,
    had: &[Factor],
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.proven_admin(now.at)?;
    if by.is_person(person.id) {
        return Err(Refused::Yourself);
    }
    if had.is_empty() {
        return Err(Refused::Unchanged);
    }
    let payload = PersonEvent::FactorsReset(person.into());
    let changes = vec![FactorChange::Reset];
    Ok(changed(person, changes, vec![payload], actor, now))
}

/// A person comes in, by `entry`, and has shown a factor on the way.
pub fn shown(person: &Person, shown: Shown, entry: Changeset, now: Moment<'_>) -> Changeset {
    let (change, factor) = match shown {
        Shown::App { factor, step } => (used(&factor, step, None, now), Some((&factor).into())),
        Shown::Passkey { factor, json } => (
            used(&factor, factor.used + 1, Some(json), now),
            Some((&factor).into()),
        ),
        Shown::Recovery { code } => (FactorChange::UseCode { code }, None),
    };
    let payload = PersonEvent::FactorUsed {
        person: person.into(),
        factor,
    };
    let used = changed(person, vec![change], vec![payload], themselves(person), now);
    together(used, entry)
}

/// A person who needs a factor from now on, since an admin has `changed` their role, and has none leaves all their browsers,
/// of which `known` are those that there were.
///
/// # Errors
/// [`Refused::NotAnAdmin`].
pub fn short_of_one(
    person: &Person,
    known: Vec<SessionId>,
    changed: Changeset,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.admin()?;
    let (leaves, told) = sign_out_all(person, known, &actor);
    let payloads = told.into_iter().map(|(_, payload)| payload);
    let left = changeset(vec![leaves], actor, payloads.collect(), now);
    Ok(together(changed, left))
}

/// What is decided first and what follows from it, kept together or not at all.
pub fn together(mut first: Changeset, then: Changeset) -> Changeset {
    first.writes.extend(then.writes);
    first.events.extend(then.events);
    first
}

fn used(factor: &Factor, used: i64, json: Option<String>, now: Moment<'_>) -> FactorChange {
    FactorChange::Use {
        factor: factor.id,
        used,
        json,
        at: now.at,
    }
}

fn changed(
    person: &Person,
    changes: Vec<FactorChange>,
    events: Vec<PersonEvent>,
    actor: crate::principal::Actor,
    now: Moment<'_>,
) -> Changeset {
    let writes = changes.into_iter().map(|change| Access::Factor {
        person: person.id,
        change,
    });
    let payloads = events.into_iter().map(Payload::Person);
    changeset(writes.collect(), actor, payloads.collect(), now)
}
