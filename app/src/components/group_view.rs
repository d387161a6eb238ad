//! The content of the dialog that decides several blockers together: each of them whole, and one control.

use leptos::{html, prelude::*};

use super::{
    action_block::ActionBlock,
    also_open::AlsoOpen,
    asked::Options,
    badge::Badge,
    context::Task,
    controls::TogetherControl,
    deadline::TimeLeft,
    dialog::{CameFrom, TITLE, focus_what_is_read},
    group_line::{GroupLine, Ticks},
    kind_mark::kind_word,
    read_to_end::ReadToEnd,
    skip::Skip,
};
use crate::{
    desk::place::{Item, Place, shared_words},
    error::UiError,
    live::Live,
    view::{Control, Group, GroupPart},
};

/// Several blockers.
#[component]
pub(crate) fn GroupView(place: Place, group: Group) -> impl IntoView {
    let live = use_context::<Live>()?.as_of(group.as_of);
    let Group {
        parts,
        prompt_html,
        control,
        more,
        may_answer,
        as_of: _,
    } = group;
    let back = CameFrom::address();
    let main = NodeRef::<html::Div>::new();
    focus_what_is_read(main);
    let rows: Vec<_> = parts.iter().flat_map(|part| part.rows.clone()).collect();
    let count = rows.len();
    let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
    let ticks = Ticks::all(ids);
    let texts: Vec<&str> = rows
        .iter()
        .map(|row| row.about.as_deref().unwrap_or(&row.preview))
        .collect();
    let title = match count {
        0 => "Nothing is left here".to_owned(),
        _ => format!("{count} × {}", shared_words(&texts)),
    };
    let first = rows
        .iter()
        .min_by_key(|row| (row.expires_at.is_none(), row.expires_at));
    let first = first.cloned();
    let kind = first.as_ref().map(|row| row.kind);
    let item = Signal::stored(Some(Item {
        place,
        rows: rows.clone(),
    }));
    let is_one_kind = rows.iter().all(|row| Some(row.kind) == kind);
    let end = if count == 0 {
        view! {
            <div class="form-end">
                <a class="button primary" href=move || back.get()>
                    "Back"
                </a>
            </div>
        }
        .into_any()
    } else if may_answer {
        let digests = parts.iter().flat_map(|part| {
            let digest = part.digest();
            part.rows
                .iter()
                .map(move |row| (row.clone(), digest.clone()))
        });
        let of = digests.collect();
        view! { <TogetherControl place of ticks control=control.clone() /> }.into_any()
    } else {
        view! { <p class="part-note">{UiError::NotAllowed.to_string()}</p> }.into_any()
    };
    let has_options = control
        .as_ref()
        .is_some_and(|control| matches!(control, Control::Choice(_)));
    Some(view! {
        <header class="dialog-head">
            {first.clone().map(|row| view! { <Badge mode=row.mode /> })}
            <h1 id=TITLE class="dialog-title" dir="auto">
                {title}
            </h1>
            {kind
                .filter(|_| is_one_kind)
                .map(|kind| view! { <span class="kind-mark">{kind_word(kind)}</span> })}
            {first.map(|row| view! { <TimeLeft row live /> })}
            <a class="button quiet dialog-close" href=back aria-label="Close">
                <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
                    <path d="M4 4l8 8M12 4l-8 8" stroke="currentColor" stroke-width="1.5" />
                </svg>
            </a>
        </header>
        <div class="dialog-body group-body">
            <div class="dialog-main" tabindex="0" role="group" aria-label="What is asked" node_ref=main>
                {(count == 0)
                    .then(|| {
                        view! {
                            <p>
                                {match place {
                                    Place::Marked => {
                                        "Mark rows of the list with X, and decide them together here."
                                    }
                                    Place::Group(_) | Place::Blocker(_) => {
                                        "All of these are answered, or were taken back."
                                    }
                                }}
                            </p>
                        }
                    })}
                {prompt_html.map(|html| view! { <div class="prompt" inner_html=html></div> })}
                {parts
                    .into_iter()
                    .map(|part| view! { <Part part may_answer has_options ticks live /> })
                    .collect_view()}
                {(more > 0)
                    .then(|| view! { <p class="part-note">{format!("{more} more come after these.")}</p> })}
                <ReadToEnd />
            </div>
        </div>
        <div class="dialog-end">
            {end}
            <div class="dialog-more">
                <Skip here=place />
            </div>
            <p class="also-open" role="status">
                <AlsoOpen item live />
            </p>
        </div>
    })
}

/// All who ask in the same words, and these.
#[component]
fn Part(
    part: GroupPart,
    may_answer: bool,
    has_options: bool,
    ticks: Ticks,
    live: Live,
) -> impl IntoView {
    let digest = part.digest();
    let GroupPart {
        rows,
        title,
        prompt_html,
        control,
        task,
        fallback,
    } = part;
    let agent = rows.first().map(|row| row.agent.clone());
    let agent = agent.filter(|agent| rows.iter().all(|row| row.agent == *agent));
    let words = view! {
        {title
            .map(|title| {
                view! {
                    <p class="part-said" dir="auto">
                        {title}
                    </p>
                }
            })}
        {prompt_html.map(|html| view! { <div class="prompt" inner_html=html></div> })}
    };
    let content = match control {
        // An agent's words come after what will run, under a heading of ours.
        Control::Approve(action) => view! {
            <ActionBlock action />
            <h2 class="part-title">
                {match agent {
                    Some(agent) => view! { "What " <bdi>{agent}</bdi> " says about it" }.into_any(),
                    None => "What its agents say about it".into_any(),
                }}
            </h2>
            {words}
        }
        .into_any(),
        Control::Choice(choice) if !has_options => view! {
            {words}
            <Options choice />
        }
        .into_any(),
        Control::Decide { plan_html, .. } => view! {
            {words}
            <h2 class="part-title">"The plan"</h2>
            <div class="prompt" inner_html=plan_html></div>
        }
        .into_any(),
        Control::Text
        | Control::Acknowledge
        | Control::Choice(_)
        | Control::Form(_)
        | Control::Nothing { .. } => words.into_any(),
    };
    let has_facts = task.is_some() || fallback.is_some();
    view! {
        <section class="group-part">
            <ul class="group-lines">
                {rows
                    .into_iter()
                    .map(|row| {
                        let digest = digest.clone();
                        view! { <GroupLine row digest ticks may_answer live /> }
                    })
                    .collect_view()}
            </ul>
            {has_facts
                .then(|| {
                    view! {
                        <dl class="group-facts">
                            {task.map(|task| view! { <Task task /> })}
                            {fallback
                                .map(|fallback| {
                                    view! {
                                        <div>
                                            <dt>"If nobody answers"</dt>
                                            <dd>
                                                "The fallback " <code dir="auto">{fallback}</code> " is used."
                                            </dd>
                                        </div>
                                    }
                                })}
                        </dl>
                    }
                })}
            {content}
        </section>
    }
}
