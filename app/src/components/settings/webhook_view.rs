//! One webhook, and what an admin may do about it.

use domain::delivery::{DisabledWhy, Format, Topic};
use leptos::prelude::*;

use super::{
    delete_webhook::DeleteWebhookForm,
    disable_webhook::DisableWebhookForm,
    rotate_secret::RotateSecretForm,
    test_webhook::TestWebhookForm,
    webhook_list::{LastDelivered, WebhookStandingWords, hears},
    webhook_teams::WebhookTeamsForm,
};
use crate::{
    components::{capital::capital, moment::At},
    live::Live,
    server_fns::{DeleteWebhook, DisableWebhook, RotateSecret, SetWebhookTeams, TestWebhook},
    view::{TeamName, WebhookRow, WebhookStanding},
};

/// The actions on one webhook. They outlive reading it again.
#[derive(Clone, Copy)]
pub(crate) struct WebhookChanges {
    /// Something to see whether it arrives.
    pub(crate) test: ServerAction<TestWebhook>,
    /// Another secret.
    pub(crate) rotate: ServerAction<RotateSecret>,
    /// Other teams.
    pub(crate) teams: ServerAction<SetWebhookTeams>,
    /// Off, or on again.
    pub(crate) disable: ServerAction<DisableWebhook>,
    /// Away.
    pub(crate) delete: ServerAction<DeleteWebhook>,
    /// The secret that was made last.
    pub(crate) made: RwSignal<Option<String>>,
    /// The message about whether it gets anything.
    pub(crate) said: RwSignal<String>,
}

impl WebhookChanges {
    /// Nothing yet.
    pub(crate) fn new() -> Self {
        Self {
            test: ServerAction::new(),
            rotate: ServerAction::new(),
            teams: ServerAction::new(),
            disable: ServerAction::new(),
            delete: ServerAction::new(),
            made: RwSignal::new(None),
            said: RwSignal::new(String::new()),
        }
    }
}

/// One webhook.
#[component]
pub(crate) fn WebhookView(
    row: WebhookRow,
    /// Those it can hear of.
    teams: Vec<TeamName>,
    changes: WebhookChanges,
    live: Live,
) -> impl IntoView {
    let off = matches!(row.standing, WebhookStanding::Disabled(..));
    let why = match row.standing {
        WebhookStanding::Enabled | WebhookStanding::Disabled(DisabledWhy::ByHand, _) => None,
        WebhookStanding::Failing(_) => Some(
            "It is tried less and less often. What has happened since is sent when it works again, oldest first; after 5 days of nothing but failure it is disabled.",
        ),
        WebhookStanding::Disabled(DisabledWhy::Gone, _) => Some(
            "It answered 410, which means that it is gone for good. Enable it when that was a mistake.",
        ),
        WebhookStanding::Disabled(DisabledWhy::Failing, _) => {
            Some("It did nothing but fail for 5 days. Enable it when the receiver works again.")
        }
    };
    view! {
        <h2 class="person-title">
            <bdi>{row.name.clone()}</bdi>
        </h2>
        <p class="person-facts">
            <WebhookStandingWords standing=row.standing live />
            <span>
                <LastDelivered at=row.delivered_at live />
            </span>
            <a href=format!("/deliveries?destination={}", row.id)>"Its deliveries"</a>
        </p>
        {why.map(|why| view! { <p class="prose webhook-why">{why}</p> })}
        <dl class="facts">
            <dt>"Host"</dt>
            <dd class="mono">
                <bdi>{row.host.clone()}</bdi>
            </dd>
            <dt>"Hears"</dt>
            <dd>{capital(&hears(&row))}</dd>
            <dt>"Format"</dt>
            <dd>{format_word(row.format)}</dd>
            <dt>"Made"</dt>
            <dd>
                <At at=row.created_at live />
            </dd>
        </dl>
        {row
            .configured
            .then(|| {
                view! {
                    <p class="hint">
                        "It comes from the setting " <code>"HANDRAISE_WEBHOOK_URL"</code>
                        ". Its address is changed there."
                    </p>
                }
            })}
        <WebhookTeamsForm row=row.clone() teams set=changes.teams />
        <TestWebhookForm row=row.clone() off test=changes.test />
        <RotateSecretForm row=row.clone() rotate=changes.rotate made=changes.made live />
        <DisableWebhookForm
            row=row.clone()
            off
            disable=changes.disable
            said=changes.said
        />
        <DeleteWebhookForm row delete=changes.delete />
    }
}

/// The topic's event, in words.
pub(super) fn topic_words(topic: Topic) -> &'static str {
    match topic {
        Topic::Requested => "Questions",
        Topic::Resolved => "Answers",
        Topic::Expired => "Passed deadlines",
        Topic::Cancelled => "Questions taken back",
        Topic::Notified => "Notifications",
        Topic::TaskFailed => "Failed tasks",
    }
}

/// The format's name in a sentence or a list.
pub(super) fn format_word(format: Format) -> &'static str {
    match format {
        Format::Standard => "Standard",
        Format::Flat => "Flat",
    }
}
