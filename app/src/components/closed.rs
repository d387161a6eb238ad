//! The end of the dialog once a blocker is closed: what became of it, what the reader had typed but not
//! sent, and the way on.

use domain::{InteractionId, interaction::Outcome};
use leptos::{html, prelude::*};

use super::{
    controls::{Answering, FollowUpForm},
    copy_button::CopyButton,
    dialog::CameFrom,
    ending::EndingView,
    skip::next_after,
    suggestion::SuggestionOffer,
};
use crate::{
    desk::place::Place,
    draft,
    live::Live,
    view::{Ending, Row, SuggestionView},
};

/// Stands where the control was.
#[component]
pub(super) fn Closed(
    row: Row,
    ending: Ending,
    unsent: Option<String>,
    suggestion: Option<SuggestionView>,
    may_answer: bool,
    answering: Answering,
    live: Live,
) -> impl IntoView {
    let id = row.id;
    let result = NodeRef::<html::Section>::new();
    focus_when_sent(result, answering);
    let back = CameFrom::address();
    let sent = ending.by_you && ending.outcome != Outcome::Cancelled;
    let more = may_answer && ending.goes_on;
    let stands = may_answer && ending.may_stand;
    view! {
        <section class="closed" aria-live="polite" tabindex="-1" node_ref=result>
            <EndingView row ending live />
            <Unsent id unsent sent />
            {suggestion
                .filter(|_| more)
                .map(|suggestion| view! { <SuggestionOffer id suggestion /> })}
            {may_answer
                .then(|| {
                    view! { <FollowUpForm id follow_up=answering.follow_up /> }
                })}
            <div class="form-end">
                {more
                    .then(|| {
                        view! {
                            <a
                                class="button quiet"
                                href=format!("/settings/grants/new?from={id}")
                                rel="external"
                            >
                                "And the next ones like this…"
                            </a>
                        }
                    })}
                {stands
                    .then(|| {
                        view! {
                            <a
                                class="button quiet"
                                href=format!("/settings/memories/new?from={id}")
                                rel="external"
                            >
                                "The same question…"
                            </a>
                        }
                    })}
                <a class="button quiet" href=format!("/interactions/{id}")>
                    "Timeline"
                </a>
                <span class="form-space"></span>
                <NextWaiting id />
                <a class="button" href=back>
                    "Close"
                    <kbd>"Esc"</kbd>
                </a>
            </div>
        </section>
    }
}

/// Who has just sent an answer reads what became of it.
fn focus_when_sent(result: NodeRef<html::Section>, answering: Answering) {
    Effect::new(move |_| {
        if let Some(result) = result.get()
            && answering.has_sent()
        {
            let _ = result.focus();
        }
    });
}

/// The reader's own text: what the server kept of a late answer, or what lies in the browser.
#[component]
fn Unsent(id: InteractionId, unsent: Option<String>, sent: bool) -> impl IntoView {
    let text = RwSignal::new(unsent);
    Effect::new(move |_| {
        if sent {
            text.set(draft::unsent_here(id));
        } else if text.with_untracked(Option::is_none) {
            text.set(draft::unsent(id));
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

/// On to the next one, when another agent waits.
#[component]
fn NextWaiting(id: InteractionId) -> impl IntoView {
    let next = next_after(Place::Blocker(id));
    move || {
        next.get().map(|next| {
            view! {
                <a class="button primary" href=next.address()>
                    "Next question"
                    <kbd>"J"</kbd>
                </a>
            }
        })
    }
}
