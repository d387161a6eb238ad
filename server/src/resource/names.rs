//! The names that stand in JSON, and texts with a bound.

use domain::{attachment, delivery, interaction, limits, task};
use serde::Serialize;
use serde_json::Value;
use service::guard;
use utoipa::openapi::ObjectBuilder;

use crate::insights::{Table, blocker_kinds};

use super::{
    STATES,
    shapes::{id, line, one_of, shapes, string, text, visible_text, whole},
};

/// A file's name at its ends and inside, as far as two bytes of UTF-16 reach.
const FILE_NAME: &str = r"^[^\s\u0000-\u001f\u007f-\u00a0./:\\\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]([^\u0000-\u001f\u007f-\u009f/:\\\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]*[^\s\u0000-\u001f\u007f-\u00a0./:\\\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb])?$";

shapes! {
    /// What is asked for.
    Kind = one_of(interaction::Kind::ALL.map(interaction::Kind::name));
    /// What is asked for, where it is answered.
    BlockerKind = one_of(blocker_kinds().map(interaction::Kind::name));
    /// `sync`: the agent has stopped until it is answered. `async`: it goes on meanwhile.
    Mode = one_of(interaction::Mode::ALL.map(interaction::Mode::name));
    /// `expired` and `cancelled` have no answer, unless there was a fallback.
    State = one_of(STATES);
    /// How it ended.
    Outcome = one_of([
        interaction::Outcome::Answered,
        interaction::Outcome::Approved,
        interaction::Outcome::Denied,
        interaction::Outcome::Proceed,
        interaction::Outcome::ProceedClean,
        interaction::Outcome::ProceedDefault,
        interaction::Outcome::Adjust,
        interaction::Outcome::Delivered,
        interaction::Outcome::Fallback,
        interaction::Outcome::Expired,
        interaction::Outcome::Cancelled,
        interaction::Outcome::Void,
    ].map(interaction::Outcome::name));
    /// `urgent` comes before the others of its mode.
    Priority = all(&[interaction::Priority::Normal, interaction::Priority::Urgent]);
    /// How serious a notification is.
    Level = all(&[
        interaction::Level::Info,
        interaction::Level::Success,
        interaction::Level::Warning,
        interaction::Level::Error,
    ]);
    /// What came of an answer.
    CancelCode = one_of(interaction::CancelCode::ALL.map(interaction::CancelCode::name));
    ReportOutcome = all(&[interaction::ReportOutcome::Done, interaction::ReportOutcome::Failed]);
    /// How an agent goes on with its plan. `proceed`: keep the context, edits are allowed. `proceed_clean`:
    /// clear the context, edits are allowed. `proceed_default`: clear the context, ask before edits.
    /// `adjust`: stay in plan mode and work the feedback in.
    PlanDecision = one_of(interaction::PlanDecision::ALL.map(interaction::PlanDecision::name));
    /// What an agent may do after a plan review.
    TargetMode = all(&[interaction::TargetMode::Edit, interaction::TargetMode::Default]);
    /// How a task goes; `waiting` follows from its blockers.
    TaskStatus = one_of(task::TaskStatus::NAMES);
    /// How a delivery stands.
    DeliveryState = one_of(delivery::DeliveryState::ALL.map(delivery::DeliveryState::name));
    /// What a destination is.
    DestinationKind = one_of(delivery::DestinationKind::ALL.map(delivery::DestinationKind::name));
    /// Why nothing is sent to a webhook.
    DisabledWhy = one_of(delivery::DisabledWhy::ALL.map(delivery::DisabledWhy::name));
    /// `standard`: `{type, timestamp, data}`. `flat`: seven fields and nothing around them.
    Format = one_of(delivery::Format::ALL.map(delivery::Format::name));
    /// What webhooks can hear of.
    Topic = one_of(delivery::Topic::ALL.map(delivery::Topic::name));

    /// Text with something to see.
    VisibleText = visible_text(limits::TEXT_CHARS);
    /// One line with something to see.
    Line = line(limits::LINE_CHARS);
    /// One line: the agent's own context.
    SessionName = line(limits::SESSION_ID_CHARS);
    /// One line: the agent's own name for a run.
    RunName = line(limits::RUN_CHARS);
    /// One line: the agent's own id for it.
    TaskName = line(limits::SESSION_ID_CHARS);
    /// The name of a file, which is no path: without `/`, `\` and `:`, with no dot and no blank at either end, and without
    /// characters that nobody sees.
    FileName = text(limits::ATTACHMENT_NAME_CHARS).min_length(Some(1)).pattern(Some(FILE_NAME));
    /// What a file is.
    Media = one_of(attachment::Media::ALL.map(attachment::Media::name));
    /// Which file, from 0.
    Place = whole(0..=limits::ATTACHMENTS as i64 - 1);
    /// The bytes of a file.
    FileBytes = string()
        .format(Some(utoipa::openapi::SchemaFormat::KnownFormat(utoipa::openapi::KnownFormat::Binary)))
        .min_length(Some(1));
    /// Visible ASCII.
    IdempotencyKey = text(limits::KEY_CHARS).min_length(Some(1)).pattern(Some("^[ -~]+$"));
    /// A place in a trace: W3C Trace Context, version 00.
    TraceParent = string().pattern(Some("^00-[0-9a-f]{32}-[0-9a-f]{16}-0[0-3]$"));
    /// Where to send to: a public address, without a name and password in it.
    TargetUrl = target_url();
    /// Where the agent is called when it is closed: a public address, without a name and password in it.
    CallbackUrl = target_url();
    /// A size of pages.
    PageSize = whole(1..=limits::PAGE_ITEMS.into());
    /// A size of pages of events.
    EventPageSize = whole(1..=limits::EVENT_PAGE_ITEMS.into());
    /// The length of a claim, in minutes. By default a quarter of an hour.
    ClaimMinutes = whole(1..=limits::CLAIM_MINUTES_MAX)
        .default(Some(Value::from(limits::CLAIM_MINUTES)));
    /// How often a grant may be used.
    GrantUses = whole(1..=i64::from(limits::GRANT_USES));
    /// For how many days an answer stands.
    MemoryDays = whole(1..=limits::MEMORY_DAYS);
    /// How many days are looked back on.
    InsightDays = whole(1..=limits::INSIGHT_DAYS);
    /// One of the tables, as a file.
    InsightTable = one_of(Table::ALL.map(Table::file));
    /// A day, in UTC.
    CalendarDay = string().format(Some(utoipa::openapi::SchemaFormat::KnownFormat(utoipa::openapi::KnownFormat::Date)));
    /// A place in the journal.
    Seq = whole(0..=i64::MAX);
    /// A UUID.
    Id = id();
}

/// As they stand in JSON.
fn all(names: &[impl Serialize]) -> ObjectBuilder {
    let names = names
        .iter()
        .map(|name| serde_json::to_value(name).unwrap_or(Value::Null));
    one_of(names)
}

fn target_url() -> ObjectBuilder {
    string()
        .pattern(Some("^[Hh][Tt][Tt][Pp][Ss]?://"))
        .max_length(Some(guard::LONGEST))
}
