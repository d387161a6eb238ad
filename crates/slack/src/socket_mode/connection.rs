//! One connection of Socket Mode, from its ticket to its goodbye.

use std::{sync::Arc, time::Duration};

use futures::{SinkExt, StreamExt};
use machine::tls;
use serde::Deserialize;
use serde_json::{json, value::RawValue};
use tokio::{
    net::TcpStream,
    task::JoinSet,
    time::{Instant, MissedTickBehavior, interval, sleep_until, timeout},
};
use tokio_tungstenite::{
    Connector, MaybeTlsStream, WebSocketStream, connect_async_tls_with_config,
    tungstenite::{Bytes, Message, protocol::WebSocketConfig},
};
use tokio_util::sync::CancellationToken;

use super::{Envelope, Inbox, Timing};
use crate::{
    class::{Class, is_final_for_connections},
    client::SlackClient,
};

/// More than any envelope has.
const MESSAGE_BYTES: usize = 4 * 1024 * 1024;
/// How many envelopes are being kept at once before no more are read.
const AT_ONCE: usize = 64;

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Why there is no connection.
pub(super) enum Trouble {
    /// There never will be one.
    Final(String),
    /// Another try may help.
    Passing {
        why: String,
        /// Slack wants to be left alone for so long.
        retry_after: Option<Duration>,
    },
}

impl Trouble {
    fn passing(why: impl Into<String>) -> Self {
        Self::Passing {
            why: why.into(),
            retry_after: None,
        }
    }
}

/// One that Slack has greeted.
pub(super) struct Connection {
    socket: Socket,
    /// How many connections Slack counted with this one.
    pub(super) counted: u32,
}

/// A frame from Slack: its fields show its kind.
#[derive(Deserialize)]
struct Frame {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    num_connections: u32,
    #[serde(default)]
    envelope_id: Option<String>,
    #[serde(default)]
    accepts_response_payload: bool,
    #[serde(default)]
    retry_attempt: u32,
    #[serde(default)]
    payload: Option<Box<RawValue>>,
}

/// The kinds of frames.
enum Heard {
    Hello(u32),
    Disconnect(String),
    Envelope(Envelope),
    Nothing,
}

/// Gets a ticket, connects with it and waits to be greeted.
pub(super) async fn open(client: &SlackClient, timing: Timing) -> Result<Connection, Trouble> {
    let url = client.open_connection().await.map_err(|error| {
        if is_final_for_connections(&error.code) {
            return Trouble::Final(error.to_string());
        }
        let retry_after = match error.class {
            Class::NotDone { retry_after } => retry_after,
            _ => None,
        };
        Trouble::Passing {
            why: error.to_string(),
            retry_after,
        }
    })?;
    let tls = tls::client_config().map_err(|error| Trouble::passing(format!("{error:#}")))?;
    let config = WebSocketConfig::default()
        .max_message_size(Some(MESSAGE_BYTES))
        .max_frame_size(Some(MESSAGE_BYTES));
    let connector = Some(Connector::Rustls(Arc::new(tls)));
    let greeted = async {
        let connecting = connect_async_tls_with_config(url.reveal(), Some(config), true, connector);
        // The error may have the address in it, and that a ticket.
        let (mut socket, _) = connecting
            .await
            .map_err(|_| Trouble::passing("cannot connect to Socket Mode"))?;
        loop {
            let Some(Ok(message)) = socket.next().await else {
                return Err(Trouble::passing("the connection ended before it began"));
            };
            match hear(&message) {
                Heard::Hello(counted) => return Ok(Connection { socket, counted }),
                Heard::Disconnect(reason) => {
                    return Err(Trouble::passing(format!(
                        "Slack refuses the connection: {reason}"
                    )));
                }
                Heard::Envelope(_) | Heard::Nothing => {}
            }
        }
    };
    let greeted = timeout(timing.connecting, greeted).await;
    greeted.unwrap_or_else(|_| Err(Trouble::passing("no greeting from Socket Mode in time")))
}

fn hear(message: &Message) -> Heard {
    let Message::Text(text) = message else {
        return Heard::Nothing;
    };
    // There are frames that are no JSON.
    let Ok(frame) = serde_json::from_str::<Frame>(text) else {
        tracing::debug!("a frame from Slack that is no JSON");
        return Heard::Nothing;
    };
    match (&*frame.kind, frame.envelope_id, frame.payload) {
        ("hello", ..) => Heard::Hello(frame.num_connections),
        ("disconnect", ..) => Heard::Disconnect(frame.reason.unwrap_or_default()),
        (_, Some(id), Some(payload)) => Heard::Envelope(Envelope {
            id,
            kind: frame.kind,
            takes_answer: frame.accepts_response_payload,
            retries: frame.retry_attempt,
            payload,
        }),
        _ => Heard::Nothing,
    }
}

/// How a connection ended.
enum End {
    /// By us.
    Left,
    /// The cause.
    Lost(String),
}

impl Connection {
    /// Reads, keeps and acknowledges until it is told to leave or the connection ends. Calls `asked` when Slack
    /// wants it to end, and `ended` when it is of no more use.
    pub(super) async fn serve(
        mut self,
        inbox: Arc<dyn Inbox>,
        timing: Timing,
        leave: CancellationToken,
        asked: impl Fn(String),
        ended: impl FnOnce(Option<String>),
    ) {
        let mut keeping = JoinSet::new();
        let end = self
            .attend(&inbox, timing, &leave, &asked, &mut keeping)
            .await;
        match end {
            End::Left => {
                self.say_goodbye(&inbox, timing, &mut keeping).await;
                ended(None);
            }
            End::Lost(why) => ended(Some(why)),
        }
        // Received envelopes are kept, whether or not Slack hears of it.
        while keeping.join_next().await.is_some() {}
    }

    async fn attend(
        &mut self,
        inbox: &Arc<dyn Inbox>,
        timing: Timing,
        leave: &CancellationToken,
        asked: &impl Fn(String),
        keeping: &mut JoinSet<Option<Message>>,
    ) -> End {
        let mut heard_at = Instant::now();
        let mut ping = interval(timing.ping);
        ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let has_room = keeping.len() < AT_ONCE;
            tokio::select! {
                () = leave.cancelled() => return End::Left,
                () = sleep_until(heard_at + timing.silence) => {
                    return End::Lost("the connection is silent".to_owned());
                }
                _ = ping.tick() => {
                    if self.send(Message::Ping(Bytes::new()), timing).await.is_err() {
                        return End::Lost("the connection broke".to_owned());
                    }
                }
                Some(kept) = keeping.join_next() => {
                    let Ok(Some(acknowledgement)) = kept else { continue };
                    if self.send(acknowledgement, timing).await.is_err() {
                        return End::Lost("the connection broke".to_owned());
                    }
                }
                message = self.socket.next(), if has_room => {
                    heard_at = Instant::now();
                    let message = match message {
                        Some(Ok(Message::Close(_))) | None => {
                            return End::Lost("Slack ended the connection".to_owned());
                        }
                        Some(Ok(message)) => message,
                        Some(Err(_)) => return End::Lost("the connection broke".to_owned()),
                    };
                    match hear(&message) {
                        Heard::Envelope(envelope) => {
                            keeping.spawn(keep(Arc::clone(inbox), envelope));
                        }
                        Heard::Disconnect(reason) => asked(reason),
                        Heard::Hello(_) | Heard::Nothing => {}
                    }
                }
            }
        }
    }

    /// A peer that reads no more must not hold us up.
    async fn send(&mut self, message: Message, timing: Timing) -> Result<(), ()> {
        match timeout(timing.silence, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(()),
        }
    }

    /// Acknowledges envelopes that are being kept, then closes; those that come meanwhile are kept
    /// too.
    async fn say_goodbye(
        &mut self,
        inbox: &Arc<dyn Inbox>,
        timing: Timing,
        keeping: &mut JoinSet<Option<Message>>,
    ) {
        let acknowledging = async {
            while let Some(kept) = keeping.join_next().await {
                if let Ok(Some(acknowledgement)) = kept {
                    self.socket.send(acknowledgement).await?;
                }
            }
            self.socket.close(None).await
        };
        if !matches!(timeout(timing.goodbye, acknowledging).await, Ok(Ok(()))) {
            return;
        }
        let rest = async {
            while let Some(Ok(message)) = self.socket.next().await {
                if let Heard::Envelope(envelope) = hear(&message) {
                    keeping.spawn(keep(Arc::clone(inbox), envelope));
                }
            }
        };
        let _ = timeout(timing.goodbye, rest).await;
    }
}

/// The acknowledgement, once it is kept.
async fn keep(inbox: Arc<dyn Inbox>, envelope: Envelope) -> Option<Message> {
    let (id, takes_answer) = (envelope.id.clone(), envelope.takes_answer);
    let answer = match inbox.keep(envelope).await {
        Ok(answer) => answer.filter(|_| takes_answer),
        Err(error) => {
            tracing::error!(
                error = format!("{error:#}"),
                "what Slack says cannot be kept, and is not acknowledged"
            );
            return None;
        }
    };
    let mut acknowledgement = json!({ "envelope_id": id });
    if let Some(answer) = answer {
        acknowledgement["payload"] = answer;
    }
    Some(Message::text(acknowledgement.to_string()))
}
