//! A user sends a modal. It closes when what is in it was kept; otherwise it stays open with what
//! was typed, and says what is wrong.

use domain::Interaction;
use serde_json::Value;
use slack::blocks::{Modal, ModalErrors, Submission};
use tokio::sync::oneshot;

use super::{Actions, Obstacle, payload::Who, tell::Recipient, together};

const NOT_KEPT: &str = "Your answer could not be kept. Please send it again.";
const UNKNOWN_YET: &str =
    "It is not known yet whether your answer is kept. Look at the card before you send it again.";
const NOWHERE: &str = "This does not belong to a card. Please answer on the dashboard.";
const IN_AFTER_ALL: &str = "Your answer has been kept. You can close its window.";

impl Actions {
    pub(super) async fn sent(
        &self,
        who: Who,
        submission: Submission,
    ) -> anyhow::Result<Option<Value>> {
        let said = self.in_time(|actions, tell| actions.submit(who, submission, tell));
        let wrong = said.await?.unwrap_or_else(|| Some(UNKNOWN_YET.to_owned()));
        let errors = wrong.map(|words| serde_json::to_value(ModalErrors::new(&words)));
        Ok(errors.transpose()?)
    }

    /// Takes the answer, and tells what is wrong with it.
    async fn submit(self, who: Who, submission: Submission, tell: oneshot::Sender<Option<String>>) {
        let obstacle = self.take_all(&who, &submission).await.err();
        let wrong = obstacle.as_ref().map(|obstacle| match obstacle {
            Obstacle::Failed => NOT_KEPT.to_owned(),
            other => other.note().words,
        });
        let Some(at) = &submission.origin else {
            let _ = tell.send(wrong);
            return;
        };
        // The modal says that nothing is known, and cannot be told anything more.
        if let Err(wrong) = tell.send(wrong) {
            let recipient = Recipient::to(&who.user, at);
            let words = wrong.as_deref().unwrap_or(IN_AFTER_ALL);
            self.tell(&recipient, &words.into()).await;
        }
        // A modal has no place for a link that can be followed.
        let note = obstacle.as_ref().map(Obstacle::note);
        if let Some(note) = note.filter(|note| note.link.is_some()) {
            self.tell(&Recipient::to(&who.user, at), &note).await;
        }
        if let Some(Obstacle::Outdated(_)) = obstacle {
            self.refresh(submission.interaction, at).await;
        }
    }

    /// One after the other: each is a decision of its own.
    async fn take_all(&self, who: &Who, submission: &Submission) -> Result<(), Obstacle> {
        let mut all = vec![self.take(who, submission).await];
        for other in &submission.also {
            all.push(match self.equal_to(submission.interaction, *other).await {
                Ok(true) => self.take(who, &submission.of_equal(*other)).await,
                Ok(false) => Err(Obstacle::Refused(NOWHERE.into())),
                Err(obstacle) => Err(obstacle),
            });
        }
        together(all, "decided")
    }

    async fn take(&self, who: &Who, submission: &Submission) -> Result<(), Obstacle> {
        let by = self.admit(who).await?;
        let id = submission.interaction;
        let Some(at) = &submission.origin else {
            return Err(Obstacle::Refused(NOWHERE.into()));
        };
        let interaction = self.asked(id, at, &by).await?;
        let outdated = |now: &Interaction| {
            let errors = submission.answer(now).err()?;
            Some(errors.words().to_owned())
        };
        let draft = match submission.answer(&interaction) {
            Ok(draft) => draft,
            Err(errors) => {
                let words = errors.words().to_owned();
                return Err(match submission.modal {
                    Modal::Step { .. } => Obstacle::Outdated(words.into()),
                    _ => Obstacle::Refused(words.into()),
                });
            }
        };
        match self.service.answer_open(id, draft, &by).await {
            Ok(_) => Ok(()),
            Err(error) => Err(self.refused(id, &by, error, outdated).await),
        }
    }
}
