//! An agent and a client of the Agent Client Protocol on the classes of its official package, with `handraise acp` between
//! them. The test tells the client what to do, and the client what the agent shall do.

use std::process::Command;

use serde_json::{Value, json};

use super::{app::TestApp, caller::Caller, mcp::Stdio, node};

/// Does what the text of a prompt says, and says what came of each request as soon as it is there.
const AGENT: &str = r#"
const { pathToFileURL } = require("node:url");
const { Readable, Writable } = require("node:stream");
const here = pathToFileURL(require.resolve("@agentclientprotocol/sdk")).href;
(async () => {
    const acp = await import(here);
    const stream = acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin));
    // How often each of its requests was answered.
    const answers = {};
    const counted = new TransformStream({
        transform(message, controller) {
            if (!("method" in message)) answers[message.id] = (answers[message.id] ?? 0) + 1;
            controller.enqueue(message);
        },
    });
    const aborts = {};
    const say = (client, sessionId, said) =>
        client.notify("session/update", {
            sessionId,
            update: {
                sessionUpdate: "agent_message_chunk",
                content: { type: "text", text: JSON.stringify(said) },
            },
        });
    acp.agent({ name: "test" })
        .onRequest("initialize", () => ({ protocolVersion: acp.PROTOCOL_VERSION, agentCapabilities: {} }))
        .onRequest("session/new", () => ({ sessionId: "s-1" }))
        .onRequest("session/prompt", async ({ params, client }) => {
            const { sessionId } = params;
            const plan = JSON.parse(params.prompt[0].text);
            for (const update of plan.updates ?? []) await client.notify("session/update", { sessionId, update });
            const requests = (plan.requests ?? []).map(async ({ name, method, params }) => {
                aborts[name] = new AbortController();
                const options = { cancellationSignal: aborts[name].signal };
                const came = await client.request(method, { sessionId, ...params }, options).then(
                    (result) => ({ result }),
                    (error) => ({ error: error.code }),
                );
                await say(client, sessionId, { name, ...came });
            });
            await say(client, sessionId, { pid: process.pid, token: process.env.HANDRAISE_TOKEN ?? null });
            await Promise.all(requests);
            for (const update of plan.after ?? []) await client.notify("session/update", { sessionId, update });
            await say(client, sessionId, { answers: Object.values(answers) });
            return { stopReason: "end_turn" };
        })
        .onNotification("session/cancel", () => {})
        .onNotification("_cancel", (params) => params, ({ params }) => aborts[params.name].abort())
        .connect({ readable: stream.readable.pipeThrough(counted), writable: stream.writable });
})();
"#;

/// Says what it hears, a line each, and does what it is told in the same way.
const CLIENT: &str = r#"
const { pathToFileURL } = require("node:url");
const { Readable, Writable } = require("node:stream");
const { spawn } = require("node:child_process");
const readline = require("node:readline");
const here = pathToFileURL(require.resolve("@agentclientprotocol/sdk")).href;
const tell = (said) => process.stdout.write(JSON.stringify(said) + "\n");
(async () => {
    const acp = await import(here);
    const [program, ...args] = process.argv.slice(1);
    const proxy = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
    readline.createInterface({ input: proxy.stderr }).on("line", (stderr) => tell({ stderr }));
    proxy.on("exit", (code) => tell({ exit: code }));
    const stream = acp.ndJsonStream(Writable.toWeb(proxy.stdin), Readable.toWeb(proxy.stdout));
    const open = [];
    // Answers in the order in which it is told to; what is withdrawn is answered all the same, and too late.
    const ask = (method) => ({ params, signal }) =>
        new Promise((resolve) => {
            const number = open.push(resolve) - 1;
            tell({ asked: number, method, params });
            signal.addEventListener("abort", () => tell({ withdrawn: number }));
        });
    const client = acp.client({ name: "test" })
        .onNotification("session/update", ({ params }) => {
            const { update } = params;
            if (update.sessionUpdate === "agent_message_chunk") tell(JSON.parse(update.content.text));
        })
        .onRequest("elicitation/create", ask("elicitation/create"));
    const permission = ask("session/request_permission");
    if (process.env.LENIENT) client.onRequest("session/request_permission", (params) => params, permission);
    else client.onRequest("session/request_permission", permission);
    const { agent } = client.connect(stream);
    await agent.request("initialize", { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} });
    const { sessionId } = await agent.request("session/new", { cwd: "/srv/project", mcpServers: [] });
    tell({ ready: sessionId });
    readline.createInterface({ input: process.stdin })
        .on("line", (line) => {
            const told = JSON.parse(line);
            if (told.prompt) {
                const prompt = [{ type: "text", text: JSON.stringify(told.prompt) }];
                agent.request("session/prompt", { sessionId, prompt }).then(
                    (ended) => tell({ ended }),
                    (error) => tell({ failed: String(error) }),
                );
            } else if (told.answer) open[told.answer.asked](told.answer.result);
            else agent.notify(told.notify, { sessionId, ...told.params });
        })
        .on("close", () => proxy.stdin.end());
})();
"#;

/// The client, and what is behind it.
pub(crate) struct Connected {
    stdio: Stdio,
    /// What was said by it while something else was waited for.
    heard: Vec<Value>,
}

impl Connected {
    pub(crate) async fn start(app: &TestApp, agent: &Caller<'_>) -> Self {
        Self::at(&app.url(""), &agent.token, &app.public_key(), &[]).await
    }

    pub(crate) async fn at(url: &str, token: &str, key: &str, client: &[(&str, &str)]) -> Self {
        let mut command = Command::new("node");
        command
            .args(["-e", CLIENT, env!("CARGO_BIN_EXE_handraise")])
            .args(["acp", "--name", "scripted", "--", "node", "-e", AGENT])
            .env("NODE_PATH", node::NODE_MODULES)
            .env("HANDRAISE_URL", url)
            .env("HANDRAISE_TOKEN", token)
            .env("HANDRAISE_PUBLIC_KEY", key)
            .envs(client.iter().copied());
        let mut connected = Self {
            stdio: Stdio::of(command),
            heard: Vec::new(),
        };
        connected.hear("ready").await;
        connected
    }

    /// The next that it says of this kind; what else it says meanwhile is kept.
    pub(crate) async fn hear(&mut self, kind: &str) -> Value {
        if let Some(at) = self.heard.iter().position(|said| said.get(kind).is_some()) {
            return self.heard.remove(at);
        }
        loop {
            let said = self.stdio.hear().await;
            if said.get(kind).is_some() {
                return said;
            }
            self.heard.push(said);
        }
    }

    /// How often each request of the agent's was answered.
    pub(crate) async fn answers(&mut self) -> Value {
        self.hear("answers").await["answers"].clone()
    }

    /// Whether it has said anything of this kind that was not waited for.
    pub(crate) fn has_heard(&self, kind: &str) -> bool {
        self.heard.iter().any(|said| said.get(kind).is_some())
    }

    /// Has the agent make these requests, all at once. Returns its process.
    pub(crate) async fn prompt(&mut self, updates: Value, requests: Vec<Value>) -> String {
        self.prompt_and(updates, requests, json!([])).await
    }

    /// As [`Self::prompt`]; when all are answered the agent says this.
    pub(crate) async fn prompt_and(
        &mut self,
        updates: Value,
        requests: Vec<Value>,
        after: Value,
    ) -> String {
        let prompt = json!({ "updates": updates, "requests": requests, "after": after });
        self.stdio.say(&json!({ "prompt": prompt }).to_string());
        let said = self.hear("pid").await;
        assert_eq!(said["token"], Value::Null, "{said}");
        said["pid"].to_string()
    }

    pub(crate) fn answer(&mut self, asked: &Value, result: Value) {
        let answer = json!({ "answer": { "asked": asked["asked"], "result": result } });
        self.stdio.say(&answer.to_string());
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        let notify = json!({ "notify": method, "params": params });
        self.stdio.say(&notify.to_string());
    }

    pub(crate) fn end(self) {
        self.stdio.end();
    }
}

/// A request for permission: may this command run?
pub(crate) fn permission(name: &str, command: &str) -> Value {
    permission_of(name, command, options())
}

pub(crate) fn permission_of(name: &str, command: &str, options: Value) -> Value {
    let call = json!({
        "toolCallId": format!("call-{name}"), "kind": "execute", "title": command, "rawInput": { "command": command },
    });
    let params = json!({ "toolCall": call, "options": options });
    json!({ "name": name, "method": "session/request_permission", "params": params })
}

pub(crate) fn options() -> Value {
    json!([
        { "optionId": "ok", "name": "Allow", "kind": "allow_once" },
        { "optionId": "ok-always", "name": "Always allow", "kind": "allow_always" },
        { "optionId": "no", "name": "Reject", "kind": "reject_once" },
    ])
}

/// The outcome that picks an option.
pub(crate) fn selected(option: &str) -> Value {
    json!({ "outcome": { "outcome": "selected", "optionId": option } })
}
