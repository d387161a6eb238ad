// Every adapter, with its real framework and a scripted model, through the same cases. It writes the table in
// docs/adapters.md when WRITE_TABLE is set, and compares it when all cases ran.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, afterEach, beforeEach, it } from "node:test";
import { fileURLToPath } from "node:url";

import { ToolMessage } from "@langchain/core/messages";
import { tool as langchainTool } from "@langchain/core/tools";
import { RunContext, tool as openaiTool } from "@openai/agents";
import { tool as aiTool, jsonSchema } from "ai";
import { Handraise, guarded, setLog } from "handraise";

import { Proxy } from "../build/tests/proxy.js";
import { Desk, Server, inTime, newFolder } from "../build/tests/serving.js";
import { table } from "./table.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
// Some frameworks want a newer Node.js than the client does: npm has brought one along.
const NODE = join(HERE, "node_modules/.bin/node");
const KILLS = Number(process.env.KILLS ?? 3);
const POLL = "GET /api/v1/interactions/";
const SECRET = "hunter2-in-the-context";

const ADAPTERS = [
  { name: "handraise/ai", program: "ai.js", framework: "ai" },
  { name: "handraise/openai-agents", program: "openai_agents.js", framework: "@openai/agents" },
  { name: "handraise/langgraph", program: "langgraph.js", framework: "@langchain/langgraph" },
];
const MODES = ["held", "durable"];

setLog({ warn: () => undefined, info: () => undefined });

const passed = new Map();
let server;
let desk;
let proxy;
let token;
let folder;
let program;

beforeEach(async () => {
  server = await Server.started();
  proxy = await Proxy.to(server);
  desk = await Desk.of(server);
  token = await server.token("agent", "payer");
  folder = newFolder();
});
afterEach(async () => {
  program?.child.kill("SIGKILL");
  proxy.close();
  await server.kill();
});

/** Starts the program of an adapter; what the model heard is `heard` when it ends. */
function start(adapter, mode, options = {}) {
  const env = {
    ...process.env, HANDRAISE_URL: proxy.url, HANDRAISE_TOKEN: token, HANDRAISE_KNOWN_SERVERS: join(folder, "known_servers"),
  };
  const child = spawn(NODE, [`programs/${adapter.program}`, mode, folder, JSON.stringify(options)], {
    cwd: HERE, env, stdio: ["ignore", "pipe", "pipe"],
  });
  let [output, errors] = ["", ""];
  child.stdout.on("data", (part) => (output += part));
  child.stderr.on("data", (part) => (errors += part));
  const ended = once(child, "close");
  const heard = async () => {
    await inTime(ended);
    assert.notEqual(output, "", errors);
    return JSON.parse(output);
  };
  program = { child, ended, heard };
  return program;
}

/** The three calls, by whom they pay. */
async function asked() {
  const found = new Map();
  while (found.size < 3) {
    const one = await inTime(desk.next());
    found.set(one.action.arguments.to, one);
  }
  return found;
}

function runs() {
  const file = join(folder, "runs");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line)) : [];
}

const paid = () => runs().map((one) => one.to).sort();

const CASES = {
  "three at once, answered out of order": async (adapter, mode) => {
    const { heard } = start(adapter, mode);
    const calls = await asked();
    await desk.answer(calls.get("Cy").id, { approved: true });
    await desk.answer(calls.get("Bo").id, { approved: false, text: "not on a Friday" });
    await desk.answer(calls.get("Ana").id, { approved: true });
    const said = await heard();
    assert.deepEqual(Object.keys(said).sort(), ["call_Ana", "call_Bo", "call_Cy"]);
    assert.match(said.call_Ana, /paid 12.5 to Ana/);
    assert.match(said.call_Cy, /paid 12.5 to Cy/);
    assert.doesNotMatch(said.call_Bo, /paid/);
    assert.deepEqual(paid(), ["Ana", "Cy"]);
    for (const name of ["Ana", "Cy"]) {
      const { consumed, report } = await desk.get(calls.get(name).id);
      // This SDK hides from the adapter whether the tool threw.
      const told = adapter.framework === "@openai/agents" ? undefined : "done";
      assert.deepEqual([report?.outcome, consumed !== null], [told, true]);
    }
  },
  "killed while it waits": async (adapter, mode) => {
    start(adapter, mode);
    const calls = await asked();
    for (let n = 1; n <= KILLS; n += 1) {
      // All three wait.
      await inTime(proxy.awaitRequest(POLL, 3 * n));
      program.child.kill("SIGKILL");
      await program.ended;
      // This answer comes while no process is there to hear it.
      if (n === KILLS) await desk.answer(calls.get("Bo").id, { approved: true });
      start(adapter, mode);
    }
    for (const name of ["Cy", "Ana"]) await desk.answer(calls.get(name).id, { approved: true });
    const said = await program.heard();
    for (const name of ["Ana", "Bo", "Cy"]) assert.match(said[`call_${name}`], new RegExp(`paid 12.5 to ${name}`));
    assert.equal((await desk.all()).length, 3);
    assert.deepEqual(paid(), ["Ana", "Bo", "Cy"]);
  },
  "a denial is heard as one": async (adapter, mode) => {
    const { heard } = start(adapter, mode);
    for (const { id } of (await asked()).values()) await desk.answer(id, { approved: false, text: "not on a Friday" });
    for (const said of Object.values(await heard())) assert.match(said, /den.*not on a Friday/);
    assert.deepEqual(paid(), []);
  },
  "amended arguments run": async (adapter, mode) => {
    const { heard } = start(adapter, mode, { amendable: { paths: ["/amount"] } });
    const calls = await asked();
    await desk.answer(calls.get("Ana").id, { approved: true, arguments: { to: "Ana", amount: 3 } });
    // What the tool does not take.
    await desk.answer(calls.get("Bo").id, { approved: true, arguments: { to: "Bo", amount: "much" } });
    await desk.answer(calls.get("Cy").id, { approved: true });
    const said = await heard();
    assert.match(said.call_Ana, /paid 3 to Ana/);
    assert.doesNotMatch(said.call_Bo, /paid/);
    assert.deepEqual(runs().map((one) => `${one.to} ${one.amount}`).sort(), ["Ana 3", "Cy 12.5"]);
  },
  "a form by the tool's schema": async (adapter, mode) => {
    const { heard } = start(adapter, mode, { amendable: true });
    const calls = await asked();
    const { schema } = calls.get("Ana").amendable;
    assert.deepEqual(Object.entries(schema.properties).map(([name, { type }]) => `${name} ${type}`), ["to string", "amount number"]);
    const wrong = { approved: true, arguments: { to: "Ana", amount: "much" } };
    await assert.rejects(desk.answer(calls.get("Ana").id, wrong), /arguments.amount.*must be a number/);
    await desk.answer(calls.get("Ana").id, { approved: true, arguments: { to: "Ana", amount: 3 } });
    for (const name of ["Bo", "Cy"]) await desk.answer(calls.get(name).id, { approved: true });
    await heard();
    assert.deepEqual(runs().map((one) => `${one.to} ${one.amount}`).sort(), ["Ana 3", "Bo 12.5", "Cy 12.5"]);
  },
  "a report that is refused changes nothing": async (adapter, mode) => {
    // This one reports nothing.
    if (adapter.framework === "@openai/agents") return false;
    const { heard } = start(adapter, mode);
    const calls = await asked();
    for (const { id } of calls.values()) proxy.forgeReply(`POST /api/v1/interactions/${id}/report`, "HTTP/1.1 409 Conflict\r\nContent-Length: 0\r\n\r\n");
    for (const { id } of calls.values()) await desk.answer(id, { approved: true });
    const said = await heard();
    for (const name of ["Ana", "Bo", "Cy"]) assert.match(said[`call_${name}`], new RegExp(`paid 12.5 to ${name}`));
  },
  "a deadline that passes": async (adapter, mode) => {
    const said = await start(adapter, mode, { timeout: 1 }).heard();
    for (const one of Object.values(said)) assert.match(one, /in time|expired/);
    assert.deepEqual(paid(), []);
  },
  "the server is away": async (adapter, mode) => {
    const { heard } = start(adapter, mode);
    const calls = await asked();
    await inTime(proxy.awaitRequest(POLL));
    await server.kill();
    const tries = proxy.requests.length;
    // It has tried in vain, each of its waits.
    while (proxy.requests.length < tries + 3) await inTime(proxy.awaitRequest("", proxy.requests.length + 1));
    await server.start();
    for (const { id } of calls.values()) await desk.answer(id, { approved: true });
    await heard();
    assert.deepEqual([paid(), (await desk.all()).length], [["Ana", "Bo", "Cy"], 3]);
  },
  "a secret of the app stays there": async (adapter, mode) => {
    const { heard } = start(adapter, mode);
    for (const { id } of (await asked()).values()) await desk.answer(id, { approved: true });
    await heard();
    assert.deepEqual(paid(), ["Ana", "Bo", "Cy"]);
    // All that the server keeps, byte for byte.
    for (const name of readdirSync(server.folder)) {
      const file = join(server.folder, name);
      if (statSync(file).isFile()) assert.ok(!readFileSync(file).includes(SECRET), name);
    }
  },
};

const PARAMETERS = { type: "object", properties: { to: { type: "string" } }, required: ["to"], additionalProperties: false };
const DETAILS = { name: "pay", description: "Pays" };

/** One call of a tool of the framework, held back by its adapter. */
const CALL = {
  "ai.js": async (approved, pay, options) => {
    const tools = approved({ pay: aiTool({ inputSchema: jsonSchema(PARAMETERS), execute: pay }) }, options);
    return tools.pay.execute({ to: "Ana" }, { toolCallId: "call_1" });
  },
  "openai_agents.js": async (approved, pay, options) => {
    const [tool] = approved([openaiTool({ ...DETAILS, parameters: PARAMETERS, strict: true, execute: pay })], options);
    return tool.invoke(new RunContext({}), '{"to":"Ana"}', { toolCall: { callId: "call_1" } });
  },
  "langgraph.js": async (approved, pay, options) => {
    const [tool] = approved([langchainTool(pay, { ...DETAILS, schema: PARAMETERS })], options);
    return tool.invoke({ type: "tool_call", id: "call_1", name: "pay", args: { to: "Ana" } });
  },
};

for (const adapter of ADAPTERS) {
  for (const [what, run] of Object.entries(CASES)) {
    for (const mode of MODES) {
      it(`${adapter.name}, ${mode}: ${what}`, async () => {
        if ((await run(adapter, mode)) === false) passed.set(`${what}\n${adapter.name}`, ["-"]);
        else note(what, adapter, mode);
      });
    }
  }

  it(`${adapter.name}: an unsupported version says which are`, async () => {
    const place = join(folder, "node_modules");
    cpSync(join(HERE, "node_modules/handraise"), join(place, "handraise"), { recursive: true });
    const own = join(place, adapter.framework);
    mkdirSync(own, { recursive: true });
    const manifest = { name: adapter.framework, version: "0.1.2", main: "index.js", type: "module", exports: "./index.js" };
    writeFileSync(join(own, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(own, "index.js"), "export const interrupt = null; export const Command = null;");
    const text = `import { approved } from "${adapter.name}"; approved([], { client: {} });`;
    const child = spawn(NODE, ["--input-type=module", "-e", text], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
    let errors = "";
    child.stderr.on("data", (part) => (errors += part));
    await once(child, "close");
    assert.match(errors, new RegExp(`${adapter.framework} 0.1.2 is not supported by handraise: install one of \\d`));
    for (const mode of MODES) note("an unsupported version says which are", adapter, mode);
  });

  it(`${adapter.name}: two adapters for one call are noticed`, async () => {
    const { approved } = await import(adapter.name);
    const pay = { name: "pay", type: "function", execute: () => 1, invoke: async () => 1 };
    const tools = adapter.program === "ai.js" ? { pay } : [pay];
    const options = { conversation: "c", client: {} };
    assert.throws(() => approved(approved(tools, options), options), /asks people already: give it to one adapter or guard alone/);
    for (const mode of MODES) note("two adapters for one call are noticed", adapter, mode);
  });

  for (const mode of MODES) {
    it(`${adapter.name}, ${mode}: a guard within is noticed`, async () => {
      const { approved } = await import(adapter.name);
      process.env.HANDRAISE_KNOWN_SERVERS = join(folder, "known_servers");
      const client = new Handraise({ url: server.url, token });
      let told = "";
      const guard = guarded(async ({ to }) => `paid ${to}`, { tool: "pay", client });
      const pay = (input) => guard(input).catch((error) => {
        told = error.message;
        throw error;
      });
      const ran = CALL[adapter.program](approved, pay, { conversation: "c", client, durable: mode === "durable" }).catch(() => undefined);
      await desk.answerNext({ approved: true });
      await inTime(ran);
      assert.equal(told, "an adapter and a guard both ask about pay: remove one of them");
      assert.equal((await desk.all()).length, 1);
      note("a guard within is noticed", adapter, mode);
    });
  }
}

it("handraise/langgraph: a tool node of the app's own gets a denial as the tool's message", async () => {
  const { approved } = await import("handraise/langgraph");
  process.env.HANDRAISE_KNOWN_SERVERS = join(folder, "known_servers");
  const client = new Handraise({ url: server.url, token });
  const ran = CALL["langgraph.js"](approved, () => assert.fail("it ran"), { conversation: "c", client });
  await desk.answerNext({ approved: false, text: "not on a Friday" });
  const said = await inTime(ran);
  assert.ok(ToolMessage.isInstance(said));
  assert.deepEqual([said.tool_call_id, said.name, said.status], ["call_1", "pay", "error"]);
  assert.match(said.content, /not on a Friday/);
});

function note(what, { name }, mode) {
  const cell = `${what}\n${name}`;
  passed.set(cell, [...(passed.get(cell) ?? []), mode]);
}

after(() => {
  const names = [
    ...Object.keys(CASES), "an unsupported version says which are", "two adapters for one call are noticed", "a guard within is noticed",
  ];
  // A part of the suite says nothing of the rest.
  if (passed.size === names.length * ADAPTERS.length) table(ADAPTERS, names, passed);
});
