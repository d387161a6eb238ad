//! The live feed: the browser's end of the socket, and what every page knows by it.

#[cfg(feature = "hydrate")]
pub mod client;
mod news;
#[cfg(feature = "hydrate")]
pub(crate) mod notify;

use chrono::{DateTime, Utc};
use leptos::prelude::*;

use crate::desk::{Desk, frames::Present, place::Place};

pub(crate) use news::{reload_on_news, reload_while};

/// How the page learns of changes at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiveStatus {
    /// The page has just been loaded.
    Connecting,
    /// The socket is open.
    Live,
    /// The socket was lost and is being opened again.
    Reconnecting,
    /// The server was asked by request, and will be again.
    Polling,
    /// It answers nothing.
    Unreachable {
        /// Since when.
        since: DateTime<Utc>,
    },
}

/// A place to go to that is not a link under a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A dialog: a notification was clicked, or it is the next one.
    Open(Place),
    /// Where the dialog was opened.
    Back,
}

/// Loads what the page will need when it is live and its person has time.
#[cfg(feature = "hydrate")]
#[derive(Clone, Copy)]
pub(crate) struct Ahead(pub(crate) fn(Live));

/// The state every page shares: one desk, kept up to date by one socket.
#[derive(Clone, Copy)]
pub struct Live {
    /// The blockers that wait and those that were closed lately.
    pub desk: RwSignal<Desk>,
    /// How fresh that is.
    pub status: RwSignal<LiveStatus>,
    /// The server's time, ticking; as of the page's making until then, so that server and browser
    /// render the same.
    pub now: RwSignal<DateTime<Utc>>,
    /// Whether the page runs in a browser by now.
    pub hydrated: RwSignal<bool>,
    /// The words a screen reader should say.
    pub announcement: RwSignal<String>,
    /// Where the page should go.
    pub wanted: RwSignal<Option<Wanted>>,
    /// The dialog that the person looks at.
    pub at: RwSignal<Option<Place>>,
    /// Where all others are.
    pub present: RwSignal<Vec<Present>>,
    /// Whether the person is signing out.
    pub leaving: RwSignal<bool>,
}

impl Live {
    /// Makes it available to everything below.
    pub fn provide() -> Self {
        let live = Self {
            desk: RwSignal::new(Desk::default()),
            status: RwSignal::new(LiveStatus::Connecting),
            now: RwSignal::new(DateTime::UNIX_EPOCH),
            hydrated: RwSignal::new(false),
            announcement: RwSignal::new(String::new()),
            wanted: RwSignal::new(None),
            at: RwSignal::new(None),
            present: RwSignal::new(Vec::new()),
            leaving: RwSignal::new(false),
        };
        provide_context(live);
        live
    }

    /// Starts from a desk the server has read, unless the page knows of later changes already.
    pub fn with_desk(self, desk: Desk) -> Self {
        let live = self.as_of(desk.as_of);
        if cfg!(feature = "ssr") {
            return Self {
                desk: RwSignal::new(desk),
                ..live
            };
        }
        if desk.last_seq >= live.desk.with_untracked(|known| known.last_seq) {
            live.desk.set(desk);
        }
        live
    }

    /// Starts from the server's time when it read something.
    ///
    /// The browser has one clock and one desk for the whole page. The server gives every part of a page
    /// its own: it renders them on several threads, and reading a signal while another thread writes it
    /// is a panic.
    pub fn as_of(self, now: DateTime<Utc>) -> Self {
        if cfg!(feature = "ssr") {
            return Self {
                now: RwSignal::new(now),
                ..self
            };
        }
        if self.now.get_untracked() < now {
            self.now.set(now);
        }
        self
    }
}

/// Loads the page anew, in the browser. The server sends a signed-out person to the sign-in page, and
/// from there back to this address; what was typed into an answer is kept.
pub(crate) fn load_again() {
    let _ = window().location().reload();
}
