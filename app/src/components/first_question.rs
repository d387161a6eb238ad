//! On a new installation: how to ask the first question.

use leptos::prelude::*;

use super::copy_button::CopyButton;
use crate::{live::Live, view::Visitor};

/// Shown until something has been asked.
#[component]
pub(crate) fn FirstQuestion(live: Live, visitor: Visitor) -> impl IntoView {
    let nothing_yet = Memo::new(move |_| live.desk.with(|desk| desk.last_seq == 0));
    let token = "handraise token create --kind agent --name backend".to_owned();
    let ask = format!(
        "curl {}/api/v1/interactions \\\n  -H \"Authorization: Bearer $HANDRAISE_TOKEN\" \\\n  -H 'Content-Type: application/json' \\\n  -d '{{\"kind\": \"question\", \"prompt\": \"What latency target should I optimise for?\"}}'",
        visitor.public_url
    );
    view! {
        <section class="first-question" hidden=move || !nothing_yet.get()>
            <h1 class="page-title">"Ask the first question"</h1>
            <p>"No agent has asked anything yet. Give one a token:"</p>
            <Command text=token />
            <p>"Then let it ask. The question shows up on the left at once:"</p>
            <Command text=ask />
        </section>
    }
}

#[component]
fn Command(text: String) -> impl IntoView {
    view! {
        <div class="command-line">
            <pre class="command">{text.clone()}</pre>
            <CopyButton text=text />
        </div>
    }
}
