//! Which call goes on with what another one returned.

use utoipa::openapi::{RefOr, link::LinkBuilder, path::Operation};

const ID: &str = "$response.body#/id";

/// A call and the status it is answered with; the calls that take the id from there.
const NEXT: [(&str, &str, &[&str]); 5] = [
    (
        "ask",
        "201",
        &[
            "get_interaction",
            "answer",
            "cancel",
            "collect",
            "consume",
            "report",
            "follow_up",
            "claim",
            "release",
            "dismiss",
            "list_grant_offers",
        ],
    ),
    ("put_task", "200", &["get_task"]),
    ("create_hook", "201", &["delete_hook"]),
    ("make_grant", "201", &["get_grant", "revoke_grant"]),
    ("keep_answer", "201", &["get_memory", "revoke_memory"]),
];

/// Adds them.
pub(super) fn add(operation: &mut Operation) {
    for (from, status, next) in NEXT {
        if operation.operation_id.as_deref() != Some(from) {
            continue;
        }
        if let Some(RefOr::T(response)) = operation.responses.responses.get_mut(status) {
            for to in next {
                let link = LinkBuilder::new().operation_id(*to).parameter("id", ID);
                response
                    .links
                    .insert((*to).to_owned(), RefOr::T(link.build()));
            }
        }
    }
}
