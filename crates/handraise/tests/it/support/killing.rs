//! The real program, several times at one database, killed again and again.

use std::{
    io::{BufRead, BufReader, Lines},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
    sync::{Arc, Mutex},
    time::Duration,
};

use rand::{RngExt, SeedableRng, rngs::StdRng};
use tokio::{task::block_in_place, time::sleep};
use tokio_util::sync::CancellationToken;

/// Nodes at one database.
pub(crate) struct Nodes {
    command: Box<dyn Fn() -> Command + Send + Sync>,
    running: Vec<Node>,
    urls: Urls,
}

/// Where they are at the moment; one that was killed is not there.
pub(crate) type Urls = Arc<Mutex<Vec<Option<String>>>>;

struct Node {
    child: Child,
    /// What it prints goes nowhere else.
    _output: Lines<BufReader<ChildStdout>>,
}

/// The program, with its key and its checkpoints in this folder. It may send to this machine.
pub(crate) fn handraise(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_handraise"));
    command
        .env("HANDRAISE_KEY_FILE", folder.join("key"))
        .env("HANDRAISE_CHECKPOINT_FILE", folder.join("checkpoints"))
        .env("HANDRAISE_OUTBOUND_ALLOW", "127.0.0.1")
        .env("HANDRAISE_RATE_LIMIT_PER_MINUTE", "0")
        .env("RUST_LOG", "error");
    command
}

impl Nodes {
    /// So many, each made as this says.
    pub(crate) fn start(
        many: usize,
        command: impl Fn() -> Command + Send + Sync + 'static,
    ) -> Self {
        let mut nodes = Self {
            command: Box::new(command),
            running: Vec::new(),
            urls: Urls::default(),
        };
        for _ in 0..many {
            let (node, url) = nodes.one_more();
            nodes.running.push(node);
            nodes.urls.lock().unwrap().push(Some(url));
        }
        nodes
    }

    pub(crate) fn urls(&self) -> Urls {
        Arc::clone(&self.urls)
    }

    fn one_more(&self) -> (Node, String) {
        let mut command = (self.command)();
        command.stdout(Stdio::piped());
        block_in_place(|| {
            let mut child = command.spawn().unwrap();
            let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
            let first = output.next();
            let first = first
                .expect("handraise does not start: is the page built? `cargo xtask test` builds it")
                .unwrap();
            let url = first.rsplit(' ').next().unwrap().to_owned();
            let node = Node {
                child,
                _output: output,
            };
            (node, url)
        })
    }

    /// `kill -9` for one after the other, which comes back sooner or later, until it is told to stop. Returns how often.
    pub(crate) async fn kill_again_and_again(
        &mut self,
        seed: u64,
        apart: Duration,
        until: CancellationToken,
    ) -> usize {
        let mut random = StdRng::seed_from_u64(seed);
        let mut kills = 0;
        loop {
            let wait = apart.mul_f64(random.random_range(0.3..1.7));
            tokio::select! {
                () = until.cancelled() => return kills,
                () = sleep(wait) => {}
            }
            let victim = random.random_range(0..self.running.len());
            let node = &mut self.running[victim];
            // Nobody is asked whether it is convenient.
            node.child.kill().unwrap();
            block_in_place(|| node.child.wait()).unwrap();
            self.urls.lock().unwrap()[victim] = None;
            kills += 1;
            sleep(Duration::from_millis(random.random_range(0..2_000))).await;
            let (node, url) = self.one_more();
            self.running[victim] = node;
            self.urls.lock().unwrap()[victim] = Some(url);
        }
    }
}

impl Drop for Nodes {
    fn drop(&mut self) {
        for node in &mut self.running {
            // One that is dead already is what this is for.
            let _ = node.child.kill();
            let _ = node.child.wait();
        }
    }
}
