//! Making a token.

use domain::{TokenKind, limits};
use leptos::{html, prelude::*};

use super::{
    confirm_field::ConfirmField, submit::Submit, team_ticks::TeamTicks, when_done::when_done,
};
use crate::{
    components::controls::Sending,
    load::Loaded,
    server_fns::CreateToken as Create,
    view::{TeamName, TokenList, Visitor},
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
        "A script that reads and answers, as a person would",
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
pub(crate) fn CreateToken(
    create: ServerAction<Create>,
    tokens: Loaded<TokenList>,
    visitor: Loaded<Visitor>,
) -> impl IntoView {
    let teams = Memo::new(move |_| {
        let list = tokens.get().and_then(Result::ok);
        list.map(|list| list.teams).unwrap_or_default()
    });
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
            <ActionForm action=create node_ref=form attr:class="fields wide token-form">
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
                {move || view! { <TeamFields teams=teams.get() /> }}
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

/// An agent's home or a script's teams; the style sheet shows what goes with the kind. Nothing where there are no teams.
#[component]
fn TeamFields(teams: Vec<TeamName>) -> impl IntoView {
    (!teams.is_empty()).then(|| {
        view! {
            <div class="labelled of-agents">
                <label for="token-home">"Home"</label>
                <select id="token-home" class="field" name="home" aria-describedby="home-hint create-problem">
                    <option value="">"As it is; a new agent asks everyone"</option>
                    {teams
                        .clone()
                        .into_iter()
                        .map(|team| view! { <option value=team.id.to_string()>{team.name}</option> })
                        .collect_view()}
                </select>
                <p id="home-hint" class="hint">"The team that sees and answers what it asks."</p>
            </div>
            <div class="labelled of-scripts">
                <TeamTicks legend="Beside what belongs to no team, it answers for" teams chosen=Vec::new() />
            </div>
        }
    })
}
