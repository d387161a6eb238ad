//! `/blockers/{id}`: the resolution dialog over the overview.

use domain::InteractionId;
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use super::OverviewPage;
use crate::{
    components::{Answering, BlockerView, Dialog, Failure},
    error::UiError,
    held::Holding,
    live::Live,
    load,
    server_fns::load_blocker,
    view::CalledBack,
};

/// One blocker.
#[component]
pub(crate) fn BlockerPage() -> impl IntoView {
    let params = use_params_map();
    let id = move || {
        params.with(|params| {
            params
                .get("id")
                .and_then(|id| id.parse::<InteractionId>().ok())
        })
    };
    view! {
        <OverviewPage />
        <Dialog>
            // Nothing of one blocker may be left over in the dialog of the next: neither a text, nor a
            // tick, nor an error.
            <For each=move || [id()] key=|id| *id let:id>
                <OneBlocker id />
            </For>
        </Dialog>
    }
}

#[component]
fn OneBlocker(id: Option<InteractionId>) -> impl IntoView {
    let blocker = load::load(
        || (),
        move |()| async move {
            match id {
                Some(id) => load_blocker(id).await,
                None => Err(UiError::NotFound),
            }
        },
    );
    let reload = move || blocker.refetch();
    let answering = Answering::new(id, reload);
    let said = RwSignal::new(String::new());
    reload_on_change(id, said, reload);
    view! {
        // All outside of an open dialog is silent.
        <p class="visually-hidden" role="status">
            {move || said.get()}
        </p>
        <Transition fallback=|| view! { <p class="dialog-note">"Loading…"</p> }>
            {move || Suspend::new(async move {
                match blocker.await {
                    Ok(blocker) => view! { <BlockerView blocker answering /> }.into_any(),
                    Err(error) => view! { <Failure error /> }.into_any(),
                }
            })}
        </Transition>
    }
}

/// The desk's knowledge of one blocker.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    waits: bool,
    answered: Option<usize>,
    collected: bool,
    callback: Option<CalledBack>,
    follow_ups: usize,
    preview: Option<String>,
    /// Who is on it, as a sentence.
    claim: Option<String>,
    around: Option<(Option<String>, bool)>,
}

/// The dialog shows what happens as soon as the page hears of it: that a person answered, or a question
/// of the form, that the deadline passed, that the agent picked the answer up, that more was said, that it was erased.
///
/// `said` is what a screen reader says of a claim that begins or ends.
fn reload_on_change(
    id: Option<InteractionId>,
    said: RwSignal<String>,
    reload: impl Fn() + Copy + Send + Sync + 'static,
) {
    let (Some(id), Some(live)) = (id, use_context::<Live>()) else {
        return;
    };
    let holding = use_context::<Holding>();
    // Until then the desk is on its way to where the server's was, which is no change.
    let seen = Memo::new(move |_| {
        let runs = live.hydrated.get();
        runs.then(|| {
            live.desk.with(|desk| {
                let row = desk.waiting.iter().find(|row| row.id == id);
                let closed = desk.recent.iter().find(|closed| closed.row.id == id);
                Seen {
                    waits: row.is_some(),
                    answered: row.and_then(|row| row.progress).map(|it| it.answered),
                    collected: closed.is_some_and(|closed| closed.collected_at.is_some()),
                    callback: closed.and_then(|closed| closed.callback),
                    follow_ups: closed.map_or(0, |closed| closed.follow_ups),
                    preview: closed.map(|closed| closed.row.preview.clone()),
                    claim: row.and_then(|row| {
                        let me = holding.and_then(Holding::person);
                        let name = row.claim.as_ref()?;
                        Some(match me.is_some() && row.claimant == me {
                            true => "You are on it.".to_owned(),
                            false => format!("{name} is on it."),
                        })
                    }),
                    around: row.map(|row| (row.to.clone(), row.offline)),
                }
            })
        })
    });
    Effect::new(move |before: Option<Option<Seen>>| {
        let now = seen.get();
        let before = before.flatten();
        if before.is_some() && before != now {
            let claim_of = |seen: &Option<Seen>| seen.as_ref().and_then(|seen| seen.claim.clone());
            let claim = claim_of(&now);
            if now.as_ref().is_some_and(|now| now.waits) && claim != claim_of(&before) {
                said.set(claim.unwrap_or_else(|| "The claim has ended.".to_owned()));
            }
            reload();
        }
        now
    });
}
