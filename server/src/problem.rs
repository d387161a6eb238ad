//! The only place where errors of the API become HTTP: RFC 9457 `application/problem+json` with a stable `code`.

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use chrono::{DateTime, SecondsFormat, Utc};
use domain::{Fault, Refused, Uncounted, interaction::Outcome, limits};
use serde::Serialize;
use service::{ServiceError, seconds};
use slack::verify::Unverified;

use crate::{
    body::Unread,
    limits::{Full, TooFast},
};

/// The wait for a caller who is refused for something that others have to give up first, in seconds.
const SOON: u32 = 10;
/// The wait for an agent that has too many blockers: people have to answer some of them.
const LATER: u32 = 60;

/// An error as a client sees it. `code` is API: it never changes its meaning.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Problem {
    #[serde(rename = "type")]
    kind: &'static str,
    title: &'static str,
    #[serde(serialize_with = "status_number")]
    status: StatusCode,
    code: &'static str,
    detail: String,
    errors: Vec<Fault>,
    #[serde(flatten)]
    more: Option<Box<More>>,
    /// In seconds.
    #[serde(skip)]
    retry_after: Option<u32>,
}

/// The `code` of a problem, for those who count: in the extensions of its response.
#[derive(Clone, Copy, Debug)]
pub struct ProblemCode(pub &'static str);

/// Fields that only some problems have.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
enum More {
    /// How an interaction ended that the caller wanted to close.
    Closed {
        outcome: Outcome,
        closed_by: Option<String>,
        closed_at: DateTime<Utc>,
    },
    /// Which run consumed an approval.
    Consumed {
        consumed_at: DateTime<Utc>,
        consumed_by: String,
    },
    /// Who is on it.
    Claimed {
        claimed_by: String,
        claimed_until: DateTime<Utc>,
    },
    /// When a quota begins anew.
    Quota { until: DateTime<Utc> },
}

fn status_number<S: serde::Serializer>(status: &StatusCode, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u16(status.as_u16())
}

impl Problem {
    fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status,
            code,
            detail: detail.into(),
            errors: Vec::new(),
            more: None,
            retry_after: None,
        }
    }

    fn retry_after(self, seconds: u32) -> Self {
        Self {
            retry_after: Some(seconds),
            ..self
        }
    }

    /// 422: so many that they would take far more room than the body.
    pub fn too_many_values() -> Self {
        let message = format!(
            "has too many values, at most {} are allowed",
            limits::BODY_VALUES
        );
        Self::invalid(vec![Fault::new("$", message)])
    }

    /// 401: no bearer token.
    pub fn no_token() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "no_token",
            "Send a token in the header `Authorization: Bearer …`; `handraise token create` makes one.",
        )
    }

    /// 401: an unknown token.
    pub fn bad_token() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "bad_token",
            "This token is not known here; it may belong to another server or database.",
        )
    }

    /// 401: a token that was good once.
    pub fn token_expired(end: DateTime<Utc>) -> Self {
        let end = end.format("%Y-%m-%d %H:%M");
        Self::new(
            StatusCode::UNAUTHORIZED,
            "token_expired",
            format!(
                "This token expired on {end} UTC; `handraise token create`, or an admin under Settings, \
                 makes a new one of the same name."
            ),
        )
    }

    /// 401: not signed by Slack just now.
    pub fn not_slack(why: Unverified) -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "not_slack",
            format!("Only Slack is heard here, and {why}."),
        )
    }

    /// 503: what came from Slack could not be kept, and should come again.
    pub fn slack_again() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "slack_again",
            "It could not be kept.",
        )
    }

    /// 401: the page's session has ended.
    pub fn signed_out() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "signed_out",
            "Sign in to the dashboard first.",
        )
    }

    /// 403: agents ask, they do not answer.
    pub fn not_an_agent() -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "agents_only",
            "Only an agent can ask; this is a responder token.",
        )
    }

    /// 403: not from our own page.
    pub fn cross_origin() -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "cross_origin",
            "The request does not come from a page of this server.",
        )
    }

    /// 404: nothing at this address.
    pub fn no_route() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "no_such_address",
            "There is nothing at this address.",
        )
    }

    /// 404: no such interaction or task, or not the caller's to see.
    pub fn not_found() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "not_found",
            "Nothing here has this id.",
        )
    }

    /// 404: no such receipt, and there will be none.
    pub fn no_receipt() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "no_receipt",
            "Only approvals and plan reviews that somebody decided have a receipt.",
        )
    }

    /// 405.
    pub fn method_not_allowed() -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "method_not_allowed",
            "This address does not take this method.",
        )
    }

    /// 400: not JSON.
    pub fn unreadable(why: impl ToString) -> Self {
        Self {
            errors: vec![Fault::new("$", why.to_string())],
            ..Self::new(
                StatusCode::BAD_REQUEST,
                "unreadable_json",
                "The body is not JSON.",
            )
        }
    }

    /// 400: the body broke off.
    pub fn incomplete_body() -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "incomplete_body",
            "The body ended early.",
        )
    }

    /// 408: the body takes too long to arrive.
    pub fn body_too_slow() -> Self {
        Self::new(
            StatusCode::REQUEST_TIMEOUT,
            "body_too_slow",
            "The body did not arrive in time.",
        )
    }

    /// 413.
    pub fn body_too_large(limit: usize) -> Self {
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "body_too_large",
            format!("The body may have at most {limit} bytes."),
        )
    }

    /// 415.
    pub fn unsupported_media_type() -> Self {
        Self::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported_media_type",
            "Send JSON, with the header `Content-Type: application/json`.",
        )
    }

    /// 413: a file.
    pub fn attachment_too_large() -> Self {
        let most = limits::ATTACHMENT_BYTES;
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "body_too_large",
            format!("An attachment may have at most {most} bytes."),
        )
    }

    /// 422: readable, but against the rules.
    pub fn invalid(errors: Vec<Fault>) -> Self {
        let detail = match &errors[..] {
            [only] => format!("{}: {}.", only.path, only.message),
            more => format!("{} things are wrong with this request.", more.len()),
        };
        Self {
            errors,
            ..Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_request", detail)
        }
    }

    /// 429 when this token has as many held requests as it may, or 503.
    pub fn not_held(full: Full) -> Self {
        match full {
            Full::OfOne => Self::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too_many_held",
                "This token has as many held requests and event streams as it may.",
            )
            .retry_after(SOON),
            Full::InAll => Self::no_place(),
        }
    }

    /// 429 when this person has as many sockets as they may, or 503.
    pub fn no_socket(full: Full) -> Self {
        match full {
            Full::OfOne => Self::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too_many_sockets",
                "This person has as many live pages open as they may.",
            )
            .retry_after(SOON),
            Full::InAll => Self::no_place(),
        }
    }

    /// 503: everybody together has as many connections, sockets or held requests as the server allows.
    pub fn no_place() -> Self {
        Self::busy("The server has as many connections as it allows; try again.")
    }

    /// 503: too much is going on.
    pub fn busy(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", detail).retry_after(SOON)
    }

    /// 503: the page is not there in time.
    pub fn not_in_time() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "not_in_time",
            "The server did not answer in time; try again.",
        )
    }

    /// 500. The cause has been logged; it is not the client's business.
    pub fn internal() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "The server failed; whether it did what was asked is unknown.",
        )
    }

    /// The HTTP status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The problem, in a sentence.
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// Each fault, with its place.
    pub fn errors(&self) -> &[Fault] {
        &self.errors
    }

    /// The `code`.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// As a response that ends its connection, for clients that get no further than to be accepted.
    ///
    /// # Errors
    /// Never: it is plain data.
    pub fn as_last_words(&self) -> Result<String, serde_json::Error> {
        let body = serde_json::to_string(self)?;
        let retry_after = self.retry_after.unwrap_or_default();
        Ok(format!(
            "HTTP/1.1 {status}\r\nContent-Type: application/problem+json\r\nRetry-After: {retry_after}\r\n\
             Connection: close\r\nContent-Length: {length}\r\n\r\n{body}",
            status = self.status,
            length = body.len(),
        ))
    }
}

impl From<Refused> for Problem {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Closed { outcome, by, at } => {
                let who = by
                    .as_ref()
                    .map_or_else(String::new, |name| format!(" by {name}"));
                Self {
                    more: Some(Box::new(More::Closed {
                        outcome,
                        closed_by: by,
                        closed_at: at,
                    })),
                    ..Self::new(
                        StatusCode::CONFLICT,
                        "already_closed",
                        format!("Already {}{who}.", outcome.name()),
                    )
                }
            }
            Refused::NotAResponder => Self::new(
                StatusCode::FORBIDDEN,
                "responders_only",
                "Only responders and admins can do this; agents never can.",
            ),
            Refused::NotAnAdmin => Self::new(
                StatusCode::FORBIDDEN,
                "admins_only",
                "Only admins can do this.",
            ),
            Refused::NotYours | Refused::NotSeen => Self::not_found(),
            Refused::Invalid(faults) => Self::invalid(faults),
            Refused::KeyReused => Self::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "idempotency_key_reused",
                "This agent has sent another request with this Idempotency-Key.",
            ),
            Refused::StillPending => Self::new(
                StatusCode::CONFLICT,
                "still_pending",
                "It still waits for an answer.",
            ),
            Refused::NotApproved => Self::new(
                StatusCode::CONFLICT,
                "not_approved",
                "It was not approved, so nothing may be run.",
            ),
            Refused::NothingToKeep => Self::new(
                StatusCode::CONFLICT,
                "nothing_to_keep",
                "There is no answer of a person here that could be given again: only one in words or by an option can, and only without files.",
            ),
            Refused::NotYourAnswer => Self::new(
                StatusCode::FORBIDDEN,
                "not_your_answer",
                "Only who gave this answer may let it stand for the same question.",
            ),
            Refused::AlreadyConsumed { at, by } => Self {
                more: Some(Box::new(More::Consumed {
                    consumed_at: at,
                    consumed_by: by.clone(),
                })),
                ..Self::new(
                    StatusCode::CONFLICT,
                    "already_consumed",
                    format!(
                        "The run {by} consumed this approval at {}; ask again for another run.",
                        at.to_rfc3339_opts(SecondsFormat::Secs, true)
                    ),
                )
            },
            Refused::Restored { at } => Self::new(
                StatusCode::CONFLICT,
                "restored",
                format!(
                    "The database was put back from a backup at {}, after this was approved, and whether it ran is not known; ask again.",
                    at.to_rfc3339_opts(SecondsFormat::Secs, true)
                ),
            ),
            Refused::HasApproved { missing, .. } => {
                let detail = match missing {
                    1 => "You have approved this; it takes one more person.".to_owned(),
                    more => format!("You have approved this; it takes {more} more people."),
                };
                Self::new(StatusCode::CONFLICT, "already_approved", detail)
            }
            Refused::NotCounted(Uncounted::Nobody) => Self::new(
                StatusCode::FORBIDDEN,
                "not_a_person",
                "Only people who have an account here count for this approval.",
            ),
            Refused::NotCounted(Uncounted::OwnsAgent) => Self::new(
                StatusCode::FORBIDDEN,
                "owns_the_agent",
                "The agent that asks is yours: another person has to approve it.",
            ),
            Refused::NotCounted(Uncounted::NoOwner) => Self::new(
                StatusCode::FORBIDDEN,
                "agent_without_owner",
                "Nobody can approve this until an admin says who owns the agent.",
            ),
            Refused::NotCounted(Uncounted::NotInTeam) => Self::new(
                StatusCode::FORBIDDEN,
                "not_counted",
                "Only members of the team that is asked count for this approval.",
            ),
            Refused::Claimed { by, until, now } => {
                let left = domain::time::words(until - now);
                let detail =
                    format!("{by} is on it for another {left}. It can be answered all the same.");
                Self {
                    more: Some(Box::new(More::Claimed {
                        claimed_by: by,
                        claimed_until: until,
                    })),
                    ..Self::new(StatusCode::CONFLICT, "claimed", detail)
                }
            }
            Refused::NotOffline => Self::new(
                StatusCode::CONFLICT,
                "agent_not_offline",
                "Its agent is not offline, so it is not dismissed. It can be taken back, with a reason.",
            ),
            Refused::AlreadyReported { at } => Self::new(
                StatusCode::CONFLICT,
                "already_reported",
                format!(
                    "Something else was reported at {}.",
                    at.to_rfc3339_opts(SecondsFormat::Secs, true)
                ),
            ),
            Refused::TooManyPending { limit } => Self::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too_many_pending",
                format!("This agent has {limit} pending blockers and may not have more."),
            )
            .retry_after(LATER),
            Refused::TooMuchInTask => Self::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too_much_in_task",
                "What waits in this task takes too much room; some of it has to be answered first.",
            )
            .retry_after(LATER),
            Refused::QuotaUsedUp { limit, until, wait } => {
                let seconds = u32::try_from(seconds(wait)).unwrap_or(u32::MAX);
                let detail = format!(
                    "This agent has had {limit} bytes stored today, as many as it may. It may have more from {} on.",
                    until.to_rfc3339_opts(SecondsFormat::Secs, true)
                );
                Self {
                    more: Some(Box::new(More::Quota { until })),
                    ..Self::new(StatusCode::TOO_MANY_REQUESTS, "quota_used_up", detail)
                }
                .retry_after(seconds)
            }
            Refused::EndpointDisabled => Self::new(
                StatusCode::CONFLICT,
                "endpoint_disabled",
                "Nothing is sent to this endpoint; enable it first.",
            ),
            Refused::NotToRetry => Self::new(
                StatusCode::CONFLICT,
                "not_to_retry",
                "It has arrived, or is being sent right now.",
            ),
            Refused::Erased { by, at } => Self::new(
                StatusCode::CONFLICT,
                "erased",
                format!(
                    "All that was written in it was erased by {by} at {}; nothing can be added.",
                    at.to_rfc3339_opts(SecondsFormat::Secs, true)
                ),
            ),
            Refused::FileMissing => Self::new(
                StatusCode::CONFLICT,
                "attachment_missing",
                "A file that belongs to this is missing, or is no longer the one that was sent; nothing is approved with it.",
            ),
            Refused::TooManyFiles { limit } => Self::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too_many_attachments",
                format!("{limit} attachments of this token belong to nothing yet and it may not have more; name some of them in a question, or wait for an hour."),
            )
            .retry_after(LATER),
            Refused::NoFiles => Self::new(
                StatusCode::CONFLICT,
                "no_attachments",
                "This server keeps no attachments; an admin says where with the setting `attachments`.",
            ),
            Refused::Altered => {
                tracing::error!(
                    "an answer was refused: the row of its interaction says that something else was asked than the journal does"
                );
                Self::new(
                    StatusCode::CONFLICT,
                    "altered",
                    "What is stored of this is not what the journal tells: an admin should run `handraise journal verify`.",
                )
            }
            Refused::NoKey => {
                tracing::error!("a decision was refused: the server runs without a key");
                Self::internal()
            }
            // Only the expiry job asks the first, no caller is told the second, the third is Slack's, and the
            // others are pages' alone.
            Refused::NotDue
            | Refused::CancelFirst
            | Refused::Unchanged
            | Refused::UseTheButtons
            | Refused::Yourself
            | Refused::Unproven
            | Refused::FactorNeeded
            | Refused::NameTaken
            | Refused::NotInTeam { .. }
            | Refused::TeamNameTaken
            | Refused::TeamDeleted
            | Refused::TeamInUse { .. }
            | Refused::SlackTaken { .. }
            | Refused::LastAdmin
            | Refused::IdentityTaken { .. }
            | Refused::IdentityKept
            | Refused::OnlyWay
            | Refused::Disabled => Self::internal(),
        }
    }
}

impl From<Unread> for Problem {
    fn from(why: Unread) -> Self {
        match why {
            Unread::TooLarge => Self::body_too_large(limits::BODY_BYTES),
            Unread::TooSlow => Self::body_too_slow(),
            Unread::Incomplete => Self::incomplete_body(),
        }
    }
}

impl From<TooFast> for Problem {
    fn from(TooFast { retry_after }: TooFast) -> Self {
        Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            "rate_limited",
            format!("Too many requests; the next one will pass in {retry_after} s."),
        )
        .retry_after(retry_after)
    }
}

impl From<ServiceError> for Problem {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::NotFound => Self::not_found(),
            ServiceError::Refused(refused) => refused.into(),
            ServiceError::TokenExpired(end) => Self::token_expired(end),
            ServiceError::Wait(_)
            | ServiceError::Busy
            | ServiceError::FilesBusy
            | ServiceError::WeakPassword(_) => Self::busy(error.to_string()),
            ServiceError::Files(error) => {
                tracing::error!(%error, "a request failed where files are kept");
                Self::busy("The place where files are kept does not answer; try again in a moment.")
            }
            ServiceError::Store(error) => {
                tracing::error!(%error, "a request failed in the store");
                Self::internal()
            }
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = self.status;
        let code = ProblemCode(self.code);
        let retry_after = self.retry_after;
        let mut response = (status, Json(self)).into_response();
        response.extensions_mut().insert(code);
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        if let Some(seconds) = retry_after {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
