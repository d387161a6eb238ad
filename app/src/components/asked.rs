//! The request, to read: the action, the prompt, the plan, and the options to pick from.

use leptos::prelude::*;

use super::{
    action_block::ActionBlock, kind_mark::LevelMark, option_text::OptionText,
    plan_versions::PlanVersionsView,
};
use crate::view::{ChoiceView, Control, FormStep};

/// Everything the agent sent. Where a control follows, options and questions are left to it.
#[component]
pub(super) fn Asked(
    agent: String,
    prompt_html: String,
    control: Control,
    has_control: bool,
) -> impl IntoView {
    let prompt = view! { <div class="prompt" inner_html=prompt_html></div> };
    match control {
        Control::Approve(action) => view! {
            <ActionBlock action />
            <h2 class="part-title">"What " <bdi>{agent}</bdi> " says about it"</h2>
            {prompt}
        }
        .into_any(),
        Control::Decide {
            plan_html,
            versions,
            ..
        } => view! {
            {prompt}
            {versions.map(|versions| view! { <PlanVersionsView versions=*versions /> })}
            <section class="plan" aria-labelledby="plan-title">
                <h2 id="plan-title" class="part-title">
                    "The plan"
                </h2>
                <div class="prompt" inner_html=plan_html></div>
            </section>
        }
        .into_any(),
        Control::Choice(choice) if !has_control => view! {
            {prompt}
            <Options choice />
        }
        .into_any(),
        Control::Form(steps) if !has_control => view! {
            {prompt}
            <Steps steps />
        }
        .into_any(),
        Control::Nothing { level } => view! {
            <p class="level">
                <LevelMark level />
            </p>
            {prompt}
        }
        .into_any(),
        Control::Text | Control::Acknowledge | Control::Choice(_) | Control::Form(_) => {
            prompt.into_any()
        }
    }
}

#[component]
pub(super) fn Options(choice: ChoiceView) -> impl IntoView {
    view! {
        <ul class="asked-options">
            {choice
                .options
                .into_iter()
                .map(|option| {
                    view! {
                        <li>
                            <OptionText
                                label_html=option.label_html
                                description_html=option.description_html
                            />
                        </li>
                    }
                })
                .collect_view()}
        </ul>
    }
}

#[component]
fn Steps(steps: Vec<FormStep>) -> impl IntoView {
    let of = steps.len();
    view! {
        <ol class="asked-steps">
            {steps
                .into_iter()
                .enumerate()
                .map(|(n, step)| {
                    view! {
                        <li>
                            <p class="step-count">{format!("{} of {of}", n + 1)}</p>
                            <div class="prompt step-prompt" inner_html=step.prompt_html></div>
                            {step.choice.map(|choice| view! { <Options choice /> })}
                            {match step.answer_html {
                                Some(answer) => {
                                    view! {
                                        <div class="answer-text given-answer" dir="auto" inner_html=answer></div>
                                    }
                                        .into_any()
                                }
                                None => view! { <p class="part-note">"Not answered"</p> }.into_any(),
                            }}
                        </li>
                    }
                })
                .collect_view()}
        </ol>
    }
}
