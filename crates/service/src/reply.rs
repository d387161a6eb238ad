//! Replies in the thread of a card in Slack.

use domain::{
    Changeset, Interaction, InteractionEvent, InteractionId, Payload, Principal,
    decide::interaction as decide,
    interaction::Shown,
    slack::{Reply, Seen, Unseen},
};

use super::{Service, ServiceError};

/// The result of hearing a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// It had counted before, by this node or another.
    Before,
    /// It is an answer, a follow-up or an edit.
    Counted,
    /// It is kept, and no answer.
    Remarked(Unseen),
}

impl Service {
    /// Has a kept message count: as an answer, a follow-up, an edit or a remark. `shown` says how much of the
    /// question asked now the card shows.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`]; [`domain::Refused`] as [`decide::reply`] says. The message then still waits.
    pub async fn reply(
        &self,
        id: InteractionId,
        reply: &Reply,
        shown: impl Fn(&Interaction) -> Shown,
        by: &Principal,
    ) -> Result<Heard, ServiceError> {
        // Before reading: a caller who may not answer must not learn which interactions exist
        // either.
        by.responder()?;
        loop {
            // Another worker may have heard it meanwhile.
            if self.store.is_message_heard(reply.message).await? {
                return Ok(Heard::Before);
            }
            let interaction = self.interaction_as_told(id).await?;
            let seen = Seen {
                shown: shown(&interaction),
                on_card: self.store.question_on_card(id).await?,
            };
            let work = self.stopped_work(&interaction).await?;
            let now = self.moment();
            let decided = decide::reply(&interaction, reply, &seen, by, work.as_ref(), now);
            let heard = decided.as_ref().map_or(Heard::Counted, heard);
            let done = self.commit_decision(&interaction, work.as_ref(), decided);
            if done.await?.is_some() {
                return Ok(heard);
            }
        }
    }
}

fn heard(changeset: &Changeset) -> Heard {
    let why = changeset
        .events
        .iter()
        .find_map(|event| match event.payload {
            Payload::Interaction(InteractionEvent::Remarked { why, .. }) => Some(why),
            _ => None,
        });
    why.map_or(Heard::Counted, Heard::Remarked)
}
