//! What a client of MCP writes to a program of ours, a line a message.

use std::io::{self, BufRead as _};

use tokio::sync::mpsc;

/// Lines of standard input, read by a thread of their own: a read of it cannot be given up.
pub(crate) fn lines() -> mpsc::Receiver<String> {
    let (send, lines) = mpsc::channel(16);
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if !line.trim().is_empty() && send.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}
