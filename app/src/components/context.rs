//! The facts beside a prompt: who asks, in which work, until when, and which questions came before.

use domain::interaction::{Outcome, TaskRef};
use leptos::prelude::*;

use super::{deadline::Consequence, history_address::address, moment::Ago};
use crate::{
    live::Live,
    view::{BlockerStatus, Earlier, HistoryQuery, Row, drawn_name},
};

/// The context of one interaction.
#[component]
pub(super) fn Context(
    row: Row,
    task: Option<TaskRef>,
    fallback: Option<String>,
    status: BlockerStatus,
    earlier: Vec<Earlier>,
    slack_link: Option<String>,
    team: Option<String>,
    live: Live,
) -> impl IntoView {
    let end = match status {
        BlockerStatus::Open => view! {
            <div>
                <dt>"If nobody answers"</dt>
                <dd>
                    <Consequence row=row.clone() fallback live />
                </dd>
            </div>
        }
        .into_any(),
        BlockerStatus::Closed(ending) => {
            let expired = matches!(ending.outcome, Outcome::Expired | Outcome::Fallback);
            let told = ending.outcome == Outcome::Delivered;
            (!told)
                .then(|| {
                    view! {
                        <div>
                            <dt>{if expired { "Expired" } else { "Closed" }}</dt>
                            <dd>
                                <Ago at=ending.at live />
                            </dd>
                        </div>
                    }
                })
                .into_any()
        }
    };
    view! {
        <dl class="context">
            <div>
                <dt>"Agent"</dt>
                <dd dir="auto">{row.agent.clone()}</dd>
            </div>
            {team
                .map(|team| {
                    view! {
                        <div>
                            <dt>"Team"</dt>
                            <dd dir="auto">{team}</dd>
                        </div>
                    }
                })}
            {row.session_id.clone().map(|session| view! { <Session session /> })}
            {task.map(|task| view! { <Task task /> })}
            <div>
                <dt>"Asked"</dt>
                <dd>
                    <Ago at=row.created_at live />
                </dd>
            </div>
            {end}
            {slack_link
                .map(|href| {
                    view! {
                        <div>
                            <dt>"Slack"</dt>
                            <dd>
                                <a href=href target="_blank" rel="noopener noreferrer">
                                    "Open in Slack"
                                </a>
                            </dd>
                        </div>
                    }
                })}
            <EarlierList earlier live />
        </dl>
    }
}

#[component]
fn Session(session: String) -> impl IntoView {
    let all = address(&HistoryQuery {
        session_id: Some(session.clone()),
        ..HistoryQuery::default()
    });
    view! {
        <div>
            <dt>"Session"</dt>
            <dd class="mono">
                <a href=all dir="auto">
                    {drawn_name(&session)}
                </a>
            </dd>
        </div>
    }
}

/// The piece of work, with its step and description.
#[component]
pub(super) fn Task(task: TaskRef) -> impl IntoView {
    let all = address(&HistoryQuery {
        task_id: Some(task.id.clone()),
        ..HistoryQuery::default()
    });
    view! {
        <div>
            <dt>"Task"</dt>
            <dd>
                <span dir="auto">{task.title}</span>
                " "
                <a class="mono" href=all dir="auto">
                    {drawn_name(&task.id)}
                </a>
                {task.step.map(|step| view! { <p dir="auto">"Step: " {step}</p> })}
                {task
                    .description
                    .map(|text| {
                        view! {
                            <p class="context-text" dir="auto">
                                {text}
                            </p>
                        }
                    })}
            </dd>
        </div>
    }
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
                                <p>
                                    <a href=format!("/interactions/{}", earlier.id) dir="auto">
                                        {earlier.question}
                                    </a>
                                </p>
                                <p class="earlier-answer" dir="auto">
                                    {match (earlier.answer, earlier.waits) {
                                        (Some(answer), _) => answer,
                                        (None, true) => "Waits for an answer".to_owned(),
                                        (None, false) => "No answer".to_owned(),
                                    }}
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
