#!/usr/bin/env node
// `npx handraise`: the program, which is in a package of its own for each platform.

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { constants } from "node:os";

const name = `handraise-${process.platform}-${process.arch}`;

function program() {
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/handraise`);
  } catch {
    console.error(
      `handraise: there is no program for ${process.platform} on ${process.arch} here (the package ${name}). The client works all the same`,
    );
    process.exit(1);
  }
}

// All of this stands before the program does: a signal that comes first would end this one alone.
let child;
// A terminal sends Ctrl+C to both: this one waits for the other.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
const npx = process.ppid;

child = spawn(program(), process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => {
  console.error(`handraise: cannot start the program: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  process.exit(code ?? 128 + constants.signals[signal]);
});
// npx ends at SIGTERM without a word to its command. Left alone, the server would keep its port.
if (process.env.npm_command === "exec") {
  const look = () => {
    if (process.ppid !== npx) {
      child.kill();
    }
  };
  setInterval(look, 500).unref();
}
