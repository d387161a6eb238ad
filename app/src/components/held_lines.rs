//! What a person has sent and can still undo, and what did not get through: a quiet line at the bottom.

use leptos::prelude::*;

use super::keys::undo;
use crate::{
    drawn_later::{Drawers, DrawnLater},
    error::UiError,
    held::{Held, Holding, Stage},
    live::Live,
    marks::Marks,
};

/// Nothing while nothing is held.
#[component]
pub(crate) fn HeldLines() -> impl IntoView {
    let (live, holding) = (use_context::<Live>()?, use_context::<Holding>()?);
    let marks = use_context::<Marks>()?;
    let draw = Box::new(move |it: &Drawers| (it.held)(live, holding, marks));
    Some(view! {
        <div class="held-lines" role="status">
            <DrawnLater draw />
        </div>
    })
}

pub(crate) fn draw_held(live: Live, holding: Holding, marks: Marks) -> AnyView {
    let shown = move || {
        let all = holding.all();
        let last = all.iter().rposition(|one| one.stage == Stage::Held);
        let all = all
            .into_iter()
            .enumerate()
            .filter(move |(n, one)| match one.stage {
                // One is undone at a time, the last one first.
                Stage::Held => Some(*n) == last,
                Stage::Sending => false,
                Stage::Late | Stage::Failed(_) => true,
            });
        all.map(|(_, one)| one).collect::<Vec<_>>()
    };
    view! {
        <For each=shown key=Held::key let:one>
            <Line one live holding marks />
        </For>
    }
    .into_any()
}

#[component]
fn Line(one: Held, live: Live, holding: Holding, marks: Marks) -> impl IntoView {
    let said = view! {
        <span class="held-said" dir="auto">
            {one.said()}
        </span>
    };
    let (failed, known) = (one.clone(), one.clone());
    let open = move || {
        view! {
            <a class="button quiet small" href=one.place.address()>
                "Open"
            </a>
            <button class="button quiet small" type="button" on:click=move |_| holding.dismiss(&known)>
                "Dismiss"
            </button>
        }
    };
    match one.stage {
        Stage::Held | Stage::Sending => view! {
            <p class="held-line" data-stage="held">
                {said}
                <button class="button small" type="button" on:click=move |_| _ = undo(live, holding, marks)>
                    "Undo"
                    <kbd>"Z"</kbd>
                </button>
            </p>
        }
        .into_any(),
        Stage::Late => view! {
            <p class="held-line" data-stage="over">
                {said} <strong>"Not sent: it was over before."</strong> {open()}
            </p>
        }
        .into_any(),
        // It says so itself, and the same would be refused again.
        Stage::Failed(UiError::Changed) => view! {
            <p class="held-line" data-stage="over">
                {said} <strong>{UiError::Changed.to_string()}</strong> {open()}
            </p>
        }
        .into_any(),
        Stage::Failed(why) => view! {
            <p class="held-line" data-stage="over">
                {said} <strong>{format!("Not sent. {why}")}</strong>
                <button class="button small" type="button" on:click=move |_| holding.again(&failed)>
                    "Send again"
                </button>
                {open()}
            </p>
        }
        .into_any(),
    }
}
