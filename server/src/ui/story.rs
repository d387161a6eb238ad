//! The journal of one interaction as steps of a timeline.

use app::view::{Progress, Step, What};
use domain::{Actor, Event, Interaction, Payload, Via, interaction::Ask, task::TaskStatus};

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
        Payload::Requested { .. } => (What::Asked, None),
        Payload::Notified { .. } => (What::Told, None),
        Payload::Progressed { answers } => {
            let of = match ask {
                Ask::Form { questions } => questions.len(),
                _ => 0,
            };
            let answered = answers.len();
            (What::Progressed(Progress { answered, of }), None)
        }
        Payload::Resolved { outcome, answer } => {
            (What::Closed(outcome), Some(answer.content.to_text(ask)))
        }
        Payload::Expired {
            outcome, answer, ..
        } => (
            What::Closed(outcome),
            answer.map(|answer| answer.to_text(ask)),
        ),
        Payload::Cancelled { reason } => (
            What::Closed(domain::interaction::Outcome::Cancelled),
            reason,
        ),
        Payload::AnswerRejected { answer, .. } => (What::AnswerRejected, Some(answer.to_text(ask))),
        Payload::Collected {} => (What::Collected, None),
        Payload::Consumed(consumed) => (What::Consumed, Some(consumed.run)),
        Payload::Reported { outcome, text } => (What::Reported(outcome), text),
        Payload::CalledBack {} => (What::CalledBack, None),
        Payload::Posted(_) => (What::Posted, None),
        Payload::AgentOffline {} => (What::AgentOffline, None),
        Payload::FollowedUp { text } => (What::FollowedUp, Some(text)),
        Payload::ReplyEdited { text } => (What::ReplyEdited, Some(text)),
        Payload::Remarked { text, why } => (What::Remarked(why), Some(text)),
        Payload::TaskWaiting(_) => (What::TaskWaiting, None),
        Payload::TaskRunning(_) => (What::TaskRunning, None),
        Payload::TaskFailed(task) => (What::TaskFailed, reason(task.status)),
        Payload::TaskDone(_) => (What::TaskDone, None),
        Payload::PersonInvited(_)
        | Payload::PersonLinked(_)
        | Payload::PersonChanged(_)
        | Payload::PersonDisabled(_)
        | Payload::PersonEnabled(_)
        | Payload::PersonPasswordSet(_)
        | Payload::PersonSlackLinked { .. }
        | Payload::PersonSlackUnlinked { .. }
        | Payload::PersonSignedIn { .. }
        | Payload::PersonSignInFailed { .. }
        | Payload::PersonSignedOut { .. }
        | Payload::TokenCreated(_)
        | Payload::TokenRevoked(_)
        | Payload::EndpointCreated(_)
        | Payload::EndpointChanged(_)
        | Payload::EndpointSecretRotated(_)
        | Payload::EndpointDisabled { .. }
        | Payload::EndpointEnabled(_)
        | Payload::EndpointDeleted(_)
        | Payload::EndpointTested(_)
        | Payload::DeliveryRetried(_) => return None,
    };
    Some(Step {
        at: event.at,
        by: event.actor.name().map(str::to_owned),
        via: via(&event.actor),
        what,
        text,
    })
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
        | Actor::Stranger
        | Actor::Deadline
        | Actor::Delivery => None,
    }
}
