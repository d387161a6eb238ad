//! `/ws`: the live feed of one page.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Once,
    time::Duration,
};

use app::desk::{
    WAITING_ROWS,
    frames::{self, ClientFrame, ServerFrame},
    place::Place,
};
use axum::{
    Extension,
    extract::{
        State, WebSocketUpgrade,
        ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code},
    },
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use domain::{Audience, Event, Person, PersonId, Principal, Role, decide::interaction::Snooze};
use service::{Service, SignedIn};
use store::{Present, StoreError};
use tokio::{
    sync::{
        broadcast::{self, error::RecvError},
        watch,
    },
    time::{Interval, interval, timeout},
};
use tower_sessions::Session;

use crate::{
    auth::{address::ClientAddress, browser, same_origin},
    hub::presence::Seat,
    problem::Problem,
    state::AppState,
};

/// A page that misses more events than this, or more than fit into one part of the journal, reads the desk again.
const CATCH_UP: u32 = 1_000;
/// Often enough for proxies that cut silent connections after a minute, and for a session that expired, or
/// was ended by another node, to see no more than this.
const PING: Duration = Duration::from_secs(20);
/// The first frame follows the handshake at once.
const PATIENCE: Duration = Duration::from_secs(10);

/// Opens the feed for a signed-in person's page.
pub(crate) async fn open(
    State(state): State<AppState>,
    Extension(ClientAddress(address)): Extension<ClientAddress>,
    session: Session,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Result<Response, Problem> {
    if !same_origin::is_same_origin(&headers, state.config.is_https()) {
        return Err(Problem::cross_origin());
    }
    let Some(who) = browser::person(&state.service, &session, &headers).await? else {
        state.limits.count_stranger(address)?;
        return Err(Problem::signed_out());
    };
    state.limits.count_person(who.person.id)?;
    warm();
    Ok(match upgrade {
        Ok(upgrade) => {
            let place = state.limits.sockets.take(who.person.id);
            let place = place.map_err(Problem::no_socket)?;
            let sockets = state.sockets.clone();
            upgrade
                .max_message_size(4 * 1024)
                .on_upgrade(move |socket| {
                    sockets.track_future(async move {
                        let door = Door { session, headers };
                        serve(state, door, who, socket).await;
                        drop(place);
                    })
                })
        }
        Err(rejection) => rejection.into_response(),
    })
}

/// Reads the definitions by which actions are coloured. They take 31 MB, which a server of agents alone does not need.
fn warm() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| drop(tokio::task::spawn_blocking(visible::shape::warm)));
}

/// How the page came in.
struct Door {
    session: Session,
    headers: HeaderMap,
}

async fn serve(state: AppState, door: Door, who: SignedIn, mut socket: WebSocket) {
    let stopping = state.stopping.clone();
    let ended = tokio::select! {
        ended = follow(&state, &door, &who, &mut socket) => ended,
        () = stopping.cancelled() => Ended::Stopping,
    };
    let (code, reason) = match ended {
        Ended::Gone => return,
        Ended::Stopping => (close_code::AWAY, "the server is shutting down"),
        Ended::SignedOut => (close_code::POLICY, "the session has ended"),
        Ended::Unreadable => (close_code::POLICY, "the first frame must be resume"),
        Ended::Failed => (close_code::ERROR, "the server failed"),
    };
    let _ = socket
        .send(Message::Close(Some(CloseFrame {
            code,
            reason: Utf8Bytes::from_static(reason),
        })))
        .await;
}

enum Ended {
    Gone,
    Stopping,
    SignedOut,
    Unreadable,
    Failed,
}

/// Sends what the page has missed and then everything as it happens.
async fn follow(state: &AppState, door: &Door, who: &SignedIn, socket: &mut WebSocket) -> Ended {
    let Some(ClientFrame::Resume { after }) = first_frame(socket).await else {
        return Ended::Unreadable;
    };
    // Before reading the backlog: what is committed after this line comes by the feed.
    let mut feed = state.hub.feed();
    let now = state.service.now();
    let mut reader = who.principal();
    let mut seq;
    if send(socket, &ServerFrame::Hello { now }).await.is_err() {
        return Ended::Gone;
    }
    match missed(state, after, &reader.audience()).await {
        Ok(Some(missed)) => {
            seq = missed.up_to;
            for event in missed.events {
                if send(socket, &ServerFrame::from(&event)).await.is_err() {
                    return Ended::Gone;
                }
            }
        }
        Ok(None) => {
            // The page's state is not of this journal, or too old: everything is news to it.
            seq = 0;
            if send(socket, &ServerFrame::Resync).await.is_err() {
                return Ended::Gone;
            }
        }
        Err(error) => {
            tracing::error!(%error, "a page cannot be brought up to date");
            return Ended::Failed;
        }
    }
    let mut ping = interval(PING);
    let mut access_ended = state.service.access_ended().subscribe();
    let mut others = Others::of(state, who);
    let mut put_off = PutOff::of(state, who).await;
    let mut audience = reader.audience();
    let mut absent = state.absence.of(&audience);
    loop {
        let sent = tokio::select! {
            item = feed.recv() => match item {
                Ok(item) if item.seq <= seq => Ok(()),
                Ok(item) => {
                    seq = item.seq;
                    match item.moves {
                        true => send(socket, &ServerFrame::Resync).await,
                        false if item.is_for(&audience) => {
                            socket.send(Message::Text(item.frame)).await
                        }
                        false => Ok(()),
                    }
                }
                Err(RecvError::Lagged(_)) => send(socket, &ServerFrame::Resync).await,
                Err(RecvError::Closed) => return Ended::Stopping,
            },
            () = time_to_look(&mut ping, &mut access_ended) => {
                // The cookie was good at the handshake; sessions end.
                match browser::person(&state.service, &door.session, &door.headers).await {
                    Ok(Some(now)) => {
                        reader = now.principal();
                        match reader.audience() == audience {
                            true if put_off.has_changed().await => {
                                send(socket, &ServerFrame::Resync).await
                            }
                            true => send(socket, &ServerFrame::Ping).await,
                            // They came to a team, or left one.
                            false => {
                                audience = reader.audience();
                                others.forget();
                                send(socket, &ServerFrame::Resync).await
                            }
                        }
                    }
                    Ok(None) => return Ended::SignedOut,
                    Err(_) => return Ended::Failed,
                }
            }
            () = absent.news(&audience) => send(socket, &ServerFrame::Resync).await,
            () = put_off.news() => send(socket, &ServerFrame::Resync).await,
            people = others.news(&reader) => send(socket, &ServerFrame::Present { people }).await,
            message = socket.recv() => match message {
                Some(Ok(Message::Text(text))) => {
                    others.take(&text);
                    Ok(())
                }
                // Reading finds out when the page goes away.
                Some(Ok(Message::Close(_)) | Err(_)) | None => return Ended::Gone,
                Some(Ok(_)) => Ok(()),
            },
        };
        if sent.is_err() {
            return Ended::Gone;
        }
    }
}

/// What this page's person has put off, in another of their browsers too.
struct PutOff<'a> {
    service: &'a Service,
    person: PersonId,
    known: Vec<Snooze>,
    told: broadcast::Receiver<PersonId>,
    /// Told of, and not looked at yet.
    is_due: bool,
}

impl<'a> PutOff<'a> {
    async fn of(state: &'a AppState, who: &SignedIn) -> Self {
        let service = &state.service;
        let told = service.snoozes_changed().subscribe();
        let known = service.snoozed(who.person.id).await;
        Self {
            service,
            person: who.person.id,
            known: known.unwrap_or_default(),
            told,
            is_due: false,
        }
    }

    /// Whether there is another one, or one less; by itself the page sees that one comes back.
    async fn has_changed(&mut self) -> bool {
        let Ok(now) = self.service.snoozed(self.person).await else {
            return false;
        };
        let before = std::mem::replace(&mut self.known, now);
        let at = self.service.now();
        let is_gone = |one: &Snooze| one.until > at && !self.known.contains(one);
        self.known.iter().any(|one| !before.contains(one)) || before.iter().any(is_gone)
    }

    /// Returns when it has changed on this node.
    async fn news(&mut self) {
        loop {
            // Until it is looked at it is due: this is dropped whenever something else comes first.
            while !self.is_due {
                self.is_due = match self.told.recv().await {
                    Ok(person) => person == self.person,
                    Err(RecvError::Lagged(_)) => true,
                    Err(RecvError::Closed) => std::future::pending().await,
                };
            }
            let has_changed = self.has_changed().await;
            self.is_due = false;
            if has_changed {
                return;
            }
        }
    }
}

/// Tells others where this page's person is, and the page where they are.
struct Others<'a> {
    service: &'a Service,
    person: &'a Person,
    seat: Seat,
    everywhere: watch::Receiver<BTreeSet<Present>>,
    /// What the page knows; `None` before it has told where its person is: it might not understand.
    told: Option<Vec<frames::Present>>,
    /// Whether the page's person sees what is at a place (rule 18).
    seen: HashMap<Place, bool>,
}

impl<'a> Others<'a> {
    fn of(state: &'a AppState, who: &'a SignedIn) -> Self {
        Self {
            service: &state.service,
            person: &who.person,
            seat: state.presence.seat(),
            everywhere: state.presence.everywhere(),
            told: None,
            seen: HashMap::new(),
        }
    }

    /// Takes in where the person is. What is no such frame, or no place, is nowhere.
    fn take(&mut self, text: &str) {
        let Ok(ClientFrame::At { place }) = serde_json::from_str(text) else {
            return;
        };
        let place = place.as_deref().and_then(Place::at);
        // A viewer answers nothing, and what is marked is marked on one page alone.
        let place =
            place.filter(|place| self.person.role != Role::Viewer && *place != Place::Marked);
        self.seat.is_at(place.map(|place| Present {
            person: self.person.id,
            name: self.person.name.clone(),
            place: place.address(),
        }));
        if self.told.is_none() {
            self.told = Some(Vec::new());
            self.everywhere.mark_changed();
        }
    }

    /// The person sees other things from now on.
    fn forget(&mut self) {
        self.seen.clear();
        self.everywhere.mark_changed();
    }

    /// Where all others are, as far as the page's person sees what is there, when that is not what the page knows.
    async fn news(&mut self, reader: &Principal) -> Vec<frames::Present> {
        loop {
            if self.told.is_none() || self.everywhere.changed().await.is_err() {
                return std::future::pending().await;
            }
            // Until it is told it is news: this is dropped whenever something else comes first.
            self.everywhere.mark_changed();
            let everywhere = self.everywhere.borrow().clone();
            self.seen
                .retain(|place, _| everywhere.iter().any(|one| one.place == place.address()));
            let mut people = Vec::new();
            for one in &everywhere {
                if one.person != self.person.id && self.sees(&one.place, reader).await {
                    people.push(frames::Present {
                        name: one.name.clone(),
                        place: one.place.clone(),
                    });
                }
            }
            if *self.everywhere.borrow_and_update() != everywhere {
                self.everywhere.mark_changed();
                continue;
            }
            if self.told.as_ref() != Some(&people) {
                self.told = Some(people.clone());
                return people;
            }
        }
    }

    async fn sees(&mut self, address: &str, reader: &Principal) -> bool {
        let Some(place) = Place::at(address) else {
            return false;
        };
        if reader.audience() == Audience::All {
            return true;
        }
        if let Some(seen) = self.seen.get(&place) {
            return *seen;
        }
        let seen = match place {
            Place::Blocker(id) => self.service.interaction(id, reader).await.is_ok(),
            Place::Group(fingerprint) => {
                let store = self.service.store();
                let waiting = store.waiting(&reader.audience(), WAITING_ROWS).await;
                waiting.is_ok_and(|waiting| {
                    waiting
                        .iter()
                        .any(|brief| brief.fingerprint == Some(fingerprint))
                })
            }
            Place::Marked => false,
        };
        self.seen.insert(place, seen);
        seen
    }
}

/// When the session may have ended, and now and then in any case: other nodes end sessions too.
async fn time_to_look(ping: &mut Interval, access_ended: &mut watch::Receiver<()>) {
    tokio::select! {
        _ = ping.tick() => {}
        Ok(()) = access_ended.changed() => {}
    }
}

async fn first_frame(socket: &mut WebSocket) -> Option<ClientFrame> {
    let message = timeout(PATIENCE, socket.recv()).await.ok()??.ok()?;
    serde_json::from_str(message.to_text().ok()?).ok()
}

/// What a page has missed.
struct Missed {
    up_to: i64,
    events: Vec<Event>,
}

/// The events after `after`; `None` when they are too many, or it is not in this journal at all, or the page may show
/// what its person sees no more.
async fn missed(
    state: &AppState,
    after: i64,
    audience: &Audience,
) -> Result<Option<Missed>, StoreError> {
    let store = state.service.store();
    if after < 0 || after > store.last_seq().await? {
        return Ok(None);
    }
    let page = store.events_after(after, &Audience::All, CATCH_UP).await?;
    if page.more {
        return Ok(None);
    }
    let up_to = page.up_to;
    let mut events = page.collect();
    if *audience != Audience::All {
        let regroups = |event: &Event| event.payload.is_of_teams() || event.payload.moves();
        if events.iter().any(regroups) {
            return Ok(None);
        }
        let teams = store.teams_of_events(after, up_to).await?;
        events.retain(|event| {
            let team = teams.get(&event.seq).copied();
            audience.hears(event.agent_id, team, event.payload.is_of_teams())
        });
    }
    Ok(Some(Missed { up_to, events }))
}

async fn send(socket: &mut WebSocket, frame: &ServerFrame) -> Result<(), axum::Error> {
    let text = serde_json::to_string(frame).map_err(axum::Error::new)?;
    socket.send(Message::Text(text.into())).await
}
