//! The tokens that work, and those that no longer do.

use chrono::{DateTime, Utc};
use domain::TokenKind;
use leptos::prelude::*;

use super::{
    change_owner::{BelongsTo, OwnerForm},
    revoke_token::RevokeForm,
    teams::Names,
    when_done::Said,
};
use crate::{
    components::moment::{Ago, Until},
    live::Live,
    load::Loaded,
    view::{TokenList, TokenRow, Visitor},
};

/// Both lists; the second is folded away. A token that has not changed keeps its row, so what is about to be
/// pressed stays where it is.
#[component]
pub(crate) fn TokenRows(
    tokens: Loaded<TokenList>,
    visitor: Loaded<Visitor>,
    /// Called with the name of a token that was given another owner.
    owned: impl Fn(String) + Copy + Send + Sync + 'static,
    /// Called with the name of a token that was revoked.
    revoked: impl Fn(String) + Copy + Send + Sync + 'static,
    said: RwSignal<String>,
    live: Live,
) -> impl IntoView {
    let rows = move |working: bool| {
        let list = tokens.get().and_then(Result::ok);
        let dated = list.map(|list| list.rows.into_iter().map(move |row| (row, list.as_of)));
        let all = dated.into_iter().flatten();
        all.filter(|(row, as_of)| row.works(*as_of) == working)
            .collect::<Vec<_>>()
    };
    // Read once for each line that comes.
    let people = move || {
        let list = tokens.get_untracked().and_then(Result::ok);
        list.map(|list| list.people).unwrap_or_default()
    };
    let gone = move || rows(false).len();
    let known = move || tokens.get().is_some_and(|list| list.is_ok());
    view! {
        <section hidden=move || !known() aria-labelledby="tokens-title">
            <h2 id="tokens-title" class="section-title">
                "Tokens"
            </h2>
            <Said words=said />
            <ul class="list" hidden=move || rows(true).is_empty()>
                <For each=move || rows(true) key=|(row, _)| row.clone() let((row, as_of))>
                    <TokenLine row=row.clone() as_of live>
                        {(row.kind == TokenKind::Agent)
                            .then(|| {
                                view! {
                                    <OwnerForm row=row.clone() people=people() visitor changed=owned />
                                }
                            })}
                        <RevokeForm row=row.clone() revoked />
                    </TokenLine>
                </For>
            </ul>
            <p class="list-note" hidden=move || !rows(true).is_empty()>
                "No token works at the moment, so no agent can ask. Make one and give it to an agent."
            </p>
            <details class="revoked" hidden=move || gone() == 0>
                <summary>
                    {move || match gone() {
                        1 => "1 token that no longer works".to_owned(),
                        gone => format!("{gone} tokens that no longer work"),
                    }}
                </summary>
                <ul class="list">
                    <For each=move || rows(false) key=|(row, _)| row.clone() let((row, as_of))>
                        <TokenLine row as_of live />
                    </For>
                </ul>
            </details>
        </section>
    }
}

#[component]
fn TokenLine(
    row: TokenRow,
    as_of: DateTime<Utc>,
    live: Live,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    let live = live.as_of(as_of);
    let kind = match row.kind {
        TokenKind::Agent => "Agent",
        TokenKind::Responder => "Responder",
    };
    view! {
        <li class="list-row token-line">
            <span class="token-kind">{kind}</span>
            <span class="token-name" title=row.name.clone()>
                <bdi>{row.name.clone()}</bdi>
            </span>
            <span class="token-facts">
                "made " <Ago at=row.created_at live />
                {row.made_by.clone().map(|name| view! { " by " <bdi>{name}</bdi> })} " · "
                {(row.kind == TokenKind::Agent)
                    .then(|| match row.owner.clone() {
                        Some(owner) => view! { <BelongsTo owners=vec![owner] /> " · " }.into_any(),
                        None => "belongs to nobody · ".into_any(),
                    })}
                {(!row.teams.is_empty())
                    .then(|| {
                        let how = match row.kind {
                            TokenKind::Agent => "at home in ",
                            TokenKind::Responder => "answers for ",
                        };
                        view! { {how} <Names names=row.teams.clone() /> " · " }
                    })}
                {match row.last_used_at {
                    Some(at) => view! { "last used " <Ago at live /> }.into_any(),
                    None => "never used".into_any(),
                }}
                " · "
                {match row.expires_at {
                    Some(at) if at <= as_of => view! { "expired " <Ago at live /> }.into_any(),
                    Some(at) => view! { "works for " <Until at live /> " more" }.into_any(),
                    None => "never expires".into_any(),
                }}
                {row
                    .revoked_at
                    .map(|at| {
                        view! {
                            " · revoked "
                            <Ago at live />
                        }
                    })}
            </span>
            {children.map(|children| children())}
        </li>
    }
}
