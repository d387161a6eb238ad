//! `/blockers/{id}`: the resolution dialog over the overview.

use domain::InteractionId;
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use super::OverviewPage;
use crate::{
    components::{BlockerView, Dialog, Failure},
    error::UiError,
    live::Live,
    respond_with_status,
    server_fns::{AnswerBlocker, load_blocker},
    view::AnswerOutcome,
};

/// One blocker.
#[component]
pub(crate) fn BlockerPage() -> impl IntoView {
    let params = use_params_map();
    let id = Memo::new(move |_| {
        params.with(|params| {
            params
                .get("id")
                .and_then(|id| id.parse::<InteractionId>().ok())
        })
    });
    let blocker = Resource::new(
        move || id.get(),
        |id| async move {
            match id {
                Some(id) => load_blocker(id).await,
                None => Err(UiError::NotFound),
            }
        },
    );
    let answer = ServerAction::<AnswerBlocker>::new();
    reload_when_closed(id, blocker, answer);

    view! {
        <OverviewPage />
        <Dialog>
            <Transition fallback=|| view! { <p class="dialog-note">"Loading…"</p> }>
                {move || Suspend::new(async move {
                    match blocker.await {
                        Ok(blocker) => view! { <BlockerView blocker answer /> }.into_any(),
                        Err(error) => {
                            if error == UiError::NotFound {
                                respond_with_status(404);
                            }
                            view! { <Failure error /> }.into_any()
                        }
                    }
                })}
            </Transition>
        </Dialog>
    }
}

/// The dialog shows the end of a blocker as soon as the page hears of it, by its own answer or by
/// somebody else's.
fn reload_when_closed(
    id: Memo<Option<InteractionId>>,
    blocker: Resource<Result<crate::view::Blocker, UiError>>,
    answer: ServerAction<AnswerBlocker>,
) {
    let live = use_context::<Live>();
    let waits = Memo::new(move |_| {
        let id = id.get()?;
        Some(
            live?
                .desk
                .with(|desk| desk.waiting.iter().any(|row| row.id == id)),
        )
    });
    Effect::new(
        move |before: Option<(Option<InteractionId>, Option<bool>)>| {
            let now = (id.get(), waits.get());
            if let Some((same, Some(true))) = before
                && same == now.0
                && now.1 == Some(false)
            {
                blocker.refetch();
            }
            now
        },
    );
    Effect::new(move |_| {
        if let Some(Ok(AnswerOutcome::Sent | AnswerOutcome::TooLate)) = answer.value().get() {
            blocker.refetch();
        }
    });
}
