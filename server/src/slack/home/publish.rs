//! Draws a home as its person may see it now, and publishes it.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    time::Duration,
};

use chrono::TimeDelta;
use domain::slack_pace::Urgency;
use service::Rests;
use slack::{
    blocks::{HomeView, home, home_without},
    class::Class,
    limits::HOME,
};
use tokio::time::timeout;

use super::{
    Homes, PATIENCE, TICK,
    listed::waiting,
    open::{Came, Due, Shown, Wanted},
};
use crate::slack::unrecognised::Unrecognised;

/// A home that is opened again sooner, and would be the same, is left as it is.
const RECENT: TimeDelta = TimeDelta::seconds(5);
/// How often it is asked who a user is, before they are told that Slack does not say.
const TRIES: u32 = 3;

/// A home that is drawn.
struct Drawn {
    view: HomeView,
    /// Whether its user is a person who may look.
    is_known: bool,
    /// The press whose notice it has.
    notice: Option<u64>,
}

impl Drawn {
    /// What tells it from others.
    fn key(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let text = serde_json::to_string(&self.view).unwrap_or_default();
        text.hash(&mut hasher);
        hasher.finish()
    }

    /// How soon it has to be there, and how long a turn is waited for.
    fn urgency(&self, wanted: Wanted) -> (Urgency, Duration) {
        match (wanted, self.is_known) {
            (Wanted::Person, true) => (Urgency::First, PATIENCE),
            // Strangers leave the calls to those who answer.
            (Wanted::Person, false) => (Urgency::Last, PATIENCE),
            // It shows what its user may not see any more.
            (Wanted::News | Wanted::Nothing, false) => (Urgency::Next, TICK),
            (Wanted::News | Wanted::Nothing, true) => (Urgency::Last, TICK),
        }
    }
}

impl Homes {
    pub(super) async fn show(&self, due: Due) {
        let begun = self.service.now();
        let came = match self.publish(&due).await {
            Ok(came) | Err(came) => came,
        };
        self.open.keep(&due, came, begun);
        // It may be wanted again already.
        drop(due);
        self.woken.notify_one();
    }

    /// An error is what came of it early.
    async fn publish(&self, due: &Due) -> Result<Came, Came> {
        let is_person = due.wanted == Wanted::Person;
        let mut drawn = self.draw(due).await.ok_or(Came::Failed(None))?;
        let was_here = match is_person {
            true => self.take(due).await?,
            false => WasOn::Here,
        };
        let now = self.service.now();
        let shown = due.shown.filter(|_| was_here == WasOn::Here);
        if let Some(shown) = shown.filter(|shown| shown.key == drawn.key())
            && (!is_person || now < shown.at + RECENT)
        {
            return Ok(Came::Shown(shown, drawn.notice));
        }
        let (urgency, patience) = drawn.urgency(due.wanted);
        let turn = self.service.slack_turn(HOME.method, HOME.limit, urgency);
        match timeout(patience, turn).await {
            Ok(Ok(())) => {}
            Ok(Err(Rests(wait))) => return Err(Came::NoTurn(Some(wait))),
            Err(_) => return Err(Came::NoTurn(None)),
        }
        if is_person {
            // The turn may have come late.
            drawn = self.draw(due).await.ok_or(Came::Failed(None))?;
        }
        // Another node may have heard of its user since.
        if !self.has(&due.user).await? {
            return Ok(Came::Over);
        }
        let blocks = drawn.view.json_blocks();
        if let Err(error) = self.client.publish_home(&due.user, &blocks).await {
            let wait = error.pause();
            if let Some(wait) = wait {
                self.service.slack_refused(error.method, wait).await;
            }
            return Err(match error.class {
                Class::NotDone { .. } | Class::Ambiguous => {
                    tracing::info!(%error, slack.user = due.user, "a home in Slack is shown later");
                    match error.class {
                        Class::Ambiguous => Came::Unclear(wait),
                        _ => Came::Failed(wait),
                    }
                }
                Class::Config | Class::TriggerBound => {
                    tracing::warn!(%error, messages = ?error.messages, slack.user = due.user, "a home in Slack cannot be shown; `handraise slack check` may say more");
                    Came::Refused
                }
                // It would be the same again.
                Class::Content => {
                    tracing::error!(%error, messages = ?error.messages, slack.user = due.user, "Slack does not take a home; it is blank from now on");
                    self.end_now(&due.user).await;
                    Came::Over
                }
            });
        }
        if !drawn.is_known {
            // It shows nothing that could become wrong.
            self.forget(&due.user).await;
            return Ok(Came::Over);
        }
        let shown = Shown {
            key: drawn.key(),
            at: self.service.now(),
        };
        Ok(match was_here {
            WasOn::Elsewhere => Came::ShownBesides(shown, drawn.notice),
            WasOn::Here | WasOn::Nowhere => Came::Shown(shown, drawn.notice),
        })
    }

    /// `None` when it cannot be drawn now.
    async fn draw(&self, due: &Due) -> Option<Drawn> {
        let (user, now) = (due.user.as_str(), self.service.now());
        let is_person = due.wanted == Wanted::Person;
        let reader = match is_person {
            true => self.recogniser.reader(None, user, now).await,
            // Those who answer need the calls that ask Slack.
            false => self.recogniser.reader_as_remembered(user, now).await,
        };
        let reader = match reader {
            Ok(reader) => reader,
            // The home stays as it is, since this may pass.
            Err(why @ (Unrecognised::NotSaid | Unrecognised::Failed))
                if !is_person || due.failures < TRIES =>
            {
                tracing::info!(%why, slack.user = user, "a home in Slack is shown later");
                return None;
            }
            Err(why) => {
                return Some(Drawn {
                    view: home_without(&why.note_to_reader()),
                    is_known: false,
                    notice: None,
                });
            }
        };
        let mut waiting = match waiting(&self.service, &reader.sees).await {
            Ok(waiting) => waiting,
            Err(error) => {
                tracing::error!(%error, slack.user = user, "a home in Slack cannot be drawn");
                return None;
            }
        };
        let (notice, words) = self.open.notice(user, now).unzip();
        waiting.notice = words;
        Some(Drawn {
            view: home(&waiting, &self.public_url),
            is_known: true,
            notice,
        })
    }

    /// Keeps that this node shows it, before it does.
    async fn take(&self, due: &Due) -> Result<WasOn, Came> {
        let store = self.service.store();
        match store.take_home(&due.user, self.node, due.until).await {
            Ok(None) => Ok(WasOn::Nowhere),
            Ok(Some(node)) if node == self.node => Ok(WasOn::Here),
            Ok(Some(_)) => Ok(WasOn::Elsewhere),
            Err(error) => {
                tracing::error!(%error, slack.user = due.user, "it cannot be kept that a home in Slack is shown");
                Err(Came::Failed(None))
            }
        }
    }

    /// Whether this node still has it.
    async fn has(&self, user: &str) -> Result<bool, Came> {
        match self.service.store().node_of_home(user).await {
            Ok(node) => Ok(node == Some(self.node)),
            Err(error) => {
                tracing::error!(%error, slack.user = user, "it is not known which node shows a home in Slack");
                Err(Came::Failed(None))
            }
        }
    }
}

/// Where a home was kept up to date before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WasOn {
    Nowhere,
    Here,
    Elsewhere,
}
