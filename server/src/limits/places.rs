//! So many at once: in all, and of one key.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Places that are taken and given back.
#[derive(Debug)]
pub struct Places<K> {
    /// 0 = any number.
    in_all: usize,
    /// 0 = any number.
    of_one: usize,
    taken: Mutex<Taken<K>>,
}

#[derive(Debug)]
struct Taken<K> {
    in_all: usize,
    of_one: HashMap<K, usize>,
}

/// There is no place left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// Everybody together has them all.
    InAll,
    /// This key has as many as it may.
    OfOne,
}

impl<K: Hash + Eq + Copy> Places<K> {
    /// At most `in_all`, and `of_one` for each key; 0 = any number.
    pub fn new(in_all: u32, of_one: u32) -> Arc<Self> {
        let taken = Taken {
            in_all: 0,
            of_one: HashMap::new(),
        };
        Arc::new(Self {
            in_all: in_all as usize,
            of_one: of_one as usize,
            taken: Mutex::new(taken),
        })
    }

    /// A place, until it is dropped.
    ///
    /// # Errors
    /// [`Full`].
    pub fn take(self: &Arc<Self>, key: K) -> Result<Place<K>, Full> {
        let mut taken = self.lock();
        let own = taken.of_one.get(&key).copied().unwrap_or_default();
        if self.of_one > 0 && own >= self.of_one {
            return Err(Full::OfOne);
        }
        if self.in_all > 0 && taken.in_all >= self.in_all {
            return Err(Full::InAll);
        }
        taken.in_all += 1;
        taken.of_one.insert(key, own + 1);
        Ok(Place {
            places: Arc::clone(self),
            key,
        })
    }

    /// How many are taken.
    pub fn taken(&self) -> usize {
        self.lock().in_all
    }

    fn lock(&self) -> MutexGuard<'_, Taken<K>> {
        // No panic can leave it half changed: nothing between its changes can fail.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place that is taken. Dropping it gives it back.
#[derive(Debug)]
pub struct Place<K: Hash + Eq + Copy> {
    places: Arc<Places<K>>,
    key: K,
}

impl<K: Hash + Eq + Copy> Drop for Place<K> {
    fn drop(&mut self) {
        let mut taken = self.places.lock();
        taken.in_all -= 1;
        let left = taken.of_one.get(&self.key).copied().unwrap_or_default();
        if left > 1 {
            taken.of_one.insert(self.key, left - 1);
        } else {
            taken.of_one.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_all_and_for_each() {
        let places = Places::new(3, 2);
        let first = places.take('a').unwrap();
        let _second = places.take('a').unwrap();
        assert_eq!(places.take('a').unwrap_err(), Full::OfOne);
        let _third = places.take('b').unwrap();
        assert_eq!(places.take('b').unwrap_err(), Full::InAll);
        drop(first);
        assert_eq!(places.taken(), 2);
        assert!(places.take('b').is_ok());
        assert!(places.take('a').is_ok());
    }

    #[test]
    fn zero_is_no_limit_and_nothing_is_left_of_those_who_went_away() {
        let places = Places::new(0, 0);
        let many: Vec<_> = (0..100).map(|key| places.take(key % 3)).collect();
        assert_eq!(places.taken(), 100);
        drop(many);
        assert_eq!(places.taken(), 0);
        assert!(places.lock().of_one.is_empty());
    }
}
