//! On a new installation: from the token to the answer that was picked up, one step after the other.

use domain::{Role, TokenKind};
use leptos::prelude::*;

use super::{
    command_line::CommandLine,
    controls::{Problem, Sending},
};
use crate::{desk::Desk, live::Live, server_fns::CreateToken, view::Visitor};

const AGENT: &str = "backend";
/// How long the token of a first try works.
const LIFETIME: &str = "30d";

/// How far the first question is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// No agent has asked.
    Ask,
    /// It waits for its answer.
    Answer,
    /// It has not heard of it.
    PickUp,
    /// It has.
    Done,
}

impl Stage {
    /// `None` once there is more than the first question.
    fn of(desk: &Desk) -> Option<Self> {
        match (desk.count_waiting(), desk.recent.as_slice()) {
            (0, []) => Some(Self::Ask),
            (1, []) => Some(Self::Answer),
            (0, [only]) if only.collected_at.is_some() => Some(Self::Done),
            (0, [_]) => Some(Self::PickUp),
            _ => None,
        }
    }
}

/// Shown until the first answer was picked up, and on the page that saw it.
#[component]
pub(crate) fn FirstQuestion(live: Live, visitor: Visitor) -> impl IntoView {
    let stage = Memo::new(move |_| live.desk.with(Stage::of));
    // A page that comes when all is done needs no guide.
    let is_new = stage
        .get_untracked()
        .is_some_and(|stage| stage < Stage::Done);
    let is_hidden = move || !is_new || stage.get().is_none();
    let create = ServerAction::<CreateToken>::new();
    let token = move || create.value().get().and_then(Result::ok);
    let url = visitor.agent_url;
    view! {
        <section class="first-question" hidden=is_hidden>
            <h1 class="page-title">"Ask the first question"</h1>
            <ol class="first-steps">
                <Step n=Stage::Ask stage>
                    {if visitor.role == Role::Admin {
                        view! { <MakeToken create stage /> }.into_any()
                    } else {
                        view! {
                            <p>"An agent needs a token. Your admin makes one under Settings."</p>
                        }
                            .into_any()
                    }}
                    <p>"Paste this into a shell. It asks, and waits for the answer:"</p>
                    {move || view! { <CommandLine text=sample(&url, token().as_deref()) /> }}
                </Step>
                <Step n=Stage::Answer stage>
                    <p>"The question stands in the list of those who wait. Open it, and answer."</p>
                </Step>
                <Step n=Stage::PickUp stage>
                    <p>"The agent picks the answer up: the shell prints it."</p>
                </Step>
            </ol>
            <p class="first-done" role="status">
                {move || {
                    (stage.get() == Some(Stage::Done))
                        .then(|| {
                            view! {
                                "Picked up. That is all there is to it. "
                                <a href="/docs/agents" rel="external">
                                    "How agents ask"
                                </a>
                                ": from a shell, Python, Claude Code, or by MCP."
                            }
                        })
                }}
            </p>
        </section>
    }
}

/// One step: done, at hand, or still to come.
#[component]
fn Step(n: Stage, stage: Memo<Option<Stage>>, children: Children) -> impl IntoView {
    let is_at_hand = move || stage.get() == Some(n);
    let is_done = move || stage.get().is_some_and(|stage| stage > n);
    view! {
        <li
            class="first-step"
            class:done=is_done
            aria-current=move || is_at_hand().then_some("step")
        >
            {children()}
            <span class="visually-hidden">{move || is_done().then_some("Done")}</span>
        </li>
    }
}

#[component]
fn MakeToken(create: ServerAction<CreateToken>, stage: Memo<Option<Stage>>) -> impl IntoView {
    let sending = Sending::of(create);
    // Without scripts the token would come back as nothing that can be read.
    let runs = RwSignal::new(false);
    Effect::new(move |_| runs.set(true));
    let is_made = move || matches!(create.value().get(), Some(Ok(_)));
    // Who has asked has a token, though this page may not have made it.
    let has_one = move || is_made() || stage.get() > Some(Stage::Ask);
    view! {
        <p hidden=has_one>
            "An agent needs a token: make one here, or with "
            <code>"handraise token create --kind agent --name "{AGENT}</code> " on the server's machine."
        </p>
        <ActionForm action=create attr:class="first-token">
            <input type="hidden" name="kind" value=TokenKind::Agent.name() />
            <input type="hidden" name="name" value=AGENT />
            <input type="hidden" name="expires" value=LIFETIME />
            <button
                class="button primary"
                type="submit"
                hidden=has_one
                disabled=move || sending.is_pending() || !runs.get()
            >
                "Make a token"
            </button>
            <Problem id="first-problem" sending />
        </ActionForm>
        <p role="status">
            {move || is_made().then_some("The token stands in what follows. It works for 30 days, and is not shown again.")}
        </p>
    }
}

/// Asks, waits however long it takes, and prints the answer; what else came of it as it came.
fn sample(url: &str, token: Option<&str>) -> String {
    let token = token.unwrap_or("THE_TOKEN");
    format!(
        r#"export HANDRAISE_TOKEN={token}
url={url}/api/v1/interactions auth="Authorization: Bearer $HANDRAISE_TOKEN"
asked=$(curl -s "$url" -H "$auth" -H 'Content-Type: application/json' \
  -d '{{"kind": "question", "prompt": "What latency target should I optimise for?"}}')
id=$(printf %s "$asked" | grep -o '"id":"[^"]*"' | head -n 1 | cut -d '"' -f 4)
until answer=$(curl -sf -X POST "$url/$id/collect" -H "$auth"); do
  curl -sf "$url/$id" -H "$auth" -H 'Prefer: wait=60' -o /dev/null || {{ answer=$asked; break; }}
done
printf '%s\n' "$answer" | grep -o '"text":"[^"]*"' || printf '%s\n' "$answer""#
    )
}

#[cfg(test)]
mod tests {
    use domain::interaction::Mode;

    use super::*;
    use crate::desk::tests::{closed_row, row};

    #[test]
    fn the_guide_ends_with_the_first_answer_that_was_picked_up() {
        let mut desk = Desk::default();
        assert_eq!(Stage::of(&desk), Some(Stage::Ask));
        desk.waiting = vec![row(1, Mode::Async, false)];
        assert_eq!(Stage::of(&desk), Some(Stage::Answer));
        desk.waiting.clear();
        desk.recent = vec![closed_row(1)];
        assert_eq!(Stage::of(&desk), Some(Stage::PickUp));
        desk.recent[0].collected_at = Some(chrono::DateTime::UNIX_EPOCH);
        assert_eq!(Stage::of(&desk), Some(Stage::Done));
        desk.waiting = vec![row(2, Mode::Async, false)];
        assert_eq!(Stage::of(&desk), None);
    }
}
