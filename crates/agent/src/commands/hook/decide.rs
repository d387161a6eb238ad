//! Rule 2, at the far end: only an approval of exactly this call, proven, and used for nothing else, is a yes.

use std::{sync::Arc, time::Duration};

use anyhow::{Context, bail, ensure};
use domain::interaction::{Action, Kind};
use machine::clock::SystemClock;

use super::{call::Call, difference::Difference, way::Way};
use crate::client::{Client, Trust, decision, verdict};
use crate::commands::files::Named;

/// How long the files that a call names may take to be read.
const READING: Duration = Duration::from_secs(15);

/// Why the tool may run. Everything else is a no.
pub(super) async fn decide(
    call: &Arc<Call>,
    way: &mut Way,
    client: &Client,
) -> anyhow::Result<String> {
    let trust = Trust::of(client.base())?;
    trust.meet(client).await?;
    let files = files(call).await?;
    let action = call.action(&files)?;
    let digest = digest(&action)?;
    let difference = difference(call).await;
    let body = call.body(&action, &files, difference.as_ref(), way.seconds())?;
    let asked = way.ask("approval", &body, client).await?;
    let closed = way.wait(&asked, client).await?;
    let comment = match verdict::verdict(&closed) {
        Ok(comment) => comment,
        Err(no) => {
            // It was answered, even if the server does not hear that it was collected.
            let _ = tokio::time::timeout(super::GRACE, client.collect(&asked.id)).await;
            return Err(no);
        }
    };
    let expected = asked.expected(Kind::Approval, digest);
    let receipt = client
        .granted(&asked.id, &trust, &expected, &SystemClock)
        .await?;
    decision::agrees(&receipt, &closed)?;
    unchanged(call, &files, &expected.digest).await?;
    client.consume(&asked.id, &call.new_run(), &trust).await?;
    // Until the last moment that is ours.
    unchanged(call, &files, &expected.digest).await?;
    // Whose word it is, is signed; what was said beside it is not.
    let by = receipt.decision.approved_in_words();
    Ok(format!("{by}{comment}"))
}

/// On a thread of its own: a disk may take its time, and this program must not lose time.
async fn files(call: &Arc<Call>) -> anyhow::Result<Named> {
    let call = Arc::clone(call);
    let reading = tokio::task::spawn_blocking(move || call.files());
    let read = tokio::time::timeout(READING, reading).await;
    read.context("the files that it names cannot be read in time, so it must not run")??
}

/// Nothing depends on it.
async fn difference(call: &Arc<Call>) -> Option<Difference> {
    let call = Arc::clone(call);
    let reading = tokio::task::spawn_blocking(move || call.difference());
    tokio::time::timeout(READING, reading).await.ok()?.ok()?
}

fn digest(action: &Action) -> anyhow::Result<String> {
    action.digest().context("its arguments are no plain JSON")
}

/// Whether the action that would run now is the one asked about.
async fn unchanged(call: &Arc<Call>, files: &Named, approved: &str) -> anyhow::Result<()> {
    let now = self::files(call).await?;
    if let Some(name) = now.differs_from(files) {
        bail!("{name} has changed since it was approved, so it must not run");
    }
    ensure!(
        digest(&call.action(&now)?)? == approved,
        "something else was approved than is about to run"
    );
    Ok(())
}
