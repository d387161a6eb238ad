//! The fake Slack against the official clients: what they post, read, open, hear and acknowledge is what it takes.

use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use crate::support::{
    fake_slack::{ANA, APP_TOKEN, BEN, BOT_TOKEN, FakeSlack, MAIN, Message},
    node, python,
};

/// Posts a card, changes it, answers in its thread, reads that back; then hears until somebody says so.
const PYTHON: &str = r#"
import json, sys, threading
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.socket_mode import SocketModeClient
from slack_sdk.socket_mode.response import SocketModeResponse

given = json.load(sys.stdin)
web = WebClient(token=given["bot_token"], base_url=given["url"])
me = web.auth_test()
card = web.chat_postMessage(channel=given["channel"], text="Which port?", blocks=given["blocks"],
    metadata=given["metadata"], unfurl_links=False, unfurl_media=False)
renamed = [{**block, "block_id": block.get("block_id", "words") + ".2"} for block in given["blocks"]]
web.chat_update(channel=card["channel"], ts=card["ts"], text="Which port now?", blocks=renamed)
web.chat_postMessage(channel=card["channel"], thread_ts=card["ts"], text="in the thread", metadata=given["metadata"])
web.files_upload_v2(channel=card["channel"], thread_ts=card["ts"], filename="x.diff", title="a difference",
    content="+two", snippet_type="diff")
thread = web.conversations_replies(channel=card["channel"], ts=card["ts"], include_all_metadata=True)
bare = web.conversations_history(channel=card["channel"])
link = web.chat_getPermalink(channel=card["channel"], message_ts=card["ts"])
user = web.users_info(user=given["user"])
channel = web.conversations_info(channel=card["channel"])
web.chat_postEphemeral(channel=card["channel"], user=given["user"], text="only you")
try:
    web.chat_postMessage(channel="C0NONE", text="?")
    refused = ""
except SlackApiError as error:
    refused = error.response["error"]

heard, over = [], threading.Event()
socket = SocketModeClient(app_token=given["app_token"], web_client=web)

def take(client, request):
    heard.append([request.type, request.payload.get("type"), request.retry_attempt])
    if request.payload.get("type") == "block_actions":
        web.views_open(trigger_id=request.payload["trigger_id"], view=given["view"])
    payload = None
    if request.payload.get("type") == "view_submission":
        said = request.payload["view"]["state"]["values"]["why"]["text"]["value"]
        payload = None if said else {"response_action": "errors", "errors": {"why": "say why"}}
    client.send_socket_mode_response(SocketModeResponse(envelope_id=request.envelope_id, payload=payload))
    if request.payload.get("event", {}).get("text") == "the end":
        over.set()

socket.socket_mode_request_listeners.append(take)
socket.connect()
over.wait(60)
socket.close()
print(json.dumps({"me": me.data, "scopes": me.headers["x-oauth-scopes"], "thread": thread["messages"],
    "bare": bare["messages"], "link": link["permalink"], "user": user["user"], "channel": channel["channel"],
    "refused": refused, "heard": heard}))
"#;

const NODE: &str = r#"
const { WebClient, LogLevel } = require("@slack/web-api");
const { SocketModeClient } = require("@slack/socket-mode");
const given = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
(async () => {
    const options = { slackApiUrl: given.url, logLevel: LogLevel.ERROR };
    const web = new WebClient(given.bot_token, options);
    const me = await web.auth.test();
    const card = await web.chat.postMessage({ channel: given.channel, text: "Which port?", blocks: given.blocks,
        metadata: given.metadata, unfurl_links: false, unfurl_media: false });
    const { channel: id, ts } = card;
    const renamed = given.blocks.map((block) => ({ ...block, block_id: `${block.block_id ?? "words"}.2` }));
    await web.chat.update({ channel: id, ts, text: "Which port now?", blocks: renamed });
    await web.chat.postMessage({ channel: id, thread_ts: ts, text: "in the thread", metadata: given.metadata });
    await web.files.uploadV2({ channel_id: id, thread_ts: ts, filename: "x.diff", title: "a difference",
        file: Buffer.from("+two"), snippet_type: "diff" });
    const thread = await web.conversations.replies({ channel: id, ts, include_all_metadata: true });
    const bare = await web.conversations.history({ channel: id });
    const link = await web.chat.getPermalink({ channel: id, message_ts: ts });
    const user = await web.users.info({ user: given.user });
    const channel = await web.conversations.info({ channel: id });
    await web.chat.postEphemeral({ channel: id, user: given.user, text: "only you" });
    const refused = await web.chat.postMessage({ channel: "C0NONE", text: "?" }).catch((error) => error.data.error);

    const heard = [];
    const socket = new SocketModeClient({ appToken: given.app_token, clientPingTimeout: 300, clientOptions: options,
        logLevel: LogLevel.ERROR });
    const over = new Promise((end) => socket.on("slack_event", async ({ ack, type, body, retry_num }) => {
        heard.push([type, body.type, retry_num ?? null]);
        if (body.type === "block_actions") await web.views.open({ trigger_id: body.trigger_id, view: given.view });
        const said = body.view?.state.values.why.text.value;
        const bad = body.type === "view_submission" && !said;
        await ack(bad ? { response_action: "errors", errors: { why: "say why" } } : undefined);
        if (body.event?.text === "the end") end();
    }));
    await socket.start();
    await over;
    await socket.disconnect();
    const scopes = me.response_metadata.scopes.join(",");
    process.stdout.write(JSON.stringify({ me, scopes, thread: thread.messages, bare: bare.messages,
        link: link.permalink, user: user.user, channel: channel.channel, refused, heard }));
})();
"#;

fn blocks() -> Value {
    json!([
        { "type": "section", "text": { "type": "plain_text", "text": "Which port?" } },
        { "type": "actions", "block_id": "answer", "elements": [
            { "type": "button", "action_id": "say", "value": "1", "text": { "type": "plain_text", "text": "Answer" } },
        ] },
    ])
}

fn view() -> Value {
    let label = json!({ "type": "plain_text", "text": "Why?" });
    json!({
        "type": "modal", "callback_id": "why", "title": label, "submit": { "type": "plain_text", "text": "Send" },
        "blocks": [{ "type": "input", "block_id": "why", "label": label, "optional": true, "element":
            { "type": "plain_text_input", "action_id": "text", "multiline": true } }],
    })
}

#[tokio::test]
async fn pypis_clients_get_along_with_the_fake() {
    gets_along(python::run_script, PYTHON).await;
}

#[tokio::test]
async fn npms_clients_get_along_with_the_fake() {
    gets_along(node::run_script, NODE).await;
}

async fn gets_along(run: fn(&str, &Value) -> String, script: &'static str) {
    let slack = FakeSlack::start().await;
    slack.let_connections_end();
    let metadata =
        json!({ "event_type": "handraise_delivery", "event_payload": { "idempotency_key": "k1" } });
    let given = json!({
        "url": slack.api_url(), "bot_token": BOT_TOKEN, "app_token": APP_TOKEN, "channel": MAIN, "user": ANA,
        "blocks": blocks(), "view": view(), "metadata": metadata,
    });
    let client = spawn_blocking(move || run(script, &given));
    slack.connected(1).await;
    let posted = |messages: &[Message]| messages.len() == 3;
    let card = slack.wait_for_messages(MAIN, posted).await.remove(0);
    assert_eq!((&*card.text, card.edited), ("Which port now?", true));

    // A click is acknowledged, and its trigger opens a view.
    let clicked = slack.click(MAIN, &card.ts, "say");
    let (opened, _) = slack.open_view(ANA).await;
    assert_eq!(slack.acked(clicked).await, Some(json!({})));
    let refused = slack
        .acked(slack.submit(&opened, &json!({})))
        .await
        .unwrap();
    assert_eq!(refused["errors"], json!({ "why": "say why" }));
    let sent = slack.submit(&opened, &json!({ "why": { "text": "8080\n\"and\" 8081" } }));
    assert_eq!(slack.acked(sent).await, Some(json!({})));
    assert!(slack.look(|world| world.views.is_empty()));

    // Told to go, it comes back; and back again when it is cut off.
    slack.disconnect("refresh_requested");
    slack.connected(0).await;
    slack.connected(1).await;
    slack.send_raw("UNAUTHENTICATED: cache_error");
    slack.cut_connections();
    slack.connected(0).await;
    slack.connected(1).await;
    slack.reply_in_thread(BEN, MAIN, &card.ts, "the end");

    let said: Value = serde_json::from_str(client.await.unwrap().trim()).unwrap();
    assert_eq!(said["me"]["user_id"], "U0BOT");
    assert!(said["scopes"].as_str().unwrap().contains("chat:write"));
    assert_eq!(said["thread"].as_array().unwrap().len(), 3);
    let id = said["thread"][2]["files"][0]["id"].as_str().unwrap();
    slack.look(|world| {
        let files = world.files_in_thread(MAIN, &card.ts);
        let [file] = files[..] else {
            panic!("{files:?}")
        };
        assert_eq!((&*file.id, &*file.title), (id, "a difference"));
        assert_eq!(file.bytes.as_deref(), Some(&b"+two"[..]));
    });
    assert_eq!(said["thread"][1]["metadata"], metadata);
    assert_eq!(
        said["bare"][0]["metadata"],
        json!({ "event_type": "handraise_delivery" })
    );
    assert_eq!(
        said["link"],
        format!(
            "https://fake.slack.example/archives/{MAIN}/p{}",
            card.ts.replace('.', "")
        )
    );
    assert_eq!(said["user"]["real_name"], "Ana");
    assert_eq!(said["channel"]["is_member"], true);
    assert_eq!(said["refused"], "channel_not_found");
    assert_eq!(slack.notes(ANA)[0].text, "only you");
    let heard = said["heard"].as_array().unwrap();
    let kinds: Vec<_> = heard.iter().map(|one| one[1].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "block_actions",
            "view_submission",
            "view_submission",
            "event_callback"
        ]
    );
}
