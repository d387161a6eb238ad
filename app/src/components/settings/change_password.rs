//! Another password for oneself.

use leptos::{html, prelude::*};

use super::{submit::Submit, when_done::when_done};
use crate::{
    components::{controls::Sending, password_field::PasswordField},
    server_fns::ChangePassword,
};

/// The current password and the new one.
#[component]
pub(super) fn ChangePasswordForm(
    name: String,
    change: ServerAction<ChangePassword>,
) -> impl IntoView {
    let sending = Sending::of(change);
    let form = NodeRef::<html::Form>::new();
    when_done(change, move |_, ()| {
        if let Some(form) = form.get_untracked() {
            form.reset();
        }
    });
    view! {
        <section aria-labelledby="password-title">
            <h2 id="password-title" class="section-title">
                "Password"
            </h2>
            <ActionForm action=change node_ref=form attr:class="fields">
                // Where password managers look for whom the password is.
                <input type="text" value=name autocomplete="username" readonly hidden />
                <PasswordField
                    label="Current password"
                    name="current"
                    autocomplete="current-password"
                    described_by="password-problem"
                />
                <PasswordField
                    label="New password"
                    name="password"
                    autocomplete="new-password"
                    hint="At least 8 characters. Several unrelated words are good."
                    described_by="password-problem"
                />
                <div class="labelled">
                    <Submit
                        sending
                        label="Change password"
                        problem="password-problem"
                        done="Changed. Your other browsers are signed out."
                        primary=true
                    />
                    <p class="hint">"Signs out your other browsers."</p>
                </div>
            </ActionForm>
        </section>
    }
}
