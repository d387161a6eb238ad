/** The caller's trace goes along with what it asks, where OpenTelemetry is in use. */

import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { join } from "node:path";
import { after, afterEach, before, it } from "node:test";

import { type Context, type ContextManager, ROOT_CONTEXT, context, trace } from "@opentelemetry/api";

import { Handraise } from "../src/index.js";
import { traceHeaders } from "../src/trace.js";
import { Server, newFolder } from "./serving.js";

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN_ID = "00f067aa0ba902b7";

/** What the SDK for Node.js registers, without the SDK. */
class Contexts implements ContextManager {
  private readonly storage = new AsyncLocalStorage<Context>();
  active = (): Context => this.storage.getStore() ?? ROOT_CONTEXT;
  with: ContextManager["with"] = (active, run, self, ...args) => this.storage.run(active, () => run.call(self as never, ...args));
  bind: ContextManager["bind"] = (_, target) => target;
  enable = (): this => this;
  disable = (): this => this;
}

function inSpan<T>(run: () => T, place: { traceId?: string; traceFlags?: number } = {}): T {
  const active = trace.setSpanContext(ROOT_CONTEXT, { traceId: TRACE_ID, spanId: SPAN_ID, traceFlags: 1, ...place });
  return context.with(active, run);
}

let server: Server;
before(async () => {
  process.env["HANDRAISE_KNOWN_SERVERS"] = join(newFolder(), "known_servers");
  server = await Server.started();
});
after(() => server.kill());
afterEach(() => context.disable());

it("says where in its trace it is", () => {
  assert.deepEqual(traceHeaders(), {});
  context.setGlobalContextManager(new Contexts());
  assert.deepEqual(traceHeaders(), {});
  assert.deepEqual(inSpan(traceHeaders), { traceparent: `00-${TRACE_ID}-${SPAN_ID}-01` });
  assert.deepEqual(inSpan(traceHeaders, { traceFlags: 0 }), { traceparent: `00-${TRACE_ID}-${SPAN_ID}-00` });
});

it("says nothing that is no place", () => {
  context.setGlobalContextManager(new Contexts());
  for (const traceId of ["", "0".repeat(32), TRACE_ID.toUpperCase(), undefined as unknown as string, 7 as unknown as string]) {
    assert.deepEqual(inSpan(traceHeaders, { traceId }), {});
  }
});

it("is kept from asking by no other API", () => {
  const key = Symbol.for("opentelemetry.js.api.1");
  const global = globalThis as unknown as Record<symbol, unknown>;
  const own = global[key];
  for (const api of [undefined, null, {}, { context: {} }, { context: { active: () => null } }]) {
    global[key] = api;
    assert.deepEqual(traceHeaders(), {});
  }
  global[key] = own;
});

it("is given back by the server", async () => {
  context.setGlobalContextManager(new Contexts());
  const people = new Handraise({ url: server.url, token: await server.token("agent", "traced") });
  const asked = await inSpan(() => people.open("question", "Which port?"));
  assert.equal(asked.traceparent, `00-${TRACE_ID}-${SPAN_ID}-01`);
  assert.equal((await people.get(asked.id)).traceparent, asked.traceparent);
});
