//! `/groups/{fingerprint}` and `/groups/marked`: the dialog that decides several blockers together.

use leptos::prelude::*;
use leptos_router::hooks::use_location;

use super::OverviewPage;
use crate::{
    components::{Dialog, Failure, GroupView},
    desk::place::Place,
    error::UiError,
    held::Holding,
    load,
    marks::Marks,
    server_fns::load_group,
    view::Group,
};

/// Several blockers.
#[component]
pub(crate) fn GroupPage() -> impl IntoView {
    let path = use_location().pathname;
    let place = Memo::new(move |_| path.with(|path| Place::at(path)));
    let holding = use_context::<Holding>();
    let undos = move || holding.map_or(0, |holding| holding.undos.get());
    view! {
        <OverviewPage />
        <Dialog>
            // Nothing of one group may be left over in the dialog of the next, or of what was marked before an undo.
            <For each=move || [(place.get(), undos())] key=|shown| *shown let((place, _undos))>
                <OneGroup place />
            </For>
        </Dialog>
    }
}

#[component]
fn OneGroup(place: Option<Place>) -> impl IntoView {
    let marked = use_context::<Marks>().zip(use_context::<Holding>());
    // As they were when this was opened: what is marked later has not been shown.
    let ids = untrack(|| marked.map(|(marks, holding)| marks.ids(holding)));
    let ids = StoredValue::new(ids.unwrap_or_default());
    let group = load::load(
        || (),
        move |()| async move {
            match place {
                Some(Place::Group(fingerprint)) => load_group(Some(fingerprint), Vec::new()).await,
                Some(Place::Marked) => load_group(None, ids.get_value()).await,
                Some(Place::Blocker(_)) | None => Err(UiError::NotFound),
            }
        },
    );
    view! {
        <Transition fallback=|| view! { <p class="dialog-note">"Loading…"</p> }>
            {move || Suspend::new(async move {
                match (group.await, place) {
                    (Ok(group), Some(place)) => shown(place, group).into_any(),
                    (Err(error), _) => view! { <Failure error /> }.into_any(),
                    (Ok(_), None) => ().into_any(),
                }
            })}
        </Transition>
    }
}

fn shown(place: Place, group: Group) -> impl IntoView {
    view! { <GroupView place group /> }
}
