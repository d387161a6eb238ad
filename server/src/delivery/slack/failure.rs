//! The meaning of a failed call of Slack's for the delivery it was made for.

use std::time::Duration;

use chrono::TimeDelta;
use domain::delivery::TryResult;
use slack::{class::Class, client::CallError};

use super::Cards;
use crate::delivery::courier::Sent;

const DAY: TimeDelta = TimeDelta::days(1);

impl Cards {
    /// Writes down what Slack wants, and what becomes of the delivery.
    pub(super) fn failed(&self, error: &CallError, took: Duration) -> Sent {
        let why = error.to_string();
        let mut may_have_arrived = false;
        let reply = match error.class {
            Class::Config => {
                tracing::error!(error = %why, "Slack refuses what is set up; {}", remedy(&error.code));
                TryResult::Parked(format!("{why}: {}", remedy(&error.code)))
            }
            Class::Content | Class::TriggerBound => {
                tracing::error!(error = %why, faults = ?error.messages, "Slack will never take this card");
                TryResult::Invalid(why)
            }
            Class::NotDone {
                retry_after: Some(pause),
            } => {
                // Slack asks for minutes at most; more than a day is nonsense.
                let wait = TimeDelta::from_std(pause).unwrap_or(DAY).min(DAY);
                self.pace.rest(error.method, self.service.now() + wait);
                TryResult::Postponed { why, wait }
            }
            Class::NotDone { retry_after: None } => TryResult::Failed(why),
            Class::Ambiguous => {
                may_have_arrived = true;
                TryResult::Failed(format!("{why}; it may have arrived"))
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

/// The way to repair it.
fn remedy(code: &str) -> &'static str {
    match code {
        "not_in_channel" | "channel_not_found" => {
            "invite the bot into the channel with /invite, or set another one"
        }
        "is_archived" | "channel_is_archived" => "the channel is archived; set another one",
        "missing_scope" => "add the scope to the app and install it again",
        "not_authed" | "invalid_auth" | "token_revoked" | "token_expired" | "account_inactive" => {
            "set a token that works"
        }
        _ => "`handraise slack check` says more",
    }
}
