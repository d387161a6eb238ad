//! A responder answers.

use super::{
    attach::attach_to_answer,
    close, not_erased,
    quorum::{self, Counting, Voters},
    still_open,
};
use crate::{
    attachment::{Attachment, Holder},
    changeset::{Changeset, Standing, Write},
    decide::next::{advance, event},
    event::InteractionEvent,
    fault::{Fault, Faults},
    ids::Moment,
    interaction::{
        Answer, AnswerContent, AnswerDraft, Checked, FormAnswers, Interaction, Outcome, Receipt,
        State,
    },
    principal::{Actor, Principal},
    refused::Refused,
    task::Work,
};

/// A responder answers, or answers some questions of a form. The first one wins (rule 1); after the
/// deadline no answer does (rule 5), whether or not the expiry job has come by yet.
///
/// # Errors
/// [`Refused::NotAResponder`], [`Refused::NotSeen`], [`Refused::NotInTeam`], [`Refused::Erased`],
/// [`Refused::Closed`], [`Refused::Invalid`], [`Refused::NoKey`]; [`Refused::NotCounted`] for an approval of which people
/// are counted: nothing is known of them here.
pub fn answer(
    interaction: &Interaction,
    draft: AnswerDraft,
    by: &Principal,
    work: Option<&Work>,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    answer_counted(interaction, draft, by, &Voters::default(), work, now)
}

/// As [`answer`], where it is known whose approvals count. An approval that takes several people is kept until it is the
/// last (rule 16); one denial ends it.
///
/// # Errors
/// As [`answer`]; [`Refused::NotCounted`], [`Refused::HasApproved`], [`Refused::NotAnAdmin`].
pub fn answer_counted(
    interaction: &Interaction,
    draft: AnswerDraft,
    by: &Principal,
    voters: &Voters,
    work: Option<&Work>,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let responder = by.responder_for(interaction.team.as_ref())?;
    not_erased(interaction)?;
    let none = FormAnswers::new();
    // A form that is closed has no answers to compare with: whoever comes too late is told that, whatever they have seen.
    let is_over = !interaction.state.is_pending() && !interaction.asks_for_a_decision();
    let digest = draft.digest.filter(|_| !is_over);
    let draft = AnswerDraft { digest, ..draft };
    let attachments = draft.check_attachments();
    let found = draft.found.clone();
    let checked = draft.check(
        &interaction.request.ask,
        interaction.progress().unwrap_or(&none),
    );
    let (checked, attachments) = match (checked, attachments) {
        (Ok(checked), Ok(attachments)) => (checked, attachments),
        (checked, attachments) => {
            let mut faults = checked.err().unwrap_or_default();
            faults.extend(attachments.err().unwrap_or_default());
            return Err(Refused::Invalid(faults));
        }
    };
    still_open(interaction, now)?;
    let content = match checked {
        Checked::Whole(content) => content,
        Checked::Part(answers) => {
            none_yet(
                &attachments,
                "go with the last answer of a form: it is the one that is sent",
            )?;
            let next = Interaction {
                state: State::Pending {
                    answers: answers.clone(),
                    votes: Vec::new(),
                },
                ..interaction.clone()
            };
            let payload = InteractionEvent::Progressed { answers };
            return Ok(advance(next, Actor::Responder(responder), payload, now));
        }
    };
    let mut standing = None;
    let votes = match (interaction.quorum(), content.outcome()) {
        (Some(quorum), Outcome::Approved) => {
            match quorum::count(interaction, quorum, &content, &responder, voters, now)? {
                Counting::Enough {
                    before,
                    standing: on,
                } => {
                    standing = Some(on);
                    before
                }
                Counting::TakesMore(changeset) => {
                    none_yet(
                        &attachments,
                        "do not go with one of several approvals; say it in the text",
                    )?;
                    return Ok(*changeset);
                }
            }
        }
        (None, Outcome::Approved) if interaction.request.is_for_admins() => {
            standing = Some(of_an_admin(interaction, by)?);
            Vec::new()
        }
        // Who had approved stays on record.
        _ => interaction.votes().to_vec(),
    };
    let receipt = if interaction.asks_for_a_decision() {
        let signer = now.signer.ok_or(Refused::NoKey)?;
        let receipt = Receipt::sign(interaction, &content, &responder, now.at, &votes, signer);
        Some(Box::new(receipt.ok_or(Refused::NoKey)?))
    } else {
        None
    };
    let answer = Answer {
        content,
        responder: responder.clone(),
        answered_at: now.at,
        receipt,
        votes,
        attachments,
    };
    let payload = InteractionEvent::Resolved {
        outcome: answer.content.outcome(),
        answer: answer.clone(),
    };
    let mut changeset = close(
        interaction,
        State::Resolved { answer },
        Actor::Responder(responder),
        payload,
        work,
        now,
    );
    changeset.writes.extend(standing.map(Write::Counted));
    attach_to_answer(&mut changeset, Holder::of(by), &found)?;
    Ok(changeset)
}

/// The one admin who approves it: a person, and one by the time it is committed.
fn of_an_admin(interaction: &Interaction, by: &Principal) -> Result<Box<Standing>, Refused> {
    match by {
        Principal::Person { id, .. } if by.is_admin() => Ok(Box::new(Standing {
            people: vec![*id],
            team: interaction.team_id(),
            members_only: false,
            admins_only: true,
            agent: interaction.agent.id,
            owners: None,
        })),
        _ => Err(Refused::NotAnAdmin),
    }
}

/// Files go with what ends it.
fn none_yet(attachments: &[Attachment], why: &str) -> Result<(), Refused> {
    match attachments {
        [] => Ok(()),
        _ => Err(Refused::Invalid(vec![Fault::new("attachments", why)])),
    }
}

/// As [`answer_counted`], where people see one question of a form at a time: answers given meanwhile stay
/// as they are, since this responder has not seen them.
///
/// # Errors
/// As [`answer_counted`]; [`Refused::Invalid`] also for a question that is answered.
pub fn answer_open(
    interaction: &Interaction,
    draft: AnswerDraft,
    by: &Principal,
    voters: &Voters,
    work: Option<&Work>,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    if let (Some(known), Some(given)) = (interaction.progress(), &draft.answers) {
        let mut faults = Faults::default();
        for id in given.keys().filter(|id| known.contains_key(*id)) {
            faults.add(&format!("answers.{id}"), "has been answered meanwhile");
        }
        faults.into_result(()).map_err(Refused::Invalid)?;
    }
    answer_counted(interaction, draft, by, voters, work, now)
}

/// Keeps an answer that came too late (rule 1): the journal grows, the interaction stays as it is.
///
/// # Errors
/// [`Refused::NotAResponder`], [`Refused::NotSeen`], [`Refused::NotInTeam`], [`Refused::Erased`],
/// [`Refused::Invalid`]: then there is nothing worth keeping.
pub fn reject_answer(
    interaction: &Interaction,
    draft: AnswerDraft,
    outcome: Outcome,
    by: &Principal,
    now: Moment<'_>,
) -> Result<Changeset, Refused> {
    let responder = by.responder_for(interaction.team.as_ref())?;
    not_erased(interaction)?;
    // Kept whatever its author has seen of the others.
    let digest = draft.digest.filter(|_| interaction.asks_for_a_decision());
    let draft = AnswerDraft { digest, ..draft };
    let checked = draft
        .check(&interaction.request.ask, &FormAnswers::new())
        .map_err(Refused::Invalid)?;
    let answer = match checked {
        Checked::Whole(content) => content,
        Checked::Part(answers) => AnswerContent::Form { answers },
    };
    let payload = InteractionEvent::AnswerRejected { outcome, answer };
    Ok(Changeset {
        writes: Vec::new(),
        events: vec![event(
            interaction,
            Actor::Responder(responder),
            payload,
            now,
        )],
        key: None,
        quota: None,
    })
}
