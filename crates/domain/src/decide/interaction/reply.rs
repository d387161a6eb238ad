//! A user of Slack writes in the thread of a card.

use super::{answer, follow_up, not_erased, still_open};
use crate::{
    changeset::{Changeset, Write},
    decide::next::event,
    event::InteractionEvent,
    fault::{Fault, Faults},
    ids::Moment,
    interaction::{AnswerDraft, Ask, FormAnswer, FormQuestion, Interaction, Shown},
    limits,
    principal::{Actor, Principal, Responder},
    refused::Refused,
    slack::{OnCard, Reply, Seen, Unseen},
    task::Work,
};

/// A responder replies. To a pending question that is the answer, to a form the answer to its next question,
/// and to a closed interaction it is a follow-up. An answer belongs to the text its author saw: to a text the
/// card does not show whole (rule 11), or did not show yet, a reply is a remark, which is kept and changes
/// nothing. So is a change of an earlier message. The message counts once: its [`Write::Heard`] is part of the
/// changeset.
///
/// # Errors
/// [`Refused::UseTheButtons`] for a kind that words never answer; [`Refused::NotAResponder`],
/// [`Refused::NotSeen`], [`Refused::NotInTeam`], [`Refused::Erased`], [`Refused::Invalid`];
/// [`Refused::Closed`] when the deadline has passed and has not been noticed yet.
pub fn reply(
    interaction: &Interaction,
    reply: &Reply,
    seen: &Seen,
    by: &Principal,
    work: Option<&Work>,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let responder = by.responder_for(interaction.team.as_ref())?;
    not_erased(interaction)?;
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
        match unseen(interaction, reply, seen) {
            Some(why) => {
                let changeset = remarked(interaction, &reply.text, why, responder, now)?;
                (changeset, "a remark")
            }
            None => {
                let draft = draft(interaction, &reply.text)?;
                (answer(interaction, draft, by, work, now)?, "an answer")
            }
        }
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

/// Why its author need not have seen the question asked now. Unknown counts as not seen.
fn unseen(interaction: &Interaction, reply: &Reply, seen: &Seen) -> Option<Unseen> {
    let was_there = match interaction.next_question() {
        // Only the next questions, and answers beside them, come later than the card.
        None => reply.written_at.is_some(),
        Some((0, _)) if interaction.sent_along().is_none() => reply.written_at.is_some(),
        Some(_) => {
            let asked = OnCard::name(interaction);
            let on_card = seen.on_card.as_ref();
            let on_card = on_card.filter(|on_card| Some(&on_card.question) == asked.as_ref());
            on_card
                .zip(reply.written_at)
                .is_some_and(|(on_card, written_at)| on_card.since <= written_at)
        }
    };
    match (was_there, seen.shown) {
        (false, _) => Some(Unseen::AskedLater),
        (true, Shown::Cut) => Some(Unseen::Cut),
        (true, Shown::Whole) => None,
    }
}

fn remarked(
    interaction: &Interaction,
    text: &str,
    why: Unseen,
    by: Responder,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let mut faults = Faults::default();
    faults.text("text", text);
    faults.into_result(()).map_err(Refused::Invalid)?;
    still_open(interaction, now)?;
    let payload = InteractionEvent::Remarked {
        text: text.to_owned(),
        why,
    };
    Ok(Changeset {
        writes: Vec::new(),
        events: vec![event(interaction, Actor::Responder(by), payload, now)],
        key: None,
        quota: None,
    })
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
    let payload = InteractionEvent::ReplyEdited {
        text: text.to_owned(),
    };
    Ok(Changeset {
        writes: Vec::new(),
        events: vec![event(interaction, Actor::Responder(by), payload, now)],
        key: None,
        quota: None,
    })
}

/// The answer that the text gives.
fn draft(interaction: &Interaction, text: &str) -> Result<AnswerDraft, Refused> {
    let mut faults = Faults::default();
    // A message without words has a file, and files go nowhere.
    faults.text("text", text);
    faults.into_result(()).map_err(Refused::Invalid)?;
    let Some((_, question)) = interaction.next_question() else {
        return Ok(AnswerDraft {
            text: Some(text.to_owned()),
            ..AnswerDraft::default()
        });
    };
    let answer = FormAnswer::One(meant(question, text)?);
    Ok(AnswerDraft {
        answers: Some([(question.id.clone(), answer)].into()),
        ..AnswerDraft::default()
    })
}

/// The text, or the value of the one option that it names by its label: people never see the
/// values.
fn meant(question: &FormQuestion, text: &str) -> Result<String, Refused> {
    let Some(options) = &question.options else {
        return Ok(text.to_owned());
    };
    let named = text.trim().to_lowercase();
    let mut fitting = options
        .iter()
        .filter(|option| option.label.trim().to_lowercase() == named);
    if let (Some(option), None) = (fitting.next(), fitting.next()) {
        return Ok(option.value.clone());
    }
    let labels: Vec<_> = options.iter().map(|option| option.label.as_str()).collect();
    let fault = Fault::new("text", format!("must be one of: {}", labels.join(", ")));
    Err(Refused::Invalid(vec![fault]))
}
