//! A grant that a person is offered, since they have approved the same again and again. It is only ever offered (rule 20).

use chrono::{DateTime, Utc};

use super::grant::{can_be_made_of, offers};
use crate::{
    ids::{InteractionId, Moment, PersonId},
    interaction::{Ask, Interaction, Outcome, Request, State},
    limits::{SUGGESTED_AFTER, SUGGESTED_WITHIN},
    matcher::Matcher,
    principal::Principal,
};

/// What a person is offered after an approval.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    /// The narrowest that covers all that it rests on.
    pub matcher: Matcher,
    /// How many approvals it rests on.
    pub count: usize,
    /// When the first of them was given.
    pub since: DateTime<Utc>,
}

/// The grant that this person is offered after this approval of theirs. `equal` are approvals that are the same to a person
/// ([`Request::alike`]), of the same agent and team, with this one, and it has to be their newest. Approvals of others and by
/// grants do not count; one denial, by whomever, starts the count anew, and so does an approval of something else than was
/// asked. What is destructive is never offered.
///
/// That it is offered once is not seen here: the store knows.
pub fn suggested(
    approval: &Interaction,
    equal: &[Interaction],
    by: &Principal,
    is_destructive: &dyn Fn(&Request) -> bool,
    now: Moment<'_>,
) -> Option<Suggestion> {
    let Principal::Person { id, .. } = by else {
        return None;
    };
    let proposals = offers(approval, by);
    let group = approval.request.alike()?;
    let is_equal = |one: &&Interaction| {
        one.agent.id == approval.agent.id
            && one.team_id() == approval.team_id()
            && one.request.alike() == Some(group)
    };
    let mut newest: Vec<_> = equal
        .iter()
        .filter(is_equal)
        .filter_map(|one| Some((one.state.closed_at()?, one)))
        .filter(|(closed_at, _)| *closed_at >= now.at - SUGGESTED_WITHIN)
        .collect();
    newest.sort_by_key(|(closed_at, one)| std::cmp::Reverse((*closed_at, one.id)));
    let mut theirs = Vec::new();
    for (closed_at, one) in newest {
        match says(one, *id) {
            Says::Nothing => {}
            Says::Anew => break,
            Says::Yes => theirs.push((closed_at, one)),
        }
        if theirs.len() == SUGGESTED_AFTER {
            break;
        }
    }
    let (since, _) = theirs.get(SUGGESTED_AFTER - 1)?;
    let is_newest = theirs.first().is_some_and(|(_, one)| one.id == approval.id);
    let all = || theirs.iter().map(|(_, one)| &one.request);
    if !is_newest || all().any(is_destructive) {
        return None;
    }
    let covers_all = |matcher: &Matcher| {
        all().all(|request| match &request.ask {
            Ask::Approval { action, .. } => matcher.matches(action),
            _ => false,
        })
    };
    Some(Suggestion {
        matcher: proposals.into_iter().find(covers_all)?,
        count: theirs.len(),
        since: *since,
    })
}

/// The same before the next one like it is decided, and the approval after which it is offered: whoever goes from one question
/// to the next does not look back at what they have approved. Only where the grant would cover this one too.
pub fn suggested_before(
    asked: &Interaction,
    equal: &[Interaction],
    by: &Principal,
    is_destructive: &dyn Fn(&Request) -> bool,
    now: Moment<'_>,
) -> Option<(InteractionId, Suggestion)> {
    let Principal::Person { id, .. } = by else {
        return None;
    };
    if !asked.state.is_pending() || is_destructive(&asked.request) {
        return None;
    }
    let Ask::Approval { action, .. } = &asked.request.ask else {
        return None;
    };
    let group = asked.request.alike()?;
    let theirs = equal.iter().filter(|one| {
        one.agent.id == asked.agent.id
            && one.team_id() == asked.team_id()
            && one.request.alike() == Some(group)
            && matches!(says(one, *id), Says::Yes)
    });
    let newest = theirs.max_by_key(|one| (one.state.closed_at(), one.id))?;
    let found = suggested(newest, equal, by, is_destructive, now)?;
    found.matcher.matches(action).then_some((newest.id, found))
}

/// What the end of an approval says of the next ones.
enum Says {
    Yes,
    Anew,
    Nothing,
}

fn says(one: &Interaction, person: PersonId) -> Says {
    let State::Resolved { answer } = &one.state else {
        return Says::Nothing;
    };
    match one.state.outcome() {
        Some(Outcome::Denied) => Says::Anew,
        // Who changed something first did not simply agree.
        Some(Outcome::Approved) if one.amended().is_some() => Says::Anew,
        Some(Outcome::Approved) if answer.responder.id == person.0 && can_be_made_of(one) => {
            Says::Yes
        }
        _ => Says::Nothing,
    }
}
