//! The teams one is in, and who else is.

use domain::Role;
use leptos::prelude::*;

use super::words::{members_word, own_part_word, part_word};
use crate::view::OwnTeam;

/// Nothing where there are none.
#[component]
pub(crate) fn OwnTeams(teams: Vec<OwnTeam>) -> impl IntoView {
    let is_admin = teams.iter().any(|team| team.own.role == Role::Admin);
    let hint = match is_admin {
        true => "As an admin you see and answer what any team is asked.",
        false => {
            "You see what they are asked, and what belongs to no team. Admins choose who is in them."
        }
    };
    (!teams.is_empty()).then(|| {
        view! {
            <section aria-labelledby="own-teams-title">
                <h2 id="own-teams-title" class="section-title">
                    "Your teams"
                </h2>
                <ul class="list">
                    {teams.into_iter().map(|team| view! { <OwnTeamLine team /> }).collect_view()}
                </ul>
                <p class="hint">{hint}</p>
            </section>
        }
    })
}

#[component]
fn OwnTeamLine(team: OwnTeam) -> impl IntoView {
    let part = own_part_word(&team.own);
    let many = members_word(team.members.len());
    view! {
        <li class="list-row own-team">
            <span class="person-name">
                <bdi>{team.name}</bdi>
            </span>
            <span>{part}</span>
            <details class="own-members">
                <summary>{many}</summary>
                <ul>
                    {team
                        .members
                        .into_iter()
                        .map(|member| {
                            let part = part_word(&member).to_lowercase();
                            view! {
                                <li>
                                    <bdi>{member.name}</bdi>
                                    <span class="part-note">" · "{part}</span>
                                </li>
                            }
                        })
                        .collect_view()}
                </ul>
            </details>
        </li>
    }
}
