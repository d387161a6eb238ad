//! Agents, people and readers, all at once.

pub(crate) mod asked;
pub(crate) mod door;
pub(crate) mod life;
pub(crate) mod page;
pub(crate) mod readers;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use futures::future::join_all;
use tokio_util::sync::CancellationToken;

use crate::check::Violation;
use crate::check::history::Way;
use crate::check::story::{Figures, Kept};
use crate::world::World;

/// What came of all that was asked.
#[derive(Default)]
pub(crate) struct Played {
    pub(crate) kept: Vec<Kept>,
    pub(crate) violations: Vec<Violation>,
    pub(crate) calls: usize,
    pub(crate) unknown: usize,
    pub(crate) answers: usize,
    pub(crate) races: usize,
    /// Of these, those between a page and the API, and those with a press in Slack.
    pub(crate) races_of_pages: usize,
    pub(crate) races_of_slack: usize,
    pub(crate) histories: usize,
}

impl Played {
    fn count(&mut self, figures: &Figures) {
        self.calls += figures.calls;
        self.unknown += figures.unknown;
        self.answers += figures.answers;
        self.races += usize::from(figures.is_race);
        let has = |way| figures.is_race && figures.ways.contains(&way);
        self.races_of_pages += usize::from(has(Way::Api) && has(Way::Dashboard));
        self.races_of_slack += usize::from(has(Way::Slack));
        self.histories += usize::from(figures.is_checked);
    }
}

/// So many interactions live at once, another one whenever one has ended, until it is enough.
pub(crate) async fn play(
    world: &World,
    seed: u64,
    at_once: usize,
    until: &CancellationToken,
) -> Played {
    let (next, played) = (AtomicUsize::new(0), Mutex::new(Played::default()));
    let worker = || async {
        while !until.is_cancelled() {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let story = life::play(world, seed, n).await;
            let (violations, figures) = (story.check(world), story.figures());
            let mut played = played.lock().unwrap_or_else(PoisonError::into_inner);
            for one in violations.iter().filter(|_| world.tells) {
                eprintln!("prove: {}: {}", one.promise.name(), one.what);
            }
            played.violations.extend(violations);
            played.count(&figures);
            played.kept.push(story.keep());
        }
    };
    join_all((0..at_once).map(|_| worker())).await;
    played.into_inner().unwrap_or_else(PoisonError::into_inner)
}
