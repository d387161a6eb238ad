//! One interaction to look back at: what was asked, what became of it, and every step in between.

use leptos::prelude::*;

use super::{
    around::AroundLines,
    asked::Asked,
    badge::{Badge, UrgentMark},
    context::Context,
    deadline::TimeLeft,
    ending::EndingView,
    erase_form::EraseForm,
    kind_mark::{heading, kind_word},
    outcome::OutcomeWord,
    timeline::Timeline,
};
use crate::{
    live::Live,
    load::Loaded,
    view::{Blocker, BlockerStatus, Control, Story, Visitor},
};

/// One interaction.
#[component]
pub(crate) fn StoryView(story: Story, visitor: Loaded<Visitor>, live: Live) -> impl IntoView {
    let Story {
        blocker,
        steps,
        more,
        may_erase,
    } = story;
    let live = live.as_of(blocker.as_of);
    let Blocker {
        row,
        title,
        prompt_html,
        control,
        team,
        task,
        fallback,
        status,
        earlier,
        slack_link,
        may_answer,
        around,
        unsent: _,
        as_of: _,
        answered_before: _,
        suggestion: _,
        with_files: _,
    } = blocker;
    let agent = row.agent.clone();
    let id = row.id;
    let notice = matches!(control, Control::Nothing { .. });
    let (outcome, end) = match status.clone() {
        BlockerStatus::Open => {
            let words = if may_answer { "Answer it" } else { "Open it" };
            let end = view! {
                <p class="closed-said">"It waits for an answer."</p>
                <AroundLines around live />
                <p>
                    <a class="button primary" href=format!("/blockers/{}", row.id)>
                        {words}
                    </a>
                </p>
            };
            (None, end.into_any())
        }
        BlockerStatus::Closed(ending) => {
            let row = row.clone();
            let outcome = ending.outcome;
            let end = view! { <EndingView row ending=*ending live /> };
            (Some(outcome), end.into_any())
        }
    };
    view! {
        <article class="story">
            <header class="story-head">
                <p class="story-marks">
                    <OutcomeWord outcome />
                    {(!notice).then(|| view! { <Badge mode=row.mode /> })}
                    <UrgentMark urgent=row.urgent />
                    <span class="kind-mark">{kind_word(row.kind)}</span>
                    {outcome
                        .is_none()
                        .then(|| {
                            view! { <TimeLeft row=row.clone() live /> }
                        })}
                </p>
                <h1 class="page-title" dir="auto">
                    {title.unwrap_or_else(|| heading(row.kind, &agent))}
                </h1>
            </header>
            <div class="story-body">
                <div class="story-main">
                    <Asked agent prompt_html control has_control=false />
                    <section class="closed" aria-label="What became of it">
                        {end}
                    </section>
                    <section aria-labelledby="timeline-title">
                        <h2 id="timeline-title" class="part-title">
                            "What happened"
                        </h2>
                        <Timeline steps live />
                        {more
                            .then(|| {
                                view! {
                                    <p class="list-note">
                                        "More has happened than stands here; the journal has all of it."
                                    </p>
                                }
                            })}
                    </section>
                    {may_erase.then(|| view! { <EraseForm id visitor /> })}
                </div>
                <Context row task fallback status earlier slack_link team live />
            </div>
        </article>
    }
}
