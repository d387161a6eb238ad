//! What a node knows of the homes that it keeps up to date. Each is shown by one task at a time, so that the newest wins.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use chrono::{DateTime, TimeDelta, Utc};

use super::OPEN_FOR;

/// How long the notice of a press stands there.
const NOTICE_FOR: TimeDelta = TimeDelta::seconds(30);
/// How many are kept up to date. Of more, the one that was opened first is left as it is until its time is over.
const MOST_HOMES: usize = 500;
/// The longest pause after failures, in seconds.
const LONGEST: i64 = 60;

/// Homes that are kept up to date.
#[derive(Debug, Default)]
pub(super) struct OpenHomes(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    open: BTreeMap<String, Open>,
    /// Those that a task shows or ends now.
    held: BTreeSet<String>,
    /// So many openings and presses there were.
    count: u64,
}

#[derive(Debug)]
struct Open {
    /// Which opening or press this is.
    number: u64,
    until: DateTime<Utc>,
    notice: Option<Notice>,
    wanted: Wanted,
    shown: Option<Shown>,
    /// When it was last drawn because something had changed.
    looked_at: DateTime<Utc>,
    /// Failures in a row, and when it is tried again.
    failures: u32,
    not_before: DateTime<Utc>,
}

/// Why a press was refused, and since when that is to be seen.
#[derive(Debug)]
struct Notice {
    words: String,
    shown_at: Option<DateTime<Utc>>,
}

/// Why a home is to be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wanted {
    Nothing,
    /// It may show something else now.
    News,
    /// A person waits for it.
    Person,
}

/// What its person sees: what tells it from others, and since when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) key: u64,
    pub(super) at: DateTime<Utc>,
}

/// A home that is to be shown now, by whoever has this.
#[derive(Debug)]
pub(super) struct Due {
    pub(super) user: String,
    pub(super) wanted: Wanted,
    pub(super) until: DateTime<Utc>,
    pub(super) failures: u32,
    pub(super) shown: Option<Shown>,
    number: u64,
    _held: Held,
}

/// No other task shows this home or ends it.
#[derive(Debug)]
pub(super) struct Held {
    homes: Arc<OpenHomes>,
    user: String,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.homes.state().held.remove(&self.user);
    }
}

/// What came of showing a home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Came {
    /// It shows this, with the notice of that press.
    Shown(Shown, Option<u64>),
    /// It shows this, and is to be published once more: another node may have published it at the same moment.
    ShownBesides(Shown, Option<u64>),
    /// It had no turn.
    NoTurn(Option<TimeDelta>),
    /// It is tried again, after a pause if Slack named one.
    Failed(Option<TimeDelta>),
    /// The same, and it may show what was sent.
    Unclear(Option<TimeDelta>),
    /// A person has to change a setting first.
    Refused,
    /// It is not kept up to date here any more.
    Over,
}

impl OpenHomes {
    pub(super) fn is_empty(&self) -> bool {
        self.state().open.is_empty()
    }

    pub(super) fn opened(&self, user: &str, now: DateTime<Utc>) {
        let mut state = self.state();
        // Why a press was refused is read by its person first.
        let before = state.open.get_mut(user);
        let notice = before.and_then(|open| open.notice.take());
        state.look(user, notice, now);
    }

    pub(super) fn pressed(&self, user: &str, notice: Option<String>, now: DateTime<Utc>) {
        let notice = notice.map(|words| Notice {
            words,
            shown_at: None,
        });
        self.state().look(user, notice, now);
    }

    /// All of them may show something else now.
    pub(super) fn news(&self) {
        for open in self.state().open.values_mut() {
            open.wanted = open.wanted.max(Wanted::News);
        }
    }

    /// Those that people wait for.
    pub(super) fn take_people(self: &Arc<Self>, room: usize, now: DateTime<Utc>) -> Vec<Due> {
        self.take(Wanted::Person, room, now)
    }

    /// Those that may have changed, the ones that were drawn longest ago.
    pub(super) fn take_news(self: &Arc<Self>, room: usize, now: DateTime<Utc>) -> Vec<Due> {
        self.take(Wanted::News, room, now)
    }

    fn take(self: &Arc<Self>, wanted: Wanted, room: usize, now: DateTime<Utc>) -> Vec<Due> {
        let mut guard = self.state();
        let State { open, held, .. } = &mut *guard;
        open.retain(|_, one| now < one.until);
        let mut due: Vec<_> = open
            .iter_mut()
            .filter(|(user, one)| {
                one.wanted == wanted && now >= one.not_before && !held.contains(*user)
            })
            .collect();
        due.sort_by_key(|(_, one)| (one.looked_at, one.number));
        let due = due.into_iter().take(room).map(|(user, one)| {
            one.wanted = Wanted::Nothing;
            one.looked_at = now;
            held.insert(user.clone());
            Due {
                user: user.clone(),
                wanted,
                until: one.until,
                failures: one.failures,
                shown: one.shown,
                number: one.number,
                _held: Held {
                    homes: self.clone(),
                    user: user.clone(),
                },
            }
        });
        due.collect()
    }

    /// Has a home to oneself that is not kept up to date here.
    pub(super) fn hold(self: &Arc<Self>, user: &str, now: DateTime<Utc>) -> Option<Held> {
        let mut state = self.state();
        let is_open = state.open.get(user).is_some_and(|open| now < open.until);
        if is_open || !state.held.insert(user.to_owned()) {
            return None;
        }
        Some(Held {
            homes: self.clone(),
            user: user.to_owned(),
        })
    }

    /// The notice that is to be seen now, and of which press it is.
    pub(super) fn notice(&self, user: &str, now: DateTime<Utc>) -> Option<(u64, String)> {
        let state = self.state();
        let open = state.open.get(user)?;
        let notice = open.notice.as_ref()?;
        let is_over = |shown_at: DateTime<Utc>| now >= shown_at + NOTICE_FOR;
        match notice.shown_at.is_some_and(is_over) {
            true => None,
            false => Some((open.number, notice.words.clone())),
        }
    }

    /// Keeps what came of showing a home that was begun then. A pause counts from there.
    pub(super) fn keep(&self, due: &Due, came: Came, begun: DateTime<Utc>) {
        let mut state = self.state();
        let Some(open) = state.open.get_mut(&due.user) else {
            return;
        };
        // It may have been opened since, or something was pressed: that is tried at once.
        let is_last = open.number == due.number;
        match came {
            Came::Shown(shown, notice) => open.is_shown(Some(shown), notice, shown.at),
            Came::ShownBesides(shown, notice) => {
                open.is_shown(None, notice, shown.at);
                open.wanted = open.wanted.max(Wanted::News);
            }
            Came::NoTurn(wait) => {
                open.wanted = open.wanted.max(due.wanted);
                if let Some(wait) = wait.filter(|_| is_last) {
                    open.not_before = begun + wait;
                }
            }
            Came::Failed(wait) | Came::Unclear(wait) => {
                if matches!(came, Came::Unclear(_)) {
                    open.shown = None;
                }
                open.wanted = open.wanted.max(due.wanted);
                if is_last {
                    open.failures = open.failures.saturating_add(1);
                    let backoff = 1_i64 << open.failures.min(6);
                    let backoff = TimeDelta::seconds(backoff.min(LONGEST));
                    open.not_before = begun + wait.unwrap_or(backoff);
                }
            }
            Came::Refused => {
                open.wanted = open.wanted.max(due.wanted);
                if is_last {
                    open.not_before = begun + TimeDelta::seconds(LONGEST);
                }
            }
            Came::Over if is_last => {
                state.open.remove(&due.user);
            }
            Came::Over => {}
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change of it is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn look(&mut self, user: &str, notice: Option<Notice>, now: DateTime<Utc>) {
        if !self.open.contains_key(user) && self.open.len() >= MOST_HOMES {
            let first = self.open.iter().min_by_key(|(_, one)| one.until);
            if let Some(first) = first.map(|(user, _)| user.clone()) {
                self.open.remove(&first);
            }
        }
        self.count += 1;
        let before = self.open.get(user);
        let next = Open {
            number: self.count,
            until: now + OPEN_FOR,
            notice,
            wanted: Wanted::Person,
            shown: before.and_then(|open| open.shown),
            looked_at: before.map_or(now, |open| open.looked_at),
            failures: 0,
            not_before: now,
        };
        self.open.insert(user.to_owned(), next);
    }
}

impl Open {
    fn is_shown(&mut self, shown: Option<Shown>, notice: Option<u64>, at: DateTime<Utc>) {
        self.failures = 0;
        self.shown = shown;
        if let Some(seen) = self.notice.as_mut().filter(|_| notice == Some(self.number)) {
            seen.shown_at.get_or_insert(at);
        }
    }
}

#[cfg(test)]
mod tests;
