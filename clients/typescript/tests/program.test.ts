/** `npx handraise`: the command of the package, beside a program that says what it was told. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";

const COMMAND = "bin/handraise.mjs";

/** As npm installs both packages; without `script` there is no program for this platform. */
async function installed(script?: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "handraise-"));
  const client = join(folder, "node_modules/handraise");
  await mkdir(join(client, "bin"), { recursive: true });
  await copyFile(COMMAND, join(client, COMMAND));
  if (script !== undefined) {
    const program = join(folder, `node_modules/handraise-${process.platform}-${process.arch}/bin`);
    await mkdir(program, { recursive: true });
    await writeFile(join(program, "handraise"), `#!/bin/sh\n${script}\n`);
    await chmod(join(program, "handraise"), 0o755);
  }
  return folder;
}

function start(folder: string, ...told: string[]) {
  return spawn(process.execPath, [join(folder, "node_modules/handraise", COMMAND), ...told], { stdio: "pipe" });
}

async function text(stream: AsyncIterable<Buffer>): Promise<string> {
  let all = "";
  for await (const part of stream) {
    all += part.toString();
  }
  return all;
}

test("the program gets the arguments, and its exit code is the command's", async () => {
  const folder = await installed('printf "%s|" "$@"; exit 7');
  try {
    const command = start(folder, "ask", "two words");
    const [said, [code]] = await Promise.all([text(command.stdout), once(command, "exit")]);
    assert.equal(said, "ask|two words|");
    assert.equal(code, 7);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a program that is asked to stop hears of it", async () => {
  const folder = await installed('trap "echo stopped; exit 0" TERM; echo ready; while :; do sleep 0.05; done');
  try {
    const command = start(folder);
    let said = "";
    for await (const part of command.stdout) {
      said += part.toString();
      if (said === "ready\n") {
        command.kill("SIGTERM");
      }
    }
    assert.equal(said, "ready\nstopped\n");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a program that is asked to stop as soon as it runs hears of it", async () => {
  const folder = await installed('trap "echo stopped; exit 0" TERM; kill -TERM "$PPID"; while :; do sleep 0.05; done');
  try {
    assert.equal(await text(start(folder).stdout), "stopped\n");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a program whose npx has ended is stopped", async () => {
  const folder = await installed('trap "echo stopped; exit 0" TERM; echo ready; while :; do sleep 0.05; done');
  try {
    const command = JSON.stringify([join(folder, "node_modules/handraise", COMMAND)]);
    const npx = `require("child_process").spawn(process.execPath, ${command}, { stdio: "inherit" })`;
    const env = { ...process.env, npm_command: "exec" };
    const outer = spawn(process.execPath, ["-e", npx], { stdio: "pipe", env });
    let said = "";
    for await (const part of outer.stdout) {
      said += part.toString();
      if (said === "ready\n") {
        outer.kill("SIGTERM");
      }
    }
    assert.equal(said, "ready\nstopped\n");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("where there is no program for the platform it says so", async () => {
  const folder = await installed();
  try {
    const command = start(folder, "serve");
    const [said, [code]] = await Promise.all([text(command.stderr), once(command, "exit")]);
    assert.match(said, /there is no program for /);
    assert.equal(code, 1);
  } finally {
    await rm(folder, { recursive: true });
  }
});
