//! Grants: a person approves the next ones like this ahead (rule 15).

use crate::{
    changeset::{Changeset, Write},
    event::{GrantEvent, NewEvent},
    fault::{Fault, Faults},
    grant::{Grant, GrantDraft, GrantEnd, GrantRecord, GrantWrite, Holder, Scope, Terms, Wanted},
    ids::{AgentId, EventId, GrantId, InteractionId, Moment},
    interaction::{Action, AnswerContent, Ask, Interaction},
    limits,
    matcher::{Exactly, Held, Matcher, destructive, propose},
    principal::{Actor, AgentRef, Principal, Responder},
    refused::Refused,
};

/// A person, or a program that answers, approves the next ones like this approval ahead. `in_force` is how many grants the
/// agent has by now.
///
/// # Errors
/// [`Refused::NotAResponder`], [`Refused::NotSeen`], [`Refused::NotInTeam`], [`Refused::Erased`],
/// [`Refused::NotApproved`], [`Refused::Invalid`], [`Refused::NoKey`].
pub fn make(
    approval: &Interaction,
    draft: GrantDraft,
    by: &Principal,
    in_force: usize,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let (responder, holder) = maker(approval, by)?;
    let action = approved_action(approval)?;
    let mut faults = Faults::default();
    let is_destructive = approval.request.is_destructive() || destructive(action).is_some();
    let bounds = draft.bounds(is_destructive, now.at, &mut faults);
    let session = approval
        .request
        .session_id
        .clone()
        .filter(|_| draft.for_session);
    if draft.for_session && session.is_none() {
        faults.add(
            "for_session",
            "is only possible where the agent named its session",
        );
    }
    if in_force >= limits::GRANTS_PER_AGENT {
        let most = limits::GRANTS_PER_AGENT;
        faults.add(
            "$",
            format!("this agent has {most} grants in force, and may not have more; revoke some"),
        );
    }
    let matcher = match draft.matcher {
        Some(matcher) => matcher,
        None => exactly(action)?,
    };
    if approval.request.is_destructive() && !matcher.is_exact() {
        faults.add(
            "matcher",
            "a policy says that this is destructive, so only exactly this can be approved ahead",
        );
    }
    if let Err(found) = matcher.check(action) {
        found
            .into_iter()
            .for_each(|fault| faults.add(&fault.path, fault.message));
    }
    let bounds = faults.into_result(bounds).map_err(Refused::Invalid)?;
    let bounds = bounds.ok_or_else(|| Refused::Invalid(vec![Fault::required("expires_at")]))?;
    let signer = now.signer.ok_or(Refused::NoKey)?;
    let terms = Terms {
        version: 0,
        statement: String::new(),
        id: GrantId(now.ids.next()),
        agent: approval.agent.clone(),
        team: approval.team.clone(),
        for_session: session.is_some(),
        scope_digest: String::new(),
        made_from: approval.id,
        by: responder.clone(),
        holder,
        made_at: now.at,
        expires_at: bounds.expires_at,
        most: bounds.most,
        public_key: String::new(),
    };
    let grant = Grant::sign(terms, Scope { matcher, session }, signer).ok_or(Refused::NoKey)?;
    let made = GrantEvent::Made(Box::new(grant.terms.clone()));
    let (agent, from) = (approval.agent.id, approval.id);
    let event = event(agent, from, Actor::Responder(responder), made, now);
    let write = GrantWrite::Make(Box::new(grant));
    Ok(changeset(write, event))
}

/// Whether a grant can be made of it, whoever makes it.
pub fn can_be_made_of(approval: &Interaction) -> bool {
    approved_action(approval).is_ok()
}

/// What this person can be offered after an approval, the narrowest first; nothing where they may not make a grant.
pub fn offers(approval: &Interaction, by: &Principal) -> Vec<Matcher> {
    let may_make = maker(approval, by).is_ok();
    let action = approved_action(approval).ok().filter(|_| may_make);
    let mut offers = action.map_or_else(Vec::new, propose);
    offers.retain(|offer| offer.is_exact() || !approval.request.is_destructive());
    offers
}

/// Whoever could answer what a grant covers ends it, for good, at once.
///
/// # Errors
/// [`Refused::NotAResponder`], [`Refused::NotSeen`], [`Refused::NotInTeam`], [`Refused::Unchanged`] when it has ended.
pub fn revoke(record: &GrantRecord, by: &Principal, now: Moment<'_>) -> Result<Changeset, Refused> {
    let terms = &record.grant.terms;
    let responder = by.responder_for(terms.team.as_ref())?;
    if record.ended.is_some() || terms.expires_at <= now.at {
        return Err(Refused::Unchanged);
    }
    let write = GrantWrite::End {
        grant: terms.id,
        at: now.at,
        why: GrantEnd::Revoked,
    };
    let revoked = GrantEvent::Revoked { id: terms.id };
    let actor = Actor::Responder(responder);
    let event = event(terms.agent.id, terms.made_from, actor, revoked, now);
    Ok(changeset(write, event))
}

/// The database was put back; the operator who did that is the actor.
///
/// # Errors
/// [`Refused::Unchanged`] when it has ended.
pub(super) fn end_with_restore(
    record: &GrantRecord,
    actor: &Actor,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let terms = &record.grant.terms;
    if record.ended.is_some() || terms.expires_at <= now.at {
        return Err(Refused::Unchanged);
    }
    let why = GrantEnd::Restored;
    let write = GrantWrite::End {
        grant: terms.id,
        at: now.at,
        why,
    };
    let ended = GrantEvent::Ended { id: terms.id, why };
    let event = event(terms.agent.id, terms.made_from, actor.clone(), ended, now);
    Ok(changeset(write, event))
}

/// The agent's session is over, and with it what was approved for it alone.
///
/// # Errors
/// [`Refused::NotYours`]; [`Refused::Unchanged`] when it has ended, or is for more than a session.
pub fn end_with_session(
    record: &GrantRecord,
    agent: &AgentRef,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let terms = &record.grant.terms;
    if terms.agent.id != agent.id {
        return Err(Refused::NotYours);
    }
    if record.ended.is_some() || !terms.for_session {
        return Err(Refused::Unchanged);
    }
    let why = GrantEnd::SessionEnded;
    let write = GrantWrite::End {
        grant: terms.id,
        at: now.at,
        why,
    };
    let ended = GrantEvent::Ended { id: terms.id, why };
    let actor = Actor::Agent(agent.clone());
    let event = event(agent.id, terms.made_from, actor, ended, now);
    Ok(changeset(write, event))
}

/// The first of an agent's grants that covers what is asked, is in force and is proven ([`Grant::is_proven`]). Anything else
/// reaches a person.
pub fn covering<'a>(
    records: &'a [GrantRecord],
    wanted: &Wanted<'_>,
    is_proven: &dyn Fn(&Grant) -> bool,
    now: Moment<'_>,
) -> Option<&'a GrantRecord> {
    let held = Held::of(wanted.action);
    records.iter().find(|record| {
        let grant = &record.grant;
        record.is_in_force(now.at) && grant.covers_held(wanted, &held) && is_proven(grant)
    })
}

/// Who makes it, and on whose rights it stands. A user of Slack may be nobody who has rights of their own.
fn maker(approval: &Interaction, by: &Principal) -> Result<(Responder, Holder), Refused> {
    let responder = by.responder_for(approval.team.as_ref())?;
    let holder = match by {
        Principal::Person { id, .. } => Holder::Person(*id),
        Principal::Script { id, .. } => Holder::Token(*id),
        Principal::Agent(_) | Principal::SlackUser { .. } | Principal::Operator { .. } => {
            return Err(Refused::NotAResponder);
        }
    };
    Ok((responder, holder))
}

/// The action that a person has approved. Each field is named: what was approved otherwise than it was asked, or by several,
/// must not be passed over here.
fn approved_action(approval: &Interaction) -> Result<&Action, Refused> {
    super::interaction::not_erased(approval)?;
    // Rule 14: what a policy asks about is asked each time, so a grant of it would never be used.
    let is_asked_each_time = approval.ruled().is_some_and(|ruled| ruled.then.is_some());
    let is_by_person =
        approval.approved() == Some(true) && approval.granted().is_none() && !is_asked_each_time;
    match (&approval.request.ask, approval.answer()) {
        (
            Ask::Approval {
                action,
                action_digest: _,
                amendable: _,
                approvals: None,
            },
            Some(AnswerContent::Approval {
                approved: true,
                text: _,
                amended: None,
            }),
            // What was sent with it no grant looks at.
        ) if is_by_person && action.attachments.is_empty() => Ok(action),
        _ => Err(Refused::NotApproved),
    }
}

fn exactly(action: &Action) -> Result<Matcher, Refused> {
    let digest = action
        .digest()
        .map_err(|error| Refused::Invalid(vec![Fault::new("matcher", error.to_string())]))?;
    Ok(Matcher::Exactly(Exactly {
        tool: action.tool.clone(),
        digest,
    }))
}

fn changeset(write: GrantWrite, event: NewEvent) -> Changeset {
    Changeset {
        writes: vec![Write::Grant(write)],
        events: vec![event],
        key: None,
        quota: None,
    }
}

/// It stands in the story of the approval that the grant was made from.
fn event(
    agent: AgentId,
    made_from: InteractionId,
    actor: Actor,
    payload: GrantEvent,
    now: Moment<'_>,
) -> NewEvent {
    NewEvent {
        id: EventId(now.ids.next()),
        salt: now.ids.salt(),
        at: now.at,
        actor,
        agent_id: Some(agent),
        interaction_id: Some(made_from),
        task_id: None,
        payload: payload.into(),
    }
}
