//! Whom an agent's token belongs to, and giving it to somebody else.

use domain::PersonId;
use leptos::prelude::*;

use super::{confirm_field::ConfirmField, submit::Submit, when_done::when_done};
use crate::{
    components::controls::Sending,
    load::Loaded,
    server_fns::ChangeOwner,
    view::{OwnerName, TokenRow, Visitor},
};

/// "belongs to Ana", and that she is disabled when she is.
#[component]
pub(in crate::components) fn BelongsTo(owners: Vec<OwnerName>) -> impl IntoView {
    let last = owners.len().saturating_sub(1);
    let names = owners.into_iter().enumerate().map(move |(n, owner)| {
        let comma = if n < last { ", " } else { "" };
        let disabled = owner.is_disabled.then_some(" (disabled)");
        view! { <bdi>{owner.name}</bdi> {disabled} {comma} }
    });
    view! { "belongs to " {names.collect_view()} }
}

/// The people who can own it, or nobody.
#[component]
pub(super) fn OwnerForm(
    row: TokenRow,
    people: Vec<(PersonId, String)>,
    visitor: Loaded<Visitor>,
    /// Called with the token's name.
    changed: impl Fn(String) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let change = ServerAction::<ChangeOwner>::new();
    let sending = Sending::of(change);
    let name = row.name.clone();
    when_done(change, move |_, ()| changed(name.clone()));
    let field = format!("owner-{}", row.id);
    let problem = format!("owner-problem-{}", row.id);
    let owner = row.owner.map(|owner| owner.id);
    view! {
        <details class="confirm">
            <summary>"Owner…"<span class="visually-hidden">" of the token " {row.name}</span></summary>
            <p>"The person the agent belongs to: whoever wants to know of it asks them."</p>
            <ActionForm action=change attr:class="fields">
                <input type="hidden" name="id" value=row.id.to_string() />
                <div class="labelled">
                    <label for=field.clone()>"Owner"</label>
                    <select id=field class="field" name="owner" aria-describedby=problem.clone()>
                        <option value="" selected=owner.is_none()>
                            "Nobody"
                        </option>
                        {people
                            .into_iter()
                            .map(|(id, name)| {
                                view! {
                                    <option value=id.to_string() selected=owner == Some(id)>
                                        {name}
                                    </option>
                                }
                            })
                            .collect_view()}
                    </select>
                </div>
                <ConfirmField
                    visitor
                    sending
                    id=format!("owner-confirm-{}", row.id)
                    problem=problem.clone()
                />
                <Submit sending label="Change owner" problem />
            </ActionForm>
        </details>
    }
}
