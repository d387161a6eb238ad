/** Which version of a framework is installed beside this package, and whether it is one that an adapter was tried with. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { HandraiseError } from "../errors.js";

/** The frameworks, and the beginnings of the versions that the conformance suite passes with. */
export const SUPPORTED = {
  ai: ["7."],
  "@openai/agents": ["0.20."],
  "@langchain/langgraph": ["1."],
} as const;

/** Throws `HandraiseError`, which names those that are supported. */
export function expectSupported(name: keyof typeof SUPPORTED, found: string = versionOf(name)): void {
  const supported: readonly string[] = SUPPORTED[name];
  if (!supported.some((begin) => found.startsWith(begin))) {
    const named = supported.map((begin) => `${begin}x`).join(", ");
    throw new HandraiseError(`${name} ${found} is not supported by handraise: install one of ${named}`);
  }
}

function versionOf(name: string): string {
  const require = createRequire(import.meta.url);
  let place: string;
  try {
    place = dirname(require.resolve(name));
  } catch (error) {
    throw new HandraiseError(`${name} is not installed beside handraise`, { cause: error });
  }
  for (;;) {
    const found = packageIn(place);
    if (found?.name === name) return String(found.version);
    const above = dirname(place);
    if (above === place) throw new HandraiseError(`${name} does not say its version`);
    place = above;
  }
}

function packageIn(folder: string): { name?: unknown; version?: unknown } | null {
  try {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { name?: unknown; version?: unknown };
  } catch {
    return null;
  }
}
