//! How often Slack's methods may be called, by one app in one workspace
//! (<https://docs.slack.dev/apis/web-api/rate-limits>, and the page of each method). Slack counts by minutes that it does
//! not tell, and calls take some time to arrive, so ours is a little longer.

use chrono::TimeDelta;
use domain::slack_pace::Limit;

/// A method, and how often it may be called.
#[derive(Clone, Copy, Debug)]
pub struct Paced {
    /// Its name.
    pub method: &'static str,
    /// How often.
    pub limit: Limit,
}

const MINUTE: TimeDelta = TimeDelta::seconds(63);
/// Slack promises no burst, and tolerates small ones.
const GAP: TimeDelta = TimeDelta::milliseconds(250);

const fn a_minute(method: &'static str, calls: u32) -> Paced {
    let limit = Limit {
        calls,
        within: MINUTE,
        gap: GAP,
    };
    Paced { method, limit }
}

/// "Several hundred messages per minute": the least that can be meant.
pub const POST: Paced = a_minute("chat.postMessage", 200);
/// Tier 3.
pub const UPDATE: Paced = a_minute("chat.update", 50);
/// Tier 4.
pub const NOTE: Paced = a_minute("chat.postEphemeral", 100);
/// Tier 3, for an app that belongs to the workspace it is used in.
pub const REPLIES: Paced = a_minute("conversations.replies", 50);
/// The same.
pub const HISTORY: Paced = a_minute("conversations.history", 50);

/// Tier 4.
pub const HOME: Paced = a_minute("views.publish", 100);
/// Tier 4.
pub const UPLOAD: Paced = a_minute("files.getUploadURLExternal", 100);
/// Tier 4.
pub const SHARE: Paced = a_minute("files.completeUploadExternal", 100);
/// Tier 3.
pub const DELETE: Paced = a_minute("files.delete", 50);

/// What an incoming webhook is called here; it has no method.
pub const WEBHOOK: &str = "incoming webhook";

/// Methods without a pace: people wait for the first two, and each post is followed by one call of the last. They are left
/// alone when Slack wants that.
pub const USER: &str = "users.info";
/// A modal.
pub const VIEW: &str = "views.open";
/// The address of a message.
pub const LINK: &str = "chat.getPermalink";

/// "One message per second per channel", by the method or by an incoming webhook.
pub const IN_CHANNEL: Limit = Limit {
    calls: 1,
    within: TimeDelta::milliseconds(1_200),
    gap: TimeDelta::milliseconds(1_200),
};
