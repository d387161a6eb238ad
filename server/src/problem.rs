//! The only place where errors of the API become HTTP: RFC 9457 `application/problem+json` with a stable `code`.

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use chrono::{DateTime, Utc};
use domain::{Fault, Refused, interaction::Outcome};
use serde::Serialize;

use crate::service::ServiceError;

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
    closed: Option<Box<Closed>>,
}

/// How an interaction ended that somebody wanted to close.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Closed {
    outcome: Outcome,
    closed_by: Option<String>,
    closed_at: DateTime<Utc>,
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
            closed: None,
        }
    }

    /// 401: no bearer token.
    pub fn no_token() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "no_token",
            "Send a token in the header `Authorization: Bearer …`; `handraise token create` makes one.",
        )
    }

    /// 401: a token nobody holds.
    pub fn bad_token() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "bad_token",
            "This token is not known here; it may belong to another server or database.",
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
}

impl From<Refused> for Problem {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Closed { outcome, by, at } => {
                let who = by
                    .as_ref()
                    .map_or_else(String::new, |name| format!(" by {name}"));
                Self {
                    closed: Some(Box::new(Closed {
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
            Refused::NotYours => Self::not_found(),
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
            Refused::TooManyPending { limit } => Self::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too_many_pending",
                format!("This agent has {limit} pending blockers and may not have more."),
            ),
            Refused::NoKey => {
                tracing::error!("a decision was refused: the server runs without a key");
                Self::internal()
            }
            // Only the expiry job asks the one, and nobody is told the other.
            Refused::NotDue | Refused::CollectedAlready => Self::internal(),
        }
    }
}

impl From<ServiceError> for Problem {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::NotFound => Self::not_found(),
            ServiceError::Refused(refused) => refused.into(),
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
        let mut response = (status, Json(self)).into_response();
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        if status == StatusCode::TOO_MANY_REQUESTS {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("60"));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
