//! Keeping a person out, in two steps, and letting them in again, in one.

use leptos::prelude::*;

use super::{submit::Submit, when_done::Said};
use crate::{
    components::controls::Sending,
    server_fns::DisablePerson,
    view::{PersonRow, Standing},
};

/// Out, or in again. People cannot keep themselves out.
#[component]
pub(super) fn DisableForm(
    row: PersonRow,
    disable: ServerAction<DisablePerson>,
    said: RwSignal<String>,
) -> impl IntoView {
    let sending = Sending::of(disable);
    let out = row.standing == Standing::Disabled;
    let id = row.id.to_string();
    let tokens = row.tokens.clone();
    let form = move |label| {
        let offered = !out && !tokens.is_empty();
        view! {
            <ActionForm action=disable attr:class="fields">
                <input type="hidden" name="id" value=id.clone() />
                <input type="hidden" name="disabled" value=(!out).to_string() />
                {offered.then(|| view! { <RevokeToo names=tokens.clone() /> })}
                <Submit sending label problem="disable-problem" />
            </ActionForm>
        }
    };
    let end = if row.yourself {
        view! {
            <p class="hint">"You cannot disable yourself, so that an admin always remains. Another admin can."</p>
        }
        .into_any()
    } else if out {
        view! {
            <p class="prose">
                "They cannot come in. Once they can again, they sign in with the password they had, or by a new link."
            </p>
            {form("Enable")}
        }
        .into_any()
    } else {
        view! {
            <details class="confirm">
                <summary>"Disable…"</summary>
                <p>
                    "They are signed out everywhere, at once, and cannot come in again. A link that was made for them ends. What they have answered stays, and you can let them in again."
                </p>
                {form("Disable")}
            </details>
        }
        .into_any()
    };
    view! {
        <section aria-labelledby="disable-title">
            <h3 id="disable-title" class="section-title">
                "Access"
            </h3>
            <Said words=said />
            {end}
        </section>
    }
}

/// Tokens they made keep working, and they may have kept them.
#[component]
fn RevokeToo(names: Vec<String>) -> impl IntoView {
    let last = names.len() - 1;
    view! {
        <label class="option">
            <input type="checkbox" name="revoke_tokens" value="true" />
            <span class="option-text">
                <span>"Revoke the tokens that they made, too"</span>
                <span class="option-more">
                    {names
                        .into_iter()
                        .enumerate()
                        .map(|(n, name)| {
                            view! {
                                <bdi>{name}</bdi>
                                {if n == last { ". " } else { ", " }}
                            }
                        })
                        .collect_view()}
                    "They may have kept them. Agents that use them stop until they get new ones."
                </span>
            </span>
        </label>
    }
}
