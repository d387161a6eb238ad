//! Says that tokens end, and that links were made by which an account could be taken over.

use leptos::prelude::*;

use super::{
    controls::Sending,
    icon::{Icon, Shape},
    moment::{Ago, Until},
    settings::Submit,
};
use crate::{
    live::Live,
    server_fns::ToldOfLink,
    view::{EndingToken, LinkNotice},
};

#[component]
pub(super) fn EndingLine(token: EndingToken, live: Live) -> impl IntoView {
    let at = token.at;
    let ended = live.now.get_untracked() >= at;
    view! {
        <li class="refusal notice">
            <Icon shape=Shape::Warning />
            <span class="notice-words">
                "The token of " <bdi>{token.name}</bdi>
                {if ended {
                    view! { " expired " <Ago at live /> }.into_any()
                } else {
                    view! { " expires in " <Until at live /> }.into_any()
                }} ". Make a new one of the same name, then revoke this one. "
                <a href="/settings/tokens">"See to it"</a>
            </span>
        </li>
    }
}

/// Everybody says of their own that they know; the others are for admins to look at.
#[component]
pub(super) fn LinkLine(
    link: LinkNotice,
    told: ServerAction<ToldOfLink>,
    live: Live,
) -> impl IntoView {
    let sending = Sending::of(told);
    let words = if link.yours {
        view! {
            <bdi>{link.by}</bdi> " made a one-time link for you " <Ago at=link.at live />
            ": whoever has it can choose your password. If you did not ask for it, talk to them. "
            <ActionForm action=told>
                <input type="hidden" name="made_at" value=link.at.to_rfc3339() />
                <Submit sending label="I know" problem="told-problem" />
            </ActionForm>
        }
        .into_any()
    } else {
        view! {
            <bdi>{link.by}</bdi> " made a one-time link for " <bdi>{link.name}</bdi> " "
            <Ago at=link.at live /> ": whoever has it can choose their password. "
            <a href=format!("/settings/people/{}", link.person)>"See to it"</a>
        }
        .into_any()
    };
    view! {
        <li class="refusal notice">
            <Icon shape=Shape::Warning />
            <span class="notice-words">{words}</span>
        </li>
    }
}
