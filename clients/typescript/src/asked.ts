/** What is asked about and run right now, so that two which stand around the same call do not ask about it twice. */

import { AsyncLocalStorage } from "node:async_hooks";

import { HandraiseError } from "./errors.js";

/** On a function that waits for people. */
const GATED = Symbol.for("handraise.gated");

interface Asking {
  readonly tools: readonly string[];
  readonly calls: readonly string[];
}

const asking = new AsyncLocalStorage<Asking>();

/** For an adapter, around the question and the run. Throws when another one is at the same call already. */
export async function whileAsking<T>(tool: string, call: string | undefined, work: () => Promise<T>): Promise<T> {
  const { tools, calls } = asking.getStore() ?? { tools: [], calls: [] };
  // Agents within agents may count their calls alike.
  const own = `${tool} ${call}`;
  if (calls.includes(own)) throw new HandraiseError(`two adapters ask about the call ${call} of ${tool}: remove one of them`);
  return asking.run({ tools: [...tools, tool], calls: [...calls, own] }, work);
}

/** For a guard. Throws while an adapter runs a call of this tool, which was approved already. */
export function expectUnasked(tool: string): void {
  if (asking.getStore()?.tools.includes(tool)) {
    throw new HandraiseError(`an adapter and a guard both ask about ${tool}: remove one of them`);
  }
}

/** Marks what waits for people. */
export function gated<T extends (...args: never[]) => unknown>(work: T): T {
  return Object.defineProperty(work, GATED, { value: true });
}

/** Throws for what waits for people already, by an adapter or a guard. */
export function expectUngated(tool: string, work: object): void {
  if (GATED in work) throw new HandraiseError(`the tool ${tool} asks people already: give it to one adapter or guard alone`);
}
