//! One line of the panel: a blocker, or all that are the same to a person.

use std::collections::HashSet;

use domain::InteractionId;
use leptos::{ev, prelude::*};
use leptos_router::hooks::use_location;

use super::{
    also_open::AlsoOpen, badge::UrgentMark, deadline::TimeLeft, kind_mark::KindMark, moment::Since,
    team_mark::TeamMark,
};
use crate::{
    desk::place::{Item, Place, shared_words},
    held::Holding,
    live::Live,
    marks::Marks,
    view::{Row, drawn_name},
};

/// The element stays while rows of its group come and go.
#[component]
pub(super) fn WaitingRow(
    key: Place,
    items: Memo<Vec<Item>>,
    drafts: RwSignal<HashSet<InteractionId>>,
    live: Live,
) -> impl IntoView {
    let item = Memo::new(move |_| {
        items.with(|items| items.iter().find(|item| item.key() == key).cloned())
    });
    let place = Memo::new(move |_| item.with(|item| item.as_ref().map_or(key, |item| item.place)));
    let location = use_location();
    let current = move || {
        let here = location.pathname.with(|path| Place::at(path));
        (here == Some(place.get())).then_some("page")
    };
    let marks = use_context::<Marks>();
    let is_marked = Memo::new(move |_| {
        item.with(|item| {
            let item = item.as_ref()?;
            marks.map(|marks| marks.has(item))
        })
        .unwrap_or_default()
    });
    let is_begun = Memo::new(move |_| {
        item.with(|item| {
            let mut rows = item.iter().flat_map(|item| &item.rows);
            drafts.with(|drafts| rows.any(|row| drafts.contains(&row.id)))
        })
    });
    let mode = move || item.with(|item| item.as_ref().map(|item| item.rows[0].mode.name()));
    let toggle = move |event: ev::MouseEvent| {
        event.prevent_default();
        if let (Some(marks), Some(holding)) = (marks, use_context::<Holding>()) {
            marks.toggle(live, holding, place.get_untracked());
        }
    };
    view! {
        <li class="row" data-mode=mode data-marked=move || is_marked.get().then_some("")>
            <a class="row-link" href=move || place.get().address() aria-current=current>
                {move || item.get().map(|item| view! { <Content item live /> })}
                {move || {
                    is_begun
                        .get()
                        .then(|| view! { <span class="row-begun">"Your answer is begun"</span> })
                }}
                <span class="row-present">
                    <AlsoOpen item=item.into() live />
                </span>
                <span class="visually-hidden">{move || is_marked.get().then_some("Marked")}</span>
            </a>
            // By the keyboard it is X on the row.
            <button
                class="row-mark"
                type="button"
                tabindex="-1"
                aria-label="Mark"
                aria-pressed=move || is_marked.get().to_string()
                on:click=toggle
            ></button>
        </li>
    }
}

#[component]
fn Content(item: Item, live: Live) -> impl IntoView {
    let count = item.rows.len();
    let abouts: Vec<&str> = item
        .rows
        .iter()
        .filter_map(|row| row.about.as_deref())
        .collect();
    let about = (!abouts.is_empty()).then(|| shared_words(&abouts));
    let previews: Vec<&str> = item.rows.iter().map(|row| row.preview.as_str()).collect();
    // The words of an approval are its agent's own, for each other ones.
    let preview = match (count, &about) {
        (1, _) | (_, None) => shared_words(&previews),
        (_, Some(_)) => String::new(),
    };
    let row = item.rows.first()?.clone();
    let agents: HashSet<&str> = item.rows.iter().map(|row| row.agent.as_str()).collect();
    let from = match agents.len() {
        1 => row.agent.clone(),
        agents => format!("{agents} agents"),
    };
    let teams: HashSet<&str> = item
        .rows
        .iter()
        .map(|row| row.team.as_deref().unwrap_or_default())
        .collect();
    let team = match teams.len() {
        1 => row.team.clone(),
        _ => Some("several teams".to_owned()),
    };
    // Of a group the one that is over first.
    let mut first = row.clone();
    first.expires_at = item.rows.iter().filter_map(|row| row.expires_at).min();
    let session = row.session_id.as_deref().filter(|_| count == 1);
    let session = session.map(drawn_name);
    let urgent = item.rows.iter().any(|row| row.urgent);
    let me = use_context::<Holding>().and_then(Holding::person);
    let is_mine = |row: &&Row| me.is_some() && row.claimant == me;
    let (yours, ran_out): (Vec<_>, Vec<_>) =
        (item.rows.iter().filter(is_mine)).partition(|row| row.claim.is_some());
    let (yours, ran_out) = (!yours.is_empty(), !ran_out.is_empty());
    // Of a group the first one that is claimed.
    let claim = item.rows.iter().find_map(|row| row.claim.clone());
    let offline = item.rows.iter().any(|row| row.offline);
    let claimed = item.rows.iter().filter(|row| row.claim.is_some()).count();
    let of = (count > 1).then(|| format!("{claimed} of {count}: "));
    let to = row.to.clone();
    let to = to.filter(|_| item.rows.iter().all(|other| other.to == row.to));
    Some(view! {
        <span class="row-line">
            {(count > 1).then(|| view! { <span class="row-count">{format!("{count} ×")}</span> })}
            <UrgentMark urgent />
            <KindMark row=row.clone() live />
            <TimeLeft row=first live />
        </span>
        {about
            .map(|about| {
                view! {
                    <span class="row-about" data-kind=row.kind.name() dir="auto">
                        {about}
                    </span>
                }
            })}
        {(!preview.is_empty())
            .then(|| {
                view! {
                    <span class="row-text" dir="auto">
                        {preview}
                    </span>
                }
            })}
        {offline.then(|| view! { <span class="row-claim">"agent offline"</span> })}
        {claim
            .map(|claim| {
                view! {
                    <span class="row-claim">
                        {of} {yours.then_some("You are on it")}
                        {(!yours).then(|| view! { <bdi>{claim}</bdi> " is on it" })}
                    </span>
                }
            })}
        {ran_out.then(|| view! { <span class="row-claim">"your claim ran out"</span> })}
        {to.map(|to| view! { <span class="row-claim">"for " <bdi>{to}</bdi></span> })}
        <span class="row-line row-meta">
            <span class="row-from">
                <bdi>{from}</bdi>
                {session.map(|session| view! { " · " <bdi>{session}</bdi> })}
            </span>
            <TeamMark team />
            <span class="row-wait">"waits " <Since at=row.created_at live /></span>
        </span>
    })
}
