//! The browser's end of `/ws`: one loop for the life of the page.
//!
//! The desk is always a snapshot plus the events after it, so losing the socket loses nothing: the loop
//! tries again, and while it cannot connect it reads the whole desk every five seconds.

use std::{collections::HashSet, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use futures::{
    FutureExt, SinkExt, StreamExt,
    channel::mpsc::{UnboundedReceiver, unbounded},
    select, select_biased,
};
use gloo_net::websocket::{Message, WebSocketError, futures::WebSocket};
use gloo_timers::future::sleep;
use leptos::{prelude::*, task::spawn_local};

use super::{Desk, Live, LiveStatus, load_again, notify};
use crate::{
    desk::{
        frames::{Change, ClientFrame, ServerFrame},
        place::Place,
    },
    draft::{self, Draft},
    error::UiError,
    server_fns::load_desk,
    view::Row,
    wire,
};

/// How long without the socket before the server is asked again.
const POLL: Duration = Duration::from_secs(5);
/// Whoever touches nothing for so long, in milliseconds, may have left: the server tells them by their other ways then.
const ATTENTION: f64 = 120_000.0;
/// How often that is looked at.
const LOOKS: Duration = Duration::from_secs(5);
/// What a page hears of somebody who is before it, comes, or goes.
const SIGNS: [&str; 7] = [
    "focus",
    "blur",
    "visibilitychange",
    "pointerdown",
    "pointermove",
    "keydown",
    "wheel",
];
/// The server pings every 20 s; a socket that is silent for twice that is dead.
const SILENCE: Duration = Duration::from_secs(45);
/// The code by which the server closes the socket of a session that has ended (RFC 6455 §7.4.1).
const POLICY: u16 = 1008;

/// Starts the loop and the clock, once. Call in the browser, when the desk has been read.
pub fn start(live: Live) {
    if live.hydrated.get_untracked() {
        return;
    }
    live.hydrated.set(true);
    // The server's clock and the browser's may differ: what counts is how long the agent waits.
    let offset = StoredValue::new(live.now.get_untracked() - browser_now());
    set_interval(
        move || {
            if let Some(offset) = offset.try_get_value() {
                let _ = live.now.try_set(browser_now() + offset);
            }
        },
        Duration::from_secs(1),
    );
    let mut moves = moves(live);
    spawn_local(async move {
        loop {
            let ended = follow(live, offset, &mut moves).await;
            // Who is where is known by the socket alone.
            live.present.set(Vec::new());
            if live.leaving.get_untracked() {
                return;
            }
            if ended == Ended::Lost {
                // A server that restarts comes back within a moment; a crowd should not come at once.
                live.status.set(LiveStatus::Reconnecting);
                sleep(jitter()).await;
                continue;
            }
            // A page whose session has ended learns it here: the desk is refused.
            let status = match (read_desk(live).await, live.status.get_untracked()) {
                (true, _) => LiveStatus::Polling,
                (false, known @ LiveStatus::Unreachable { .. }) => known,
                (false, _) => LiveStatus::Unreachable {
                    since: live.now.get_untracked(),
                },
            };
            live.status.set(status);
            sleep(POLL).await;
        }
    });
}

/// Where the person is, as far as others and the server are told.
struct Moves {
    /// Each place that they go to; none while they look at nothing here.
    heard: UnboundedReceiver<Option<String>>,
    is_here: RwSignal<bool>,
}

/// Hears whenever the person goes to another dialog, to another tab or window, or away.
fn moves(live: Live) -> Moves {
    let is_here = RwSignal::new(has_focus());
    let touched = StoredValue::new(js_sys::Date::now());
    let here = move |now: bool| {
        if is_here.try_get_untracked() == Some(!now) {
            let _ = is_here.try_set(now);
        }
    };
    let heard = move |_: web_sys::Event| {
        let now = has_focus();
        if now {
            let _ = touched.try_set_value(js_sys::Date::now());
        }
        here(now);
    };
    let signs = SIGNS.map(|sign| window_event_listener_untyped(sign, heard));
    on_cleanup(move || {
        for sign in signs {
            sign.remove();
        }
    });
    set_interval(
        move || {
            let quiet = touched
                .try_get_value()
                .map(|touched| js_sys::Date::now() - touched);
            here(has_focus() && quiet.is_some_and(|quiet| quiet < ATTENTION));
        },
        LOOKS,
    );
    let (tell, heard) = unbounded();
    Effect::new(move |_| {
        let place = live.at.get().filter(|_| is_here.get());
        // The loop lives as long as the page.
        let _ = tell.unbounded_send(place.map(Place::address));
    });
    Moves { heard, is_here }
}

/// Whether what is typed goes to this page: it may be on a screen that nobody looks at.
fn has_focus() -> bool {
    document().has_focus().unwrap_or(false)
}

#[derive(PartialEq)]
enum Ended {
    /// It was open.
    Lost,
    /// It never opened, or the server wants no more of this page.
    Refused,
}

/// Follows the feed until the socket is gone.
async fn follow(live: Live, offset: StoredValue<TimeDelta>, moves: &mut Moves) -> Ended {
    let mut ended = Ended::Refused;
    let Some(socket) = socket_url().and_then(|url| WebSocket::open(&url).ok()) else {
        return ended;
    };
    let (mut out, frames) = socket.split();
    let mut frames = frames.fuse();
    let resume = ClientFrame::Resume {
        after: live.desk.with_untracked(|desk| desk.last_seq),
    };
    let Ok(resume) = serde_json::to_string(&resume) else {
        return ended;
    };
    // Sending waits for the socket to open, and would wait for ever if it does not: what ends the
    // stream of frames ends this as well. That is looked at first, lest it sends on a closed socket.
    let sent = select_biased! {
        _ = frames.next() => false,
        sent = out.send(Message::Text(resume)).fuse() => sent.is_ok(),
        () = sleep(SILENCE).fuse() => false,
    };
    if !sent {
        return ended;
    }
    // The server knows nothing of what the socket before was told.
    let at = live.at.get_untracked();
    let at = at.filter(|_| moves.is_here.get_untracked());
    let mut moved = Some(at.map(Place::address));
    loop {
        if let Some(place) = moved.take() {
            let Ok(at) = serde_json::to_string(&ClientFrame::At { place }) else {
                return ended;
            };
            if out.send(Message::Text(at)).await.is_err() {
                return ended;
            }
        }
        let message = select! {
            message = frames.next() => message,
            place = moves.heard.next() => {
                moved = place;
                continue;
            }
            () = sleep(SILENCE).fuse() => None,
        };
        let text = match message {
            Some(Ok(Message::Text(text))) => text,
            Some(Err(WebSocketError::ConnectionClose(close))) if close.code == POLICY => {
                return Ended::Refused;
            }
            _ => return ended,
        };
        match wire::read(&text) {
            Ok(ServerFrame::Hello { now }) => {
                ended = Ended::Lost;
                offset.set_value(now - browser_now());
                live.status.set(LiveStatus::Live);
                if live.desk.with_untracked(Desk::runs_out) && !read_desk(live).await {
                    return ended;
                }
            }
            Ok(ServerFrame::Event { seq, change }) => {
                take(live, seq, *change);
                if live.desk.with_untracked(Desk::runs_out) && !read_desk(live).await {
                    return ended;
                }
            }
            // Without a new desk the events that follow would leave a gap: start over.
            Ok(ServerFrame::Resync) => {
                if !read_desk(live).await {
                    return ended;
                }
            }
            Ok(ServerFrame::Present { people }) => live.present.set(people),
            Ok(ServerFrame::Ping) => {}
            // A newer server speaks of things this page does not know: start over with its page.
            Err(_) => load_again(),
        }
    }
}

fn take(live: Live, seq: i64, change: Change) {
    let row = match &change {
        Change::Asked { row } => Some(row.clone()),
        Change::Progressed { .. }
        | Change::Claimed { .. }
        | Change::HandedOver { .. }
        | Change::Closed { .. }
        | Change::Told { .. }
        | Change::Collected { .. }
        | Change::CalledBack { .. }
        | Change::FollowedUp { .. }
        | Change::Other => None,
        // What was typed about it and not sent goes with it.
        Change::Erased { id, .. } => {
            draft::forget_all(*id);
            Draft::follow_up(*id).forget();
            None
        }
    };
    let news = live.desk.try_update(|desk| desk.apply(seq, change));
    if let (Some(true), Some(row)) = (news, row) {
        live.announcement
            .set(format!("{} asks: {}", row.agent, row.preview));
        notify::raise(live, &row);
    }
}

/// For blockers that were asked while no event came through.
fn notify_of_new_rows(live: Live, desk: &Desk) {
    let (known, as_of) = live.desk.with_untracked(|known| {
        let ids = known.waiting.iter().map(|row| row.id);
        (ids.collect::<HashSet<_>>(), known.as_of)
    });
    // Not for those that waited before, behind the rows that the page came with.
    let new = |row: &&Row| row.created_at >= as_of && !known.contains(&row.id);
    for row in desk.waiting.iter().filter(new) {
        notify::raise(live, row);
    }
}

/// Replaces the desk by what the server has, and returns whether that worked. While this waits, no event
/// is taken in, so nothing newer can be lost.
async fn read_desk(live: Live) -> bool {
    match load_desk(false).await {
        Ok(desk) => {
            notify_of_new_rows(live, &desk);
            live.desk.set(desk);
            true
        }
        Err(UiError::SignedOut) => {
            load_again();
            false
        }
        // The status says so, and the loop comes back.
        Err(_) => false,
    }
}

fn socket_url() -> Option<String> {
    let location = window().location();
    let scheme = match location.protocol().ok()?.as_str() {
        "https:" => "wss",
        _ => "ws",
    };
    Some(format!("{scheme}://{}/ws", location.host().ok()?))
}

fn browser_now() -> DateTime<Utc> {
    DateTime::from_timestamp_millis(js_sys::Date::now() as i64).unwrap_or_default()
}

fn jitter() -> Duration {
    Duration::from_millis((200.0 + js_sys::Math::random() * 800.0) as u64)
}
