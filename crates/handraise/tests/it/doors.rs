//! Every address of the server, tried by everybody: who gets in is a table.

use std::collections::BTreeSet;

use domain::{
    Audience, DeliveryId, Part, Role, TeamId, TokenKind, access::Lifetime, delivery::Filter,
};
use reqwest::{Method, RequestBuilder, StatusCode, header};
use serde_json::{Value, json};
use service::WishedEndpoint;
use store::testing::TestDatabase;

use crate::support::{app::TestApp, openapi, people::operator};

store::on_both_databases!(
    whoever_may_not_is_refused_at_every_address,
    nothing_changes_by_looking_at_it,
    who_is_in_another_team_finds_nothing_of_it_at_any_address,
);

/// The columns of the tables: nobody, a session that was ended, the three roles, an agent, another agent,
/// a responder's script.
const WHO: [&str; 8] = [
    "stranger",
    "signed out",
    "viewer",
    "responder",
    "admin",
    "agent",
    "other agent",
    "script",
];

/// The agent API. `{open}` is a question of the agent's that waits, `{decided}` an approval that was given.
const API: [(&str, &str, &str, [u16; 8]); 51] = [
    (
        "POST",
        "/v1/interactions",
        r#"{"kind":"question","prompt":"?"}"#,
        [401, 401, 401, 401, 401, 201, 201, 403],
    ),
    (
        "GET",
        "/v1/interactions",
        "",
        [401, 401, 401, 401, 401, 200, 200, 200],
    ),
    (
        "POST",
        "/v1/interactions/cancel",
        r#"{"session_id":"p11"}"#,
        [401, 401, 401, 401, 401, 200, 200, 200],
    ),
    (
        "GET",
        "/v1/interactions/{open}",
        "",
        [401, 401, 401, 401, 401, 200, 404, 200],
    ),
    // Agents can never answer, not even their own questions (rule 3).
    (
        "POST",
        "/v1/interactions/{open}/answer",
        r#"{"text":"80"}"#,
        [401, 401, 401, 401, 401, 403, 403, 200],
    ),
    // Files come from who asks and from who answers.
    (
        "POST",
        "/v1/attachments?name=log.txt",
        "a text",
        [401, 401, 401, 401, 401, 201, 201, 201],
    ),
    (
        "GET",
        "/v1/interactions/{open}/attachments/{place}",
        "",
        [401, 401, 401, 401, 401, 404, 404, 404],
    ),
    (
        "GET",
        "/v1/interactions/{decided}/answer/attachments/{place}",
        "",
        [401, 401, 401, 401, 401, 404, 404, 404],
    ),
    (
        "GET",
        "/v1/interactions/{decided}/receipt",
        "",
        [401, 401, 401, 401, 401, 200, 404, 200],
    ),
    (
        "POST",
        "/v1/interactions/{open}/cancel",
        "{}",
        [401, 401, 401, 401, 401, 200, 404, 200],
    ),
    (
        "POST",
        "/v1/interactions/{decided}/collect",
        "{}",
        [401, 401, 401, 401, 401, 200, 404, 403],
    ),
    (
        "POST",
        "/v1/interactions/{decided}/consume",
        r#"{"run":"one"}"#,
        [401, 401, 401, 401, 401, 200, 404, 403],
    ),
    (
        "POST",
        "/v1/interactions/{decided}/report",
        r#"{"outcome":"done"}"#,
        [401, 401, 401, 401, 401, 200, 404, 403],
    ),
    (
        "POST",
        "/v1/interactions/{decided}/follow_up",
        r#"{"text":"and"}"#,
        [401, 401, 401, 401, 401, 403, 403, 200],
    ),
    // Whoever answers is on it.
    (
        "POST",
        "/v1/interactions/{open}/claim",
        r#"{"minutes":15}"#,
        [401, 401, 401, 401, 401, 403, 403, 200],
    ),
    (
        "DELETE",
        "/v1/interactions/{open}/claim",
        "",
        [401, 401, 401, 401, 401, 403, 403, 200],
    ),
    // Its agent is there.
    (
        "POST",
        "/v1/interactions/{open}/dismiss",
        "{}",
        [401, 401, 401, 401, 401, 403, 403, 409],
    ),
    // An agent's own.
    (
        "POST",
        "/v1/sessions/end",
        r#"{"session_id":"p11"}"#,
        [401, 401, 401, 401, 401, 200, 200, 403],
    ),
    (
        "GET",
        "/v1/tasks",
        "",
        [401, 401, 401, 401, 401, 200, 200, 200],
    ),
    (
        "GET",
        "/v1/tasks/T-1",
        "",
        // A script has to say whose task.
        [401, 401, 401, 401, 401, 200, 404, 422],
    ),
    (
        "PUT",
        "/v1/tasks/T-1",
        r#"{"step":"two"}"#,
        [401, 401, 401, 401, 401, 200, 200, 403],
    ),
    (
        "GET",
        "/v1/events",
        "",
        [401, 401, 401, 401, 401, 200, 200, 200],
    ),
    // Each looks back on what they see.
    (
        "GET",
        "/v1/insights",
        "",
        [401, 401, 401, 401, 401, 200, 200, 200],
    ),
    (
        "GET",
        "/v1/insights/agents.csv",
        "",
        [401, 401, 401, 401, 401, 200, 200, 200],
    ),
    // Only agents are called back.
    (
        "GET",
        "/v1/callback_secret",
        "",
        [401, 401, 401, 401, 401, 200, 200, 403],
    ),
    // Agents make no grants, and learn of none (rule 15).
    (
        "GET",
        "/v1/interactions/{decided}/grants",
        "",
        [401, 401, 401, 401, 401, 403, 403, 200],
    ),
    (
        "GET",
        "/v1/grants",
        "",
        [401, 401, 401, 401, 401, 403, 403, 200],
    ),
    (
        "POST",
        "/v1/grants",
        r#"{"from":"{decided}","expires_at":"2027-01-20T00:00:00Z"}"#,
        [401, 401, 401, 401, 401, 403, 403, 201],
    ),
    (
        "POST",
        "/v1/grants/preview",
        r#"{"from":"{decided}","expires_at":"2027-01-20T00:00:00Z"}"#,
        [401, 401, 401, 401, 401, 403, 403, 200],
    ),
    (
        "GET",
        "/v1/grants/{unknown}",
        "",
        [401, 401, 401, 401, 401, 403, 403, 404],
    ),
    (
        "DELETE",
        "/v1/grants/{unknown}",
        "",
        [401, 401, 401, 401, 401, 403, 403, 404],
    ),
    // Agents let no answer stand, and learn of none.
    (
        "GET",
        "/v1/memories",
        "",
        [401, 401, 401, 401, 401, 403, 403, 200],
    ),
    (
        "POST",
        "/v1/memories",
        r#"{"from":"{decided}","days":7}"#,
        [401, 401, 401, 401, 401, 403, 403, 409],
    ),
    (
        "GET",
        "/v1/memories/{unknown}",
        "",
        [401, 401, 401, 401, 401, 403, 403, 404],
    ),
    (
        "DELETE",
        "/v1/memories/{unknown}",
        "",
        [401, 401, 401, 401, 401, 403, 403, 404],
    ),
    // Nor do they learn what is decided before they ask (rule 14).
    (
        "GET",
        "/v1/policies",
        "",
        [401, 401, 401, 401, 401, 403, 403, 200],
    ),
    (
        "POST",
        "/v1/policies",
        r#"{"rules":[]}"#,
        [401, 401, 401, 401, 401, 403, 403, 201],
    ),
    (
        "POST",
        "/v1/policies/check",
        r#"{"rules":[]}"#,
        [401, 401, 401, 401, 401, 403, 403, 204],
    ),
    // Webhooks carry what everybody asks, so agents have nothing to do with them.
    (
        "POST",
        "/v1/hooks",
        r#"{"target_url":"http://hooks.invalid/"}"#,
        [401, 401, 401, 401, 401, 403, 403, 201],
    ),
    (
        "GET",
        "/v1/hooks",
        "",
        [401, 401, 401, 401, 401, 403, 403, 200],
    ),
    (
        "GET",
        "/v1/hooks/sample",
        "",
        [401, 401, 401, 401, 401, 403, 403, 200],
    ),
    (
        "DELETE",
        "/v1/hooks/{hook}",
        "",
        [401, 401, 401, 401, 401, 403, 403, 204],
    ),
    (
        "GET",
        "/v1/deliveries",
        "",
        [401, 401, 401, 401, 401, 403, 403, 200],
    ),
    (
        "POST",
        "/v1/deliveries/{unknown}/retry",
        "",
        [401, 401, 401, 401, 401, 403, 403, 404],
    ),
    // Only the script is of the team.
    (
        "GET",
        "/v1/teams/{desk}/duty",
        "",
        [401, 401, 401, 401, 401, 404, 404, 200],
    ),
    (
        "GET",
        "/v1/teams/{desk}/ladder",
        "",
        [401, 401, 401, 401, 401, 404, 404, 200],
    ),
    (
        "GET",
        "/v1/ladder",
        "",
        [401, 401, 401, 401, 401, 403, 403, 200],
    ),
    (
        "GET",
        "/v1/teams/{desk}/duty.ics",
        "",
        [401, 401, 401, 401, 401, 404, 404, 200],
    ),
    ("GET", "/v1/keys", "", [200; 8]),
    ("GET", "/v1/openapi.json", "", [200; 8]),
    (
        "GET",
        "/v1/nowhere",
        "",
        [404, 404, 404, 404, 404, 404, 404, 404],
    ),
];

/// The protocols that agents speak; what comes of a call stands in the reply.
const PROTOCOLS: [(&str, &str, [u16; 8]); 6] = [
    (
        "/mcp",
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
        [401, 401, 401, 401, 401, 200, 200, 403],
    ),
    (
        "/mcp",
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"notify_human","arguments":{"prompt":"?"}}}"#,
        [401, 401, 401, 401, 401, 200, 200, 403],
    ),
    (
        "/mcp",
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait_for_answer","arguments":{"id":"{open}","seconds":0}}}"#,
        [401, 401, 401, 401, 401, 200, 200, 403],
    ),
    (
        "/a2a",
        r#"{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"1","parts":[{"text":"?"}]}}}"#,
        [401, 401, 401, 401, 401, 200, 200, 403],
    ),
    (
        "/a2a",
        r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"{open}"}}"#,
        [401, 401, 401, 401, 401, 200, 200, 403],
    ),
    (
        "/a2a",
        r#"{"jsonrpc":"2.0","id":1,"method":"CancelTask","params":{"id":"{decided}"}}"#,
        [401, 401, 401, 401, 401, 200, 200, 403],
    ),
];

/// Pages. A 303 leads to the sign-in page.
const PAGES: [(&str, [u16; 8]); 39] = [
    ("/", [303, 303, 200, 200, 200, 303, 303, 303]),
    ("/blockers/{open}", [303, 303, 200, 200, 200, 303, 303, 303]),
    ("/q/{open}", [303, 303, 200, 200, 200, 303, 303, 303]),
    // It is no approval, so nothing can be changed first.
    ("/q/{open}/amend", [303, 303, 403, 422, 422, 303, 303, 303]),
    (
        "/interactions/{decided}",
        [303, 303, 200, 200, 200, 303, 303, 303],
    ),
    ("/history", [303, 303, 200, 200, 200, 303, 303, 303]),
    ("/tasks", [303, 303, 200, 200, 200, 303, 303, 303]),
    ("/agents", [303, 303, 200, 200, 200, 303, 303, 303]),
    ("/insights", [303, 303, 200, 200, 200, 303, 303, 303]),
    (
        "/insights/agents.csv",
        [303, 303, 200, 200, 200, 303, 303, 303],
    ),
    ("/deliveries", [303, 303, 403, 403, 200, 303, 303, 303]),
    (
        "/deliveries/{delivery}",
        [303, 303, 403, 403, 200, 303, 303, 303],
    ),
    ("/settings", [303, 303, 200, 200, 200, 303, 303, 303]),
    ("/settings/people", [303, 303, 403, 403, 200, 303, 303, 303]),
    (
        "/settings/people/{person}",
        [303, 303, 403, 403, 200, 303, 303, 303],
    ),
    ("/settings/teams", [303, 303, 403, 403, 200, 303, 303, 303]),
    (
        "/settings/teams/{team}",
        [303, 303, 403, 403, 200, 303, 303, 303],
    ),
    (
        "/settings/teams/{team}/ladder",
        [303, 303, 403, 403, 200, 303, 303, 303],
    ),
    ("/settings/ladder", [303, 303, 403, 403, 200, 303, 303, 303]),
    (
        "/settings/policies",
        [303, 303, 403, 403, 200, 303, 303, 303],
    ),
    ("/settings/grants", [303, 303, 200, 200, 200, 303, 303, 303]),
    (
        "/settings/grants/new?from={decided}",
        [303, 303, 200, 200, 200, 303, 303, 303],
    ),
    (
        "/settings/memories",
        [303, 303, 200, 200, 200, 303, 303, 303],
    ),
    (
        "/settings/memories/new?from={decided}",
        [303, 303, 200, 200, 200, 303, 303, 303],
    ),
    (
        "/settings/quiet-hours",
        [303, 303, 200, 200, 200, 303, 303, 303],
    ),
    ("/settings/tokens", [303, 303, 403, 403, 200, 303, 303, 303]),
    (
        "/settings/webhooks",
        [303, 303, 403, 403, 200, 303, 303, 303],
    ),
    (
        "/settings/webhooks/{hook}",
        [303, 303, 403, 403, 200, 303, 303, 303],
    ),
    ("/settings/reach", [303, 303, 200, 200, 200, 303, 303, 303]),
    (
        "/settings/reach/prove?id=00000000-0000-0000-0000-000000000000&code=x",
        [303, 303, 200, 200, 200, 303, 303, 303],
    ),
    ("/slack/link/x", [303, 303, 200, 200, 200, 303, 303, 303]),
    ("/second-factor", [303, 303, 200, 200, 200, 303, 303, 303]),
    // Whoever is no admin is sent away.
    (
        "/second-factor/of/{person}",
        [303, 303, 303, 303, 200, 303, 303, 303],
    ),
    ("/sign-in", [200; 8]),
    ("/sign-in/passkey", [200; 8]),
    ("/sign-in/factor", [303; 8]),
    ("/sign-in/with/nobody", [303; 8]),
    ("/sign-in/with/nobody/back", [303; 8]),
    ("/nowhere", [303, 303, 404, 404, 404, 303, 303, 303]),
];

/// Forms of plain pages, all by POST. A 303 leads on from what was done.
const FORMS: [(&str, &str, [u16; 8]); 2] = [
    (
        "/q/{open}",
        "text=80",
        [401, 401, 403, 303, 303, 401, 401, 401],
    ),
    (
        "/q/{open}/amend",
        "step=show&arguments={}",
        [401, 401, 403, 422, 422, 401, 401, 401],
    ),
];

/// What pages call, all by POST.
const CALLS: [(&str, &str, [u16; 8]); 65] = [
    ("load-visitor", "", [401, 401, 200, 200, 200, 401, 401, 401]),
    ("load-desk", "", [401, 401, 200, 200, 200, 401, 401, 401]),
    (
        "load-blocker",
        "id={open}",
        [401, 401, 200, 200, 200, 401, 401, 401],
    ),
    (
        "load-group",
        "ids[0]={open}",
        [401, 401, 200, 200, 200, 401, 401, 401],
    ),
    (
        "load-story",
        "id={decided}",
        [401, 401, 200, 200, 200, 401, 401, 401],
    ),
    ("load-history", "", [401, 401, 200, 200, 200, 401, 401, 401]),
    ("load-tasks", "", [401, 401, 200, 200, 200, 401, 401, 401]),
    ("load-agents", "", [401, 401, 200, 200, 200, 401, 401, 401]),
    ("load-sign-in-link", "link=x", [200; 8]),
    ("load-has-admin", "", [200; 8]),
    ("load-has-passkeys", "", [200; 8]),
    ("load-ways-in", "", [200; 8]),
    (
        "load-connections",
        "",
        [401, 401, 200, 200, 200, 401, 401, 401],
    ),
    (
        "answer-blocker",
        "id={open}&text=80",
        [401, 401, 403, 200, 200, 401, 401, 401],
    ),
    (
        "answer-together",
        "ticked[0]={open}&text=80",
        [401, 401, 403, 200, 200, 401, 401, 401],
    ),
    (
        "cancel-blocker",
        "id={open}",
        [401, 401, 403, 200, 200, 401, 401, 401],
    ),
    (
        "claim-blocker",
        "id={open}",
        [401, 401, 403, 200, 200, 401, 401, 401],
    ),
    (
        "release-blocker",
        "id={open}",
        [401, 401, 403, 200, 200, 401, 401, 401],
    ),
    // To a team that the responder is not in.
    (
        "hand-over-blocker",
        "id={open}&to=team:{team}",
        [401, 401, 403, 422, 200, 401, 401, 401],
    ),
    // Whoever sees it may have it out of their own list.
    (
        "snooze-blocker",
        "id={open}&minutes=15",
        [401, 401, 200, 200, 200, 401, 401, 401],
    ),
    (
        "end-snooze",
        "id={open}",
        [401, 401, 200, 200, 200, 401, 401, 401],
    ),
    (
        "erase-interaction",
        "id={decided}",
        [401, 401, 403, 403, 200, 401, 401, 401],
    ),
    (
        "follow-up",
        "id={decided}&text=and",
        [401, 401, 403, 200, 200, 401, 401, 401],
    ),
    ("load-account", "", [401, 401, 200, 200, 200, 401, 401, 401]),
    (
        "change-password",
        "current=x&password=y",
        [401, 401, 422, 422, 422, 401, 401, 401],
    ),
    (
        "end-session",
        "id={unknown}",
        [401, 401, 200, 200, 200, 401, 401, 401],
    ),
    (
        "end-other-sessions",
        "",
        [401, 401, 200, 200, 200, 401, 401, 401],
    ),
    (
        "load-slack-link",
        "token=x",
        [401, 401, 200, 200, 200, 401, 401, 401],
    ),
    (
        "accept-slack-link",
        "token=x",
        [401, 401, 422, 422, 422, 401, 401, 401],
    ),
    ("unlink-slack", "", [401, 401, 200, 200, 200, 401, 401, 401]),
    (
        "set-slack-id",
        "id={person}&slack_id=",
        [401, 401, 403, 403, 200, 401, 401, 401],
    ),
    ("load-people", "", [401, 401, 403, 403, 200, 401, 401, 401]),
    (
        "invite-person",
        "name={new}&role=admin",
        [401, 401, 403, 403, 200, 401, 401, 401],
    ),
    (
        "make-link",
        "id={person}",
        [401, 401, 403, 403, 200, 401, 401, 401],
    ),
    (
        "change-person",
        "id={person}&name={new}&role=admin",
        [401, 401, 403, 403, 200, 401, 401, 401],
    ),
    (
        "disable-person",
        "id={person}&disabled=true",
        [401, 401, 403, 403, 200, 401, 401, 401],
    ),
    (
        "told-of-link",
        "made_at=2027-01-15T08:00:00Z",
        [401, 401, 200, 200, 200, 401, 401, 401],
    ),
    ("load-tokens", "", [401, 401, 403, 403, 200, 401, 401, 401]),
    (
        "create-token",
        "kind=agent&name={new}",
        [401, 401, 403, 403, 200, 401, 401, 401],
    ),
    (
        "create-token",
        "kind=responder&name={new}",
        [401, 401, 403, 403, 200, 401, 401, 401],
    ),
    (
        "change-owner",
        "id={token}&owner={person}",
        [401, 401, 403, 403, 200, 401, 401, 401],
    ),
    (
        "revoke-token",
        "id={token}",
        [401, 401, 403, 403, 200, 401, 401, 401],
    ),
    (
        "load-own-teams",
        "",
        [401, 401, 200, 200, 200, 401, 401, 401],
    ),
    ("load-teams", "", [401, 401, 403, 403, 200, 401, 401, 401]),
    (
        "load-team",
        "id={team}",
        [401, 401, 403, 403, 200, 401, 401, 401],
    ),
    (
        "create-team",
        "name={new}",
        [401, 401, 403, 403, 200, 401, 401, 401],
    ),
    (
        "change-team",
        "id={team}&name={new}",
        [401, 401, 403, 403, 200, 401, 401, 401],
    ),
    (
        "set-member",
        "team={team}&person={person}&part=reads",
        [401, 401, 403, 403, 200, 401, 401, 401],
    ),
    (
        "remove-member",
        "team={team}&person={person}",
        [401, 401, 403, 403, 200, 401, 401, 401],
    ),
    (
        "set-home",
        "agent=devops&team={team}",
        [401, 401, 403, 403, 200, 401, 401, 401],
    ),
    (
        "set-open",
        "team={team}&agent=devops&open=true",
        [401, 401, 403, 403, 200, 401, 401, 401],
    ),
    (
        "delete-team",
        "id={team}",
        [401, 401, 403, 403, 200, 401, 401, 401],
    ),
    ("load-notices", "", [401, 401, 200, 200, 200, 401, 401, 401]),
    (
        "load-deliveries",
        "",
        [401, 401, 403, 403, 200, 401, 401, 401],
    ),
    (
        "load-delivery",
        "id={delivery}",
        [401, 401, 403, 403, 200, 401, 401, 401],
    ),
    (
        "retry-delivery",
        "id={unknown}",
        [401, 401, 403, 403, 404, 401, 401, 401],
    ),
    (
        "retry-deliveries",
        "since=hour",
        [401, 401, 403, 403, 200, 401, 401, 401],
    ),
    (
        "load-webhooks",
        "",
        [401, 401, 403, 403, 200, 401, 401, 401],
    ),
    (
        "create-webhook",
        "address=http://hooks.invalid/&topics[]=task.failed&format=flat",
        [401, 401, 403, 403, 200, 401, 401, 401],
    ),
    (
        "test-webhook",
        "id={hook}",
        [401, 401, 403, 403, 200, 401, 401, 401],
    ),
    (
        "rotate-secret",
        "id={hook}",
        [401, 401, 403, 403, 200, 401, 401, 401],
    ),
    (
        "set-webhook-teams",
        "id={hook}",
        [401, 401, 403, 403, 200, 401, 401, 401],
    ),
    (
        "disable-webhook",
        "id={hook}&disabled=true",
        [401, 401, 403, 403, 200, 401, 401, 401],
    ),
    (
        "delete-webhook",
        "id={hook}",
        [401, 401, 403, 403, 200, 401, 401, 401],
    ),
    ("nothing", "", [405; 8]),
];

/// Everybody, and what they try.
struct Doors {
    app: TestApp,
    /// The `Cookie` and the `Authorization` header of each column.
    keys: Vec<(String, String)>,
    /// The team of the script.
    desk: TeamId,
    made: u32,
}

impl Doors {
    async fn new(database: &TestDatabase) -> Self {
        let app = TestApp::start_with(database, |config| {
            config.max_pending_per_agent = 0;
            // A stranger tries more addresses than they may in a minute.
            config.rate_limit_per_minute = 0;
            config.outbound_allow = vec!["127.0.0.1".to_owned()].try_into().unwrap();
        })
        .await;
        let agent = app.agent("backend").await;
        agent
            .ask(json!({"task": {"id": "T-1"}, "mode": "async"}))
            .await;
        let desk = app.team("Desk").await;
        let mut keys = vec![(String::new(), String::new())];
        let ended = app.sign_in("Old", Role::Admin).await;
        app.submit("/sign-out", &ended, &[]).await;
        keys.push((ended, String::new()));
        for role in Role::ALL {
            keys.push((app.sign_in(role.name(), role).await, String::new()));
        }
        let tokens = [
            agent.token.clone(),
            app.agent("devops").await.token,
            app.responder_of("desk", desk).await.token,
        ];
        keys.extend(tokens.map(|token| (String::new(), format!("Bearer {token}"))));
        Self {
            app,
            keys,
            desk,
            made: 0,
        }
    }

    /// The template with something new in its places, so that no try depends on the one before.
    async fn filled(&mut self, template: &str) -> String {
        let service = &self.app.state.service;
        self.made += 1;
        let name = format!("n{}", self.made);
        let mut text = template.replace("{new}", &name);
        text = text.replace("{desk}", &self.desk.to_string());
        let agent = self.keys[5].1.clone();
        let ask = async |body: Value| -> Value {
            let ask = self.app.post("/api/v1/interactions").json(&body);
            let asked = ask.header("authorization", &agent).send().await.unwrap();
            asked.json().await.unwrap()
        };
        if text.contains("{open}") {
            let asked = ask(json!({"kind": "question", "prompt": "Which port?"})).await;
            text = text.replace("{open}", asked["id"].as_str().unwrap());
        }
        if text.contains("{decided}") {
            // Another one each time: a grant for one of them covers none of the others.
            let action = json!({"tool": "deploy", "arguments": {"n": self.made}});
            let asked = ask(json!({"kind": "approval", "prompt": "?", "action": action})).await;
            let id = asked["id"].as_str().unwrap();
            let answer = self.app.post(&format!("/api/v1/interactions/{id}/answer"));
            let answer = answer.header("authorization", &self.keys[7].1);
            let answered = answer.json(&json!({"approved": true})).send().await;
            assert_eq!(answered.unwrap().status(), StatusCode::OK);
            text = text.replace("{decided}", id);
        }
        if text.contains("{person}") {
            let name = format!("p{}", self.made);
            service
                .invite(&name, Role::Viewer, &operator())
                .await
                .unwrap();
            let people = service.people(&operator()).await.unwrap();
            let person = people.iter().find(|one| one.person.name == name).unwrap();
            text = text.replace("{person}", &person.person.id.to_string());
        }
        if text.contains("{token}") {
            let kind = TokenKind::Agent;
            service
                .create_token(kind, &name, Lifetime::Never, &[], &operator())
                .await
                .unwrap();
            let tokens = service.tokens(&operator()).await.unwrap();
            let token = tokens.iter().find(|one| one.token.name == name).unwrap();
            text = text.replace("{token}", &token.token.id.to_string());
        }
        if text.contains("{team}") {
            let team = self.app.team(&name).await;
            text = text.replace("{team}", &team.to_string());
        }
        if text.contains("{hook}") || text.contains("{delivery}") {
            let wished = WishedEndpoint {
                url: "http://hooks.invalid/".into(),
                ..WishedEndpoint::default()
            };
            let (hook, _) = service.create_endpoint(wished, &operator()).await.unwrap();
            text = text.replace("{hook}", &hook.id.to_string());
            let tested = service.test_endpoint(hook.id, &operator()).await.unwrap();
            text = text.replace("{delivery}", &tested.to_string());
        }
        text.replace("{unknown}", "01890000-0000-7000-8000-000000000000")
            .replace("{place}", "0")
    }

    fn as_column(&self, column: usize, request: RequestBuilder) -> RequestBuilder {
        let (cookie, token) = &self.keys[column];
        let mut request = request;
        if !cookie.is_empty() {
            request = request.header(header::COOKIE, cookie);
        }
        if !token.is_empty() {
            request = request.header(header::AUTHORIZATION, token);
        }
        request
    }

    /// Tries an address as everybody, and writes down what was not as expected.
    async fn try_all(
        &mut self,
        method: &str,
        path: &str,
        (content_type, body): (&str, &str),
        expected: [u16; 8],
        wrong: &mut Vec<String>,
    ) {
        for (column, expected) in expected.into_iter().enumerate() {
            let address = self.filled(path).await;
            let sent = self.filled(body).await;
            let before = self.app.last_seq().await;
            let url = self.app.url(&address);
            let method: Method = method.parse().unwrap();
            let request = self.app.client().request(method.clone(), url);
            let mut request = self.as_column(column, request);
            request = as_protocol(path, request);
            if !content_type.is_empty() {
                request = request
                    .header(header::CONTENT_TYPE, content_type)
                    .header(header::ORIGIN, self.app.url(""))
                    .body(sent);
            }
            let status = request.send().await.unwrap().status().as_u16();
            if path.starts_with("/api/") && path != "/api/v1/nowhere" {
                let name = method.as_str();
                assert!(
                    openapi::allows(name, &address, status, None),
                    "{name} {path}: {status} is not described"
                );
            }
            if status != expected {
                let who = WHO[column];
                wrong.push(format!("{path} {body} as {who}: {status}, not {expected}"));
            }
            // A wrong password is told of, whenever it gets to the journal.
            let store = self.app.state.service.store();
            let events = store
                .events_after(before, &Audience::All, 10)
                .await
                .unwrap();
            let mut types = events.into_iter().map(|event| event.payload.event_type());
            let is_refused = status >= 400 || status >= 300 && method == Method::GET;
            if is_refused && types.any(|one| one != "person.sign_in_failed") {
                wrong.push(format!(
                    "{path} as {}: refused, and yet something happened",
                    WHO[column]
                ));
            }
        }
    }
}

/// What its protocol wants to stand beside a call.
fn as_protocol(path: &str, request: RequestBuilder) -> RequestBuilder {
    match path {
        "/mcp" => request.header(header::ACCEPT, "application/json, text/event-stream"),
        "/a2a" => request.header("a2a-version", "1.0"),
        _ => request,
    }
}

/// The media type of what is sent to the API.
fn kind_of(body: &str) -> &'static str {
    match body.chars().next() {
        None => "",
        Some('{') => "application/json",
        Some(_) => "text/plain",
    }
}

async fn whoever_may_not_is_refused_at_every_address(database: TestDatabase) {
    let mut doors = Doors::new(&database).await;
    let mut wrong = Vec::new();
    for (method, path, body, expected) in API {
        let path = format!("/api{path}");
        doors
            .try_all(method, &path, (kind_of(body), body), expected, &mut wrong)
            .await;
    }
    for (path, body, expected) in PROTOCOLS {
        let kind = ("application/json", body);
        doors
            .try_all("POST", path, kind, expected, &mut wrong)
            .await;
    }
    for (path, expected) in PAGES {
        doors
            .try_all("GET", path, ("", ""), expected, &mut wrong)
            .await;
    }
    for (path, body, expected) in FORMS {
        let form = ("application/x-www-form-urlencoded", body);
        doors
            .try_all("POST", path, form, expected, &mut wrong)
            .await;
    }
    for (call, body, expected) in CALLS {
        let path = format!("/ui/{call}");
        let form = ("application/x-www-form-urlencoded", body);
        doors
            .try_all("POST", &path, form, expected, &mut wrong)
            .await;
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// An address that is not in a table is one that nobody tried.
#[test]
fn the_tables_are_complete() {
    let router = include_str!("../../../../server/src/router.rs");
    let routes: BTreeSet<&str> = router
        .split('"')
        .filter(|text| text.starts_with("/v1/"))
        .collect();
    let tried: BTreeSet<String> = API
        .iter()
        .map(|(_, path, ..)| {
            let path = path.split('?').next().unwrap();
            path.replace("{open}", "{id}")
                .replace("{decided}", "{id}")
                .replace("{hook}", "{id}")
                .replace("{unknown}", "{id}")
                .replace("{desk}", "{id}")
                .replace("T-1", "{id}")
                .replace("agents.csv", "{table}")
        })
        .filter(|path| path != "/v1/nowhere")
        .collect();
    assert_eq!(routes, tried.iter().map(String::as_str).collect());

    let calls: BTreeSet<String> = CALLS
        .iter()
        .map(|(call, ..)| format!("/ui/{call}"))
        .filter(|call| call != "/ui/nothing")
        .collect();
    let registered: BTreeSet<String> = leptos::server_fn::axum::server_fn_paths()
        .map(|(path, method)| {
            // A form of another site can cause a GET with our cookie.
            assert_eq!(method, Method::POST, "{path}");
            path.to_owned()
        })
        .collect();
    assert_eq!(registered, calls);
}

async fn nothing_changes_by_looking_at_it(database: TestDatabase) {
    let mut doors = Doors::new(&database).await;
    let link = doors
        .app
        .state
        .service
        .invite("Ana", Role::Admin, &operator())
        .await;
    let link = link.unwrap().reveal().to_owned();
    let open = doors.filled("{open}").await;
    let mut paths: Vec<String> = API
        .iter()
        .map(|(_, path, ..)| format!("/api{path}"))
        .collect();
    paths.extend(PAGES.iter().map(|(path, _)| (*path).to_owned()));
    paths.extend(
        CALLS
            .iter()
            .map(|(call, body, _)| format!("/ui/{call}?{body}")),
    );
    for path in [
        "/sign-out",
        "/healthz",
        "/readyz",
        "/metrics",
        "/ws",
        "/mcp",
        "/a2a",
        "/.well-known/agent-card.json",
        "/pkg/x.js",
        "/sw.js",
        "/manifest.webmanifest",
        "/settings/reach/test",
        "/settings/reach/remove",
        "/settings/reach/push",
    ] {
        paths.push(path.to_owned());
    }
    paths.push(format!("/sign-in/{link}"));
    paths.push(format!(
        "/accept-link?link={link}&password=tin+drum+walks+north"
    ));
    // That a person has opened it is noted once, beside the page, and is all that looking leaves behind.
    let place = format!("/blockers/{open}");
    let opened = doors.as_column(4, doors.app.get(&place)).send().await;
    assert_eq!(opened.unwrap().status(), StatusCode::OK);
    doors.app.until_seen(&open).await;
    let before = doors.app.last_seq().await;
    for path in &paths {
        let path = path.replace("{open}", &open).replace("{decided}", &open);
        for column in [4, 5, 7] {
            let request = doors.as_column(column, doors.app.get(&path));
            let status = request.send().await.unwrap().status();
            assert!(!status.is_server_error(), "{path}: {status}");
        }
    }
    assert_eq!(doors.app.last_seq().await, before);
    // The link still works, and the admin is still signed in.
    let text = doors
        .app
        .get(&format!("/sign-in/{link}"))
        .send()
        .await
        .unwrap();
    assert!(text.text().await.unwrap().contains("Ana"));
    let page = doors.as_column(4, doors.app.get("/")).send().await.unwrap();
    assert_eq!(page.status(), StatusCode::OK);
}

/// Rule 18 at every address of the tables: what is found there of a team's own.
struct Teams {
    doors: Doors,
    /// Whoever may see it: a member in a browser, a member's script, an admin.
    members: Vec<(String, String)>,
    /// Whoever may not: a responder and a viewer of another team, one of none, their scripts, another team's agent.
    others: Vec<(String, String)>,
    open: String,
    decided: String,
    hook: String,
    delivery: DeliveryId,
    team: TeamId,
}

/// Words that stand in every text of the team's agent, in its name, and in the team's.
const MARK: &str = "zebracrossing";

impl Teams {
    async fn new(database: &TestDatabase) -> Self {
        let doors = Doors::new(database).await;
        let app = &doors.app;
        let (payments, search) = (app.team(MARK).await, app.team("Search").await);
        let cookie = |cookie: String| (cookie, String::new());
        let bearer = |token: String| (String::new(), format!("Bearer {token}"));
        let mut members = vec![cookie(app.sign_in("Ana", Role::Responder).await)];
        app.join(payments, "Ana", Part::Reads).await;
        let script = app.responder_of("pay desk", payments).await.token;
        members.push(bearer(script.clone()));
        members.push(cookie(app.sign_in("Root", Role::Admin).await));
        let mut others = vec![cookie(app.sign_in("Ben", Role::Responder).await)];
        app.join(search, "Ben", Part::Answers).await;
        others.push(cookie(app.sign_in("Cem", Role::Viewer).await));
        app.join(search, "Cem", Part::Reads).await;
        others.push(cookie(app.sign_in("Dana", Role::Responder).await));
        others.push(bearer(app.responder_of("search desk", search).await.token));
        others.push(bearer(app.responder("open desk").await.token));
        let other_agent = app.agent("search agent").await.token;
        app.home(search, "search agent").await;
        others.push(bearer(other_agent));

        let agent = app.agent(MARK).await;
        app.home(payments, MARK).await;
        let more = json!({
            "prompt": format!("Which {MARK}?"), "title": MARK, "session_id": MARK,
            "task": {"id": MARK, "title": MARK}, "callback_url": "http://127.0.0.1:9/",
        });
        let asked = agent.ask(more.clone()).await;
        let mut decision = more;
        decision["kind"] = "approval".into();
        decision["action"] = json!({"tool": MARK, "arguments": {"path": MARK}});
        let decided = agent.ask(decision).await;
        let desk = app.post(&format!(
            "/api/v1/interactions/{}/answer",
            decided["id"].as_str().unwrap()
        ));
        let desk = desk.header("authorization", format!("Bearer {script}"));
        let answer = json!({"approved": true, "text": MARK});
        let answered = desk.json(&answer).send().await.unwrap();
        assert_eq!(answered.status(), StatusCode::OK);
        let service = &app.state.service;
        let wished = WishedEndpoint {
            url: format!("http://{MARK}.invalid/"),
            filter: Filter {
                teams: vec![payments],
                ..Filter::default()
            },
            ..WishedEndpoint::default()
        };
        let (hook, _) = service.create_endpoint(wished, &operator()).await.unwrap();
        while !service.count_ended().await.unwrap().is_all() {}
        // The callback of the decision.
        let query = store::DeliveryQuery {
            limit: 1,
            ..store::DeliveryQuery::default()
        };
        let delivery = service.deliveries(&query, &operator()).await.unwrap();
        Self {
            members,
            others,
            open: asked["id"].as_str().unwrap().to_owned(),
            decided: decided["id"].as_str().unwrap().to_owned(),
            hook: hook.id.to_string(),
            team: payments,
            delivery: delivery[0].delivery.id,
            doors,
        }
    }

    /// Every address with what is sent there, and with the words to search for.
    fn addresses() -> Vec<(&'static str, String, &'static str, String)> {
        let mut all = Vec::new();
        for (method, path, body, _) in API {
            all.push((
                method,
                format!("/api{path}"),
                kind_of(body),
                body.to_owned(),
            ));
        }
        for path in [
            format!("/api/v1/interactions?q={MARK}"),
            format!("/api/v1/interactions?agent={MARK}"),
            format!("/api/v1/interactions?session_id={MARK}"),
            format!("/api/v1/insights?agent={MARK}"),
            format!("/api/v1/insights?team={MARK}"),
            format!("/api/v1/tasks?agent={MARK}"),
            format!("/api/v1/tasks/{MARK}?agent={MARK}"),
            format!("/history?q={MARK}"),
            format!("/history?agent={MARK}"),
            "/tasks?status=waiting".to_owned(),
        ] {
            all.push(("GET", path, "", String::new()));
        }
        let cancel = format!(r#"{{"session_id":"{MARK}"}}"#);
        all.push((
            "POST",
            "/api/v1/interactions/cancel".to_owned(),
            "application/json",
            cancel,
        ));
        for (path, body, _) in PROTOCOLS {
            all.push(("POST", path.to_owned(), "application/json", body.to_owned()));
        }
        for (path, _) in PAGES {
            all.push(("GET", path.to_owned(), "", String::new()));
        }
        for (path, body, _) in FORMS {
            let form = "application/x-www-form-urlencoded";
            all.push(("POST", path.to_owned(), form, body.to_owned()));
        }
        for (call, body, _) in CALLS {
            let form = "application/x-www-form-urlencoded";
            all.push(("POST", format!("/ui/{call}"), form, body.to_owned()));
        }
        let history = format!("query[q]={MARK}");
        let form = "application/x-www-form-urlencoded";
        all.push(("POST", "/ui/load-history".to_owned(), form, history));
        all
    }

    fn filled(&self, template: &str) -> String {
        template
            .replace("{open}", &self.open)
            .replace("{decided}", &self.decided)
            .replace("{hook}", &self.hook)
            .replace("{delivery}", &self.delivery.to_string())
            .replace("{team}", &self.team.to_string())
            .replace("{desk}", &self.team.to_string())
            .replace("{unknown}", &self.delivery.to_string())
            .replace("{new}", "nobody")
            .replace("{person}", "01890000-0000-7000-8000-000000000000")
            .replace("{token}", "01890000-0000-7000-8000-000000000000")
    }

    /// The answer to one request, without what the request said itself.
    async fn said(
        &self,
        (cookie, token): &(String, String),
        (method, path, kind, body): &(&str, String, &str, String),
    ) -> String {
        let (path, body) = (self.filled(path), self.filled(body));
        let app = &self.doors.app;
        let method: Method = method.parse().unwrap();
        let mut request = app.client().request(method, app.url(&path));
        if !cookie.is_empty() {
            request = request.header(header::COOKIE, cookie);
        }
        if !token.is_empty() {
            request = request.header(header::AUTHORIZATION, token);
        }
        request = as_protocol(&path, request);
        if !kind.is_empty() {
            request = request
                .header(header::CONTENT_TYPE, *kind)
                .header(header::ORIGIN, app.url(""))
                .body(body.clone());
        }
        let response = request.send().await.unwrap();
        let status = response.status();
        let text = response.text().await.unwrap();
        assert!(!status.is_server_error(), "{path} {body}: {status}");
        // A page says again what was searched for.
        let echoed = path.contains(MARK) || body.contains(MARK);
        match echoed {
            true => text
                .replace(&format!("q={MARK}"), "")
                .replace(&format!("value=\"{MARK}\""), "")
                .replace(&format!("agent={MARK}"), "")
                .replace(&format!("class=\"chip\"><span dir=\"auto\">{MARK}"), ""),
            false => text,
        }
    }
}

async fn who_is_in_another_team_finds_nothing_of_it_at_any_address(database: TestDatabase) {
    let teams = Teams::new(&database).await;
    let addresses = Teams::addresses();
    let before = teams.doors.app.last_seq().await;
    let mut wrong = Vec::new();
    for other in &teams.others {
        for address in &addresses {
            let said = teams.said(other, address).await;
            // The words of a search stand in its own field, and nowhere else.
            if said.contains(MARK) {
                let at = said.find(MARK).unwrap();
                let near: String = said.chars().skip(at.saturating_sub(80)).take(160).collect();
                wrong.push(format!("{} {} {other:?}: …{near}…", address.1, address.3));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    // Nothing happened to what is theirs, either.
    let store = teams.doors.app.state.service.store();
    let events = store
        .events_after(before, &Audience::All, 1_000)
        .await
        .unwrap();
    let ids = [&teams.open, &teams.decided];
    for event in events {
        let id = event.interaction_id.map(|id| id.to_string());
        assert!(id.is_none_or(|id| !ids.contains(&&id)), "{event:?}");
    }
    let hook = teams.hook.parse().unwrap();
    let endpoint = store.endpoint(hook).await.unwrap().unwrap().endpoint;
    assert_eq!((endpoint.version, endpoint.deleted_at), (1, None));

    // Members and admins find it, so the tables can see it.
    for (who, addresses) in [
        (
            0,
            &[
                "/",
                "/blockers/{open}",
                "/q/{open}",
                "/interactions/{decided}",
                "/history",
                "/tasks",
                "/agents",
                "/insights",
                "/insights/agents.csv",
                "/ui/load-desk",
                "/ui/load-blocker",
                "/ui/load-group",
                "/ui/load-story",
                "/ui/load-history",
                "/ui/load-tasks",
                "/ui/load-agents",
            ][..],
        ),
        (
            1,
            &[
                "/api/v1/interactions",
                "/api/v1/interactions/{open}",
                "/api/v1/interactions/{decided}/receipt",
                "/api/v1/tasks",
                "/api/v1/events",
                "/api/v1/insights",
                "/api/v1/insights/agents.csv",
                "/api/v1/hooks",
                "/api/v1/deliveries",
                "/api/v1/teams/{desk}/duty",
                "/api/v1/teams/{desk}/duty.ics",
                "/api/v1/teams/{desk}/ladder",
            ][..],
        ),
        (
            2,
            &[
                "/",
                "/blockers/{open}",
                "/q/{open}",
                "/interactions/{decided}",
                "/history",
                "/tasks",
                "/agents",
                "/insights",
                "/settings/teams",
                "/settings/teams/{team}",
                "/ui/load-team",
            ][..],
        ),
    ] {
        for path in addresses {
            let found = Teams::addresses()
                .into_iter()
                .find(|one| one.1 == *path && (one.0 == "GET" || path.starts_with("/ui/")));
            let said = teams.said(&teams.members[who], &found.unwrap()).await;
            assert!(said.contains(MARK), "{path} as member {who}");
        }
    }
}
