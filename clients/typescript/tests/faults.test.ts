/** What goes wrong on the way: killed servers, lost replies, refused connections, limits. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, afterEach, before, it } from "node:test";

import { Handraise, HandraiseError, Refused, Unreachable, setLog } from "../src/index.js";
import { LONGEST_REPLY } from "../src/exchange.js";
import { Proxy } from "./proxy.js";
import { Desk, Server, inTime, newFolder } from "./serving.js";

const OPEN = "POST /api/v1/interactions";
const POLL = "GET /api/v1/interactions/";
const ID = "019a7c41-5d0e-7b52-9c1a-0f6de2f3b8aa";

let server: Server;
let proxy: Proxy;
let desk: Desk;
let people: Handraise;
let troubled: () => void = () => undefined;

/** Returns when the client says that something goes wrong. */
function trouble(): Promise<void> {
  return new Promise((done) => {
    troubled = done;
  });
}

before(() => {
  setLog({ warn: (message) => void (message.includes("trying again") && troubled()), info: () => undefined });
  process.env["HANDRAISE_KNOWN_SERVERS"] = join(newFolder(), "known_servers");
});
async function begin(settings: Record<string, string> = {}): Promise<void> {
  process.env["HANDRAISE_KNOWN_SERVERS"] = join(newFolder(), "known_servers");
  server = await Server.started(settings);
  proxy = await Proxy.to(server);
  desk = await Desk.of(server);
  people = new Handraise({ url: proxy.url, token: await server.token("agent", "backend") });
}
afterEach(async () => {
  proxy.close();
  await server.kill();
});
after(() => setLog({ warn: () => undefined, info: () => undefined }));

for (const how of ["SIGKILL", "SIGTERM"] as const) {
  it(`goes on when the server ends by ${how} while the agent waits`, async () => {
    await begin();
    const asking = people.ask("Which port?");
    const { id } = (await desk.next()) as { id: string };
    await proxy.awaitRequest(POLL);
    await server.kill(how);
    await server.start();
    // An answer that comes before the agent is back waits for it.
    await desk.answer(id, { text: "80" });
    assert.equal(await inTime(asking), "80");
    const all = await desk.all();
    assert.deepEqual(all.map((one) => one["id"]), [id]);
    assert.ok(all[0]?.["collected_at"]);
  });
}

it("asks once when the server is killed before it says that it has the question", async () => {
  await begin();
  const said = trouble();
  proxy.loseReply(OPEN, () => server.kill());
  const asking = people.approve("Deploy?", "shell", { command: "make" });
  await inTime(said);
  await server.start();
  const asked = await desk.answerNext({ approved: true });
  assert.ok((await inTime(asking)).approved);
  assert.deepEqual((await desk.all()).map((one) => one["id"]), [asked["id"]]);
  assert.ok(proxy.count(OPEN) >= 2);
});

it("asks once when a reply is lost on the way", async () => {
  await begin();
  for (const start of [OPEN, POLL, "POST /api/v1/interactions/"]) {
    proxy.loseReply(start);
    const asking = people.ask(start);
    await desk.answerNext({ text: "80" });
    assert.equal(await inTime(asking), "80");
    assert.equal((await desk.all()).filter((one) => one["prompt"] === start).length, 1);
  }
  const { id } = await people.open("question", "?");
  proxy.loseReply(`${OPEN}/${id}/cancel`);
  assert.equal((await people.cancel(id)).state, "cancelled");
  await desk.next();
  const approving = people.approve("?", "t", {});
  await desk.answerNext({ approved: true });
  const { interaction } = await inTime(approving);
  proxy.loseReply(`${OPEN}/${interaction.id}/consume`);
  assert.ok((await people.consume(interaction.id)).consumed);
});

it("takes no reply for what is none", async () => {
  await begin();
  for (const reply of [
    "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 7\r\n\r\n<html/>",
    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n",
    'HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"id": "0',
    "",
  ]) {
    for (const start of [OPEN, POLL, "POST /api/v1/interactions/"]) proxy.forgeReply(start, reply);
    const asking = people.ask("Which port?");
    await desk.answerNext({ text: "80" });
    assert.equal(await inTime(asking), "80");
  }
});

it("may ask before the server runs", async () => {
  await begin();
  await server.kill();
  const said = trouble();
  const asking = people.ask("Which port?");
  await inTime(said);
  await server.start();
  await desk.answerNext({ text: "80" });
  assert.equal(await inTime(asking), "80");
});

it("learns how to go on when it gives up", async () => {
  await begin();
  const token = await server.token("agent", "devops");
  await server.kill();
  const impatient = new Handraise({ url: server.url, token, giveUpAfter: 0.5 });
  await assert.rejects(impatient.ask("?"), (error) => error instanceof Unreachable && error.idempotencyKey !== null);
  await assert.rejects(impatient.wait(ID, { timeout: 0.2 }), (error: Unreachable) => error.interactionId === ID);
});

it("sends later what were too many requests", async () => {
  await begin({ HANDRAISE_RATE_LIMIT_PER_MINUTE: "60" });
  const impatient = new Handraise({ url: server.url, token: await server.token("agent", "devops"), giveUpAfter: 0.01 });
  await assert.rejects(
    (async () => {
      for (let n = 0; n < 200; n += 1) await impatient.list();
    })(),
    /429 rate_limited/,
  );
});

it("recognises another program at this address", async () => {
  await begin();
  for (const [reply, told] of [
    ["HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n<html/>", /not JSON/],
    ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", /not one of Handraise/],
    ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]", /not one of Handraise/],
    [`HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n{}${" ".repeat(LONGEST_REPLY)}`, /longer than/],
    ["HTTP/1.1 301 Moved\r\nLocation: http://elsewhere.example/\r\nContent-Length: 0\r\n\r\n", /elsewhere/],
  ] as const) {
    proxy.forgeReply(POLL, reply);
    await assert.rejects(people.get(ID), (error: Error) => error instanceof HandraiseError && told.test(error.message));
  }
  proxy.forgeReply(POLL, "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnope");
  await assert.rejects(people.get(ID), (error: Refused) => error.status === 404 && error.code === null);
});
