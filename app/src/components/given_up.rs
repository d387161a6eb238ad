//! News for admins: decisions that are not what was signed, webhooks that were disabled by themselves, channels of
//! Slack that take nothing, and the notices of `access_notices`.

use domain::delivery::{DeliveryState, DisabledWhy};
use leptos::{
    prelude::*,
    wasm_split::{SplitLoaderError, wasm_split},
};

use super::{
    access_notices::{EndingLine, LinkLine},
    delivery_address::address,
    icon::{Icon, Shape},
    moment::Ago,
    settings::when_done,
};
use crate::{
    live::Live,
    server_fns::ToldOfLink,
    view::{
        DeliveryQuery, NoticeLines, Notices, StuckChannel, VoidDecision, WebhookRow,
        WebhookStanding,
    },
};

/// Notices are rare, and have more kinds of line than the whole overview.
#[wasm_split(rest, wasm_split_path = ::leptos::wasm_split, fallible, preload(load_notice_lines))]
pub(crate) fn show_notices(
    notices: Notices,
    reload: Callback<()>,
    live: Live,
) -> Result<AnyView, SplitLoaderError> {
    let lines = notices.lines();
    Ok(lines
        .map(|notices| view! { <GivenUp notices reload live /> })
        .into_any())
}

/// One line each, with the way to what can be done about it.
#[component]
fn GivenUp(notices: NoticeLines, reload: Callback<()>, live: Live) -> impl IntoView {
    let told = ServerAction::<ToldOfLink>::new();
    when_done(told, move |_, ()| reload.run(()));
    view! {
        <ul class="notices">
            {notices.void.into_iter().map(|void| view! { <VoidLine void /> }).collect_view()}
            {notices.links.into_iter().map(|link| view! { <LinkLine link told live /> }).collect_view()}
            {notices.ending.into_iter().map(|token| view! { <EndingLine token live /> }).collect_view()}
            {notices.given_up.into_iter().map(|row| view! { <GivenUpLine row live /> }).collect_view()}
            {notices.stuck.into_iter().map(|channel| view! { <StuckLine channel live /> }).collect_view()}
        </ul>
    }
}

#[component]
fn VoidLine(void: VoidDecision) -> impl IntoView {
    view! {
        <li class="refusal notice">
            <Icon shape=Shape::Warning />
            <span class="notice-words">
                {format!("A stored decision counts for nothing: {}. ", void.why)}
                "Somebody may have changed the database: run "
                <code>"handraise journal verify"</code> ". "
                <a href=format!("/blockers/{}", void.id)>"See it"</a>
            </span>
        </li>
    }
}

#[component]
fn GivenUpLine(row: WebhookRow, live: Live) -> impl IntoView {
    let WebhookStanding::Disabled(why, at) = row.standing else {
        return ().into_any();
    };
    let because = match why {
        DisabledWhy::Gone => "it answered that it is gone (410)",
        DisabledWhy::Failing => "it did nothing but fail for 5 days",
        DisabledWhy::ByHand => "somebody wanted it",
    };
    view! {
        <li class="refusal notice">
            <Icon shape=Shape::Warning />
            <span class="notice-words">
                "The webhook " <bdi>{row.name}</bdi> " was disabled " <Ago at live />
                {format!(": {because}. Nothing is sent to it. ")}
                <a href=format!("/settings/webhooks/{}", row.id)>"See to it"</a>
            </span>
        </li>
    }
    .into_any()
}

#[component]
fn StuckLine(channel: StuckChannel, live: Live) -> impl IntoView {
    let waiting = DeliveryQuery {
        state: Some(DeliveryState::Due),
        destination: Some(channel.destination.id),
        before: None,
    };
    view! {
        <li class="refusal notice">
            <Icon shape=Shape::Warning />
            <span class="notice-words">
                "Nothing can be posted to " <bdi>{channel.destination.name}</bdi> ". It began "
                <Ago at=channel.since live /> ": " <span dir="auto">{channel.error}</span> ". "
                <a href=address(&waiting)>"See what waits"</a>
            </span>
        </li>
    }
}
