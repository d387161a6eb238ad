//! A mail server that keeps what it gets, and may treat its senders badly.

use std::{
    collections::VecDeque,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinHandle,
};

/// What it says instead of yes, to the next command of this name: `DATA` is a whole message, `HELLO` a connection. Where
/// that is nothing it hangs up.
type Says = (&'static str, &'static str);

/// Listens on loopback until it is dropped.
pub(crate) struct MailServer {
    pub(crate) addr: SocketAddr,
    next: Arc<Mutex<VecDeque<Says>>>,
    got: Arc<Mutex<Vec<String>>>,
    held: Held,
    running: JoinHandle<()>,
}

/// Messages whose senders get no answer yet.
#[derive(Clone, Default)]
struct Held {
    holds: watch::Sender<bool>,
    count: watch::Sender<usize>,
}

impl Drop for MailServer {
    fn drop(&mut self) {
        self.running.abort();
    }
}

impl MailServer {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let next: Arc<Mutex<VecDeque<Says>>> = Arc::default();
        let got: Arc<Mutex<Vec<String>>> = Arc::default();
        let held = Held::default();
        let running = {
            let (next, got, held) = (Arc::clone(&next), Arc::clone(&got), held.clone());
            tokio::spawn(async move {
                loop {
                    let (stream, _) = listener.accept().await.unwrap();
                    let (next, got) = (Arc::clone(&next), Arc::clone(&got));
                    tokio::spawn(serve(stream, next, got, held.clone()));
                }
            })
        };
        Self {
            addr,
            next,
            got,
            held,
            running,
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("smtp://{}", self.addr)
    }

    /// What it says to the next message, before it takes them again.
    pub(crate) fn says(&self, says: &'static str) {
        self.says_to("DATA", says);
    }

    /// What it says to the next command of this name.
    pub(crate) fn says_to(&self, command: &'static str, says: &'static str) {
        self.next.lock().unwrap().push_back((command, says));
    }

    /// Says yes from now on.
    pub(crate) fn behave_well(&self) {
        self.next.lock().unwrap().clear();
        self.release();
    }

    /// Answers to no message from now on.
    pub(crate) fn hold(&self) {
        self.held.holds.send_replace(true);
    }

    /// Waits until so many messages are held, and returns how many are.
    pub(crate) async fn holds(&self, least: usize) -> usize {
        let mut count = self.held.count.subscribe();
        *count.wait_for(|count| *count >= least).await.unwrap()
    }

    /// Takes all that were held, and what comes after them.
    pub(crate) fn release(&self) {
        self.held.holds.send_replace(false);
    }

    /// All that came since the last look, taken or not, with lines as a reader sees them.
    pub(crate) fn got(&self) -> Vec<String> {
        std::mem::take(&mut self.got.lock().unwrap())
    }
}

async fn serve(
    stream: TcpStream,
    next: Arc<Mutex<VecDeque<Says>>>,
    got: Arc<Mutex<Vec<String>>>,
    held: Held,
) -> Option<()> {
    let mut stream = BufReader::new(stream);
    let says_to = |command: &str| {
        let mut next = next.lock().unwrap();
        let place = next.iter().position(|(to, _)| *to == command)?;
        next.remove(place).map(|(_, says)| says)
    };
    let says = says_to("HELLO").unwrap_or("220 here");
    stream
        .write_all(format!("{says}\r\n").as_bytes())
        .await
        .ok()?;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        let command = line.split_whitespace().next()?.to_ascii_uppercase();
        let says = match command.as_str() {
            "EHLO" => "250-here\r\n250 8BITMIME",
            "DATA" => {
                stream.write_all(b"354 go on\r\n").await.ok()?;
                let mut mail = String::new();
                loop {
                    let mut line = String::new();
                    stream.read_line(&mut line).await.ok()?;
                    if line == ".\r\n" {
                        break;
                    }
                    mail.push_str(&line);
                }
                got.lock().unwrap().push(unfolded(&mail));
                held.count.send_modify(|count| *count += 1);
                let mut holds = held.holds.subscribe();
                holds.wait_for(|holds| !holds).await.ok()?;
                held.count.send_modify(|count| *count -= 1);
                says_to("DATA").unwrap_or("250 taken")
            }
            "QUIT" => return None,
            other => says_to(other).unwrap_or("250 yes"),
        };
        if says.is_empty() {
            return None;
        }
        stream
            .write_all(format!("{says}\r\n").as_bytes())
            .await
            .ok()?;
    }
}

/// Headers on one line each, and a body without its encoding.
fn unfolded(mail: &str) -> String {
    let mail = mail.replace("\r\n ", " ").replace("\r\n", "\n");
    mail.replace("=\n", "")
        .replace("=3D", "=")
        .replace("=20\n", " \n")
}
