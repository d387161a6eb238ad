//! From now on: agents ask, wait, and go on by what people say.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use chrono::TimeDelta;
use domain::{
    AgentRef, Interaction, Principal, Refused,
    interaction::{Kind, Outcome},
};
use server::state::AppState;
use service::ServiceError;
use tokio::{
    task::JoinSet,
    time::{MissedTickBehavior, interval, sleep, timeout},
};

use super::{
    super::said,
    cast::Cast,
    company::{Company, Scene, Step, nth},
    ending::{end_task, goes_on},
    say,
};

/// More than these at once are no fun: the next one waits until one has ended.
const AT_ONCE: usize = 14;
/// An agent looks after its question that often, so that it counts as there.
const LOOKS: Duration = Duration::from_secs(20);
/// Between an answer and the next step of an agent.
const THINKS: Duration = Duration::from_secs(2);
/// More of a prompt does not belong on one line of a terminal.
const SHOWN: usize = 90;
/// Tasks are counted on from here: the month behind has fewer.
const FIRST_NUMBER: usize = 500;

pub(super) struct Present {
    inner: Arc<Inner>,
    every: Duration,
}

struct Inner {
    state: AppState,
    company: Company,
    cast: Cast,
    begun: AtomicUsize,
}

impl Present {
    pub(super) fn new(state: AppState, company: Company, cast: Cast, every: Duration) -> Self {
        let inner = Inner {
            state,
            company,
            cast,
            begun: AtomicUsize::new(0),
        };
        Self {
            inner: Arc::new(inner),
            every,
        }
    }

    /// Asks until the server stops, which takes the database away. Those that wait end with it.
    pub(super) async fn go_on(self) {
        let stopping = self.inner.state.stopping.clone();
        stopping.run_until_cancelled(self.ask_on()).await;
    }

    async fn ask_on(self) {
        let mut turns = interval(self.every);
        turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut under_way = JoinSet::new();
        loop {
            turns.tick().await;
            while under_way.len() >= AT_ONCE && under_way.join_next().await.is_some() {}
            let inner = Arc::clone(&self.inner);
            under_way.spawn(async move {
                if let Err(error) = inner.begin().await {
                    tracing::error!("an agent of the demo gave up: {error:#}");
                }
            });
            // Those that have ended make room.
            while under_way.try_join_next().is_some() {}
        }
    }
}

impl Inner {
    /// The next scene, in which names stand for something else each time it comes round.
    async fn begin(&self) -> anyhow::Result<()> {
        let scenes = &self.company.now;
        let turn = self.begun.fetch_add(1, Ordering::Relaxed);
        let round = turn.checked_div(scenes.len()).unwrap_or_default();
        let scene = scenes.get(turn.checked_rem(scenes.len()).unwrap_or_default());
        match scene {
            Some(scene) => self.play(scene, round, FIRST_NUMBER + turn).await,
            None => Ok(()),
        }
    }

    async fn play(&self, scene: &Scene, round: usize, number: usize) -> anyhow::Result<()> {
        let agent = self.cast.agent(&self.state.service, &scene.agent).await?;
        let mut vary = nth(&scene.vary, round, number);
        let mut step = Some(&scene.begin);
        let mut last = None;
        while let Some(doing) = step {
            let ended = self.ask(&agent, doing, &vary).await?;
            let Some(outcome) = ended.state.outcome() else {
                return Ok(());
            };
            let answer = ended
                .answer()
                .map(|answer| answer.to_text(&ended.request.ask));
            vary.insert("answer".to_owned(), answer.unwrap_or_default());
            step = doing.next(outcome.name());
            if ended.request.task.is_some() {
                last = Some(ended);
            }
            if step.is_some() {
                sleep(THINKS).await;
            }
        }
        match last {
            Some(ended) => end_task(&self.state.service, &agent, &ended).await,
            None => Ok(()),
        }
    }

    /// Asks one thing, and returns it as it ended.
    async fn ask(
        &self,
        agent: &AgentRef,
        step: &Step,
        vary: &BTreeMap<String, String>,
    ) -> anyhow::Result<Interaction> {
        let service = &self.state.service;
        let asked = service
            .ask(agent.clone(), step.draft(vary)?, None, None)
            .await;
        let asked = asked.map_err(said)?.interaction;
        let prompt = shown(
            asked
                .request
                .title
                .as_ref()
                .unwrap_or(&asked.request.prompt),
        );
        let ended = if asked.state.is_pending() {
            say(&format!("  {} asks: {prompt}\n", agent.name));
            let ended = self.wait_for(&asked, agent, step, vary).await?;
            let how = ended.state.outcome().map_or("waits", Outcome::name);
            let by = ended.state.closed_by();
            let by = by.map_or_else(String::new, |name| format!(" ({})", visible::line(name)));
            say(&format!("  {} goes on: {how}{by}\n", agent.name));
            ended
        } else {
            say(&format!("  {} says: {prompt}\n", agent.name));
            asked
        };
        if ended.request.kind() == Kind::Notification {
            return Ok(ended);
        }
        service.collect(ended.id, agent).await.map_err(said)?;
        let outcome = ended.state.outcome();
        if outcome == Some(Outcome::Approved) {
            let begun = service.consume(ended.id, format!("run-{}", ended.id), agent);
            begun.await.map_err(said)?;
        }
        if goes_on(&ended)
            && let Some(report) = &step.report
        {
            sleep(THINKS).await;
            let reported = service.report(ended.id, report.clone(), agent).await;
            reported.map_err(said)?;
        }
        Ok(ended)
    }

    async fn wait_for(
        &self,
        asked: &Interaction,
        agent: &AgentRef,
        step: &Step,
        vary: &BTreeMap<String, String>,
    ) -> anyhow::Result<Interaction> {
        let reader = Principal::Agent(agent.clone());
        // Before reading: what closes it after this line is not missed.
        let mut closing = self.state.hub.closing(asked.id);
        loop {
            let now = self.state.service.interaction(asked.id, &reader).await;
            let now = now.map_err(said)?;
            if !now.state.is_pending() {
                return Ok(now);
            }
            if let Some(colleague) = &step.colleague
                && self.state.service.now()
                    >= asked.created_at + TimeDelta::seconds(colleague.after)
            {
                let person = self.cast.person(&self.state.service, &colleague.by).await?;
                let draft = colleague.draft(vary)?;
                match self.state.service.answer(asked.id, draft, &person).await {
                    // Somebody was faster: it is read again at once.
                    Ok(_) | Err(ServiceError::Refused(Refused::Closed { .. })) => continue,
                    Err(error) => return Err(said(error)),
                }
            }
            // Whichever comes first, it looks again.
            let _ = timeout(LOOKS, closing.closed()).await;
        }
    }
}

fn shown(text: &str) -> String {
    let line = visible::line(text);
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
