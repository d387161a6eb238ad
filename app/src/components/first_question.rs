//! On a new installation: how to ask the first question.

use domain::Role;
use leptos::prelude::*;

use super::command_line::CommandLine;
use crate::{desk::Desk, live::Live, view::Visitor};

/// Shown until something has been asked.
#[component]
pub(crate) fn FirstQuestion(live: Live, visitor: Visitor) -> impl IntoView {
    let nothing_yet = Memo::new(move |_| live.desk.with(Desk::is_untouched));
    let token = "handraise token create --kind agent --name backend".to_owned();
    let ask = format!(
        "curl {}/api/v1/interactions \\\n  -H \"Authorization: Bearer $HANDRAISE_TOKEN\" \\\n  -H 'Content-Type: application/json' \\\n  -d '{{\"kind\": \"question\", \"prompt\": \"What latency target should I optimise for?\"}}'",
        visitor.agent_url
    );
    view! {
        <section class="first-question" hidden=move || !nothing_yet.get()>
            <h1 class="page-title">"Ask the first question"</h1>
            <p>
                "No agent has asked anything yet. Give one a token"
                {(visitor.role == Role::Admin)
                    .then(|| {
                        view! {
                            " under "
                            <a href="/settings/tokens">"Settings"</a>
                            ", or with"
                        }
                    })} ":"
            </p>
            <CommandLine text=token />
            <p>"Then let it ask. The question shows up on the left at once:"</p>
            <CommandLine text=ask />
        </section>
    }
}
