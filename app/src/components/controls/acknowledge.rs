//! The control of an acknowledgement: one button.

use domain::InteractionId;
use leptos::prelude::*;

use super::{
    Answering,
    answer_form::{AnswerForm, blank},
    sending::{Problem, SendButton},
};

/// Says that it was seen.
#[component]
pub(super) fn AcknowledgeControl(id: InteractionId, answering: Answering) -> impl IntoView {
    let sending = answering.sending();
    let send = move || {
        if sending.starts() && sending.has_read() {
            answering.send(blank(id), None);
        }
    };
    view! {
        <AnswerForm id send>
            <div class="form-end">
                <Problem id="answer-problem" sending />
                <SendButton sending label="Acknowledge" key="↵" />
            </div>
        </AnswerForm>
    }
}
