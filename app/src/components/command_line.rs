//! Something to paste elsewhere, with a button that copies it.

use leptos::prelude::*;

use super::copy_button::CopyButton;

/// A command, a link or a token.
#[component]
pub(super) fn CommandLine(text: String) -> impl IntoView {
    view! {
        <div class="command-line">
            <pre class="command">{text.clone()}</pre>
            <CopyButton text=text />
        </div>
    }
}
