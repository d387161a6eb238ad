//! What people press and send in Slack, which a stranger could say as well: a control names what was pressed, and gives
//! no right.

use domain::{
    Interaction, InteractionId,
    interaction::{AnswerDraft, Verdict},
};
use serde_json::Value;
use server::testing;
use slack::blocks::{Control, HomePress, Press, Submission, for_all};

use crate::known::{QUESTIONS, have_places};

/// What would go on with an action counts only where all of it was shown (rule 11).
pub fn slack_action(bytes: &[u8]) {
    let Ok(mut payload) = serde_json::from_slice::<Value>(bytes) else {
        return;
    };
    let is_for_us = testing::is_for_us(&payload);
    for action in payload["actions"].as_array().into_iter().flatten() {
        let name = action["action_id"].as_str().unwrap_or_default();
        let value = action["value"].as_str().unwrap_or_default();
        if let Some((control, also)) = for_all(name, value) {
            pressed(control, &also, value);
        }
        // What is pressed at the app's home decides nothing.
        let _ = HomePress::parse(name, value);
    }
    let Some(read) = payload.get("view").and_then(Submission::parse) else {
        return;
    };
    assert!(
        is_for_us
            || payload["type"] != "view_submission"
            || payload["user"]["id"].as_str().is_none()
    );
    for question in &*QUESTIONS {
        // Whatever it is about, it is tried on each.
        let carried = payload["view"]["private_metadata"].as_str();
        let carried = carried.and_then(|text| serde_json::from_str::<Value>(text).ok());
        let Some(mut carried) = carried else { continue };
        carried["interaction"] = question.id.to_string().into();
        payload["view"]["private_metadata"] = carried.to_string().into();
        let sent = Submission::parse(&payload["view"]).unwrap();
        assert_eq!((sent.modal, &sent.also), (read.modal, &read.also));
        match sent.answer(question) {
            Ok(draft) => {
                accepts_only_what_was_shown(&draft, carried["whole"] == true);
                answered(question, draft);
            }
            Err(errors) => assert!(!errors.words().is_empty()),
        }
    }
}

fn pressed(control: Control, also: &[InteractionId], value: &str) {
    for question in &*QUESTIONS {
        let Some(press) = of(control, question.id).press(question) else {
            continue;
        };
        if let Press::Answer(draft) = press {
            accepts_only_what_was_shown(&draft, value.starts_with("whole:"));
            answered(question, draft);
        }
    }
    let decides = matches!(
        control,
        Control::Approve(_) | Control::Deny(_) | Control::Acknowledge(_)
    );
    assert!(also.is_empty() || decides);
}

/// The same control of this question.
fn of(control: Control, id: InteractionId) -> Control {
    match control {
        Control::Answer(_) => Control::Answer(id),
        Control::AnswerStep(_, n) => Control::AnswerStep(id, n),
        Control::SelectOption(_, n) => Control::SelectOption(id, n),
        Control::SelectStepOption(_, question, n, seen) => {
            Control::SelectStepOption(id, question, n, seen)
        }
        Control::Acknowledge(_) => Control::Acknowledge(id),
        Control::Approve(_) => Control::Approve(id),
        Control::Amend(_) => Control::Amend(id),
        Control::Deny(_) => Control::Deny(id),
        Control::Decide(_, decision) => Control::Decide(id, decision),
        Control::ReadAll(_) => Control::ReadAll(id),
        Control::Former(_) => Control::Former(id),
        Control::OpenDashboard => Control::OpenDashboard,
    }
}

fn accepts_only_what_was_shown(draft: &AnswerDraft, was_whole: bool) {
    assert!(
        was_whole || draft.verdict() == Verdict::Decline,
        "{draft:?}"
    );
}

/// The rules take it, or say where it is wrong.
fn answered(question: &Interaction, draft: AnswerDraft) {
    let none = Default::default();
    let known = question.progress().unwrap_or(&none);
    if let Err(faults) = draft.check(&question.request.ask, known) {
        have_places(&faults);
    }
}
