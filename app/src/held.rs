//! The answers that a person has sent and this page still holds: for five seconds they can be undone. A page that
//! goes sends them as it goes.

use std::{collections::HashSet, time::Duration};

use chrono::{DateTime, Utc};
use domain::InteractionId;
use leptos::{prelude::*, server_fn::ServerFn, task::spawn_local};

use crate::{
    components::controls::draft,
    error::UiError,
    live::Live,
    server_fns::{AnswerBlocker, CancelBlocker},
    view::{AnswerOutcome, Row},
};

/// How long an answer is held.
pub(crate) const HOLD: Duration = Duration::from_secs(5);
/// An answer that is not certain to be in time after that is sent at once.
const IN_TIME: i64 = 30;
/// A body of more bytes is not sent by a page that goes: browsers take 64 KiB in all.
const GOES_ALONG: usize = 16 * 1024;
/// How long a row stays out of the list for an answer of which this page has not heard what became.
const UNHEARD: Duration = Duration::from_secs(10);
/// The browser's storage has this under [`OFF_KEY`] where answers are sent at once.
const OFF: &str = "off";
const OFF_KEY: &str = "handraise.undo";

/// An answer, or the taking back of a question.
#[derive(Clone)]
pub(crate) enum Call {
    Answer(Box<AnswerBlocker>),
    Cancel(CancelBlocker),
}

impl Call {
    async fn send(self) -> Result<AnswerOutcome, UiError> {
        match self {
            Self::Answer(answer) => answer.run_on_client().await,
            Self::Cancel(cancel) => cancel.run_on_client().await.map(|()| AnswerOutcome::Sent),
        }
    }

    /// Where it goes, and its body.
    fn encoded(&self) -> Option<(&'static str, String)> {
        match self {
            Self::Answer(answer) => Some((AnswerBlocker::url(), serde_qs::to_string(answer).ok()?)),
            Self::Cancel(cancel) => Some((CancelBlocker::url(), serde_qs::to_string(cancel).ok()?)),
        }
    }
}

/// How far it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// It can be undone.
    Held,
    Sending,
    /// Another person, or the deadline, was faster.
    Late,
    Failed(UiError),
}

/// One of them.
#[derive(Clone)]
pub(crate) struct Held {
    n: usize,
    pub(crate) id: InteractionId,
    call: Call,
    /// What it is, in words.
    pub(crate) said: String,
    pub(crate) stage: Stage,
}

impl Held {
    /// Names it on the page, at its stage.
    pub(crate) fn key(&self) -> (usize, u8) {
        let stage = match self.stage {
            Stage::Held => 0,
            Stage::Sending => 1,
            Stage::Late => 2,
            Stage::Failed(_) => 3,
        };
        (self.n, stage)
    }
}

/// All of them.
#[derive(Clone, Copy)]
pub(crate) struct Holding {
    held: RwSignal<Vec<Held>>,
    /// What is answered as far as this page knows, though the desk may still list it.
    gone: RwSignal<HashSet<InteractionId>>,
    /// How many there have been.
    count: StoredValue<usize>,
    /// The one that was undone last, for the control that shows it again.
    undone: StoredValue<Option<AnswerBlocker>>,
    live: Live,
}

impl Holding {
    /// Makes it available to everything below.
    pub(crate) fn provide(live: Live) -> Self {
        let holding = Self {
            held: RwSignal::default(),
            gone: RwSignal::default(),
            count: StoredValue::new(0),
            undone: StoredValue::new(None),
            live,
        };
        provide_context(holding);
        Effect::new(move |_| {
            // Browsers tell a page that is closed from one that is left only on some systems.
            for going in ["pagehide", "visibilitychange"] {
                let listener = window_event_listener_untyped(going, move |_| {
                    if going == "pagehide" || document().hidden() {
                        holding.send_along();
                    }
                });
                on_cleanup(move || listener.remove());
            }
        });
        holding
    }

    /// The same about a desk that the server has read: it gives every part of a page its own.
    pub(crate) fn seen_by(self, live: Live) -> Self {
        Self { live, ..self }
    }

    /// Whether answers are held in this browser.
    pub(crate) fn is_on() -> bool {
        let kept = storage().and_then(|storage| storage.get_item(OFF_KEY).ok().flatten());
        kept.as_deref() != Some(OFF)
    }

    /// From now on they are held, or not.
    pub(crate) fn switch(on: bool) {
        if let Some(storage) = storage() {
            let _ = match on {
                true => storage.remove_item(OFF_KEY),
                false => storage.set_item(OFF_KEY, OFF),
            };
        }
    }

    /// What is on its way, oldest first.
    pub(crate) fn all(self) -> Vec<Held> {
        self.held.get()
    }

    /// The blockers that wait for this person: without those that they have just answered.
    pub(crate) fn waiting(self) -> Vec<Row> {
        self.gone.with(|gone| {
            self.live.desk.with(|desk| {
                let left = desk.waiting.iter().filter(|row| !gone.contains(&row.id));
                left.cloned().collect()
            })
        })
    }

    /// The one after this in the list, or before it; from its end, on from its beginning.
    pub(crate) fn beside(self, id: InteractionId, step: isize) -> Option<InteractionId> {
        let ids: Vec<InteractionId> = untrack(|| {
            self.gone.with(|gone| {
                self.live.desk.with(|desk| {
                    let ids = desk.waiting.iter().map(|row| row.id);
                    ids.filter(|other| *other == id || !gone.contains(other))
                        .collect()
                })
            })
        });
        let next = match ids.iter().position(|other| *other == id) {
            Some(place) => {
                let len = isize::try_from(ids.len()).ok()?;
                let place = isize::try_from(place).ok()? + step;
                usize::try_from(place.rem_euclid(len)).ok()?
            }
            None => 0,
        };
        ids.get(next).copied().filter(|next| *next != id)
    }

    /// This page knows that it is answered.
    pub(crate) fn is_answered(self, id: InteractionId) {
        self.gone.update(|gone| _ = gone.insert(id));
    }

    /// Holds it, or hands it back if it cannot wait.
    pub(crate) fn hold(self, row: &Row, call: Call, said: String) -> Result<(), Call> {
        let left = |until: DateTime<Utc>| (until - self.live.now.get_untracked()).num_seconds();
        let is_in_time = row.expires_at.is_none_or(|until| left(until) > IN_TIME);
        let is_short = call
            .encoded()
            .is_some_and(|(_, body)| body.len() <= GOES_ALONG);
        if !Self::is_on() || !is_in_time || !is_short {
            return Err(call);
        }
        let n = self.count.get_value();
        self.count.set_value(n + 1);
        self.is_answered(row.id);
        self.held.update(|held| {
            held.push(Held {
                n,
                id: row.id,
                call,
                said,
                stage: Stage::Held,
            });
        });
        set_timeout(
            move || {
                if let Some(call) = self.starts(n, &Stage::Held) {
                    spawn_local(self.send(n, call));
                }
            },
            HOLD,
        );
        Ok(())
    }

    /// Takes the last one that is still held back onto the page. Returns which it is about.
    pub(crate) fn undo(self) -> Option<InteractionId> {
        let last = self.held.try_update(|held: &mut Vec<Held>| {
            let place = held.iter().rposition(|one| one.stage == Stage::Held)?;
            Some(held.remove(place))
        })??;
        self.gone.update(|gone| _ = gone.remove(&last.id));
        if let Call::Answer(answer) = last.call {
            self.undone.set_value(Some(*answer));
        }
        Some(last.id)
    }

    /// The answer that was undone, if it was to this question; once.
    pub(crate) fn take_undone(self, id: InteractionId) -> Option<AnswerBlocker> {
        self.undone
            .try_update_value(|undone| undone.take_if(|answer| answer.id == id))?
    }

    /// Sends one again that failed.
    pub(crate) fn again(self, failed: &Held) {
        if let Some(call) = self.starts(failed.n, &failed.stage) {
            self.is_answered(failed.id);
            spawn_local(self.send(failed.n, call));
        }
    }

    /// Its person knows.
    pub(crate) fn dismiss(self, known: &Held) {
        self.forget(known.n);
    }

    /// Sends all that are held, and returns when they are.
    pub(crate) async fn send_all(self) {
        for one in self.held.get_untracked() {
            if let Some(call) = self.starts(one.n, &Stage::Held) {
                self.send(one.n, call).await;
            }
        }
    }

    /// Whether any is held.
    pub(crate) fn has_any(self) -> bool {
        self.held
            .with_untracked(|held| held.iter().any(|one| one.stage == Stage::Held))
    }

    async fn send(self, n: usize, call: Call) {
        let end = call.send().await;
        let Some(Some(id)) = self.held.try_with_untracked(|held: &Vec<Held>| {
            let one = held.iter().find(|one| one.n == n)?;
            Some(one.id)
        }) else {
            return;
        };
        match end {
            Ok(AnswerOutcome::Sent | AnswerOutcome::Kept) => {
                draft::forget_all(id);
                self.forget(n);
            }
            Ok(AnswerOutcome::TooLate) => self.stop(n, Stage::Late),
            Err(error) => {
                self.gone.update(|gone| _ = gone.remove(&id));
                self.stop(n, Stage::Failed(error));
            }
        }
    }

    /// Marks it as sent if it is at this stage.
    fn starts(self, n: usize, from: &Stage) -> Option<Call> {
        self.held.try_update(|held: &mut Vec<Held>| {
            let one = held
                .iter_mut()
                .find(|one| one.n == n && one.stage == *from)?;
            one.stage = Stage::Sending;
            Some(one.call.clone())
        })?
    }

    fn stop(self, n: usize, stage: Stage) {
        self.held.update(|held| {
            if let Some(one) = held.iter_mut().find(|one| one.n == n) {
                one.stage = stage;
            }
        });
    }

    fn forget(self, n: usize) {
        self.held.update(|held| held.retain(|one| one.n != n));
    }

    /// The browser sends them though the page may be gone. A page that stays hears by the feed what became of them.
    fn send_along(self) {
        for one in self.held.get_untracked() {
            let Some(call) = self.starts(one.n, &Stage::Held) else {
                continue;
            };
            if !call.encoded().is_some_and(|(url, body)| beacon(url, &body)) {
                spawn_local(self.send(one.n, call));
                continue;
            }
            self.forget(one.n);
            set_timeout(
                move || _ = self.gone.try_update(|gone| gone.remove(&one.id)),
                UNHEARD,
            );
        }
    }
}

/// Whether the browser has taken it.
fn beacon(url: &str, body: &str) -> bool {
    let navigator = window().navigator();
    web_sys::UrlSearchParams::new_with_str(body)
        .and_then(|body| navigator.send_beacon_with_opt_url_search_params(url, Some(&body)))
        .unwrap_or_default()
}

fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}
