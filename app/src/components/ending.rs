//! How something ended, in words: who did it, the answer, whether the agent has it, what was said later.

use domain::{
    interaction::{Callback, Kind, Outcome, Report, ReportOutcome},
    time,
};
use leptos::prelude::*;

use super::moment::Ago;
use crate::{
    live::Live,
    view::{Ending, Remark, Row},
};

#[component]
pub(super) fn EndingView(row: Row, ending: Ending, live: Live) -> impl IntoView {
    let answer = shown_answer(row.kind, &ending);
    let agent = row.agent.clone();
    let pickup = pickup(&ending);
    let said = view! { <Said row ending=ending.clone() live /> };
    view! {
        <p class="closed-said">{said}</p>
        {answer.map(|answer| view! { <AnswerText text=answer /> })}
        {ending
            .reason
            .map(|reason| {
                view! {
                    <p class="closed-reason" dir="auto">
                        {reason}
                    </p>
                }
            })}
        {ending.failed_task.map(|task| view! { <FailedTask task /> })}
        {pickup
            .map(|(before, after)| {
                view! { <p class="part-note">{before} <bdi>{agent}</bdi> {after}</p> }
            })}
        {ending.report.map(|report| view! { <ReportView report live /> })}
        <Remarks remarks=ending.follow_ups live />
    }
}

#[component]
fn Said(row: Row, ending: Ending, live: Live) -> impl IntoView {
    let agent = view! { <bdi>{row.agent}</bdi> };
    let who = match ending.by {
        _ if ending.by_you => Some("You".to_owned()),
        by => by,
    };
    let someone = who.clone().unwrap_or_else(|| "Somebody".to_owned());
    let someone = view! { <bdi>{someone}</bdi> };
    let ago = view! { <Ago at=ending.at live /> };
    if let Some(rule) = ending.ruled {
        let rule = view! { <bdi>{rule}</bdi> };
        return match ending.outcome {
            Outcome::Approved => {
                view! { "The policy “" {rule} "” approved it " {ago} "." }.into_any()
            }
            _ => view! { "The policy “" {rule} "” denied it " {ago} "." }.into_any(),
        };
    }
    match ending.outcome {
        Outcome::Answered if row.kind == Kind::Acknowledgement => {
            view! { {someone} " acknowledged it " {ago} "." }.into_any()
        }
        Outcome::Answered => match ending.remembered {
            Some(day) if ending.by_you => {
                view! { "Your answer of " {day} " answered it " {ago} ". Nobody was asked." }.into_any()
            }
            Some(day) => {
                view! { {someone} "’s answer of " {day} " answered it " {ago} ". Nobody was asked." }
                    .into_any()
            }
            None => view! { {someone} " answered " {ago} "." }.into_any(),
        },
        Outcome::Approved => match ending.granted {
            Some(made) if ending.by_you => {
                view! { "Your grant of " {made} " approved it " {ago} "." }.into_any()
            }
            Some(made) => {
                view! { {someone} "’s grant of " {made} " approved it " {ago} "." }.into_any()
            }
            None => view! { {someone} " approved it " {ago} "." }.into_any(),
        },
        Outcome::Denied => view! { {someone} " denied it " {ago} "." }.into_any(),
        Outcome::Proceed | Outcome::ProceedClean | Outcome::ProceedDefault | Outcome::Adjust => {
            view! { {someone} " decided " {ago} ":" }.into_any()
        }
        Outcome::Delivered => {
            view! { {agent} " told this " {ago} ". Nobody has to answer." }.into_any()
        }
        Outcome::Fallback => view! {
            "The deadline passed " {ago} ". " {agent} " goes on with its fallback:"
        }
        .into_any(),
        Outcome::Expired if row.kind == Kind::Approval => view! {
            "Expired " {ago} ". Nobody approved it in time, so the action must not run."
        }
        .into_any(),
        Outcome::Expired => view! {
            "Expired " {ago} ". Nobody answered in time, so " {agent} " has no answer."
        }
        .into_any(),
        Outcome::Cancelled => match who {
            Some(who) => view! { <bdi>{who}</bdi> " took it back " {ago} "." }.into_any(),
            None => view! { "It was taken back " {ago} "." }.into_any(),
        },
        Outcome::Void => view! {
            "Void. What is stored of this decision is not what was signed " {ago}
            ", so nothing was approved. Tell whoever runs the server."
        }
        .into_any(),
    }
}

/// The answer, unless the sentence before has said it.
fn shown_answer(kind: Kind, ending: &Ending) -> Option<String> {
    let answer = ending.answer.clone()?;
    let comment = |word: &str| {
        let comment = answer.strip_prefix(word)?.strip_prefix(": ")?;
        Some(comment.to_owned())
    };
    match ending.outcome {
        Outcome::Approved => comment("Approved"),
        Outcome::Denied => comment("Denied"),
        // A form's answers stand under its questions.
        Outcome::Answered if matches!(kind, Kind::Acknowledgement | Kind::Form) => None,
        Outcome::Answered
        | Outcome::Proceed
        | Outcome::ProceedClean
        | Outcome::ProceedDefault
        | Outcome::Adjust
        | Outcome::Delivered
        | Outcome::Fallback
        | Outcome::Expired
        | Outcome::Cancelled
        | Outcome::Void => Some(answer),
    }
}

/// Whether the agent knows: what stands before its name, and after it.
fn pickup(ending: &Ending) -> Option<(&'static str, String)> {
    if matches!(ending.outcome, Outcome::Delivered | Outcome::Void) {
        return None;
    }
    let no_answer = matches!(ending.outcome, Outcome::Expired | Outcome::Cancelled);
    let later = |at| time::words(at - ending.at);
    Some(match (ending.collected_at, ending.callback) {
        (Some(at), _) if no_answer => ("", format!(" took note of it {} later.", later(at))),
        (Some(at), _) => {
            let after = format!(". It picked the answer up {} later.", later(at));
            ("Sent to ", after)
        }
        (None, Some(Callback::Delivered { at })) => {
            ("Delivered to ", format!(" {} later.", later(at)))
        }
        (None, Some(Callback::Offline { .. })) => {
            let after = " could not be called back. It can still come and ask.";
            ("The asking agent is offline: ", after.to_owned())
        }
        (None, None) if no_answer => ("", " has not taken note of it yet.".to_owned()),
        (None, None) => ("", " has not picked it up yet.".to_owned()),
    })
}

/// The agent's word on what came of it.
#[component]
fn ReportView(report: Report, live: Live) -> impl IntoView {
    let word = match report.outcome {
        ReportOutcome::Done => "Done ",
        ReportOutcome::Failed => "Failed ",
    };
    view! {
        <p class="part-note">{word} <Ago at=report.at live /> "."</p>
        {report.text.filter(|text| !text.is_empty()).map(|text| view! { <AnswerText text /> })}
    }
}

#[component]
fn FailedTask(task: String) -> impl IntoView {
    view! {
        <p class="failed-task">
            "Task "
            <a class="mono" href="/tasks?status=failed" dir="auto">
                {task}
            </a>
            " failed: review it and restart the agent."
        </p>
    }
}

/// A text a person or an agent wrote, whole.
#[component]
pub(super) fn AnswerText(text: String) -> impl IntoView {
    if text.is_empty() {
        view! { <p class="answer-text empty">"(an empty answer)"</p> }.into_any()
    } else {
        view! {
            <p class="answer-text" dir="auto">
                {text}
            </p>
        }
        .into_any()
    }
}

#[component]
fn Remarks(remarks: Vec<Remark>, live: Live) -> impl IntoView {
    (!remarks.is_empty()).then(|| {
        view! {
            <ul class="remarks" aria-label="Said later">
                {remarks
                    .into_iter()
                    .map(|remark| {
                        view! {
                            <li>
                                <p class="part-note"><bdi>{remark.by}</bdi> ", " <Ago at=remark.at live /></p>
                                <AnswerText text=remark.text />
                            </li>
                        }
                    })
                    .collect_view()}
            </ul>
        }
    })
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeDelta};
    use domain::interaction::{Callback, Kind, Outcome};

    use super::{pickup, shown_answer};
    use crate::view::Ending;

    fn ending(outcome: Outcome, answer: &str) -> Ending {
        Ending {
            outcome,
            by: None,
            by_you: false,
            at: DateTime::UNIX_EPOCH,
            answer: Some(answer.to_owned()),
            granted: None,
            remembered: None,
            may_stand: false,
            ruled: None,
            goes_on: false,
            reason: None,
            collected_at: None,
            callback: None,
            report: None,
            follow_ups: Vec::new(),
            failed_task: None,
        }
    }

    #[test]
    fn nothing_is_said_twice() {
        for (kind, outcome, answer, shown) in [
            (Kind::Approval, Outcome::Approved, "Approved", None),
            (
                Kind::Approval,
                Outcome::Denied,
                "Denied: too late",
                Some("too late"),
            ),
            (
                Kind::Acknowledgement,
                Outcome::Answered,
                "Acknowledged",
                None,
            ),
            (
                Kind::Question,
                Outcome::Answered,
                "Denied: x",
                Some("Denied: x"),
            ),
            (Kind::Question, Outcome::Answered, "", Some("")),
            (Kind::Form, Outcome::Answered, "port: 8080", None),
        ] {
            let ending = ending(outcome, answer);
            assert_eq!(shown_answer(kind, &ending).as_deref(), shown, "{answer}");
        }
    }

    #[test]
    fn it_says_whether_the_agent_knows() {
        let mut ending = ending(Outcome::Answered, "x");
        let words = |before, after: &str| Some((before, after.to_owned()));
        assert_eq!(pickup(&ending), words("", " has not picked it up yet."));
        let at = ending.at + TimeDelta::seconds(2);
        ending.callback = Some(Callback::Delivered { at });
        assert_eq!(pickup(&ending), words("Delivered to ", " 2 s later."));
        ending.callback = Some(Callback::Offline { at });
        assert_eq!(
            pickup(&ending),
            words(
                "The asking agent is offline: ",
                " could not be called back. It can still come and ask."
            )
        );
        ending.collected_at = Some(at);
        assert_eq!(
            pickup(&ending),
            words("Sent to ", ". It picked the answer up 2 s later.")
        );
        ending.outcome = Outcome::Delivered;
        assert_eq!(pickup(&ending), None);
    }
}
