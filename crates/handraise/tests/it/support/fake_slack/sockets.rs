//! Socket Mode: tickets that work once, connections that take turns, and everything that befalls them.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use axum::{
    extract::{
        Query, State, WebSocketUpgrade,
        ws::{Message, WebSocket},
    },
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use super::{APP, FakeSlack, Shared, World, call::Refusal};

/// How many an app may have.
const MOST: usize = 10;

pub(super) struct Sockets {
    tickets: HashSet<String>,
    open: Vec<Connection>,
    /// Whose turn it is.
    turn: usize,
    /// Connections that died without Slack's knowing, and get their share all the same.
    ghosts: usize,
    /// After so many frames a connection breaks.
    frames_left: Option<u32>,
    /// How many there were at once.
    most: usize,
    /// As Slack does it: whoever says goodbye finds the connection still open.
    lingers: bool,
}

impl Default for Sockets {
    fn default() -> Self {
        Self {
            tickets: HashSet::new(),
            open: Vec::new(),
            turn: 0,
            ghosts: 0,
            frames_left: None,
            most: 0,
            lingers: true,
        }
    }
}

struct Connection {
    id: u64,
    out: mpsc::UnboundedSender<Out>,
    /// Told to go: it gets nothing more.
    is_leaving: bool,
}

enum Out {
    Text(String),
    /// The connection ends, without a word.
    Cut,
    /// It stays open, and nothing is read or sent any more.
    Freeze,
}

/// Where an envelope went.
pub(super) enum Way {
    To(u64),
    /// Nobody will ever read it.
    Ghost,
    Nowhere,
}

impl Sockets {
    fn live(&self) -> Vec<&Connection> {
        self.open.iter().filter(|one| !one.is_leaving).collect()
    }

    pub(super) fn has_any(&self) -> bool {
        !self.live().is_empty()
    }

    /// Sends to whoever's turn it is.
    pub(super) fn send(&mut self, envelope: &Value) -> Way {
        let live = self.live();
        let all = live.len() + self.ghosts;
        if live.is_empty() && all == 0 {
            return Way::Nowhere;
        }
        let turn = self.turn % all;
        let way = match live.get(turn) {
            Some(connection) => match connection.out.send(Out::Text(envelope.to_string())) {
                Ok(()) => Way::To(connection.id),
                Err(_) => Way::Nowhere,
            },
            None => Way::Ghost,
        };
        self.turn += 1;
        way
    }
}

pub(super) fn open_connection(
    shared: &Shared,
    world: &mut World,
    _: &Map<String, Value>,
) -> Result<Value, Refusal> {
    let ticket = format!("ticket-{}", world.next());
    world.sockets.tickets.insert(ticket.clone());
    let url = format!("ws://{}/link/?ticket={ticket}&app_id={APP}", shared.addr);
    Ok(json!({ "url": url }))
}

pub(super) async fn open(
    State(shared): State<Arc<Shared>>,
    Query(query): Query<HashMap<String, String>>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let ticket = query.get("ticket").cloned().unwrap_or_default();
    if !shared.world().sockets.tickets.remove(&ticket) {
        shared
            .world()
            .violation("a ticket that is unknown or was used before");
        return StatusCode::FORBIDDEN.into_response();
    }
    upgrade.on_upgrade(move |socket| serve(shared, socket))
}

async fn serve(shared: Arc<Shared>, mut socket: WebSocket) {
    let Some((id, mut out)) = enter(&shared) else {
        let frame = json!({ "type": "disconnect", "reason": "too_many_websockets" });
        let _ = socket.send(Message::Text(frame.to_string().into())).await;
        return;
    };
    shared.changed();
    let mut said_goodbye = false;
    loop {
        tokio::select! {
            () = shared.stopping.cancelled() => return,
            order = out.recv() => match order {
                Some(Out::Text(text)) => {
                    let goes = shared.count_frame();
                    if !goes || socket.send(Message::Text(text.into())).await.is_err() {
                        break;
                    }
                    // What waited for a connection comes after hello.
                    shared.pump();
                }
                Some(Out::Freeze) => {
                    shared.stopping.cancelled().await;
                    return;
                }
                Some(Out::Cut) | None => break,
            },
            frame = socket.recv() => match frame {
                Some(Ok(Message::Text(text))) => {
                    if !shared.count_frame() {
                        break;
                    }
                    shared.acknowledged(&text);
                }
                Some(Ok(Message::Binary(_))) => shared.world().violation("a binary frame"),
                Some(Ok(Message::Close(_))) => {
                    said_goodbye = true;
                    // Reading on sends our own goodbye.
                    let _ = socket.recv().await;
                    break;
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Err(_)) | None => break,
            }
        }
    }
    let lingers = {
        let mut world = shared.world();
        world.sockets.open.retain(|one| one.id != id);
        world.lost_with(id);
        world.sockets.lingers
    };
    shared.pump();
    if said_goodbye && lingers {
        shared.stopping.cancelled().await;
    }
}

/// A place, with hello in its queue; `None` when there are too many.
fn enter(shared: &Shared) -> Option<(u64, mpsc::UnboundedReceiver<Out>)> {
    let mut world = shared.world();
    let count = world.sockets.open.len() + world.sockets.ghosts;
    if count >= MOST {
        return None;
    }
    let id = world.next();
    let (out, orders) = mpsc::unbounded_channel();
    let hello = json!({
        "type": "hello", "num_connections": count + 1, "connection_info": { "app_id": APP },
        "debug_info": { "host": "fake", "approximate_connection_time": 18_060 },
    });
    let _ = out.send(Out::Text(hello.to_string()));
    world.sockets.open.push(Connection {
        id,
        out,
        is_leaving: false,
    });
    world.sockets.most = world.sockets.most.max(count + 1);
    Some((id, orders))
}

impl Shared {
    /// Whether the connection holds for one more frame.
    fn count_frame(&self) -> bool {
        let mut world = self.world();
        match &mut world.sockets.frames_left {
            None => true,
            Some(0) => {
                world.sockets.frames_left = None;
                false
            }
            Some(left) => {
                *left -= 1;
                true
            }
        }
    }
}

impl FakeSlack {
    /// How many connections can be sent to.
    pub(crate) async fn connected(&self, count: usize) {
        self.wait_for(|world| (world.sockets.live().len() == count).then_some(()))
            .await;
    }

    /// How many connections there ever were at once.
    pub(crate) fn most_connections(&self) -> usize {
        self.shared.world().sockets.most
    }

    /// Tells the oldest connection to go, and sends it nothing more.
    pub(crate) fn disconnect(&self, reason: &str) {
        let mut world = self.shared.world();
        let oldest = world.sockets.open.iter_mut().find(|one| !one.is_leaving);
        let oldest = oldest.expect("nobody is connected");
        oldest.is_leaving = true;
        let frame =
            json!({ "type": "disconnect", "reason": reason, "debug_info": { "host": "fake" } });
        let _ = oldest.out.send(Out::Text(frame.to_string()));
    }

    /// Ends every connection without a word.
    pub(crate) fn cut_connections(&self) {
        self.order(|| Out::Cut);
    }

    /// Leaves every connection open, and neither reads nor writes any more. They stay among those that get
    /// envelopes.
    pub(crate) fn freeze_connections(&self) {
        self.order(|| Out::Freeze);
    }

    /// Sends this to every connection, whatever it is.
    pub(crate) fn send_raw(&self, text: &str) {
        self.order(|| Out::Text(text.to_owned()));
    }

    fn order(&self, order: impl Fn() -> Out) {
        for connection in &self.shared.world().sockets.open {
            let _ = connection.out.send(order());
        }
    }

    /// Breaks a connection in the place of the frame that comes after so many.
    pub(crate) fn cut_after_frames(&self, count: u32) {
        self.shared.world().sockets.frames_left = Some(count);
    }

    /// Connections of ours that Slack still believes in.
    pub(crate) fn set_ghosts(&self, count: usize) {
        self.shared.world().sockets.ghosts = count;
    }

    /// Whether a connection stays open after both have said goodbye; it does unless this is called.
    pub(crate) fn let_connections_end(&self) {
        self.shared.world().sockets.lingers = false;
    }
}

impl World {
    /// How many connections Slack knows of, those too that it has told to go.
    pub(crate) fn connections(&self) -> usize {
        self.sockets.open.len()
    }
}
