//! Who a person is in Slack.

use leptos::prelude::*;

use super::submit::Submit;
use crate::{components::controls::Sending, server_fns::SetSlackId, view::PersonRow};

/// Their Slack id; empty if they have none.
#[component]
pub(super) fn SlackIdForm(row: PersonRow, set: ServerAction<SetSlackId>) -> impl IntoView {
    let sending = Sending::of(set);
    view! {
        <section aria-labelledby="slack-title">
            <h3 id="slack-title" class="section-title">
                "Slack"
            </h3>
            <ActionForm action=set attr:class="fields wide">
                <input type="hidden" name="id" value=row.id.to_string() />
                <div class="labelled">
                    <label for="slack-id">"Slack member ID"</label>
                    <input
                        id="slack-id"
                        class="field"
                        name="slack_id"
                        value=row.slack_id.map(|id| id.to_string())
                        maxlength="31"
                        autocomplete="off"
                        autocapitalize="characters"
                        spellcheck="false"
                        aria-describedby="slack-hint slack-problem"
                    />
                    <p id="slack-hint" class="hint">
                        "Such as U0123456789: in their profile in Slack choose Copy member ID. With it they answer in Slack, as their role lets them. Empty: not linked."
                    </p>
                </div>
                <Submit sending label="Save" problem="slack-problem" done="Saved." />
            </ActionForm>
        </section>
    }
}
