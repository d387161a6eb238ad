//! The journal of one interaction as steps of a timeline.

use app::view::{Progress, Step, What};
use domain::{
    Actor, Event, Interaction, InteractionEvent, Payload, TaskEvent, Via,
    interaction::{Ask, Outcome},
    task::TaskStatus,
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
    let (what, text) = match event.payload {
        Payload::Interaction(event) => of_interaction(ask, event),
        Payload::Task(event) => of_task(event),
        Payload::Person(_)
        | Payload::Token(_)
        | Payload::Team(_)
        | Payload::Duty(_)
        | Payload::Endpoint(_)
        | Payload::Delivery(_) => {
            return None;
        }
    };
    // A blank is no answer that somebody gave (rule 9); a team's name stays.
    let stays = interaction.erased.is_none() || matches!(what, What::Moved);
    let text = text.filter(|_| stays);
    Some(Step {
        at: event.at,
        by: event.actor.name().map(str::to_owned),
        via: via(&event.actor),
        what,
        text,
    })
}

fn of_interaction(ask: &Ask, event: InteractionEvent) -> (What, Option<String>) {
    match event {
        InteractionEvent::Requested { .. } => (What::Asked, None),
        InteractionEvent::Notified { .. } => (What::Told, None),
        InteractionEvent::Moved { team } => (What::Moved, Some(team.name)),
        InteractionEvent::Progressed { answers } => {
            let of = match ask {
                Ask::Form { questions } => questions.len(),
                _ => 0,
            };
            let answered = answers.len();
            (What::Progressed(Progress { answered, of }), None)
        }
        InteractionEvent::Resolved { outcome, answer } => (
            What::Closed(outcome),
            Some(persons_answer(&answer.content, ask)),
        ),
        InteractionEvent::Expired {
            outcome, answer, ..
        } => (
            What::Closed(outcome),
            answer.map(|answer| persons_answer(&answer, ask)),
        ),
        InteractionEvent::Cancelled { reason } => (What::Closed(Outcome::Cancelled), reason),
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
        InteractionEvent::Erased(_) => (What::Erased, None),
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
