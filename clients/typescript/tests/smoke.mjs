// `npm run smoke`: the package in each program that can run it, against the real server.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { Desk, Server, inTime } from "../build/tests/serving.js";

const folder = fileURLToPath(new URL("..", import.meta.url));
const own = (name) => join(folder, "runtimes/node_modules/.bin", name);
const runtimes = [
  [process.execPath],
  [own("deno"), "run", "--no-lock", "--allow-net=127.0.0.1", "--allow-env", "--allow-read", "--allow-write", "--allow-sys"],
  [own("bun"), "run"],
];

const server = await Server.started();
const desk = await Desk.of(server);
const token = await server.token("agent", "backend");
try {
  for (const [program, ...command] of runtimes) {
    const known = join(mkdtempSync(join(tmpdir(), "smoke-")), "known_servers");
    const env = { ...process.env, HANDRAISE_URL: server.url, HANDRAISE_TOKEN: token, HANDRAISE_KNOWN_SERVERS: known };
    const child = spawn(program, [...command, join(folder, "tests/smoke_program.mjs")], { env, stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (part) => (output += part));
    const ended = once(child, "close");
    await inTime(desk.answerNext({ text: "80" }));
    await inTime(desk.answerNext({ approved: true }));
    await inTime(desk.answerNext({ approved: false, text: "not on a Friday" }));
    const [code] = await inTime(ended);
    assert.deepEqual([code, output], [0, "80\npaid 12.5 to Ana\nnot approved (denied): not on a Friday\n"], program);
    console.log(`${program.split("/").at(-1)}: asked, approved, denied, proven`);
  }
} finally {
  await server.kill();
}
process.exit();
