//! The journal of one interaction as steps of a timeline.

use app::view::{Progress, Step, What, harmless};
use chrono::{DateTime, Utc};
use domain::{
    Actor, Event, GrantEvent, Interaction, InteractionEvent, MemoryEvent, Payload, TaskEvent, Via,
    interaction::{Answer, Ask, Outcome, Ruled, Unclaimed, Whom},
    ladder::{HeldWhy, Told},
    task::TaskStatus,
    time::words,
};

use super::blocker::persons_answer;

/// Every event of the interaction, in order.
pub(super) fn steps(
    interaction: &Interaction,
    events: impl IntoIterator<Item = Event>,
) -> Vec<Step> {
    events
        .into_iter()
        .filter_map(|event| step(interaction, event))
        .collect()
}

fn step(interaction: &Interaction, event: Event) -> Option<Step> {
    let ask = &interaction.request.ask;
    let whose = claimed_by(&event);
    let ended_for = ended_for(&event);
    // The sentence is about whom it arrived at, not about what sent it.
    let reached = match &event.payload {
        Payload::Interaction(
            InteractionEvent::Reached { person, .. } | InteractionEvent::SummedUp { person, .. },
        ) => Some(person.name.clone()),
        _ => None,
    };
    let after = matches!(
        &event.payload,
        Payload::Interaction(
            InteractionEvent::Reached { .. }
                | InteractionEvent::Seen { .. }
                | InteractionEvent::Climbed { rung: 1.., .. }
        )
    );
    let (what, text) = match event.payload {
        Payload::Interaction(event) => of_interaction(ask, event),
        Payload::Task(event) => of_task(event),
        Payload::Grant(GrantEvent::Made(terms)) => {
            let until = terms.expires_at.format("Until %Y-%m-%d %H:%M UTC");
            (What::GrantMade, Some(until.to_string()))
        }
        Payload::Grant(GrantEvent::Revoked { .. }) => (What::GrantRevoked, None),
        Payload::Grant(GrantEvent::Ended { why, .. }) => {
            (What::GrantEnded, Some(why.in_words().to_owned()))
        }
        Payload::Memory(MemoryEvent::Kept(terms)) => {
            let until = terms.expires_at.format("Until %Y-%m-%d %H:%M UTC");
            (What::MemoryKept, Some(until.to_string()))
        }
        Payload::Memory(MemoryEvent::Revoked { .. }) => (What::MemoryRevoked, None),
        Payload::Memory(MemoryEvent::Ended { why, .. }) => {
            (What::MemoryEnded, Some(why.in_words().to_owned()))
        }
        Payload::Person(_)
        | Payload::Token(_)
        | Payload::Team(_)
        | Payload::Duty(_)
        | Payload::Endpoint(_)
        | Payload::Delivery(_)
        | Payload::Ladder(_)
        | Payload::Policy(_)
        | Payload::Journal(_)
        | Payload::Reach(_) => {
            return None;
        }
    };
    // A blank is no answer that a person gave (rule 9); names stay.
    let stays = interaction.erased.is_none()
        || matches!(
            what,
            What::Moved
                | What::Claimed
                | What::GivenUp
                | What::Climbed { .. }
                | What::Granted
                | What::GrantMade
                | What::GrantEnded
                | What::Remembered
                | What::MemoryKept
                | What::MemoryEnded
                | What::AskedUnder
                | What::Ruled(_)
        );
    let text = text.or(ended_for).filter(|_| stays);
    Some(Step {
        at: event.at,
        by: whose
            .or(reached)
            .or_else(|| event.actor.name().map(str::to_owned)),
        via: via(&event.actor),
        what,
        text,
        after: after.then(|| words(event.at - interaction.created_at)),
    })
}

/// Whose claim ran out: the clock, which ends it, has no name.
fn claimed_by(event: &Event) -> Option<String> {
    match &event.payload {
        Payload::Interaction(InteractionEvent::Released {
            by,
            why: Unclaimed::RanOut,
        }) => Some(by.name.clone()),
        _ => None,
    }
}

/// Whose claim an admin ended or took over.
fn ended_for(event: &Event) -> Option<String> {
    match (&event.payload, &event.actor) {
        (
            Payload::Interaction(InteractionEvent::Released {
                by,
                why: Unclaimed::GivenUp,
            }),
            Actor::Responder(actor),
        ) if actor.id != by.id => Some(harmless(&by.name)),
        (
            Payload::Interaction(InteractionEvent::Claimed {
                taken_from: Some(by),
                ..
            }),
            _,
        ) => Some(harmless(&by.name)),
        _ => None,
    }
}

fn of_interaction(ask: &Ask, event: InteractionEvent) -> (What, Option<String>) {
    match event {
        InteractionEvent::Requested { request, .. } => match ruled(request.ruled.as_deref()) {
            Some(lines) => (What::AskedUnder, Some(lines)),
            None => (What::Asked, None),
        },
        InteractionEvent::Notified { .. } => (What::Told, None),
        InteractionEvent::Moved { team } => (What::Moved, Some(team.name)),
        InteractionEvent::Claimed { .. } => (What::Claimed, None),
        InteractionEvent::Released { why, .. } => match why {
            Unclaimed::RanOut => (What::RanOut, None),
            Unclaimed::GivenUp => (What::GivenUp, None),
        },
        InteractionEvent::HandedOver { whom, team, why } => {
            let to = match (whom, team) {
                (Whom::Person { name, .. }, _) => name,
                (_, Some(team)) => team.name,
                (Whom::Duty, None) => "the person on duty".to_owned(),
                (Whom::Team, None) => "all of the team".to_owned(),
            };
            let why = why.map_or_else(String::new, |why| format!(": {why}"));
            (What::HandedOver, Some(format!("To {to}{why}")))
        }
        InteractionEvent::Progressed { answers } => {
            let of = match ask {
                Ask::Form { questions } => questions.len(),
                _ => 0,
            };
            let answered = answers.len();
            (What::Progressed(Progress { answered, of }), None)
        }
        InteractionEvent::Approved { votes } => {
            let of = match ask {
                Ask::Approval {
                    approvals: Some(quorum),
                    ..
                } => quorum.needed as usize,
                _ => 0,
            };
            let answered = votes.len();
            let said = votes.into_iter().next_back().and_then(|vote| vote.text);
            (What::Approved(Progress { answered, of }), said)
        }
        InteractionEvent::Resolved { outcome, answer } => {
            let (granted, rule) = (grant_of(&answer), policy_of(&answer));
            match (granted, rule, remembered_of(&answer)) {
                (Some(made), _, _) => (What::Granted, Some(made)),
                (None, Some(rule), _) => (What::Ruled(outcome), Some(rule)),
                (None, None, Some(given)) => (What::Remembered, Some(given)),
                (None, None, None) => (
                    What::Closed(outcome),
                    Some(persons_answer(&answer.content, ask)),
                ),
            }
        }
        InteractionEvent::Expired {
            outcome, answer, ..
        } => (
            What::Closed(outcome),
            answer.map(|answer| persons_answer(&answer, ask)),
        ),
        InteractionEvent::Cancelled { reason, .. } => (What::Closed(Outcome::Cancelled), reason),
        InteractionEvent::AnswerRejected { answer, .. } => {
            (What::AnswerRejected, Some(persons_answer(&answer, ask)))
        }
        InteractionEvent::Collected {} => (What::Collected, None),
        InteractionEvent::Consumed(consumed) => (What::Consumed, Some(consumed.run)),
        InteractionEvent::Reported { outcome, text } => (What::Reported(outcome), text),
        InteractionEvent::CalledBack {} => (What::CalledBack, None),
        InteractionEvent::Posted(_) => (What::Posted, None),
        InteractionEvent::AgentOffline {} => (What::AgentOffline, None),
        InteractionEvent::FollowedUp { text } => (What::FollowedUp, Some(text)),
        InteractionEvent::ReplyEdited { text } => (What::ReplyEdited, Some(text)),
        InteractionEvent::Remarked { text, why } => (What::Remarked(why), Some(text)),
        InteractionEvent::Reached { by, .. } => (What::Reached(by), None),
        InteractionEvent::Climbed {
            rung, told, others, ..
        } => (What::Climbed { rung }, Some(climbed(&told, others))),
        InteractionEvent::SummedUp { others, .. } => (What::SummedUp { others }, None),
        InteractionEvent::Seen { .. } => (What::Seen, None),
        InteractionEvent::Erased(_) => (What::Erased, None),
    }
}

/// The day on which the standing approval was made that an answer rests on, if it rests on one.
pub(super) fn grant_of(answer: &Answer) -> Option<String> {
    let granted = answer.receipt.as_ref()?.decision.grant?;
    Some(day_of(granted.made_at))
}

/// As people say it of what was not long ago.
pub(super) fn day_of(at: DateTime<Utc>) -> String {
    at.format("%A, %-d %B").to_string()
}

/// The day on which the answer was given that an answer rests on, if it rests on one.
fn remembered_of(answer: &Answer) -> Option<String> {
    let remembered = answer.receipt.as_ref()?.decision.remembered?;
    Some(day_of(remembered.answered_at))
}

/// The rule that an answer rests on, if it rests on one.
pub(super) fn policy_of(answer: &Answer) -> Option<String> {
    let policy = answer.receipt.as_ref()?.decision.policy.as_ref()?;
    Some(harmless(&policy.rule))
}

/// What the policies said when it was asked: a line for each rule.
fn ruled(ruled: Option<&Ruled>) -> Option<String> {
    let lines = ruled?.lines();
    let lines: Vec<_> = lines.iter().map(|line| harmless(line)).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Who was told by what, who is told later, and who cannot be.
fn climbed(told: &[Told], others: u32) -> String {
    let mut lines: Vec<_> = told.iter().map(line_of).collect();
    match others {
        0 if told.is_empty() => lines.push("No person who may answer it can come in".to_owned()),
        0 => {}
        1 => lines.push("1 other".to_owned()),
        many => lines.push(format!("{many} others")),
    }
    lines.join("\n")
}

fn line_of(told: &Told) -> String {
    let name = &told.person.name;
    let mention = told.mentioned_in.as_ref().map(|_| "a mention in Slack");
    let ways = told.by.iter().map(|way| way.name());
    let ways: Vec<_> = ways.chain(mention).collect();
    match &told.held {
        Some(held) => {
            let why = match held.why {
                HeldWhy::Quiet => "quiet hours",
                HeldWhy::Many => "many messages already",
                HeldWhy::Snoozed => "snoozed",
            };
            let until = held.until.format("%Y-%m-%d %H:%M");
            format!("{name}: later, {until} UTC ({why})")
        }
        None if ways.is_empty() => format!("{name}: no way to be reached"),
        None => format!("{name}: {}", ways.join(", ")),
    }
}

fn of_task(event: TaskEvent) -> (What, Option<String>) {
    match event {
        TaskEvent::Waiting(_) => (What::TaskWaiting, None),
        TaskEvent::Running(_) => (What::TaskRunning, None),
        TaskEvent::Failed(task) => (What::TaskFailed, reason(task.status)),
        TaskEvent::Done(_) => (What::TaskDone, None),
    }
}

fn reason(status: TaskStatus) -> Option<String> {
    match status {
        TaskStatus::Failed { reason } => reason,
        TaskStatus::Running | TaskStatus::Waiting | TaskStatus::Done => None,
    }
}

fn via(actor: &Actor) -> Option<Via> {
    match actor {
        Actor::Agent(_) => Some(Via::Api),
        Actor::Responder(responder) => Some(responder.via),
        Actor::Person { .. }
        | Actor::Operator { .. }
        | Actor::Provider { .. }
        | Actor::Stranger
        | Actor::Deadline
        | Actor::Delivery => None,
    }
}
