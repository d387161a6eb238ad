//! The team something belongs to, beside it in lists. Where there are no teams there is no mark.

use leptos::prelude::*;

/// Its name.
#[component]
pub(super) fn TeamMark(team: Option<String>) -> impl IntoView {
    team.map(|team| {
        view! {
            <bdi class="team" title="Team">
                {team}
            </bdi>
        }
    })
}
