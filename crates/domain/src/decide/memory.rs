//! Answers that stand: a person lets what they answered be given to whoever asks exactly the same, for some days.

use crate::{
    changeset::{Changeset, Write},
    event::{MemoryEvent, NewEvent},
    fault::{Fault, Faults},
    grant::Holder,
    ids::{EventId, InteractionId, MemoryId, Moment},
    interaction::{Answer, AnswerContent, Interaction, Repeatable, State},
    limits,
    memory::{Kept, Memory, MemoryDraft, MemoryEnd, MemoryRecord, MemoryWrite, Repeated, Terms},
    principal::{Actor, AgentRef, Principal, Responder},
    refused::Refused,
};

/// Whoever answered a question lets the answer stand. `in_force` is how many of theirs stand by now.
///
/// # Errors
/// [`Refused::NotAResponder`], [`Refused::NotSeen`], [`Refused::NotInTeam`], [`Refused::Erased`],
/// [`Refused::NothingToKeep`], [`Refused::NotYourAnswer`], [`Refused::Invalid`], [`Refused::NoKey`].
pub fn keep(
    answered: &Interaction,
    draft: MemoryDraft,
    by: &Principal,
    in_force: usize,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let given = given(answered, by)?;
    let mut faults = Faults::default();
    let until = draft.until(now.at, &mut faults);
    if in_force >= limits::MEMORIES {
        let most = limits::MEMORIES;
        faults.add(
            "$",
            format!("{most} of your answers stand, and no more may; revoke some"),
        );
    }
    let until = faults.into_result(until).map_err(Refused::Invalid)?;
    let until = until.ok_or_else(|| Refused::Invalid(vec![Fault::required("days")]))?;
    let signer = now.signer.ok_or(Refused::NoKey)?;
    let terms = Terms {
        version: 0,
        statement: String::new(),
        id: MemoryId(now.ids.next()),
        agent: (!draft.any_agent).then(|| answered.agent.clone()),
        team: answered.team.clone(),
        words_digest: String::new(),
        made_from: answered.id,
        answered_at: given.at,
        by: given.by.clone(),
        holder: given.holder,
        made_at: now.at,
        expires_at: until,
        public_key: String::new(),
    };
    let kept = Kept::new(now.ids.salt(), given.question, given.answer.clone());
    let memory = Memory::sign(terms, kept, signer).ok_or(Refused::NoKey)?;
    let payload = MemoryEvent::Kept(Box::new(memory.terms.clone()));
    let agent = memory.terms.agent.as_ref();
    let event = event(agent, answered.id, Actor::Responder(given.by), payload, now);
    Ok(changeset(MemoryWrite::Keep(Box::new(memory)), event))
}

/// Whether this reader may let the answer to it stand.
pub fn can_be_kept(answered: &Interaction, by: &Principal) -> bool {
    given(answered, by).is_ok()
}

/// Whoever could answer what it answers ends it, for good, at once.
///
/// # Errors
/// [`Refused::NotAResponder`], [`Refused::NotSeen`], [`Refused::NotInTeam`], [`Refused::Unchanged`] when it has ended.
pub fn revoke(
    record: &MemoryRecord,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let terms = &record.memory.terms;
    let responder = by.responder_for(terms.team.as_ref())?;
    if record.ended.is_some() || terms.expires_at <= now.at {
        return Err(Refused::Unchanged);
    }
    let write = MemoryWrite::End {
        memory: terms.id,
        at: now.at,
        why: MemoryEnd::Revoked,
    };
    let payload = MemoryEvent::Revoked { id: terms.id };
    let event = event(
        terms.agent.as_ref(),
        terms.made_from,
        Actor::Responder(responder),
        payload,
        now,
    );
    Ok(changeset(write, event))
}

/// The database was put back; the operator who did that is the actor.
///
/// # Errors
/// [`Refused::Unchanged`] when it has ended.
pub(super) fn end_with_restore(
    record: &MemoryRecord,
    actor: &Actor,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let terms = &record.memory.terms;
    if record.ended.is_some() || terms.expires_at <= now.at {
        return Err(Refused::Unchanged);
    }
    let why = MemoryEnd::Restored;
    let write = MemoryWrite::End {
        memory: terms.id,
        at: now.at,
        why,
    };
    let payload = MemoryEvent::Ended { id: terms.id, why };
    let (agent, actor) = (terms.agent.as_ref(), actor.clone());
    let event = event(agent, terms.made_from, actor, payload, now);
    Ok(changeset(write, event))
}

/// The answer that stands for what is asked, in force and proven ([`Memory::is_proven`]). Where several stand that are not
/// the same, people disagree, and one of them is asked.
pub fn recalled<'a>(
    records: &'a [MemoryRecord],
    asked: &Repeated,
    is_proven: &dyn Fn(&Memory) -> bool,
    now: Moment<'_>,
) -> Option<&'a MemoryRecord> {
    let stands = |record: &&MemoryRecord| {
        record.is_in_force(now.at) && record.memory.answers(asked) && is_proven(&record.memory)
    };
    let mut standing = records.iter().filter(stands);
    let first = standing.next()?;
    let answer = |record: &'a MemoryRecord| record.memory.kept.as_ref().map(|kept| &kept.answer);
    standing
        .all(|other| answer(other) == answer(first))
        .then_some(first)
}

/// An answer of a person, and who gave it.
struct Given<'a> {
    question: Repeatable,
    answer: &'a AnswerContent,
    at: chrono::DateTime<chrono::Utc>,
    by: Responder,
    holder: Holder,
}

fn given<'a>(answered: &'a Interaction, by: &Principal) -> Result<Given<'a>, Refused> {
    let responder = by.responder_for(answered.team.as_ref())?;
    let holder = match by {
        Principal::Person { id, .. } => Holder::Person(*id),
        Principal::Script { id, .. } => Holder::Token(*id),
        // A user of Slack may be nobody who has rights of their own.
        Principal::Agent(_) | Principal::SlackUser { .. } | Principal::Operator { .. } => {
            return Err(Refused::NotAResponder);
        }
    };
    super::interaction::not_erased(answered)?;
    let question = answered.request.repeatable();
    let (Some(question), State::Resolved { answer }, None) =
        (question, &answered.state, answered.remembered())
    else {
        return Err(Refused::NothingToKeep);
    };
    // Each field is named: what else came with an answer is not given again.
    let Answer {
        content,
        responder: author,
        answered_at,
        receipt: _,
        votes: _,
        attachments,
    } = answer;
    // A file is part of one answer alone.
    if !attachments.is_empty() {
        return Err(Refused::NothingToKeep);
    }
    if author.id != responder.id {
        return Err(Refused::NotYourAnswer);
    }
    Ok(Given {
        question,
        answer: content,
        at: *answered_at,
        by: responder,
        holder,
    })
}

fn changeset(write: MemoryWrite, event: NewEvent) -> Changeset {
    Changeset {
        writes: vec![Write::Memory(write)],
        events: vec![event],
        key: None,
        quota: None,
    }
}

/// It stands in the story of the question that was answered. Of an agent it is only where the answer is for that agent.
fn event(
    agent: Option<&AgentRef>,
    made_from: InteractionId,
    actor: Actor,
    payload: MemoryEvent,
    now: Moment<'_>,
) -> NewEvent {
    NewEvent {
        id: EventId(now.ids.next()),
        salt: now.ids.salt(),
        at: now.at,
        actor,
        agent_id: agent.map(|agent| agent.id),
        interaction_id: Some(made_from),
        task_id: None,
        payload: payload.into(),
    }
}
