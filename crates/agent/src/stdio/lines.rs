//! What the program that has started this one writes to it, a line a message.

use std::{
    io::{self, BufRead as _},
    ops::ControlFlow,
};

use tokio::sync::mpsc;

/// Lines of standard input, but for empty ones. It ends where they are no text.
pub(crate) fn lines() -> mpsc::Receiver<String> {
    read(|mut line| {
        while line.pop_if(|byte| b"\r\n".contains(byte)).is_some() {}
        match String::from_utf8(line) {
            Ok(line) if line.trim().is_empty() => ControlFlow::Continue(None),
            Ok(line) => ControlFlow::Continue(Some(line)),
            Err(_) => ControlFlow::Break(()),
        }
    })
}

/// Lines of standard input as they come, each with what ends it.
pub(crate) fn raw_lines() -> mpsc::Receiver<Vec<u8>> {
    read(|line| ControlFlow::Continue(Some(line)))
}

/// By a thread of its own: a read of standard input cannot be given up.
fn read<T: Send + 'static>(
    take: impl Fn(Vec<u8>) -> ControlFlow<(), Option<T>> + Send + 'static,
) -> mpsc::Receiver<T> {
    let (send, lines) = mpsc::channel(16);
    std::thread::spawn(move || {
        let mut input = io::stdin().lock();
        loop {
            let mut line = Vec::new();
            match input.read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
            match take(line) {
                ControlFlow::Continue(None) => {}
                ControlFlow::Continue(Some(line)) => {
                    if send.blocking_send(line).is_err() {
                        return;
                    }
                }
                ControlFlow::Break(()) => return,
            }
        }
    });
    lines
}
