//! How fast passwords can be tried.
//!
//! Each failure makes the next wait longer. Counted are a name together with the address it is tried
//! from, and the address for all names: so a person who fails on purpose makes only themselves wait, and
//! never keeps the owner of the name out. Against one name from very many addresses there is the third
//! count, of the name from everywhere; it makes addresses wait that have not signed in as that person
//! before. Kept in memory, by node: a restart forgets it.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, PoisonError},
};

use chrono::{DateTime, TimeDelta, Utc};

use crate::network::Network;

/// Failures without consequence: of a name from one address, of an address, of a name from everywhere.
const FREE_PAIR: u32 = 5;
const FREE_ADDRESS: u32 = 30;
const FREE_NAME: u32 = 100;
/// The first wait is a second, each further one twice as long, up to this.
const LONGEST: TimeDelta = TimeDelta::minutes(5);
/// Forgotten after this long without another failure.
const MEMORY: TimeDelta = TimeDelta::hours(1);
/// More than this many are not remembered; the oldest go first.
const REMEMBERED: usize = 20_000;
/// Addresses remembered per name.
const FAMILIAR: usize = 16;
/// Failures of names that no person has which the journal hears of, in [`MEMORY`]. Those of people it hears
/// of whenever one may be tried.
const STRANGERS: u32 = 100;

/// Counts failures.
#[derive(Debug, Default)]
pub(super) struct Backoff(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    failures: HashMap<Counted, Failures>,
    /// From where people have signed in, since the start.
    familiar: HashMap<String, Vec<Network>>,
    /// Since when, and how many.
    strangers: Option<(DateTime<Utc>, u32)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Counted {
    Pair(String, Network),
    Address(Network),
    Name(String),
}

#[derive(Clone, Copy, Debug)]
struct Failures {
    count: u32,
    last: DateTime<Utc>,
}

impl Counted {
    fn free(&self) -> u32 {
        match self {
            Self::Pair(..) => FREE_PAIR,
            Self::Address(_) => FREE_ADDRESS,
            Self::Name(_) => FREE_NAME,
        }
    }
}

impl Failures {
    fn until(self, free: u32) -> DateTime<Utc> {
        let Some(over) = self.count.checked_sub(free) else {
            return self.last;
        };
        let seconds = 1_i64.checked_shl(over).filter(|_| over < 32);
        let wait = seconds.map_or(LONGEST, TimeDelta::seconds);
        self.last + wait.min(LONGEST)
    }
}

impl Backoff {
    /// Counts an attempt as failed until it is known to have succeeded, so that many at once count too.
    ///
    /// # Errors
    /// How long to wait; then it was not counted.
    pub(super) fn attempt(
        &self,
        name_key: &str,
        address: IpAddr,
        now: DateTime<Utc>,
    ) -> Result<(), TimeDelta> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let address = Network::of(address);
        let keys = counts.counted(name_key, address);
        let until = keys.iter().filter_map(|key| {
            let failures = counts.failures.get(key)?;
            Some(failures.until(key.free()))
        });
        if let Some(wait) = until.map(|until| until - now).max()
            && wait > TimeDelta::zero()
        {
            return Err(wait);
        }
        for key in keys {
            let failures = counts.failures.entry(key).or_insert(Failures {
                count: 0,
                last: now,
            });
            if now - failures.last > MEMORY {
                failures.count = 0;
            }
            failures.count += 1;
            failures.last = now;
        }
        counts.forget(now);
        Ok(())
    }

    /// Whether one more failure of a name that no person has is worth keeping: names and addresses can be made
    /// up without end, so those bound nothing.
    pub(super) fn notes_a_stranger(&self, now: DateTime<Utc>) -> bool {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, count) = counts
            .strangers
            .filter(|(since, _)| now - *since <= MEMORY)
            .unwrap_or((now, 0));
        counts.strangers = Some((since, count.saturating_add(1)));
        count < STRANGERS
    }

    /// The attempt was a success.
    pub(super) fn succeeded(&self, name_key: &str, address: IpAddr) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let address = Network::of(address);
        for key in counts.counted(name_key, address) {
            match key {
                Counted::Pair(..) => {
                    counts.failures.remove(&key);
                }
                // Only this attempt is taken back: one good password is no licence to try others.
                Counted::Address(_) | Counted::Name(_) => {
                    if let Some(failures) = counts.failures.get_mut(&key) {
                        failures.count = failures.count.saturating_sub(1);
                    }
                }
            }
        }
        let familiar = counts.familiar.entry(name_key.to_owned()).or_default();
        if !familiar.contains(&address) {
            familiar.truncate(FAMILIAR - 1);
            familiar.insert(0, address);
        }
    }
}

impl Counts {
    fn counted(&self, name_key: &str, address: Network) -> Vec<Counted> {
        let familiar = self.familiar.get(name_key);
        let mut keys = vec![
            Counted::Pair(name_key.to_owned(), address),
            Counted::Address(address),
        ];
        if !familiar.is_some_and(|familiar| familiar.contains(&address)) {
            keys.push(Counted::Name(name_key.to_owned()));
        }
        keys
    }

    fn forget(&mut self, now: DateTime<Utc>) {
        if self.failures.len() <= REMEMBERED {
            return;
        }
        self.failures
            .retain(|_, failures| now - failures.last <= MEMORY);
        if self.failures.len() > REMEMBERED {
            let mut times: Vec<_> = self.failures.values().map(|one| one.last).collect();
            let middle = times.len() / 2;
            let (_, median, _) = times.select_nth_unstable(middle);
            let median = *median;
            self.failures.retain(|_, one| one.last > median);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start() -> DateTime<Utc> {
        DateTime::from_timestamp_millis(1_800_000_000_000).unwrap()
    }

    fn address(n: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, n])
    }

    #[test]
    fn who_fails_waits_longer_each_time_and_nobody_else_does() {
        let (backoff, mut now) = (Backoff::default(), start());
        for _ in 0..FREE_PAIR {
            backoff.attempt("ana", address(1), now).unwrap();
        }
        let mut waits = Vec::new();
        for _ in 0..12 {
            let wait = backoff.attempt("ana", address(1), now).unwrap_err();
            waits.push(wait.num_seconds());
            backoff.attempt("ana", address(2), now).ok();
            now += wait;
            backoff.attempt("ana", address(1), now).unwrap();
        }
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
        // Another name from there, and the name from elsewhere.
        backoff.attempt("ben", address(1), now).unwrap();
        backoff.attempt("ana", address(3), now).unwrap();
        now += MEMORY + TimeDelta::seconds(1);
        for _ in 0..FREE_PAIR {
            backoff.attempt("ana", address(1), now).unwrap();
        }
    }

    #[test]
    fn a_success_forgives_the_pair() {
        let (backoff, now) = (Backoff::default(), start());
        for _ in 0..3 {
            for _ in 0..FREE_PAIR {
                backoff.attempt("ana", address(1), now).unwrap();
            }
            backoff.succeeded("ana", address(1));
        }
    }

    #[test]
    fn an_address_that_tries_many_names_waits() {
        let (backoff, now) = (Backoff::default(), start());
        for n in 0..FREE_ADDRESS {
            backoff.attempt(&format!("p{n}"), address(1), now).unwrap();
        }
        assert!(backoff.attempt("ana", address(1), now).is_err());
        assert!(backoff.attempt("ana", address(2), now).is_ok());
    }

    #[test]
    fn many_addresses_cannot_keep_the_owner_out() {
        let (backoff, now) = (Backoff::default(), start());
        let home = address(200);
        backoff.attempt("ana", home, now).unwrap();
        backoff.succeeded("ana", home);
        let refused = (0..=200).find(|n| backoff.attempt("ana", address(*n), now).is_err());
        assert_eq!(refused, Some(100));
        backoff.attempt("ana", home, now).unwrap();
    }

    #[test]
    fn an_ipv6_network_is_one_address() {
        let (backoff, now) = (Backoff::default(), start());
        let of = |n: u16| IpAddr::from([0x2001, 0xdb8, 0, 1, 0, 0, 0, n]);
        for n in 0..5 {
            backoff.attempt("ana", of(n), now).unwrap();
        }
        assert!(backoff.attempt("ana", of(6), now).is_err());
    }

    #[test]
    fn names_that_nobody_has_cannot_fill_the_journal() {
        let (backoff, now) = (Backoff::default(), start());
        let noted = |now| (0..5_000).filter(|_| backoff.notes_a_stranger(now)).count();
        assert_eq!((noted(now), noted(now + MEMORY)), (100, 0));
        assert_eq!(noted(now + MEMORY + TimeDelta::seconds(1)), 100);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let (backoff, mut now) = (Backoff::default(), start());
        for n in 0..30_000_u32 {
            now += TimeDelta::milliseconds(1);
            let address = IpAddr::from(n.to_be_bytes());
            backoff.attempt(&format!("p{n}"), address, now).unwrap();
        }
        assert!(backoff.0.lock().unwrap().failures.len() <= REMEMBERED + 3);
    }
}
