//! The meaning of a failed call: whether its work may have been done, and whether trying again can help. One
//! pure function decides.

use std::time::Duration;

/// Slack says no more than that it lasts; workspaces over this limit stay over it for long.
const LONG: Duration = Duration::from_secs(600);

/// The way to go on after a failed call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Nothing was done, nor will be until a person changes a setting or something in Slack. Nothing else
    /// for this channel will get through either.
    Config,
    /// Nothing was done, and this very call will never succeed.
    Content,
    /// Nothing was done. Trying again may help, not before this time is over if Slack names one; it counts
    /// for the method that was called.
    NotDone {
        /// How long to leave this method alone.
        retry_after: Option<Duration>,
    },
    /// It may have been done: look before it is done again.
    Ambiguous,
    /// Nothing was done, and the modal a person had opened is over.
    TriggerBound,
}

/// The result of a call that did not succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came<'a> {
    /// There was no connection, so nothing was sent.
    NotSent,
    /// It was sent, and no whole answer came.
    NoAnswer,
    /// The answer is none of Slack's.
    Unreadable,
    /// Another status than 200 without a code of Slack's, and the seconds of its `Retry-After`.
    Status(u16, Option<u64>),
    /// Slack's code for the fault, and the seconds of its `Retry-After`.
    Code(&'a str, Option<u64>),
}

/// Whether it says more of Slack, or of the way to it, than of the call.
pub fn is_outage(came: Came<'_>) -> bool {
    match came {
        Came::NotSent | Came::NoAnswer => true,
        Came::Status(code, _) => code >= 500,
        Came::Code(code, _) => code == "service_unavailable",
        Came::Unreadable => false,
    }
}

/// Sorts a failure.
pub fn classify(came: Came<'_>) -> Class {
    let retry = |seconds: Option<u64>| Class::NotDone {
        retry_after: seconds.map(Duration::from_secs),
    };
    match came {
        Came::NotSent => retry(None),
        Came::NoAnswer | Came::Unreadable => Class::Ambiguous,
        Came::Status(429, seconds) => retry(seconds),
        Came::Status(413, _) => Class::Content,
        // Slack answers 200. Another status comes from a server before it, or instead of it.
        Came::Status(300..=499, _) => Class::Config,
        Came::Status(..) => Class::Ambiguous,
        Came::Code(code, seconds) => of_code(code, seconds),
    }
}

fn of_code(code: &str, seconds: Option<u64>) -> Class {
    match code {
        "ratelimited" | "rate_limited" => Class::NotDone {
            retry_after: seconds.map(Duration::from_secs),
        },
        "message_limit_exceeded" => Class::NotDone {
            retry_after: Some(LONG),
        },
        "service_unavailable" | "team_added_to_org" | "request_timeout" | "update_failed"
        | "streaming_state_conflict" | "external_channel_migrating" => {
            Class::NotDone { retry_after: None }
        }
        "not_authed" | "invalid_auth" | "token_revoked" | "token_expired" | "account_inactive"
        | "user_removed_from_team" | "missing_scope" | "not_allowed_token_type"
        | "no_permission" | "org_login_required" | "ekm_access_denied"
        | "team_access_not_granted" | "accesslimited" | "access_denied"
        | "two_factor_setup_required" | "enterprise_is_restricted" | "team_not_found"
        | "team_disabled" | "method_deprecated" | "channel_not_found" | "not_in_channel"
        | "is_archived" | "messages_tab_disabled" | "cannot_reply_to_message"
        | "thread_not_found" | "user_not_in_channel" | "file_uploads_disabled"
        | "posting_to_channel_denied"
        // Of incoming webhooks.
        | "no_service" | "no_service_id" | "no_active_hooks" | "no_team" | "invalid_token"
        | "action_prohibited" | "channel_is_archived" | "posting_to_general_channel_denied" => {
            Class::Config
        }
        _ if code.starts_with("restricted_action") => Class::Config,
        "invalid_blocks" | "invalid_blocks_format" | "msg_blocks_too_long" | "msg_too_long"
        | "no_text" | "metadata_too_large" | "invalid_metadata_format"
        | "invalid_metadata_schema" | "markdown_text_conflict" | "too_many_attachments"
        | "view_too_large" | "invalid_arguments" | "invalid_array_arg" | "invalid_charset"
        | "invalid_form_data" | "invalid_post_type" | "invalid_json" | "json_not_object"
        | "missing_post_type" | "unknown_method" | "invalid_payload" | "invalid_cursor"
        | "invalid_limit" | "user_not_found"
        // A user who may delete a message did: this one cannot be changed, and others can.
        | "message_not_found" | "cant_update_message" | "edit_window_closed" | "is_inactive"
        | "block_mismatch"
        // Of files: the workspace does not take such a one, or it was deleted.
        | "file_type_not_allowed" | "file_uploads_except_images_disabled"
        | "file_upload_size_restricted" | "snippet_too_large" | "unknown_snippet_type"
        | "alt_txt_too_large" | "blocked_file_type" | "file_not_found" | "file_deleted"
        | "cant_delete_file" => Class::Content,
        "expired_trigger_id" | "exchanged_trigger_id" | "invalid_trigger_id" | "expired_url"
        | "used_url" | "no_url" | "hash_conflict" | "push_limit_reached" | "not_found"
        | "view_not_found" => Class::TriggerBound,
        "internal_error" | "fatal_error" | "rollup_error" => Class::Ambiguous,
        // Looking costs a read. Giving up could lose a question, and trying again could ask it twice.
        _ => Class::Ambiguous,
    }
}

/// Whether Slack's answer to opening a connection means that no later one will be different. Faults that may
/// pass by themselves, such as a workspace that is being moved, are not among them: the operator is not there
/// at night to start again.
pub fn is_final_for_connections(code: &str) -> bool {
    matches!(
        code,
        "not_authed"
            | "invalid_auth"
            | "account_inactive"
            | "user_removed_from_team"
            | "team_disabled"
            | "token_revoked"
            | "token_expired"
            | "missing_scope"
            | "not_allowed_token_type"
            | "no_permission"
            | "method_deprecated"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_has_its_class() {
        let not_done = |seconds: Option<u64>| Class::NotDone {
            retry_after: seconds.map(Duration::from_secs),
        };
        let code = |code| Came::Code(code, None);
        for (came, class) in [
            (Came::NotSent, not_done(None)),
            (Came::NoAnswer, Class::Ambiguous),
            (Came::Unreadable, Class::Ambiguous),
            (Came::Status(429, Some(7)), not_done(Some(7))),
            (Came::Status(429, None), not_done(None)),
            (Came::Status(500, None), Class::Ambiguous),
            (Came::Status(503, Some(9)), Class::Ambiguous),
            (Came::Status(404, None), Class::Config),
            (Came::Status(302, None), Class::Config),
            (Came::Status(413, None), Class::Content),
            (Came::Status(204, None), Class::Ambiguous),
            (Came::Code("ratelimited", Some(30)), not_done(Some(30))),
            (Came::Code("rate_limited", None), not_done(None)),
            (code("message_limit_exceeded"), not_done(Some(600))),
            (code("service_unavailable"), not_done(None)),
            (code("request_timeout"), not_done(None)),
            (code("internal_error"), Class::Ambiguous),
            (code("fatal_error"), Class::Ambiguous),
            (code("something_new"), Class::Ambiguous),
            (code("invalid_auth"), Class::Config),
            (code("missing_scope"), Class::Config),
            (code("not_in_channel"), Class::Config),
            (code("thread_not_found"), Class::Config),
            (code("restricted_action"), Class::Config),
            (code("restricted_action_thread_locked"), Class::Config),
            (code("no_service"), Class::Config),
            (code("invalid_blocks"), Class::Content),
            (code("msg_too_long"), Class::Content),
            (code("invalid_arguments"), Class::Content),
            (code("message_not_found"), Class::Content),
            (code("file_uploads_disabled"), Class::Config),
            (code("file_type_not_allowed"), Class::Content),
            (code("file_not_found"), Class::Content),
            (code("expired_trigger_id"), Class::TriggerBound),
            (code("exchanged_trigger_id"), Class::TriggerBound),
            (code("used_url"), Class::TriggerBound),
        ] {
            assert_eq!(classify(came), class, "{came:?}");
        }
    }

    #[test]
    fn a_connection_is_tried_again_unless_slack_will_never_give_one() {
        for (code, is_final) in [
            ("invalid_auth", true),
            ("not_allowed_token_type", true),
            ("team_disabled", true),
            ("org_login_required", false),
            ("HTTP 404", false),
            ("fatal_error", false),
            ("internal_error", false),
            ("ratelimited", false),
            ("something_new", false),
        ] {
            assert_eq!(is_final_for_connections(code), is_final, "{code}");
        }
    }
}
