//! A way to a node that breaks: connections are cut in the middle of a request, or of what is said to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Result;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::sleep;

pub(crate) struct Way {
    pub(crate) url: String,
    cuts: Arc<AtomicUsize>,
    running: JoinHandle<()>,
}

impl Way {
    /// To this port. One connection in five is cut after some bytes of either side.
    pub(crate) async fn to(port: u16, seed: u64) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let cuts = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&cuts);
        let seeds = AtomicU64::new(seed);
        let running = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let seed = seeds.fetch_add(1, Ordering::Relaxed);
                let counted = Arc::clone(&counted);
                tokio::spawn(async move {
                    let mut random = StdRng::seed_from_u64(seed);
                    let cut_after = random
                        .random_bool(0.2)
                        .then(|| random.random_range(1..2_500));
                    let wait = Duration::from_millis(random.random_range(0..10));
                    if pass(client, port, cut_after, wait).await.is_none() {
                        counted.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        Ok(Self { url, cuts, running })
    }

    pub(crate) fn cuts(&self) -> usize {
        self.cuts.load(Ordering::Relaxed)
    }
}

impl Drop for Way {
    fn drop(&mut self) {
        self.running.abort();
    }
}

/// `None` when it was cut.
async fn pass(
    mut client: TcpStream,
    port: u16,
    cut_after: Option<usize>,
    wait: Duration,
) -> Option<()> {
    let Ok(mut server) = TcpStream::connect(("127.0.0.1", port)).await else {
        return Some(());
    };
    let (mut left, mut there, mut back) = (cut_after, [0; 4096], [0; 4096]);
    loop {
        let (bytes, to) = tokio::select! {
            count = client.read(&mut there) => match count {
                Ok(0) | Err(_) => return Some(()),
                Ok(count) => (&there[..count], &mut server),
            },
            count = server.read(&mut back) => match count {
                Ok(0) | Err(_) => return Some(()),
                Ok(count) => (&back[..count], &mut client),
            },
        };
        let passed = left.map_or(bytes.len(), |left| left.min(bytes.len()));
        if to.write_all(&bytes[..passed]).await.is_err() {
            return Some(());
        }
        if let Some(left) = &mut left {
            *left -= passed;
            if *left == 0 {
                // Sometimes the last bytes arrive before the end does.
                sleep(wait).await;
                return None;
            }
        }
    }
}
