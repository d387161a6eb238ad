//! The action of an approval, as the machine will run it. It stands before the agent's prose and apart
//! from it: what is said about an action need not be true.

use leptos::prelude::*;

use crate::view::ActionView;

/// The tool, its arguments line by line, and the digest.
#[component]
pub(super) fn ActionBlock(action: ActionView) -> impl IntoView {
    let ActionView {
        tool,
        arguments,
        digest,
    } = action;
    let none = arguments.is_empty();
    view! {
        <section class="action-block" aria-labelledby="action-title">
            <h2 id="action-title" class="part-title">
                "What will run"
            </h2>
            <div class="action-code" dir="ltr">
                <p class="action-tool">
                    <bdi>{tool}</bdi>
                </p>
                <ul>
                    {arguments
                        .into_iter()
                        .map(|(name, value)| {
                            view! {
                                <li>
                                    <bdi class="action-name">{name}</bdi>
                                    ": "
                                    <bdi>{value}</bdi>
                                </li>
                            }
                        })
                        .collect_view()}
                    {none.then(|| view! { <li>"(no arguments)"</li> })}
                </ul>
            </div>
            <p class="action-digest">{digest}</p>
        </section>
    }
}
