//! Bounds for the body of every request: how large it may be, and how long it may take to arrive.

use std::{
    error::Error,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    BoxError,
    body::{Body, Bytes, HttpBody},
};
use http_body_util::{LengthLimitError, Limited};
use hyper::body::{Frame, SizeHint};
use thiserror::Error;
use tokio::time::{Instant, Sleep, sleep_until};

/// Largest body of a request of Slack's: a view with all that it has, in a form.
pub const SLACK_BYTES: usize = 1024 * 1024;

/// Why a body could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// It is larger than is taken there.
    TooLarge,
    /// It took too long.
    TooSlow,
    /// The client broke off.
    Incomplete,
}

/// The body, with bounds. Its reader gets an error beyond them.
pub fn bounded(body: Body, bytes: usize, time: Option<Duration>) -> Body {
    if body.is_end_stream() {
        return body;
    }
    let body = Limited::new(body, bytes);
    match time {
        Some(time) => Body::new(InTime {
            body,
            deadline: Instant::now() + time,
            sleep: None,
        }),
        None => Body::new(body),
    }
}

/// The fault, found among the causes of an error of reading.
pub fn why_unread(error: &axum::Error) -> Unread {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if error.is::<LengthLimitError>() {
            return Unread::TooLarge;
        }
        if error.is::<TooSlow>() {
            return Unread::TooSlow;
        }
        cause = error.source();
    }
    Unread::Incomplete
}

#[derive(Debug, Error)]
#[error("the body did not arrive in time")]
struct TooSlow;

/// A body that has to be there by a deadline: a pause between two parts is no measure, since a client
/// can send a byte now and then.
struct InTime {
    body: Limited<Body>,
    deadline: Instant,
    /// Made when there is something to wait for: mostly the body comes with its headers.
    sleep: Option<Pin<Box<Sleep>>>,
}

impl HttpBody for InTime {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = &mut *self;
        if let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(context) {
            return Poll::Ready(frame);
        }
        let deadline = this.deadline;
        let sleep = this
            .sleep
            .get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        match sleep.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Some(Err(TooSlow.into()))),
            Poll::Pending => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
