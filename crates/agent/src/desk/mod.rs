//! Asking people for another program: may it act, and what is the answer to its own question. Whatever stands between
//! two programs asks here, so that rule 2 stands in one place.

pub(crate) mod approve;
mod elicit;
mod fit;
pub(crate) mod form;

use std::time::Duration;

use anyhow::Context;
use serde_json::{Value, json};
use tokio::{
    sync::oneshot,
    time::{Instant, MissedTickBehavior, interval, timeout, timeout_at},
};

use crate::client::{Client, Interaction};

pub(crate) use approve::{Approved, Wanted, approve};
pub(crate) use elicit::{Elicited, Question, elicit};
pub(crate) use form::Form;

/// For the server to say itself that something has expired.
pub(super) const GRACE: Duration = Duration::from_secs(5);
/// How long taking something back may take.
const TAKING_BACK: Duration = Duration::from_secs(5);
/// How often a client hears that people are still asked.
const TELLING: Duration = Duration::from_secs(5);
/// Where people are asked, and how.
pub(crate) struct Desk {
    pub(crate) client: Client,
    /// How long people have.
    pub(crate) seconds: u32,
    /// The session that all of it stands with, if one was named.
    pub(crate) session: Option<String>,
    /// What people and policies call the program that asks.
    pub(crate) name: String,
    /// What uses the approvals.
    pub(crate) runs_as: &'static str,
}

/// Told now and then, while people are asked, and where.
pub(crate) type Telling<'a> = &'a mut (dyn FnMut(&str) + Send);

/// Comes with the reason when an answer is no longer waited for.
pub(crate) type Withdrawn = oneshot::Receiver<&'static str>;

/// Why nothing may be done, or there is no answer.
pub(crate) enum Unanswered {
    /// It was taken back: the other side has been told, or is gone.
    Withdrawn,
    /// A person, or a rule, has said no.
    Denied(anyhow::Error),
    Failed(anyhow::Error),
}

impl From<anyhow::Error> for Unanswered {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(error)
    }
}

impl Desk {
    /// Names the program, where it stands in quotes.
    pub(crate) fn quoted(&self) -> String {
        self.name.replace('`', "'")
    }

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
        telling: Option<Telling<'_>>,
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
        let telling = tell_on(telling, &asked.dashboard_url);
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

    /// What every question says.
    fn put_in(&self, body: &mut Value, seconds: u32) {
        body["timeout_seconds"] = seconds.into();
        if let Some(session) = &self.session {
            body["session_id"] = session.as_str().into();
        }
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
async fn tell_on(telling: Option<Telling<'_>>, address: &str) {
    let Some(tell) = telling else {
        return std::future::pending().await;
    };
    let mut ticks = interval(TELLING);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        tell(&format!("people are asked at {address}"));
    }
}

/// The words of a fault, for those who read its last line.
pub(crate) fn words(error: &anyhow::Error) -> String {
    format!("{error:#}")
}
