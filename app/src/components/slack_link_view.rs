//! The page of a link from Slack: the question whether it is oneself, or why it is none.

use domain::Role;
use leptos::prelude::*;

use super::{controls::Sending, settings::Submit};
use crate::{
    server_fns::AcceptSlackLink,
    view::{SlackLink, SlackUser},
};

/// The offer, or what became of it.
#[component]
pub(crate) fn SlackLinkView(
    offer: SlackLink,
    /// The token that the form sends back.
    token: String,
    accept: ServerAction<AcceptSlackLink>,
) -> impl IntoView {
    match offer {
        SlackLink::Open {
            user,
            account,
            replaces,
        } => {
            let replaces = replaces.map(|old| {
                view! {
                    <p>"Your account is linked to " <code>{old.to_string()}</code> " now. This takes its place."</p>
                }
            });
            view! {
                <h1 class="long-name">
                    "Link the Slack user " <bdi>{user.name.clone()}</bdi> " to your account?"
                </h1>
                <p class="long-name">
                    "Whoever uses " <NamedUser user /> " then answers in Slack as you, "
                    <strong>
                        <bdi>{account}</bdi>
                    </strong> ". Link it only if it is you, and you were shown this link in Slack yourself."
                </p>
                {replaces}
                <AcceptForm token accept />
                <p>
                    <a href="/">"No, go to what is waiting"</a>
                </p>
            }
            .into_any()
        }
        SlackLink::Yours {
            user,
            account,
            role,
        } => view! {
            <h1>"Your Slack user is linked"</h1>
            <p class="long-name">
                <NamedUser user /> " is linked to your account, "
                <strong>
                    <bdi>{account}</bdi>
                </strong> ". "
                {match role {
                    Role::Viewer => "Your role is viewer: you can read, but not answer.",
                    Role::Responder | Role::Admin => "Go back to Slack, and answer there.",
                }}
            </p>
            <p>
                <a href="/settings">"Go to your account"</a>
            </p>
        }
        .into_any(),
        SlackLink::Taken { user, by } => view! {
            <h1>"This Slack user is linked already"</h1>
            <p class="long-name">
                <NamedUser user /> " is linked to the account of "
                <strong>
                    <bdi>{by}</bdi>
                </strong> ". If that is wrong, they can unlink it under Settings, and so can an admin."
            </p>
            <p>
                <a href="/">"Go to what is waiting"</a>
            </p>
        }
        .into_any(),
        SlackLink::Stale => view! {
            <h1>"This link no longer works"</h1>
            <p>
                "It is more than 30 minutes old, or not whole. Answer once more in Slack, and you are shown a new one."
            </p>
            <p>
                <a href="/">"Go to what is waiting"</a>
            </p>
        }
        .into_any(),
    }
}

#[component]
fn AcceptForm(token: String, accept: ServerAction<AcceptSlackLink>) -> impl IntoView {
    let sending = Sending::of(accept);
    view! {
        <ActionForm action=accept attr:class="fields">
            <input type="hidden" name="token" value=token />
            <Submit sending label="Link it to my account" problem="slack-link-problem" primary=true />
        </ActionForm>
    }
}

#[component]
fn NamedUser(user: SlackUser) -> impl IntoView {
    view! {
        <strong>
            <bdi>{user.name}</bdi>
        </strong>
        " ("
        <code>{user.id.to_string()}</code>
        ")"
    }
}
