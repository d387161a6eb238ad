//! How much of everything there is.

use std::{env, time::Duration};

/// How much is played.
#[derive(Clone)]
pub(super) struct Size {
    pub(super) questions: usize,
    pub(super) teams: usize,
    pub(super) rungs: u32,
    /// In seconds.
    pub(super) asked_within: f64,
    /// Whether the cards in channels are waited for too: one that was posted twice is looked for, for minutes.
    pub(super) with_cards: bool,
    /// Between two kills, more or less.
    pub(super) apart: Duration,
    /// How often people decide in each of their ways, with this between two of them, more or less.
    pub(super) rounds: usize,
    pub(super) pause: Duration,
    pub(super) seed: u64,
}

impl Size {
    /// What the environment wants; else a short one.
    pub(super) fn chosen() -> Self {
        let number = |name: &str| -> Option<u64> {
            let text = env::var(name).ok()?;
            Some(text.parse().unwrap())
        };
        let seed = number("TEST_CAMPAIGN_SEED").unwrap_or(1);
        match number("TEST_CAMPAIGN_QUESTIONS") {
            Some(questions) => Self {
                questions: usize::try_from(questions).unwrap(),
                teams: usize::try_from(questions.div_ceil(5)).unwrap(),
                rungs: 3,
                asked_within: 30.0,
                with_cards: true,
                apart: Duration::from_secs(4),
                rounds: usize::try_from(questions.div_ceil(4)).unwrap(),
                pause: Duration::from_secs(2),
                seed,
            },
            None => Self {
                questions: 16,
                teams: 4,
                rungs: 2,
                asked_within: 3.0,
                with_cards: false,
                apart: Duration::from_secs(5),
                rounds: 4,
                pause: Duration::from_millis(500),
                seed,
            },
        }
    }
}
