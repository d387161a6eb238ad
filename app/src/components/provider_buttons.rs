//! The ways in by a provider: links, since a form that leads to another host is kept from it by the page's policy.

use leptos::prelude::*;

use super::icon::{Icon, Shape};
use crate::view::ProviderName;

/// A button for each, which leads back to `next`.
#[component]
pub(crate) fn ProviderButtons(providers: Vec<ProviderName>, next: String) -> impl IntoView {
    let buttons = providers
        .into_iter()
        .map(|one| {
            let next = encoded(&next);
            let address = format!("/sign-in/with/{}?next={next}", one.key);
            view! {
                // Not the router's: the server knows where it leads.
                <a class="button" href=address rel="external nofollow">
                    <span>"Sign in with " <bdi>{one.name}</bdi></span>
                </a>
            }
        })
        .collect_view();
    view! { <div class="ways-in">{buttons}</div> }
}

/// What was refused on the way, in the server's words.
#[component]
pub(crate) fn RefusedByProvider(words: Option<String>) -> impl IntoView {
    words.map(|words| {
        view! {
            <p id="provider-refusal" class="refusal" role="alert">
                <Icon shape=Shape::Warning />
                <span>{words}</span>
            </p>
        }
    })
}

/// An address in a query. All but letters and digits, byte by byte.
fn encoded(text: &str) -> String {
    let bytes = text.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    });
    bytes.collect()
}
