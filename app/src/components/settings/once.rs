//! A secret that was just made. This is the one time it is shown.

use domain::{TokenKind, limits};
use leptos::prelude::*;

use crate::components::command_line::CommandLine;

/// The one-time link of a person.
#[component]
pub(crate) fn MadeLink(link: String) -> impl IntoView {
    let hours = limits::LINK_LIFETIME.num_hours();
    view! {
        <div class="once">
            <p class="once-title">"Send them this link"</p>
            <CommandLine text=link />
            <p class="hint">
                {format!(
                    "It works once, within {hours} hours, and lets whoever has it choose the password: send it where only they can read it. It is not shown again.",
                )}
            </p>
        </div>
    }
}

/// A token, and the line that gives it to a program.
#[component]
pub(crate) fn MadeToken(kind: TokenKind, name: String, token: String) -> impl IntoView {
    let whose = match kind {
        TokenKind::Agent => "The token of the agent ",
        TokenKind::Responder => "The token of the script ",
    };
    let export = format!("export HANDRAISE_TOKEN={token}");
    view! {
        <div class="once">
            <p class="once-title">{whose} <bdi>{name}</bdi></p>
            <CommandLine text=token />
            <p>"For a shell, or the environment of the program:"</p>
            <CommandLine text=export />
            <p class="hint">
                "It works until it is revoked. It is not shown again: keep it where the program finds it, and nobody else."
            </p>
        </div>
    }
}

/// The signing secret of a webhook.
#[component]
pub(crate) fn MadeSecret(secret: String) -> impl IntoView {
    view! {
        <div class="once">
            <p class="once-title">"The signing secret"</p>
            <CommandLine text=secret />
            <p class="hint">
                "The receiver checks with it that what arrives comes from here, by any library of Standard Webhooks. It is not shown again: keep it where the receiver finds it, and nobody else."
            </p>
        </div>
    }
}
