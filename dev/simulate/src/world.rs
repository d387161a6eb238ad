//! A simulated world: two nodes on one database, the people and agents that use them, and what they know.

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use anyhow::Result;
use chrono::TimeDelta;
use domain::Quota;
use machine::clock::Clock;
use service::{KeepDays, Outbound, Service, ServiceError, Settings, Timeouts, guard::Guard};
use signing::{CallbackSecrets, Sealer, SigningKey, TrustedKeys, Witness};
use store::Store;

use crate::{
    cast::Cast,
    model::{At, Deed, End, Model, Op},
    plant::Plant,
    schedule::{NODES, Schedule},
    simulated::Simulated,
    time::Skewed,
};

/// Everything in it.
pub(crate) struct World {
    pub(crate) schedule: Arc<Schedule>,
    pub(crate) model: Model,
    pub(crate) cast: Cast,
    pub(crate) plant: Option<Plant>,
    pub(crate) keys: TrustedKeys,
    key: Arc<SigningKey>,
    stores: [Arc<Simulated>; NODES],
    nodes: [Mutex<Service>; NODES],
}

/// No reply: the node died, or the way back was cut.
#[derive(Debug)]
pub(crate) struct Lost;

/// Whose clock a use case looks at: one may be wrong, where that is planted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClockOf {
    Server,
    Expiry,
    Answers,
}

impl World {
    pub(crate) async fn begin(schedule: Arc<Schedule>, plant: Option<Plant>) -> Result<Self> {
        let inner = store::connect("sqlite::memory:").await?;
        let key = Arc::new(SigningKey::from_seed([7; 32]));
        let keys = TrustedKeys::new([key.verifying_key()]);
        inner.trust(Arc::new(Witness::new(keys.clone())));
        let stores = Simulated::for_nodes(&inner, &schedule, plant);
        let time = Arc::new(schedule.time.clone());
        let start = |node: usize| Mutex::new(service(&stores[node], time.clone(), &schedule, &key));
        let nodes: [Mutex<Service>; NODES] = std::array::from_fn(start);
        let first = nodes[0]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let cast = Cast::gather(&first, &schedule.time).await?;
        Ok(Self {
            schedule,
            model: Model::default(),
            cast,
            plant,
            keys,
            key,
            stores,
            nodes,
        })
    }

    /// Starts a node anew: it remembers nothing.
    pub(crate) fn start(&self, node: usize) {
        let time = Arc::new(self.schedule.time.clone());
        let fresh = service(&self.stores[node], time, &self.schedule, &self.key);
        *self.nodes[node]
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = fresh;
    }

    pub(crate) fn node(&self, node: usize) -> Service {
        self.nodes[node]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(crate) fn store(&self, node: usize) -> Arc<dyn Store> {
        self.stores[node].clone()
    }

    fn node_by(&self, node: usize, clock: ClockOf) -> Service {
        let skew = match (self.plant, clock) {
            (Some(Plant::ExpiresEarly), ClockOf::Expiry) => TimeDelta::minutes(2),
            (Some(Plant::AnswersLate), ClockOf::Answers) => TimeDelta::hours(-1),
            _ => return self.node(node),
        };
        let clock = Arc::new(Skewed(self.schedule.time.clone(), skew));
        service(&self.stores[node], clock, &self.schedule, &self.key)
    }

    pub(crate) fn at(&self) -> At {
        At {
            step: self.schedule.step(),
            seq: self.schedule.last_seq(),
            millis: self.schedule.time.millis(),
        }
    }

    /// Has a node do something: the request goes there, and the reply comes back, if both arrive.
    pub(crate) async fn request<T, F>(
        &self,
        node: usize,
        clock: ClockOf,
        work: impl FnOnce(Service) -> F + Send,
    ) -> Result<T, Lost>
    where
        T: Send,
        F: Future<Output = T> + Send,
    {
        self.schedule.turn("sends").await;
        let service = self.node_by(node, clock);
        let on_node = OnNode {
            schedule: &self.schedule,
            node,
            started: self.schedule.starts(node),
            work: Some(Box::pin(work(service))),
        };
        let reply = on_node.await?;
        self.schedule.turn("hears").await;
        match self.schedule.loses_reply() {
            true => Err(Lost),
            false => Ok(reply),
        }
    }

    /// As [`World::request`], written down with what came of it.
    pub(crate) async fn does<T, F>(
        &self,
        actor: &str,
        node: usize,
        deed: Deed,
        work: impl FnOnce(Service) -> F + Send,
    ) -> (usize, Option<T>)
    where
        T: Send,
        F: Future<Output = Result<T, ServiceError>> + Send,
    {
        let clock = match deed {
            Deed::Answer { .. } => ClockOf::Answers,
            _ => ClockOf::Server,
        };
        let op = {
            let mut known = self.model.known();
            known.ops.push(Op {
                actor: actor.to_owned(),
                node,
                deed,
                begun: self.at(),
                ended: None,
                end: End::Unknown,
                id: None,
                grant: None,
                memory: None,
            });
            known.ops.len() - 1
        };
        let reply = self.request(node, clock, work).await;
        let (end, value) = match reply {
            Ok(Ok(value)) => (End::Done, Some(value)),
            Ok(Err(ServiceError::Store(_))) | Err(Lost) => (End::Unknown, None),
            Ok(Err(refused)) => (End::Refused(refused.to_string()), None),
        };
        let line = match &end {
            End::Unknown => "  does not know".to_owned(),
            End::Done => "  is done".to_owned(),
            End::Refused(why) => format!("  {why}"),
        };
        self.schedule.note(&line);
        let mut known = self.model.known();
        known.ops[op].ended = Some(self.at());
        known.ops[op].end = end;
        (op, value)
    }
}

fn service(
    store: &Arc<Simulated>,
    clock: Arc<dyn Clock>,
    schedule: &Schedule,
    key: &Arc<SigningKey>,
) -> Service {
    let settings = Settings {
        timeouts: Timeouts {
            question: 3_600,
            choice: 3_600,
            acknowledgement: 3_600,
            approval: 3_600,
            plan_review: 3_600,
            form: 3_600,
        },
        max_pending_per_agent: 50,
        agent_silence: None,
        quota: Quota(0),
        second_factor_for: Default::default(),
        keep_days: KeepDays::default(),
    };
    let outbound = Outbound {
        sealer: Sealer::new(key),
        callbacks: CallbackSecrets::new(key),
        guard: Arc::new(Guard::new(Default::default())),
    };
    let ids = Arc::new(schedule.time.clone());
    Service::new(store.clone(), clock, ids, settings)
        .with_signer(key.clone())
        .with_outbound(outbound)
}

/// What runs on a node, until it dies.
struct OnNode<'a, F> {
    schedule: &'a Schedule,
    node: usize,
    started: u32,
    work: Option<Pin<Box<F>>>,
}

impl<T, F: Future<Output = T>> Future for OnNode<'_, F> {
    type Output = Result<T, Lost>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if self.schedule.starts(self.node) != self.started {
            self.work = None;
        }
        match &mut self.work {
            Some(work) => work.as_mut().poll(context).map(Ok),
            None => Poll::Ready(Err(Lost)),
        }
    }
}
