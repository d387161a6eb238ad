//! Having everything tried again that was given up, in two steps.

use leptos::prelude::*;

use super::{
    controls::Sending,
    settings::{Said, Submit, when_done},
};
use crate::{
    load::Loaded,
    server_fns::RetryDeliveries,
    view::{DeliveryPage, Since},
};

/// Since when, and where to.
#[component]
pub(crate) fn RetryMany(
    page: Loaded<DeliveryPage>,
    retry: ServerAction<RetryDeliveries>,
) -> impl IntoView {
    let sending = Sending::of(retry);
    let said = RwSignal::new(String::new());
    when_done(retry, move |asked, ()| {
        let span = words(asked.since);
        said.set(format!(
            "What was given up in {span} is due again, but for webhooks that are disabled."
        ));
    });
    let destinations = move || {
        let known = page.get().and_then(Result::ok);
        known.map(|page| page.destinations).unwrap_or_default()
    };
    view! {
        <Said words=said />
        <details class="confirm retry-many" hidden=move || destinations().is_empty()>
            <summary>"Try again what was given up…"</summary>
            <p>
                "Each is sent with the same id and body as before, and has its whole schedule before it. Webhooks that are disabled get nothing."
            </p>
            <ActionForm action=retry attr:class="field-line">
                <label class="labelled">
                    "From"
                    <select class="field" name="since">
                        {Since::ALL
                            .map(|since| view! { <option value=since.name()>{words(since)}</option> })
                            .collect_view()}
                    </select>
                </label>
                <label class="labelled">
                    "To"
                    <select class="field" name="destination">
                        <option value="">"everybody"</option>
                        <For each=destinations key=|one| one.clone() let(one)>
                            <option value=one.id.to_string()>{one.name}</option>
                        </For>
                    </select>
                </label>
                <Submit sending label="Try again" problem="retry-problem" />
            </ActionForm>
        </details>
    }
}

fn words(since: Since) -> &'static str {
    match since {
        Since::Hour => "the last hour",
        Since::Day => "the last 24 h",
        Since::Week => "the last 7 days",
    }
}
