//! The choices of a schedule: who goes next, and how much time passes until then.

use rand::RngExt;
use sha2::Digest;

use super::{State, Waiting};

/// Turns between two rounds of a job, a page or the operator.
const IDLE: [&str; 3] = ["waits", "listens", "rests"];

impl State {
    pub(super) fn note(&mut self, line: &str) {
        self.trace.update(line.as_bytes());
        self.trace.update(b"\n");
        if let Some(told) = &mut self.told {
            told.push(line.to_owned());
        }
    }

    pub(super) fn happens(&mut self, once_in: u32) -> bool {
        self.chance.random_range(0..once_in) == 0
    }

    /// How much time passes until the next turn.
    pub(super) fn passes(&mut self) -> i64 {
        if self.is_calm {
            return 5;
        }
        let jump = match self.chance.random_range(0..20_000) {
            0..2 => 600_000..7_200_000,
            2..60 => 1_000..90_000,
            _ => return self.chance.random_range(0..40),
        };
        self.faults.jumps += 1;
        let millis = self.chance.random_range(jump);
        self.note(&format!("{millis} ms pass"));
        millis
    }

    pub(super) fn choose(&mut self) -> Option<usize> {
        if self.waiting.is_empty() {
            return None;
        }
        if !self.is_calm && self.happens(700) {
            // Late: a node that is stopped, a thread that gets no processor.
            let actor = self.chance.random_range(0..self.names.len());
            let until = self.step + self.chance.random_range(20_u64..600);
            self.asleep.push((actor, until));
            self.faults.pauses += 1;
        }
        let step = self.step;
        self.asleep.retain(|(_, until)| *until > step);
        if let Some((actor, _)) = self.favoured.filter(|(_, until)| *until > step) {
            let place = self.waiting.iter().position(|one| one.actor == actor);
            if place.is_some() {
                return place;
            }
        }
        let is_awake = |one: &Waiting| self.asleep.iter().all(|(actor, _)| *actor != one.actor);
        let places = self.waiting.iter().enumerate();
        let awake: Vec<usize> = places
            .filter(|(_, one)| is_awake(one))
            .map(|(place, _)| place)
            .collect();
        let mut place = self.one_of(&awake);
        // Who is at work goes more often than who only waits for the next round.
        if IDLE.contains(&self.waiting[place].what) && !self.happens(5) {
            place = self.one_of(&awake);
        }
        // For a while it goes on alone: so some get far while others stand still.
        if self.happens(12) {
            let until = step + self.chance.random_range(5_u64..60);
            self.favoured = Some((self.waiting[place].actor, until));
        }
        Some(place)
    }

    fn one_of(&mut self, awake: &[usize]) -> usize {
        match awake.len() {
            0 => self.chance.random_range(0..self.waiting.len()),
            some => awake[self.chance.random_range(0..some)],
        }
    }
}
