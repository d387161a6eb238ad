//! The tasks: how each goes, and what it waits for.

use domain::task::TaskStatus;
use leptos::prelude::*;

use super::{
    chip::{Chip, ChipRow},
    history_address::address,
    icon::{Icon, Shape},
    moment::Ago,
    team_mark::TeamMark,
    waiting_link::WaitingLinks,
};
use crate::{
    live::Live,
    view::{HistoryQuery, TaskList, TaskRow, drawn_name},
};

/// The tasks of one status, or all.
#[component]
pub(crate) fn TaskRows(list: TaskList, status: Memo<Option<String>>, live: Live) -> impl IntoView {
    let live = live.as_of(list.as_of);
    let empty = list.rows.is_empty();
    view! {
        <ul class="list" hidden=empty>
            {list.rows.into_iter().map(|task| view! { <TaskLine task live /> }).collect_view()}
        </ul>
        {empty.then(|| view! { <NoTasks status /> })}
    }
}

/// Which tasks are shown.
#[component]
pub(crate) fn TaskFilters(status: Memo<Option<String>>) -> impl IntoView {
    view! {
        <ChipRow label="Status">
            {TaskStatus::NAMES
                .map(|name| {
                    let on = Memo::new(move |_| status.with(|status| status.as_deref() == Some(name)));
                    let href = Signal::derive(move || {
                        if on.get() { "/tasks".to_owned() } else { format!("/tasks?status={name}") }
                    });
                    view! { <Chip words=word(name).to_owned() href on /> }
                })
                .collect_view()}
        </ChipRow>
    }
}

#[component]
fn TaskLine(task: TaskRow, live: Live) -> impl IntoView {
    let all = address(&HistoryQuery {
        task_id: Some(task.id.clone()),
        agent: Some(task.agent.clone()),
        ..HistoryQuery::default()
    });
    view! {
        <li class="list-row work-row">
            <div class="work-line">
                <StatusWord status=task.status.clone() />
                <a class="list-link work-name" href=all>
                    <span class="work-title" dir="auto">
                        {task.title}
                    </span>
                    " "
                    <bdi class="mono">{drawn_name(&task.id)}</bdi>
                </a>
                <span class="work-meta">
                    <TeamMark team=task.team />
                    <bdi>{task.agent}</bdi>
                    " · changed " <Ago at=task.updated_at live />
                </span>
            </div>
            {task
                .step
                .map(|step| {
                    view! {
                        <p class="part-note" dir="auto">
                            "Step: "
                            {step}
                        </p>
                    }
                })}
            <Failed failed=task.status == "failed" reason=task.reason />
            <WaitingLinks rows=task.waiting live />
        </li>
    }
}

/// Why it cannot go on, and what to do.
#[component]
fn Failed(failed: bool, reason: Option<String>) -> impl IntoView {
    failed.then(|| {
        view! {
            <p class="work-reason">
                <span dir="auto">{reason}</span>
                " "
                <span class="part-note">"Review it and restart the agent."</span>
            </p>
        }
    })
}

#[component]
fn StatusWord(status: String) -> impl IntoView {
    let shape = match &*status {
        "running" => Shape::Play,
        "waiting" => Shape::Clock,
        "failed" => Shape::Failed,
        _ => Shape::Check,
    };
    view! {
        <span class="outcome work-status">
            <Icon shape />
            {word(&status)}
        </span>
    }
}

fn word(name: &str) -> &'static str {
    match name {
        "running" => "Running",
        "waiting" => "Waiting",
        "failed" => "Failed",
        _ => "Done",
    }
}

#[component]
fn NoTasks(status: Memo<Option<String>>) -> impl IntoView {
    view! {
        <p class="list-note">
            {move || {
                if status.with(Option::is_none) {
                    "No agent has registered a task yet.".into_any()
                } else {
                    view! {
                        "No task has this status. "
                        <a href="/tasks">"Show all"</a>
                        "."
                    }
                        .into_any()
                }
            }}
        </p>
    }
}
