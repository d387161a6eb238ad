//! The providers by which one comes in: connected, or to be.

use domain::limits;
use leptos::prelude::*;

use crate::{
    components::RefusedByProvider,
    view::{Connections, ProviderName},
};

/// Nothing where there are none. Links and plain forms: each leads away from this page.
#[component]
pub(crate) fn ConnectionsView(connections: Connections) -> impl IntoView {
    let Connections {
        providers,
        proven,
        refused,
    } = connections;
    if providers.is_empty() {
        return ().into_any();
    }
    let can_confirm: Vec<_> = providers
        .iter()
        .filter(|(_, since)| since.is_some() && !proven)
        .map(|(one, _)| one.clone())
        .collect();
    let rows = providers
        .into_iter()
        .map(|(one, since)| view! { <Row one since proven /> })
        .collect_view();
    view! {
        <section id="providers" aria-labelledby="providers-title">
            <h2 id="providers-title" class="section-title">
                "Signing in by a provider"
            </h2>
            <RefusedByProvider words=refused />
            <dl class="facts by-provider">{rows}</dl>
            {(!proven).then(|| view! { <Confirm can_confirm /> })}
        </section>
    }
    .into_any()
}

#[component]
fn Row(one: ProviderName, since: Option<String>, proven: bool) -> impl IntoView {
    let ProviderName { key, name } = one;
    let state = match (since, proven) {
        (Some(since), _) => view! {
            "Connected since "
            <time datetime=since.clone()>{since.clone()}</time>
            <details class="confirm">
                <summary>"Disconnect…"</summary>
                <p>"You no longer come in by it. You can connect it again while you are signed in."</p>
                <form method="post" action=format!("/sign-in/with/{key}/disconnect")>
                    <button class="button" type="submit">
                        "Disconnect"
                    </button>
                </form>
            </details>
        }
        .into_any(),
        (None, true) => view! {
            <a
                class="button"
                href=format!("/sign-in/with/{key}?to=connect")
                rel="external nofollow"
            >
                "Connect"
            </a>
        }
        .into_any(),
        (None, false) => "Not connected".into_any(),
    };
    view! {
        <dt>
            <bdi>{name}</bdi>
        </dt>
        <dd>{state}</dd>
    }
}

/// Who connects an account, or lets others in, has to show who they are: a browser may have been left open.
#[component]
fn Confirm(can_confirm: Vec<ProviderName>) -> impl IntoView {
    let links = can_confirm
        .into_iter()
        .map(|one| {
            view! {
                <a
                    class="button"
                    href=format!("/sign-in/with/{}?to=confirm", one.key)
                    rel="external nofollow"
                >
                    <span>"Confirm with " <bdi>{one.name}</bdi></span>
                </a>
            }
        })
        .collect_view();
    view! {
        <form class="fields" method="post" action="/confirm">
            <div class="labelled">
                <label for="confirm-password">"Your password"</label>
                <input
                    id="confirm-password"
                    class="field"
                    type="password"
                    name="password"
                    autocomplete="current-password"
                    autocapitalize="none"
                    spellcheck="false"
                    required
                    maxlength=limits::PASSWORD_MAX_CHARS.to_string()
                    aria-describedby="confirm-hint"
                />
                <p id="confirm-hint" class="hint">
                    "To connect a provider, invite people or make tokens: show that it is you. It holds for 15 minutes."
                </p>
            </div>
            <div class="form-start">
                <button class="button" type="submit">
                    "Confirm"
                </button>
                {links}
            </div>
        </form>
    }
}
