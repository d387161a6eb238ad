//! Headers of answers that many calls share.

use std::collections::BTreeMap;

use utoipa::openapi::{Header, HeaderBuilder, RefOr};

use crate::resource::shapes::{string, whole};

type Headers = BTreeMap<String, RefOr<Header>>;

/// Of every answer.
pub(super) fn add_request_id(headers: &mut Headers) {
    let text = "The id of the request in the log: the client's own, if it sent one.";
    let id = HeaderBuilder::new()
        .schema(Some(string()))
        .description(Some(text));
    headers.insert("X-Request-Id".to_owned(), RefOr::T(id.build()));
}

/// Of a problem with this status.
pub(super) fn of_problem(status: u16) -> Headers {
    let mut headers = Headers::new();
    if matches!(status, 429 | 503) {
        let seconds = HeaderBuilder::new()
            .schema(Some(whole(0..=i64::from(u32::MAX))))
            .description(Some("Seconds after which it makes sense to try again."));
        headers.insert("Retry-After".to_owned(), RefOr::T(seconds.build()));
    }
    if status == 401 {
        let scheme = HeaderBuilder::new()
            .schema(Some(string()))
            .description(Some("`Bearer`."));
        headers.insert("WWW-Authenticate".to_owned(), RefOr::T(scheme.build()));
    }
    headers
}
