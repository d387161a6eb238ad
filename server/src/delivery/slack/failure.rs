//! The meaning of a failed call of Slack's for the delivery it was made for.

use std::time::Duration;

use chrono::TimeDelta;
use domain::delivery::TryResult;
use slack::{
    class::Class,
    client::CallError,
    limits::{POST, UPDATE},
};

use super::{Cards, postponed};
use crate::delivery::courier::Sent;

/// How soon something is due again that failed because Slack was not there. Whether it is, is tried with one thing at a
/// time.
pub(in crate::delivery) const BACK: TimeDelta = TimeDelta::seconds(1);

impl Cards {
    /// Writes down what Slack wants, and what becomes of the delivery.
    pub(super) async fn failed(&self, error: &CallError, took: Duration) -> Sent {
        let why = error.to_string();
        let mut may_have_arrived = false;
        if !error.is_outage {
            self.outage.ends(needed(error.method));
        }
        let reply = match error.class {
            Class::Config => {
                tracing::error!(error = %why, "Slack refuses what is set up; {}", remedy(&error.code));
                TryResult::Parked(format!("{why}: {}", remedy(&error.code)))
            }
            Class::Content | Class::TriggerBound => {
                tracing::error!(error = %why, faults = ?error.messages, "Slack will never take this card");
                TryResult::Invalid(why)
            }
            Class::NotDone { .. } => match error.pause() {
                Some(wait) => {
                    self.service.slack_refused(error.method, wait).await;
                    TryResult::Postponed { why, wait }
                }
                None => self.failed_for_now(error, why),
            },
            Class::Ambiguous => {
                may_have_arrived = true;
                self.failed_for_now(error, format!("{why}; it may have arrived"))
            }
        };
        Sent {
            // Where in the card Slack found what it does not take.
            body: error.messages.join("\n"),
            took,
            may_have_arrived,
            ..Sent::nothing(reply)
        }
    }
}

impl Cards {
    /// What failed with Slack itself is due as soon as that may be back; otherwise it takes its time.
    fn failed_for_now(&self, error: &CallError, why: String) -> TryResult {
        if !error.is_outage {
            return TryResult::Failed(why);
        }
        self.outage.begins(needed(error.method), self.service.now());
        TryResult::Postponed { why, wait: BACK }
    }
}

/// The result of what is not tried while Slack is not there.
pub(super) fn until_it_is_back() -> Sent {
    postponed("Slack is not there", BACK)
}

/// The method that what was called is for: what was to be read is for something to post.
fn needed(method: &'static str) -> &'static str {
    match method {
        method if method == UPDATE.method => method,
        _ => POST.method,
    }
}

/// The way to repair it.
fn remedy(code: &str) -> &'static str {
    match code {
        "not_in_channel" | "channel_not_found" => {
            "invite the bot into the channel with /invite, or set another one"
        }
        "is_archived" | "channel_is_archived" => "the channel is archived; set another one",
        "file_uploads_disabled" => "the workspace takes no files; an admin of Slack can allow them",
        "missing_scope" => "add the scope to the app and install it again",
        "not_authed" | "invalid_auth" | "token_revoked" | "token_expired" | "account_inactive" => {
            "set a token that works"
        }
        _ => "`handraise slack check` says more",
    }
}
