//! The content of a card, and the pace that cards are shown at, as stored.

use domain::{InteractionId, slack::OnCard, slack_pace::Pace};

use super::time;
use crate::{Result, StoreError};

/// A question of a form and the time since which it stands on its card.
pub(crate) fn on_card(id: InteractionId, row: Option<(String, i64)>) -> Result<Option<OnCard>> {
    let on_card = row.map(|(question, since)| {
        let since = time(since, "card_questions", id)?;
        Ok(OnCard { question, since })
    });
    on_card.transpose()
}

/// The pace of a method, and its version; 0 where it was never called.
pub(crate) fn pace(method: &str, row: Option<(String, i64)>) -> Result<(Pace, i64)> {
    let Some((text, version)) = row else {
        return Ok((Pace::default(), 0));
    };
    // One that cannot be read must not keep Slack silent: it is written anew.
    let pace = serde_json::from_str(&text).unwrap_or_else(|error| {
        tracing::error!(%error, method, "the pace of a method of Slack's cannot be read");
        Pace::default()
    });
    Ok((pace, version))
}

pub(crate) fn pace_text(method: &str, pace: &Pace) -> Result<String> {
    serde_json::to_string(pace)
        .map_err(|error| StoreError::inconsistent("slack_pace", "pace", method, error))
}
