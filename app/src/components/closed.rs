//! What became of a blocker, in words, and what the reader had typed but not sent.

use domain::{InteractionId, interaction::Outcome};
use leptos::prelude::*;

use super::{answer_form::draft, copy_button::CopyButton, moment::Ago};
use crate::{live::Live, view::BlockerStatus};

/// Stands where the control was.
#[component]
pub(super) fn Closed(
    id: InteractionId,
    agent: String,
    status: BlockerStatus,
    unsent: Option<String>,
    live: Live,
) -> impl IntoView {
    let BlockerStatus::Closed {
        outcome,
        by,
        by_you,
        at,
        answer,
        reason,
    } = status
    else {
        return None;
    };
    let who = if by_you {
        "You".to_owned()
    } else {
        by.unwrap_or_else(|| agent.clone())
    };
    let ago = view! { <Ago at live /> };
    let said = match outcome {
        Outcome::Answered => view! { {who} " answered " {ago} "." }.into_any(),
        Outcome::Fallback => view! {
            "The deadline passed " {ago} ". " {agent} " goes on with its fallback:"
        }
        .into_any(),
        Outcome::Expired => view! {
            "Expired " {ago} ". Nobody answered in time, so " {agent} " has no answer."
        }
        .into_any(),
        Outcome::Cancelled => {
            view! { "No longer needed. " {who} " took it back " {ago} "." }.into_any()
        }
    };
    Some(view! {
        <section class="closed" aria-live="polite">
            <p class="closed-said">{said}</p>
            {answer.map(|answer| view! { <AnswerText text=answer /> })}
            {reason.map(|reason| view! { <p class="closed-reason" dir="auto">{reason}</p> })}
            <Unsent id unsent by_you />
            <div class="form-end">
                <NextWaiting live />
                <a class="button" href="/">
                    "Close"
                    <kbd>"Esc"</kbd>
                </a>
            </div>
        </section>
    })
}

#[component]
fn AnswerText(text: String) -> impl IntoView {
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

/// The reader's own text: what the server kept of a late answer, or what lies in the browser.
#[component]
fn Unsent(id: InteractionId, unsent: Option<String>, by_you: bool) -> impl IntoView {
    let text = RwSignal::new(unsent);
    Effect::new(move |_| {
        if by_you {
            draft::forget(id);
        } else if text.with_untracked(Option::is_none) {
            text.set(draft::read(id).filter(|draft| !draft.is_empty()));
        }
    });
    move || {
        text.get().map(|unsent| {
            view! {
                <div class="unsent">
                    <p class="unsent-title">
                        "Your text was not sent" <CopyButton text=unsent.clone() />
                    </p>
                    <p class="answer-text" dir="auto">
                        {unsent}
                    </p>
                </div>
            }
        })
    }
}

/// On to the next one, when somebody else waits.
#[component]
fn NextWaiting(live: Live) -> impl IntoView {
    let next = Memo::new(move |_| {
        live.desk
            .with(|desk| desk.waiting.first().map(|row| row.id))
    });
    move || {
        next.get().map(|id| {
            view! {
                <a class="button primary" href=format!("/blockers/{id}")>
                    "Next question"
                </a>
            }
        })
    }
}
