//! Answers: given once, in time, by who may, as they were given, and kept for whoever was told so.

use chrono::{DateTime, Utc};
use domain::{
    Actor, Event, InteractionEvent, InteractionId, PersonId,
    interaction::{Answer, AnswerContent},
    principal::Via,
};
use machine::clock::Clock;
use serde_json::Value;

use super::{Check, Ledger};
use crate::model::{Deed, End, Op, in_words};

type Faults = Vec<(Check, String)>;

pub(super) fn judge(ledger: &mut Ledger<'_>) {
    for id in ledger.ids() {
        let mut faults = Vec::new();
        once(ledger, id, &mut faults);
        ended_in_time(ledger, id, &mut faults);
        as_given(ledger, id, &mut faults);
        told_is_kept(ledger, id, &mut faults);
        stays(ledger, id, &mut faults);
        for (check, what) in faults {
            ledger.found(check, Some(id), what);
        }
    }
}

/// Rule 1.
fn once(ledger: &Ledger<'_>, id: InteractionId, faults: &mut Faults) {
    let story = ledger.story(id);
    let ends: Vec<_> = story.iter().filter(|(_, told)| told.closes()).collect();
    if ends.len() > 1 {
        let seqs: Vec<_> = ends
            .iter()
            .map(|(event, told)| (event.seq, told.event_type()))
            .collect();
        faults.push((
            Check::AnsweredOnce,
            format!("it was closed {} times: {seqs:?}", ends.len()),
        ));
    }
}

/// Rules 4 and 5.
fn ended_in_time(ledger: &Ledger<'_>, id: InteractionId, faults: &mut Faults) {
    let deadline = ledger.story(id).first().and_then(|(_, told)| match told {
        InteractionEvent::Requested { expires_at, .. } => *expires_at,
        _ => None,
    });
    let now = ledger.world.schedule.time.now();
    if let (Some(deadline), Some(row)) = (deadline, ledger.rows.get(&id))
        && row.state.is_pending()
        && deadline <= now
    {
        let late = (now - deadline).num_seconds();
        faults.push((
            Check::DeadlineKept,
            format!("it waits, {late} s after its deadline"),
        ));
    }
    for (event, told) in ledger.story(id) {
        let InteractionEvent::Expired {
            fallback_used,
            answer,
            ..
        } = told
        else {
            continue;
        };
        let early = deadline.is_none_or(|deadline| committed_at(ledger, event) < deadline);
        if early {
            faults.push((
                Check::NotBeforeDeadline,
                format!(
                    "it expired by event {}, and its deadline was {deadline:?}",
                    event.seq
                ),
            ));
        }
        let named = ledger.body_of(id).and_then(|body| body.get("fallback"));
        let is_as_named = match (named, answer) {
            (None, None) => !fallback_used,
            (Some(named), Some(AnswerContent::Text { text })) => {
                named.as_str() == Some(text.as_str())
            }
            (Some(named), Some(AnswerContent::Selected { selected })) => {
                selected.len() == 1 && named.as_str() == Some(selected[0].as_str())
            }
            _ => false,
        };
        if !is_as_named && !ledger.is_erased(id) {
            faults.push((
                Check::FallbackAsNamed,
                format!("it ended with {answer:?}, and the agent named {named:?}"),
            ));
        }
    }
}

/// When it was committed, by the one time that there is.
fn committed_at(ledger: &Ledger<'_>, event: &Event) -> DateTime<Utc> {
    ledger
        .world
        .schedule
        .committed_at(event.seq)
        .unwrap_or(event.at)
}

/// The deeds of this person about it that this event can be of.
fn causes<'a>(ops: &[&'a Op], event: &Event, of: impl Fn(&Deed) -> bool) -> Vec<&'a Op> {
    let in_time = |op: &&&Op| {
        let ended = op
            .ended
            .filter(|_| op.end == End::Done)
            .map_or(i64::MAX, |at| at.seq);
        op.begun.seq < event.seq && event.seq <= ended
    };
    ops.iter()
        .filter(in_time)
        .filter(|op| of(&op.deed))
        .copied()
        .collect()
}

fn answered_by(deed: &Deed, person: PersonId) -> Option<&Value> {
    match deed {
        Deed::Answer {
            person: by, answer, ..
        } if *by == person => Some(answer),
        _ => None,
    }
}

/// Rules 3, 5, 9, 10 and 18, of what a person answered.
fn as_given(ledger: &Ledger<'_>, id: InteractionId, faults: &mut Faults) {
    let ops = ledger.ops_about(id);
    let (team, is_erased) = (ledger.team(id), ledger.is_erased(id));
    for (event, told) in ledger.story(id) {
        let by = match (told, &event.actor) {
            (InteractionEvent::Resolved { answer, .. }, _) if asked_nobody(answer) => continue,
            (InteractionEvent::Resolved { answer, .. }, _) => &answer.responder,
            (
                InteractionEvent::Progressed { .. }
                | InteractionEvent::Approved { .. }
                | InteractionEvent::AnswerRejected { .. },
                Actor::Responder(by),
            ) => by,
            _ => continue,
        };
        let person = PersonId(by.id);
        let causes = causes(&ops, event, |deed| answered_by(deed, person).is_some());
        let may = |op: &&Op| {
            let rights = &ledger.rights;
            rights.ever(person, op.begun.seq, event.seq, |one| one.may_answer(team))
        };
        if by.via != Via::Dashboard || !causes.iter().any(may) {
            faults.push((
                Check::ByWhoMay,
                format!(
                    "{} answered by event {}, and may not, or never did",
                    by.name, event.seq
                ),
            ));
            continue;
        }
        let InteractionEvent::Resolved { answer, .. } = told else {
            continue;
        };
        let deadline = ledger.rows.get(&id).and_then(|row| row.expires_at);
        let begun_at = |op: &&Op| ledger.world.schedule.time.at(op.begun.millis);
        if let Some(deadline) = deadline
            && causes.iter().all(|op| begun_at(op) >= deadline)
        {
            faults.push((
                Check::NotAfterDeadline,
                format!(
                    "event {} is an answer that was begun after the deadline, {deadline}",
                    event.seq
                ),
            ));
        }
        let given = |op: &&Op| {
            answered_by(&op.deed, person).is_some_and(|sent| fits(&ops, event, sent, answer))
        };
        if !is_erased && !causes.iter().any(given) {
            faults.push((
                Check::AnswerAsGiven,
                format!("{} never gave {:?}", by.name, answer.content),
            ));
        }
    }
}

fn asked_nobody(answer: &Answer) -> bool {
    let receipt = answer.receipt.as_ref();
    receipt.is_some_and(|receipt| receipt.decision.asked_nobody())
}

/// Whether this is what was sent, byte for byte.
fn fits(ops: &[&Op], event: &Event, sent: &Value, answer: &Answer) -> bool {
    let text = |name: &str| sent.get(name).and_then(Value::as_str);
    match &answer.content {
        AnswerContent::Text { text: given } => text("text") == Some(given.as_str()),
        AnswerContent::Selected { selected } => {
            sent.get("selected") == Some(&serde_json::json!(selected))
        }
        AnswerContent::Acknowledged => sent.as_object().is_some_and(serde_json::Map::is_empty),
        AnswerContent::Approval {
            approved,
            text: given,
            amended,
        } => {
            sent.get("approved").and_then(Value::as_bool) == Some(*approved)
                && text("feedback") == given.as_deref()
                && sent.get("arguments") == amended.as_ref().map(|amended| &amended.arguments.0)
        }
        AnswerContent::Plan {
            decision, feedback, ..
        } => {
            sent.get("decision") == serde_json::to_value(decision).ok().as_ref()
                && text("feedback") == feedback.as_deref()
        }
        // Several people may have answered some of it each.
        AnswerContent::Form { answers } => {
            let Ok(Value::Object(answers)) = serde_json::to_value(answers) else {
                return false;
            };
            answers.iter().all(|(question, given)| {
                ops.iter()
                    .filter(|op| op.begun.seq < event.seq)
                    .any(|op| match &op.deed {
                        Deed::Answer { answer, .. } => {
                            answer["answers"].get(question) == Some(given)
                        }
                        _ => false,
                    })
            })
        }
    }
}

/// Whoever was told that it is done finds it done; who was told that another was faster finds what they said.
fn told_is_kept(ledger: &Ledger<'_>, id: InteractionId, faults: &mut Faults) {
    let (story, is_erased) = (ledger.story(id), ledger.is_erased(id));
    for op in ledger.ops_about(id) {
        let Some(ended) = op.ended else {
            continue;
        };
        let between = |event: &Event| op.begun.seq < event.seq && event.seq <= ended.seq;
        let any = |of: &dyn Fn(&Event, &InteractionEvent) -> bool| {
            story.iter().any(|(event, told)| of(event, told))
        };
        let is_by = |event: &Event, person: PersonId| matches!(&event.actor, Actor::Responder(by) if by.id == person.0);
        let is_kept = match (&op.deed, &op.end) {
            (Deed::Answer { person, .. }, End::Done) => any(&|event, told| {
                between(event)
                    && is_by(event, *person)
                    && matches!(
                        told,
                        InteractionEvent::Resolved { .. }
                            | InteractionEvent::Progressed { .. }
                            | InteractionEvent::Approved { .. }
                    )
            }),
            (Deed::Answer { person, .. }, End::Refused(why))
                if why.starts_with("already closed") =>
            {
                let end = ledger.rows.get(&id).and_then(|row| row.state.outcome());
                let kept = any(&|event, told| {
                    let too_late = match told {
                        InteractionEvent::AnswerRejected { outcome, .. } => Some(*outcome),
                        _ => None,
                    };
                    between(event) && is_by(event, *person) && too_late.is_some() && too_late == end
                });
                if !kept {
                    let what = format!("no event has it, beside the end {end:?}: {op}");
                    faults.push((Check::LoserIsKept, what));
                }
                continue;
            }
            (_, End::Refused(_) | End::Unknown) => continue,
            (Deed::TakeBack { .. }, _) => any(&|event, told| {
                event.seq <= ended.seq && matches!(told, InteractionEvent::Cancelled { .. })
            }),
            (Deed::Collect { .. }, _) => any(&|event, told| {
                event.seq <= ended.seq
                    && matches!(
                        told,
                        InteractionEvent::Collected {}
                            | InteractionEvent::Consumed(_)
                            | InteractionEvent::Reported { .. }
                    )
            }),
            (Deed::Consume { run, .. }, _) => any(&|event, told| {
                event.seq <= ended.seq
                    && matches!(told, InteractionEvent::Consumed(begun) if begun.run == *run || is_erased)
            }),
            (Deed::Report { .. }, _) => any(&|event, told| {
                event.seq <= ended.seq && matches!(told, InteractionEvent::Reported { .. })
            }),
            (Deed::Claim { person, .. }, _) => any(&|event, told| {
                event.seq <= ended.seq
                    && is_by(event, *person)
                    && matches!(told, InteractionEvent::Claimed { .. })
            }),
            (Deed::FollowUp { .. }, _) => any(&|event, told| {
                between(event) && matches!(told, InteractionEvent::FollowedUp { .. })
            }),
            (Deed::Erase { .. }, _) => ledger.is_erased(id),
            _ => continue,
        };
        if !is_kept {
            faults.push((Check::ToldIsKept, format!("no event has it: {op}")));
        }
    }
}

/// As it was read first, it is in the end.
fn stays(ledger: &Ledger<'_>, id: InteractionId, faults: &mut Faults) {
    let (Some((first, _)), Some(row)) = (ledger.closed.get(&id), ledger.rows.get(&id)) else {
        return;
    };
    let now = in_words(row);
    if *first != now && !ledger.is_erased(id) {
        faults.push((
            Check::NeverChanges,
            format!("it was read as {first}, and is {now}"),
        ));
    }
}
