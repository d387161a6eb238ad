//! The app's home, which Slack keeps for each person as it was published last. Slack tells when it is opened and never
//! that it is left, so it is kept up to date for a while after each opening and each press, and then it is blank.
//!
//! The database knows of each home from before it is published until after it is blank again. The node that heard of its
//! person last keeps it up to date; any node makes it blank when its time is over.

mod end;
mod listed;
mod open;
mod publish;

use std::{sync::Arc, time::Duration};

use chrono::TimeDelta;
use domain::Ids;
use futures::{StreamExt, future::join_all, stream::FuturesUnordered};
use machine::clock::SystemIds;
use service::Service;
use slack::client::SlackClient;
use store::NodeId;
use tokio::{sync::Notify, time::sleep};

use self::open::OpenHomes;
use super::recognise::Recogniser;

pub use listed::{duty, of_group, waiting};

/// How long a home is kept up to date, and then it is blank.
const OPEN_FOR: TimeDelta = TimeDelta::minutes(15);
/// How often it is seen whether something has changed: a burst of changes becomes one.
const TICK: Duration = Duration::from_secs(1);
/// After so many ticks homes are drawn anew whatever the journal says: what was put off comes back without a word there.
const MOST_TICKS: u32 = 30;
/// How many people are shown theirs at once.
const PEOPLE_AT_ONCE: usize = 16;
/// How many homes are drawn in a tick because something has changed.
const NEWS_AT_ONCE: usize = 8;
/// How long a person waits for a turn at most.
const PATIENCE: Duration = Duration::from_secs(20);

/// The homes of the app.
pub struct Homes {
    service: Service,
    client: SlackClient,
    recogniser: Arc<Recogniser>,
    public_url: Arc<str>,
    node: NodeId,
    open: Arc<OpenHomes>,
    woken: Notify,
}

impl Homes {
    pub(super) fn new(
        service: Service,
        client: SlackClient,
        recogniser: Arc<Recogniser>,
        public_url: &str,
    ) -> Self {
        Self {
            service,
            client,
            recogniser,
            public_url: public_url.into(),
            node: NodeId(SystemIds.next()),
            open: Arc::default(),
            woken: Notify::new(),
        }
    }

    /// A user has opened theirs.
    pub fn opened(&self, user: &str) {
        self.open.opened(user, self.service.now());
        self.woken.notify_one();
    }

    /// A user has pressed something there. The notice says why it was refused.
    pub fn pressed(&self, user: &str, notice: Option<String>) {
        self.open.pressed(user, notice, self.service.now());
        self.woken.notify_one();
    }

    /// Shows them for as long as the server runs. Those that have changed hold up no person who waits for theirs.
    pub async fn run(&self) {
        tokio::join!(self.serve_people(), self.keep_up(), self.end_overdue());
    }

    async fn serve_people(&self) {
        let mut shows = FuturesUnordered::new();
        loop {
            let room = PEOPLE_AT_ONCE.saturating_sub(shows.len());
            for due in self.open.take_people(room, self.service.now()) {
                shows.push(self.show(due));
            }
            let is_any = !self.open.is_empty();
            tokio::select! {
                () = self.woken.notified() => {}
                Some(()) = shows.next(), if !shows.is_empty() => {}
                () = sleep(TICK), if is_any => {}
            }
        }
    }

    async fn keep_up(&self) {
        let (mut known, mut ticks) = (None, 0);
        loop {
            sleep(TICK).await;
            if self.open.is_empty() {
                continue;
            }
            ticks += 1;
            let last = match self.service.last_seq().await {
                Ok(last) => Some(last),
                Err(error) => {
                    tracing::error!(%error, "whether a home in Slack has changed is not known");
                    continue;
                }
            };
            if last != known || ticks >= MOST_TICKS {
                (known, ticks) = (last, 0);
                self.open.news();
            }
            let mut shows = Vec::new();
            for due in self.open.take_news(NEWS_AT_ONCE, self.service.now()) {
                shows.push(self.show(due));
            }
            join_all(shows).await;
        }
    }
}
