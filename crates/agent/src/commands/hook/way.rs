//! How the hook waits for people: held, as long as Claude Code lets it live; or, under `handraise run`, put off. Then the program
//! ends, and the hook that is called again for the same call finds the same question.

use std::{env, path::PathBuf, time::Duration};

use anyhow::{Context, bail};
use chrono::{DateTime, TimeDelta, Utc};
use domain::interaction::Kind;
use machine::clock::{Clock, SystemClock};
use serde_json::Value;
use thiserror::Error;
use tokio::time::{Instant, sleep, timeout};

use super::{call::Call, transcript};
use crate::{
    client::{Client, Declined, Interaction, decision::Expected},
    commands::{
        new_key,
        run::{Asked, Folder, VARIABLE, Waiting},
    },
};

/// How long the program may take to write down what it was told to do. Until then it is not known whether it is more than one
/// thing.
const SETTLING: Duration = Duration::from_secs(20);
const LOOKING_AGAIN: Duration = Duration::from_millis(100);

/// How people are waited for.
pub(super) enum Way {
    /// This program waits.
    Held {
        /// For so many seconds, from then on.
        seconds: u32,
        since: Instant,
    },
    /// `handraise run` does.
    PutOff(PutOff),
}

/// A call in a run's folder.
pub(super) struct PutOff {
    folder: Folder,
    session_id: String,
    seconds: u32,
    waiting: Waiting,
}

/// A question that the server has.
pub(super) struct Question {
    pub(super) id: String,
    agent_id: Option<String>,
    key: String,
    asked_at: DateTime<Utc>,
    seconds: u32,
}

/// Nobody has answered yet, and nobody waits here.
#[derive(Debug, Error)]
#[error("people have not answered yet; Claude Code is started again when they have")]
pub(super) struct NotYet;

impl Question {
    /// What its receipt has to be of: a yes to this, of this kind.
    pub(super) fn expected(&self, kind: Kind, digest: String) -> Expected {
        Expected {
            interaction_id: Some(self.id.clone()),
            kind,
            digest,
            amended: None,
            approvers: 0,
            attachments: None,
            agent_id: self.agent_id.clone(),
            key: Some(self.key.clone()),
            asked_after: Some(self.asked_at),
            timeout: Some(TimeDelta::seconds(self.seconds.into())),
        }
    }
}

/// Whether this session is one of `handraise run`.
pub(super) fn run_of(session_id: Option<&str>) -> anyhow::Result<Option<Folder>> {
    let Some(place) = env::var_os(VARIABLE).filter(|it| !it.is_empty()) else {
        return Ok(None);
    };
    let folder = Folder::at(PathBuf::from(place));
    let begun = folder.begun()?.context("the run is gone")?;
    // A program that Claude Code starts may be another Claude Code.
    Ok((session_id == Some(&begun.session_id)).then_some(folder))
}

impl Way {
    /// For a call before it runs.
    pub(super) async fn of(call: &Call, seconds: u32) -> anyhow::Result<Self> {
        let since = Instant::now();
        let held = Self::Held { seconds, since };
        let Some(folder) = run_of(call.session_id.as_deref())? else {
            return Ok(held);
        };
        let Some(tool_use_id) = call.tool_use_id() else {
            return Ok(held);
        };
        let before = folder.waiting()?;
        let before = before.filter(|it| it.tool_use_id == tool_use_id);
        // With several at once all but one would be lost.
        if before.is_none() {
            let is_sole = timeout(SETTLING, is_sole(call, tool_use_id)).await;
            if !is_sole.unwrap_or(Ok(false))? {
                return Ok(held);
            }
        }
        let begun = folder.begun()?.context("the run is gone")?;
        let attempt = folder.attempt()?.context("the run has not begun")?;
        let mut waiting = before.unwrap_or_default();
        waiting.tool_use_id = tool_use_id.to_owned();
        waiting.attempt = attempt.number;
        waiting.deferred = false;
        Ok(Self::PutOff(PutOff {
            folder,
            session_id: begun.session_id,
            seconds: begun.timeout_seconds,
            waiting,
        }))
    }

    /// This program waits, whatever it is.
    pub(super) fn held(seconds: u32) -> Self {
        let since = Instant::now();
        Self::Held { seconds, since }
    }

    /// How many seconds people have from now on.
    pub(super) fn seconds(&self) -> u32 {
        match self {
            Self::Held { seconds, since } => {
                let gone = u32::try_from(since.elapsed().as_secs()).unwrap_or(u32::MAX);
                seconds.saturating_sub(gone).max(1)
            }
            Self::PutOff(off) => off.seconds,
        }
    }

    /// Asks one of the questions about a call, once.
    pub(super) async fn ask(
        &mut self,
        step: &str,
        body: &Value,
        client: &Client,
    ) -> anyhow::Result<Question> {
        let seconds = self.seconds();
        match self {
            Self::Held { .. } => {
                let (key, asked_at) = (new_key(), SystemClock.now());
                let asked = client.ask(body, &key).await?;
                Ok(Question {
                    agent_id: asked.agent_id(),
                    id: asked.id,
                    key,
                    asked_at,
                    seconds,
                })
            }
            Self::PutOff(off) => off.ask(step, body, client).await,
        }
    }

    /// Its end.
    ///
    /// # Errors
    /// [`NotYet`].
    pub(super) async fn wait(
        &mut self,
        question: &Question,
        client: &Client,
    ) -> anyhow::Result<Interaction> {
        let Self::PutOff(off) = self else {
            return client.wait(&question.id).await;
        };
        let found: Interaction = client.get(&format!("interactions/{}", question.id)).await?;
        if found.id != question.id {
            bail!("the server answers with another interaction than it was asked for");
        }
        if found.is_pending() {
            off.waiting.deferred = true;
            off.folder.put_waiting(&off.waiting)?;
            return Err(NotYet.into());
        }
        Ok(found)
    }

    /// It was decided here: there is nothing to come back for.
    pub(super) fn decided(&self) -> anyhow::Result<()> {
        match self {
            Self::Held { .. } => Ok(()),
            Self::PutOff(off) => off.folder.forget_waiting(),
        }
    }
}

impl PutOff {
    async fn ask(&mut self, step: &str, body: &Value, client: &Client) -> anyhow::Result<Question> {
        let at = self.waiting.asked.iter().position(|it| it.step == step);
        let at = match at {
            Some(at) => at,
            None => {
                self.waiting.asked.push(Asked {
                    step: step.to_owned(),
                    at: SystemClock.now(),
                    body: body.clone(),
                    id: None,
                    agent_id: None,
                });
                // Before the server knows: killed in between, it asks the same once more.
                self.folder.put_waiting(&self.waiting)?;
                self.waiting.asked.len() - 1
            }
        };
        let key = format!(
            "claude-code {} {} {step}",
            self.session_id, self.waiting.tool_use_id
        );
        if self.waiting.asked[at].id.is_none() {
            let asked = match client.ask(&self.waiting.asked[at].body, &key).await {
                Ok(asked) => asked,
                Err(error) => {
                    // It has none of it, so that something else may be asked in its place.
                    if error.is::<Declined>() {
                        self.waiting.asked.remove(at);
                        self.folder.put_waiting(&self.waiting)?;
                    }
                    return Err(error);
                }
            };
            let it = &mut self.waiting.asked[at];
            it.agent_id = asked.agent_id();
            it.id = Some(asked.id);
            self.folder.put_waiting(&self.waiting)?;
        }
        let it = &self.waiting.asked[at];
        Ok(Question {
            id: it.id.clone().context("it was not asked")?,
            agent_id: it.agent_id.clone(),
            key,
            asked_at: it.at,
            seconds: self.seconds,
        })
    }
}

async fn is_sole(call: &Call, tool_use_id: &str) -> anyhow::Result<bool> {
    let Some(place) = call.transcript_path.clone() else {
        return Ok(false);
    };
    let mut before = None;
    loop {
        let (place, id) = (place.clone(), tool_use_id.to_owned());
        let read = tokio::task::spawn_blocking(move || transcript::calls_beside(&place, &id));
        let found = read.await.context("the transcript cannot be read")??;
        // Twice the same: it writes one line after the other.
        if let (Some(calls), true) = (found, found == before) {
            return Ok(calls == 1);
        }
        before = found;
        sleep(LOOKING_AGAIN).await;
    }
}
