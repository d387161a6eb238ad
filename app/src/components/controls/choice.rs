//! The control of a choice: one option, or several.

use domain::InteractionId;
use leptos::{html, prelude::*};

use super::{
    Answering,
    answer_form::{AnswerForm, blank},
    option_list::{OptionList, picked, picks_enough},
    sending::{Problem, SendButton},
};
use crate::{server_fns::AnswerBlocker, view::ChoiceView};

/// Answers with options. A click picks; nothing is sent before the button is pressed.
#[component]
pub(super) fn ChoiceControl(
    id: InteractionId,
    choice: ChoiceView,
    answering: Answering,
) -> impl IntoView {
    let sending = answering.sending();
    let undone = answering.undone().and_then(|answer| answer.selected);
    let group = NodeRef::<html::Fieldset>::new();
    let multiple = choice.multiple;
    let send = move || {
        if !sending.starts() {
            return;
        }
        let selected = picked(group);
        if !sending.has_read() || !picks_enough(sending, &selected, multiple) {
            return;
        }
        let answer = AnswerBlocker {
            selected: Some(selected),
            chosen: Some("1".to_owned()),
            ..blank(id)
        };
        answering.send(answer, None);
    };
    view! {
        <AnswerForm id send>
            <OptionList
                choice
                subject=id.to_string()
                group
                picked=undone.unwrap_or_default()
                problem="answer-problem"
            />
            <div class="form-end">
                <Problem id="answer-problem" sending />
                <SendButton sending label="Send answer" key="↵" />
            </div>
        </AnswerForm>
    }
}
