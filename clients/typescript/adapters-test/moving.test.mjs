// Our side of docs/moving.md does what the page says: each block of TypeScript, as it stands there.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, it } from "node:test";

import { Desk, Server, inTime, newFolder } from "../build/tests/serving.js";
import { ROOT, place, started } from "./places.mjs";

// Of the client, one folder up.
const ts = createRequire(new URL("../package.json", import.meta.url))("typescript");
const PAGE = readFileSync(join(ROOT, "docs/moving.md"), "utf8");
const BLOCKS = new Map([...PAGE.matchAll(/^## ([^\n]+)|^```ts\n(.*?)^```/gms)].reduce(
  ({ found, heading }, [, title, code]) => ({ found: code ? [...found, [heading, code]] : found, heading: title ?? heading }),
  { found: [], heading: "" },
).found);

let server;
let desk;

before(async () => {
  server = await Server.started();
  desk = await Desk.of(server);
});
after(async () => {
  await server.kill();
});

for (const [heading, answer, printed] of [
  ["gotoHuman", { approved: true, arguments: { post: "Our cache" } }, "publishing: Our cache\n"],
  ["gotoHuman", { approved: false, text: "too short" }, "not approved (denied): too short\n"],
  ["Agent Inbox", { approved: true, arguments: { to: "bo@example.org" } }, "sent to bo@example.org\n"],
  ["Agent Inbox", { approved: false, text: "not on a Friday" }, /not approved \(denied\): not on a Friday/],
]) {
  it(`under ${heading}, answered ${answer.approved}`, async () => {
    const file = join(place("moving"), "block.mjs");
    writeFileSync(file, ts.transpile(BLOCKS.get(heading), { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext }));
    const token = await server.token("agent", `mover-${printed}`.replace(/\W/g, "").slice(0, 40));
    const env = { HANDRAISE_URL: server.url, HANDRAISE_TOKEN: token, HANDRAISE_KNOWN_SERVERS: join(newFolder(), "known") };
    const { child, said } = started(file, env);
    try {
      const output = said();
      await Promise.race([desk.answerNext(answer), output]);
      assert.match(await inTime(output), typeof printed === "string" ? new RegExp(`^${printed.replace(/[()]/g, "\\$&")}$`) : printed);
    } finally {
      child.kill("SIGKILL");
    }
  });
}

it("no block is left out", () => {
  assert.deepEqual([...BLOCKS.keys()], ["gotoHuman", "Agent Inbox"]);
});
