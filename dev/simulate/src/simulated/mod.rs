//! The store of one simulated node: a real one on SQLite underneath, of which every call waits for its turn and may fail.

mod delegated;
mod spoil;

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use domain::{Changeset, Event};
use store::{Commit, CommitError, Result, Store, StoreError};
use tokio::sync::watch;

use crate::{
    plant::Plant,
    schedule::{Fate, NODES, Schedule},
};
use spoil::Kept;

type Call<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// The store as one node sees it. Both nodes have the same one underneath.
pub(crate) struct Simulated {
    inner: Arc<dyn Store>,
    schedule: Arc<Schedule>,
    /// What is broken in it, on purpose.
    plant: Option<Plant>,
    kept: Arc<Mutex<Kept>>,
    /// One call at a time, in the order in which they came: also where nothing waits for its turn.
    in_order: Arc<tokio::sync::Mutex<()>>,
    node: usize,
    growth: [watch::Sender<()>; NODES],
}

impl Simulated {
    /// One for each node.
    pub(crate) fn for_nodes(
        inner: &Arc<dyn Store>,
        schedule: &Arc<Schedule>,
        plant: Option<Plant>,
    ) -> [Arc<Self>; NODES] {
        let growth: [watch::Sender<()>; NODES] = std::array::from_fn(|_| watch::Sender::new(()));
        let kept = Arc::new(Mutex::new(Kept::default()));
        let in_order = Arc::default();
        std::array::from_fn(|node| {
            Arc::new(Self {
                inner: Arc::clone(inner),
                schedule: Arc::clone(schedule),
                plant,
                kept: Arc::clone(&kept),
                in_order: Arc::clone(&in_order),
                node,
                growth: growth.clone(),
            })
        })
    }

    async fn reads<T>(&self, what: &'static str, call: Call<'_, T>) -> Result<T> {
        self.schedule.turn(what).await;
        match self.schedule.fate(false) {
            Fate::Done => {}
            Fate::Lost | Fate::Kept | Fate::Conflict => return Err(self.failed(what)),
        }
        let read = self.inside(call).await;
        self.schedule.turn("has read").await;
        read
    }

    async fn writes<T>(&self, what: &'static str, call: Call<'_, T>) -> Result<T> {
        self.schedule.turn(what).await;
        let fate = self.schedule.fate(false);
        if fate == Fate::Lost {
            return Err(self.failed(what));
        }
        let written = self.inside(call).await;
        self.schedule.turn("has written").await;
        match fate {
            Fate::Kept => Err(self.failed(what)),
            Fate::Done | Fate::Lost | Fate::Conflict => written,
        }
    }

    async fn inside<T>(&self, call: impl Future<Output = T>) -> T {
        let _in_order = self.in_order.lock().await;
        let _under_way = self.schedule.under_way();
        call.await
    }

    fn failed(&self, what: &str) -> StoreError {
        self.schedule.note(&format!("  {what} fails"));
        StoreError::Stopped
    }

    /// Says to both nodes that the journal has grown; some do not hear it.
    fn hint(&self) {
        for growth in &self.growth {
            if !self.schedule.loses_hint() {
                growth.send_replace(());
            }
        }
    }

    /// As it is told to the service.
    fn answered(
        &self,
        committed: std::result::Result<Vec<Event>, CommitError>,
    ) -> std::result::Result<Vec<Event>, CommitError> {
        match &committed {
            Ok(events) => {
                for event in events {
                    self.schedule.committed(event.seq);
                    let line = format!(
                        "  {} {} {}",
                        event.seq,
                        event.payload.event_type(),
                        event.id
                    );
                    self.schedule.note(&line);
                }
                self.hint();
            }
            Err(CommitError::Conflict) => self.schedule.note("  conflict"),
            Err(CommitError::Failed(error)) => self.schedule.note(&format!("  {error}")),
        }
        committed
    }
}

#[async_trait]
impl Commit for Simulated {
    async fn commit(&self, changeset: Changeset) -> std::result::Result<Vec<Event>, CommitError> {
        self.schedule.turn("commit").await;
        let fate = self.schedule.fate(true);
        match fate {
            Fate::Lost => return Err(self.failed("commit").into()),
            Fate::Conflict => return Err(CommitError::Conflict),
            Fate::Done | Fate::Kept => {}
        }
        let committed = self.inside(self.commit_spoiled(changeset)).await;
        let committed = self.answered(committed);
        self.schedule.turn("has committed").await;
        match fate {
            Fate::Kept => Err(self.failed("the commit's reply").into()),
            Fate::Done | Fate::Lost | Fate::Conflict => committed,
        }
    }

    fn growth(&self) -> watch::Receiver<()> {
        self.growth[self.node].subscribe()
    }

    fn has_read(&self, event: &Event) {
        self.inner.has_read(event);
    }

    async fn close(&self) {
        self.inner.close().await;
    }
}
