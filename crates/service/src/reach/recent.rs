//! What was read a moment ago for a message is not read again for the next one: a question is told to a whole team at once.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use machine::clock::Clock;

/// For how long what was read is as good as new: a message is longer on its way.
const FRESH: Duration = Duration::from_millis(50);

/// Reads of one kind, by what was read.
#[derive(Debug)]
pub(crate) struct Recent<K, V> {
    fresh: Duration,
    entries: Mutex<HashMap<K, Entry<V>>>,
}

/// Held while it is read: all that want the same wait for that.
type Entry<V> = Arc<tokio::sync::Mutex<Option<Read<V>>>>;

#[derive(Debug)]
struct Read<V> {
    begun: Duration,
    value: V,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Self {
            fresh: FRESH,
            entries: Mutex::default(),
        }
    }
}

impl<K: Copy + Eq + Hash, V: Clone> Recent<K, V> {
    /// What was read of `key` a moment ago, else what `read` finds. An error is not kept.
    pub(super) async fn get<E>(
        &self,
        clock: &dyn Clock,
        key: K,
        read: impl Future<Output = Result<V, E>>,
    ) -> Result<V, E> {
        let entry = self.entry(key, clock.uptime());
        let mut held = entry.lock().await;
        let begun = clock.uptime();
        if let Some(known) = held.as_ref().filter(|known| self.is_fresh(known, begun)) {
            return Ok(known.value.clone());
        }
        let value = read.await?;
        *held = Some(Read {
            begun,
            value: value.clone(),
        });
        Ok(value)
    }

    fn is_fresh(&self, read: &Read<V>, now: Duration) -> bool {
        now.saturating_sub(read.begun) < self.fresh
    }

    fn entry(&self, key: K, now: Duration) -> Entry<V> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if !entries.contains_key(&key) {
            entries.retain(|_, entry| match entry.try_lock() {
                Ok(read) => read.as_ref().is_some_and(|read| self.is_fresh(read, now)),
                Err(_) => true,
            });
        }
        Arc::clone(entries.entry(key).or_default())
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use machine::clock::SystemClock;

    use super::*;

    fn for_as_long_as<V>(fresh: Duration) -> Recent<u8, V> {
        Recent {
            fresh,
            ..Recent::default()
        }
    }

    #[tokio::test]
    async fn one_read_serves_all_of_a_moment() {
        for (moment, second) in [(Duration::MAX, "first"), (Duration::ZERO, "second")] {
            let recent = for_as_long_as(moment);
            let read = async |key, value| {
                let read = async { Ok::<_, Infallible>(value) };
                recent.get(&SystemClock, key, read).await.unwrap()
            };
            assert_eq!(read(7, "first").await, "first");
            assert_eq!(read(7, "second").await, second);
            assert_eq!(read(8, "other").await, "other");
        }
    }

    #[tokio::test]
    async fn what_failed_is_read_again_and_what_is_old_is_forgotten() {
        let recent = for_as_long_as(Duration::ZERO);
        assert_eq!(
            recent.get(&SystemClock, 1, async { Err("down") }).await,
            Err("down")
        );
        assert_eq!(
            recent
                .get(&SystemClock, 1, async { Ok::<_, &str>(5) })
                .await,
            Ok(5)
        );
        recent
            .get(&SystemClock, 2, async { Ok::<_, &str>(6) })
            .await
            .unwrap();
        let entries = recent.entries.lock().unwrap();
        assert_eq!(entries.keys().collect::<Vec<_>>(), [&2]);
    }
}
