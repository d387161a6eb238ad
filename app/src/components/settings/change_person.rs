//! Another name or role for a person.

use domain::limits;
use leptos::prelude::*;

use super::{
    confirm_field::ConfirmField,
    role_field::{RoleField, meaning, role_word},
    submit::Submit,
};
use crate::{
    components::controls::Sending,
    load::Loaded,
    server_fns::ChangePerson,
    view::{PersonRow, Visitor},
};

/// Name and role; one's own role is for another admin to change.
#[component]
pub(super) fn ChangePersonForm(
    row: PersonRow,
    change: ServerAction<ChangePerson>,
    visitor: Loaded<Visitor>,
) -> impl IntoView {
    let sending = Sending::of(change);
    view! {
        <section aria-labelledby="change-title">
            <h3 id="change-title" class="section-title">
                "Name and role"
            </h3>
            <ActionForm action=change attr:class="fields wide">
                <input type="hidden" name="id" value=row.id.to_string() />
                <div class="labelled">
                    <label for="person-name">"Name"</label>
                    <input
                        id="person-name"
                        class="field"
                        name="name"
                        value=row.name
                        maxlength=limits::LINE_CHARS.to_string()
                        autocomplete="off"
                        spellcheck="false"
                        dir="auto"
                        required
                        aria-describedby="person-hint change-problem"
                    />
                    <p id="person-hint" class="hint">
                        "They sign in with it. What was answered before keeps the old name."
                    </p>
                </div>
                {if row.yourself {
                    view! {
                        <input type="hidden" name="role" value=row.role.name() />
                        <p>
                            {format!("{}: {}. ", role_word(row.role), meaning(row.role).to_lowercase())}
                            <span class="hint">
                                "You cannot change your own role, so that an admin always remains. Another admin can."
                            </span>
                        </p>
                    }
                        .into_any()
                } else {
                    view! {
                        <RoleField chosen=row.role />
                        <ConfirmField visitor sending id="change-confirm" problem="change-problem" />
                    }
                        .into_any()
                }}
                <Submit sending label="Save" problem="change-problem" done="Saved." />
            </ActionForm>
        </section>
    }
}
