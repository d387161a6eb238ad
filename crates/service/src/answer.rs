//! A responder answers.

use domain::{
    Changeset, Interaction, InteractionId, Moment, PersonId, Principal, Refused,
    attachment::Holder,
    decide::interaction::{self as decide, Voters},
    interaction::AnswerDraft,
    task::Work,
};

use super::{Service, ServiceError};

/// Which answers count.
type Rule = fn(
    &Interaction,
    AnswerDraft,
    &Principal,
    &Voters,
    Option<&Work>,
    Moment<'_>,
) -> Result<Changeset, Refused>;

impl Service {
    /// Answers an interaction, or some questions of a form. An answer that comes too late is kept in the
    /// journal (rule 1) before the refusal is returned. An approval that takes several people is kept, and leaves it
    /// pending until it is the last (rule 16).
    ///
    /// # Errors
    /// [`ServiceError::NotFound`]; [`Refused::NotAResponder`], [`Refused::Invalid`],
    /// [`Refused::Closed`], [`Refused::NotCounted`], [`Refused::HasApproved`]; [`Refused::FileMissing`] when something is
    /// approved whose files are not all there as they were sent.
    pub async fn answer(
        &self,
        id: InteractionId,
        draft: AnswerDraft,
        by: &Principal,
    ) -> Result<Interaction, ServiceError> {
        self.answer_by(decide::answer_counted, id, draft, by).await
    }

    /// As [`Service::answer`], but of a form only the questions without an answer: for those who see one
    /// question of it at a time.
    ///
    /// # Errors
    /// As [`Service::answer`].
    pub async fn answer_open(
        &self,
        id: InteractionId,
        draft: AnswerDraft,
        by: &Principal,
    ) -> Result<Interaction, ServiceError> {
        self.answer_by(decide::answer_open, id, draft, by).await
    }

    async fn answer_by(
        &self,
        rule: Rule,
        id: InteractionId,
        draft: AnswerDraft,
        by: &Principal,
    ) -> Result<Interaction, ServiceError> {
        // Before reading: a caller who may not answer must not learn which interactions exist
        // either.
        by.responder()?;
        let outcome = self.decide_counted(rule, id, &draft, by).await;
        if let Err(ServiceError::Refused(Refused::Closed { outcome, .. })) = &outcome {
            self.change(id, |interaction, _, now| {
                decide::reject_answer(interaction, draft.clone(), *outcome, by, now)
            })
            .await?;
        }
        outcome
    }

    /// As [`Service::change_as_told`], with what is known of the people whose approvals count. Whatever changes of that
    /// until the commit is a conflict.
    async fn decide_counted(
        &self,
        rule: Rule,
        id: InteractionId,
        draft: &AnswerDraft,
        by: &Principal,
    ) -> Result<Interaction, ServiceError> {
        loop {
            let interaction = self.interaction_as_told(id).await?;
            if by.responder_for(interaction.team.as_ref()).is_ok() {
                self.all_files_are_there(&interaction, draft).await?;
            }
            let ids = draft.attachments.as_deref();
            let found = self.found_files(Holder::of(by), ids).await?;
            let draft = AnswerDraft {
                found,
                ..draft.clone()
            };
            let voters = self.voters(&interaction, by).await?;
            let work = self.stopped_work(&interaction).await?;
            let (work, now) = (work.as_ref(), self.moment());
            let mut decided = rule(&interaction, draft, by, &voters, work, now);
            if let Ok(changeset) = &mut decided {
                self.look_again(&interaction, changeset).await?;
            }
            if let Some(changed) = self.commit_decision(&interaction, work, decided).await? {
                return Ok(changed);
            }
        }
    }

    /// Rule 14: what people approve is held against the rules that are in force, as they have changed it. The commit looks
    /// whether these still are.
    async fn look_again(
        &self,
        interaction: &Interaction,
        changeset: &mut Changeset,
    ) -> Result<(), ServiceError> {
        let Some(approves) = decide::approves(changeset) else {
            return Ok(());
        };
        let looked_up = self.look_up_again(interaction, &approves).await?;
        let amended = looked_up.amended.as_ref().map(Option::as_ref);
        let asked = looked_up.asked.as_ref();
        decide::stays_approved(interaction, asked, amended, self.now())?;
        looked_up.rest(changeset);
        Ok(())
    }

    async fn voters(
        &self,
        interaction: &Interaction,
        by: &Principal,
    ) -> Result<Voters, ServiceError> {
        let mut voters = Voters::default();
        let Some(quorum) = interaction.quorum() else {
            return Ok(voters);
        };
        let before = interaction.votes().iter().map(|vote| vote.responder.id);
        for id in before.chain([by.responder()?.id]) {
            let person = self.store.person(PersonId(id)).await?;
            let person = person.filter(|person| person.disabled_at.is_none());
            if let Some(person) = person {
                voters.people.push(self.principal_for(&person).await?);
            }
        }
        for vote in interaction.votes() {
            let person = PersonId(vote.responder.id);
            let lapsed = self.store.has_lapsed(person, interaction.id, vote.at);
            if lapsed.await? {
                voters.lapsed.push(person);
            }
        }
        if quorum.four_eyes {
            let since = interaction.created_at;
            voters.owners = self.store.owners_of(interaction.agent.id, since).await?;
        }
        Ok(voters)
    }
}
