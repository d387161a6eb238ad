//! The journal as server-sent events: `id` is the event's `seq`, `event` its type, `data` the event.

use std::{convert::Infallible, time::Duration};

use axum::response::{
    IntoResponse, Response,
    sse::{Event as Frame, KeepAlive, Sse},
};
use domain::{Event, Principal, TokenId};
use futures::{Stream, StreamExt, stream};
use tokio::sync::broadcast::Receiver;

use super::caller::Waiter;
use crate::{
    auth::bearer,
    hub::{FeedItem, news},
    limits::Place,
    observe::Held,
    problem::Problem,
    resource::EventBody,
    state::AppState,
};

/// How many are read at once.
const PAGE: u32 = 200;
/// Often enough for proxies that cut silent connections after a minute.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

struct Follower {
    state: AppState,
    reader: Principal,
    feed: Receiver<FeedItem>,
    last_seq: i64,
    /// What was read and not sent yet, up to this event.
    read: Box<dyn Iterator<Item = Event> + Send>,
    up_to: i64,
    _place: Place<TokenId>,
}

/// Everything after `after` that this reader may see, as it happens, until the server stops or the token
/// is revoked.
pub(super) fn open(state: AppState, waiter: Waiter, after: i64) -> Result<Response, Problem> {
    let Waiter {
        principal,
        credential,
        ..
    } = waiter;
    let place = credential.place(&state)?;
    let revoked = bearer::revoked(state.clone(), credential, principal.clone());
    let follower = Follower {
        // Before reading: what is committed after this line is not missed.
        feed: state.hub.feed(),
        state,
        reader: principal,
        last_seq: after,
        read: Box::new(std::iter::empty()),
        up_to: after,
        _place: place,
    };
    let mut response = Sse::new(follower.frames().take_until(revoked))
        .keep_alive(KeepAlive::new().interval(KEEP_ALIVE))
        .into_response();
    response.extensions_mut().insert(Held);
    Ok(response)
}

impl Follower {
    fn frames(self) -> impl Stream<Item = Result<Frame, Infallible>> {
        stream::unfold(self, async |mut follower| {
            let event = follower.next().await?;
            let frame = Frame::default()
                .id(event.seq.to_string())
                .event(event.payload.event_type())
                .json_data(EventBody::new(&event))
                .inspect_err(|error| {
                    tracing::error!(%error, event.seq, "an event cannot be streamed");
                })
                .ok()?;
            Some((Ok(frame), follower))
        })
    }

    /// The next event; `None` ends the stream, and the client comes back with the last id it has seen.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.read.next() {
                self.last_seq = event.seq;
                return Some(event);
            }
            self.last_seq = self.up_to;
            let page = self
                .state
                .service
                .events(self.last_seq, PAGE, &self.reader)
                .await
                .inspect_err(|error| tracing::error!(%error, "an event stream broke off"))
                .ok()?;
            self.up_to = page.up_to;
            self.read = page.into_iter();
            if self.up_to == self.last_seq {
                tokio::select! {
                    () = news(&mut self.feed, &self.reader, self.last_seq) => {}
                    () = self.state.stopping.cancelled() => return None,
                }
            }
        }
    }
}
