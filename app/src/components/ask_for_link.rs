//! The way in without a password.

use leptos::prelude::*;

/// Who makes one-time links, and how. The children are the question it answers.
#[component]
pub(crate) fn AskForLink(children: Children) -> impl IntoView {
    view! {
        <div class="hint">
            <p>
                {children()}
                " An admin makes you a one-time link, under Settings or on the server's machine with"
            </p>
            <pre class="command">"handraise user link --name Ana"</pre>
        </div>
    }
}
