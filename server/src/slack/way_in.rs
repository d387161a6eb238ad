//! The server's side of Slack while people answer there: joins the way that their doings come by, Socket Mode or
//! signed requests, with the inbox, the hearing and the reading back.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::Ids;
use machine::clock::SystemIds;
use secrecy::SecretString;
use service::Service;
use slack::{
    client::SlackClient,
    socket_mode::{self, SocketStatus, Timing},
};
use store::NodeId;
use tokio::{sync::watch, time::sleep};
use tokio_util::sync::CancellationToken;

use super::{
    actions::Actions,
    inbox::SlackInbox,
    read_back::{Pace, close_gap},
    recognise::Recogniser,
    thread_book::ThreadBook,
    threads,
};
use crate::config::{Config, SlackMode};

/// How long there may be no connection.
const PATIENCE: TimeDelta = TimeDelta::seconds(30);

/// How often a node says how many connections it has.
const SAID: Duration = Duration::from_secs(5);
/// How long that holds.
const HOLDS: TimeDelta = TimeDelta::seconds(20);
/// Strangers that were counted so often are none: nodes start one after the other.
const STRANGE: u32 = 3;

/// The way in. Cheap to clone.
#[derive(Clone)]
pub struct WayIn {
    /// Calls Slack.
    pub client: SlackClient,
    /// Takes what comes.
    pub inbox: Arc<SlackInbox>,
    /// The secret that requests are signed with; `None` with Socket Mode.
    pub signing_secret: Option<SecretString>,
    /// How the connections of Socket Mode are.
    pub status: watch::Sender<SocketStatus>,
    /// Of the connections.
    pub timing: Timing,
    /// Of reading back.
    pub pace: Pace,
    service: Service,
    book: ThreadBook,
    actions: Actions,
    /// Since when there is no connection.
    silent_since: Arc<Mutex<Option<DateTime<Utc>>>>,
    node: NodeId,
    /// How many connections the other nodes of the same database have.
    on_other_nodes: Arc<AtomicU32>,
}

impl WayIn {
    /// As the settings want it; `None` where people do not answer in Slack.
    ///
    /// # Errors
    /// When the HTTP client cannot be set up.
    pub fn new(config: &Config, service: &Service) -> anyhow::Result<Option<Self>> {
        // Settings that contradict themselves are refused when they are read.
        let (bot_token, app_token, signing_secret) = match config.slack_mode() {
            Ok(SlackMode::SocketMode {
                bot_token,
                app_token,
                ..
            }) => (bot_token, Some(app_token), None),
            Ok(SlackMode::Http {
                bot_token,
                signing_secret,
                ..
            }) => (bot_token, None, Some(signing_secret)),
            Ok(SlackMode::Off | SlackMode::Mirror(_)) | Err(_) => return Ok(None),
        };
        let client = SlackClient::new(&config.slack_api_url, Some(bot_token), app_token)?;
        let recogniser = Recogniser::new(client.clone(), service.clone(), config);
        // One for both: Slack's word on a user who writes need not be asked for again when they press.
        let recogniser = Arc::new(recogniser);
        let book = ThreadBook::new(service.clone(), client.clone(), recogniser.clone());
        let actions = Actions::new(
            service.clone(),
            client.clone(),
            recogniser,
            &config.public_url(),
        );
        Ok(Some(Self {
            client,
            inbox: Arc::new(SlackInbox::new(service.clone(), actions.clone())),
            actions,
            signing_secret,
            status: watch::Sender::default(),
            timing: Timing::default(),
            pace: Pace::default(),
            service: service.clone(),
            book,
            silent_since: Arc::new(Mutex::new(Some(service.now()))),
            node: NodeId(SystemIds.next()),
            on_other_nodes: Arc::default(),
        }))
    }

    /// Whether people's doings can arrive. Signed requests come or they do not: the server cannot tell. One that
    /// has just started is given time.
    pub fn is_ready(&self) -> bool {
        if self.signing_secret.is_some() {
            return true;
        }
        let since = *self.silent_since();
        let is_silent = since.is_some_and(|since| self.service.now() - since >= PATIENCE);
        !is_silent && self.status.borrow().stopped.is_none()
    }

    /// How many connections there are, and how many more Slack counts than all nodes have; `None` without Socket Mode.
    pub fn sockets(&self) -> Option<(usize, u32)> {
        let counts = (self.status.borrow().connected, self.strangers());
        self.signing_secret.is_none().then_some(counts)
    }

    fn strangers(&self) -> u32 {
        let elsewhere = self.status.borrow().elsewhere;
        elsewhere.saturating_sub(self.on_other_nodes.load(Ordering::Relaxed))
    }

    /// Listens and hears until the server stops.
    pub async fn run(self, stopping: CancellationToken) {
        let listening = async {
            if self.signing_secret.is_none() {
                let status = self.status.clone();
                let (client, inbox) = (self.client.clone(), self.inbox.clone());
                let stop = stopping.clone();
                socket_mode::run_with(self.timing, client, inbox, status, stop).await;
            }
        };
        let hearing = async {
            let (service, inbox) = (self.service.clone(), self.inbox.clone());
            threads::run(service, inbox, self.book.clone(), stopping.clone()).await;
        };
        let watching = async {
            tokio::select! {
                () = stopping.cancelled() => {}
                () = self.watch_connections() => {}
            }
        };
        let counting = async {
            tokio::select! {
                () = stopping.cancelled() => {}
                () = self.count_connections() => {}
            }
        };
        let reading = async {
            tokio::select! {
                () = stopping.cancelled() => {}
                () = self.read_back() => {}
            }
        };
        let showing = async {
            tokio::select! {
                () = stopping.cancelled() => {}
                () = self.actions.homes().run() => {}
            }
        };
        tokio::join!(listening, hearing, watching, counting, reading, showing);
        // The author of each acknowledged press is told of its end.
        self.actions.finish().await;
    }

    fn silent_since(&self) -> std::sync::MutexGuard<'_, Option<DateTime<Utc>>> {
        // It holds one value, whole at any time.
        self.silent_since
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    async fn watch_connections(&self) {
        let mut status = self.status.subscribe();
        loop {
            let is_connected = status.borrow_and_update().connected > 0;
            {
                let mut since = self.silent_since();
                *since = match (is_connected, *since) {
                    (true, _) => None,
                    (false, since) => since.or_else(|| Some(self.service.now())),
                };
            }
            // Fails only without a sender: `self` holds one.
            if status.changed().await.is_err() {
                return;
            }
        }
    }

    /// Tells the other nodes how many connections this one has, and hears how many they have.
    async fn count_connections(&self) {
        if self.signing_secret.is_some() {
            return;
        }
        let mut strange = 0;
        loop {
            let connected = i64::try_from(self.status.borrow().connected).unwrap_or(i64::MAX);
            let now = self.service.now();
            let store = self.service.store();
            let counted = store.connections_elsewhere(self.node, connected, now, now - HOLDS);
            match counted.await {
                Ok(others) => {
                    let others = u32::try_from(others).unwrap_or(u32::MAX);
                    self.on_other_nodes.store(others, Ordering::Relaxed);
                }
                Err(error) => {
                    tracing::warn!(%error, "it is not known how many connections to Slack other nodes have");
                }
            }
            let strangers = self.strangers();
            strange = if strangers > 0 { strange + 1 } else { 0 };
            if strange == STRANGE {
                tracing::error!(
                    slack.strangers = strangers,
                    "Slack counts connections of this app that no node of this database has; clicks that they get are lost"
                );
            }
            sleep(SAID).await;
        }
    }

    /// Reads threads back at the start, and whenever a connection was lost and there is one.
    async fn read_back(&self) {
        let mut status = self.status.subscribe();
        let mut read_at = None;
        loop {
            if self.signing_secret.is_none() {
                let gap =
                    |status: &SocketStatus| status.connected > 0 && read_at != Some(status.lost);
                let Ok(now) = status.wait_for(gap).await else {
                    return;
                };
                read_at = Some(now.lost);
            }
            close_gap(
                &self.client,
                &self.inbox,
                &self.book,
                &self.service,
                self.pace,
            )
            .await;
            if self.signing_secret.is_some() {
                return;
            }
        }
    }
}
