//! Everything that happened to one interaction, in order.

use domain::{
    Via,
    interaction::{Outcome, PlanDecision},
};
use leptos::prelude::*;

use super::{ending::AnswerText, moment::At};
use crate::{
    live::Live,
    view::{Step, What},
};

/// The steps, first first.
#[component]
pub(super) fn Timeline(steps: Vec<Step>, live: Live) -> impl IntoView {
    view! {
        <ol class="timeline">
            {steps.into_iter().map(|step| view! { <StepLine step live /> }).collect_view()}
        </ol>
    }
}

#[component]
fn StepLine(step: Step, live: Live) -> impl IntoView {
    let words = words(&step);
    let text = step.text.filter(|_| step.what != What::Asked);
    view! {
        <li class="timeline-step">
            <p class="timeline-words">{words}</p>
            <p class="timeline-time">
                <At at=step.at live />
            </p>
            {text.map(|text| view! { <AnswerText text /> })}
        </li>
    }
}

fn words(step: &Step) -> String {
    let by = step.by.as_deref().unwrap_or("Somebody");
    let via = match step.via {
        Some(Via::Dashboard) => " in the dashboard",
        Some(Via::Api) => " by the API",
        None => "",
    };
    match step.what {
        What::Asked => format!("{by} asked"),
        What::Told => format!("{by} told this"),
        What::Progressed(progress) => {
            format!(
                "{by} answered {} of {}{via}",
                progress.answered, progress.of
            )
        }
        What::Closed(outcome) => closed(outcome, by, via, step.by.is_some()),
        What::AnswerRejected => format!("{by} answered too late{via}"),
        What::Collected => match &step.by {
            Some(by) => format!("{by} picked it up"),
            None => "Picked up".to_owned(),
        },
        What::FollowedUp => format!("{by} said more{via}"),
        What::TaskWaiting => "The task waits for a person".to_owned(),
        What::TaskRunning => "The task goes on".to_owned(),
        What::TaskFailed => "The task failed: review it and restart the agent".to_owned(),
        What::TaskDone => "The task is finished".to_owned(),
    }
}

fn closed(outcome: Outcome, by: &str, via: &str, somebody: bool) -> String {
    let decided = |decision: PlanDecision| format!("{by} decided{via}: {}", decision.meaning());
    match outcome {
        Outcome::Answered => format!("{by} answered{via}"),
        Outcome::Approved => format!("{by} approved it{via}"),
        Outcome::Denied => format!("{by} denied it{via}"),
        Outcome::Proceed => decided(PlanDecision::Proceed),
        Outcome::ProceedClean => decided(PlanDecision::ProceedClean),
        Outcome::ProceedDefault => decided(PlanDecision::ProceedDefault),
        Outcome::Adjust => decided(PlanDecision::Adjust),
        Outcome::Delivered => "Told".to_owned(),
        Outcome::Fallback => "The deadline passed: the fallback is the answer".to_owned(),
        Outcome::Expired => "The deadline passed without an answer".to_owned(),
        Outcome::Cancelled if somebody => format!("{by} took it back{via}"),
        Outcome::Cancelled => "It was taken back".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use domain::{Via, interaction::Outcome};

    use super::words;
    use crate::view::{Progress, Step, What};

    #[test]
    fn steps_say_who_did_what_and_where() {
        let step = |what, by: Option<&str>, via| Step {
            at: DateTime::UNIX_EPOCH,
            by: by.map(str::to_owned),
            via,
            what,
            text: None,
        };
        let progress = What::Progressed(Progress { answered: 2, of: 4 });
        for (step, expected) in [
            (step(What::Asked, Some("backend"), None), "backend asked"),
            (
                step(
                    What::Closed(Outcome::Approved),
                    Some("Ana"),
                    Some(Via::Dashboard),
                ),
                "Ana approved it in the dashboard",
            ),
            (
                step(progress, Some("ci"), Some(Via::Api)),
                "ci answered 2 of 4 by the API",
            ),
            (
                step(What::Closed(Outcome::Expired), None, None),
                "The deadline passed without an answer",
            ),
            (
                step(What::Closed(Outcome::Cancelled), None, None),
                "It was taken back",
            ),
        ] {
            assert_eq!(words(&step), expected);
        }
    }
}
