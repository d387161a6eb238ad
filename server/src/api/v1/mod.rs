//! Version 1: a file a noun or verb.

pub(crate) mod answer;
pub(crate) mod attachments;
pub(crate) mod callback_secret;
pub(crate) mod cancel;
pub(crate) mod claim;
pub(crate) mod collect;
pub(crate) mod consume;
pub(crate) mod deliveries;
pub(crate) mod dismiss;
pub(crate) mod duty;
pub(crate) mod events;
pub(crate) mod follow_up;
pub(crate) mod grants;
pub(crate) mod hooks;
pub(crate) mod insights;
pub(crate) mod interactions;
pub(crate) mod keys;
pub(crate) mod ladder;
pub(crate) mod memories;
pub(crate) mod policies;
pub(crate) mod poll;
pub(crate) mod receipt;
pub(crate) mod report;
pub(crate) mod sessions;
pub(crate) mod tasks;

use domain::InteractionId;

use crate::problem::Problem;

/// An id in a path. What is no id names nothing.
fn id(text: &str) -> Result<InteractionId, Problem> {
    text.parse().map_err(|_| Problem::not_found())
}
