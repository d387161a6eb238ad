// What the program of each framework shares: the model's script, the tool, and what is kept between two starts.
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { Handraise, setLog } from "handraise";
import { z } from "zod";

setLog({ warn: () => undefined, info: () => undefined });

const [mode, folder, more = "{}"] = process.argv.slice(2);
export const isDurable = mode === "durable";

/** In the app's own context, where the tool finds it. */
export const SECRET = "hunter2-in-the-context";

/** What the model asks for in its first step: three payments at once. */
export const CALLS = ["Ana", "Bo", "Cy"].map((to) => ({ id: `call_${to}`, tool: "pay", args: { to, amount: 12.5 } }));

export const PARAMETERS = z.object({ to: z.string(), amount: z.number() });

/** The tool's work: a line a run. */
export function pay({ to, amount }, secret) {
  if (secret !== SECRET) throw new Error("the tool lacks its secret");
  appendFileSync(join(folder, "runs"), `${JSON.stringify({ to, amount })}\n`);
  return `paid ${amount} to ${to}`;
}

export const options = { conversation: "nightly-7", client: new Handraise(), durable: isDurable, ...JSON.parse(more) };

const kept = join(folder, "state");

export function path(name) {
  return join(folder, name);
}

export function keep(text) {
  writeFileSync(`${kept}.new`, text);
  renameSync(`${kept}.new`, kept);
}

export function find() {
  return existsSync(kept) ? readFileSync(kept, "utf8") : null;
}

/** What the model heard of each call, by its id. */
export function tell(heard) {
  console.log(JSON.stringify(heard));
  process.exit(0);
}
