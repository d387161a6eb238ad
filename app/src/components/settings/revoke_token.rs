//! Ending a token, in two steps: there is no way back.

use domain::TokenKind;
use leptos::prelude::*;

use super::{submit::Submit, when_done::when_done};
use crate::{components::controls::Sending, server_fns::RevokeToken, view::TokenRow};

/// The consequence, and the button.
#[component]
pub(super) fn RevokeForm(
    row: TokenRow,
    /// Called with the token's name.
    revoked: impl Fn(String) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let revoke = ServerAction::<RevokeToken>::new();
    let sending = Sending::of(revoke);
    let name = row.name.clone();
    when_done(revoke, move |_, ()| revoked(name.clone()));
    let what = match row.kind {
        TokenKind::Agent => {
            "The agent can no longer ask or fetch answers with this token: at once, and for good. What it has asked stays."
        }
        TokenKind::Responder => {
            "The script can no longer read or answer with this token: at once, and for good. What it has answered stays."
        }
    };
    view! {
        <details class="confirm">
            <summary>"Revoke…"<span class="visually-hidden">" the token " {row.name}</span></summary>
            <p>{what}</p>
            <ActionForm action=revoke>
                <input type="hidden" name="id" value=row.id.to_string() />
                <Submit sending label="Revoke for good" problem=format!("problem-{}", row.id) />
            </ActionForm>
        </details>
    }
}
