//! The action of an approval, as the machine will run it. It stands before the agent's prose and apart
//! from it: what is said about an action need not be true.

use leptos::prelude::*;

use crate::view::{ActionView, Run};

/// The tool, its arguments line by line, what was written out in them, and the digest.
#[component]
pub(super) fn ActionBlock(action: ActionView) -> impl IntoView {
    let ActionView {
        tool,
        arguments,
        digest,
    } = action;
    let none = arguments.is_empty();
    let marked = |runs: &[Run]| runs.iter().any(|run| run.marked);
    let any_marked = marked(&tool)
        || arguments
            .iter()
            .any(|(name, value)| marked(name) || marked(value));
    view! {
        <section class="action-block" aria-labelledby="action-title">
            <h2 id="action-title" class="part-title">
                "What will run"
            </h2>
            <div class="action-code" dir="ltr">
                <p class="action-tool">
                    <Written runs=tool />
                </p>
                <ul>
                    {arguments
                        .into_iter()
                        .map(|(name, value)| {
                            view! {
                                <li>
                                    <span class="action-name">
                                        <Written runs=name />
                                    </span>
                                    ": "
                                    <Written runs=value />
                                </li>
                            }
                        })
                        .collect_view()}
                    {none.then(|| view! { <li>"(no arguments)"</li> })}
                </ul>
            </div>
            {any_marked
                .then(|| {
                    view! {
                        <p class="action-warning">
                            <strong>"Not what it looks like. "</strong>
                            "It holds characters that nobody can see, that change the order of others, or that look like other characters. Their numbers stand where they are."
                        </p>
                    }
                })}
            <p class="action-digest">{digest}</p>
        </section>
    }
}

/// A text in which marks stand out from what is there. Whatever is in it, it ends where it ends.
#[component]
fn Written(runs: Vec<Run>) -> impl IntoView {
    let runs = runs.into_iter().map(|run| {
        if run.marked {
            view! { <mark class="written-out">{run.text}</mark> }.into_any()
        } else {
            run.text.into_any()
        }
    });
    view! { <bdi>{runs.collect_view()}</bdi> }
}
