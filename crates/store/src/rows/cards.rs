//! The content of a card, as stored.

use domain::{InteractionId, slack::OnCard};

use super::time;
use crate::Result;

/// A question of a form and the time since which it stands on its card.
pub(crate) fn on_card(id: InteractionId, row: Option<(String, i64)>) -> Result<Option<OnCard>> {
    let on_card = row.map(|(question, since)| {
        let since = time(since, "card_questions", id)?;
        Ok(OnCard { question, since })
    });
    on_card.transpose()
}
