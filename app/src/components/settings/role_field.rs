//! Roles: their names, what each may do, and the choice of one.

use domain::Role;
use leptos::prelude::*;

/// The role's name in a sentence or a list.
pub(super) fn role_word(role: Role) -> &'static str {
    match role {
        Role::Viewer => "Viewer",
        Role::Responder => "Responder",
        Role::Admin => "Admin",
    }
}

pub(super) fn meaning(role: Role) -> &'static str {
    match role {
        Role::Viewer => "Reads everything, answers nothing",
        Role::Responder => "Answers, and takes questions back",
        Role::Admin => "Answers, and manages people, tokens and webhooks",
    }
}

/// One of the three, with what each may do.
#[component]
pub(super) fn RoleField(chosen: Role) -> impl IntoView {
    view! {
        <fieldset class="option-list roles">
            <legend>"Role"</legend>
            {Role::ALL
                .map(|role| {
                    view! {
                        <label class="option">
                            <input type="radio" name="role" value=role.name() checked=role == chosen required />
                            <span class="option-text">
                                <span>{role_word(role)}</span>
                                <span class="option-more">{meaning(role)}</span>
                            </span>
                        </label>
                    }
                })
                .collect_view()}
        </fieldset>
    }
}
