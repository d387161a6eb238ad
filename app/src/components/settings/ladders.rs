//! The ways to ladders and policies. Their pages are the server's, without this program.

use domain::TeamId;
use leptos::prelude::*;

/// To the ladder of a team; without one to that of everyone.
#[component]
pub(crate) fn LadderOf(#[prop(optional_no_strip)] team: Option<TeamId>) -> impl IntoView {
    let place = match team {
        Some(team) => format!("/settings/teams/{team}/ladder"),
        None => "/settings/ladder".to_owned(),
    };
    view! {
        <section aria-labelledby="ladder-title">
            <h3 id="ladder-title" class="section-title">
                "When no answer comes"
            </h3>
            <p class="form-start">
                <a class="button" href=place rel="external">
                    "Who is told next, and when"
                </a>
            </p>
        </section>
    }
}

/// To what is decided before anybody asks.
#[component]
pub(crate) fn PoliciesLink() -> impl IntoView {
    view! {
        <section aria-labelledby="policies-title">
            <h3 id="policies-title" class="section-title">
                "Policies"
            </h3>
            <p class="form-start">
                <a class="button" href="/settings/policies" rel="external">
                    "What is forbidden, asked and allowed"
                </a>
            </p>
        </section>
    }
}
