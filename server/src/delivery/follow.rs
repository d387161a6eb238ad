//! Endpoints follow the journal: what is owed to them is made of it as they take it, not while agents wait
//! for their 201. One that pauses costs nothing but the event it is to go on from.

use std::collections::{HashMap, hash_map::Entry};

use domain::DestinationId;
use store::{Follower, NewsPage, Owing, Store, StoreError};

/// How many events are read at once.
const PAGE: u32 = 256;
/// Events that an endpoint does not want to hear of are forgotten at a restart, up to so many.
const UNKEPT: i64 = 1_000;

/// How far those endpoints have read that found nothing to hear of.
#[derive(Default)]
pub(super) struct Readers(HashMap<DestinationId, i64>);

/// Parts of the journal by the event before them: most endpoints are at the same place.
pub(super) type Pages = HashMap<i64, NewsPage>;

impl Readers {
    /// The deliveries to make for this endpoint, `most` of them at most. `None` if there is no news for it.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub(super) async fn next(
        &mut self,
        store: &dyn Store,
        pages: &mut Pages,
        follower: &Follower,
        most: usize,
    ) -> Result<Option<Owing>, StoreError> {
        let destination = follower.listener.id;
        let from = follower.made_up_to;
        let last = follower.stopped.map_or(i64::MAX, |stopped| stopped.after);
        let mut read = self.0.get(&destination).copied().unwrap_or(from).max(from);
        let mut owed = Vec::new();
        while owed.len() < most && read < last {
            let page = match pages.entry(read) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => place.insert(store.news(read, PAGE).await?),
            };
            let end = page.news.partition_point(|one| one.seq <= last);
            owed.extend(follower.listener.owed(&page.news[..end], most - owed.len()));
            read = match owed.last() {
                Some(newest) if owed.len() == most => newest.event_seq,
                _ => page.up_to.min(last),
            };
            if !page.more {
                break;
            }
        }
        let moved = match follower.stopped {
            Some(_) => read > from,
            None => !owed.is_empty() || read - from >= UNKEPT,
        };
        if !moved {
            self.0.insert(destination, read);
            return Ok(None);
        }
        // The store says how far it is once this is kept; until then nothing was read.
        Ok(Some(Owing {
            destination,
            from,
            up_to: read,
            owed,
            given_up: follower.stopped.map(|stopped| stopped.at),
        }))
    }
}
