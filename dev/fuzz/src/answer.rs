//! The body by which a person, or a program for them, answers.

use domain::{
    Refused,
    decide::interaction as decide,
    interaction::{Answer, AnswerContent, AnswerDraft, State},
};
use server::testing;
use signing::TrustedKeys;

use crate::known::{Counter, KEY, ana, have_places, moment, question, written};

/// An answer counts as what was said: nothing is approved that was not, text stays byte for byte, and the receipt holds.
pub fn answer(bytes: &[u8]) {
    let Some((interaction, body)) = question(bytes) else {
        return;
    };
    let draft: AnswerDraft = match testing::body(body) {
        Ok(draft) => draft,
        Err(problem) => return have_places(problem.errors()),
    };
    let again = serde_json::to_vec(&draft).unwrap();
    let again: AnswerDraft = serde_json::from_slice(&again).unwrap();
    assert_eq!(again, draft);
    let ids = Counter::default();
    let decided = decide::answer(interaction, again, &ana(), None, moment(&ids, 1));
    let answered = match decided {
        Ok(changeset) => written(&changeset),
        Err(Refused::Invalid(faults)) => return have_places(&faults),
        Err(other) => panic!("{other}"),
    };
    assert_eq!(answered.request, interaction.request);
    match &answered.state {
        State::Resolved { answer } => is_what_was_said(answer, &draft),
        State::Pending { answers, .. } => assert!(draft.answers.is_some(), "{answers:?}"),
        other => panic!("{other:?}"),
    }
    if answered.approved() == Some(true) {
        assert_eq!(draft.approved, Some(true));
    }
    if let Some(receipt) = answered.receipt() {
        let trusted = TrustedKeys::new([KEY.verifying_key()]);
        assert_eq!(trusted.verify(receipt), Ok(()));
        assert_eq!(receipt.decision.interaction_id, interaction.id);
    }
}

fn is_what_was_said(answer: &Answer, draft: &AnswerDraft) {
    let stored = serde_json::to_string(answer).unwrap();
    let read: Answer = serde_json::from_str(&stored).unwrap();
    assert_eq!(&read, answer);
    match &answer.content {
        AnswerContent::Text { text } => assert_eq!(Some(text), draft.text.as_ref()),
        AnswerContent::Selected { selected } => {
            let sent = draft.selected.as_ref().unwrap();
            assert!(selected.iter().all(|one| sent.contains(one)));
            assert!(sent.iter().all(|one| selected.contains(one)));
        }
        AnswerContent::Acknowledged => {}
        AnswerContent::Approval {
            approved,
            text,
            amended,
        } => {
            assert_eq!(Some(*approved), draft.approved);
            assert_eq!(text, &draft.text);
            let sent = draft.arguments.as_ref();
            if let Some(amended) = amended {
                assert_eq!(Some(&amended.arguments), sent);
            }
        }
        AnswerContent::Plan {
            decision, feedback, ..
        } => {
            assert_eq!(Some(*decision), draft.decision);
            assert_eq!(feedback, &draft.feedback);
        }
        AnswerContent::Form { answers } => {
            let sent = draft.answers.as_ref().unwrap();
            assert!(answers.keys().eq(sent.keys()));
        }
    }
}
