//! The resolution dialog's content: the request, context, and the control or the end.

use leptos::{html, prelude::*};

use super::{
    also_open::AlsoOpen,
    answered_before::AnsweredBeforeList,
    around::{AroundLines, ClaimForm, HandOverForm, SnoozeForm},
    asked::Asked,
    badge::{Badge, UrgentMark},
    closed::Closed,
    context::Context,
    controls::{Answering, CancelForm, ControlView, DismissForm},
    deadline::TimeLeft,
    dialog::{CameFrom, TITLE, focus_what_is_read},
    kind_mark::{heading, kind_word},
    read_to_end::ReadToEnd,
    skip::Skip,
    suggestion::SuggestionOffer,
    with_files::WithFiles,
};
use crate::{
    desk::place::{Item, Place},
    error::UiError,
    live::Live,
    view::{Blocker, BlockerStatus, Control},
};

/// One blocker.
#[component]
pub(crate) fn BlockerView(blocker: Blocker, answering: Answering) -> impl IntoView {
    let live = use_context::<Live>()?.as_of(blocker.as_of);
    let Blocker {
        row,
        title,
        prompt_html,
        control,
        team,
        task,
        fallback,
        status,
        earlier,
        answered_before,
        suggestion,
        slack_link,
        unsent,
        around,
        may_answer,
        with_files,
        as_of: _,
    } = blocker;
    let id = row.id;
    answering.is_about(&row);
    let agent = row.agent.clone();
    let expires_at = row.expires_at;
    let open = status == BlockerStatus::Open;
    let back = CameFrom::address();
    let notice = matches!(control, Control::Nothing { .. });
    let main = NodeRef::<html::Div>::new();
    focus_what_is_read(main);

    let end = match status.clone() {
        BlockerStatus::Open if may_answer => {
            let item = Item {
                place: Place::Blocker(id),
                rows: vec![row.clone()],
            };
            view! {
                <AroundLines around=around.clone() live />
                <AnsweredBeforeList id answers=answered_before.clone() />
                {suggestion.map(|suggestion| view! { <SuggestionOffer id suggestion /> })}
                <ControlView id control=control.clone() answering />
                <div class="dialog-more">
                    {with_files.then(|| view! { <WithFiles id /> })}
                    {around.offline.is_some().then(|| view! { <DismissForm id answering /> })}
                    <ClaimForm id claim=around.claim answering />
                    <SnoozeForm id expires_at snoozed=around.snoozed_until.is_some() answering live />
                    <HandOverForm id people=around.people teams=around.teams answering />
                    <CancelForm id agent=agent.clone() answering />
                    <Skip here=Place::Blocker(id) />
                </div>
                <p class="also-open" role="status">
                    <AlsoOpen item=Signal::stored(Some(item)) live />
                </p>
            }
            .into_any()
        }
        BlockerStatus::Open => view! {
            <AroundLines around=around.clone() live />
            <p class="part-note">{UiError::NotAllowed.to_string()}</p>
            <div class="dialog-more">
                <SnoozeForm id expires_at snoozed=around.snoozed_until.is_some() answering live />
                <Skip here=Place::Blocker(id) />
            </div>
        }
        .into_any(),
        BlockerStatus::Closed(ending) => {
            let row = row.clone();
            view! { <Closed row ending=*ending unsent suggestion may_answer answering live /> }
                .into_any()
        }
    };
    Some(view! {
        <header class="dialog-head">
            {(open && !notice).then(|| view! { <Badge mode=row.mode /> })}
            <UrgentMark urgent=row.urgent />
            <h1 id=TITLE class="dialog-title" dir="auto">
                {title.unwrap_or_else(|| heading(row.kind, &agent))}
            </h1>
            <span class="kind-mark">{kind_word(row.kind)}</span>
            {open.then(|| view! { <TimeLeft row=row.clone() live /> })}
            <a class="button quiet dialog-close" href=back aria-label="Close">
                <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
                    <path d="M4 4l8 8M12 4l-8 8" stroke="currentColor" stroke-width="1.5" />
                </svg>
            </a>
        </header>
        <div class="dialog-body">
            <div class="dialog-main" tabindex="0" role="group" aria-label="What is asked" node_ref=main>
                <Asked agent prompt_html control has_control=open && may_answer />
                <ReadToEnd />
            </div>
            <Context row task fallback status earlier slack_link team live />
        </div>
        <div class="dialog-end">{end}</div>
    })
}
