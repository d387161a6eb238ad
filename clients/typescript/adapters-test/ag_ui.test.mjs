// Interrupts of AG-UI, with its official client: it holds every event and every answer against the protocol's schemas.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { afterEach, beforeEach, it } from "node:test";

import { AbstractAgent, EventType } from "@ag-ui/client";
import { InterruptSchema, ResumeEntrySchema } from "@ag-ui/core/schemas";
import { Handraise, NotVerified, setLog } from "handraise";
import { ask, outcome, resume } from "handraise/ag-ui";
import { from } from "rxjs";

import { CLOCK } from "../build/src/exchange.js";
import { Desk, Server, inTime, newFolder } from "../build/tests/serving.js";

setLog({ warn: () => undefined, info: () => undefined });

const FLAG = { type: "object", properties: { approved: { type: "boolean" }, reason: { type: "string" } }, required: ["approved"] };
const EDITS = { ...FLAG, properties: { ...FLAG.properties, editedArgs: { type: "object" } } };

let server;
let desk;
let client;
let token;

beforeEach(async () => {
  server = await Server.started();
  desk = await Desk.of(server);
  token = await server.token("agent", "front");
  process.env.HANDRAISE_KNOWN_SERVERS = join(newFolder(), "known");
  client = new Handraise({ url: server.url, token });
});
afterEach(() => server.kill());

/** An agent that ends its first run with these, and keeps what the second one got. */
class Scripted extends AbstractAgent {
  constructor(interrupts, calls = []) {
    super({ threadId: `thread-${randomUUID()}` });
    Object.assign(this, { interrupts, calls });
  }

  run({ threadId, runId, resume: answers }) {
    const begin = { type: EventType.RUN_STARTED, threadId, runId };
    const end = { type: EventType.RUN_FINISHED, threadId, runId };
    if (answers) {
      this.heard = answers;
      return from([begin, end]);
    }
    const calls = this.calls.flatMap(({ id, name, args }) => [
      { type: EventType.TOOL_CALL_START, toolCallId: id, toolCallName: name },
      { type: EventType.TOOL_CALL_ARGS, toolCallId: id, delta: JSON.stringify(args) },
      { type: EventType.TOOL_CALL_END, toolCallId: id },
    ]);
    return from([begin, ...calls, { ...end, outcome: { type: "interrupt", interrupts: this.interrupts } }]);
  }

  get waiting() {
    return { threadId: this.threadId, interrupts: this.pendingInterrupts, messages: this.messages };
  }
}

/** Runs it until it is interrupted. */
async function interrupted(...script) {
  const agent = new Scripted(...script);
  await agent.runAgent();
  assert.equal(agent.pendingInterrupts.length, script[0].length);
  return agent;
}

/** What the agent hears, by the ids of its interrupts. */
async function goOn(agent, answers) {
  const entries = await inTime(answers);
  for (const entry of entries) ResumeEntrySchema.parse(entry);
  await agent.runAgent({ resume: entries });
  assert.deepEqual(agent.pendingInterrupts, []);
  return Object.fromEntries(agent.heard.map((entry) => [entry.interruptId, entry]));
}

async function asked(count) {
  const found = [];
  while (found.length < count) found.push(await inTime(desk.next()));
  return found;
}

const PAYMENTS = ["Ana", "Bo", "Cy"];
const calls = PAYMENTS.map((to) => ({ id: `call_${to}`, name: "pay", args: { to, amount: 12.5 } }));
const approvals = (schema) =>
  PAYMENTS.map((to) => ({ id: `int_${to}`, reason: "tool_call", toolCallId: `call_${to}`, responseSchema: schema }));

it("three calls answered out of order reach the right one, with their receipts", async () => {
  const agent = await interrupted(approvals(FLAG), calls);
  const answers = resume(agent.waiting, { client });
  const open = new Map((await asked(3)).map((one) => [one.action.arguments.to, one]));
  await desk.answer(open.get("Cy").id, { approved: true, text: "fine" });
  await desk.answer(open.get("Bo").id, { approved: false, text: "not on a Friday" });
  await desk.answer(open.get("Ana").id, { approved: true });
  const heard = await goOn(agent, answers);
  assert.deepEqual(heard.int_Ana.payload, { approved: true });
  assert.deepEqual(heard.int_Bo.payload, { approved: false, reason: "not on a Friday" });
  assert.deepEqual(heard.int_Cy.payload, { approved: true, reason: "fine" });
  assert.equal(heard.int_Cy.metadata.handraise.receipt.interactionId, open.get("Cy").id);
  assert.equal(heard.int_Bo.metadata.handraise.receipt, undefined);
  assert.ok((await desk.get(open.get("Ana").id)).consumed);
  assert.equal((await desk.get(open.get("Bo").id)).consumed, null);
});

it("a process that asked and ended finds its answers, as often as it comes back for them", async () => {
  const agent = await interrupted(approvals(FLAG), calls);
  const first = await ask(agent.waiting, { client });
  assert.equal(first.length, 3);
  for (const { id } of await asked(3)) await desk.answer(id, { approved: true });
  // Another one, which knows the thread alone.
  const heard = await goOn(agent, resume(agent.waiting, { client }));
  assert.deepEqual(Object.values(heard).map(({ payload }) => payload), PAYMENTS.map(() => ({ approved: true })));
  const again = await resume({ ...agent.waiting, interrupts: agent.interrupts }, { client });
  assert.deepEqual(again.map(({ payload }) => payload), PAYMENTS.map(() => ({ approved: true })));
  assert.equal((await desk.all()).length, 3);
  // A later run of the thread, whose interrupts happen to have the same ids.
  const messages = [...agent.waiting.messages, { id: "later", role: "user", content: "Once more" }];
  await ask({ ...agent.waiting, messages, interrupts: agent.interrupts }, { client });
  assert.equal((await desk.all()).length, 6);
});

it("the same yes is there after a night, and not after it is too old to act on", async () => {
  const agent = await interrupted(approvals(FLAG).slice(0, 1), calls);
  const run = { ...agent.waiting, interrupts: agent.interrupts };
  const [{ id }] = await ask(run, { client });
  await desk.answer(id, { approved: true });
  await resume(run, { client });
  const at = (hours) => new Handraise({ url: server.url, token, clock: { ...CLOCK, now: () => new Date(Date.now() + hours * 3_600_000) } });
  const [{ payload }] = await resume(run, { client: at(12) });
  assert.deepEqual(payload, { approved: true });
  await assert.rejects(resume(run, { client: at(25) }), NotVerified);
  await assert.rejects(resume(run, { client: at(12), maxAge: 3_600 }), NotVerified);
});

it("an approval that something else has used is a no", async () => {
  const agent = await interrupted(approvals(FLAG).slice(0, 1), calls);
  const [{ id }] = await ask(agent.waiting, { client });
  await desk.answer(id, { approved: true });
  await client.known();
  await client.consume(id, "another run");
  const [{ payload }] = await inTime(resume({ ...agent.waiting, interrupts: agent.interrupts }, { client }));
  assert.equal(payload.approved, false);
  assert.match(payload.reason, /used by the run another run/);
});

it("changed arguments reach an agent that takes them, and no other", async () => {
  const agent = await interrupted([...approvals(EDITS).slice(0, 1), ...approvals(FLAG).slice(1, 2)], calls);
  const answers = resume(agent.waiting, { client, amendable: true });
  const open = new Map((await asked(2)).map((one) => [one.action.arguments.to, one]));
  assert.equal(open.get("Bo").amendable ?? null, null);
  await desk.answer(open.get("Ana").id, { approved: true, arguments: { to: "Ana", amount: 3 } });
  await desk.answer(open.get("Bo").id, { approved: true });
  const heard = await goOn(agent, answers);
  assert.deepEqual(heard.int_Ana.payload, { approved: true, editedArgs: { to: "Ana", amount: 3 } });
  assert.deepEqual(heard.int_Bo.payload, { approved: true });
});

it("changed arguments that the agent does not take are refused for the person, before they count", async () => {
  const editedArgs = {
    type: "object", properties: { to: { type: "string" }, amount: { type: "number", maximum: 20 } }, required: ["to"],
  };
  const schema = { ...FLAG, properties: { ...FLAG.properties, editedArgs } };
  const agent = await interrupted(approvals(schema), calls);
  const answers = resume(agent.waiting, { client, amendable: async () => ({ paths: ["/amount"] }) });
  const open = new Map((await asked(3)).map((one) => [one.action.arguments.to, one]));
  const change = (to, changed) => desk.answer(open.get(to).id, { approved: true, arguments: { to, amount: 12.5, ...changed } });
  await assert.rejects(change("Ana", { amount: 99 }), /arguments.amount.*must be 20 or less/);
  await assert.rejects(change("Bo", { to: "Eve" }), /arguments.to/);
  await change("Ana", { amount: 19 });
  for (const name of ["Bo", "Cy"]) await desk.answer(open.get(name).id, { approved: true });
  const heard = await goOn(agent, answers);
  assert.deepEqual(heard.int_Ana.payload, { approved: true, editedArgs: { to: "Ana", amount: 19 } });
});

it("arguments whose schema cannot be held against a change may not be changed", async () => {
  for (const amount of [{ type: "number", exclusiveMinimum: 0 }, { type: "array" }]) {
    const editedArgs = { type: "object", properties: { amount } };
    const agent = await interrupted(approvals({ ...FLAG, properties: { ...FLAG.properties, editedArgs } }).slice(0, 1), calls);
    const [open] = await ask(agent.waiting, { client, amendable: true });
    assert.equal((await desk.get(open.id)).amendable ?? null, null);
  }
  const agent = await interrupted(
    approvals({ ...FLAG, properties: { ...FLAG.properties, editedArgs: { type: "object", properties: { amount: { type: "number" } } } } }).slice(0, 1), calls,
  );
  const schema = { type: "object", properties: { amount: { type: "number" } } };
  await assert.rejects(ask(agent.waiting, { client, amendable: { schema } }), /int_Ana has a schema for changed arguments/);
});

it("a yes or no without a call is an approval of what the interrupt says", async () => {
  const about = { message: "Ship it?", metadata: { build: 7 } };
  const agent = await interrupted([{ id: "int_1", reason: "release", ...about, responseSchema: FLAG }]);
  const answers = resume(agent.waiting, { client });
  const [open] = await asked(1);
  assert.deepEqual(open.action, { tool: "release", arguments: about });
  await desk.answer(open.id, { approved: true });
  assert.deepEqual((await goOn(agent, answers)).int_1.payload, { approved: true });
});

it("a flat schema is a form, and who gives an answer that does not fit is asked again", async () => {
  const responseSchema = {
    type: "object",
    required: ["port", "env", "debug"],
    properties: {
      port: { type: "integer", minimum: 1024, description: "Where it listens" },
      env: { enum: ["staging", "production"] },
      debug: { type: "boolean" },
      note: { type: "string", maxLength: 20 },
    },
  };
  const agent = await interrupted([{ id: "int_1", reason: "input", message: "Set it up", responseSchema }]);
  const answers = resume(agent.waiting, { client });
  const [first] = await asked(1);
  assert.deepEqual(first.questions.map(({ prompt }) => prompt.slice(0, 5)), ["port:", "env", "debug", "note "]);
  await desk.answer(first.id, { answers: { q1: "80", q2: "1", q3: "0", q4: "-" } });
  const [second] = await asked(1);
  assert.match(second.prompt, /Asked again.*\*\*port\*\* is at least 1024/);
  await desk.answer(second.id, { answers: { q1: "8080", q2: "1", q3: "0", q4: "-" } });
  const { payload } = (await goOn(agent, answers)).int_1;
  assert.deepEqual(payload, { port: 8080, env: "production", debug: true });
});

it("without a schema the answer is a text", async () => {
  const agent = await interrupted([{ id: "int_1", reason: "input", message: "Which port?" }]);
  const answers = resume(agent.waiting, { client });
  const [open] = await asked(1);
  assert.equal(open.prompt, "Which port?");
  await desk.answer(open.id, { answers: { answer: "8080\n" } });
  assert.equal((await goOn(agent, answers)).int_1.payload, "8080\n");
});

it("an interrupt that expires is taken back, and one that has expired is not asked", async () => {
  const soon = new Date(Date.now() + 1_500).toISOString();
  const agent = await interrupted([
    { id: "int_1", reason: "input", message: "Now?", expiresAt: soon },
    { id: "int_2", reason: "input", message: "Then?" },
  ]);
  const answers = resume(agent.waiting, { client });
  const open = new Map((await asked(2)).map((one) => [one.prompt, one]));
  await desk.answer(open.get("Then?").id, { answers: { answer: "yes" } });
  const heard = await answers;
  assert.deepEqual(heard.map(({ status }) => status), ["cancelled", "resolved"]);
  assert.equal((await desk.get(open.get("Now?").id)).state, "cancelled");
  const late = { threadId: "another", interrupts: [{ id: "int_1", reason: "input", expiresAt: soon }] };
  assert.deepEqual(await ask(late, { client }), []);
  assert.deepEqual(await resume(late, { client }), [{ interruptId: "int_1", status: "cancelled" }]);
});

it("a question that is not answered in time is cancelled", async () => {
  const agent = await interrupted(approvals(FLAG).slice(0, 1), calls);
  const heard = await goOn(agent, resume(agent.waiting, { client, timeout: 1 }));
  assert.equal(heard.int_Ana.status, "cancelled");
  assert.equal(heard.int_Ana.metadata.handraise.outcome, "expired");
});

it("what people cannot be asked is an error, before anything is asked", async () => {
  const deep = { type: "object", properties: { hosts: { type: "array" } } };
  const more = { ...FLAG, required: ["approved", "password"] };
  for (const [interrupt, told] of [
    [{ responseSchema: deep }, /`hosts` of the interrupt int_2 is more than/],
    [{ responseSchema: more }, /more than a yes or no: password/],
    [{ toolCallId: "call_nobody" }, /lack the tool call call_nobody/],
    [{ responseSchema: { type: "string", pattern: "(" } }, /pattern/],
    [{ responseSchema: { type: "string", not: { const: "x" } } }, /the interrupt int_2 is narrowed by `not`/],
    [{ responseSchema: { type: "object", properties: { a: { type: "number" } }, minProperties: 1 } }, /narrowed by `minProperties`/],
    [{ responseSchema: { type: "object", properties: { a: { type: "number" } }, required: ["b"] } }, /wants `b` and does not say/],
    [{ id: "int_1" }, /two interrupts have the id int_1/],
  ]) {
    const interrupts = [{ id: "int_1", reason: "input" }, { id: "int_2", reason: "input", ...interrupt }];
    await assert.rejects(ask({ threadId: "t", interrupts }, { client }), told);
    await assert.rejects(resume({ threadId: "t", interrupts }, { client }), told);
  }
  // What an agent of an older client has.
  await assert.rejects(resume({ threadId: "t", interrupts: undefined }, { client }), /@ag-ui\/client has since 0\.0\.54/);
  assert.deepEqual(await desk.all(), []);
});

it("a number is held against all that narrows it", async () => {
  const responseSchema = { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1, multipleOf: 0.1, $comment: "a share" };
  const agent = await interrupted([{ id: "int_1", reason: "input", message: "How much?", responseSchema }]);
  const answers = resume(agent.waiting, { client });
  const told = [];
  for (const answer of ["0", "1", "0.25", "0.3"]) {
    const [open] = await asked(1);
    told.push(open.prompt.split("**Asked again**: ")[1]);
    await desk.answer(open.id, { answers: { answer } });
  }
  assert.deepEqual(told.map((one) => one?.replace(/^.* is /, "")), [undefined, "more than 0", "less than 1", "a multiple of 0.1"]);
  assert.equal((await goOn(agent, answers)).int_1.payload, 0.3);
});

it("what was asked in Handraise is an interrupt that a front end takes", async () => {
  const open = await client.open("question", "Which port?", { timeout: 60 });
  const { interrupts } = outcome([open]);
  InterruptSchema.parse(interrupts[0]);
  const agent = await interrupted(interrupts);
  assert.equal(agent.pendingInterrupts[0].id, open.id);
  assert.equal(agent.pendingInterrupts[0].message, "Which port?");
  assert.match(agent.pendingInterrupts[0].metadata.handraise.url, /^http/);
  await desk.answer(open.id, { text: "8080" });
  assert.equal((await client.wait(open.id)).answer.text, "8080");
  assert.throws(() => outcome([]), TypeError);
});
