//! What is different from the version of a plan before, and what became of what was said of that.

use leptos::prelude::*;

use super::ending::AnswerText;
use crate::view::{CommentThen, PlanBefore, PlanThen, PlanVersions};

/// Stands above the plan.
#[component]
pub(super) fn PlanVersionsView(versions: PlanVersions) -> impl IntoView {
    let PlanVersions {
        number,
        before,
        newer,
    } = versions;
    view! {
        <section class="plan-versions" aria-labelledby="versions-title">
            <h2 id="versions-title" class="part-title">
                {format!("Version {number}")}
            </h2>
            {newer
                .map(|newer| {
                    view! {
                        <p class="part-note">
                            "The agent has asked about a newer version since: "
                            <a href=format!("/blockers/{newer}")>{format!("version {}", number + 1)}</a> "."
                        </p>
                    }
                })}
            {before.map(|before| view! { <Before before /> })}
        </section>
    }
}

#[component]
fn Before(before: PlanBefore) -> impl IntoView {
    let number = before.number;
    match before.shown {
        Err(why) => view! { <p class="part-note">{why}</p> }.into_any(),
        Ok(then) => view! { <Then then=*then number /> }.into_any(),
    }
}

#[component]
fn Then(then: PlanThen, number: usize) -> impl IntoView {
    let by = then.ended_by().map(str::to_owned);
    let ended = then.ended();
    view! {
        <p class="part-note">
            "Compared with " <a href=format!("/interactions/{}", then.id)>{format!("version {number}")}</a> ": "
            {then.summary} ". " {by.map(|by| view! { <bdi>{by}</bdi> })} {ended}
        </p>
        {then.feedback.map(|text| view! { <AnswerText text /> })}
        {(!then.comments.is_empty())
            .then(|| {
                view! {
                    <ul class="plan-said" aria-label=format!("What was said of version {number}")>
                        {then
                            .comments
                            .into_iter()
                            .map(|comment| view! { <Comment comment /> })
                            .collect_view()}
                    </ul>
                }
            })}
        {then
            .difference_html
            .map(|html| {
                view! { <div class="plan-difference source" dir="ltr" inner_html=html></div> }
            })}
    }
}

#[component]
fn Comment(comment: CommentThen) -> impl IntoView {
    view! {
        <li>
            <p class="part-note">
                {comment.place} " · " <strong>{comment.became}</strong>
            </p>
            {comment
                .was_html
                .map(|html| view! { <div class="source plan-quote" dir="ltr" inner_html=html></div> })}
            <AnswerText text=comment.text />
            {comment
                .now_html
                .map(|html| {
                    view! {
                        <p class="part-note">"What stands there now"</p>
                        <div class="source plan-quote" dir="ltr" inner_html=html></div>
                    }
                })}
        </li>
    }
}
