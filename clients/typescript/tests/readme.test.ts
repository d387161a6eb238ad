/** What the README shows works when it is pasted, by its types and when it runs. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { fileURLToPath } from "node:url";
import ts from "typescript";

import { type Body, Desk, Server, inTime, newFolder } from "./serving.js";

const FOLDER = fileURLToPath(new URL("../../", import.meta.url));
const TEXT = readFileSync(join(FOLDER, "README.md"), "utf8");
const BLOCKS = new Map([...TEXT.matchAll(/^## ([^\n]+)\n+```ts\n(.*?)^```/gms)].map(([, title, code]) => [title, code as string]));

const ANSWERS: Record<string, Body> = {
  question: { text: "80" }, approval: { approved: true }, acknowledgement: {}, plan_review: { decision: "proceed" },
  form: { answers: { port: "80", env: "staging" } },
};

let server: Server;
let desk: Desk;
let token: string;
/** In the package, so that its own name is found. */
const scratch = join(FOLDER, "build", "readme");

before(async () => {
  mkdirSync(scratch, { recursive: true });
  server = await Server.started();
  [desk, token] = [await Desk.of(server), await server.token("agent", "backend")];
});
after(async () => {
  rmSync(scratch, { recursive: true });
  await server.kill();
});

for (const [heading, kinds, printed] of [
  ["Ask", ["question"], "80\n"],
  ["Choose", ["choice", "choice"], "redis [ 'staging' ]\n"],
  ["Approve", ["approval"], "approved by desk DELETE FROM sessions\n"],
  ["Guard", ["approval"], "paid 12.5 to Ana\n"],
  ["Acknowledge", ["acknowledgement"], "seen by desk\n"],
  ["Review a plan", ["plan_review"], "go on edit clear context: false\n"],
  ["Form", ["form"], "80 staging\n"],
  ["Notify", ["notification"], ""],
  ["Ask now, wait later", ["question"], "answered 80\n"],
] as const) {
  it(`does what it says under ${heading}`, async () => {
    const file = join(scratch, "block.mjs");
    writeFileSync(file, ts.transpile(BLOCKS.get(heading) ?? assert.fail(), { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext }));
    const env = { ...process.env, HANDRAISE_URL: server.url, HANDRAISE_TOKEN: token, HANDRAISE_KNOWN_SERVERS: join(newFolder(), "known") };
    const program = spawn(process.execPath, [file], { env, stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    program.stdout.on("data", (part: Buffer) => (output += part.toString()));
    const ended = once(program, "close");
    for (const kind of kinds) {
      const asked = await desk.next();
      assert.equal(asked["kind"], kind);
      if (kind === "choice") await desk.answer(asked["id"], { selected: [asked["options"][0].value] });
      else if (kind !== "notification") await desk.answer(asked["id"], ANSWERS[kind] as Body);
    }
    assert.deepEqual(await inTime(ended), [0, null]);
    assert.ok(output.endsWith(printed), output);
  });
}

it("has no block that is left out, and none with a wrong type", () => {
  assert.equal(BLOCKS.size, 9);
  const files = [...BLOCKS.values()].map((code, n) => {
    const file = join(scratch, `types${n}.ts`);
    writeFileSync(file, code as string);
    return file;
  });
  const program = ts.createProgram(files, {
    target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, strict: true, noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true, noEmit: true, skipLibCheck: true, types: ["node"],
  });
  const found = ts.getPreEmitDiagnostics(program).map((one) => ts.flattenDiagnosticMessageText(one.messageText, " "));
  assert.deepEqual(found, []);
});
