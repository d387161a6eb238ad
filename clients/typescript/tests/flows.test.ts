/** What the client does when, by a clock that stands still. */

import assert from "node:assert/strict";
import { it } from "node:test";

import { Handraise, Unreachable } from "../src/index.js";
import { HOLD } from "../src/steps.js";

const ID = "019a7c41-5d0e-7b52-9c1a-0f6de2f3b8aa";
const BODY = {
  id: ID, version: 1, kind: "question", mode: "sync", state: "pending", prompt: "Which port?",
  agent: { id: "1", name: "backend" }, priority: "normal", created_at: "2027-01-15T08:00:00Z",
  dashboard_url: "http://127.0.0.1:3000/blockers/1",
};
const ANSWERED = {
  ...BODY, state: "resolved", outcome: "answered",
  answer: {
    text: "80", answered_at: "2027-01-15T08:00:41.207Z", responder: { id: "2", name: "Ana", via: "dashboard" },
  },
};

type Step = { seconds?: number; status?: number; body?: unknown; headers?: Record<string, string> } | "lost";

/** Replies in turn, each after some seconds. `chance` is 0: pauses are as short as they may be. */
class Script {
  now = 0;
  readonly pauses: number[] = [];
  readonly sent: { method: string; path: string; body: any; headers: Record<string, string> }[] = [];

  constructor(private readonly steps: Step[]) {}

  client(giveUpAfter?: number): Handraise {
    return new Handraise({
      token: "t",
      ...(giveUpAfter === undefined ? {} : { giveUpAfter }),
      clock: {
        seconds: () => this.now,
        now: () => new Date(Date.UTC(2027, 0, 15)),
        chance: () => 0,
        sleep: async (seconds) => {
          this.pauses.push(seconds);
          this.now += seconds;
        },
      },
      fetch: async (url, init) => {
        const headers = init.headers as Record<string, string>;
        const body = typeof init.body === "string" ? JSON.parse(init.body) : null;
        this.sent.push({ method: String(init.method), path: url.split("/api/v1")[1] as string, body, headers });
        const step = this.steps.length > 1 ? (this.steps.shift() as Step) : (this.steps[0] as Step);
        if (step === "lost") throw new TypeError("fetch failed", { cause: new Error("refused") });
        this.now += step.seconds ?? 0;
        return new Response(JSON.stringify(step.body ?? {}), { status: step.status ?? 200, headers: step.headers ?? {} });
      },
    });
  }
}

it("opens, awaits and collects a question", async () => {
  const script = new Script([{ status: 201, body: BODY }, { seconds: HOLD, body: BODY }, { seconds: 3, body: ANSWERED }]);
  assert.equal(await script.client().ask("Which port?", { timeout: null, fallback: "" }), "80");
  assert.deepEqual(script.sent.map(({ method, path }) => `${method} ${path}`), [
    "POST /interactions", `GET /interactions/${ID}`, `GET /interactions/${ID}`, `POST /interactions/${ID}/collect`,
  ]);
  const [opening, waiting] = script.sent;
  assert.deepEqual(opening?.body, { kind: "question", prompt: "Which port?", fallback: "", timeout_seconds: null });
  assert.equal(waiting?.headers["Prefer"], "wait=30");
  // Held for its whole time: asked again at once.
  assert.deepEqual(script.pauses, []);
});

it("sends what is said with a notification", async () => {
  const script = new Script([{ body: { ...BODY, kind: "notification", state: "resolved" } }]);
  await script.client().notify("Done", {
    callbackUrl: "https://agent.example/", urgent: true, task: "T-1", metadata: {}, title: null,
  });
  assert.deepEqual(script.sent[0]?.body, {
    kind: "notification", prompt: "Done", level: "info", callback_url: "https://agent.example/", priority: "urgent",
    task: { id: "T-1" }, metadata: {},
  });
  await assert.rejects(script.client().notify("Done", { timeout: 3 } as object), /no option "timeout"/);
});

it("doubles its pauses up to ten seconds, and sends the same under the same key", async () => {
  const script = new Script([...Array<Step>(8).fill("lost"), { status: 201, body: BODY }, "lost", { body: ANSWERED }]);
  await script.client().ask("Which port?");
  // Half of 0.25, 0.5, 1, ...: the other half is chance. After a reply they begin anew.
  assert.deepEqual(script.pauses, [0.125, 0.25, 0.5, 1, 2, 4, 5, 5, 0.125]);
  assert.equal(new Set(script.sent.slice(0, 9).map((one) => one.headers["Idempotency-Key"])).size, 1);
});

it("waits as long as Retry-After says, in seconds and as a date", async () => {
  const soon = new Date(Date.UTC(2027, 0, 15, 0, 1, 30)).toUTCString();
  const script = new Script([
    { status: 429, headers: { "Retry-After": "60" } },
    { status: 503, headers: { "Retry-After": soon } },
    ...["soon", "-5", "", "Sun"].map((nonsense) => ({ status: 503, headers: { "Retry-After": nonsense } })),
    { body: ANSWERED },
  ]);
  await script.client().get(ID);
  assert.deepEqual(script.pauses.slice(0, 2), [60, 90]);
  assert.ok(script.pauses.slice(2).every((pause) => pause <= 5));
});

it("tries again what may pass, and nothing else", async () => {
  for (const status of [408, 429, 500, 502, 503, 504, 599]) {
    const script = new Script([{ status }, { body: ANSWERED }]);
    assert.equal((await script.client().get(ID)).answer?.text, "80");
  }
  for (const status of [301, 400, 404, 409, 422]) {
    const script = new Script([{ status }]);
    await assert.rejects(script.client().get(ID));
    assert.equal(script.sent.length, 1);
  }
});

it("counts from the last reply when it gives up", async () => {
  const script = new Script([{ seconds: 9, status: 201, body: BODY }, { seconds: HOLD, body: BODY }, "lost"]);
  await assert.rejects(script.client(10).ask("Which port?"), (error) => {
    assert.ok(error instanceof Unreachable);
    assert.match(error.message, /10 s.*refused/);
    assert.equal(error.interactionId, ID);
    return true;
  });
  assert.equal(script.pauses.reduce((sum, pause) => sum + pause), 10);
});

it("does not keep an answer back because it cannot be collected", async () => {
  const script = new Script([{ status: 201, body: BODY }, { body: ANSWERED }, "lost"]);
  assert.equal(await script.client().ask("Which port?"), "80");
  assert.ok(script.now <= 10);
});

it("does not ask at once again when the server holds nothing", async () => {
  const script = new Script([{ status: 201, body: BODY }, { body: BODY }, { body: BODY }, { body: ANSWERED }]);
  await script.client().ask("Which port?");
  assert.deepEqual(script.pauses, [0.125, 0.25]);
});

it("returns what is there by then after a timeout", async () => {
  const script = new Script([{ seconds: 5, body: BODY }]);
  assert.equal((await script.client().wait(ID, { timeout: 5 })).state, "pending");
  assert.equal(script.sent[0]?.headers["Prefer"], "wait=5");
});

it("ends its waiting when it is aborted, and takes nothing back", async () => {
  const stop = new AbortController();
  const client = new Handraise({
    token: "t",
    fetch: async (_, init) => {
      if (init.method === "POST") return Response.json(BODY, { status: 201 });
      queueMicrotask(() => stop.abort(new Error("the agent goes home")));
      return new Promise((_done, fail) => init.signal?.addEventListener("abort", () => fail(init.signal?.reason as Error)));
    },
  });
  await assert.rejects(client.ask("Which port?", { signal: stop.signal }), /goes home/);
});

it("cuts a reply that never ends", async () => {
  const client = new Handraise({
    token: "t", giveUpAfter: 0,
    fetch: async () => new Response(new ReadableStream({ pull: (it) => it.enqueue(new Uint8Array(1 << 20)) })),
  });
  await assert.rejects(client.get(ID), /longer than/);
});

it("says at once what cannot work", () => {
  for (const [settings, told] of [
    [{ token: " " }, /HANDRAISE_TOKEN/],
    [{ token: "hr_agent\nX: y" }, /characters/],
    [{ url: "127.0.0.1:3000", token: "t" }, /http:\/\//],
    [{ url: "ftp://127.0.0.1", token: "t" }, /http:\/\//],
    [{ url: "http://127.0.0.1:port", token: "t" }, /no URL/],
    [{ url: "http://h/a\\b", token: "t" }, /backslash/],
    [{ url: "http://ana:secret@127.0.0.1", token: "t" }, /password/],
    [{ token: "t", publicKey: "" }, /no public key/],
    [{ token: "t", publicKey: "mine" }, /no public key/],
  ] as const) {
    assert.throws(() => new Handraise(settings), (error: Error) => told.test(error.message) && !/secret/.test(error.message));
  }
});
