//! Lines to another program, in the order in which they were said. One that does not read holds nothing else up.

use std::io::{self, Write};

use tokio::{
    io::{AsyncWrite, AsyncWriteExt},
    sync::{mpsc, oneshot},
};

/// To standard output, or to a program's input.
#[derive(Clone)]
pub(crate) struct Out(mpsc::UnboundedSender<Vec<u8>>);

impl Out {
    /// To standard output, written by a thread of its own. What comes with it comes when all was written.
    pub(crate) fn of_this_program() -> (Self, oneshot::Receiver<()>) {
        let (send, mut lines) = mpsc::unbounded_channel::<Vec<u8>>();
        let (done, written) = oneshot::channel();
        std::thread::spawn(move || {
            // Dropped at the end, which is the word.
            let _done: oneshot::Sender<()> = done;
            while let Some(line) = lines.blocking_recv() {
                let mut out = io::stdout().lock();
                if out.write_all(&line).and_then(|()| out.flush()).is_err() {
                    return;
                }
            }
        });
        (Self(send), written)
    }

    /// To a program; its input ends when this is dropped.
    pub(super) fn to(mut input: impl AsyncWrite + Send + Unpin + 'static) -> Self {
        let (send, mut lines) = mpsc::unbounded_channel::<Vec<u8>>();
        tokio::spawn(async move {
            while let Some(line) = lines.recv().await {
                // Its end is seen where its words are read.
                if input.write_all(&line).await.is_err() || input.flush().await.is_err() {
                    return;
                }
            }
        });
        Self(send)
    }

    /// One line. The end of those who read is seen elsewhere.
    pub(crate) fn say(&self, line: String) {
        let mut line = line.into_bytes();
        line.push(b'\n');
        self.pass(line);
    }

    /// What another has said, with what ends it.
    pub(crate) fn pass(&self, line: Vec<u8>) {
        let _ = self.0.send(line);
    }

    /// Comes when it is read no longer.
    pub(crate) async fn closed(&self) {
        self.0.closed().await;
    }
}
