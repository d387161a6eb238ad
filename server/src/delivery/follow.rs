//! Endpoints follow the journal: what is owed to them is made of it as they take it, not while agents wait
//! for their 201. One that pauses costs nothing but the event it is to go on from.

use std::collections::HashMap;

use domain::{DestinationId, delivery::News};
use store::{Follower, NewsPage, Owing, Store, StoreError};

/// How many events are read at once.
const PAGE: u32 = 256;
/// How many deliveries of a disabled endpoint are given up at once.
const GIVEN_UP: usize = 256;
/// What an endpoint does not want to hear of is forgotten at a restart, up to so many events.
const UNKEPT: i64 = 1_000;

/// How far those endpoints have read that found nothing to hear of.
#[derive(Default)]
pub(super) struct Readers(HashMap<DestinationId, i64>);

/// Parts of the journal by the event before them: most endpoints are at the same place.
pub(super) type Pages = HashMap<i64, NewsPage>;

impl Readers {
    /// What is to be made for this endpoint, which takes `room` deliveries now. `None` if there is no news.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub(super) async fn next(
        &mut self,
        store: &dyn Store,
        pages: &mut Pages,
        follower: &Follower,
        room: usize,
    ) -> Result<Option<Owing>, StoreError> {
        let destination = follower.listener.id;
        let from = follower.made_up_to;
        let mut read = self.0.get(&destination).copied().unwrap_or(from).max(from);
        let most = follower.stopped.map_or(room, |_| GIVEN_UP);
        let mut owed = Vec::new();
        while owed.len() < most {
            if !pages.contains_key(&read) {
                pages.insert(read, store.news(read, PAGE).await?);
            }
            let page = &pages[&read];
            let made = follower
                .listener
                .owed(owed_news(page, follower), most - owed.len());
            let full = owed.len() + made.len() == most;
            read = match made.last() {
                Some(last) if full => last.event_seq,
                _ => page.up_to,
            };
            owed.extend(made);
            if !page.more {
                break;
            }
        }
        if let Some(stopped) = follower.stopped {
            read = read.min(stopped.after);
        }
        if owed.is_empty() && follower.stopped.is_none() && read - from < UNKEPT {
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

/// The part of a page that the endpoint is owed at all.
fn owed_news<'a>(page: &'a NewsPage, follower: &Follower) -> &'a [News] {
    match follower.stopped {
        Some(stopped) => {
            let end = page.news.partition_point(|one| one.seq <= stopped.after);
            &page.news[..end]
        }
        None => &page.news,
    }
}
