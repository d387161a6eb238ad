/** The types of the API are those of `docs/openapi.json`, and both clients have the same calls. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";

import * as handraise from "../src/index.js";

const FOLDER = new URL("../../", import.meta.url);

it("has the types that the API has now", async () => {
  const { apiTypes } = (await import(new URL("scripts/api.mjs", FOLDER).href)) as { apiTypes(): Promise<string> };
  assert.equal(readFileSync(new URL("src/api.ts", FOLDER), "utf8"), await apiTypes(), "run `npm run api`");
});

/** The rows of the table of calls in a README. */
function calls(readme: string): string[] {
  const text = readFileSync(new URL(readme, FOLDER), "utf8");
  const section = text.split("\n## Calls\n")[1]?.split("\n## ")[0] ?? "";
  return section.split("\n").filter((line) => line.startsWith("|"));
}

it("has the same table of calls as the Python client, and each call that it names", () => {
  const rows = calls("README.md");
  assert.ok(rows.length > 20);
  assert.deepEqual(rows, calls("../python/README.md"));
  const exported = handraise as unknown as Record<string, unknown>;
  for (const row of rows.slice(2)) {
    const name = /^\| `[^`]+` \| `([^`(]+)/.exec(row)?.[1] ?? "";
    const found = (handraise.Handraise.prototype as unknown as Record<string, unknown>)[name] ?? exported[name];
    assert.equal(typeof found, "function", row);
  }
});

it("has no call that the table lacks", () => {
  const table = calls("README.md").join("\n");
  const names = Object.getOwnPropertyNames(handraise.Handraise.prototype);
  const hidden = ["constructor", "decided", "asked", "closed", "taken", "since", "decide"];
  for (const name of names.filter((one) => !hidden.includes(one))) assert.match(table, new RegExp(`\`${name}\\b`));
});
