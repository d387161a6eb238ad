//! Says that webhooks were disabled by themselves.

use domain::delivery::DisabledWhy;
use leptos::prelude::*;

use super::{
    icon::{Icon, Shape},
    moment::Ago,
};
use crate::{
    live::Live,
    view::{Notices, WebhookRow, WebhookStanding},
};

/// One line a webhook, with the way to its settings.
#[component]
pub(crate) fn GivenUp(notices: Notices, live: Live) -> impl IntoView {
    let live = live.as_of(notices.as_of);
    let none = notices.given_up.is_empty();
    view! {
        <ul class="notices" hidden=none>
            {notices.given_up.into_iter().map(|row| view! { <GivenUpLine row live /> }).collect_view()}
        </ul>
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
