//! Everything that happened to one interaction, in order.

use domain::{
    Via,
    delivery::ReachKind,
    interaction::{Outcome, PlanDecision, ReportOutcome},
    slack::Unseen,
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
    let (by, words) = words(&step);
    let by = by.map(str::to_owned);
    let after = step.after.as_deref();
    let after = after.map(|after| format!(" {after} after it was asked"));
    let text = step.text;
    let is_said = matches!(
        step.what,
        What::Asked
            | What::Claimed
            | What::GivenUp
            | What::Granted
            | What::GrantEnded
            | What::MemoryEnded
            | What::Remembered
            | What::Ruled(_)
    );
    let text = text.filter(|_| !is_said);
    view! {
        <li class="timeline-step">
            <p class="timeline-words">{by.map(|by| view! { <bdi>{by}</bdi> " " })} {words} {after}</p>
            <p class="timeline-time">
                <At at=step.at live />
            </p>
            {text.map(|text| view! { <AnswerText text /> })}
        </li>
    }
}

/// Who did something, if the sentence begins with it, and the sentence.
fn words(step: &Step) -> (Option<&str>, String) {
    let by = Some(step.by.as_deref().unwrap_or("Somebody"));
    let via = match step.via {
        Some(Via::Dashboard) => " in the dashboard",
        Some(Via::Api) => " by the API",
        Some(Via::Slack) => " in Slack",
        Some(Via::Policy) | None => "",
    };
    match step.what {
        What::Asked | What::AskedUnder => (by, "asked".to_owned()),
        What::Told => (by, "told this".to_owned()),
        What::Moved => (by, "moved it to another team".to_owned()),
        What::Claimed => match &step.text {
            Some(whose) => (by, format!("took it over from {whose}{via}")),
            None => (by, format!("is on it{via}")),
        },
        What::GivenUp => match &step.text {
            Some(whose) => (by, format!("ended {whose}'s claim{via}")),
            None => (by, format!("gave the claim up{via}")),
        },
        What::RanOut => (by, "was on it until then".to_owned()),
        What::HandedOver => (by, format!("handed it over{via}")),
        What::Progressed(progress) => {
            let words = format!("answered {} of {}{via}", progress.answered, progress.of);
            (by, words)
        }
        What::Approved(progress) => {
            let words = format!("approved it, {} of {}{via}", progress.answered, progress.of);
            (by, words)
        }
        What::Closed(outcome) => closed(outcome, by, via, step.by.is_some()),
        What::Granted => {
            let whose = step.by.as_deref().unwrap_or("Somebody");
            let made = step.text.as_deref().unwrap_or_default();
            (None, format!("Approved by {whose}’s grant of {made}"))
        }
        What::Ruled(outcome) => {
            let rule = step.text.as_deref().unwrap_or_default();
            let done = match outcome {
                Outcome::Approved => "Approved",
                _ => "Denied",
            };
            (None, format!("{done} by the policy “{rule}”"))
        }
        What::GrantMade => (by, "approved the next ones like this ahead".to_owned()),
        What::GrantRevoked => (by, "revoked what was approved ahead".to_owned()),
        What::GrantEnded => {
            let when = step.text.as_deref().unwrap_or_default();
            (None, format!("What was approved ahead ended {when}"))
        }
        What::Remembered => {
            let whose = step.by.as_deref().unwrap_or("Somebody");
            let given = step.text.as_deref().unwrap_or_default();
            (None, format!("Answered by {whose}’s answer of {given}"))
        }
        What::MemoryKept => {
            let words = "lets this answer stand for the same question";
            (by, words.to_owned())
        }
        What::MemoryRevoked => (by, "ended that this answer stands".to_owned()),
        What::MemoryEnded => {
            let when = step.text.as_deref().unwrap_or_default();
            (
                None,
                format!("This answer stood no longer: it ended {when}"),
            )
        }
        What::AnswerRejected => (by, format!("answered too late{via}")),
        What::Collected if step.by.is_some() => (by, "picked it up".to_owned()),
        What::Collected => (None, "Picked up".to_owned()),
        What::Consumed => (None, "The approved action runs".to_owned()),
        What::Reported(ReportOutcome::Done) => (by, "reported: done".to_owned()),
        What::Reported(ReportOutcome::Failed) => (by, "reported: failed".to_owned()),
        What::CalledBack => (None, "Delivered to the agent".to_owned()),
        What::Posted => (None, "Shown in Slack".to_owned()),
        What::AgentOffline => {
            let words = "The asking agent is offline: it could not be called back";
            (None, words.to_owned())
        }
        What::Reached(kind) => {
            let way = match kind {
                ReachKind::Push => "push",
                ReachKind::Mail => "mail",
                ReachKind::Ntfy => "ntfy",
                ReachKind::Slack => "a message in Slack",
            };
            (by, format!("was reached by {way}"))
        }
        What::Climbed { rung: 0 } => (None, "Told at once".to_owned()),
        What::Climbed { rung } => (None, format!("No answer yet: rung {rung} was told")),
        What::SummedUp { others: 0 } => (by, "was told of it later".to_owned()),
        What::SummedUp { others: 1 } => (by, "was told of it later, with 1 other".to_owned()),
        What::SummedUp { others } => (by, format!("was told of it later, with {others} others")),
        What::Seen => (by, "opened it".to_owned()),
        What::FollowedUp => (by, format!("said more{via}")),
        What::ReplyEdited => (
            by,
            format!("changed a reply afterwards{via}; it does not count"),
        ),
        What::Remarked(why) => {
            let why = match why {
                Unseen::Cut => "the card does not show all that is asked",
                Unseen::AskedLater => "the card did not show the question yet",
            };
            (by, format!("replied{via}; it is no answer: {why}"))
        }
        What::Erased if step.by.is_some() => (by, "erased all that was written here".to_owned()),
        What::Erased => (
            None,
            "All that was written here was erased: it is kept no longer".to_owned(),
        ),
        What::TaskWaiting => (None, "The task waits for a person".to_owned()),
        What::TaskRunning => (None, "The task goes on".to_owned()),
        What::TaskFailed => {
            let words = "The task failed: review it and restart the agent";
            (None, words.to_owned())
        }
        What::TaskDone => (None, "The task is finished".to_owned()),
    }
}

fn closed<'a>(
    outcome: Outcome,
    by: Option<&'a str>,
    via: &str,
    somebody: bool,
) -> (Option<&'a str>, String) {
    let decided = |decision: PlanDecision| (by, format!("decided{via}: {}", decision.meaning()));
    let alone = |words: &str| (None, words.to_owned());
    match outcome {
        Outcome::Answered => (by, format!("answered{via}")),
        Outcome::Approved => (by, format!("approved it{via}")),
        Outcome::Denied => (by, format!("denied it{via}")),
        Outcome::Proceed => decided(PlanDecision::Proceed),
        Outcome::ProceedClean => decided(PlanDecision::ProceedClean),
        Outcome::ProceedDefault => decided(PlanDecision::ProceedDefault),
        Outcome::Adjust => decided(PlanDecision::Adjust),
        Outcome::Delivered => alone("Told"),
        Outcome::Fallback => alone("The deadline passed: the fallback is the answer"),
        Outcome::Expired => alone("The deadline passed without an answer"),
        Outcome::Cancelled if somebody => (by, format!("took it back{via}")),
        Outcome::Cancelled => alone("It was taken back"),
        Outcome::Void => alone("What was stored of the decision is not proven by its receipt"),
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use domain::{Via, interaction::Outcome, slack::Unseen};

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
            after: None,
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
                step(
                    What::Remarked(Unseen::AskedLater),
                    Some("Ben"),
                    Some(Via::Slack),
                ),
                "Ben replied in Slack; it is no answer: the card did not show the question yet",
            ),
            (
                Step {
                    text: Some("Ana".to_owned()),
                    ..step(What::GivenUp, Some("Root"), Some(Via::Dashboard))
                },
                "Root ended Ana's claim in the dashboard",
            ),
            (
                Step {
                    text: Some("Ana".to_owned()),
                    ..step(What::Claimed, Some("Root"), Some(Via::Dashboard))
                },
                "Root took it over from Ana in the dashboard",
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
            let (by, words) = words(&step);
            let said = by.into_iter().chain([&*words]).collect::<Vec<_>>();
            assert_eq!(said.join(" "), expected);
        }
    }
}
