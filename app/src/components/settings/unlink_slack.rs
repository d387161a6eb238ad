//! Who one is in Slack, and the way to unlink that user.

use domain::SlackId;
use leptos::prelude::*;

use super::submit::Submit;
use crate::{components::controls::Sending, server_fns::UnlinkSlack};

/// One's own Slack id, with the way out of it.
#[component]
pub(super) fn OwnSlackId(
    slack_id: Option<SlackId>,
    unlink: ServerAction<UnlinkSlack>,
) -> impl IntoView {
    let sending = Sending::of(unlink);
    match slack_id {
        None => "Not linked".into_any(),
        Some(id) => view! {
            <code>{id.to_string()}</code>
            <details class="confirm">
                <summary>"Unlink…"</summary>
                <p>
                    "What you press and write in Slack is no longer an answer of yours. You can link it again from there."
                </p>
                <ActionForm action=unlink>
                    <Submit sending label="Unlink" problem="unlink-problem" />
                </ActionForm>
            </details>
        }
        .into_any(),
    }
}
