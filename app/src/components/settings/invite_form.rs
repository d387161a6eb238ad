//! Inviting a person.

use domain::{Role, limits};
use leptos::{html, prelude::*};

use super::{
    confirm_field::ConfirmField, role_field::RoleField, submit::Submit, when_done::when_done,
};
use crate::{components::controls::Sending, load::Loaded, server_fns::InvitePerson, view::Visitor};

/// A name and a role; the one-time link comes back.
#[component]
pub(crate) fn InviteForm(
    invite: ServerAction<InvitePerson>,
    visitor: Loaded<Visitor>,
) -> impl IntoView {
    let sending = Sending::of(invite);
    let form = NodeRef::<html::Form>::new();
    when_done(invite, move |_, _| {
        if let Some(form) = form.get_untracked() {
            form.reset();
        }
    });
    view! {
        <section aria-labelledby="invite-title">
            <h2 id="invite-title" class="section-title">
                "Invite somebody"
            </h2>
            <ActionForm action=invite node_ref=form attr:class="fields wide">
                <div class="labelled">
                    <label for="invite-name">"Name"</label>
                    <input
                        id="invite-name"
                        class="field"
                        name="name"
                        maxlength=limits::LINE_CHARS.to_string()
                        autocomplete="off"
                        spellcheck="false"
                        dir="auto"
                        required
                        aria-describedby="invite-hint invite-problem"
                    />
                    <p id="invite-hint" class="hint">
                        "Others see it beside their answers, and they sign in with it."
                    </p>
                </div>
                <RoleField chosen=Role::Responder />
                <ConfirmField visitor sending id="invite-confirm" problem="invite-problem" />
                <Submit sending label="Invite" problem="invite-problem" primary=true needs_script=true />
            </ActionForm>
        </section>
    }
}
