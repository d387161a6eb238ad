//! Spans on their way: they are sent many at a time, and whoever ends one never waits. What finds no room is dropped.

use std::{sync::Arc, time::Duration};

use opentelemetry::Context;
use opentelemetry_sdk::{
    error::OTelSdkResult,
    trace::{Span, SpanData, SpanProcessor},
};
use tokio::{
    sync::{mpsc, oneshot},
    time::{MissedTickBehavior, interval, sleep},
};

use super::exporter::{Exporter, NotTaken};

/// How many may wait.
const ROOM: usize = 4_096;
/// How many go in one request.
const TOGETHER: usize = 512;
/// How long one waits for others.
const AT_LEAST_EVERY: Duration = Duration::from_secs(2);
/// What is sent in vain is sent again after these.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(2)];

/// The end from which spans are sent.
#[derive(Debug)]
pub(super) struct Queue {
    asked: mpsc::Sender<oneshot::Sender<()>>,
}

/// The end at which they come in.
#[derive(Debug)]
pub(super) struct Intake {
    spans: mpsc::Sender<SpanData>,
    exporter: Arc<Exporter>,
}

impl Queue {
    /// Sends whatever comes in, until nothing can any more.
    pub(super) fn start(exporter: Arc<Exporter>) -> (Self, Intake) {
        let (spans, arriving) = mpsc::channel(ROOM);
        let (asked, flushes) = mpsc::channel(1);
        tokio::spawn(run(arriving, flushes, Arc::clone(&exporter)));
        (Self { asked }, Intake { spans, exporter })
    }

    /// Sends what has come in by now.
    pub(super) async fn flush(&self) {
        let (done, is_done) = oneshot::channel();
        if self.asked.send(done).await.is_ok() {
            let _ = is_done.await;
        }
    }
}

impl SpanProcessor for Intake {
    fn on_start(&self, _: &mut Span, _: &Context) {}

    fn on_end(&self, span: SpanData) {
        if span.span_context.is_sampled() && self.spans.try_send(span).is_err() {
            self.exporter.drop_one();
        }
    }

    fn force_flush(&self) -> OTelSdkResult {
        Ok(())
    }

    fn shutdown_with_timeout(&self, _: Duration) -> OTelSdkResult {
        Ok(())
    }
}

async fn run(
    mut arriving: mpsc::Receiver<SpanData>,
    mut flushes: mpsc::Receiver<oneshot::Sender<()>>,
    exporter: Arc<Exporter>,
) {
    let mut due = interval(AT_LEAST_EVERY);
    due.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut batch = Vec::with_capacity(TOGETHER);
    loop {
        let room = TOGETHER - batch.len();
        tokio::select! {
            came = arriving.recv_many(&mut batch, room) => match came {
                0 => break,
                _ if batch.len() < TOGETHER => {}
                _ => send(&exporter, &mut batch).await,
            },
            _ = due.tick() => send(&exporter, &mut batch).await,
            Some(done) = flushes.recv() => {
                send(&exporter, &mut batch).await;
                while let Ok(span) = arriving.try_recv() {
                    batch.push(span);
                    if batch.len() == TOGETHER {
                        send(&exporter, &mut batch).await;
                    }
                }
                send(&exporter, &mut batch).await;
                let _ = done.send(());
            }
        }
    }
    send(&exporter, &mut batch).await;
}

/// Sends them; they are gone afterwards, one way or the other.
async fn send(exporter: &Exporter, batch: &mut Vec<SpanData>) {
    if batch.is_empty() {
        return;
    }
    // While nothing gets through anyway, each batch has one try.
    let pauses: &[Duration] = if exporter.is_out() { &[] } else { &PAUSES };
    let mut pauses = pauses.iter();
    while let Err(why) = exporter.export(batch).await {
        match (why, pauses.next()) {
            (NotTaken::Later, Some(pause)) => sleep(*pause).await,
            _ => {
                exporter.give_up(batch.len());
                break;
            }
        }
    }
    batch.clear();
}
