//! Sends until there is an answer that another try would not change: servers restart, and connections break.

use std::time::Duration;

use reqwest::{Response, header::RETRY_AFTER};
use thiserror::Error;
use tokio::time::{Instant, sleep};

use super::Notice;

/// The pause after the first failure, which doubles with each.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
/// The longest pause: a server that comes back should be seen soon.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// The longest that a server may ask for.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(300);

/// How a try ended that may be made again.
#[derive(Debug, Error)]
pub(crate) enum Missed {
    /// The server was away, or its answer was lost.
    #[error("no answer from the server ({0})")]
    Lost(String),
    /// The server wants to be left alone, for so long if it says so.
    #[error("the server has had too many requests")]
    Busy(Option<Duration>),
}

impl From<reqwest::Error> for Missed {
    /// The last cause says most.
    fn from(error: reqwest::Error) -> Self {
        if error.is_timeout() {
            return Self::Lost("none in time".to_owned());
        }
        let mut cause: &dyn std::error::Error = &error;
        while let Some(next) = cause.source() {
            cause = next;
        }
        Self::Lost(cause.to_string())
    }
}

impl Missed {
    /// Of a server that has had too many requests.
    pub(crate) fn too_many(response: &Response) -> Self {
        let seconds = response.headers().get(RETRY_AFTER);
        let seconds = seconds.and_then(|seconds| seconds.to_str().ok());
        let seconds = seconds.and_then(|seconds| seconds.trim().parse().ok());
        Self::Busy(seconds.map(Duration::from_secs))
    }
}

/// Tries until `attempt` is not missed, or, if `until` is given, would have to wait longer than that. Tells the person
/// who watches once that the server is away, and again that it is there.
///
/// # Errors
/// How the last try was missed; never without `until`.
pub(crate) async fn persist<T, F>(
    until: Option<Instant>,
    notice: &Notice,
    mut attempt: impl FnMut() -> F,
) -> Result<T, Missed>
where
    F: Future<Output = Result<T, Missed>>,
{
    let mut pause = FIRST_PAUSE;
    let mut away = false;
    loop {
        let missed = match attempt().await {
            Ok(answer) => {
                if away {
                    notice("the server is there again");
                }
                return Ok(answer);
            }
            Err(missed) => missed,
        };
        let wait = match &missed {
            Missed::Lost(_) => pause,
            Missed::Busy(asked) => asked.unwrap_or(pause).min(LONGEST_RETRY_AFTER),
        };
        // Clients cut off together do not come back together.
        let wait = wait.mul_f64(rand::random_range(1.0..1.25));
        if until.is_some_and(|until| Instant::now() + wait > until) {
            return Err(missed);
        }
        if matches!(missed, Missed::Lost(_)) && !away {
            notice(&format!("{missed}; trying on"));
            away = true;
        }
        sleep(wait).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
