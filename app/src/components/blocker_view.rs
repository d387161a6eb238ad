//! What the resolution dialog holds: prompt, context, and the control or what became of it.

use leptos::prelude::*;

use super::{
    answer_form::AnswerForm,
    badge::{Badge, UrgentMark},
    closed::Closed,
    deadline::{Consequence, TimeLeft},
    moment::Ago,
};
use crate::{
    live::Live,
    server_fns::AnswerBlocker,
    view::{Blocker, BlockerStatus, Earlier},
};

/// One blocker.
#[component]
pub(crate) fn BlockerView(blocker: Blocker, answer: ServerAction<AnswerBlocker>) -> impl IntoView {
    let live = use_context::<Live>()?.as_of(blocker.as_of);
    let Blocker {
        row,
        title,
        prompt_html,
        task,
        fallback,
        status,
        earlier,
        unsent,
        may_answer,
        as_of: _,
    } = blocker;
    let open = status == BlockerStatus::Open;
    let id = row.id;
    let agent = row.agent.clone();
    let heading = title.unwrap_or_else(|| format!("Question from {agent}"));

    let end = match status {
        BlockerStatus::Open if may_answer => view! { <AnswerForm id answer /> }.into_any(),
        BlockerStatus::Open => view! {
            <p class="dialog-note">"Your role is viewer: you can read this, but not answer."</p>
        }
        .into_any(),
        closed @ BlockerStatus::Closed { .. } => {
            view! { <Closed id agent=agent.clone() status=closed unsent live /> }.into_any()
        }
    };
    Some(view! {
        <header class="dialog-head">
            <Badge mode=row.mode />
            <UrgentMark urgent=row.urgent />
            <h1 class="dialog-title" dir="auto">
                {heading}
            </h1>
            {open.then(|| view! { <TimeLeft row=row.clone() live /> })}
            <a class="button quiet dialog-close" href="/" aria-label="Close">
                <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
                    <path d="M4 4l8 8M12 4l-8 8" stroke="currentColor" stroke-width="1.5" />
                </svg>
            </a>
        </header>
        <div class="dialog-body">
            <div class="prompt" dir="auto" inner_html=prompt_html></div>
            <dl class="context">
                <div>
                    <dt>"Agent"</dt>
                    <dd>{agent.clone()}</dd>
                </div>
                {row
                    .session_id
                    .map(|session| {
                        view! {
                            <div>
                                <dt>"Session"</dt>
                                <dd class="mono">{session}</dd>
                            </div>
                        }
                    })}
                {task
                    .map(|task| {
                        view! {
                            <div>
                                <dt>"Task"</dt>
                                <dd>
                                    {task.title} " " <span class="mono">{task.id}</span>
                                    {task.step.map(|step| view! { <p>"Step: " {step}</p> })}
                                    {task
                                        .description
                                        .map(|text| view! { <p class="context-text">{text}</p> })}
                                </dd>
                            </div>
                        }
                    })}
                <div>
                    <dt>"Asked"</dt>
                    <dd>
                        <Ago at=row.created_at live />
                    </dd>
                </div>
                {open
                    .then(|| {
                        view! {
                            <div>
                                <dt>"If nobody answers"</dt>
                                <dd>
                                    <Consequence agent expires_at=row.expires_at fallback live />
                                </dd>
                            </div>
                        }
                    })}
                <EarlierList earlier live />
            </dl>
        </div>
        <div class="dialog-end">{end}</div>
    })
}

#[component]
fn EarlierList(earlier: Vec<Earlier>, live: Live) -> impl IntoView {
    (!earlier.is_empty()).then(|| {
        view! {
            <div>
                <dt>"Earlier in this session"</dt>
                {earlier
                    .into_iter()
                    .map(|earlier| {
                        view! {
                            <dd class="earlier">
                                <p dir="auto">{earlier.question}</p>
                                <p class="earlier-answer" dir="auto">
                                    {earlier.answer.unwrap_or_else(|| "No answer".to_owned())}
                                    " · "
                                    <Ago at=earlier.created_at live />
                                </p>
                            </dd>
                        }
                    })
                    .collect_view()}
            </div>
        }
    })
}
