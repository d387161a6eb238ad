//! The control of a question: a text.

use domain::InteractionId;
use leptos::{html, prelude::*};

use super::{
    Answering,
    answer_form::{AnswerForm, blank},
    draft_area::{DraftArea, typed},
    sending::{Problem, SendButton},
};
use crate::{draft::Draft, server_fns::AnswerBlocker};

/// Answers with a text.
#[component]
pub(super) fn TextControl(id: InteractionId, answering: Answering) -> impl IntoView {
    let sending = answering.sending();
    let area = NodeRef::<html::Textarea>::new();
    let send = move || {
        let text = typed(area);
        let is_empty = text.trim().is_empty();
        if sending.starts()
            && sending.fits(&text)
            && sending.has_read()
            && sending.is_meant(is_empty)
        {
            let answer = AnswerBlocker {
                text: Some(text),
                typed: Some("1".to_owned()),
                ..blank(id)
            };
            answering.send(answer, Some(Draft::answer(id)));
        }
    };
    view! {
        <AnswerForm id send>
            <input type="hidden" name="typed" value="1" />
            <DraftArea
                draft=Draft::answer(id)
                name="text"
                label="Your answer"
                area
                problem="answer-problem"
                before=answering.undone().and_then(|answer| answer.text).unwrap_or_default()
                focused=true
            />
            <div class="form-end">
                <Problem id="answer-problem" sending />
                <SendButton sending label="Send answer" />
            </div>
        </AnswerForm>
    }
}
