// AG-UI: `handraise/ag-ui` against the official client and its schemas, with a scripted agent behind HTTP.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, it } from "node:test";

import { HttpAgent, buildResumeArray } from "@ag-ui/client";
import { InterruptSchema, ResumeEntrySchema, RunFinishedEventSchema } from "@ag-ui/core/schemas";
import { Handraise, HandraiseError } from "handraise";
import { answerOf, ask, interruptOf, interrupted, resume } from "handraise/ag-ui";

import { Desk, Server, inTime, newFolder } from "../build/tests/serving.js";
import { place } from "./places.mjs";

// Of the client, one folder up.
const ts = createRequire(new URL("../package.json", import.meta.url))("typescript");

const YES_OR_NO = { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] };
const EDITED = {
  type: "object",
  properties: { to: { type: "string" }, amount: { type: "number", minimum: 1 } },
  required: ["to", "amount"],
};
const WITH_EDITS = { ...YES_OR_NO, properties: { approved: { type: "boolean" }, reason: { type: "string" }, editedArgs: EDITED } };

let server;
let desk;
let client;
let backend;

beforeEach(async () => {
  server = await Server.started();
  desk = await Desk.of(server);
  process.env.HANDRAISE_KNOWN_SERVERS = join(newFolder(), "known_servers");
  client = new Handraise({ url: server.url, token: await server.token("agent", "front") });
});
afterEach(async () => {
  backend?.close();
  backend = undefined;
  await server.kill();
});

/** An agent that calls these tools, ends with these interrupts, and ends well when it is resumed. */
async function agent(interrupts) {
  const resumed = [];
  backend = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    const { threadId, runId, resume: entries } = JSON.parse(body);
    const events = [{ type: "RUN_STARTED", threadId, runId }];
    if (entries === undefined) {
      for (const { toolCallId } of interrupts.filter((one) => one.toolCallId)) {
        const to = toolCallId.replace("call_", "");
        events.push({ type: "TOOL_CALL_START", toolCallId, toolCallName: "pay", parentMessageId: "m1" });
        events.push({ type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify({ to, amount: 12.5 }) });
        events.push({ type: "TOOL_CALL_END", toolCallId });
      }
      events.push({ type: "RUN_FINISHED", threadId, runId, outcome: { type: "interrupt", interrupts } });
    } else {
      resumed.push(...entries);
      events.push({ type: "RUN_FINISHED", threadId, runId, outcome: { type: "success" } });
    }
    response.setHeader("Content-Type", "text/event-stream");
    response.end(events.map((one) => `data: ${JSON.stringify(one)}\n\n`).join(""));
  });
  await new Promise((done) => backend.listen(0, "127.0.0.1", done));
  const own = new HttpAgent({ url: `http://127.0.0.1:${backend.address().port}`, threadId: "t1" });
  await own.runAgent();
  return { own, resumed };
}

const approval = (name, more = {}) => ({
  id: `int-${name}`, reason: "tool_call", message: `Pay ${name}?`, toolCallId: `call_${name}`, responseSchema: YES_OR_NO, ...more,
});

async function asked(count) {
  const found = new Map();
  while (found.size < count) {
    const one = await inTime(desk.next());
    found.set(one.metadata["ag-ui"].interruptId, one);
  }
  return found;
}

it("several interrupts at once: each answer reaches its own, a yes with its receipt, a no as a no", async () => {
  const { own, resumed } = await agent([approval("Ana"), approval("Bo"), { id: "int-why", reason: "input_required", message: "Why?" }]);
  const entries = resume(own, { client });
  const found = await asked(3);
  await desk.answer(found.get("int-why").id, { text: "It is due" });
  await desk.answer(found.get("int-Bo").id, { approved: false, text: "not on a Friday" });
  await desk.answer(found.get("int-Ana").id, { approved: true });
  for (const one of await inTime(entries)) ResumeEntrySchema.parse(one);
  await own.runAgent({ resume: await entries });
  assert.deepEqual(own.pendingInterrupts, []);
  assert.deepEqual(resumed.map(({ interruptId, status, payload }) => [interruptId, status, payload]), [
    ["int-Ana", "resolved", { approved: true }],
    ["int-Bo", "resolved", { approved: false }],
    ["int-why", "resolved", "It is due"],
  ]);
  assert.equal(resumed[0].metadata.handraise.receipt.interaction_id, found.get("int-Ana").id);
  assert.equal(resumed[1].metadata.handraise.comment, "not on a Friday");
  assert.equal(found.get("int-Ana").action.arguments.to, "Ana");
  assert.notEqual((await desk.get(found.get("int-Ana").id)).consumed, null);
});

it("a process that starts again asks nothing new, and the same answer comes out again", async () => {
  const { own } = await agent([approval("Ana")]);
  const kept = JSON.parse(JSON.stringify({ threadId: own.threadId, messages: own.messages, pendingInterrupts: own.pendingInterrupts }));
  await ask(own, { client });
  const [one] = (await asked(1)).values();
  await desk.answer(one.id, { approved: true });
  const first = await inTime(resume(kept, { client }));
  assert.deepEqual(await inTime(resume(kept, { client })), first);
  assert.equal((await desk.all()).length, 1);
});

it("changed arguments come back where the schema allows them, and what does not fit is refused for the person", async () => {
  const { own } = await agent([approval("Ana", { responseSchema: WITH_EDITS })]);
  const entries = resume(own, { client });
  const [one] = (await asked(1)).values();
  await assert.rejects(desk.answer(one.id, { approved: true, arguments: { to: "Ana", amount: 0 } }), /must be 1 or more/);
  await desk.answer(one.id, { approved: true, text: "less", arguments: { to: "Ana", amount: 3 } });
  const [{ payload }] = await inTime(entries);
  assert.deepEqual(payload, { approved: true, reason: "less", editedArgs: { to: "Ana", amount: 3 } });
});

it("arguments may not be changed where the schema does not say so", async () => {
  const { own } = await agent([approval("Ana")]);
  await ask(own, { client });
  const [one] = (await asked(1)).values();
  await assert.rejects(desk.answer(one.id, { approved: true, arguments: { to: "Eve", amount: 3 } }), /arguments/);
});

it("a value that does not fit its schema is asked for again, with what is wrong", async () => {
  const responseSchema = {
    type: "object",
    properties: { port: { type: "integer", maximum: 65535 }, env: { type: "string", enum: ["staging", "production"] }, tls: { type: "boolean" } },
    required: ["port", "env"],
  };
  const { own } = await agent([{ id: "int-1", reason: "input_required", message: "Which service?", responseSchema }]);
  const entries = resume(own, { client });
  const first = await inTime(desk.next());
  await assert.rejects(desk.answer(first.id, { answers: { q1: "moon" } }));
  await desk.answer(first.id, { answers: { q0: "many", q1: "staging", q2: "(leave out)" } });
  const second = await inTime(desk.next());
  assert.match(second.prompt, /did not fit: `port` must be a number/);
  await desk.answer(second.id, { answers: { q0: "8080", q1: "staging", q2: "true" } });
  const [{ payload }] = await inTime(entries);
  assert.deepEqual(payload, { port: 8080, env: "staging", tls: true });
});

it("a confirmation without a schema gets a plain yes or no", async () => {
  const { own } = await agent([{ id: "int-1", reason: "confirmation", message: "Go on?" }]);
  const entries = resume(own, { client });
  await desk.answerNext({ approved: true });
  const [{ payload, metadata }] = await inTime(entries);
  assert.equal(payload, true);
  assert.equal(metadata.handraise.outcome, "approved");
});

it("a deadline of ours that passes, and a question that is taken back, are cancelled and no yes", async () => {
  const { own } = await agent([approval("Ana")]);
  const [late] = await inTime(resume(own, { client, timeout: 1 }));
  assert.deepEqual([late.status, late.payload, late.metadata.handraise.outcome], ["cancelled", undefined, "expired"]);
  const { own: other } = await agent([approval("Bo")]);
  const entries = resume(other, { client });
  const found = await asked(2);
  await desk.cancel(found.get("int-Bo").id);
  const [taken] = await inTime(entries);
  assert.deepEqual([taken.status, taken.metadata.handraise.outcome], ["cancelled", "cancelled"]);
});

it("an interrupt that expires takes no answer: what was asked is taken back", async () => {
  const { own } = await agent([approval("Ana", { expiresAt: new Date(Date.now() + 2500).toISOString() }), approval("Bo")]);
  await assert.rejects(inTime(resume(own, { client })), (error) => error instanceof HandraiseError && /int-Ana/.test(error.message));
  const states = Object.fromEntries((await desk.all()).map((one) => [one.action.arguments.to, one.state]));
  assert.deepEqual(states, { Ana: "cancelled", Bo: "pending" });
  await assert.rejects(ask(own, { client }), /takes no answer any more/);
  assert.equal((await desk.all()).length, 2);
});

it("an interrupt that people cannot answer says why, and nothing is asked", async () => {
  const wrongs = [
    [approval("Ana", { toolCallId: "call_Eve" }), /which the messages lack/],
    [approval("Ana", { responseSchema: { type: "object", properties: { verdict: { type: "string" } } } }), /has no `approved`/],
    [approval("Ana", { responseSchema: { ...YES_OR_NO, required: ["approved", "pin"] } }), /requires pin/],
    [approval("Ana", { expiresAt: "soon" }), /is no time/],
    [{ id: "int-1", reason: "input_required", responseSchema: { type: "object", properties: { a: { type: "array" } } } }, /not a flat object/],
    [{ id: "int-1", reason: "input_required", responseSchema: { type: "string", pattern: "^a" } }, /none that people can be asked for/],
  ];
  for (const [wrong, why] of wrongs) {
    const messages = [{ id: "m1", role: "assistant", toolCalls: [{ id: "call_Ana", type: "function", function: { name: "pay", arguments: "{}" } }] }];
    const run = { threadId: "t1", messages, pendingInterrupts: [approval("Ana"), wrong] };
    await assert.rejects(ask(run, { client }), why);
  }
  assert.deepEqual(await desk.all(), []);
});

it("what waits in Handraise is shown as interrupts, and a front end's resume answers it with a person's token", async () => {
  const pay = await client.open("approval", "Pay?", { tool: "pay", arguments: { to: "Ana", amount: 2 }, amendable: { schema: EDITED } });
  const where = await client.open("choice", "Where?", { options: ["staging", "production"] });
  const form = await client.open("form", "Before", { questions: [{ id: "port", prompt: "Which port?" }, { id: "env", prompt: "Where?", options: ["a", "b"] }] });
  const seen = await client.open("acknowledgement", "The disk is full");
  const plan = await client.open("plan_review", "May I?", { plan: "1. Go" });
  const why = await client.open("question", "Why?");
  const all = [pay, where, form, seen, plan, why];
  const event = RunFinishedEventSchema.parse(interrupted({ threadId: "t1", runId: "r1" }, all, { [pay.id]: "call_1" }));
  const { interrupts } = event.outcome;
  for (const one of interrupts) InterruptSchema.parse(one);
  assert.deepEqual(interrupts.map((one) => one.reason), ["tool_call", "input_required", "input_required", "confirmation", "input_required", "input_required"]);
  assert.deepEqual(interrupts[0].responseSchema.properties.editedArgs, EDITED);
  assert.equal(interrupts[0].metadata.handraise.actionDigest, pay.actionDigest);
  const payloads = [
    { approved: true, editedArgs: { to: "Ana", amount: 1 } }, "staging", { port: "80", env: "a" }, true, { decision: "adjust", feedback: "slower" }, "so",
  ];
  const given = Object.fromEntries(interrupts.map(({ id }, at) => [id, { status: "resolved", payload: payloads[at] }]));
  for (const [at, entry] of buildResumeArray(interrupts, given).entries()) await desk.answer(entry.interruptId, answerOf(all[at], entry));
  const decision = await client.verify(pay.id, "pay", { to: "Ana", amount: 2 }, { amendable: true });
  assert.deepEqual(decision.arguments, { to: "Ana", amount: 1 });
  assert.deepEqual((await client.get(where.id)).answer.selected, ["staging"]);
  assert.deepEqual((await client.get(form.id)).answer.answers, { port: "80", env: "a" });
  assert.equal((await client.get(plan.id)).answer.decision, "adjust");
  for (const { id } of all) assert.equal((await client.get(id)).state, "resolved");
});

it("a front end's entry that does not fit says where", async () => {
  const pay = await client.open("approval", "Pay?", { tool: "pay", arguments: { to: "Ana" } });
  const entry = (payload, more = {}) => ({ interruptId: pay.id, status: "resolved", payload, ...more });
  assert.throws(() => answerOf(pay, entry({ approved: "yes" })), /payload.approved of this entry must be true or false/);
  assert.throws(() => answerOf(pay, entry({ approved: true, editedArgs: {} })), /payload.editedArgs of this entry may not be changed/);
  assert.throws(() => answerOf(pay, entry({ approved: true, all: true })), /payload.all/);
  assert.throws(() => answerOf(pay, entry(undefined, { status: "cancelled" })), /answers nothing/);
  assert.throws(() => answerOf(pay, entry({ approved: true }, { interruptId: "other" })), /interruptId/);
  assert.throws(() => interruptOf({ ...pay, kind: "notification" }), TypeError);
  assert.throws(() => interrupted({ threadId: "t", runId: "r" }, []), TypeError);
});

it("the official client takes and gives our types", () => {
  const file = join(place("types"), "types.mts");
  writeFileSync(
    file,
    `import { HttpAgent } from "@ag-ui/client";
     import type { Interrupt, ResumeEntry } from "@ag-ui/core";
     import { type RunFinished, interruptOf, resume } from "handraise/ag-ui";
     const agent = new HttpAgent({ url: "http://127.0.0.1" });
     const entries: ResumeEntry[] = await resume(agent, {});
     await agent.runAgent({ resume: await resume(agent, {}) });
     export const shown = (from: Parameters<typeof interruptOf>[0]): Interrupt => interruptOf(from);
     export const ended = (event: RunFinished): Interrupt[] => event.outcome.interrupts;
     export { entries };`,
  );
  const options = {
    strict: true, noEmit: true, skipLibCheck: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, types: [],
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts"],
  };
  const found = ts.getPreEmitDiagnostics(ts.createProgram([file], options));
  assert.deepEqual(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n")), []);
});
