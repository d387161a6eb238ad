//! Claiming, handing over, snoozing. `by` is whose page it comes from.

use domain::{InteractionId, PersonId};
use leptos::server;

use crate::{error::UiError, wire::TreeJson};

/// The person is on it.
#[server(prefix = "/ui", endpoint = "claim-blocker", output = TreeJson)]
pub async fn claim_blocker(
    id: InteractionId,
    #[server(default)] by: Option<PersonId>,
) -> Result<(), UiError> {
    super::answered(super::backend_of(by).await?.claim(id).await)
}

/// The claim ends.
#[server(prefix = "/ui", endpoint = "release-blocker", output = TreeJson)]
pub async fn release_blocker(
    id: InteractionId,
    #[server(default)] by: Option<PersonId>,
) -> Result<(), UiError> {
    super::answered(super::backend_of(by).await?.release(id).await)
}

/// Hands it over. `to` is the word `person` or `team`, a colon, and the id.
#[server(prefix = "/ui", endpoint = "hand-over-blocker", output = TreeJson)]
pub async fn hand_over_blocker(
    id: InteractionId,
    #[server(default)] to: String,
    #[server(default)] why: Option<String>,
    #[server(default)] by: Option<PersonId>,
) -> Result<(), UiError> {
    use domain::interaction::HandTo;

    let chosen = match to.split_once(':') {
        Some(("person", id)) => id.parse().ok().map(HandTo::Person),
        Some(("team", id)) => id.parse().ok().map(HandTo::Team),
        _ => None,
    };
    let Some(to) = chosen else {
        return super::answered(Err(UiError::Invalid("Choose who is to get it.".to_owned())));
    };
    let why = why.filter(|why| !why.trim().is_empty());
    super::answered(super::backend_of(by).await?.hand_over(id, to, why).await)
}

/// Snoozes it for so many `minutes`, or `until` a time in milliseconds since 1970, which only a browser can tell where it
/// is a time of its day.
#[server(prefix = "/ui", endpoint = "snooze-blocker", output = TreeJson)]
pub async fn snooze_blocker(
    id: InteractionId,
    #[server(default)] minutes: Option<i64>,
    #[server(default)] until: Option<i64>,
    #[server(default)] by: Option<PersonId>,
) -> Result<(), UiError> {
    let backend = super::backend_of(by).await?;
    let until = until.and_then(chrono::DateTime::from_timestamp_millis);
    super::answered(match (until, minutes) {
        (Some(until), _) => backend.snooze(id, until).await,
        (None, Some(minutes)) => backend.snooze_for(id, minutes).await,
        (None, None) => Err(UiError::Invalid("Choose for how long.".to_owned())),
    })
}

/// It is in the person's list again.
#[server(prefix = "/ui", endpoint = "end-snooze", output = TreeJson)]
pub async fn end_snooze(
    id: InteractionId,
    #[server(default)] by: Option<PersonId>,
) -> Result<(), UiError> {
    super::answered(super::backend_of(by).await?.end_snooze(id).await)
}
