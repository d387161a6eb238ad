//! Every size the rules enforce (design §4). Characters are Unicode scalar values.

use chrono::TimeDelta;

/// Longest prompt and longest text answer, in characters.
pub const TEXT_CHARS: usize = 20_000;
/// Longest title, of an interaction or a task, in characters.
pub const TITLE_CHARS: usize = 200;
/// Longest `session_id` and task id, in characters.
pub const SESSION_ID_CHARS: usize = 128;
/// Longest task step, cancel reason and name of an agent or a person, in characters.
pub const LINE_CHARS: usize = 300;
/// Longest task description, in characters.
pub const DESCRIPTION_CHARS: usize = 4_000;
/// Most options of a choice; the fewest are 2.
pub const OPTIONS: usize = 25;
/// Longest value, label and description of an option, in characters: what a Slack option holds.
pub const OPTION_CHARS: usize = 75;
/// Most questions of a form.
pub const QUESTIONS: usize = 10;
/// Most follow-ups of one blocker.
pub const FOLLOW_UPS: usize = 100;
/// Largest `metadata`, as compact JSON, in bytes.
pub const METADATA_BYTES: usize = 8 * 1024;
/// Longest `Idempotency-Key`, in characters.
pub const KEY_CHARS: usize = 255;
/// How deep `metadata` and `fallback` may be nested: far from the 128 levels at which JSON parsers give
/// up, since events and pages wrap them further.
pub const JSON_DEPTH: usize = 32;
/// Largest request body, in bytes.
pub const BODY_BYTES: usize = 256 * 1024;
/// Longest `timeout_seconds`: 400 days.
pub const TIMEOUT_SECONDS: i64 = 400 * 24 * 60 * 60;
/// Shortest password, in characters (ASVS 6.2.1). Whether it can be guessed is another question.
pub const PASSWORD_MIN_CHARS: usize = 8;
/// Longest password, in characters: ASVS 6.2.9 asks for 64 at least.
pub const PASSWORD_MAX_CHARS: usize = 256;
/// How long a one-time link is good.
pub const LINK_LIFETIME: TimeDelta = TimeDelta::hours(24);
/// How long a user of Slack may take to say who they are here.
pub const SLACK_LINK_LIFETIME: TimeDelta = TimeDelta::minutes(30);
/// How long a browser stays signed in, however much it is used.
pub const SESSION_LIFETIME: TimeDelta = TimeDelta::days(30);
/// How long a browser stays signed in while nobody uses it.
pub const SESSION_IDLE: TimeDelta = TimeDelta::days(7);
