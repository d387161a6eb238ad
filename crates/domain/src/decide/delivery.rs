//! The rules of deliveries: who manages endpoints, and when one is given up.

use chrono::{DateTime, Utc};

use crate::{
    changeset::{Changeset, Write},
    delivery::{
        Delivery, Disabled, DisabledWhy, Endpoint, EndpointRef, Filter, Format, ROTATION, Retry,
        SealedSecret,
    },
    event::{DeliveryEvent, EndpointEvent, NewEvent, Payload},
    fault::Faults,
    ids::{DestinationId, EventId, Moment, TeamId},
    limits,
    principal::{Actor, Principal},
    refused::Refused,
};

/// An endpoint as it is wished for. The caller, who can reach the address, has checked it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEndpoint {
    /// The id it is to have.
    pub id: DestinationId,
    /// See [`Endpoint::name`].
    pub name: String,
    /// See [`Endpoint::url`].
    pub url: String,
    /// See [`Endpoint::filter`].
    pub filter: Filter,
    /// See [`Endpoint::format`].
    pub format: Format,
    /// See [`Endpoint::secret`].
    pub secret: SealedSecret,
}

/// A new endpoint.
///
/// # Errors
/// [`Refused::NotAResponder`], [`Refused::NotAnAdmin`], [`Refused::NotSeen`], [`Refused::Invalid`].
pub fn create(
    new: NewEndpoint,
    by: &Principal,
    now: Moment<'_>,
) -> Result<(Endpoint, Changeset), Refused> {
    let actor = by.outbound()?;
    within(by, &new.filter)?;
    let mut faults = Faults::default();
    let name = faults.line("name", Some(new.name.trim().to_owned()), limits::LINE_CHARS);
    let name = faults.into_result(name).map_err(Refused::Invalid)?;
    let endpoint = Endpoint {
        id: new.id,
        version: 1,
        name: name.unwrap_or_default(),
        url: new.url,
        filter: new.filter,
        format: new.format,
        secret: new.secret,
        previous: None,
        created_at: now.at,
        disabled: None,
        deleted_at: None,
    };
    let payload = Payload::Endpoint(EndpointEvent::Created((&endpoint).into()));
    let created = changeset(endpoint.clone(), actor, payload, now);
    Ok((endpoint, created))
}

/// Rule 18: an endpoint of a team belongs to those who see that team.
fn within(by: &Principal, filter: &Filter) -> Result<(), Refused> {
    match by.audience().sees_all(&filter.teams) {
        true => Ok(()),
        false => Err(Refused::NotSeen),
    }
}

/// The teams it hears of beside what belongs to none. It hears of nothing that happened before.
///
/// # Errors
/// [`Refused::NotAResponder`], [`Refused::NotAnAdmin`], [`Refused::NotSeen`].
pub fn set_teams(
    endpoint: &Endpoint,
    teams: Vec<TeamId>,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.outbound()?;
    within(by, &endpoint.filter)?;
    let mut next = next(endpoint);
    next.filter.teams = teams;
    within(by, &next.filter)?;
    let payload = Payload::Endpoint(EndpointEvent::Changed((&next).into()));
    Ok(changeset(next, actor, payload, now))
}

/// Another address, where it is enabled.
///
/// # Errors
/// [`Refused::NotAResponder`], [`Refused::NotAnAdmin`], [`Refused::NotSeen`].
pub fn move_to(
    endpoint: &Endpoint,
    url: String,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.outbound()?;
    within(by, &endpoint.filter)?;
    let mut next = next(endpoint);
    next.url = url;
    next.disabled = None;
    next.deleted_at = None;
    let payload = Payload::Endpoint(EndpointEvent::Changed((&next).into()));
    Ok(changeset(next, actor, payload, now))
}

/// Another secret. The one before signs as well for a day.
///
/// # Errors
/// [`Refused::NotAResponder`], [`Refused::NotAnAdmin`], [`Refused::NotSeen`].
pub fn rotate(
    endpoint: &Endpoint,
    secret: SealedSecret,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.outbound()?;
    within(by, &endpoint.filter)?;
    let mut next = next(endpoint);
    next.previous = Some((next.secret, now.at + ROTATION));
    next.secret = secret;
    let payload = Payload::Endpoint(EndpointEvent::SecretRotated((&next).into()));
    Ok(changeset(next, actor, payload, now))
}

/// Sends nothing more to it, or sends again. Due deliveries are given up.
///
/// # Errors
/// [`Refused::NotAResponder`], [`Refused::NotAnAdmin`], [`Refused::NotSeen`].
pub fn disable(
    endpoint: &Endpoint,
    disabled: bool,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.outbound()?;
    within(by, &endpoint.filter)?;
    if disabled {
        return Ok(disabled_as(endpoint, DisabledWhy::ByHand, actor, now));
    }
    let mut next = next(endpoint);
    next.disabled = None;
    let payload = Payload::Endpoint(EndpointEvent::Enabled((&next).into()));
    Ok(changeset(next, actor, payload, now))
}

/// Nothing more is sent to an endpoint that is gone, or does nothing but fail. `None` when that is so
/// already.
pub fn give_up(endpoint: &Endpoint, why: DisabledWhy, now: Moment<'_>) -> Option<Changeset> {
    endpoint
        .is_enabled()
        .then(|| disabled_as(endpoint, why, Actor::Delivery, now))
}

/// Takes an endpoint away. Due deliveries are given up.
///
/// # Errors
/// [`Refused::NotAResponder`], [`Refused::NotAnAdmin`], [`Refused::NotSeen`].
pub fn delete(endpoint: &Endpoint, by: &Principal, now: Moment<'_>) -> Result<Changeset, Refused> {
    let actor = by.outbound()?;
    within(by, &endpoint.filter)?;
    let mut next = next(endpoint);
    next.deleted_at = Some(now.at);
    let payload = Payload::Endpoint(EndpointEvent::Deleted((&next).into()));
    Ok(changeset(next, actor, payload, now))
}

/// Sends it something, to see whether it arrives.
///
/// # Errors
/// [`Refused::NotAResponder`], [`Refused::NotAnAdmin`], [`Refused::NotSeen`], [`Refused::EndpointDisabled`].
pub fn test(endpoint: &Endpoint, by: &Principal, now: Moment<'_>) -> Result<Changeset, Refused> {
    let actor = by.outbound()?;
    within(by, &endpoint.filter)?;
    if !endpoint.is_enabled() {
        return Err(Refused::EndpointDisabled);
    }
    let payload = Payload::Endpoint(EndpointEvent::Tested(endpoint.into()));
    Ok(Changeset {
        writes: Vec::new(),
        events: vec![event(actor, payload, now)],
        key: None,
        quota: None,
    })
}

/// Has one delivery tried again, from the beginning of its schedule. `endpoint` is where it goes, if that
/// is one.
///
/// # Errors
/// [`Refused::NotAResponder`], [`Refused::NotAnAdmin`], [`Refused::NotSeen`], [`Refused::EndpointDisabled`],
/// [`Refused::NotToRetry`].
pub fn retry(
    delivery: &Delivery,
    endpoint: Option<&Endpoint>,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.outbound()?;
    if let Some(endpoint) = endpoint {
        within(by, &endpoint.filter)?;
    }
    if endpoint.is_some_and(|endpoint| !endpoint.is_enabled()) {
        return Err(Refused::EndpointDisabled);
    }
    if !delivery.can_be_retried() {
        return Err(Refused::NotToRetry);
    }
    let retry = Retry::One(delivery.id);
    Ok(retried(retry, actor, now))
}

/// Has everything tried again that was made since then and given up, but for deliveries to disabled
/// endpoints.
///
/// # Errors
/// [`Refused::NotAResponder`], [`Refused::NotAnAdmin`], [`Refused::NotSeen`].
pub fn retry_since(
    since: DateTime<Utc>,
    destination: Option<DestinationId>,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let actor = by.outbound()?;
    let retry = Retry::Since { since, destination };
    Ok(retried(retry, actor, now))
}

fn retried(which: Retry, actor: Actor, now: Moment<'_>) -> Changeset {
    Changeset {
        events: vec![event(
            actor,
            Payload::Delivery(DeliveryEvent::Retried(which)),
            now,
        )],
        writes: vec![Write::Retry { which, at: now.at }],
        key: None,
        quota: None,
    }
}

fn disabled_as(endpoint: &Endpoint, why: DisabledWhy, actor: Actor, now: Moment<'_>) -> Changeset {
    let mut next = next(endpoint);
    next.disabled = Some(Disabled { at: now.at, why });
    let payload = Payload::Endpoint(EndpointEvent::Disabled {
        endpoint: EndpointRef::from(&next),
        why,
    });
    changeset(next, actor, payload, now)
}

fn next(endpoint: &Endpoint) -> Endpoint {
    Endpoint {
        version: endpoint.version + 1,
        ..endpoint.clone()
    }
}

fn changeset(endpoint: Endpoint, actor: Actor, payload: Payload, now: Moment<'_>) -> Changeset {
    Changeset {
        writes: vec![Write::Endpoint(endpoint)],
        events: vec![event(actor, payload, now)],
        key: None,
        quota: None,
    }
}

fn event(actor: Actor, payload: Payload, now: Moment<'_>) -> NewEvent {
    NewEvent {
        id: EventId(now.ids.next()),
        salt: now.ids.salt(),
        at: now.at,
        actor,
        agent_id: None,
        interaction_id: None,
        task_id: None,
        payload,
    }
}
