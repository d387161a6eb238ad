//! The app's home, which Slack keeps for each person as it was published last. Slack tells when it is opened and never
//! that it is left, so it is kept up to date for a while after each opening, and after whatever is done there.
//!
//! Each node shows the homes of which it heard. What it knows of them is gone with it: they are shown anew when they are
//! opened again, and nothing else hangs on them.

mod listed;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::slack_pace::Urgency;
use futures::{StreamExt, stream};
use service::{Rests, Service};
use slack::{
    blocks::{HomeView, home, home_without},
    class::Class,
    client::SlackClient,
    limits::HOME,
};
use tokio::{
    sync::Notify,
    time::{sleep, timeout},
};

use super::recognise::{Recogniser, Unrecognised};

pub use listed::{TAKEN, duty, waiting};

/// How long somebody is taken to look.
const LOOKS: TimeDelta = TimeDelta::minutes(15);
/// How often it is seen whether something has changed: a burst of changes becomes one.
const LOOK: Duration = Duration::from_secs(1);
/// After so many of these a home is drawn anew whatever the journal says: what was put off comes back without a word there.
const ANYWAY: u32 = 30;
/// How long it stands there what came of something.
const SAID: TimeDelta = TimeDelta::seconds(30);
/// How often it is asked who somebody is, before they are told that Slack does not say.
const TRIES: u32 = 3;
/// How many are kept up to date.
const HOMES: usize = 500;
/// How many are drawn at once.
const AT_ONCE: usize = 4;
/// How long a turn is waited for by somebody.
const PATIENCE: Duration = Duration::from_secs(20);
/// The longest pause after failures, in seconds.
const LONGEST: i64 = 60;

/// The homes that people look at.
pub struct Homes {
    service: Service,
    client: SlackClient,
    recogniser: Arc<Recogniser>,
    public_url: Arc<str>,
    open: Mutex<BTreeMap<String, Open>>,
    woken: Notify,
}

/// A home that somebody looks at.
#[derive(Clone)]
struct Open {
    until: DateTime<Utc>,
    /// What they see, if that is known.
    shown: Option<String>,
    /// What came of what they did there, and when.
    notice: Option<(String, DateTime<Utc>)>,
    /// Whether it is to be drawn.
    wanted: Wanted,
    /// Failures in a row, and when it is tried again.
    failures: u32,
    not_before: DateTime<Utc>,
}

/// Why a home is to be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Wanted {
    Nothing,
    /// It may show something else now.
    News,
    /// Somebody waits for it.
    Person,
}

/// What came of drawing a home.
enum Drawn {
    /// This, and what tells it from others.
    As(String, HomeView),
    /// It is not known now.
    Later,
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
            open: Mutex::default(),
            woken: Notify::new(),
        }
    }

    /// Somebody has opened it.
    pub fn opened(&self, user: &str) {
        self.look_at(user, None);
    }

    /// Somebody has done something there.
    pub fn acted(&self, user: &str, notice: Option<String>) {
        self.look_at(user, notice);
    }

    fn look_at(&self, user: &str, notice: Option<String>) {
        let now = self.service.now();
        let mut open = self.open();
        if !open.contains_key(user) && open.len() >= HOMES {
            let first = open.iter().min_by_key(|(_, one)| one.until);
            let first = first.map(|(user, _)| user.clone());
            first.and_then(|first| open.remove(&first));
        }
        let next = Open {
            until: now + LOOKS,
            // Another node may have shown something else.
            shown: None,
            notice: notice.map(|notice| (notice, now)),
            wanted: Wanted::Person,
            failures: 0,
            not_before: now,
        };
        open.insert(user.to_owned(), next);
        drop(open);
        self.woken.notify_one();
    }

    /// Shows them for as long as the server runs.
    pub async fn run(&self) {
        let (mut known, mut looks) = (None, 0);
        loop {
            let is_any = !self.open().is_empty();
            tokio::select! {
                () = self.woken.notified() => {}
                () = sleep(LOOK), if is_any => looks += 1,
            }
            let last = match self.service.last_seq().await {
                Ok(last) => Some(last),
                Err(error) => {
                    tracing::error!(%error, "whether a home in Slack has changed is not known");
                    continue;
                }
            };
            let is_news = last != known || looks >= ANYWAY;
            if is_news {
                (known, looks) = (last, 0);
            }
            stream::iter(self.take_due(is_news))
                .for_each_concurrent(AT_ONCE, |(user, open)| self.show(user, open))
                .await;
        }
    }

    /// Those that are to be drawn now.
    fn take_due(&self, is_news: bool) -> Vec<(String, Open)> {
        let now = self.service.now();
        let mut open = self.open();
        open.retain(|_, one| now < one.until);
        let mut due = Vec::new();
        for (user, one) in open.iter_mut() {
            if is_news {
                one.wanted = one.wanted.max(Wanted::News);
            }
            if one.wanted > Wanted::Nothing && now >= one.not_before {
                due.push((user.clone(), one.clone()));
                one.wanted = Wanted::Nothing;
            }
        }
        due
    }

    async fn show(&self, user: String, open: Open) {
        let begun = self.service.now();
        let Drawn::As(key, view) = self.draw(&user, &open).await else {
            return self.try_again(&user, &open, begun, None);
        };
        if open.wanted == Wanted::News && open.shown.as_ref() == Some(&key) {
            return;
        }
        // That it has changed can wait a little, and holds up nobody who waits.
        let (urgency, patience) = match open.wanted {
            Wanted::Person => (Urgency::First, PATIENCE),
            Wanted::News | Wanted::Nothing => (Urgency::Last, LOOK),
        };
        let turn = self.service.slack_turn(HOME.method, HOME.limit, urgency);
        match timeout(patience, turn).await {
            Ok(Ok(())) => {}
            Ok(Err(Rests(wait))) => return self.try_again(&user, &open, begun, Some(wait)),
            Err(_) => return self.try_again(&user, &open, begun, None),
        }
        let published = self.client.publish_home(&user, &view.json_blocks()).await;
        let Err(error) = published else {
            return self.is_shown(&user, key);
        };
        let wait = error.pause();
        if let Some(wait) = wait {
            self.service.slack_refused(error.method, wait).await;
        }
        match error.class {
            Class::NotDone { .. } | Class::Ambiguous => {
                tracing::info!(%error, slack.user = user, "a home in Slack is shown later");
                self.try_again(&user, &open, begun, wait);
            }
            // It would be the same again: the app's settings have no home, or Slack does not take the view.
            Class::Config | Class::Content | Class::TriggerBound => {
                tracing::warn!(%error, messages = ?error.messages, slack.user = user, "a home in Slack cannot be shown; `handraise slack check` may say more");
                self.open().remove(&user);
            }
        }
    }

    fn is_shown(&self, user: &str, key: String) {
        if let Some(open) = self.open().get_mut(user) {
            open.failures = 0;
            open.shown = Some(key);
        }
    }

    /// After a pause, which counts from when it was begun; how long a method rests is looked at before each call.
    fn try_again(&self, user: &str, was: &Open, begun: DateTime<Utc>, wait: Option<TimeDelta>) {
        if let Some(open) = self.open().get_mut(user) {
            open.wanted = open.wanted.max(was.wanted);
            open.failures = open.failures.saturating_add(1);
            let backoff = 1_i64 << open.failures.min(6);
            let backoff = TimeDelta::seconds(backoff.min(LONGEST));
            open.not_before = begun + wait.unwrap_or(backoff);
        }
    }

    async fn draw(&self, user: &str, open: &Open) -> Drawn {
        let now = self.service.now();
        let reader = match self.recogniser.reader(None, user, now).await {
            Ok(reader) => reader,
            // Whatever was there is there no longer.
            Err(why @ (Unrecognised::NotSaid | Unrecognised::Failed)) if open.failures < TRIES => {
                tracing::info!(%why, slack.user = user, "a home in Slack is shown later");
                return Drawn::Later;
            }
            // A link in it is another each time.
            Err(why) => return Drawn::As(why.to_string(), home_without(&why.note_to_reader())),
        };
        match waiting(&self.service, &reader.sees).await {
            Ok(mut waiting) => {
                let notice = open.notice.as_ref();
                let notice = notice.filter(|(_, said_at)| now < *said_at + SAID);
                waiting.notice = notice.map(|(notice, _)| notice.clone());
                let view = home(&waiting, &self.public_url);
                let key = serde_json::to_string(&view).unwrap_or_default();
                Drawn::As(key, view)
            }
            Err(error) => {
                tracing::error!(%error, slack.user = user, "a home in Slack cannot be drawn");
                Drawn::Later
            }
        }
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<String, Open>> {
        // Every change of it is whole.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
