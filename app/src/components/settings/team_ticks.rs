//! Choosing among the teams.

use domain::TeamId;
use leptos::prelude::*;

use crate::view::TeamName;

/// Each with its tick. Nothing where there are no teams.
#[component]
pub(super) fn TeamTicks(
    /// What the ticks are about.
    legend: &'static str,
    teams: Vec<TeamName>,
    /// Those that are ticked.
    chosen: Vec<TeamId>,
) -> impl IntoView {
    (!teams.is_empty()).then(|| {
        view! {
            <fieldset class="option-list roles">
                <legend>{legend}</legend>
                {teams
                    .into_iter()
                    .map(|team| {
                        view! {
                            <label class="option">
                                <input
                                    type="checkbox"
                                    name="teams[]"
                                    value=team.id.to_string()
                                    checked=chosen.contains(&team.id)
                                />
                                <span class="option-text">
                                    <bdi>{team.name}</bdi>
                                </span>
                            </label>
                        }
                    })
                    .collect_view()}
            </fieldset>
        }
    })
}
