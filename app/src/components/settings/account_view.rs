//! Who one is, and one's password.

use domain::Role;
use leptos::prelude::*;

use super::{
    change_password::ChangePasswordForm,
    reaches::{OwnReaches, StandingApprovals},
    role_field::{meaning, role_word},
    second_factor::OwnFactors,
    undo_switch::UndoSwitch,
    unlink_slack::OwnSlackId,
};
use crate::{
    server_fns::{ChangePassword, UnlinkSlack},
    view::Account,
};

/// One's own name, role, user of Slack and password.
#[component]
pub(crate) fn AccountView(
    account: Account,
    change: ServerAction<ChangePassword>,
    unlink: ServerAction<UnlinkSlack>,
) -> impl IntoView {
    let role = account.role;
    view! {
        <section aria-labelledby="account-title">
            <h2 id="account-title" class="section-title">
                "Your account"
            </h2>
            <dl class="facts">
                <dt>"Name"</dt>
                <dd>
                    <bdi>{account.name.clone()}</bdi>
                </dd>
                <dt>"Role"</dt>
                <dd>{format!("{}: {}", role_word(role), meaning(role).to_lowercase())}</dd>
                <dt>"Slack"</dt>
                <dd>
                    <OwnSlackId slack_id=account.slack_id unlink />
                </dd>
            </dl>
            <p class="hint">
                {match role {
                    Role::Admin => "You can change your name under People. Only another admin can change your role.",
                    Role::Responder | Role::Viewer => "Admins can change your name and role.",
                }}
            </p>
        </section>
        <UndoSwitch />
        <ChangePasswordForm name=account.name change />
        <OwnReaches />
        <StandingApprovals />
        <OwnFactors />
    }
}
