//! Deleting a team, in two steps: there is no way back.

use leptos::prelude::*;

use crate::{
    components::{
        controls::Sending,
        settings::{confirm_field::ConfirmField, submit::Submit},
    },
    load::Loaded,
    server_fns::DeleteTeam,
    view::{OneTeam, TeamName, Visitor},
};

/// The consequence, and which team takes what is left. While something is, none is no answer: the server refuses it.
#[component]
pub(super) fn DeleteTeamForm(
    page: Memo<OneTeam>,
    delete: ServerAction<DeleteTeam>,
    visitor: Loaded<Visitor>,
) -> impl IntoView {
    let sending = Sending::of(delete);
    let id = page.with_untracked(|page| page.row.id.to_string());
    let left = Memo::new(move |_| page.with(|page| left(page.pending, page.row.homes.len())));
    // Where something is left: the teams that could take it.
    let others = Memo::new(move |_| left.get().map(|_| page.with(|page| page.others.clone())));
    let alone = move || others.with(|others| others.as_ref().is_some_and(Vec::is_empty));
    view! {
        <section aria-labelledby="delete-title">
            <h3 id="delete-title" class="section-title">
                "Delete"
            </h3>
            <details class="confirm">
                <summary>"Delete…"</summary>
                <p>
                    "Its members see nothing of it any more. What it was asked and has answered stays, for admins alone. Its name is free again."
                </p>
                {move || left.get().map(|left| view! { <p>{left}</p> })}
                {move || {
                    alone()
                        .then(|| {
                            view! {
                                <p>
                                    "There is no other team that could take it. Make one first, or wait until nothing is left."
                                </p>
                            }
                        })
                }}
                <ActionForm action=delete attr:class="fields">
                    <input type="hidden" name="id" value=id />
                    {move || {
                        let others = others.get().filter(|others| !others.is_empty());
                        others.map(|others| view! { <MoveTo others visitor sending /> })
                    }}
                    <Submit sending label="Delete for good" problem="delete-problem" />
                </ActionForm>
            </details>
        </section>
    }
}

#[component]
fn MoveTo(others: Vec<TeamName>, visitor: Loaded<Visitor>, sending: Sending) -> impl IntoView {
    view! {
        <div class="labelled">
            <label for="move-to">"They go to"</label>
            <select id="move-to" class="field" name="move_to" aria-describedby="delete-problem">
                <option value="">"Choose a team…"</option>
                {others
                    .into_iter()
                    .map(|team| view! { <option value=team.id.to_string()>{team.name}</option> })
                    .collect_view()}
            </select>
            <p class="hint">"That team sees and answers them from then on."</p>
        </div>
        <ConfirmField visitor sending id="delete-confirm" problem="delete-problem" />
    }
}

/// What has to go elsewhere first.
fn left(pending: u32, agents: usize) -> Option<String> {
    let questions = match pending {
        0 => None,
        1 => Some("1 question waits for it".to_owned()),
        many => Some(format!("{many} questions wait for it")),
    };
    let agents = match agents {
        0 => None,
        1 => Some("1 agent is at home there".to_owned()),
        many => Some(format!("{many} agents are at home there")),
    };
    let both: Vec<String> = questions.into_iter().chain(agents).collect();
    (!both.is_empty()).then(|| format!("{}.", both.join(", and ")))
}

#[cfg(test)]
mod tests {
    use super::left;

    #[test]
    fn what_is_left_is_counted() {
        assert_eq!(left(0, 0), None);
        assert_eq!(left(1, 0).unwrap(), "1 question waits for it.");
        assert_eq!(
            left(2, 3).unwrap(),
            "2 questions wait for it, and 3 agents are at home there."
        );
    }
}
