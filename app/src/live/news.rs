//! Pages that show more than the desk: they read again when the desk hears of something.

use std::time::Duration;

use leptos::prelude::*;

use super::Live;

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
    // What the page came with is no news.
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

/// Calls `reload` every few seconds while something on the page is moving without an event, and the page is
/// looked at.
pub(crate) fn reload_while(
    is_moving: impl Fn() -> bool + Copy + Send + Sync + 'static,
    reload: impl Fn() + Copy + Send + Sync + 'static,
) {
    Effect::new(move |_| {
        let look = move || {
            if !document().hidden() && untrack(is_moving) {
                reload();
            }
        };
        if let Ok(timer) = set_interval_with_handle(look, LOOK) {
            on_cleanup(move || timer.clear());
        }
    });
}
