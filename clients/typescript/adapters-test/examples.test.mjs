// Each program of `examples` that JavaScript runs: started, answered by the API, and its output read.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, it } from "node:test";

import { Desk, Server, inTime, newFolder } from "../build/tests/serving.js";
import { ROOT, place, started } from "./places.mjs";

const AMENDED = { approved: true, arguments: { to: "Ana", amount: 10 } };
const PROGRAMS = {
  "typescript/ask.mjs": [[{ text: "mailer" }, { selected: ["staging"] }, { approved: true }], "deployed mailer to staging\n"],
  "typescript/ai.mjs": [[AMENDED], "The tool says: paid 10 to Ana\n"],
  "typescript/openai_agents.mjs": [[AMENDED], "The tool says: paid 10 to Ana\n"],
  "typescript/langgraph.mjs": [[AMENDED], "The tool says: paid 10 to Ana\n"],
  "typescript/ag_ui.mjs": [[{ approved: true }], "The tool says: paid 12.5 to Ana\n"],
  "mcp/ask.mjs": [[{ selected: ["redis"] }], /redis/],
  "webhook/receiver.mjs": [[{ text: "8080" }], "answer: Answer to your question ('Which port?'): 8080\n"],
};

let server;
let desk;
let folder;

before(async () => {
  folder = place("examples", "examples");
  server = await Server.started({ HANDRAISE_OUTBOUND_ALLOW: "127.0.0.1" });
  desk = await Desk.of(server);
});
after(async () => {
  await server.kill();
});

for (const [file, [answers, printed]] of Object.entries(PROGRAMS)) {
  it(`examples/${file} does what it says`, async () => {
    const token = await server.token("agent", file.replace(/\W/g, "-"));
    const env = { HANDRAISE_URL: server.url, HANDRAISE_TOKEN: token, HANDRAISE_KNOWN_SERVERS: join(newFolder(), "known") };
    const { child, said } = started(join(folder, file), env);
    try {
      const output = said();
      for (const answer of answers) await Promise.race([desk.answerNext(answer), output]);
      if (typeof printed === "string") assert.equal(await inTime(output), printed);
      else assert.match(await inTime(output), printed);
    } finally {
      child.kill("SIGKILL");
    }
  });
}

it("each program is started here, and has its row in examples/README.md", () => {
  const there = ["typescript", "mcp", "webhook"].flatMap((door) => readdirSync(join(ROOT, "examples", door)).map((name) => `${door}/${name}`));
  assert.deepEqual(there.filter((name) => name.endsWith(".mjs")).sort(), Object.keys(PROGRAMS).sort());
  const page = readFileSync(join(ROOT, "examples/README.md"), "utf8");
  for (const file of Object.keys(PROGRAMS)) assert.match(page, new RegExp(`\`node ${file}\``));
});

it("the examples name the versions that the adapters are tested with", () => {
  const own = JSON.parse(readFileSync("package.json", "utf8")).devDependencies;
  const { handraise: _, ...theirs } = JSON.parse(readFileSync(join(ROOT, "examples/package.json"), "utf8")).dependencies;
  for (const [name, version] of Object.entries(theirs)) assert.equal(own[name], version, name);
});
