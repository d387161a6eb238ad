//! Somebody writes in the thread of a card.

use super::{answer, event, follow_up};
use crate::{
    changeset::{Changeset, Write},
    event::Payload,
    fault::{Fault, Faults},
    ids::Moment,
    interaction::{AnswerDraft, Ask, FormAnswer, FormAnswers, FormQuestion, Interaction, Refused},
    limits,
    principal::{Actor, Principal, Responder},
    slack::Reply,
    task::Work,
};

/// A responder replies. To a pending question that is the answer, to a form the answer to its next question,
/// and to what is closed it is a follow-up. A change of an earlier message is kept and changes nothing.
/// The message counts once: its [`Write::Heard`] is part of the changeset.
///
/// # Errors
/// [`Refused::UseTheButtons`] for what words never answer; [`Refused::NotAResponder`], [`Refused::Invalid`];
/// [`Refused::Closed`] when the deadline has passed and has not been noticed yet.
pub fn reply(
    interaction: &Interaction,
    reply: &Reply,
    by: &Principal,
    work: Option<&Work>,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let responder = by.responder()?;
    let is_pending = interaction.state.is_pending();
    match &interaction.request.ask {
        Ask::Notification { .. } => {
            let fault = Fault::new("$", "a notification asks for no answer");
            return Err(Refused::Invalid(vec![fault]));
        }
        Ask::Choice(_) | Ask::Acknowledgement | Ask::Approval { .. } | Ask::PlanReview { .. }
            if is_pending =>
        {
            return Err(Refused::UseTheButtons);
        }
        _ => {}
    }
    let (mut changeset, note) = if reply.is_edit {
        (edited(interaction, &reply.text, responder, now)?, "an edit")
    } else if is_pending {
        let draft = draft(interaction, &reply.text)?;
        (answer(interaction, draft, by, work, now)?, "an answer")
    } else {
        let text = reply.text.clone();
        (follow_up(interaction, text, by, now)?, "a follow-up")
    };
    changeset.writes.push(Write::Heard {
        message: reply.message,
        at: now.at,
        note: note.to_owned(),
    });
    Ok(changeset)
}

fn edited(
    interaction: &Interaction,
    text: &str,
    by: Responder,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let mut faults = Faults::default();
    faults.length("text", text, limits::TEXT_CHARS);
    faults.into_result(()).map_err(Refused::Invalid)?;
    let payload = Payload::ReplyEdited {
        text: text.to_owned(),
    };
    Ok(Changeset {
        writes: Vec::new(),
        events: vec![event(interaction, Actor::Responder(by), payload, now)],
        key: None,
    })
}

/// What the text answers.
fn draft(interaction: &Interaction, text: &str) -> Result<AnswerDraft, Refused> {
    let mut faults = Faults::default();
    // A message without words has a file, and files go nowhere.
    faults.text("text", text);
    faults.into_result(()).map_err(Refused::Invalid)?;
    let Ask::Form { questions } = &interaction.request.ask else {
        return Ok(AnswerDraft {
            text: Some(text.to_owned()),
            ..AnswerDraft::default()
        });
    };
    let none = FormAnswers::new();
    let known = interaction.progress().unwrap_or(&none);
    let mut open = questions.iter().filter(|it| !known.contains_key(&it.id));
    let question = open.next().ok_or(Refused::Unchanged)?;
    let answer = FormAnswer::One(meant(question, text)?);
    Ok(AnswerDraft {
        answers: Some([(question.id.clone(), answer)].into()),
        ..AnswerDraft::default()
    })
}

/// The text, or the value of the one option that it names.
fn meant(question: &FormQuestion, text: &str) -> Result<String, Refused> {
    let Some(options) = &question.options else {
        return Ok(text.to_owned());
    };
    let named = text.trim().to_lowercase();
    let is = |offered: &str| offered.trim().to_lowercase() == named;
    let mut fitting = options
        .iter()
        .filter(|option| is(&option.value) || is(&option.label));
    if let (Some(option), None) = (fitting.next(), fitting.next()) {
        return Ok(option.value.clone());
    }
    let labels: Vec<_> = options.iter().map(|option| option.label.as_str()).collect();
    let fault = Fault::new("text", format!("must be one of: {}", labels.join(", ")));
    Err(Refused::Invalid(vec![fault]))
}
