//! Several interactions as the dialog shows them that decides them together.

use app::{
    backend::Backend,
    desk::WAITING_ROWS,
    error::UiError,
    view::{AnswerOutcome, Control, Group, GroupPart, Row, harmless},
};
use domain::{Fingerprint, Interaction, InteractionId, interaction::AnswerDraft, limits};
use service::ServiceError;

use super::{
    backend::{ForPerson, failed, told},
    blocker::{control, fallback, harmless_task, rendered},
};

const COUNTS_PEOPLE: &str = "It counts who approves it, so it is approved by itself.";
const DESTRUCTIVE: &str = "A policy says that it is destructive, so it is decided by itself.";

impl ForPerson {
    /// Those that wait of one fingerprint, or of these ids.
    pub(super) async fn together(
        &self,
        fingerprint: Option<Fingerprint>,
        mut ids: Vec<InteractionId>,
    ) -> Result<Group, UiError> {
        let principal = self.principal()?;
        let service = &self.state.service;
        let as_of = service.now();
        if let Some(fingerprint) = fingerprint {
            let waiting = service
                .store()
                .waiting(&principal.audience(), WAITING_ROWS)
                .await;
            let waiting = waiting.map_err(failed)?.into_iter();
            let same = waiting.filter(|brief| brief.fingerprint == Some(fingerprint));
            ids = same.map(|brief| brief.id).collect();
        }
        let more = ids.len().saturating_sub(limits::TOGETHER);
        ids.truncate(limits::TOGETHER);
        // Of those that this person only reads none is answered together with others.
        let mut may_answer = principal.responder().is_ok();
        let mut parts: Vec<(Interaction, GroupPart)> = Vec::new();
        for id in ids {
            let interaction = match service.interaction(id, &principal).await {
                // Moved to another team meanwhile.
                Err(ServiceError::NotFound) if fingerprint.is_some() => continue,
                found => found.map_err(told)?,
            };
            if !interaction.state.is_pending() {
                continue;
            }
            may_answer &= principal.responder_for(interaction.team.as_ref()).is_ok();
            let mut row = Row::from(&interaction);
            row.session_id = row.session_id.as_deref().map(harmless);
            let request = &interaction.request;
            // What the agent sent, not what is drawn of it.
            let same = parts.iter_mut().find(|(other, _)| {
                let other = &other.request;
                (&other.prompt, &other.title, &other.ask)
                    == (&request.prompt, &request.title, &request.ask)
                    && (&other.task, &other.fallback) == (&request.task, &request.fallback)
            });
            if let Some((_, part)) = same {
                part.rows.push(row);
                continue;
            }
            let part = GroupPart {
                rows: vec![row],
                title: request.title.as_deref().map(harmless),
                prompt_html: Some(rendered(request.prompt.clone()).await?),
                control: control(&interaction).await?,
                task: request.task.clone().map(harmless_task),
                fallback: fallback(request),
            };
            parts.push((interaction, part));
        }
        let mut prompts = parts.iter().map(|(one, _)| &one.request.prompt);
        let first = prompts.next();
        // What an agent says about an action or a plan stands below it.
        let stands_above = |(one, _): &(Interaction, GroupPart)| one.request.ask.digest().is_none();
        let is_shared = first.is_some_and(|first| prompts.all(|prompt| prompt == first))
            && parts.iter().all(stands_above);
        // Rule 16: one press never counts towards several approvals that take more people. Rule 14: what a policy calls
        // destructive is decided by itself.
        let stands_alone = parts.iter().any(|(one, _)| one.stands_alone());
        let mut parts: Vec<GroupPart> = parts.into_iter().map(|(_, part)| part).collect();
        let mut prompt_html = None;
        if is_shared {
            for part in &mut parts {
                prompt_html = part.prompt_html.take();
            }
        }
        Ok(Group {
            prompt_html,
            control: answers_all(&parts).filter(|_| !stands_alone),
            parts,
            more,
            may_answer,
            as_of,
        })
    }

    /// As [`Backend::answer`], of one of several that are answered at once.
    pub(super) async fn answer_with_others(
        &self,
        id: InteractionId,
        draft: AnswerDraft,
    ) -> Result<AnswerOutcome, UiError> {
        if draft.approved.is_some() {
            let principal = self.principal()?;
            let asked = self.state.service.interaction(id, &principal).await;
            let asked = asked.map_err(told)?;
            if asked.request.is_destructive() {
                return Err(UiError::Invalid(DESTRUCTIVE.to_owned()));
            }
            if asked.quorum().is_some() && draft.approved == Some(true) {
                return Err(UiError::Invalid(COUNTS_PEOPLE.to_owned()));
            }
        }
        Backend::answer(self, id, draft).await
    }
}

/// The control whose one answer fits all parts.
fn answers_all(parts: &[GroupPart]) -> Option<Control> {
    let (first, others) = parts.split_first()?;
    let fits = |other: &Control| match (&first.control, other) {
        // The digest of each goes with its own answer.
        (Control::Approve(_), Control::Approve(_)) => true,
        // A plan is read for itself, and a form answered for itself.
        (Control::Text | Control::Acknowledge | Control::Choice(_), other) => {
            *other == first.control
        }
        _ => false,
    };
    (fits(&first.control) && others.iter().all(|part| fits(&part.control)))
        .then(|| first.control.clone())
}
