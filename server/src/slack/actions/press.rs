//! A user presses a control of a card: it is an answer, or opens a modal.

use anyhow::ensure;
use domain::{Interaction, InteractionId, event::SeenOn, interaction::PlanDecision};
use slack::{
    blocks::{Control, Modal, Note, NoteLink, Press, modal_for_all},
    class::Class,
    limits::VIEW,
};
use tokio::sync::oneshot;

use super::{Actions, OUTDATED, Obstacle, payload::Pressed, together};

const NO_SUCH_CONTROL: &str = "This can no longer be pressed. The card shows how it is now.";
const OTHER_ANSWERS: &str = "Not sent: this card was out of date. Another answer of this form is not, or may not be, \
                             the one that it showed. It shows how it is now: look at it, and press again.";
const TOO_LONG: &str =
    "It is too long for Slack. Read all of it on the dashboard, and answer there.";
const TRIGGER_OVER: &str = "That took too long for Slack. Please press it again.";
const NOT_OPENED: &str =
    "No window could be opened. Please press it again, or answer on the dashboard.";

impl Actions {
    /// # Errors
    /// When it could not be kept.
    pub(super) async fn pressed(&self, pressed: Pressed) -> anyhow::Result<()> {
        // The browser has followed the link already.
        let Some(id) = pressed.control.interaction() else {
            return Ok(());
        };
        if opens_a_modal(pressed.control) {
            // There is nothing to keep, and little time.
            let (tell, _) = oneshot::channel();
            self.tasks.spawn(self.clone().press(id, pressed, tell));
            return Ok(());
        }
        let kept = self.in_time(|actions, tell| actions.press(id, pressed, tell));
        // A press that takes longer goes on, and its author hears of it if it fails.
        let kept = kept.await?.unwrap_or(true);
        ensure!(kept, "what was pressed in Slack could not be kept");
        Ok(())
    }

    /// Does it, tells whether it was kept or need not be, and then tells its author what there is to know.
    async fn press(self, id: InteractionId, pressed: Pressed, tell: oneshot::Sender<bool>) {
        let (id, pressed) = self.for_the_first_that_waits(id, pressed).await;
        let obstacle = self.press_all(id, &pressed).await.err();
        // Slack may wait no longer.
        let _ = tell.send(!matches!(obstacle, Some(Obstacle::Failed)));
        let Some(obstacle) = obstacle else { return };
        self.tell(&pressed.recipient(), &obstacle.note()).await;
        if let Obstacle::Outdated(_) = obstacle {
            self.refresh(id, &pressed.at).await;
        }
    }

    /// A window for several is opened for the first of them that waits, and is about those that wait.
    async fn for_the_first_that_waits(
        &self,
        id: InteractionId,
        mut pressed: Pressed,
    ) -> (InteractionId, Pressed) {
        if pressed.also.is_empty() || !opens_a_modal(pressed.control) {
            return (id, pressed);
        }
        let mut waiting = vec![id];
        waiting.extend(&pressed.also);
        let mut closed = Vec::new();
        for one in &waiting {
            // What cannot be read is looked at when it is decided.
            if let Ok(Some(now)) = self.service.store().interaction(*one).await
                && !now.state.is_pending()
            {
                closed.push(*one);
            }
        }
        waiting.retain(|one| !closed.contains(one));
        let first = waiting.first().copied();
        let control = first.and_then(|first| pressed.control.of_equal(first));
        let (Some(first), Some(control)) = (first, control) else {
            return (id, pressed);
        };
        waiting.remove(0);
        pressed.control = control;
        pressed.also = waiting;
        (first, pressed)
    }

    /// One after the other: each is a decision of its own, and those that the card showed are all that there are.
    async fn press_all(&self, id: InteractionId, pressed: &Pressed) -> Result<(), Obstacle> {
        let control = pressed.control;
        let mut all = vec![self.do_press(id, control, pressed).await];
        // A modal decides them when it is sent.
        if !opens_a_modal(control) {
            for other in &pressed.also {
                let done = match (self.equal_to(id, *other).await, control.of_equal(*other)) {
                    (Ok(true), Some(control)) => self.do_press(*other, control, pressed).await,
                    (Ok(_), _) => Err(Obstacle::Outdated(NO_SUCH_CONTROL.into())),
                    (Err(obstacle), _) => Err(obstacle),
                };
                all.push(done);
            }
        }
        together(all, "decided")
    }

    async fn do_press(
        &self,
        id: InteractionId,
        control: Control,
        pressed: &Pressed,
    ) -> Result<(), Obstacle> {
        let by = self.admit(&pressed.who).await?;
        let interaction = self.asked(id, &pressed.at, &by).await?;
        match control.press(&interaction) {
            Some(Press::Answer(draft)) => {
                let outdated = |now: &Interaction| match control.press(now) {
                    Some(Press::Answer(_)) => None,
                    Some(Press::OtherAnswers) => Some(OTHER_ANSWERS.to_owned()),
                    _ => Some(OUTDATED.to_owned()),
                };
                match self.service.answer_open(id, draft, &by).await {
                    Ok(_) => Ok(()),
                    Err(error) => Err(self.refused(id, &by, error, outdated).await),
                }
            }
            Some(Press::Open(modal)) => match self.too_late(&interaction, &by) {
                Some(words) => Err(Obstacle::Outdated(words.into())),
                None => {
                    self.service.note_seen(id, SeenOn::Slack, by);
                    self.open(&interaction, modal, pressed).await
                }
            },
            Some(Press::Outdated) => Err(Obstacle::Outdated(OUTDATED.into())),
            Some(Press::OtherAnswers) => Err(Obstacle::Outdated(OTHER_ANSWERS.into())),
            Some(Press::TooLong) => Err(Obstacle::Outdated(Note {
                words: TOO_LONG.to_owned(),
                link: Some(NoteLink::Dashboard(format!(
                    "{}/blockers/{id}",
                    self.public_url
                ))),
            })),
            Some(Press::Nothing) => Ok(()),
            None => {
                let too_late = self.too_late(&interaction, &by);
                let words = too_late.unwrap_or_else(|| NO_SUCH_CONTROL.to_owned());
                Err(Obstacle::Outdated(words.into()))
            }
        }
    }

    async fn open(
        &self,
        interaction: &Interaction,
        which: Modal,
        pressed: &Pressed,
    ) -> Result<(), Obstacle> {
        let refused = |words: &str| Err(Obstacle::Refused(words.into()));
        let origin = Some(pressed.at.clone());
        let view = modal_for_all(interaction, which, origin, &pressed.also);
        let view = view.and_then(|view| serde_json::to_value(view).ok());
        let (Some(view), Some(trigger_id)) = (view, &pressed.trigger_id) else {
            return refused(NOT_OPENED);
        };
        if self.service.slack_rests(VIEW).await {
            return refused(NOT_OPENED);
        }
        match self.client.open_view(trigger_id, &view).await {
            Ok(_) => Ok(()),
            Err(error) => {
                self.failed(&error).await;
                tracing::warn!(error = %error, interaction.id = %interaction.id, "cannot open a modal in Slack");
                match error.class {
                    Class::TriggerBound => refused(TRIGGER_OVER),
                    _ => refused(NOT_OPENED),
                }
            }
        }
    }
}

fn opens_a_modal(control: Control) -> bool {
    matches!(
        control,
        Control::Answer(_)
            | Control::AnswerStep(..)
            | Control::ReadAll(_)
            | Control::Amend(_)
            | Control::Deny(_)
            | Control::Decide(_, PlanDecision::Adjust)
    )
}
