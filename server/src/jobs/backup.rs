//! Makes a backup when the last one is old enough, and keeps so many.

use std::time::Duration;

use chrono::TimeDelta;
use tokio_util::sync::CancellationToken;

use crate::{
    backup::{last, make},
    state::AppState,
};

/// How often the last one is looked at. One that failed is tried again then.
const EVERY: Duration = Duration::from_secs(60);

pub(super) async fn run(state: AppState, stopping: CancellationToken) {
    super::every(EVERY, stopping, || {
        let state = state.clone();
        async move {
            if let Err(error) = back_up(&state).await {
                tracing::error!(error = format!("{error:#}"), "no backup was made");
            }
        }
    })
    .await;
}

/// Makes a backup if the last one that is there is old enough: a server that is started again and again makes no more of them.
///
/// # Errors
/// As [`make`].
pub async fn back_up(state: &AppState) -> anyhow::Result<()> {
    let settings = &state.config.backup;
    let Some(to) = &settings.to else {
        return Ok(());
    };
    let now = state.service.now();
    let before = last(to).await?;
    state
        .backups
        .set(before.as_ref().map(|(last, _)| last.made_at));
    let pause = TimeDelta::hours(settings.every_hours.get().into());
    if before.is_some_and(|(last, _)| now - last.made_at < pause) {
        return Ok(());
    }
    let keep = usize::try_from(settings.keep.get())?;
    let made = make(&state.config, &state.keys, to, Some(keep), now).await?;
    state.backups.set(Some(now));
    tracing::info!(
        events = made.manifest.journal.events,
        "made the backup {}",
        made.place
    );
    Ok(())
}
