// Programs from elsewhere in the repository run from a copy beside `node_modules`, so that they find the frameworks.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
export const ROOT = join(HERE, "../../..");
// Some frameworks want a newer Node.js than the client does: npm has brought one along.
const NODE = join(HERE, "node_modules/.bin/node");

/** An empty folder below `node_modules`, with a copy of this one in it. */
export function place(name, from) {
  const folder = join(HERE, "node_modules", `.${name}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  if (from !== undefined) cpSync(join(ROOT, from), folder, { recursive: true, filter: (file) => !file.startsWith(join(ROOT, from, "node_modules")) });
  return folder;
}

/** Starts a program; `said` is what it printed, when it has ended well. */
export function started(file, env) {
  const child = spawn(NODE, [file], { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let [output, errors] = ["", ""];
  child.stdout.on("data", (part) => (output += part));
  child.stderr.on("data", (part) => (errors += part));
  const ended = once(child, "close");
  const said = async () => {
    const [code] = await ended;
    if (code !== 0) throw new Error(`${file} ended with ${code}: ${errors}`);
    return output;
  };
  return { child, said };
}
