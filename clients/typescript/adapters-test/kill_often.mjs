// Every adapter, both ways, killed 20 times by SIGKILL at random moments: while it starts, while it asks again, while it
// waits. By hand: `HANDRAISE_BIN=… node kill_often.mjs`.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { Desk, Server, newFolder } from "../build/tests/serving.js";

const HERE = dirname(fileURLToPath(import.meta.url));
const NODE = join(HERE, "node_modules/.bin/node");
const KILLS = Number(process.env.KILLS ?? 20);
const NAMES = ["Ana", "Bo", "Cy"];

const server = await Server.started();
const desk = await Desk.of(server);
const folder = newFolder();
try {
  for (const program of ["ai", "openai_agents", "langgraph"]) {
    for (const mode of ["held", "durable"]) await kill(program, mode);
  }
  await kill("ag_ui", "durable");
} finally {
  await server.kill();
}

async function kill(program, mode) {
  const own = join(folder, `${program}-${mode}`);
  mkdirSync(own);
  const before = new Set((await desk.all()).map(({ id }) => id));
  const asked = async () => (await desk.all()).filter(({ id }) => !before.has(id));
  const token = await server.token("agent", `${program}-${mode}`);
  const env = {
    ...process.env, HANDRAISE_URL: server.url, HANDRAISE_TOKEN: token, HANDRAISE_KNOWN_SERVERS: join(own, "known_servers"),
  };
  const start = () => spawn(NODE, [`programs/${program}.js`, mode, own, "{}"], { cwd: HERE, env, stdio: ["ignore", "pipe", "inherit"] });

  for (let n = 0; n < KILLS; n += 1) {
    const child = start();
    const gone = once(child, "exit");
    await sleep(100 + Math.random() * 3400);
    child.kill("SIGKILL");
    await gone;
    // One of the three is answered while no process lives, halfway.
    if (n === KILLS / 2 && (await asked()).length === 3) await answer("Bo");
  }
  const child = start();
  let output = "";
  child.stdout.on("data", (part) => (output += part));
  const ended = once(child, "close");
  while ((await asked()).length < 3) await sleep(100);
  for (const name of NAMES) await answer(name);
  await ended;
  const runs = readFileSync(join(own, "runs"), "utf8").trim().split("\n").map((line) => JSON.parse(line).to).sort();
  console.log(`${program} ${mode}: ${KILLS} kills, asked ${(await asked()).length}, ran ${runs}`);
  const heard = JSON.parse(output);
  assert.deepEqual(Object.keys(heard).sort(), NAMES.map((name) => `call_${name}`));
  // A kill between the use of Bo's approval and its work leaves that undone, and the model hears so: never twice.
  const unknown = /was used by the run/.test(heard.call_Bo) && !runs.includes("Bo");
  assert.deepEqual([unknown ? [...runs, "Bo"].sort() : runs, (await asked()).length], [NAMES, 3]);

  async function answer(name) {
    const one = (await asked()).find(({ action }) => action.arguments.to === name);
    if (one.state === "pending") await desk.answer(one.id, { approved: true });
  }
}
