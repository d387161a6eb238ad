//! The rules of reaches: people add their own, admins may take them away, and what arrives is told once.

use crate::{
    access::{PersonRef, SecretHash},
    changeset::{Changeset, Write},
    delivery::{Reach, ReachEnd, ReachEnded, ReachKind, SealedSecret},
    event::{Event, InteractionEvent, NewEvent, Payload, ReachEvent},
    fault::{Fault, Faults},
    ids::{DeliveryId, DestinationId, EventId, Moment},
    limits,
    principal::{Actor, Principal},
    refused::Refused,
};

/// A reach as it is wished for. The caller, who can reach the address, has checked it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewReach {
    /// The id it is to have.
    pub id: DestinationId,
    /// See [`Reach::kind`].
    pub kind: ReachKind,
    /// See [`Reach::label`].
    pub label: String,
    /// See [`Reach::address`].
    pub address: SealedSecret,
    /// See [`Reach::browser`].
    pub browser: Option<SecretHash>,
}

/// Whether one more message may ask whose address it is, after so many that this person had sent lately.
///
/// # Errors
/// [`Refused::Invalid`].
pub fn may_ask_for_proof(kind: ReachKind, lately: u32) -> Result<(), Refused> {
    if !kind.is_to_be_proven() || lately < limits::PROOFS {
        return Ok(());
    }
    let what = format!(
        "{} messages were sent to addresses that you named in the last hour; try again later",
        limits::PROOFS
    );
    Err(Refused::Invalid(vec![Fault::new("proofs", what)]))
}

/// A new reach of the person who asks for it. `own` are theirs that have not ended, `before` those of this
/// browser, whoever's they are: they end with it.
///
/// # Errors
/// [`Refused::NotSeen`] if the caller is no person, [`Refused::Invalid`].
pub fn add(
    new: NewReach,
    own: &[Reach],
    before: &[Reach],
    by: &Principal,
    now: Moment<'_>,
) -> Result<(Reach, Changeset), Refused> {
    let Principal::Person { id: person, .. } = by else {
        return Err(Refused::NotSeen);
    };
    let mut faults = Faults::default();
    // Without a name it is known by its address.
    let label = Some(new.label.trim().to_owned()).filter(|label| !label.is_empty());
    let label = faults.line("label", label, limits::LABEL_CHARS);
    let label = faults.into_result(label).map_err(Refused::Invalid)?;
    let kept = own
        .iter()
        .filter(|one| !before.iter().any(|ended| ended.id == one.id));
    if kept.count() >= limits::REACHES {
        let fault = Fault::new(
            "kind",
            format!(
                "you have {} ways to be reached; remove one first",
                limits::REACHES
            ),
        );
        return Err(Refused::Invalid(vec![fault]));
    }
    let reach = Reach {
        id: new.id,
        version: 1,
        person: *person,
        kind: new.kind,
        label: label.unwrap_or_default(),
        address: new.address,
        browser: new.browser,
        created_at: now.at,
        proven_at: (!new.kind.is_to_be_proven()).then_some(now.at),
        digest: false,
        ended: None,
    };
    let actor = actor_of(by)?;
    let mut writes = Vec::new();
    let mut events = Vec::new();
    for old in before.iter().filter(|old| old.ended.is_none()) {
        let why = match old.person == *person {
            true => ReachEnd::Removed,
            false => ReachEnd::Taken,
        };
        writes.push(Write::Reach(ended(old, why, now)));
        let payload = ReachEvent::Ended {
            reach: old.named(),
            why,
        };
        events.push(event(actor.clone(), payload, now));
    }
    writes.push(Write::Reach(reach.clone()));
    events.push(event(actor, ReachEvent::Added(reach.named()), now));
    Ok((reach, changeset(writes, events)))
}

/// It leads to this person: they have shown what was sent there.
///
/// # Errors
/// [`Refused::NotSeen`] for others and where it has ended, [`Refused::Unchanged`].
pub fn prove(reach: &Reach, by: &Principal, now: Moment<'_>) -> Result<Changeset, Refused> {
    let actor = owner(reach, by)?;
    if reach.proven_at.is_some() {
        return Err(Refused::Unchanged);
    }
    let next = Reach {
        version: reach.version + 1,
        proven_at: Some(now.at),
        ..reach.clone()
    };
    let told = event(actor, ReachEvent::Proven(reach.named()), now);
    Ok(changeset(vec![Write::Reach(next)], vec![told]))
}

/// Has what can wait come there once an hour as one message, or each by itself.
///
/// # Errors
/// [`Refused::NotSeen`] for others, where it has ended and where each is a message, [`Refused::Unchanged`].
pub fn gather(
    reach: &Reach,
    digest: bool,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = owner(reach, by)?;
    if !reach.kind.gathers() {
        return Err(Refused::NotSeen);
    }
    if reach.digest == digest {
        return Err(Refused::Unchanged);
    }
    let next = Reach {
        version: reach.version + 1,
        digest,
        ..reach.clone()
    };
    let payload = ReachEvent::Changed {
        reach: reach.named(),
        digest,
    };
    let told = event(actor, payload, now);
    Ok(changeset(vec![Write::Reach(next)], vec![told]))
}

/// Takes it away. What is due there is given up.
///
/// # Errors
/// [`Refused::NotSeen`] for others than its person and admins, and where it has ended.
pub fn remove(reach: &Reach, by: &Principal, now: Moment<'_>) -> Result<Changeset, Refused> {
    let actor = match owner(reach, by) {
        Err(_) if reach.ended.is_none() => by.admin().map_err(|_| Refused::NotSeen)?,
        own => own?,
    };
    Ok(end_as(reach, ReachEnd::Removed, actor, now))
}

/// Nothing more is sent to a reach that is gone, or does nothing but fail. `None` when that is so already.
pub fn end(reach: &Reach, why: ReachEnd, now: Moment<'_>) -> Option<Changeset> {
    let is_open = reach.ended.is_none();
    is_open.then(|| end_as(reach, why, Actor::Delivery, now))
}

/// Sends it something, to see whether it arrives.
///
/// # Errors
/// [`Refused::NotSeen`] for others and where it has ended, [`Refused::Unproven`] before it is proven.
pub fn test(reach: &Reach, by: &Principal, now: Moment<'_>) -> Result<Changeset, Refused> {
    let actor = owner(reach, by)?;
    if reach.proven_at.is_none() {
        return Err(Refused::Unproven);
    }
    let told = event(actor, ReachEvent::Tested(reach.named()), now);
    Ok(changeset(Vec::new(), vec![told]))
}

/// The message of this rung that `told` made has arrived where it was sent. It is told once, however often it was sent:
/// the message is delivered with it, by whoever holds its lease.
pub fn reached(
    told: &Event,
    person: PersonRef,
    by: ReachKind,
    rung: u32,
    (message, lease): (DeliveryId, i64),
    now: Moment<'_>,
) -> Changeset {
    let payload = InteractionEvent::Reached { person, by, rung };
    let reached = NewEvent {
        agent_id: told.agent_id,
        interaction_id: told.interaction_id,
        ..event(Actor::Delivery, payload, now)
    };
    let arrived = Write::Arrived {
        message,
        lease,
        at: now.at,
    };
    changeset(vec![arrived], vec![reached])
}

fn end_as(reach: &Reach, why: ReachEnd, actor: Actor, now: Moment<'_>) -> Changeset {
    let payload = ReachEvent::Ended {
        reach: reach.named(),
        why,
    };
    let writes = vec![Write::Reach(ended(reach, why, now))];
    changeset(writes, vec![event(actor, payload, now)])
}

fn ended(reach: &Reach, why: ReachEnd, now: Moment<'_>) -> Reach {
    Reach {
        version: reach.version + 1,
        address: SealedSecret(Vec::new()),
        ended: Some(ReachEnded { at: now.at, why }),
        ..reach.clone()
    }
}

/// The person whose reach it is, if they are who asks; for all others it is not there.
fn owner(reach: &Reach, by: &Principal) -> Result<Actor, Refused> {
    match reach.ended.is_none() && by.is_person(reach.person) {
        true => actor_of(by),
        false => Err(Refused::NotSeen),
    }
}

fn actor_of(by: &Principal) -> Result<Actor, Refused> {
    match by {
        Principal::Person { id, name, .. } => Ok(Actor::Person {
            id: *id,
            name: name.clone(),
        }),
        _ => Err(Refused::NotSeen),
    }
}

fn changeset(writes: Vec<Write>, events: Vec<NewEvent>) -> Changeset {
    Changeset {
        writes,
        events,
        key: None,
        quota: None,
    }
}

fn event(actor: Actor, payload: impl Into<Payload>, now: Moment<'_>) -> NewEvent {
    NewEvent {
        id: EventId(now.ids.next()),
        salt: now.ids.salt(),
        at: now.at,
        actor,
        agent_id: None,
        interaction_id: None,
        task_id: None,
        payload: payload.into(),
    }
}
