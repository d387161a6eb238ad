//! Somebody who gets webhooks, and may treat them badly.

use std::{
    collections::{HashMap, VecDeque},
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::{mpsc, watch},
    task::JoinHandle,
};

/// What a receiver does with a request, after reading it.
#[derive(Clone, Debug)]
pub(crate) enum Manner {
    /// Answers with this status, further headers, and a body.
    Answers(u16, &'static str, &'static str),
    /// Does not answer until [`Receiver::release`].
    Hangs,
    /// Answers 200, promises ten bytes, sends four, and hangs up.
    BreaksOff,
    /// Hangs up without a word.
    DropsTheReply,
    /// Answers 200 with 10 MB.
    Babbles,
}

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Got {
    pub(crate) path: String,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: String,
    pub(crate) bytes: Vec<u8>,
}

impl Got {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    pub(crate) fn id(&self) -> &str {
        &self.headers["webhook-id"]
    }
}

/// Listens on loopback until it is dropped.
pub(crate) struct Receiver {
    pub(crate) addr: SocketAddr,
    next: Arc<Mutex<VecDeque<Manner>>>,
    got: Mutex<mpsc::UnboundedReceiver<Got>>,
    released: watch::Sender<bool>,
    running: JoinHandle<()>,
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.running.abort();
    }
}

impl Receiver {
    /// With its manners, request by request; after them it answers 200.
    pub(crate) async fn start(manners: impl IntoIterator<Item = Manner>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let next: Arc<Mutex<VecDeque<_>>> = Arc::new(Mutex::new(manners.into_iter().collect()));
        let (heard, got) = mpsc::unbounded_channel();
        let released = watch::Sender::new(false);
        let running = {
            let (next, released) = (Arc::clone(&next), released.clone());
            tokio::spawn(async move {
                loop {
                    let (stream, _) = listener.accept().await.unwrap();
                    let (next, heard) = (Arc::clone(&next), heard.clone());
                    let released = released.subscribe();
                    tokio::spawn(serve(stream, next, heard, released));
                }
            })
        };
        Self {
            addr,
            next,
            got: Mutex::new(got),
            released,
            running,
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook", self.addr)
    }

    /// What it does from now on, before it answers 200 again.
    pub(crate) fn behave(&self, manners: impl IntoIterator<Item = Manner>) {
        self.next.lock().unwrap().extend(manners);
    }

    /// Answers 200 from now on.
    pub(crate) fn behave_well(&self) {
        self.next.lock().unwrap().clear();
        self.release();
    }

    /// Lets everybody go who hangs.
    pub(crate) fn release(&self) {
        self.released.send_replace(true);
    }

    /// What has come since the last look.
    pub(crate) fn got(&self) -> Vec<Got> {
        let mut channel = self.got.lock().unwrap();
        std::iter::from_fn(|| channel.try_recv().ok()).collect()
    }

    /// The next request, when it comes.
    #[expect(clippy::await_holding_lock, reason = "one test waits for one receiver")]
    pub(crate) async fn wait(&self) -> Got {
        self.got.lock().unwrap().recv().await.unwrap()
    }
}

async fn serve(
    mut stream: TcpStream,
    next: Arc<Mutex<VecDeque<Manner>>>,
    heard: mpsc::UnboundedSender<Got>,
    mut released: watch::Receiver<bool>,
) {
    let Some(got) = read(&mut stream).await else {
        return;
    };
    let manner = next.lock().unwrap().pop_front();
    let _ = heard.send(got);
    let answer = match manner.unwrap_or(Manner::Answers(200, "", "ok")) {
        Manner::Answers(status, headers, body) => format!(
            "HTTP/1.1 {status} X\r\nconnection: close\r\n{headers}content-length: {}\r\n\r\n{body}",
            body.len()
        ),
        Manner::Hangs => {
            let _ = released.wait_for(|released| *released).await;
            "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n".to_owned()
        }
        Manner::BreaksOff => "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf".to_owned(),
        Manner::DropsTheReply => return,
        Manner::Babbles => {
            let babble = "bla ".repeat(10 * 256 * 1024);
            let length = babble.len();
            format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{babble}")
        }
    };
    // Whoever has heard enough hangs up.
    let _ = stream.write_all(answer.as_bytes()).await;
    let _ = stream.shutdown().await;
}

async fn read(stream: &mut TcpStream) -> Option<Got> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    let head = loop {
        let count = stream.read(&mut chunk).await.ok()?;
        if count == 0 {
            return None;
        }
        bytes.extend_from_slice(&chunk[..count]);
        if let Some(end) = bytes.windows(4).position(|part| part == b"\r\n\r\n") {
            break end;
        }
    };
    let text = String::from_utf8(bytes[..head].to_vec()).unwrap();
    let mut lines = text.split("\r\n");
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers: HashMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    // Whoever only asks sends no body.
    let length = headers.get("content-length").map_or("0", String::as_str);
    let length: usize = length.parse().ok()?;
    let mut body = bytes.split_off(head + 4);
    while body.len() < length {
        let count = stream.read(&mut chunk).await.ok()?;
        if count == 0 {
            return None;
        }
        body.extend_from_slice(&chunk[..count]);
    }
    Some(Got {
        path,
        headers,
        body: String::from_utf8_lossy(&body).into_owned(),
        bytes: body,
    })
}
