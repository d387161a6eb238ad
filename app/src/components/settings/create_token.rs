//! Making a token.

use domain::{TokenKind, limits};
use leptos::{html, prelude::*};

use super::{confirm_field::ConfirmField, submit::Submit, when_done::when_done};
use crate::{
    components::controls::Sending, load::Loaded, server_fns::CreateToken as Create, view::Visitor,
};

const KINDS: [(TokenKind, &str, &str); 2] = [
    (
        TokenKind::Agent,
        "Agent",
        "Asks, and gets the answers to what it asked. It can never answer",
    ),
    (
        TokenKind::Responder,
        "Responder",
        "A script that reads everything and answers, as a person would",
    ),
];

/// How long a token works: what is sent, what is shown, and whether it is chosen already.
const LIFETIMES: [(&str, &str, bool); 6] = [
    ("12h", "12 hours", false),
    ("7d", "7 days", false),
    ("30d", "30 days", false),
    ("90d", "90 days", false),
    ("365d", "A year", true),
    ("never", "Until it is revoked", false),
];

/// A kind, a name and an end; the token comes back.
#[component]
pub(crate) fn CreateToken(create: ServerAction<Create>, visitor: Loaded<Visitor>) -> impl IntoView {
    let sending = Sending::of(create);
    let form = NodeRef::<html::Form>::new();
    when_done(create, move |_, _| {
        if let Some(form) = form.get_untracked() {
            form.reset();
        }
    });
    view! {
        <section aria-labelledby="create-title">
            <h2 id="create-title" class="section-title">
                "Make a token"
            </h2>
            <ActionForm action=create node_ref=form attr:class="fields wide">
                <fieldset class="option-list roles">
                    <legend>"For"</legend>
                    {KINDS
                        .map(|(kind, word, meaning)| {
                            let first = kind == TokenKind::Agent;
                            view! {
                                <label class="option">
                                    <input type="radio" name="kind" value=kind.name() checked=first required />
                                    <span class="option-text">
                                        <span>{word}</span>
                                        <span class="option-more">{meaning}</span>
                                    </span>
                                </label>
                            }
                        })
                        .collect_view()}
                </fieldset>
                <div class="labelled">
                    <label for="token-name">"Name"</label>
                    <input
                        id="token-name"
                        class="field"
                        name="name"
                        maxlength=limits::LINE_CHARS.to_string()
                        autocomplete="off"
                        autocapitalize="none"
                        spellcheck="false"
                        dir="auto"
                        required
                        aria-describedby="token-hint create-problem"
                    />
                    <p id="token-hint" class="hint">
                        "People see it beside what it asks or answers. Tokens of one name are one agent."
                    </p>
                </div>
                <div class="labelled">
                    <label for="token-expires">"Works for"</label>
                    <select id="token-expires" class="field" name="expires">
                        {LIFETIMES
                            .map(|(value, words, chosen)| {
                                view! {
                                    <option value=value selected=chosen>
                                        {words}
                                    </option>
                                }
                            })
                            .collect_view()}
                    </select>
                </div>
                <ConfirmField visitor sending id="token-confirm" problem="create-problem" />
                <Submit
                    sending
                    label="Make token"
                    problem="create-problem"
                    done="The token is made."
                    primary=true
                    needs_script=true
                />
            </ActionForm>
        </section>
    }
}
