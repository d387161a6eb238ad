//! What each call may be refused with. The problems are real ones, so status, code and wording are those of
//! `problem.rs`.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{Refused, Uncounted, interaction::Outcome};
use utoipa::openapi::{
    Components, Content, ContentBuilder, Ref, RefOr, Response, ResponseBuilder,
    example::ExampleBuilder, path::Operation, schema::AllOfBuilder,
};

use super::headers;
use crate::resource::{
    names,
    shapes::{
        list_of, may_not_null, must, one_of, or_null, reference, returned, shapes, string, time,
        whole,
    },
};
use crate::{
    body::Unread,
    limits::{Full, TooFast},
    problem::Problem as Refusal,
};

shapes! {
    /// What is wrong with one field.
    Fault = returned([
        must("path", string().description(Some("As in `task.title`; `$` is the whole body."))),
        must("message", string()),
    ]);
    /// An error (RFC 9457). `code` never changes its meaning.
    Problem = returned([
        must("type", string()),
        must("title", string()),
        must("status", whole(400..=599)),
        must("code", string()),
        must("detail", string().description(Some("For people; may be put differently one day."))),
        must("errors", list_of(reference("Fault"))),
        may_not_null("outcome", names::Outcome::schema()),
        may_not_null("closed_by", or_null(string())),
        may_not_null("closed_at", time()),
        may_not_null("consumed_at", time()),
        may_not_null("consumed_by", string()),
        may_not_null("claimed_by", string()),
        may_not_null("claimed_until", time()),
    ]);
}

/// Adds to an operation how it can fail. Each failure is described once, under the codes of it.
pub(super) fn add(operation: &mut Operation, components: &mut Components) {
    let mut by_status: BTreeMap<u16, Vec<Refusal>> = BTreeMap::new();
    for problem in problems(operation) {
        by_status
            .entry(problem.status().as_u16())
            .or_default()
            .push(problem);
    }
    for (status, problems) in by_status {
        let codes: Vec<&str> = problems.iter().map(Refusal::code).collect();
        let name = codes.join("_or_");
        let responses = &mut operation.responses.responses;
        let reference = Ref::from_response_name(&name);
        // Readiness has an answer of its own.
        responses
            .entry(status.to_string())
            .or_insert_with(|| reference.into());
        let described = || RefOr::T(response(status, &problems));
        components.responses.entry(name).or_insert_with(described);
    }
}

fn response(status: u16, problems: &[Refusal]) -> Response {
    let codes: Vec<&str> = problems.iter().map(Refusal::code).collect();
    let named = codes.iter().map(|code| format!("`{code}`"));
    let description = named.collect::<Vec<_>>().join(", ");
    let response = ResponseBuilder::new()
        .description(description)
        .content("application/problem+json", content(problems, codes));
    let mut response = response.build();
    response.headers = headers::of_problem(status);
    response
}

fn content(problems: &[Refusal], codes: Vec<&str>) -> Content {
    let narrowed = returned([must("code", one_of(codes))]);
    let schema = AllOfBuilder::new()
        .item(reference("Problem"))
        .item(narrowed);
    let examples = problems.iter().map(|problem| {
        let value = serde_json::to_value(problem).ok();
        let example = ExampleBuilder::new().value(value).build();
        (problem.code(), RefOr::T(example))
    });
    ContentBuilder::new()
        .schema(Some(schema))
        .examples_from_iter(examples)
        .build()
}

fn problems(operation: &Operation) -> Vec<Refusal> {
    let mut found = of_call(operation.operation_id.as_deref().unwrap_or_default());
    if operation.operation_id.as_deref() == Some("send_attachment") {
        // Its body is a file.
        found.extend([
            Refusal::from(Unread::Incomplete),
            Refusal::from(Unread::TooSlow),
            Refusal::attachment_too_large(),
        ]);
    } else if operation.request_body.is_some() {
        found.extend([
            Refusal::unreadable("EOF while parsing an object at line 1 column 9"),
            Refusal::from(Unread::Incomplete),
            Refusal::from(Unread::TooSlow),
            Refusal::from(Unread::TooLarge),
            Refusal::unsupported_media_type(),
            Refusal::invalid(vec![domain::Fault::new("prompt", "is required")]),
        ]);
    }
    if operation.security.is_some() {
        found.extend([
            Refusal::no_token(),
            Refusal::bad_token(),
            Refusal::token_expired(DateTime::UNIX_EPOCH),
            TooFast { retry_after: 1 }.into(),
            Refusal::internal(),
        ]);
    }
    found.push(Refusal::no_place());
    // One example for each code.
    let mut named = BTreeSet::new();
    found.retain(|refusal| named.insert((refusal.status().as_u16(), refusal.code())));
    found
}

/// What only some calls are refused with.
fn of_call(operation: &str) -> Vec<Refusal> {
    let bad_parameter =
        || Refusal::invalid(vec![domain::Fault::new("limit", "must be from 1 to 200")]);
    let responders_only = || Refusal::from(Refused::NotAResponder);
    match operation {
        "ask" => vec![
            Refusal::not_an_agent(),
            Refused::KeyReused.into(),
            Refused::TooManyPending { limit: 1_000 }.into(),
            Refused::TooMuchInTask.into(),
            quota_used_up(),
            Refused::Altered.into(),
            Refused::FileMissing.into(),
            Refused::NoFiles.into(),
        ],
        "send_attachment" => vec![
            responders_only(),
            quota_used_up(),
            Refused::TooManyFiles { limit: 50 }.into(),
            Refusal::busy("too many files are on their way; try again in a moment"),
            Refused::NoFiles.into(),
            Refusal::invalid(vec![domain::Fault::new(
                "$",
                "has 65500 × 65500 pixels, at most 16000000 in all and 16384 a side are allowed",
            )]),
        ],
        "get_attachment" | "get_answer_attachment" => {
            vec![Refusal::not_found(), Refused::FileMissing.into()]
        }
        "list_interactions" | "list_tasks" => vec![bad_parameter()],
        "get_interaction" => vec![
            Refusal::not_found(),
            Refusal::not_held(Full::OfOne),
            Refused::Altered.into(),
        ],
        "answer" => vec![
            responders_only(),
            Refusal::not_found(),
            already_closed(),
            erased(),
            Refused::HasApproved {
                at: moment(),
                missing: 1,
            }
            .into(),
            Refused::NotCounted(Uncounted::Nobody).into(),
            Refused::NotCounted(Uncounted::OwnsAgent).into(),
            Refused::NotCounted(Uncounted::NoOwner).into(),
            Refused::NotCounted(Uncounted::NotInTeam).into(),
            Refused::Altered.into(),
            Refused::FileMissing.into(),
            Refused::NoFiles.into(),
        ],
        "collect" => vec![
            Refusal::not_an_agent(),
            Refusal::not_found(),
            Refused::StillPending.into(),
        ],
        "consume" => vec![
            Refusal::not_an_agent(),
            Refusal::not_found(),
            erased(),
            Refused::NotApproved.into(),
            Refused::AlreadyConsumed {
                at: moment(),
                by: "deploy on build-1".to_owned(),
            }
            .into(),
            Refused::Restored { at: moment() }.into(),
        ],
        "report" => vec![
            Refusal::not_an_agent(),
            Refusal::not_found(),
            Refused::StillPending.into(),
            erased(),
            Refused::NotApproved.into(),
            Refused::AlreadyReported { at: moment() }.into(),
        ],
        "cancel" => vec![
            Refusal::not_found(),
            already_closed(),
            Refused::Altered.into(),
        ],
        "claim" | "release" => vec![
            responders_only(),
            Refusal::not_found(),
            erased(),
            already_closed(),
            Refused::Claimed {
                by: "Ana".to_owned(),
                until: moment() + TimeDelta::minutes(12),
                now: moment(),
            }
            .into(),
            Refused::Altered.into(),
        ],
        "dismiss" => vec![
            responders_only(),
            Refusal::not_found(),
            already_closed(),
            Refused::NotOffline.into(),
            Refused::Altered.into(),
        ],
        "end_session" => vec![Refusal::not_an_agent(), Refused::Altered.into()],
        "follow_up" => vec![
            responders_only(),
            Refusal::not_found(),
            erased(),
            Refused::StillPending.into(),
        ],
        "get_receipt" => vec![
            Refusal::not_found(),
            Refusal::no_receipt(),
            Refused::StillPending.into(),
        ],
        "put_task" => vec![Refusal::not_an_agent(), quota_used_up()],
        "get_callback_secret" => vec![Refusal::not_an_agent()],
        "get_task" => vec![
            Refusal::invalid(vec![domain::Fault::new(
                "agent",
                "is required: two agents may use the same task id",
            )]),
            Refusal::not_found(),
        ],
        "list_events" => vec![bad_parameter(), Refusal::not_held(Full::OfOne)],
        "create_hook" | "list_hooks" => vec![responders_only()],
        "sample_hook" => vec![
            responders_only(),
            Refusal::invalid(vec![domain::Fault::new(
                "format",
                "must be one of standard, flat",
            )]),
        ],
        "delete_hook" => vec![responders_only(), Refusal::not_found()],
        "list_deliveries" => vec![responders_only(), bad_parameter()],
        "retry_delivery" => vec![
            responders_only(),
            Refusal::not_found(),
            Refused::EndpointDisabled.into(),
            Refused::NotToRetry.into(),
        ],
        "list_grants" => vec![responders_only(), bad_parameter()],
        "list_grant_offers" | "get_grant" | "revoke_grant" => {
            vec![responders_only(), Refusal::not_found()]
        }
        "make_grant" | "preview_grant" => vec![
            responders_only(),
            Refusal::not_found(),
            erased(),
            Refused::NotApproved.into(),
            Refusal::invalid(vec![domain::Fault::new(
                "matcher.like.varies",
                "would match everything: at least one argument has to be narrowed down by `words`, `below` or `host`",
            )]),
        ],
        "list_memories" => vec![responders_only(), bad_parameter()],
        "get_memory" | "revoke_memory" => vec![responders_only(), Refusal::not_found()],
        "keep_answer" => vec![
            responders_only(),
            Refusal::not_found(),
            erased(),
            Refused::NothingToKeep.into(),
            Refused::NotYourAnswer.into(),
            Refusal::invalid(vec![domain::Fault::new(
                "days",
                "must be 1 to 30: no answer stands longer",
            )]),
        ],
        "get_policies" => vec![responders_only()],
        "add_policies" | "check_policies" => vec![
            responders_only(),
            Refusal::invalid(vec![domain::Fault::new(
                "rules[0].when",
                "would match everything: name tools, or what their arguments have",
            )]),
        ],
        "get_insights" | "get_insights_table" => vec![
            Refusal::not_found(),
            Refusal::invalid(vec![domain::Fault::new("days", "must be 1 to 366")]),
        ],
        "get_duty" | "get_team_ladder" => vec![Refusal::not_found()],
        "get_ladder" => vec![responders_only()],
        "get_duty_calendar" => vec![Refusal::not_found(), bad_parameter()],
        "get_keys" => vec![TooFast { retry_after: 1 }.into()],
        "get_metrics" => vec![TooFast { retry_after: 1 }.into(), Refusal::internal()],
        _ => Vec::new(),
    }
}

fn quota_used_up() -> Refusal {
    Refused::QuotaUsedUp {
        limit: 268_435_456,
        until: DateTime::from_timestamp(1_800_057_600, 0).unwrap_or_default(),
        wait: TimeDelta::hours(16),
    }
    .into()
}

fn already_closed() -> Refusal {
    Refused::Closed {
        outcome: Outcome::Answered,
        by: Some("Ana".to_owned()),
        at: moment(),
    }
    .into()
}

fn erased() -> Refusal {
    Refused::Erased {
        by: "Ana".to_owned(),
        at: moment(),
    }
    .into()
}

fn moment() -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000, 0).unwrap_or_default()
}
