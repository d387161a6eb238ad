/** All calls, against the real server. */

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, it } from "node:test";

import {
  AlreadyUsed, Cancelled, Denied, Expired, Handraise, KeyChanged, OperandChanged, Refused, Unauthorized, askedNobody,
  approvedInWords, guarded, hashFile, setLog,
} from "../src/index.js";
import { KnownServers } from "../src/known_servers.js";
import { type Body, Desk, Server, inTime, newFolder } from "./serving.js";

const ACTION = ["shell", { command: "make deploy" }] as const;

let server: Server;
let desk: Desk;
let people: Handraise;
let token: string;

before(async () => {
  setLog({ warn: () => undefined, info: () => undefined });
  process.env["HANDRAISE_KNOWN_SERVERS"] = join(newFolder(), "known_servers");
  delete process.env["HANDRAISE_PUBLIC_KEY"];
  server = await Server.started();
  token = await server.token("agent", "backend");
});
beforeEach(async () => {
  desk = await Desk.of(server);
  people = new Handraise({ url: server.url, token });
});
after(() => server.kill());

/** What a call returns when a person has answered what it asks. */
async function withAnswer<T>(asking: Promise<T>, answer: Body): Promise<T> {
  const [result] = await inTime(Promise.all([asking, desk.answerNext(answer)]));
  return result;
}

it("gets each kind's answer whole", async () => {
  const text = "a\n\tb\u0000\u{1F980} \u202e\"";
  assert.equal(await withAnswer(people.ask("?"), { text }), text);
  assert.equal(await withAnswer(people.ask("?"), { text: "" }), "");
  assert.equal(await withAnswer(people.choose("?", ["a", { value: "b", label: "B" }]), { selected: ["b"] }), "b");
  assert.deepEqual(await withAnswer(people.choose("?", ["a", "b"], { multiple: true }), { selected: [] }), []);
  const seen = await withAnswer(people.acknowledge("?", { urgent: true }), {});
  assert.equal(seen.answer?.responder?.name, "desk");
  const form = people.form("?", [{ id: "port", prompt: "?" }, { id: "env", prompt: "?", options: ["x", { value: "y" }] }]);
  assert.deepEqual(await withAnswer(form, { answers: { port: "80", env: "y" } }), { port: "80", env: "y" });
  const told = await people.notify("Done", { level: "success", task: { id: "T-1", title: "Cache" }, metadata: { pr: 12 } });
  assert.deepEqual([told.outcome, told.level, told.task?.title, told.metadata], ["delivered", "success", "Cache", { pr: 12 }]);
});

it("returns an approval only, with its proof", async () => {
  const decision = await withAnswer(people.approve("Deploy?", ...ACTION), { approved: true, text: "go" });
  assert.ok(decision.approved && decision.receipt);
  assert.deepEqual([decision.arguments, decision.comment, decision.responder?.name], [ACTION[1], "go", "desk"]);
  assert.equal(approvedInWords(decision.receipt), "desk approved it");
  assert.ok(!askedNobody(decision.receipt));
  assert.ok((await people.verify(decision.interaction.id, ...ACTION)).approved);
  await assert.rejects(withAnswer(people.approve("Deploy?", ...ACTION), { approved: false, text: "not on a Friday" }), (error) => {
    assert.ok(error instanceof Denied);
    assert.match(error.message, /not on a Friday/);
    assert.throws(() => error.decision.arguments, Denied);
    return !error.decision.approved;
  });
  const cancelling = people.approve("Deploy?", ...ACTION);
  cancelling.catch(() => undefined);
  await desk.cancel((await desk.next())["id"]);
  await assert.rejects(inTime(cancelling), Cancelled);
  await assert.rejects(people.approve("Deploy?", ...ACTION, { timeout: 1 }), Expired);
});

it("does not take a pending approval for one", async () => {
  const asked = await people.open("approval", "Deploy?", { tool: ACTION[0], arguments: ACTION[1] });
  await assert.rejects(people.verify(asked.id, ...ACTION), /not approved \(pending\)/);
  await assert.rejects(people.consume(asked.id), (error: Refused) => error.code === "not_approved");
});

it("runs what a person has changed it to, if it takes changes", async () => {
  const amending = people.approve("Scale?", "scale", { replicas: 9 }, { amendable: true });
  const decision = await withAnswer(amending, { approved: true, arguments: { replicas: 3 } });
  assert.deepEqual(decision.arguments, { replicas: 3 });
  assert.deepEqual(decision.interaction.amended?.arguments, { replicas: 3 });
});

it("says how far a quorum is", async () => {
  const asked = await people.open("approval", "Deploy?", { tool: ACTION[0], arguments: ACTION[1], approvals: 2 });
  assert.equal(asked.approvals?.["needed"], 2);
  assert.deepEqual(asked.progress, { needed: 2, approved: [] });
});

it("lets an approval be used once, and says what came of it once", async () => {
  const { interaction } = await withAnswer(people.approve("Deploy?", ...ACTION), { approved: true });
  const used = await people.consume(interaction.id);
  assert.ok(used.consumed);
  assert.deepEqual((await people.consume(interaction.id, used.consumed.run)).consumed, used.consumed);
  await assert.rejects(people.consume(interaction.id), (error) => {
    assert.ok(error instanceof AlreadyUsed);
    assert.deepEqual([error.at, error.by], [used.consumed?.at, used.consumed?.run]);
    return true;
  });
  const reported = await people.report(interaction.id, "failed", "exit status 2");
  assert.deepEqual([reported.report?.outcome, reported.report?.text], ["failed", "exit status 2"]);
  await people.report(interaction.id, "failed", "exit status 2");
  await assert.rejects(people.report(interaction.id, "done"), (error: Refused) => error.code === "already_reported");
});

it("reviews a plan, its comments, and its next version", async () => {
  const adjusted = await withAnswer(people.reviewPlan("Go on?", "1. Größer\r\n2. Deploy"), {
    decision: "adjust", feedback: "first test it", comments: [{ line: 2, to_line: 2, text: "how?" }],
  });
  assert.deepEqual([adjusted.mayProceed, adjusted.targetMode, adjusted.receipt], [false, null, null]);
  assert.match(adjusted.feedback ?? "", /first test it/);
  assert.deepEqual(adjusted.comments.map((one) => [one.line, one.toLine, one.text]), [[2, 2, "how?"]]);
  const revised = people.reviewPlan("Now?", "1. Test\n2. Deploy", { revises: adjusted.interaction.id });
  const review = await withAnswer(revised, { decision: "proceed_clean" });
  assert.deepEqual([review.mayProceed, review.clearContext, review.targetMode], [true, true, "edit"]);
  assert.equal(review.interaction.revises, adjusted.interaction.id);
  await assert.rejects(people.reviewPlan("Go on?", "1. Deploy", { timeout: 1 }), Expired);
});

it("sends files along, and a decision covers them", async () => {
  const text = await people.attach("run 1.log", new TextEncoder().encode("it works\n"));
  assert.deepEqual([text.name, text.type], ["run 1.log", "text/plain"]);
  const file = join(newFolder(), "a.diff");
  writeFileSync(file, "--- a\n+++ b\n");
  const diff = await people.attach(file);
  const approving = people.approve("Deploy?", ...ACTION, { attachments: [text, diff] });
  const decision = await withAnswer(approving, { approved: true });
  assert.deepEqual(decision.interaction.action?.attachments.map((one) => one.name), ["run 1.log", "a.diff"]);
  await assert.rejects(people.ask("?", { attachments: [{ ...text, id: null }] }), /attach it once more/);
  await assert.rejects(people.attach("a.bin", Uint8Array.of(0xff, 0xfe, 0)), /neither a picture/);
  const plan = await people.attach("p.txt", new TextEncoder().encode("p"));
  const review = await withAnswer(people.reviewPlan("?", "1.", { attachments: [plan] }), { decision: "proceed" });
  assert.ok(review.receipt?.attachmentsDigest && review.mayProceed);
});

it("takes back, lists, and ends a session", async () => {
  const goes = await people.open("question", "Which?", { sessionId: "nightly", withdrawOnDisconnect: true });
  const stays = await people.open("question", "Which?", { sessionId: "nightly", mode: "async" });
  assert.deepEqual((await people.endSession("nightly")).map((one) => [one.id, one.cancelCode]), [[goes.id, "session_ended"]]);
  assert.equal((await people.wait(stays.id, { timeout: 0 })).state, "pending");
  const page = await people.list({ sessionId: "nightly", state: "pending", limit: 1 });
  assert.deepEqual(page.items.map((one) => one.id), [stays.id]);
  assert.equal((await people.cancel(stays.id, "done without")).cancelReason, "done without");
  await assert.rejects(people.cancel(stays.id), (error: Refused) => {
    return error.code === "already_closed" && error.problem["closed_by"] === "backend";
  });
  await assert.rejects(people.get("../x"), (error: Refused) => error.status === 404);
});

it("takes the fallback after the deadline", async () => {
  assert.equal(await people.ask("?", { timeout: 1, fallback: "" }), "");
  assert.deepEqual(await people.choose("?", ["a", "b"], { multiple: true, timeout: 1, fallback: [] }), []);
  await assert.rejects(people.ask("?", { timeout: 1 }), Expired);
});

it("gets the same interaction under the same key", async () => {
  const idempotencyKey = `k-${Date.now()}`;
  const asked = await people.open("question", "Which?", { idempotencyKey });
  await desk.answer(asked.id, { text: "80" });
  assert.equal(await people.ask("Which?", { idempotencyKey }), "80");
  await assert.rejects(people.ask("Other?", { idempotencyKey }), (error: Refused) => error.code === "idempotency_key_reused");
  await assert.rejects(people.ask("?", { idempotencyKey: "k\u00fc" }), /visible ASCII/);
});

it("says what the server refuses, field by field", async () => {
  await assert.rejects(people.choose(" ", ["a"]), (error) => {
    assert.ok(error instanceof Refused);
    assert.deepEqual(error.errors.map((one) => one.path).sort(), ["options", "prompt"]);
    return true;
  });
  await assert.rejects(new Handraise({ url: server.url, token: "hr_agent_guess" }).ask("?"), (error: Unauthorized) => {
    return error instanceof Unauthorized && error.code === "bad_token" && !error.message.includes("guess");
  });
});

it("shows files, has them signed, and hashes them again", async () => {
  const script = join(newFolder(), "grün.sh");
  writeFileSync(script, "make deploy");
  const runs: string[] = [];
  const run = guarded(async ({ script }: { script: string }) => runs.push(readFileSync(script, "utf8")), {
    tool: "shell", client: people, operands: ({ script }) => script,
  });
  const asked = desk.answerNext({ approved: true });
  await inTime(run({ script }));
  const { name, sha256, size } = await hashFile(script);
  assert.deepEqual((await asked)["action"].operands, [{ name, sha256, size }]);
  const seen = await desk.get((await asked)["id"]);
  assert.ok(seen["consumed"].run && seen["report"].outcome === "done");
  const running = run({ script });
  running.catch(() => undefined);
  const { id } = await desk.next() as { id: string };
  writeFileSync(script, "rm -rf /");
  await desk.answer(id, { approved: true });
  await assert.rejects(inTime(running), OperandChanged);
  assert.deepEqual(runs, ["make deploy"]);
  assert.equal((await desk.get(id))["consumed"], null);
});

it("follows a rotated key, and believes no other", async () => {
  const own = await Server.started();
  const [ownDesk, agent] = [await Desk.of(own), await own.token("agent", "backend")];
  const client = new Handraise({ url: own.url, token: agent });
  const approve = async (): Promise<void> => {
    await inTime(Promise.all([client.approve("?", ...ACTION), ownDesk.answerNext({ approved: true })]));
  };
  await approve();
  let successor = "";
  for (let n = 0; n < 2; n += 1) {
    successor = await own.rotateKey();
    await own.kill();
    await own.start();
  }
  await approve();
  const known = new KnownServers(process.env["HANDRAISE_KNOWN_SERVERS"] as string);
  assert.deepEqual(await known.find(own.url), [successor]);
  await own.kill();
  const other = await Server.started({}, own.port);
  const asking = new Handraise({ url: other.url, token: await other.token("agent", "backend") }).approve("?", ...ACTION);
  asking.catch(() => undefined);
  await (await Desk.of(other)).answer((await firstOf(other))["id"], { approved: true });
  await assert.rejects(inTime(asking), KeyChanged);
  await other.kill();
});

async function firstOf(asked: Server): Promise<Body> {
  const all = await Desk.of(asked);
  for (;;) {
    const [first] = await all.all();
    if (first !== undefined) return first;
    await new Promise((done) => setImmediate(done));
  }
}

it("has a line for a server that the command line reads, and the other way round", async () => {
  const file = join(newFolder(), "known_servers");
  await server.trust("HTTPS://H.example:443/desk/", await server.key(), file);
  const known = new KnownServers(file);
  assert.deepEqual(await known.find("https://h.example/desk"), [await server.key()]);
  await known.add("https://other.example", [await server.key()]);
  await server.trust("https://third.example", await server.key(), file);
  assert.equal(readFileSync(file, "utf8").split("\n").length, 4);
});
