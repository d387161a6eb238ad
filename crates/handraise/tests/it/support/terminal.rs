//! A program in a terminal that nobody looks at: what it shows, and keys for it.

use std::{
    io::{Read, Write},
    num::NonZero,
    sync::{Arc, Mutex},
    time::Duration,
};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use tokio::{sync::watch, time::timeout};

/// For what never comes.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Terminal {
    master: Box<dyn MasterPty + Send>,
    input: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    seen: Arc<Mutex<Seen>>,
    news: watch::Receiver<usize>,
}

struct Seen {
    screen: vt100::Parser,
    raw: Vec<u8>,
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols: columns,
        ..PtySize::default()
    }
}

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}

impl Terminal {
    /// Starts a program of ours.
    pub(crate) fn start(
        arguments: &[&str],
        environment: &[(&str, &str)],
        (columns, rows): (u16, u16),
    ) -> Self {
        let pair = native_pty_system().openpty(size(columns, rows)).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_handraise"));
        command.args(arguments);
        command.env("TERM", "xterm-256color");
        command.env_remove("NO_COLOR");
        for (name, value) in environment {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        let mut output = pair.master.try_clone_reader().unwrap();
        let seen = Arc::new(Mutex::new(Seen {
            screen: vt100::Parser::new(cells(rows), cells(columns), 0),
            raw: Vec::new(),
        }));
        let (tell, news) = watch::channel(0);
        let written = Arc::clone(&seen);
        std::thread::spawn(move || {
            let mut buffer = [0; 4_096];
            // The end of the program is an error here on some systems.
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                let mut seen = written.lock().unwrap();
                seen.screen.process(&buffer[..count]);
                seen.raw.extend_from_slice(&buffer[..count]);
                drop(seen);
                tell.send_modify(|length| *length += count);
            }
        });
        Self {
            input: pair.master.take_writer().unwrap(),
            master: pair.master,
            child,
            seen,
            news,
        }
    }

    pub(crate) fn screen(&self) -> String {
        self.seen.lock().unwrap().screen.screen().contents()
    }

    /// Everything that was written, with what moves the cursor and changes colours.
    pub(crate) fn raw(&self) -> Vec<u8> {
        self.seen.lock().unwrap().raw.clone()
    }

    /// Presses keys, as a terminal sends them.
    pub(crate) fn press(&mut self, keys: &str) {
        self.input.write_all(keys.as_bytes()).unwrap();
        self.input.flush().unwrap();
    }

    pub(crate) fn resize(&mut self, columns: u16, rows: u16) {
        let mut seen = self.seen.lock().unwrap();
        seen.screen
            .screen_mut()
            .set_size(cells(rows), cells(columns));
        drop(seen);
        self.master.resize(size(columns, rows)).unwrap();
    }

    /// Waits until all of these stand on the screen.
    pub(crate) async fn shows(&mut self, wanted: &[&str]) {
        self.until(
            |screen| wanted.iter().all(|text| screen.contains(text)),
            wanted,
        )
        .await;
    }

    /// Waits until this is gone.
    pub(crate) async fn hides(&mut self, unwanted: &str) {
        self.until(|screen| !screen.contains(unwanted), &[unwanted])
            .await;
    }

    async fn until(&mut self, is_so: impl Fn(&str) -> bool, about: &[&str]) {
        let waiting = async {
            while !is_so(&self.screen()) {
                self.news.changed().await.unwrap();
            }
        };
        if timeout(PATIENCE, waiting).await.is_err() {
            panic!("{about:?} never came about:\n{}", self.screen());
        }
    }

    pub(crate) fn process_id(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// Its exit code, once everything it wrote was seen.
    pub(crate) async fn ended(&mut self) -> u32 {
        let ending = async { while self.news.changed().await.is_ok() {} };
        timeout(PATIENCE, ending).await.expect("it does not end");
        self.child.wait().unwrap().exit_code()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}
