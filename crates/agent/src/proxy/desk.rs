//! Asking people, for both: may a call be made, and what is the answer to a server's own question.

use std::time::Duration;

use anyhow::Context;
use serde_json::{Value, json};
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, MissedTickBehavior, interval, timeout, timeout_at},
};

use super::message;
use crate::client::{Client, Interaction};

/// For the server to say itself that something has expired.
pub(super) const GRACE: Duration = Duration::from_secs(5);
/// How long taking something back may take.
const TAKING_BACK: Duration = Duration::from_secs(5);
/// How often a client hears that people are still asked.
const TELLING: Duration = Duration::from_secs(5);
/// The steps of this progress are so small that the server's own goes on from them.
const STEP: f64 = 1e-6;

/// Where people are asked, and how.
pub(crate) struct Desk {
    pub(crate) client: Client,
    /// How long people have.
    pub(crate) seconds: u32,
    pub(crate) session: Option<String>,
    /// What people and policies call the MCP server.
    pub(crate) server: String,
    /// Whether people may change the arguments of a call.
    pub(crate) amendable: bool,
}

/// Comes with the reason when an answer is no longer waited for.
pub(super) type Withdrawn = oneshot::Receiver<&'static str>;

/// Why there is no answer.
pub(super) enum Unanswered {
    /// It was taken back: the other side has been told, or is gone.
    Withdrawn,
    Failed(anyhow::Error),
}

impl From<anyhow::Error> for Unanswered {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(error)
    }
}

/// Tells a client that its call still waits, if it wants to hear that.
pub(super) struct Progress {
    token: Option<Value>,
    out: mpsc::UnboundedSender<String>,
    said: u32,
}

impl Progress {
    /// Of this request.
    pub(super) fn of(request: &Value, out: mpsc::UnboundedSender<String>) -> Self {
        let token = request["params"]["_meta"].get("progressToken").cloned();
        Self {
            token,
            out,
            said: 0,
        }
    }

    fn tell(&mut self, words: &str) {
        let Some(token) = &self.token else {
            return;
        };
        self.said += 1;
        let progress = f64::from(self.said) * STEP;
        let params = json!({ "progressToken": token, "progress": progress, "message": words });
        let method = "notifications/progress";
        let line = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        let _ = self.out.send(line.to_string());
    }
}

impl Desk {
    /// When people have had their time.
    pub(super) fn until(&self) -> Instant {
        Instant::now() + Duration::from_secs(self.seconds.into()) + GRACE
    }

    /// Asks, and waits for the end of it. What is withdrawn meanwhile is taken back.
    pub(super) async fn closed(
        &self,
        body: &Value,
        key: &str,
        until: Instant,
        withdrawn: &mut Withdrawn,
        progress: Option<&mut Progress>,
    ) -> Result<Interaction, Unanswered> {
        if withdrawn.try_recv().is_ok() {
            return Err(Unanswered::Withdrawn);
        }
        let mut asking = Box::pin(self.client.ask(body, key));
        let asked = tokio::select! {
            biased;
            why = &mut *withdrawn => {
                // The question may be on its way.
                if let Ok(Ok(asked)) = timeout(TAKING_BACK, asking).await {
                    self.take_back(&asked.id, why.unwrap_or(OVER)).await;
                }
                return Err(Unanswered::Withdrawn);
            }
            asked = timeout_at(until, &mut asking) => {
                asked.context("people could not be asked in time")??
            }
        };
        if !asked.is_pending() {
            return Ok(asked);
        }
        let telling = tell_on(progress, &asked.dashboard_url);
        let closed = tokio::select! {
            biased;
            why = withdrawn => {
                self.take_back(&asked.id, why.unwrap_or(OVER)).await;
                return Err(Unanswered::Withdrawn);
            }
            closed = timeout_at(until, self.client.wait(&asked.id)) => closed,
            () = telling => return Err(Unanswered::Withdrawn),
        };
        Ok(closed.context("the server has not said in time how it ended")??)
    }

    async fn take_back(&self, id: &str, why: &str) {
        let body = json!({ "reason": why });
        let taken = timeout(TAKING_BACK, self.client.cancel(id, &body)).await;
        let why = match taken {
            Ok(Ok(_)) => return,
            Ok(Err(error)) => format!("{error:#}"),
            Err(_) => "there was no answer in time".to_owned(),
        };
        self.client.tell(&format!("{id} waits on: {why}"));
    }
}

/// Where no reason came.
const OVER: &str = "it is no longer waited for";

/// For as long as it is waited for.
async fn tell_on(progress: Option<&mut Progress>, address: &str) {
    let Some(progress) = progress else {
        return std::future::pending().await;
    };
    let mut ticks = interval(TELLING);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        progress.tell(&format!("people are asked at {address}"));
    }
}

/// The words of a fault, for a model.
pub(super) fn words(error: &anyhow::Error) -> String {
    format!("{error:#}")
}

/// An error instead of a result, for either side.
pub(super) fn failed(id: &Value, why: &str) -> String {
    message::fault(id, message::FAILED, why)
}
