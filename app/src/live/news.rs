//! Pages that show more than the desk: they read again when the desk hears of something.

use std::time::Duration;

use chrono::{DateTime, Utc};
use leptos::prelude::*;
use serde::{Serialize, de::DeserializeOwned};

use super::Live;
use crate::load::Loaded;

/// How often at most: these pages read lists, and every open one does.
const REST: Duration = Duration::from_secs(2);

/// How often what no event tells of is looked at.
const LOOK: Duration = Duration::from_secs(3);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    Ready,
    Resting,
    /// Something happened meanwhile.
    Due,
}

/// Calls `reload` when something happened: at once, and then at most every two seconds.
pub(crate) fn reload_on_news(live: Live, reload: impl Fn() + Copy + Send + Sync + 'static) {
    // The state the page came with is no news.
    let seq = Memo::new(move |_| {
        let runs = live.hydrated.get();
        runs.then(|| live.desk.with(|desk| desk.last_seq))
    });
    let pace = StoredValue::new(Pace::Ready);
    Effect::new(move |before: Option<Option<i64>>| {
        let now = seq.get();
        let news = matches!((before.flatten(), now), (Some(before), Some(now)) if before != now);
        if news {
            match pace.get_value() {
                Pace::Ready => go(pace, reload),
                Pace::Resting | Pace::Due => pace.set_value(Pace::Due),
            }
        }
        now
    });
}

fn go(pace: StoredValue<Pace>, reload: impl Fn() + Copy + Send + Sync + 'static) {
    pace.set_value(Pace::Resting);
    reload();
    set_timeout(
        move || match pace.try_get_value() {
            Some(Pace::Due) => go(pace, reload),
            Some(Pace::Ready | Pace::Resting) => pace.set_value(Pace::Ready),
            // The page is gone.
            None => {}
        },
        REST,
    );
}

/// Reads the page again every few seconds while something on it is moving without an event, and a person
/// looks at it.
pub(crate) fn reload_while<T>(
    live: Live,
    page: Loaded<T>,
    is_moving: impl Fn(&T, DateTime<Utc>) -> bool + Copy + Send + Sync + 'static,
) where
    T: Serialize + DeserializeOwned + Clone + Send + Sync + 'static,
{
    let shown = StoredValue::new(None);
    Effect::new(move |_| shown.set_value(page.get().and_then(Result::ok)));
    Effect::new(move |_| {
        let look = move || {
            let now = live.now.get_untracked();
            let moves = |shown: &Option<T>| shown.as_ref().is_some_and(|page| is_moving(page, now));
            if !document().hidden() && shown.with_value(moves) {
                page.refetch();
            }
        };
        if let Ok(timer) = set_interval_with_handle(look, LOOK) {
            on_cleanup(move || timer.clear());
        }
    });
}
